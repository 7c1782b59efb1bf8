// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * test_fault.c - what happens when a call fails, for every call there is.
 *
 * The linker sends the allocations, system calls and device calls of the library and the
 * simulated device through the wrappers here. A sequence of public calls is run again and
 * again with the n-th of them failing, until n is past the last. Each run must give the
 * right result or a status that fits, say why in the log, and leave nothing behind.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "lib/core/device.h"
#include "lib/encode/matmul.h"
#include "support.h"
#include "tests/model/effort.h"

enum point { ON_MEMORY, ON_DEVICE, ON_SYSTEM, POINTS };

static atomic_int countdown; /* of the call that fails; 0: none */
static enum point armed;
static int fail_errno;
static atomic_bool fired;
static atomic_long live; /* allocations not freed */

static bool fails(enum point where)
{
	if (where != armed || atomic_load(&countdown) <= 0)
		return false;
	if (atomic_fetch_sub(&countdown, 1) != 1)
		return false;
	atomic_store(&fired, true);
	errno = where == ON_MEMORY ? ENOMEM : fail_errno;
	return true;
}

/* ---- wrappers ---- */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);
void __wrap_free(void *p);

static void *counted(void *p)
{
	if (p)
		atomic_fetch_add(&live, 1);
	return p;
}

void *__wrap_malloc(size_t n)
{
	return fails(ON_MEMORY) ? NULL : counted(__real_malloc(n));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails(ON_MEMORY) ? NULL : counted(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t n)
{
	if (fails(ON_MEMORY))
		return NULL;
	return p ? __real_realloc(p, n) : counted(__real_realloc(p, n));
}

void *__wrap_aligned_alloc(size_t align, size_t n)
{
	return fails(ON_MEMORY) ? NULL : counted(__real_aligned_alloc(align, n));
}

void __wrap_free(void *p)
{
	if (p)
		atomic_fetch_sub(&live, 1);
	__real_free(p);
}

int __real_sim_dev_open(const char *spec);
int __real_sim_dev_ioctl(int fd, unsigned long request, void *arg);
void *__real_sim_dev_mmap(int fd, size_t length, uint64_t offset);
int __wrap_sim_dev_open(const char *spec);
int __wrap_sim_dev_ioctl(int fd, unsigned long request, void *arg);
void *__wrap_sim_dev_mmap(int fd, size_t length, uint64_t offset);

int __wrap_sim_dev_open(const char *spec)
{
	return fails(ON_DEVICE) ? -1 : __real_sim_dev_open(spec);
}

int __wrap_sim_dev_ioctl(int fd, unsigned long request, void *arg)
{
	/* A kernel does not refuse to take a handle back; what it takes back is what is tested. */
	if (request != DRM_IOCTL_GEM_CLOSE && fails(ON_DEVICE))
		return -1;
	return __real_sim_dev_ioctl(fd, request, arg);
}

void *__wrap_sim_dev_mmap(int fd, size_t length, uint64_t offset)
{
	return fails(ON_DEVICE) ? MAP_FAILED : __real_sim_dev_mmap(fd, length, offset);
}

int __real_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg);
int __real_memfd_create(const char *name, unsigned flags);
int __real_ftruncate(int fd, off_t length);
void *__real_mmap(void *addr, size_t n, int prot, int flags, int fd, off_t offset);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg);
int __wrap_memfd_create(const char *name, unsigned flags);
int __wrap_ftruncate(int fd, off_t length);
void *__wrap_mmap(void *addr, size_t n, int prot, int flags, int fd, off_t offset);

int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg)
{
	return fails(ON_SYSTEM) ? EAGAIN : __real_pthread_create(t, a, f, arg);
}

int __wrap_memfd_create(const char *name, unsigned flags)
{
	return fails(ON_SYSTEM) ? -1 : __real_memfd_create(name, flags);
}

int __wrap_ftruncate(int fd, off_t length)
{
	return fails(ON_SYSTEM) ? -1 : __real_ftruncate(fd, length);
}

void *__wrap_mmap(void *addr, size_t n, int prot, int flags, int fd, off_t offset)
{
	return fails(ON_SYSTEM) ? MAP_FAILED : __real_mmap(addr, n, prot, flags, fd, offset);
}

/* ---- the sequence ---- */

#define N_JOBS    20 /* more than fit on the stack of any layer */
#define N_HANDLES 80

struct session {
	int fd;
	rocket_bo prog, a, b, c, spare[N_HANDLES];
	rocket_task_desc task;
	uint32_t in[N_HANDLES], out[1];
};

static int fill(struct session *s)
{
	struct rocket_matmul_task t = { .type = ROCKET_MM_FP16_FP16,
					.m = KIT_M,
					.k = KIT_K,
					.n = KIT_N,
					.input = (uint32_t)s->a.dma_address,
					.weights = (uint32_t)s->b.dma_address,
					.output = (uint32_t)s->c.dma_address };
	int n = rocket_rk3588_matmul(&t, s->prog.ptr, s->prog.size / 8, NULL, 0);

	assert_true(n > 0);
	s->task = (rocket_task_desc){ (uint32_t)s->prog.dma_address, (uint32_t)n };
	for (unsigned i = 0; i < KIT_M * KIT_K; i++)
		((_Float16 *)s->a.ptr)[i] = 1;
	for (unsigned i = 0; i < KIT_N * KIT_K; i++)
		((_Float16 *)s->b.ptr)[i] = 2;
	return 0;
}

static int allocate(struct session *s)
{
	rocket_bo *bos[] = { &s->prog, &s->a, &s->b, &s->c };
	int r = 0;

	for (unsigned i = 0; i < 4 && !r; i++)
		r = rocket_bo_alloc32(s->fd, 4096, bos[i]);
	for (unsigned i = 0; i < N_HANDLES && !r; i++)
		r = rocket_bo_alloc(s->fd, 4096, &s->spare[i]);
	for (unsigned i = 0; i < N_HANDLES && !r; i++)
		s->in[i] = s->spare[i].handle;
	if (r)
		return r;
	s->in[0] = s->prog.handle;
	s->in[1] = s->a.handle;
	s->in[2] = s->b.handle;
	s->out[0] = s->c.handle;
	return fill(s);
}

static int compute(struct session *s)
{
	rocket_job_desc jobs[N_JOBS];
	int r;

	for (unsigned i = 0; i < N_JOBS; i++)
		jobs[i] = (rocket_job_desc){ &s->task, 1, s->in, N_HANDLES, s->out, 1 };
	r = rocket_submit_tasks(s->fd, &s->task, 1, s->in, N_HANDLES, s->out, 1);
	if (!r)
		r = rocket_submit_jobs(s->fd, jobs, N_JOBS);
	if (!r)
		r = rocket_bo_prep(s->fd, &s->c, 0, UINT64_C(10000000000));
	if (r)
		return r;
	for (unsigned i = 0; i < KIT_M * KIT_N; i++)
		assert_true(((_Float16 *)s->c.ptr)[i] == 64);
	return rocket_bo_fini(s->fd, &s->c);
}

/* 0, or the status or errno of the first call that failed. */
static int sequence(void)
{
	struct session s = { .fd = rocket_open() };
	int r;

	if (s.fd < 0)
		return s.fd;
	r = allocate(&s);
	if (!r)
		r = compute(&s);
	for (unsigned i = 0; i < N_HANDLES; i += 2) /* the others die with the fd */
		rocket_bo_free(s.fd, &s.spare[i]);
	rocket_close(s.fd);
	return r;
}

struct state {
	long live;
	unsigned fds, threads;
};

static struct state take_state(unsigned threads)
{
	return (struct state){ atomic_load(&live), test_count_fds(), threads };
}

static void run_with_failure_at(int n, struct state before)
{
	struct state after;
	int r;

	test_log_start();
	atomic_store(&fired, false);
	atomic_store(&countdown, n);
	r = sequence();
	atomic_store(&countdown, 0);
	if (!test_threads_are(before.threads))
		fail_msg("call %d: %u threads, %u before", n, test_count_threads(), before.threads);
	after = take_state(before.threads);
	if (after.live != before.live || after.fds != before.fds)
		fail_msg("call %d: %ld allocations, %d fds stay", n, after.live - before.live,
			 (int)(after.fds - before.fds));
	if (!r)
		return; /* some calls only tidy up, or are made up for */
	if (!atomic_load(&fired))
		fail_msg("nothing failed, but the sequence gave %d", r);
	if (test_log_count(ROCKET_LOG_ERROR) < 1)
		fail_msg("call %d: status %d without a reason", n, r);
	if (armed == ON_MEMORY && r != ROCKET_E_NOMEM && r != -ENOMEM && r != ROCKET_E_DEVICE)
		fail_msg("call %d: no memory gave %d", n, r);
}

static unsigned walk(enum point where, int err)
{
	struct state before;
	int n = 0;

	setenv("ROCKET_DEVICE", test_device(), 1);
	armed = where;
	fail_errno = err;
	atomic_store(&countdown, 0);
	assert_int_equal(sequence(), 0); /* tables that stay have grown now */
	before = take_state(test_count_threads());
	do
		run_with_failure_at(++n, before);
	while (atomic_load(&fired));
	test_log_stop();
	assert_int_equal(sequence(), 0);
	return (unsigned)n - 1;
}

static void allocation_failing_leaves_nothing_behind(void **state)
{
	(void)state;
	assert_true(walk(ON_MEMORY, ENOMEM) > 100);
}

static void device_call_failing_leaves_nothing_behind(void **state)
{
	static const int errors[] = { EIO, ENOMEM, ENODEV, EINVAL, EBUSY, EPERM };

	(void)state;
	/* An emulator may keep memory of every thread that was: fewer of them there. */
	for (unsigned i = 0; i < effort(sizeof(errors) / sizeof(errors[0])); i++)
		assert_true(walk(ON_DEVICE, errors[i]) > 170);
}

static void device_call_interrupted_is_made_again(void **state)
{
	(void)state;
	armed = ON_DEVICE;
	fail_errno = EINTR;
	setenv("ROCKET_DEVICE", test_device(), 1);
	for (int n = 2; n < 200; n += 7) { /* 1 is the open */
		atomic_store(&fired, false);
		atomic_store(&countdown, n);
		test_log_start();
		if (sequence())
			test_log_has(ROCKET_LOG_ERROR, "Interrupted"); /* an mmap, never an ioctl */
		test_log_stop();
	}
	atomic_store(&countdown, 0);
}

static void system_call_failing_leaves_nothing_behind(void **state)
{
	(void)state;
	assert_true(walk(ON_SYSTEM, ENOMEM) > 80);
	assert_true(walk(ON_SYSTEM, EMFILE) > 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocation_failing_leaves_nothing_behind),
		cmocka_unit_test(device_call_failing_leaves_nothing_behind),
		cmocka_unit_test(device_call_interrupted_is_made_again),
		cmocka_unit_test(system_call_failing_leaves_nothing_behind),
	};

	setenv("ROCKET_SIM_TIMEOUT_MS", "5", 1); /* a core without memory retires its job */
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

#include "lib/encode/matmul.h"
#include "support.h"

uint64_t test_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void test_sleep_ms(unsigned ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static unsigned count_entries(const char *path, bool (*counts)(const char *name))
{
	DIR *d = opendir(path);
	unsigned n = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.' && (!counts || counts(e->d_name));
	closedir(d);
	return n;
}

unsigned test_count_fds(void)
{
	return count_entries("/proc/self/fd", NULL);
}

static bool is_inherited(const char *fd)
{
	return !(fcntl(atoi(fd), F_GETFD) & FD_CLOEXEC);
}

unsigned test_count_inherited_fds(void)
{
	return count_entries("/proc/self/fd", is_inherited);
}

#define PF_EXITING 0x4 /* of proc(5), the flags of a task */

/* False also of one that was listed and is gone. */
static bool is_alive(const char *thread)
{
	char path[64], line[512] = "", *rest;
	unsigned flags;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%s/stat", thread);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	rest = strrchr(line, ')'); /* of the name; state and five numbers follow, then the flags */
	return rest && sscanf(rest, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       !(flags & PF_EXITING);
}

static unsigned count_threads(void)
{
	return count_entries("/proc/self/task", is_alive);
}

/* A thread that was joined is listed until it is scheduled for the last time, on a busy machine for
 * long; the kernel tells that it exits. An emulator lets the joiner go before its own thread exits:
 * a count that holds for STEADY readings has none of those in it. */
#define READING_MS 5
#define STEADY     30
#define GIVE_UP    12000

unsigned test_count_threads(void)
{
	unsigned n = count_threads();

	for (unsigned same = 0, i = 0; same < STEADY && i < GIVE_UP; i++) {
		unsigned again;

		test_sleep_ms(READING_MS);
		again = count_threads();
		same = again == n ? same + 1 : 0;
		n = again;
	}
	return n;
}

bool test_threads_are(unsigned n)
{
	for (unsigned i = 0; i < GIVE_UP && count_threads() != n; i++)
		test_sleep_ms(READING_MS);
	return count_threads() == n;
}

uint64_t test_await_kicks(int fd, uint64_t least)
{
	struct npu_counters n = { 0 };

	for (unsigned ms = 0; ms < 60000 && n.kicks < least; ms += 2) {
		test_sleep_ms(2);
		assert_int_equal(sim_dev_counters(fd, &n), 0);
	}
	return n.kicks;
}

/* ---- log lines ---- */

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned log_counts[4];
static char log_lines[4][1024];

static void on_line(rocket_log_level level, const char *text, void *user)
{
	(void)user;
	pthread_mutex_lock(&log_lock);
	log_counts[level]++;
	snprintf(log_lines[level], sizeof(log_lines[level]), "%s", text);
	pthread_mutex_unlock(&log_lock);
}

void test_log_start(void)
{
	memset(log_counts, 0, sizeof(log_counts));
	memset(log_lines, 0, sizeof(log_lines));
	rocket_log_set_level(ROCKET_LOG_DEBUG);
	rocket_log_set_callback(on_line, NULL);
}

void test_log_stop(void)
{
	rocket_log_set_callback(NULL, NULL);
	rocket_log_set_level(ROCKET_LOG_WARN);
}

unsigned test_log_count(rocket_log_level level)
{
	return log_counts[level];
}

const char *test_log_last(rocket_log_level level)
{
	return log_lines[level];
}

void test_log_has(rocket_log_level level, const char *text)
{
	if (!strstr(log_lines[level], text))
		fail_msg("the line \"%s\" does not hold \"%s\"", log_lines[level], text);
}

/* ---- raw calls ---- */

int raw_ioctl(int fd, unsigned long request, void *arg)
{
	return sim_dev_ioctl(fd, request, arg) < 0 ? -errno : 0;
}

int raw_open(void)
{
	int fd = sim_dev_open("sim");

	assert_true(fd >= 0);
	return fd;
}

void raw_close(int fd)
{
	assert_int_equal(sim_dev_close(fd), 0);
}

int raw_create(int fd, uint32_t size, struct drm_rocket_create_bo *out)
{
	*out = (struct drm_rocket_create_bo){ .size = size };
	return raw_ioctl(fd, DRM_IOCTL_ROCKET_CREATE_BO, out);
}

struct raw_bo raw_bo_new(int fd, uint32_t size)
{
	struct drm_rocket_create_bo args;
	struct raw_bo bo;

	assert_int_equal(raw_create(fd, size, &args), 0);
	bo = (struct raw_bo){ args.handle, args.dma_address, args.offset, size, NULL };
	bo.ptr = sim_dev_mmap(fd, size, args.offset);
	assert_ptr_not_equal(bo.ptr, MAP_FAILED);
	return bo;
}

int raw_gem_close(int fd, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	return raw_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

int raw_prep(int fd, uint32_t handle, unsigned ms)
{
	struct drm_rocket_prep_bo args = { .handle = handle };

	if (ms)
		args.timeout_ns = (int64_t)(test_now_ns() + ms * UINT64_C(1000000));
	return raw_ioctl(fd, DRM_IOCTL_ROCKET_PREP_BO, &args);
}

int raw_submit(int fd, const struct drm_rocket_job *job)
{
	struct drm_rocket_submit args = { .jobs = (uintptr_t)job,
					  .job_count = 1,
					  .job_struct_size = sizeof(*job) };

	return raw_ioctl(fd, DRM_IOCTL_ROCKET_SUBMIT, &args);
}

/* ---- jobs ---- */

/* Small integers, so that every product and sum is exact in fp16. */
static int operand(unsigned seed, unsigned row, unsigned k)
{
	return (int)((seed + 7 * row + 3 * k + row * k) % 5) - 2;
}

/* Cube index formulas of the hardware documents, written out for one small tile. */
void kit_fill(void *a_cube, void *b_cube, double expected[KIT_M][KIT_N], unsigned seed)
{
	_Float16 *a = a_cube, *b = b_cube;

	for (unsigned k = 0; k < KIT_K; k++) {
		for (unsigned m = 0; m < KIT_M; m++)
			a[k / 8 * KIT_M * 8 + m * 8 + k % 8] = (_Float16)operand(seed, m, k);
		for (unsigned n = 0; n < KIT_N; n++)
			b[n * KIT_K + k] = (_Float16)operand(seed + 1, n, k);
	}
	for (unsigned m = 0; m < KIT_M; m++)
		for (unsigned n = 0; n < KIT_N; n++) {
			expected[m][n] = 0;
			for (unsigned k = 0; k < KIT_K; k++)
				expected[m][n] += operand(seed, m, k) * operand(seed + 1, n, k);
		}
}

bool kit_product_is(const void *c_cube, const double expected[KIT_M][KIT_N])
{
	const _Float16 *c = c_cube;

	for (unsigned m = 0; m < KIT_M; m++)
		for (unsigned n = 0; n < KIT_N; n++)
			if ((double)c[n / 8 * KIT_M * 8 + m * 8 + n % 8] != expected[m][n])
				return false;
	return true;
}

static uint32_t write_program(struct kit *kit)
{
	struct rocket_matmul_task t = {
		.type = ROCKET_MM_FP16_FP16,
		.m = KIT_M,
		.k = KIT_K,
		.n = KIT_N,
		.input = (uint32_t)kit->a.iova,
		.weights = (uint32_t)kit->b.iova,
		.output = kit->kind == KIT_FAULT ? 0xf0000000u : (uint32_t)kit->c.iova,
	};
	char why[128] = "";
	int n;

	if (kit->kind == KIT_HANG) {
		memset(kit->prog.ptr, 0, 64); /* 8 words that do nothing, and no enable */
		return 8;
	}
	n = rocket_rk3588_matmul(&t, kit->prog.ptr, kit->prog.size / 8, why, sizeof(why));
	if (n <= 0)
		fail_msg("no program: %s", why);
	return (uint32_t)n;
}

void kit_stamp(struct kit *kit)
{
	memset(kit->c.ptr, 0x5a, kit->c.size);
}

void kit_init(struct kit *kit, int fd, enum kit_kind kind, unsigned seed)
{
	memset(kit, 0, sizeof(*kit));
	kit->fd = fd;
	kit->kind = kind;
	kit->prog = raw_bo_new(fd, 4096);
	kit->a = raw_bo_new(fd, 4096);
	kit->b = raw_bo_new(fd, 4096);
	kit->c = raw_bo_new(fd, 4096);
	kit_fill(kit->a.ptr, kit->b.ptr, kit->expected, seed);
	kit_stamp(kit);
	kit->task.regcmd = (uint32_t)kit->prog.iova;
	kit->task.regcmd_count = write_program(kit);
	kit->in[0] = kit->prog.handle;
	kit->in[1] = kit->a.handle;
	kit->in[2] = kit->b.handle;
	kit->out[0] = kit->c.handle;
	kit->job = (struct drm_rocket_job){ .tasks = (uintptr_t)&kit->task,
					    .in_bo_handles = (uintptr_t)kit->in,
					    .out_bo_handles = (uintptr_t)kit->out,
					    .task_count = 1,
					    .task_struct_size = sizeof(kit->task),
					    .in_bo_handle_count = 3,
					    .out_bo_handle_count = 1 };
}

int kit_submit(struct kit *kit)
{
	return raw_submit(kit->fd, &kit->job);
}

int kit_wait(struct kit *kit, unsigned ms)
{
	return raw_prep(kit->fd, kit->c.handle, ms);
}

bool kit_is_right(const struct kit *kit)
{
	return kit_product_is(kit->c.ptr, kit->expected);
}

bool kit_is_untouched(const struct kit *kit)
{
	const uint8_t *c = kit->c.ptr;

	for (uint64_t i = 0; i < kit->c.size; i++)
		if (c[i] != 0x5a)
			return false;
	return true;
}

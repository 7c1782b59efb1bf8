// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * test_rknpu_fence.c - SUBMITs of the rknpu provider that return at once, on the simulated driver.
 *
 * The clock can be put forward, so that a job that hangs is given up without waiting for it; the
 * calls on the device go through here, to be looked at or answered differently.
 */
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include "drm/rknpu_ioctl.h"
#include "lib/core/device.h"
#include "lib/core/status.h"
#include "lib/encode/matmul.h"
#include "lib/encode/program.h"
#include "providers/rknpu/rknpu_provider.h"
#include "support.h"

#define LIMIT_S     6 /* of a job */
#define SUBMITS_MAX 64

static const struct rocket_provider *const p = &rocket_provider_rknpu;

/* ---- the clock ---- */

static _Atomic long seconds_ahead;

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);

int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	int r = __real_clock_gettime(id, t);

	t->tv_sec += seconds_ahead;
	return r;
}

/* ---- the kernel ---- */

static struct {
	pthread_mutex_t lock;
	bool without_fences, loses_fences;
	bool withholds_fences;  /* and hands out a fence of its own */
	_Atomic bool hung;      /* what fake_is_hung() answers */
	unsigned refuse_at;     /* the SUBMIT with this number gets ENOMEM */
	uint32_t cores;         /* others are refused; 0: none is */
	int info_errno, status; /* of SYNC_IOC_FILE_INFO; status 0: the device's */
	unsigned submits, resets;
	uint32_t masks[SUBMITS_MAX];
	unsigned before; /* fences before the last SUBMIT that were not signalled at it */
	int fences[SUBMITS_MAX];
} k = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool signalled(int fence, int ms)
{
	struct pollfd f = { .fd = fence, .events = POLLIN };

	return poll(&f, 1, ms) == 1 && f.revents & POLLIN;
}

static int submit_call(int fd, struct rknpu_submit *args)
{
	const uint32_t async = RKNPU_JOB_NONBLOCK | RKNPU_JOB_FENCE_OUT;
	int r;

	pthread_mutex_lock(&k.lock);
	if (k.without_fences || (k.cores && args->core_mask & ~k.cores)) {
		errno = EINVAL;
		r = -1;
	} else if (k.refuse_at && k.submits + 1 == k.refuse_at) {
		k.refuse_at = 0;
		errno = ENOMEM;
		r = -1;
	} else {
		assert_int_equal(args->flags & async, async);
		assert_true(k.submits < SUBMITS_MAX);
		k.before = 0;
		for (unsigned i = 0; i < k.submits; i++)
			k.before += !signalled(k.fences[i], 0);
		k.masks[k.submits] = args->core_mask;
		r = rocket_kernel_sim.ioctl(fd, DRM_IOCTL_RKNPU_SUBMIT, args);
		if (!r && k.withholds_fences) {
			close(args->fence_fd);
			args->fence_fd = eventfd(0, EFD_CLOEXEC);
		}
		if (!r)
			k.fences[k.submits++] = fcntl(args->fence_fd, F_DUPFD_CLOEXEC, 0);
		if (!r && k.loses_fences) {
			close(args->fence_fd);
			args->fence_fd = -1;
		}
	}
	pthread_mutex_unlock(&k.lock);
	return r;
}

static int call(int fd, unsigned long request, void *arg)
{
	const struct rknpu_action *a = arg;
	int r;

	if (request == DRM_IOCTL_RKNPU_SUBMIT)
		return submit_call(fd, arg);
	if (request == DRM_IOCTL_RKNPU_ACTION && a->flags == RKNPU_ACT_RESET)
		k.resets++;
	r = rocket_kernel_sim.ioctl(fd, request, arg);
	if (request == SYNC_IOC_FILE_INFO && k.info_errno) {
		errno = k.info_errno;
		return -1;
	}
	if (request == SYNC_IOC_FILE_INFO && k.status)
		((struct sync_file_info *)arg)->status = k.status;
	return r;
}

static struct rocket_kernel kernel;
static struct rocket_node node;
static unsigned fds, threads;

/* When what can begin has begun: by a clock that nobody puts forward it would have, long before. */
static void let_limits_pass(void)
{
	struct npu_counters n = { 0 };

	for (unsigned i = 0; i < 30000 && n.kicks < k.submits; i++) {
		test_sleep_ms(2);
		assert_int_equal(sim_dev_counters(node.fd, &n), 0);
	}
	assert_true(n.kicks >= k.submits);
	seconds_ahead += LIMIT_S + 1;
}

static int open_node(const char *mode)
{
	node = (struct rocket_node){ .fd = sim_dev_open("sim:rk3588:rknpu"),
				     .kernel = &kernel,
				     .path = "sim:rk3588:rknpu",
				     .rknpu_submit = mode };
	assert_true(node.fd >= 0);
	return p->open(&node);
}

static int setup(void **state)
{
	(void)state;
	test_log_start();
	memset(&k, 0, sizeof(k));
	pthread_mutex_init(&k.lock, NULL);
	kernel = rocket_kernel_sim;
	kernel.ioctl = call;
	kernel.is_hung = NULL;                           /* jobs are given up as on a board */
	sim_dev_close(sim_dev_open("sim:rk3588:rknpu")); /* what comes with the first thread */
	fds = test_count_fds();
	threads = test_count_threads();
	return open_node("fenced");
}

static void close_node(void)
{
	if (node.priv)
		p->close(&node);
	if (node.fd >= 0)
		sim_dev_close(node.fd);
	node.fd = -1;
	for (unsigned i = 0; i < k.submits; i++)
		close(k.fences[i]);
	k.submits = 0;
}

static int teardown(void **state)
{
	(void)state;
	close_node();
	test_log_stop();
	return test_count_fds() != fds || !test_threads_are(threads);
}

/* ---- jobs ---- */

struct work {
	rocket_bo prog, a, b, c;
	double expected[KIT_M][KIT_N];
	rocket_task_desc task[3];
	uint32_t in[3], out;
	struct rocket_provider_job job; /* points into this struct */
};

static void alloc(rocket_bo *bo)
{
	assert_int_equal(p->bo_alloc(&node, 4096, bo), 0);
}

/* C = A . B^T; input NULL: an A of its own. */
static void make(struct work *w, unsigned seed, const rocket_bo *input)
{
	rocket_bo *all[] = { &w->prog, &w->a, &w->b, &w->c };
	struct rocket_matmul_task t = {
		.type = ROCKET_MM_FP16_FP16, .m = KIT_M, .k = KIT_K, .n = KIT_N
	};
	char why[128] = "";

	memset(w, 0, sizeof(*w));
	for (unsigned i = 0; i < 4; i++)
		alloc(all[i]);
	kit_fill(w->a.ptr, w->b.ptr, w->expected, seed);
	t.input = (uint32_t)(input ? input : &w->a)->dma_address;
	t.weights = (uint32_t)w->b.dma_address;
	t.output = (uint32_t)w->c.dma_address;
	assert_int_equal(
		rocket_rk3588_matmul(&t, w->prog.ptr, ROCKET_RK3588_MATMUL_WORDS, why, sizeof(why)),
		ROCKET_RK3588_MATMUL_WORDS);
	assert_true(rocket_chain_seal(w->prog.ptr, ROCKET_RK3588_MATMUL_WORDS));
	for (unsigned i = 0; i < 3; i++)
		w->task[i] = (rocket_task_desc){ (uint32_t)w->prog.dma_address,
						 ROCKET_RK3588_MATMUL_WORDS };
	w->in[0] = w->prog.handle;
	w->in[1] = (input ? input : &w->a)->handle;
	w->in[2] = w->b.handle;
	w->out = w->c.handle;
	w->job = (struct rocket_provider_job){ .tasks = w->task,
					       .n_tasks = 1,
					       .in_handles = w->in,
					       .n_in = 3,
					       .out_handles = &w->out,
					       .n_out = 1 };
}

static void make_hung(struct work *w)
{
	make(w, 1, NULL);
	memset(w->prog.ptr, 0, ROCKET_RK3588_MATMUL_WORDS * 8);
}

static void drop(struct work *w)
{
	rocket_bo *all[] = { &w->prog, &w->a, &w->b, &w->c };

	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(p->bo_free(&node, all[i]), 0);
}

static int submit(const struct work *w)
{
	return p->submit(&node, &w->job, 1, NULL);
}

#define LONG_NS UINT64_C(60000000000)

static bool is_right(const struct work *w)
{
	return !p->bo_prep(&node, &w->c, LONG_NS) && kit_product_is(w->c.ptr, w->expected);
}

/* ---- what is asked for ---- */

static void mode_is_blocking_unless_it_is_asked_for(void **state)
{
	static const struct {
		const char *mode;
		int result;
	} rows[] = {
		{ NULL, 0 },           { "", 0 },        { "blocking", 0 },    { "fenced", 0 },
		{ "Fenced", -EINVAL }, { "1", -EINVAL }, { "fence", -EINVAL },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		close_node();
		assert_int_equal(open_node(rows[i].mode), rows[i].result);
		if (!rows[i].result)
			continue;
		assert_non_null(strstr(node.refusal, "ROCKET_RKNPU_SUBMIT="));
		assert_non_null(strstr(node.refusal, rows[i].mode));
		assert_null(node.priv);
	}
}

static void mode_comes_from_the_environment(void **state)
{
	(void)state;
	setenv("ROCKET_DEVICE", "sim:rk3588:rknpu", 1);
	setenv("ROCKET_RKNPU_SUBMIT", "soon", 1);
	assert_int_equal(rocket_open(), -EINVAL);
	test_log_has(ROCKET_LOG_ERROR, "ROCKET_RKNPU_SUBMIT=soon is neither blocking nor fenced");
	unsetenv("ROCKET_RKNPU_SUBMIT");
	unsetenv("ROCKET_DEVICE");
}

static void driver_without_fences_is_refused_with_a_reason(void **state)
{
	struct work w;
	int fd;

	(void)state;
	make(&w, 1, NULL);
	k.without_fences = true;
	assert_int_equal(submit(&w), -EOPNOTSUPP);
	assert_int_equal(p->bo_prep(&node, &w.c, 0), 0); /* nobody uses it */
	drop(&w);
	setenv("ROCKET_RKNPU_SUBMIT", "fenced", 1);
	fd = rocket_device_open_on(&kernel, "sim:rk3588:rknpu");
	assert_true(fd >= 0);
	assert_int_equal(
		rocket_submit_tasks(fd, &(rocket_task_desc){ 0x1000, 64 }, 1, NULL, 0, NULL, 0),
		ROCKET_E_UNSUPPORTED);
	test_log_has(ROCKET_LOG_ERROR, "the driver is built without fences");
	rocket_close(fd);
	unsetenv("ROCKET_RKNPU_SUBMIT");
}

/* EINVAL of a driver that has them is another matter. */
static void driver_that_took_a_fence_has_them(void **state)
{
	struct work w;

	(void)state;
	make(&w, 1, NULL);
	assert_int_equal(submit(&w), 0);
	assert_true(is_right(&w));
	k.without_fences = true;
	assert_int_equal(submit(&w), -EINVAL);
	assert_int_equal(p->bo_prep(&node, &w.c, 0), 0);
	drop(&w);
}

/* ---- results ---- */

static void jobs_in_flight_have_right_results(void **state)
{
	struct work w[40]; /* more than are let go at once */

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		make(&w[i], i, NULL);
		assert_int_equal(submit(&w[i]), 0);
	}
	assert_int_equal(k.submits, 40);
	assert_int_equal(node.submit_calls, 40);
	assert_int_equal(node.submit_tasks, 40);
	for (unsigned i = 0; i < 40; i++) {
		assert_true(is_right(&w[i]));
		assert_int_equal(k.masks[i], RKNPU_CORE_AUTO_MASK);
		drop(&w[i]);
	}
	assert_int_equal(k.resets, 0);
}

static void submit_does_not_wait_for_its_job(void **state)
{
	struct work hung, w;
	uint64_t start = test_now_ns();

	(void)state;
	make_hung(&hung);
	make(&w, 2, NULL);
	assert_int_equal(submit(&hung), 0);
	assert_int_equal(submit(&w), 0); /* which shares nothing with it */
	assert_true(is_right(&w));
	assert_int_equal(p->bo_prep(&node, &hung.c, 0), -EBUSY);
	assert_int_equal(p->bo_prep(&node, &hung.c, 1000000), -ETIMEDOUT);
	assert_int_equal(p->bo_prep(&node, &hung.a, 0), -EBUSY); /* read by it */
	assert_true(test_now_ns() - start < UINT64_C(5000000000));
	let_limits_pass();
	drop(&hung);
	drop(&w);
}

static void dependent_job_waits_for_its_producer(void **state)
{
	struct work first, then;
	_Float16 *b;

	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		make(&first, round, NULL);
		make(&then, 77, &first.c);
		b = then.b.ptr; /* of which the product is what it is given */
		for (unsigned n = 0; n < KIT_N; n++)
			for (unsigned i = 0; i < KIT_K; i++)
				b[n * KIT_K + i] = n == i;
		memcpy(then.expected, first.expected, sizeof(then.expected));
		k.before = 0;
		assert_int_equal(submit(&first), 0);
		assert_int_equal(submit(&then), 0);
		assert_int_equal(k.before, 0); /* it was over when the second went */
		assert_true(is_right(&then));
		drop(&first);
		drop(&then);
	}
}

static void job_waits_for_readers_and_writers_of_what_it_writes(void **state)
{
	struct work first, then;

	(void)state;
	make(&first, 1, NULL);
	make(&then, 2, NULL);
	then.out = first.in[1]; /* its input, as far as the lists tell */
	assert_int_equal(submit(&first), 0);
	assert_int_equal(submit(&then), 0);
	assert_int_equal(k.before, 0);
	then.out = first.out;
	assert_int_equal(submit(&first), 0);
	assert_int_equal(submit(&then), 0);
	assert_int_equal(k.before, 0);
	drop(&first);
	drop(&then);
}

static void tasks_apart_go_one_after_the_other(void **state)
{
	struct work w;

	(void)state;
	make(&w, 1, NULL);
	w.job.n_tasks = 3;
	assert_int_equal(submit(&w), 0);
	assert_int_equal(k.submits, 3);
	assert_int_equal(k.before, 0);
	assert_true(is_right(&w));
	drop(&w);
}

static void tasks_apart_that_are_refused_leave_no_result(void **state)
{
	struct work w;

	(void)state;
	make(&w, 1, NULL);
	w.job.n_tasks = 3;
	k.refuse_at = 3;
	assert_int_equal(submit(&w), -ENOMEM);
	assert_int_equal(p->bo_prep(&node, &w.c, LONG_NS), -EIO);
	k.refuse_at = 3; /* the first of these: nothing of it runs */
	assert_int_equal(p->bo_fini(&node, &w.c), 0);
	assert_int_equal(submit(&w), -ENOMEM);
	assert_int_equal(p->bo_prep(&node, &w.c, LONG_NS), 0);
	drop(&w);
}

static void *submit_and_check(void *arg)
{
	struct work *w = arg;

	for (unsigned i = 0; i < 12; i++) {
		memset(w->c.ptr, 0x5a, 128);
		if (submit(w) || !is_right(w))
			return w;
	}
	return NULL;
}

static void threads_share_a_node(void **state)
{
	pthread_t thread[4];
	struct work w[4];
	void *wrong;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		make(&w[i], i, NULL);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, submit_and_check, &w[i]), 0);
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(thread[i], &wrong);
		assert_null(wrong);
		drop(&w[i]);
	}
}

#define BUFFERS 24

static void *make_buffers(void *arg)
{
	rocket_bo *bos = arg;

	for (unsigned i = 0; i < BUFFERS; i++)
		if (p->bo_alloc(&node, 4096, &bos[i]) || p->bo_fini(&node, &bos[i]) ||
		    p->bo_prep(&node, &bos[i], 0))
			return arg;
	return NULL;
}

/* The list of them grows meanwhile. */
static void threads_make_buffers_of_one_node(void **state)
{
	static rocket_bo bos[8][BUFFERS];
	pthread_t thread[8];
	void *wrong;

	(void)state;
	for (unsigned round = 0; round < 10; round++) {
		close_node();
		assert_int_equal(open_node("fenced"), 0);
		for (unsigned i = 0; i < 8; i++)
			assert_int_equal(pthread_create(&thread[i], NULL, make_buffers, bos[i]), 0);
		for (unsigned i = 0; i < 8; i++) {
			pthread_join(thread[i], &wrong);
			assert_null(wrong);
		}
		for (unsigned i = 0; i < 8 * BUFFERS; i++)
			assert_int_equal(p->bo_free(&node, &bos[i / BUFFERS][i % BUFFERS]), 0);
	}
}

/* ---- failures ---- */

static void hung_job_is_told_with_its_buffers_and_leaves_the_device_usable(void **state)
{
	struct work hung, good, next[5];

	(void)state;
	make_hung(&hung);
	make(&good, 2, NULL);
	assert_int_equal(submit(&hung), 0);
	assert_int_equal(submit(&good), 0);
	assert_true(is_right(&good));
	assert_int_equal(p->bo_prep(&node, &hung.c, 0), -EBUSY);
	assert_int_equal(k.resets, 0);
	let_limits_pass();
	assert_int_equal(p->bo_prep(&node, &hung.c, LONG_NS), -EIO);
	assert_int_equal(k.resets, 1);
	assert_int_equal(p->bo_prep(&node, &hung.a, LONG_NS), 0);
	assert_true(is_right(&good));
	for (unsigned i = 0; i < 5; i++) {
		make(&next[i], 10 + i, NULL);
		assert_int_equal(submit(&next[i]), 0);
	}
	for (unsigned i = 0; i < 5; i++) {
		static const uint32_t cores[] = { 1, 2, 4, RKNPU_CORE_AUTO_MASK,
						  RKNPU_CORE_AUTO_MASK };

		assert_true(is_right(&next[i]));
		/* Of what hung each core is freed by a job that names it. */
		assert_int_equal(k.masks[2 + i], cores[i]);
		drop(&next[i]);
	}
	assert_int_equal(p->bo_fini(&node, &hung.c), 0); /* the caller's again */
	assert_int_equal(p->bo_prep(&node, &hung.c, 0), 0);
	drop(&hung);
	drop(&good);
}

/* As many as there are cores, so that nothing runs unless they are retired. */
static void cores_that_all_hang_are_all_freed(void **state)
{
	struct work hung[3], w[4];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		make_hung(&hung[i]);
		assert_int_equal(submit(&hung[i]), 0);
	}
	let_limits_pass();
	for (unsigned i = 0; i < 4; i++) {
		make(&w[i], i, NULL);
		w[i].in[1] = i ? w[i].a.handle : hung[0].c.handle; /* which is waited for */
		assert_int_equal(submit(&w[i]), 0);
	}
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(p->bo_prep(&node, &hung[i].c, LONG_NS), -EIO);
	/* What is made of what failed is no better. */
	assert_int_equal(p->bo_prep(&node, &w[0].c, LONG_NS), -EIO);
	assert_true(is_right(&w[1]) && is_right(&w[2]) && is_right(&w[3]));
	for (unsigned i = 0; i < 4; i++) {
		drop(&w[i]);
		if (i < 3)
			drop(&hung[i]);
	}
}

/* What is not known to be there is asked for, and what is refused is asked for once. */
static void core_that_is_not_there_is_named_no_more(void **state)
{
	static const uint32_t named[] = { 1, 2, RKNPU_CORE_AUTO_MASK, RKNPU_CORE_AUTO_MASK };
	struct work hung, w[4];

	(void)state;
	for (unsigned cores = 0; cores <= 3; cores += 3) {
		node.cores = cores;
		k.cores = 0;
		make_hung(&hung);
		assert_int_equal(submit(&hung), 0);
		k.cores = 3;
		let_limits_pass();
		assert_int_equal(p->bo_prep(&node, &hung.c, LONG_NS), -EIO);
		for (unsigned i = 0; i < 4; i++) {
			make(&w[i], i, NULL);
			assert_int_equal(submit(&w[i]), 0);
			assert_true(is_right(&w[i]));
			assert_int_equal(k.masks[k.submits - 1], named[i]);
			drop(&w[i]);
		}
		drop(&hung);
	}
}

static void fence_alone_is_no_evidence(void **state)
{
	static const struct {
		int info_errno, status;
	} rows[] = { { 0, -5 }, { 0, -ETIMEDOUT }, { 0, 2 }, { ENOTTY, 0 } };
	struct work w;

	(void)state;
	make(&w, 1, NULL);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		k.info_errno = rows[i].info_errno;
		k.status = rows[i].status;
		assert_int_equal(submit(&w), 0);
		assert_int_equal(p->bo_prep(&node, &w.c, LONG_NS), -EIO);
		k.info_errno = k.status = 0;
		assert_int_equal(submit(&w), 0);
		assert_true(is_right(&w)); /* written anew */
	}
	drop(&w);
}

static void job_whose_fence_is_lost_is_never_taken_for_done(void **state)
{
	struct work w;

	(void)state;
	make(&w, 1, NULL);
	k.loses_fences = true;
	assert_int_equal(submit(&w), 0);
	assert_true(signalled(k.fences[0], 60000));
	assert_int_equal(p->bo_prep(&node, &w.c, 0), -EBUSY);
	let_limits_pass();
	assert_int_equal(p->bo_prep(&node, &w.c, LONG_NS), -EIO);
	drop(&w);
}

struct waiter {
	pthread_t thread;
	struct work *w;
	uint64_t timeout;
	int result;
};

static void *wait_for_it(void *arg)
{
	struct waiter *me = arg;

	me->result = p->bo_prep(&node, &me->w->c, me->timeout);
	return NULL;
}

/* One looks at the fence, the others at him. */
static void waiters_of_one_job_have_times_of_their_own(void **state)
{
	struct work hung;
	struct waiter waiters[4];

	(void)state;
	make_hung(&hung);
	assert_int_equal(submit(&hung), 0);
	for (unsigned i = 0; i < 4; i++) {
		waiters[i] =
			(struct waiter){ .w = &hung, .timeout = UINT64_C(50000000) * (1 + i % 2) };
		assert_int_equal(pthread_create(&waiters[i].thread, NULL, wait_for_it, &waiters[i]),
				 0);
	}
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(waiters[i].thread, NULL);
		assert_int_equal(waiters[i].result, -ETIMEDOUT);
	}
	let_limits_pass();
	drop(&hung);
}

static void job_that_is_wrong_is_refused_as_ever(void **state)
{
	struct work w;
	uint32_t nobody = 60;

	(void)state;
	make(&w, 1, NULL);
	w.job.in_handles = &nobody;
	w.job.n_in = 1;
	assert_int_equal(submit(&w), -ENOENT);
	assert_int_equal(k.submits, 0);
	assert_int_equal(p->bo_prep(&node, &w.c, 0), 0);
	drop(&w);
}

static void fences_stay_with_the_process(void **state)
{
	unsigned inherited = test_count_inherited_fds(), all = test_count_fds();
	struct work hung;

	(void)state;
	make_hung(&hung);
	assert_int_equal(submit(&hung), 0);
	assert_true(test_count_fds() > all);
	assert_int_equal(test_count_inherited_fds(), inherited);
	let_limits_pass();
	drop(&hung);
}

/* ---- where the NPU is simulated ---- */

static bool fake_is_hung(int fd, uint64_t tasks)
{
	(void)fd;
	(void)tasks;
	return k.hung;
}

static void model_is_asked_and_not_the_clock(void **state)
{
	struct waiter waiter;
	struct work w;
	uint64_t one = 1;

	(void)state;
	kernel.is_hung = fake_is_hung;
	k.withholds_fences = true;
	make(&w, 1, NULL);
	for (unsigned hung = 0; hung < 2; hung++) {
		k.hung = false;
		assert_int_equal(submit(&w), 0);
		seconds_ahead += 1000;
		assert_int_equal(p->bo_prep(&node, &w.c, 0), -EBUSY);
		waiter = (struct waiter){ .w = &w, .timeout = 100 * LONG_NS, .result = 1 };
		assert_int_equal(pthread_create(&waiter.thread, NULL, wait_for_it, &waiter), 0);
		test_sleep_ms(50);
		assert_int_equal(k.resets, 0);
		k.hung = hung;
		if (!hung)
			assert_int_equal(write(k.fences[0], &one, sizeof(one)), sizeof(one));
		pthread_join(waiter.thread, NULL);
		assert_int_equal(waiter.result, hung ? -EIO : 0);
		assert_int_equal(k.resets, hung);
	}
	/* What ended is done, even when it is not there to be asked for any more. */
	k.withholds_fences = false;
	k.hung = true;
	assert_int_equal(submit(&w), 0);
	assert_true(signalled(k.fences[2], 60000));
	assert_true(is_right(&w));
	drop(&w);
}

static void simulated_job_that_hangs_is_given_up_by_its_watchdog(void **state)
{
	struct work hung[4], w[4];
	uint64_t start = test_now_ns();

	(void)state;
	kernel.is_hung = rocket_kernel_sim.is_hung;
	for (unsigned i = 0; i < 4; i++) { /* the last one behind another */
		make_hung(&hung[i]);
		assert_int_equal(submit(&hung[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(p->bo_prep(&node, &hung[i].c, LONG_NS), -EIO);
	for (unsigned i = 0; i < 4; i++) {
		make(&w[i], i, NULL);
		assert_int_equal(submit(&w[i]), 0);
		assert_int_equal(k.masks[4 + i], i < 3 ? 1u << i : RKNPU_CORE_AUTO_MASK);
	}
	for (unsigned i = 0; i < 4; i++) {
		assert_true(is_right(&w[i]));
		drop(&w[i]);
		drop(&hung[i]);
	}
	assert_true(test_now_ns() - start < LONG_NS);
}

static void simulated_device_with_a_job_that_hangs_is_closed_in_time(void **state)
{
	struct work hung;
	uint64_t start = test_now_ns();

	(void)state;
	kernel.is_hung = rocket_kernel_sim.is_hung;
	make_hung(&hung);
	assert_int_equal(submit(&hung), 0);
	close_node();
	assert_true(test_now_ns() - start < LONG_NS);
}

/* ---- the end ---- */

static void buffer_is_freed_when_its_job_has_ended(void **state)
{
	struct work w;

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		make(&w, i, NULL);
		assert_int_equal(submit(&w), 0);
		drop(&w);
		assert_true(signalled(k.fences[i], 0));
	}
}

static void close_with_jobs_pending_leaves_nothing(void **state)
{
	struct work w[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		if (i == 1)
			make_hung(&w[i]);
		else
			make(&w[i], i, NULL);
		assert_int_equal(submit(&w[i]), 0);
	}
	let_limits_pass();
	close_node();
	assert_int_equal(test_count_fds(), fds);
	assert_true(test_threads_are(threads));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(mode_is_blocking_unless_it_is_asked_for),
		T(mode_comes_from_the_environment),
		T(driver_without_fences_is_refused_with_a_reason),
		T(driver_that_took_a_fence_has_them),
		T(jobs_in_flight_have_right_results),
		T(submit_does_not_wait_for_its_job),
		T(dependent_job_waits_for_its_producer),
		T(job_waits_for_readers_and_writers_of_what_it_writes),
		T(tasks_apart_go_one_after_the_other),
		T(tasks_apart_that_are_refused_leave_no_result),
		T(threads_share_a_node),
		T(threads_make_buffers_of_one_node),
		T(hung_job_is_told_with_its_buffers_and_leaves_the_device_usable),
		T(cores_that_all_hang_are_all_freed),
		T(core_that_is_not_there_is_named_no_more),
		T(fence_alone_is_no_evidence),
		T(job_whose_fence_is_lost_is_never_taken_for_done),
		T(waiters_of_one_job_have_times_of_their_own),
		T(job_that_is_wrong_is_refused_as_ever),
		T(fences_stay_with_the_process),
		T(model_is_asked_and_not_the_clock),
		T(simulated_job_that_hangs_is_given_up_by_its_watchdog),
		T(simulated_device_with_a_job_that_hangs_is_closed_in_time),
		T(buffer_is_freed_when_its_job_has_ended),
		T(close_with_jobs_pending_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

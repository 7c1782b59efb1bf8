// SPDX-License-Identifier: LGPL-2.1-or-later
/* fenced_kit.c - see fenced_kit.h. */
#include <fcntl.h>
#include <poll.h>
#include <linux/sync_file.h>
#include <sys/eventfd.h>

#include "fenced_kit.h"
#include "lib/encode/program.h"

#define LIMIT_S 6 /* of a job */

/* ---- the clock ---- */

_Atomic long seconds_ahead;

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);

int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	int r = __real_clock_gettime(id, t);

	t->tv_sec += seconds_ahead;
	return r;
}

/* ---- the kernel ---- */

struct fenced_kernel k = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool signalled(int fence, int ms)
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

struct rocket_kernel kernel;
struct rocket_node node;
unsigned fds, threads;

void let_limits_pass(void)
{
	assert_true(test_await_kicks(node.fd, k.submits) >= k.submits);
	seconds_ahead += LIMIT_S + 1;
}

int open_node(const char *mode)
{
	node = (struct rocket_node){ .fd = sim_dev_open("sim:rk3588:rknpu"),
				     .kernel = &kernel,
				     .path = "sim:rk3588:rknpu",
				     .rknpu_submit = mode };
	assert_true(node.fd >= 0);
	return p->open(&node);
}

int setup(void **state)
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

void close_node(void)
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

int teardown(void **state)
{
	(void)state;
	close_node();
	test_log_stop();
	return test_count_fds() != fds || !test_threads_are(threads);
}

/* ---- jobs ---- */

static void alloc(rocket_bo *bo)
{
	assert_int_equal(p->bo_alloc(&node, 4096, bo), 0);
}

void make(struct work *w, unsigned seed, const rocket_bo *input)
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

void make_hung(struct work *w)
{
	make(w, 1, NULL);
	memset(w->prog.ptr, 0, ROCKET_RK3588_MATMUL_WORDS * 8);
}

void drop(struct work *w)
{
	rocket_bo *all[] = { &w->prog, &w->a, &w->b, &w->c };

	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(p->bo_free(&node, all[i]), 0);
}

int submit(const struct work *w)
{
	return p->submit(&node, &w->job, 1, NULL);
}

bool is_right(const struct work *w)
{
	return !p->bo_prep(&node, &w->c, LONG_NS) && kit_product_is(w->c.ptr, w->expected);
}

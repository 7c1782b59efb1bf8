// SPDX-License-Identifier: LGPL-2.1-or-later
#include "submit.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "load.h"

/* A hung job is retired after the timeout; what does not wait for that is done long before. */
static int64_t prompt(const struct test *t)
{
	return job_timeout(t) * 3 / 4;
}

/* A job that keeps its buffers busy until the watchdog ends it. */
static bool make_busy(struct load *l, struct test *t)
{
	struct file *f = test_file(t);

	if (!load_make(l, t, f, &small_matmul, 1, LOAD_INTEGERS))
		return false;
	load_hang(l, 0);
	return CHECK(t, !load_submit(l), "SUBMIT");
}

/* ---- idle ---- */

static void prep_idle_any_deadline(struct test *t)
{
	const int64_t deadlines[] = {
		0, 1, -1, INT64_MIN, INT64_MAX, now_ns() - SECOND, now_ns() + 3600 * SECOND
	};
	struct file *f = test_file(t);
	struct bo *bo = f ? test_bo(t, f, PAGE) : NULL;

	REQUIRE(t, bo, "no buffer");
	for (size_t i = 0; i < sizeof(deadlines) / sizeof(deadlines[0]); i++) {
		int64_t start = now_ns();
		int ret = file_prep(f, bo->handle, deadlines[i]);

		CHECK(t, !ret, "deadline %lld: %s", (long long)deadlines[i], strerror(-ret));
		CHECK(t, now_ns() - start < prompt(t), "deadline %lld waits",
		      (long long)deadlines[i]);
	}
}

static void fini_idle(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *bo = f ? test_bo(t, f, PAGE) : NULL;

	REQUIRE(t, bo, "no buffer");
	for (int i = 0; i < 3; i++)
		CHECK(t, !file_fini(f, bo->handle), "time %d", i);
}

static void prep_reserved_refused(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *bo = f ? test_bo(t, f, PAGE) : NULL;
	struct drm_rocket_prep_bo args;
	int ret;

	REQUIRE(t, bo, "no buffer");
	args = (struct drm_rocket_prep_bo){ .handle = bo->handle, .reserved = 1 };
	ret = file_ioctl(f, DRM_IOCTL_ROCKET_PREP_BO, &args);
	CHECK(t, ret == -EINVAL, "%s", strerror(-ret));
}

static void fini_reserved_refused(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *bo = f ? test_bo(t, f, PAGE) : NULL;
	struct drm_rocket_fini_bo args;
	int ret;

	REQUIRE(t, bo, "no buffer");
	args = (struct drm_rocket_fini_bo){ .handle = bo->handle, .reserved = 0x80000000 };
	ret = file_ioctl(f, DRM_IOCTL_ROCKET_FINI_BO, &args);
	CHECK(t, ret == -EINVAL, "%s", strerror(-ret));
}

static void prep_and_fini_unknown_handle(struct test *t)
{
	static const uint32_t handles[] = { 2, 1000, 0x7fffffff, 0x80000000, 0xffffffff };
	struct file *f = test_file(t);

	REQUIRE(t, f && test_bo(t, f, PAGE), "no buffer");
	for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); i++) {
		int ret = file_prep(f, handles[i], INT64_MAX);

		CHECK(t, ret == -ENOENT, "PREP_BO %#x: %s", handles[i], strerror(-ret));
		ret = file_fini(f, handles[i]);
		CHECK(t, ret == -ENOENT, "FINI_BO %#x: %s", handles[i], strerror(-ret));
	}
}

/* ---- busy ---- */

/*
 * A call on a job's buffer answers at once, while the job hangs. A loaded machine may let us go on
 * only when the job has ended by itself: then once more.
 */
static void check_prompt(struct test *t, int (*call)(struct load *, int64_t), int64_t arg, int want)
{
	for (int attempt = 0; attempt < 5; attempt++) {
		int64_t begun = now_ns(), start, end;
		struct load l;
		int ret;

		REQUIRE(t, make_busy(&l, t), "no job");
		start = now_ns();
		ret = call(&l, arg);
		end = now_ns();
		load_wait(&l, 5 * SECOND);
		if (end - begun > prompt(t) && attempt < 4)
			continue;
		CHECK(t, ret == want, "argument %lld: %s", (long long)arg, strerror(-ret));
		CHECK(t, end - start < prompt(t), "waited %lld ms",
		      (long long)((end - start) / MS));
		return;
	}
}

static int prep_output(struct load *l, int64_t deadline)
{
	return file_prep(l->f, l->out->handle, deadline);
}

static int prep_input(struct load *l, int64_t deadline)
{
	return file_prep(l->f, l->in->handle, deadline);
}

static int fini_output(struct load *l, int64_t unused)
{
	(void)unused;
	return file_fini(l->f, l->out->handle);
}

static void prep_busy_past_deadline_is_ebusy(struct test *t)
{
	const int64_t deadlines[] = { 0, 1, -1, INT64_MIN, now_ns() };

	for (size_t i = 0; i < sizeof(deadlines) / sizeof(deadlines[0]); i++)
		check_prompt(t, prep_output, deadlines[i], -EBUSY);
}

/* A short time, taken for a point in time, is long past: no wait. */
static void prep_small_timeout_is_not_relative(struct test *t)
{
	if (now_ns() < 2 * job_timeout(t))
		test_skip(t, "the machine was started just now");
	else
		check_prompt(t, prep_output, job_timeout(t) * 4 / 5, -EBUSY);
}

/* The other direction: now and a little, taken for a length, would outlast the job. */
static void prep_busy_deadline_expires(struct test *t)
{
	int64_t wait = job_timeout(t) / 8;

	/* A loaded machine may wake us only after the job's own end; then try again. */
	for (int attempt = 0; attempt < 5; attempt++) {
		int64_t start, end;
		struct load l;
		int ret;

		REQUIRE(t, make_busy(&l, t), "no job");
		start = now_ns();
		ret = file_prep(l.f, l.out->handle, start + wait);
		end = now_ns();
		load_wait(&l, 5 * SECOND);
		if (ret != -ETIMEDOUT && end - start > prompt(t) && attempt < 4)
			continue;
		CHECK(t, ret == -ETIMEDOUT, "%s after %lld ms", strerror(-ret),
		      (long long)((end - start) / MS));
		CHECK(t, end - start >= wait, "after only %lld ms",
		      (long long)((end - start) / MS));
		return;
	}
}

static void prep_waits_for_completion(struct test *t)
{
	struct file *f = test_file(t);
	struct load l;
	int ret;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 64, LOAD_INTEGERS), "no job");
	REQUIRE(t, !load_submit(&l), "SUBMIT");
	ret = file_prep(f, l.out->handle, INT64_MAX);
	CHECK(t, !ret, "%s", strerror(-ret));
	CHECK(t, load_judge(&l, l.tasks), "returned before the job was done");
}

static void prep_of_an_input_waits_for_its_reader(struct test *t)
{
	check_prompt(t, prep_input, 0, -EBUSY);
}

static void prep_does_not_wait_for_other_jobs(struct test *t)
{
	struct file *f = test_file(t);
	struct load first, hung;
	int64_t start;
	int ret;

	REQUIRE(t, load_make(&first, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	REQUIRE(t, load_make(&hung, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	load_hang(&hung, 0);
	start = now_ns();
	REQUIRE(t, !load_submit(&first) && !load_submit(&hung), "SUBMIT");
	ret = load_wait(&first, 5 * SECOND);
	CHECK(t, !ret && load_judge(&first, 1), "first job: %s", strerror(-ret));
	ret = file_prep(f, hung.out->handle, 0);
	if (now_ns() - start < job_timeout(t) * 9 / 10)
		CHECK(t, ret == -EBUSY, "the second job is done as well: %s", strerror(-ret));
	load_wait(&hung, 5 * SECOND);
}

static void fini_busy_does_not_wait(struct test *t)
{
	check_prompt(t, fini_output, 0, 0);
}

/* ---- signals ---- */

static volatile sig_atomic_t signals_seen;

static void on_signal(int number)
{
	(void)number;
	signals_seen++;
}

/* Sends count signals to a thread, every ms apart. */
struct sender {
	pthread_t thread, target;
	int count, ms;
};

static void *send_signals(void *arg)
{
	struct sender *s = arg;
	const struct timespec pause = { .tv_nsec = s->ms * MS };

	for (int i = 0; i < s->count; i++) {
		nanosleep(&pause, NULL);
		pthread_kill(s->target, SIGALRM);
	}
	return NULL;
}

static bool sender_start(struct sender *s, int count, int ms)
{
	s->target = pthread_self();
	s->count = count;
	s->ms = ms;
	return !pthread_create(&s->thread, NULL, send_signals, s);
}

static void handle_alarm(int flags, struct sigaction *old)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = flags };

	signals_seen = 0;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGALRM, &sa, old);
}

/* One ioctl under signals; the result of a single call, not restarted here. */
static int prep_under_signals(struct test *t, const struct load *l, int flags, int count, int ms,
			      int64_t deadline)
{
	struct drm_rocket_prep_bo args = { .handle = l->out->handle, .timeout_ns = deadline };
	struct sigaction old;
	struct sender s;
	int ret = -EAGAIN;

	handle_alarm(flags, &old);
	if (CHECK(t, sender_start(&s, count, ms), "no thread")) {
		ret = file_ioctl(l->f, DRM_IOCTL_ROCKET_PREP_BO, &args);
		pthread_join(s.thread, NULL);
		CHECK(t, signals_seen > 0, "no signal arrived");
	}
	sigaction(SIGALRM, &old, NULL);
	return ret;
}

static bool job_ended(int ret)
{
	return !ret || ret == -EIO;
}

static void signal_interrupts_a_wait(struct test *t)
{
	struct load l;
	int ret;

	REQUIRE(t, make_busy(&l, t), "no job");
	ret = prep_under_signals(t, &l, 0, 1, (int)(job_timeout(t) / MS / 10),
				 now_ns() + 5 * SECOND);
	CHECK(t, ret == -EINTR || job_ended(ret), "%s", strerror(-ret));
	ret = load_wait(&l, 5 * SECOND); /* waiting again is all it takes */
	CHECK(t, job_ended(ret), "%s", strerror(-ret));
}

static void signal_with_restart_is_not_seen(struct test *t)
{
	struct load l;
	int ret;

	REQUIRE(t, make_busy(&l, t), "no job");
	ret = prep_under_signals(t, &l, SA_RESTART, 5, (int)(job_timeout(t) / MS / 12),
				 now_ns() + 5 * SECOND);
	/* The in-process device is no system call: restarting is its caller's. */
	if (ret == -EINTR && t->node->calls->in_process)
		ret = load_wait(&l, 5 * SECOND);
	CHECK(t, job_ended(ret), "%s", strerror(-ret));
}

/* A wait that a signal interrupts every 5 ms. Returns how long it took. */
static int64_t wait_under_a_storm(struct test *t, int64_t wait, int *ret)
{
	struct sigaction old;
	struct sender s;
	struct load l;
	int64_t start;

	*ret = -EAGAIN;
	if (!CHECK(t, make_busy(&l, t), "no job"))
		return 0;
	handle_alarm(0, &old);
	start = now_ns();
	if (CHECK(t, sender_start(&s, (int)(2 * wait / MS / 5), 5), "no thread")) {
		*ret = file_prep(l.f, l.out->handle, start + wait);
		start = now_ns() - start;
		pthread_join(s.thread, NULL);
	}
	sigaction(SIGALRM, &old, NULL);
	load_wait(&l, 5 * SECOND);
	return start;
}

/* Restarted with the same absolute deadline a wait does not grow. */
static void signals_do_not_move_the_deadline(struct test *t)
{
	int64_t wait = job_timeout(t) * 3 / 10;

	/* As above: only a loaded machine needs a second attempt. */
	for (int attempt = 0; attempt < 5 && !test_failed(t); attempt++) {
		int ret;
		int64_t took = wait_under_a_storm(t, wait, &ret);

		if (took > job_timeout(t) * 9 / 10 && attempt < 4)
			continue;
		/* EBUSY: the last signal came as the deadline passed. */
		CHECK(t, ret == -ETIMEDOUT || ret == -EBUSY, "%s after %lld ms", strerror(-ret),
		      (long long)(took / MS));
		CHECK(t, took >= wait, "after only %lld ms", (long long)(took / MS));
		return;
	}
}

/* ---- threads ---- */

struct waiter {
	pthread_t thread;
	const struct load *load;
	int ret;
};

static void *wait_far(void *arg)
{
	struct waiter *w = arg;

	w->ret = file_prep(w->load->f, w->load->out->handle, now_ns() + 10 * SECOND);
	return NULL;
}

/* Several threads wait for one job; all see one result, which is returned. */
static int wait_together(struct test *t, const struct load *l)
{
	struct waiter w[4];
	unsigned n = 0;

	for (; n < 4; n++) {
		w[n] = (struct waiter){ .load = l };
		if (!CHECK(t, !pthread_create(&w[n].thread, NULL, wait_far, &w[n]), "no thread"))
			break;
	}
	for (unsigned i = 0; i < n; i++)
		pthread_join(w[i].thread, NULL);
	for (unsigned i = 1; i < n; i++)
		CHECK(t, w[i].ret == w[0].ret, "thread %u: %s, thread 0: %s", i,
		      strerror(-w[i].ret), strerror(-w[0].ret));
	return n ? w[0].ret : -EAGAIN;
}

static void threads_wait_for_one_buffer(struct test *t)
{
	struct file *f = test_file(t);
	struct load l;
	int ret;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 64, LOAD_INTEGERS), "no job");
	for (int i = 0; i < 10; i++) {
		load_stamp(&l);
		REQUIRE(t, !load_submit(&l), "SUBMIT");
		ret = wait_together(t, &l);
		REQUIRE(t, !ret, "%s", strerror(-ret));
		REQUIRE(t, load_judge(&l, l.tasks), "wrong result");
	}
}

static void threads_all_see_a_job_fail(struct test *t)
{
	struct load l;
	int ret;

	REQUIRE(t, make_busy(&l, t), "no job");
	ret = wait_together(t, &l);
	CHECK(t, ret == -EIO, "%s", strerror(-ret));
}

static const struct test_case cases[] = {
	{ .name = "prep_idle_any_deadline", .run = prep_idle_any_deadline },
	{ .name = "fini_idle", .run = fini_idle },
	{ .name = "prep_reserved_refused", .run = prep_reserved_refused },
	{ .name = "fini_reserved_refused", .run = fini_reserved_refused },
	{ .name = "prep_and_fini_unknown_handle", .run = prep_and_fini_unknown_handle },
	{ .name = "prep_busy_past_deadline_is_ebusy",
	  .log = KLOG_TIMEOUT,
	  .run = prep_busy_past_deadline_is_ebusy },
	{ .name = "prep_small_timeout_is_not_relative",
	  .log = KLOG_TIMEOUT,
	  .run = prep_small_timeout_is_not_relative },
	{ .name = "prep_busy_deadline_expires",
	  .log = KLOG_TIMEOUT,
	  .run = prep_busy_deadline_expires },
	{ .name = "prep_waits_for_completion", .run = prep_waits_for_completion },
	{ .name = "prep_of_an_input_waits_for_its_reader",
	  .log = KLOG_TIMEOUT,
	  .run = prep_of_an_input_waits_for_its_reader,
	  .expects = EXPECT_READ_FENCES },
	{ .name = "prep_does_not_wait_for_other_jobs",
	  .log = KLOG_TIMEOUT,
	  .run = prep_does_not_wait_for_other_jobs },
	{ .name = "fini_busy_does_not_wait", .log = KLOG_TIMEOUT, .run = fini_busy_does_not_wait },
	{ .name = "signal_interrupts_a_wait",
	  .log = KLOG_TIMEOUT,
	  .run = signal_interrupts_a_wait },
	{ .name = "signal_with_restart_is_not_seen",
	  .log = KLOG_TIMEOUT,
	  .run = signal_with_restart_is_not_seen },
	{ .name = "signals_do_not_move_the_deadline",
	  .log = KLOG_TIMEOUT,
	  .run = signals_do_not_move_the_deadline },
	{ .name = "threads_wait_for_one_buffer", .run = threads_wait_for_one_buffer },
	{ .name = "threads_all_see_a_job_fail",
	  .log = KLOG_TIMEOUT,
	  .run = threads_all_see_a_job_fail,
	  .expects = EXPECT_JOB_ERRORS },
};

struct test_table wait_cases(void)
{
	return TEST_TABLE(cases);
}

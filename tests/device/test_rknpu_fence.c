// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_rknpu_fence.c - SUBMITs of the rknpu provider that return at once, and how they end. */
#include "fenced_kit.h"
#include "lib/core/device.h"
#include "lib/core/status.h"

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

/* ---- fds and buffers ---- */

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
		T(fence_alone_is_no_evidence),
		T(job_that_is_wrong_is_refused_as_ever),
		T(fences_stay_with_the_process),
		T(buffer_is_freed_when_its_job_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

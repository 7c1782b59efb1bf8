// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_rknpu_hang.c - SUBMITs of the rknpu provider that returned at once, and that do not end. */
#include "fenced_kit.h"

/* ---- as on a board ---- */

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

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(hung_job_is_told_with_its_buffers_and_leaves_the_device_usable),
		T(cores_that_all_hang_are_all_freed),
		T(core_that_is_not_there_is_named_no_more),
		T(job_whose_fence_is_lost_is_never_taken_for_done),
		T(waiters_of_one_job_have_times_of_their_own),
		T(model_is_asked_and_not_the_clock),
		T(simulated_job_that_hangs_is_given_up_by_its_watchdog),
		T(simulated_device_with_a_job_that_hangs_is_closed_in_time),
		T(close_with_jobs_pending_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

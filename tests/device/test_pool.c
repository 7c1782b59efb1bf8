// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_pool.c - worker threads that stay. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "lib/core/pool.h"
#include "support.h"

struct work {
	atomic_uint done[ROCKET_POOL_MAX];
	int result[ROCKET_POOL_MAX];
	int base[ROCKET_POOL_MAX];
	pthread_t thread[ROCKET_POOL_MAX];
};

static int do_item(void *arg, unsigned i)
{
	struct work *w = arg;

	w->base[i] = rocket_affinity_get_base();
	w->thread[i] = pthread_self();
	atomic_fetch_add(&w->done[i], 1);
	return w->result[i];
}

static void every_item_runs_once(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= ROCKET_POOL_MAX; n++) {
		struct work w = { 0 };

		assert_int_equal(rocket_pool_run(n, do_item, &w), 0);
		for (unsigned i = 0; i < ROCKET_POOL_MAX; i++)
			assert_int_equal(atomic_load(&w.done[i]), i < n);
	}
	rocket_pool_shutdown();
	assert_int_equal(rocket_pool_threads(), 0);
}

static void threads_stay_for_the_next_call(void **state)
{
	unsigned threads = test_count_threads();

	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		struct work w = { 0 };

		assert_int_equal(rocket_pool_run(4, do_item, &w), 0);
		assert_int_equal(rocket_pool_threads(), 4);
		for (unsigned k = 0; k < 4; k++)
			assert_false(pthread_equal(w.thread[k], pthread_self()));
	}
	assert_true(test_threads_are(threads + 4));
	rocket_pool_shutdown();
	assert_true(test_threads_are(threads));
}

static void result_is_that_of_the_last_failure(void **state)
{
	struct work w = { .result = { 0, -1, 0, -3, 0 } };

	(void)state;
	assert_int_equal(rocket_pool_run(5, do_item, &w), -3);
	w.result[3] = 0;
	assert_int_equal(rocket_pool_run(5, do_item, &w), -1);
}

static void number_of_items_is_checked(void **state)
{
	struct work w = { 0 };

	(void)state;
	assert_int_equal(rocket_pool_run(0, do_item, &w), 0);
	assert_int_equal(rocket_pool_run(ROCKET_POOL_MAX + 1, do_item, &w), ROCKET_E_SHAPE);
	assert_int_equal(atomic_load(&w.done[0]), 0);
}

static void base_is_inherited(void **state)
{
	struct work w = { 0 };

	(void)state;
	rocket_affinity_set_base(2);
	assert_int_equal(rocket_pool_run(3, do_item, &w), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(w.base[i], 2);
	rocket_affinity_set_base(0);
}

static void *call_often(void *ok)
{
	for (unsigned i = 0; i < 200; i++) {
		struct work w = { 0 };

		if (rocket_pool_run(1 + i % 8, do_item, &w) || atomic_load(&w.done[i % 8]) != 1)
			return NULL;
	}
	atomic_store((atomic_bool *)ok, true);
	return NULL;
}

static void callers_may_come_at_once(void **state)
{
	pthread_t threads[4];
	atomic_bool ok[4] = { 0 };

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, call_often, &ok[i]), 0);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < 4; i++)
		assert_true(atomic_load(&ok[i]));
}

static void child_has_a_pool_of_its_own(void **state)
{
	struct work w = { 0 };
	int status;
	pid_t child;

	(void)state;
	assert_int_equal(rocket_pool_run(3, do_item, &w), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(rocket_pool_threads() != 0 ||
		      (test_child_may_start_threads() && rocket_pool_run(3, do_item, &w) != 0));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(rocket_pool_run(3, do_item, &w), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_item_runs_once),
		cmocka_unit_test(threads_stay_for_the_next_call),
		cmocka_unit_test(result_is_that_of_the_last_failure),
		cmocka_unit_test(number_of_items_is_checked),
		cmocka_unit_test(base_is_inherited),
		cmocka_unit_test(callers_may_come_at_once),
		cmocka_unit_test(child_has_a_pool_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

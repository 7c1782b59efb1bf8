// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_threads.c - matmuls from several threads at once. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "reference.h"

#define THREADS 4
#define ROUNDS  6

struct job {
	int index, fd, failed; /* fd < 0: the split entry, which opens its own */
};

/* Sums of small integers are exact, whatever the tiling. Returns 1 when all are right. */
static int multiply_and_check(struct test_rng *rng, int fd)
{
	int M = 4 * test_random_in(rng, 3, 12), K = 32 * test_random_in(rng, 1, 8);
	int N = 16 * test_random_in(rng, 1, 8), ok = 1;
	_Float16 *a = test_halves(rng, (size_t)M * K, TEST_FILL_SMALL_INTEGERS);
	_Float16 *b = test_halves(rng, (size_t)N * K, TEST_FILL_SMALL_INTEGERS);
	_Float16 *c = calloc((size_t)M * N, sizeof(*c));

	ok = fd < 0 ? !rocket_matmul_fp16_mt(M, K, N, a, b, c, 3)
		    : !rocket_matmul_fp16(fd, M, K, N, a, b, c);
	for (int m = 0; m < M && ok; m++)
		for (int n = 0; n < N && ok; n++) {
			double mag;

			ok = (double)c[(size_t)m * N + n] ==
			     reference_double(K, a + (size_t)m * K, b + (size_t)n * K, &mag);
		}
	free(a);
	free(b);
	free(c);
	return ok;
}

static void *work(void *arg)
{
	struct job *job = arg;
	struct test_rng rng = { 1000 + (uint64_t)job->index };

	for (int i = 0; i < ROUNDS; i++)
		job->failed |= !multiply_and_check(&rng, job->fd);
	return NULL;
}

/* With an fd of its own each time. */
static void *open_and_work(void *arg)
{
	struct job *job = arg;
	struct test_rng rng = { 2000 + (uint64_t)job->index };

	for (int i = 0; i < ROUNDS; i++) {
		int fd = rocket_open();

		for (int j = 0; j < 4; j++)
			job->failed |= fd < 0 || !multiply_and_check(&rng, fd);
		rocket_close(fd);
	}
	return NULL;
}

/* One thread per entry, all at once. */
static void run_threads_in(void *(*body)(void *), const int fds[THREADS])
{
	pthread_t threads[THREADS];
	struct job jobs[THREADS];

	for (int i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){ i, fds[i], 0 };
		assert_int_equal(pthread_create(&threads[i], NULL, body, &jobs[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(jobs[i].failed, 0);
}

static void run_threads(const int fds[THREADS])
{
	run_threads_in(work, fds);
}

static void threads_on_their_own_fds_get_their_own_results(void **state)
{
	int fds[THREADS];

	(void)state;
	for (int i = 0; i < THREADS; i++)
		fds[i] = test_open("ROCKET_MM_KT=64");
	run_threads(fds);
	for (int i = 0; i < THREADS; i++)
		rocket_close(fds[i]);
}

static void threads_that_each_split_a_matmul_get_their_own_results(void **state)
{
	static const int fds[THREADS] = { -1, -1, -1, -1 };

	(void)state;
	rocket_close(test_open(""));
	run_threads(fds);
}

static void split_and_single_calls_run_beside_each_other(void **state)
{
	int fds[THREADS] = { test_open(""), -1, test_open(""), -1 };

	(void)state;
	run_threads(fds);
	rocket_close(fds[0]);
	rocket_close(fds[2]);
}

/* What all may keep has room for a few sets: calls free those of each other's fds. */
static void threads_that_take_room_from_each_other_get_their_own_results(void **state)
{
	int fds[THREADS];

	(void)state;
	for (int i = 0; i < THREADS; i++)
		fds[i] = test_open("ROCKET_KEEP_MIB=1");
	for (int i = 0; i < 3; i++)
		run_threads(fds);
	run_threads_in(open_and_work, fds);
	for (int i = 0; i < THREADS; i++)
		rocket_close(fds[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_on_their_own_fds_get_their_own_results),
		cmocka_unit_test(threads_that_each_split_a_matmul_get_their_own_results),
		cmocka_unit_test(split_and_single_calls_run_beside_each_other),
		cmocka_unit_test(threads_that_take_room_from_each_other_get_their_own_results),
	};

	return test_run_group("threads", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

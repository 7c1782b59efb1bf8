// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_batch.c - several fp16 products of one shape, on the simulated NPU. */
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "device.h"
#include "inject.h"
#include "lib/ops/matmul_stats.h"
#include "reference.h"

#define ITEMS_MAX 63

struct batch {
	struct test_shape s;
	int count;
	_Float16 *a[ITEMS_MAX], *b[ITEMS_MAX], *c[ITEMS_MAX];
};

static struct batch begin(struct test_rng *rng, struct test_shape s, int count)
{
	struct batch t = { .s = s, .count = count };

	for (int i = 0; i < count; i++) {
		t.a[i] = test_halves(rng, (size_t)s.M * s.K, TEST_FILL_UNIFORM);
		t.b[i] = test_halves(rng, (size_t)s.N * s.K, TEST_FILL_UNIFORM);
		t.c[i] = malloc((size_t)s.M * s.N * sizeof(_Float16));
		assert_non_null(t.c[i]);
		memset(t.c[i], 0xff, (size_t)s.M * s.N * sizeof(_Float16));
	}
	return t;
}

static void end(struct batch *t)
{
	for (int i = 0; i < t->count; i++) {
		free(t->a[i]);
		free(t->b[i]);
		free(t->c[i]);
	}
}

#define LISTS(t)                                                                                   \
	(const _Float16 *const *)(t)->a, (const _Float16 *const *)(t)->b, (_Float16 *const *)(t)->c

static int run_on(int fd, struct batch *t)
{
	return rocket_matmul_fp16_batch(fd, t->s.M, t->s.K, t->s.N, t->count, LISTS(t));
}

static int run_with(rocket_mm_batch *b, struct batch *t)
{
	return rocket_mm_batch_run(b, t->s.M, t->s.K, t->s.N, t->count, LISTS(t));
}

/* Partials of kt, rounded to fp16, added on the host. */
static void require_host_sums(const struct batch *t, int kt)
{
	for (int i = 0; i < t->count; i++) {
		struct reference_fp16 *ref =
			reference_fp16_create(t->s.M, t->s.K, t->s.N, t->a[i], t->b[i]);

		for (int m = 0; m < t->s.M; m++)
			for (int n = 0; n < t->s.N; n++) {
				_Float16 got = t->c[i][(size_t)m * t->s.N + n];
				_Float16 want = reference_host_sum(ref, m, n, kt);

				if (memcmp(&got, &want, sizeof(got)))
					fail_msg("%dx%dx%d item %d: C[%d][%d] is %a, not %a",
						 t->s.M, t->s.K, t->s.N, i, m, n, (double)got,
						 (double)want);
			}
		reference_fp16_free(ref);
	}
}

static struct test_shape some_shape(struct test_rng *rng)
{
	struct test_shape s = test_random_shape(rng, 32, 16);

	if (s.M == 1)
		s.M = 8;
	return s;
}

static void items_are_summed_as_documented(void **state)
{
	static const char *const envs[] = { "", "ROCKET_MM_KT=64 ROCKET_MM_MT=16",
					    "ROCKET_BATCH_SUBMIT=1 ROCKET_MM_NT=32",
					    "ROCKET_REUSE=2 ROCKET_MM_KT=96" };
	struct test_rng rng = { 400 };

	(void)state;
	for (unsigned e = 0; e < sizeof(envs) / sizeof(envs[0]); e++) {
		int fd = test_open(envs[e]);

		for (int i = 0; i < 8; i++) {
			struct batch t = begin(&rng, some_shape(&rng), test_random_in(&rng, 2, 5));
			struct rocket_matmul_stats stats;

			assert_int_equal(run_on(fd, &t), ROCKET_OK);
			rocket_matmul_last_stats(&stats);
			assert_int_equal(stats.device_accumulates, 0);
			require_host_sums(&t, stats.kt);
			end(&t);
		}
		rocket_close(fd);
	}
}

/* 63 items of 3 tasks: jobs end inside items, and the last is short. */
static void tasks_of_all_items_share_jobs(void **state)
{
	static const char *const envs[] = { "ROCKET_MM_KT=96 ROCKET_BATCH_SUBMIT=0",
					    "ROCKET_MM_KT=96 ROCKET_BATCH_SUBMIT=1" };
	struct test_rng rng = { 410 };

	(void)state;
	for (unsigned e = 0; e < 2; e++) {
		int fd = test_open(envs[e]);
		struct batch t = begin(&rng, (struct test_shape){ 4, 288, 16 }, 63);
		struct rocket_matmul_stats stats;

		assert_int_equal(run_on(fd, &t), ROCKET_OK);
		rocket_matmul_last_stats(&stats);
		assert_int_equal(stats.tasks, 3 * 63);
		assert_int_equal(stats.submits, 3);
		assert_int_equal(stats.kicks, e ? 3 : 3 * 63);
		require_host_sums(&t, 96);
		end(&t);
		rocket_close(fd);
	}
}

/* Whichever of the jobs fails, also while the one before is being waited for. */
static void pipelined_jobs_fail_one_by_one(void **state)
{
	struct test_rng rng = { 415 };
	struct batch t = begin(&rng, (struct test_shape){ 4, 288, 16 }, 63);

	(void)state;
	for (unsigned n = 0; n <= 3; n++) {
		int fd = test_open("ROCKET_MM_KT=96 ROCKET_MM_PIPE=1"), ret, fired;

		test_log_start();
		inject_start(INJECT_FAULT, n);
		ret = run_on(fd, &t);
		fired = inject_stop();
		assert_int_equal(fired, n < 3);
		assert_int_equal(ret, fired ? ROCKET_E_DEVICE : ROCKET_OK);
		assert_int_equal(test_log_errors(), fired);
		assert_int_equal(run_on(fd, &t), ROCKET_OK);
		require_host_sums(&t, 96);
		rocket_close(fd);
	}
	end(&t);
}

static void batch_gives_what_the_exact_one_shot_gives(void **state)
{
	struct test_rng rng = { 420 };
	int fd = test_open(""), exact = test_open("ROCKET_KACC=0");

	(void)state;
	for (int i = 0; i < 10; i++) {
		struct batch t = begin(&rng, some_shape(&rng), 3);
		const size_t bytes = (size_t)t.s.M * t.s.N * sizeof(_Float16);
		_Float16 *want = malloc(bytes);

		assert_int_equal(run_on(fd, &t), ROCKET_OK);
		for (int k = 0; k < t.count; k++) {
			assert_int_equal(rocket_matmul_fp16(exact, t.s.M, t.s.K, t.s.N, t.a[k],
							    t.b[k], want),
					 ROCKET_OK);
			assert_memory_equal(t.c[k], want, bytes);
		}
		free(want);
		end(&t);
	}
	rocket_close(exact);
	rocket_close(fd);
}

static void batch_of_one_is_the_one_shot(void **state)
{
	static const struct test_shape shapes[] = { { 1, 64, 32 }, { 16, 2048, 48 } };
	struct test_rng rng = { 430 };
	int fd = test_open("ROCKET_MM_KT=512");

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct batch t = begin(&rng, shapes[i], 1);
		const size_t bytes = (size_t)t.s.M * t.s.N * sizeof(_Float16);
		_Float16 *want = malloc(bytes);

		assert_int_equal(run_on(fd, &t), ROCKET_OK);
		assert_int_equal(rocket_matmul_fp16(fd, t.s.M, t.s.K, t.s.N, t.a[0], t.b[0], want),
				 ROCKET_OK);
		assert_memory_equal(t.c[0], want, bytes);
		free(want);
		end(&t);
	}
	rocket_close(fd);
}

static void items_may_share_operands(void **state)
{
	struct test_rng rng = { 440 };
	struct batch t = begin(&rng, (struct test_shape){ 8, 64, 32 }, 4);
	_Float16 *a = t.a[1], *b = t.b[2];
	int fd = test_open("");

	(void)state;
	t.a[1] = t.a[0];
	t.b[2] = t.b[3];
	assert_int_equal(run_on(fd, &t), ROCKET_OK);
	require_host_sums(&t, 64);
	t.a[1] = a;
	t.b[2] = b;
	end(&t);
	rocket_close(fd);
}

/* The buffers of a layout are there for its next run; another layout is served as well. */
static void persistent_batch_keeps_its_buffers(void **state)
{
	static const struct {
		struct test_shape s;
		int count;
	} layouts[] = { { { 16, 256, 64 }, 3 }, { { 16, 256, 64 }, 1 }, { { 4, 32, 16 }, 7 } };
	int before = inject_live_buffers(), fd = test_open("ROCKET_MM_KT=128");
	struct test_rng rng = { 450 };
	rocket_mm_batch *b = rocket_mm_batch_create(fd);

	(void)state;
	assert_non_null(b);
	for (unsigned i = 0; i < 6; i++) {
		struct batch t = begin(&rng, layouts[i % 3].s, layouts[i % 3].count);
		int buffers;

		assert_int_equal(run_with(b, &t), ROCKET_OK);
		if (t.count > 1)
			require_host_sums(&t, t.s.K < 128 ? t.s.K : 128);
		buffers = inject_live_buffers();
		inject_start(INJECT_MMAP, 0);
		for (int round = 0; round < 3; round++)
			assert_int_equal(run_with(b, &t), ROCKET_OK);
		assert_int_equal(inject_stop(), 0); /* nothing was mapped */
		assert_int_equal(inject_live_buffers(), buffers);
		end(&t);
	}
	rocket_mm_batch_free(b);
	/* The guard of the fd is all that is left. */
	assert_int_equal(inject_live_buffers(), before + 1);
	rocket_mm_batch_free(NULL);
	rocket_close(fd);
}

/* Beyond what an fd may keep for its one-shot calls. */
static void persistent_batch_keeps_large_buffers(void **state)
{
	struct test_rng rng = { 455 };
	struct batch t = begin(&rng, (struct test_shape){ 4, 8192, 1024 }, 5);
	int fd = test_open("");
	rocket_mm_batch *b = rocket_mm_batch_create(fd);
	struct rocket_matmul_stats stats;
	int buffers;

	(void)state;
	assert_int_equal(run_with(b, &t), ROCKET_OK);
	rocket_matmul_last_stats(&stats);
	assert_true(stats.device_bytes > UINT64_C(64) << 20);
	buffers = inject_live_buffers();
	inject_start(INJECT_MMAP, 0);
	assert_int_equal(run_with(b, &t), ROCKET_OK);
	assert_int_equal(inject_stop(), 0);
	assert_int_equal(inject_live_buffers(), buffers);
	rocket_mm_batch_free(b);
	end(&t);
	rocket_close(fd);
}

static void bad_batches_are_refused_with_one_line(void **state)
{
	struct test_rng rng = { 460 };
	struct batch t = begin(&rng, (struct test_shape){ 8, 64, 32 }, 3);
	const _Float16 *no_a[3] = { t.a[0], NULL, t.a[2] };
	_Float16 *same_c[3] = { t.c[0], t.c[1], t.c[1] };
	_Float16 *late_c[3] = { t.c[0], t.c[1], t.a[0] };
	_Float16 *own_c[3] = { t.c[0], t.b[1], t.c[2] };
	const _Float16 *const *a = (const _Float16 *const *)t.a;
	const _Float16 *const *b = (const _Float16 *const *)t.b;
	_Float16 *const *c = t.c;
	const struct {
		int M, K, N, n;
		const _Float16 *const *a, *const *b;
		_Float16 *const *c;
		const char *reason;
	} rows[] = {
		{ 8, 64, 32, 0, a, b, c, "a batch of 0" },
		{ 8, 64, 32, -1, a, b, c, "a batch of -1" },
		{ 8, 64, 32, 3, NULL, b, c, "the list of A is NULL" },
		{ 8, 64, 32, 3, a, NULL, c, "the list of B is NULL" },
		{ 8, 64, 32, 3, a, b, NULL, "the list of C is NULL" },
		{ 8, 64, 32, 3, no_a, b, c, "item 1: A is NULL" },
		{ 8, 64, 32, 3, a, b, own_c, "item 1: C overlaps B" },
		{ 8, 64, 32, 3, a, b, same_c, "C of item 1 overlaps a matrix of item 2" },
		{ 8, 64, 32, 3, a, b, late_c, "C of item 2 overlaps a matrix of item 0" },
		{ 1, 64, 32, 3, a, b, c, "M is not a multiple of 4" },
		{ 8, 48, 32, 3, a, b, c, "K is not a multiple of 32" },
		{ 8, 64, 24, 3, a, b, c, "N is not a multiple of 16" },
		{ 0, 64, 32, 3, a, b, c, "M is not in 1..2^24" },
	};
	int fd = test_open("");
	rocket_mm_batch *batch = rocket_mm_batch_create(fd);

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int kept = 0; kept < 2; kept++) {
			int ret;

			test_log_start();
			ret = kept ? rocket_mm_batch_run(batch, rows[i].M, rows[i].K, rows[i].N,
							 rows[i].n, rows[i].a, rows[i].b, rows[i].c)
				   : rocket_matmul_fp16_batch(fd, rows[i].M, rows[i].K, rows[i].N,
							      rows[i].n, rows[i].a, rows[i].b,
							      rows[i].c);
			test_require_refusal("batch", i, ret, ROCKET_E_SHAPE, rows[i].reason);
		}
	test_log_start();
	assert_int_equal(rocket_mm_batch_run(NULL, 8, 64, 32, 3, a, b, c), ROCKET_E_SHAPE);
	assert_int_equal(test_log_errors(), 1);
	assert_null(rocket_mm_batch_create(-1));
	assert_int_equal(test_log_errors(), 2);
	rocket_mm_batch_free(batch);
	end(&t);
	rocket_close(fd);
}

enum { MANY = 1 << 18, MANY_C = 4 * 16 };

struct many {
	const _Float16 *a[MANY], *b[MANY];
	_Float16 *c[MANY];
};

static void require_overlap(int fd, const struct many *t, const char *items)
{
	test_log_start();
	assert_int_equal(rocket_matmul_fp16_batch(fd, 4, 32, 16, MANY, t->a, t->b, t->c),
			 ROCKET_E_SHAPE);
	assert_int_equal(test_log_errors(), 1);
	assert_non_null(strstr(test_log_last(), items));
}

/* To compare every two of them would take minutes; a minute of work, and a signal ends the test. */
static void many_items_are_soon_compared(void **state)
{
	static const struct itimerval minute = { .it_value.tv_sec = 60 }, never;
	static const _Float16 a[4 * 32], b[16 * 32];
	_Float16 *results = calloc((size_t)MANY * MANY_C, sizeof(*results));
	_Float16 *last = results + (size_t)((MANY - 1) ^ 5) * MANY_C;
	struct many *t = malloc(sizeof(*t));
	int fd = test_open("");

	(void)state;
	assert_true(results && t);
	for (int i = 0; i < MANY; i++) {
		t->a[i] = a;
		t->b[i] = b;
		t->c[i] = results + (size_t)(i ^ 5) * MANY_C;
	}
	setitimer(ITIMER_VIRTUAL, &minute, NULL);
	t->c[MANY - 1] = last + 1;
	require_overlap(fd, t, "C of item 262143 overlaps a matrix of item 262142");
	t->c[MANY - 1] = last;
	t->a[9] = last + MANY_C - 1;
	require_overlap(fd, t, "C of item 262143 overlaps a matrix of item 9");
	t->a[9] = a;
	t->b[8] = last + MANY_C - 1;
	require_overlap(fd, t, "C of item 262143 overlaps a matrix of item 8");
	setitimer(ITIMER_VIRTUAL, &never, NULL);
	free(t);
	free(results);
	rocket_close(fd);
}

/* Its fd closed, and the number taken by the next device: nothing is run there. */
static void batch_of_a_closed_fd_is_refused(void **state)
{
	struct test_rng rng = { 470 };
	struct batch t = begin(&rng, (struct test_shape){ 8, 64, 32 }, 2);
	int before = inject_live_buffers(), maps = inject_live_maps();
	int fd = test_open("");
	rocket_mm_batch *b = rocket_mm_batch_create(fd);

	(void)state;
	assert_int_equal(run_with(b, &t), ROCKET_OK);
	rocket_close(fd);
	test_log_start();
	assert_int_equal(run_with(b, &t), ROCKET_E_SHAPE);
	assert_int_equal(test_log_errors(), 1);
	rocket_mm_batch_free(b);
	assert_int_equal(inject_live_maps(), maps);
	assert_true(inject_live_buffers() >= before);
	end(&t);
}

static void failing_batches_lose_nothing(void **state)
{
	static const enum inject_kind faults[] = { INJECT_ALLOC, INJECT_IOCTL, INJECT_MMAP,
						   INJECT_FAULT };
	struct test_rng rng = { 480 };
	struct batch t = begin(&rng, (struct test_shape){ 8, 128, 32 }, 3);

	(void)state;
	for (unsigned f = 0; f < sizeof(faults) / sizeof(faults[0]); f++)
		for (int kept = 0; kept < 2; kept++) {
			int ret = -1;

			for (unsigned n = 0; ret; n++) {
				int fd = test_open("ROCKET_MM_KT=64");
				int buffers = inject_live_buffers(), fired;
				rocket_mm_batch *b = NULL;

				test_log_start();
				inject_start(faults[f], n);
				if (kept)
					b = rocket_mm_batch_create(fd);
				ret = kept ? b ? run_with(b, &t) : ROCKET_E_NOMEM : run_on(fd, &t);
				fired = inject_stop();
				assert_int_equal(fired, ret != ROCKET_OK);
				if (ret) {
					assert_int_equal(test_log_errors(), 1);
					assert_int_equal(inject_live_buffers(), buffers);
				} else {
					require_host_sums(&t, 64);
				}
				rocket_mm_batch_free(b);
				rocket_close(fd);
				assert_true(n > 0 || ret);
			}
		}
	end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_are_summed_as_documented),
		cmocka_unit_test(tasks_of_all_items_share_jobs),
		cmocka_unit_test(pipelined_jobs_fail_one_by_one),
		cmocka_unit_test(batch_gives_what_the_exact_one_shot_gives),
		cmocka_unit_test(batch_of_one_is_the_one_shot),
		cmocka_unit_test(items_may_share_operands),
		cmocka_unit_test(persistent_batch_keeps_its_buffers),
		cmocka_unit_test(persistent_batch_keeps_large_buffers),
		cmocka_unit_test(bad_batches_are_refused_with_one_line),
		cmocka_unit_test(many_items_are_soon_compared),
		cmocka_unit_test(batch_of_a_closed_fd_is_refused),
		cmocka_unit_test(failing_batches_lose_nothing),
	};

	setenv("ROCKET_SIM_TIMEOUT_MS", "20", 1);
	return test_run_group("batch", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

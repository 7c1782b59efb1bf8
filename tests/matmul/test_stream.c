// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_stream.c - fp16 products whose weights stream through the NPU, on the simulated one. */
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "lib/ops/matmul_stats.h"
#include "reference.h"

static void run(int fd, struct test_fp16 *p, struct rocket_matmul_stats *stats)
{
	memset(p->c, 0xff, (size_t)p->s.M * p->s.N * sizeof(*p->c));
	assert_int_equal(rocket_matmul_fp16(fd, p->s.M, p->s.K, p->s.N, p->a, p->b, p->c),
			 ROCKET_OK);
	rocket_matmul_last_stats(stats);
}

/* Every row, and of the columns the first, the last and every step-th. */
static void require_order(const struct test_fp16 *p, const struct rocket_matmul_stats *stats,
			  int step)
{
	struct reference_fp16 *ref = reference_fp16_create(p->s.M, p->s.K, p->s.N, p->a, p->b);

	for (int m = 0; m < p->s.M; m++)
		for (int n = 0; n < p->s.N;
		     n = n + step < p->s.N || n == p->s.N - 1 ? n + step : p->s.N - 1) {
			_Float16 got = p->c[(size_t)m * p->s.N + n];
			_Float16 want = stats->device_accumulates
						? reference_device_sum(ref, m, n, stats->kt)
						: reference_host_sum(ref, m, n, stats->kt);

			if (memcmp(&got, &want, sizeof(got)))
				fail_msg("%dx%dx%d: C[%d][%d] is %a, not %a", p->s.M, p->s.K,
					 p->s.N, m, n, (double)got, (double)want);
		}
	reference_fp16_free(ref);
}

/* Tiles by hand: 256 rows leave room for 640 k of A in 10 banks, and 2 banks for one group of
 * 16 kernels of 2048 k. */
static const struct {
	struct test_shape s;
	unsigned tasks, whole_tasks;
	int mt, kt, nt, device, step;
} rows[] = {
	{ { 16, 4160, 512 }, 3, 16, 16, 2048, 512, 1, 7 },
	{ { 12, 96, 8208 }, 2, 33, 12, 96, 8192, 1, 31 },   /* more kernels than registers count */
	{ { 260, 704, 320 }, 4, 12, 256, 640, 320, 0, 13 }, /* a last tile of 4 rows */
	{ { 4, 2112, 1024 }, 2, 16, 4, 2048, 1024, 0, 9 },
	{ { 1, 96, 640 }, 1, 3, 4, 96, 640, 1, 1 },
	{ { 268, 1280, 272 }, 4, 18, 256, 640, 272, 1, 17 },
};
#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static void streamed_products_follow_the_documented_order(void **state)
{
	static const char *const envs[] = { "", "ROCKET_KACC_CHAIN=2", "ROCKET_REUSE=1",
					    "ROCKET_REUSE=0 ROCKET_BATCH_SUBMIT=1" };
	struct test_rng rng = { 500 };

	(void)state;
	for (unsigned i = 0; i < N_ROWS; i++) {
		struct test_fp16 p = test_fp16_begin(&rng, rows[i].s, TEST_FILL_UNIFORM);

		for (unsigned e = 0; e < sizeof(envs) / sizeof(envs[0]); e++) {
			struct rocket_matmul_stats stats;
			int fd = test_open(envs[e]);

			run(fd, &p, &stats);
			if (stats.tasks != rows[i].tasks || stats.mt != rows[i].mt ||
			    stats.kt != rows[i].kt || stats.nt != rows[i].nt ||
			    stats.device_accumulates != rows[i].device)
				fail_msg("row %u: %u tasks of %d x %d x %d, on the %s", i,
					 stats.tasks, stats.mt, stats.kt, stats.nt,
					 stats.device_accumulates ? "NPU" : "host");
			require_order(&p, &stats, rows[i].step);
			rocket_close(fd);
		}
		test_fp16_end(&p);
	}
}

/* ---- where the host adds ---- */

static void require_halves(const struct test_fp16 *p, const struct reference_fp16 *ref,
			   const _Float16 *c, int kt, int step, const char *what)
{
	for (int m = 0; m < p->s.M; m++)
		for (int n = m % step; n < p->s.N; n += step) {
			_Float16 want = reference_host_sum(ref, m, n, kt);

			if (memcmp(&c[(size_t)m * p->s.N + n], &want, sizeof(want)))
				fail_msg("%s %dx%dx%d: C[%d][%d] is %a, not %a", what, p->s.M,
					 p->s.K, p->s.N, m, n, (double)c[(size_t)m * p->s.N + n],
					 (double)want);
		}
}

static void require_floats(const struct test_fp16 *p, const struct reference_fp16 *ref,
			   const float *c, int kt, int step)
{
	for (int m = 0; m < p->s.M; m++)
		for (int n = m % step; n < p->s.N; n += step) {
			float want = reference_f32out_sum(ref, m, n, kt);

			if (memcmp(&c[(size_t)m * p->s.N + n], &want, sizeof(want)))
				fail_msg("fp32 %dx%dx%d: C[%d][%d] is %a, not %a", p->s.M, p->s.K,
					 p->s.N, m, n, (double)c[(size_t)m * p->s.N + n],
					 (double)want);
		}
}

static void require_tiles(unsigned row, unsigned products)
{
	struct rocket_matmul_stats stats;

	rocket_matmul_last_stats(&stats);
	if (stats.tasks != products * rows[row].tasks || stats.mt != rows[row].mt ||
	    stats.kt != rows[row].kt || stats.nt != rows[row].nt || stats.device_accumulates)
		fail_msg("row %u: %u tasks of %d x %d x %d, on the %s", row, stats.tasks, stats.mt,
			 stats.kt, stats.nt, stats.device_accumulates ? "NPU" : "host");
}

/* fp32 results, batches, and fp16 with the host's sums: the same tiles. */
static void results_that_the_host_adds_stream_too(void **state)
{
	static const char *const envs[] = { "ROCKET_KACC=0", "ROCKET_KACC=0 ROCKET_REUSE=2",
					    "ROCKET_KACC=0 ROCKET_MM_PIPE=1" };
	struct test_rng rng = { 540 };

	(void)state;
	for (unsigned i = 0; i < N_ROWS; i++) {
		struct test_fp16 p = test_fp16_begin(&rng, rows[i].s, TEST_FILL_UNIFORM);
		const int M = p.s.M, K = p.s.K, N = p.s.N, step = rows[i].step;
		struct reference_fp16 *ref = reference_fp16_create(M, K, N, p.a, p.b);
		float *wide = malloc((size_t)M * N * sizeof(*wide));
		_Float16 *other = malloc((size_t)M * N * sizeof(*other));
		const _Float16 *const a[2] = { p.a, p.a }, *const b[2] = { p.b, p.b };
		_Float16 *const c[2] = { p.c, other };

		for (unsigned e = 0; e < sizeof(envs) / sizeof(envs[0]); e++) {
			int fd = test_open(envs[e]);

			memset(p.c, 0xff, (size_t)M * N * sizeof(*p.c));
			assert_int_equal(rocket_matmul_fp16(fd, M, K, N, p.a, p.b, p.c), ROCKET_OK);
			require_tiles(i, 1);
			require_halves(&p, ref, p.c, rows[i].kt, step, envs[e]);
			memset(wide, 0xff, (size_t)M * N * sizeof(*wide));
			assert_int_equal(rocket_matmul_fp16_f32out(fd, M, K, N, p.a, p.b, wide),
					 ROCKET_OK);
			require_tiles(i, 1);
			require_floats(&p, ref, wide, rows[i].kt, step);
			rocket_close(fd);
		}
		if (M > 1) {
			int fd = test_open("");

			memset(p.c, 0xff, (size_t)M * N * sizeof(*p.c));
			memset(other, 0xff, (size_t)M * N * sizeof(*other));
			assert_int_equal(rocket_matmul_fp16_batch(fd, M, K, N, 2, a, b, c),
					 ROCKET_OK);
			require_tiles(i, 2);
			require_halves(&p, ref, p.c, rows[i].kt, step, "batch");
			assert_memory_equal(p.c, other, (size_t)M * N * sizeof(*other));
			rocket_close(fd);
		}
		reference_fp16_free(ref);
		free(wide);
		free(other);
		test_fp16_end(&p);
	}
}

/* A board has to be asked: whole tiles, whatever adds them up. */
static void whole_tiles_unless_asked(void **state)
{
	static const char *const asked[] = { "ROCKET_MM_STREAM=0", "ROCKET_MM_NT=256",
					     "ROCKET_MM_KT=640", "ROCKET_MM_MT=256" };
	struct test_rng rng = { 550 };
	struct test_fp16 p =
		test_fp16_begin(&rng, (struct test_shape){ 16, 64, 640 }, TEST_FILL_SMALL_INTEGERS);
	float *wide = malloc((size_t)16 * 640 * sizeof(*wide));

	(void)state;
	for (unsigned e = 0; e < sizeof(asked) / sizeof(asked[0]); e++) {
		struct rocket_matmul_stats stats;
		int fd = test_open(asked[e]);

		run(fd, &p, &stats);
		assert_int_equal(stats.tasks, 3);
		assert_int_equal(rocket_matmul_fp16_f32out(fd, 16, 64, 640, p.a, p.b, wide),
				 ROCKET_OK);
		rocket_matmul_last_stats(&stats);
		assert_int_equal(stats.tasks, 3);
		rocket_close(fd);
	}
	free(wide);
	test_fp16_end(&p);
}

static void switch_gives_whole_tiles(void **state)
{
	struct test_rng rng = { 510 };

	(void)state;
	for (unsigned i = 0; i < N_ROWS; i++) {
		struct test_fp16 p = test_fp16_begin(&rng, rows[i].s, TEST_FILL_UNIFORM);
		struct rocket_matmul_stats stats;
		int fd = test_open("ROCKET_MM_STREAM=0");

		run(fd, &p, &stats);
		assert_int_equal(stats.tasks, rows[i].whole_tasks);
		require_order(&p, &stats, 101);
		test_fp16_end(&p);
		rocket_close(fd);
	}
}

/* Sums that fp16 holds: the same bits whatever the tiles. */
static void both_plans_give_the_same_integers(void **state)
{
	struct test_rng rng = { 520 };
	int streamed = test_open("ROCKET_MM_STREAM=1"), whole = test_open("ROCKET_MM_STREAM=0");

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct test_shape s = { 4 * test_random_in(&rng, 3, 70), 512,
					16 * test_random_in(&rng, 20, 60) };
		struct test_fp16 p = test_fp16_begin(&rng, s, TEST_FILL_SMALL_INTEGERS);
		const size_t bytes = (size_t)s.M * s.N * sizeof(*p.c);
		_Float16 *want = malloc(bytes);
		struct rocket_matmul_stats few, many;

		run(whole, &p, &many);
		memcpy(want, p.c, bytes);
		run(streamed, &p, &few);
		assert_true(few.tasks < many.tasks);
		assert_memory_equal(p.c, want, bytes);
		free(want);
		test_fp16_end(&p);
	}
	rocket_close(whole);
	rocket_close(streamed);
}

/* The figure of the published plan: 12 tasks where whole tiles take 512. */
static void preview_names_the_twelve_tasks(void **state)
{
	int mt, kt, nt;

	(void)state;
	rocket_close(test_open(""));
	assert_int_equal(rocket_matmul_plan(512, 3840, 4096, &mt, &kt, &nt), 12);
	assert_true(mt == 256 && kt == 640 && nt == 4096);
	rocket_close(test_open("ROCKET_MM_STREAM=0"));
	assert_int_equal(rocket_matmul_plan(512, 3840, 4096, &mt, &kt, &nt), 512);
	rocket_close(test_open("ROCKET_KACC=0"));
	assert_int_equal(rocket_matmul_plan(512, 3840, 4096, &mt, &kt, &nt), 12);
	rocket_close(test_open("ROCKET_MM_ASYM=0 ROCKET_MM_STREAM=0"));
	assert_int_equal(rocket_matmul_plan(512, 3840, 4096, &mt, &kt, &nt), 320);
	/* A board has to be asked for it. */
	setenv("ROCKET_DEVICE", "/dev/accel/accel0", 1);
	unsetenv("ROCKET_MM_STREAM");
	unsetenv("ROCKET_MM_ASYM");
	assert_int_equal(rocket_matmul_plan(512, 3840, 4096, &mt, &kt, &nt), 512);
	setenv("ROCKET_MM_STREAM", "1", 1);
	assert_int_equal(rocket_matmul_plan(512, 3840, 4096, &mt, &kt, &nt), 12);
	unsetenv("ROCKET_MM_STREAM");
}

/* Weights of many streamed tiles serve another number of rows. */
static void resident_weights_stream(void **state)
{
	struct test_rng rng = { 530 };
	struct test_fp16 p =
		test_fp16_begin(&rng, (struct test_shape){ 516, 704, 400 }, TEST_FILL_UNIFORM);
	struct rocket_matmul_stats stats;
	rocket_weights *w;
	rocket_ctx *ctx;

	(void)state;
	rocket_close(test_open(""));
	ctx = rocket_ctx_create(1);
	w = rocket_weights_pack(ctx, 256, 704, 400, p.b);
	assert_non_null(w);
	for (p.s.M = 256; p.s.M <= 516; p.s.M += 260) {
		assert_int_equal(rocket_matmul_fp16_prepacked(ctx, p.s.M, 704, 400, p.a, p.c, w),
				 ROCKET_OK);
		rocket_matmul_last_stats(&stats);
		assert_true(stats.kt == 640 && stats.nt == 400);
		require_order(&p, &stats, 37);
	}
	rocket_weights_free(ctx, w);
	rocket_ctx_free(ctx);
	test_fp16_end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streamed_products_follow_the_documented_order),
		cmocka_unit_test(results_that_the_host_adds_stream_too),
		cmocka_unit_test(whole_tiles_unless_asked),
		cmocka_unit_test(switch_gives_whole_tiles),
		cmocka_unit_test(both_plans_give_the_same_integers),
		cmocka_unit_test(preview_names_the_twelve_tasks),
		cmocka_unit_test(resident_weights_stream),
	};

	return test_run_group("stream", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

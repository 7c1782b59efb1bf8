// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_types.c - bf16, tf32, int4 and int16 on the simulated NPU against scalar references. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "lib/ops/matmul_stats.h"
#include "reference.h"

/* ---- fp32 operands ---- */

struct float_type {
	const char *name;
	uint32_t mask;
	int k_align, group;
	int (*multiply)(int fd, int M, int K, int N, const float *A, const float *B, float *C);
};

static const struct float_type float_types[] = {
	{ "bf16", REFERENCE_BF16, 32, 32, rocket_matmul_bf16 },
	{ "tf32", REFERENCE_TF32, 16, 16, rocket_matmul_tf32 },
};

struct float_case {
	const struct float_type *type;
	struct test_shape s;
	float *a, *b, *c;
};

static struct float_case float_begin(const struct float_type *type, struct test_rng *rng,
				     struct test_shape s, enum test_fill fill)
{
	struct float_case t = { type, s, NULL, NULL, NULL };

	t.a = test_floats(rng, (size_t)s.M * s.K, fill);
	t.b = test_floats(rng, (size_t)s.N * s.K, fill);
	t.c = malloc((size_t)s.M * s.N * sizeof(*t.c));
	assert_non_null(t.c);
	memset(t.c, 0xff, (size_t)s.M * s.N * sizeof(*t.c));
	return t;
}

static void float_end(struct float_case *t)
{
	free(t->a);
	free(t->b);
	free(t->c);
}

/* kt 0: every sum is exact. */
static void require_floats(const struct float_case *t, int kt)
{
	for (int m = 0; m < t->s.M; m++)
		for (int n = 0; n < t->s.N; n++) {
			double mag, bound, got = (double)t->c[(size_t)m * t->s.N + n];
			double want = reference_cut(t->s.K, t->a + (size_t)m * t->s.K,
						    t->b + (size_t)n * t->s.K, t->type->mask, &mag);

			bound = kt ? reference_fp32_bound(t->s.K, kt, t->type->group, mag) : 0;
			if (!(fabs(got - want) <= bound))
				fail_msg("%s %dx%dx%d: C[%d][%d] is %a, not %a +- %g",
					 t->type->name, t->s.M, t->s.K, t->s.N, m, n, got, want,
					 bound);
		}
}

static int multiply_floats(int fd, struct float_case *t)
{
	struct rocket_matmul_stats stats;

	assert_int_equal(t->type->multiply(fd, t->s.M, t->s.K, t->s.N, t->a, t->b, t->c),
			 ROCKET_OK);
	rocket_matmul_last_stats(&stats);
	return stats.kt;
}

static void floats_stay_within_their_bound(const char *env, uint64_t seed, int count)
{
	int fd = test_open(env);

	for (unsigned type = 0; type < 2; type++) {
		struct test_rng rng = { seed + type };

		for (int i = 0; i < count; i++) {
			struct test_shape s =
				test_random_shape(&rng, float_types[type].k_align, 16);
			struct float_case t =
				float_begin(&float_types[type], &rng, s,
					    i % 2 ? TEST_FILL_UNIFORM : TEST_FILL_ANY_EXPONENT);

			require_floats(&t, multiply_floats(fd, &t));
			float_end(&t);
		}
	}
	rocket_close(fd);
}

static void float_results_stay_within_their_bound(void **state)
{
	(void)state;
	floats_stay_within_their_bound("", 10, 25);
}

static void float_results_do_not_depend_on_tiles(void **state)
{
	(void)state;
	floats_stay_within_their_bound("ROCKET_MM_MT=12 ROCKET_MM_NT=32 ROCKET_MM_KT=64", 20, 6);
	floats_stay_within_their_bound("ROCKET_REUSE=1 ROCKET_MM_MT=8 ROCKET_MM_KT=32", 30, 4);
	floats_stay_within_their_bound("ROCKET_REUSE=2 ROCKET_MM_NT=16 ROCKET_MM_KT=96", 40, 4);
	floats_stay_within_their_bound("ROCKET_BATCH_SUBMIT=1 ROCKET_MM_KT=64", 50, 4);
}

static void float_small_integers_are_exact(void **state)
{
	struct test_rng rng = { 60 };
	int fd = test_open("");

	(void)state;
	for (int i = 0; i < 20; i++) {
		const struct float_type *type = &float_types[i % 2];
		struct float_case t =
			float_begin(type, &rng, test_random_shape(&rng, type->k_align, 16),
				    TEST_FILL_SMALL_INTEGERS);

		multiply_floats(fd, &t);
		require_floats(&t, 0);
		float_end(&t);
	}
	rocket_close(fd);
}

/* The shape that only tf32 takes: K = 48. */
static void tf32_takes_k_of_48(void **state)
{
	struct test_rng rng = { 70 };
	int fd = test_open("");
	struct float_case t = float_begin(&float_types[1], &rng, (struct test_shape){ 4, 48, 64 },
					  TEST_FILL_UNIFORM);

	(void)state;
	require_floats(&t, multiply_floats(fd, &t));
	assert_int_equal(rocket_matmul_bf16(fd, 4, 48, 64, t.a, t.b, t.c), ROCKET_E_SHAPE);
	float_end(&t);
	rocket_close(fd);
}

/* Cut off, a NaN with a payload of low bits would be an infinity. */
static void bf16_keeps_every_nan(void **state)
{
	static const uint32_t payload = 0x7f800001;
	static float a[4 * 32], b[16 * 32], c[4 * 16];
	int fd = test_open("");

	(void)state;
	for (int i = 0; i < 16 * 32; i++)
		b[i] = 1;
	memcpy(&a[32 + 5], &payload, sizeof(payload));
	assert_int_equal(rocket_matmul_bf16(fd, 4, 32, 16, a, b, c), ROCKET_OK);
	for (int i = 0; i < 4 * 16; i++)
		assert_true(i / 16 == 1 ? isnan(c[i]) : c[i] == 0);
	rocket_close(fd);
}

static void bf16_over_workers_is_right_in_every_slice(void **state)
{
	struct test_rng rng = { 80 };

	(void)state;
	rocket_close(test_open(""));
	for (int threads = 1; threads <= 8; threads += 3) {
		struct float_case t =
			float_begin(&float_types[0], &rng, (struct test_shape){ 20, 2048, 144 },
				    TEST_FILL_UNIFORM);
		struct rocket_matmul_stats stats;

		assert_int_equal(rocket_matmul_bf16_mt(20, 2048, 144, t.a, t.b, t.c, threads),
				 ROCKET_OK);
		rocket_matmul_last_stats(&stats);
		require_floats(&t, stats.kt);
		float_end(&t);
	}
}

/* ---- integers ---- */

static void require_int(const char *what, struct test_shape s, int m, int n, int64_t got,
			int64_t want)
{
	if (got != want)
		fail_msg("%s %dx%dx%d: C[%d][%d] is %lld, not %lld", what, s.M, s.K, s.N, m, n,
			 (long long)got, (long long)want);
}

static void require_int4(int fd, struct test_rng *rng, struct test_shape s, int range, int kt_cap)
{
	int8_t *a = test_bytes_in(rng, (size_t)s.M * s.K, -range - (range == 7), range);
	int8_t *b = test_bytes_in(rng, (size_t)s.N * s.K, -range - (range == 7), range);
	int32_t *c = malloc((size_t)s.M * s.N * sizeof(*c));

	memset(c, 0xff, (size_t)s.M * s.N * sizeof(*c));
	assert_int_equal(kt_cap ? rocket_matmul_int4_ex(fd, s.M, s.K, s.N, a, b, c, kt_cap)
				: rocket_matmul_int4(fd, s.M, s.K, s.N, a, b, c),
			 ROCKET_OK);
	for (int m = 0; m < s.M; m++)
		for (int n = 0; n < s.N; n++)
			require_int("int4", s, m, n, c[(size_t)m * s.N + n],
				    reference_int8(s.K, a + (size_t)m * s.K, b + (size_t)n * s.K));
	free(a);
	free(b);
	free(c);
}

static void int4_within_its_cap_is_exact(void **state)
{
	static const char *const envs[] = { "", "ROCKET_MM_MT=12 ROCKET_MM_NT=64 ROCKET_MM_KT=96",
					    "ROCKET_REUSE=1", "ROCKET_REUSE=2",
					    "ROCKET_BATCH_SUBMIT=1 ROCKET_MM_KT=64" };

	(void)state;
	for (unsigned e = 0; e < sizeof(envs) / sizeof(envs[0]); e++) {
		struct test_rng rng = { 100 + e };
		int fd = test_open(envs[e]);

		for (int i = 0; i < (e ? 6 : 30); i++)
			require_int4(fd, &rng, test_random_shape(&rng, 32, 64), 7, 480);
		rocket_close(fd);
	}
}

static void int4_of_small_values_needs_no_cap(void **state)
{
	struct test_rng rng = { 110 };
	int fd = test_open("");

	(void)state;
	for (int i = 0; i < 15; i++)
		require_int4(fd, &rng, test_random_shape(&rng, 32, 64), 2, 0);
	rocket_close(fd);
}

/* 49 * 1024 = 50176 is past int16: the clamp of the NPU, and the cap that avoids it. */
static void int4_clamps_each_k_tile_unless_capped(void **state)
{
	static const struct {
		int kt_cap, kt, want;
	} rows[] = { { 0, 1024, 32767 },
		     { 31, 1024, 32767 },
		     { -5, 1024, 32767 },
		     { 480, 480, 50176 },
		     { 511, 480, 50176 },
		     { 32, 32, 50176 },
		     { 700, 672, 32767 + 352 * 49 },
		     { 5000, 1024, 32767 } };
	static int8_t a[4 * 1024], b[64 * 1024];
	static int32_t c[4 * 64];
	struct rocket_matmul_stats stats;
	int fd = test_open("");

	(void)state;
	memset(a, 7, sizeof(a));
	memset(b, 7, sizeof(b));
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(rocket_matmul_int4_ex(fd, 4, 1024, 64, a, b, c, rows[i].kt_cap),
				 ROCKET_OK);
		rocket_matmul_last_stats(&stats);
		assert_int_equal(stats.kt, rows[i].kt);
		for (int j = 0; j < 4 * 64; j++)
			assert_int_equal(c[j], rows[i].want);
	}
	/* The cap holds for the padded single row as well. */
	assert_int_equal(rocket_matmul_int4_ex(fd, 1, 1024, 64, a, b, c, 480), ROCKET_OK);
	assert_int_equal(c[63], 50176);
	rocket_close(fd);
	/* And against a longer tile asked for. */
	fd = test_open("ROCKET_MM_KT=1024");
	assert_int_equal(rocket_matmul_int4_ex(fd, 4, 1024, 64, a, b, c, 480), ROCKET_OK);
	assert_int_equal(c[0], 50176);
	rocket_close(fd);
}

static void int4_value_outside_its_range_is_refused(void **state)
{
	static const int8_t outside[] = { 8, -9, 127, -128, 16, -16 };
	static int8_t a[4 * 96], b[64 * 96];
	static int32_t c[4 * 64];
	int fd = test_open("");

	(void)state;
	for (unsigned i = 0; i < sizeof(outside); i++) {
		a[95 + i] = outside[i];
		test_log_start();
		assert_int_equal(rocket_matmul_int4(fd, 4, 96, 64, a, b, c), ROCKET_E_SHAPE);
		assert_int_equal(test_log_errors(), 1);
		assert_non_null(strstr(test_log_last(), "A has a value outside -8..7"));
		a[95 + i] = 0;
		b[64 * 96 - 1 - i] = outside[i];
		assert_int_equal(rocket_matmul_int4(fd, 4, 96, 64, a, b, c), ROCKET_E_SHAPE);
		assert_non_null(strstr(test_log_last(), "B has a value outside -8..7"));
		b[64 * 96 - 1 - i] = 0;
	}
	assert_int_equal(rocket_matmul_int4(fd, 4, 96, 64, a, b, c), ROCKET_OK);
	rocket_close(fd);
}

static void require_int16(int fd, struct test_shape s, const int16_t *a, const int16_t *b)
{
	int64_t *c = malloc((size_t)s.M * s.N * sizeof(*c));

	memset(c, 0xff, (size_t)s.M * s.N * sizeof(*c));
	assert_int_equal(rocket_matmul_int16_exact(fd, s.M, s.K, s.N, a, b, c), ROCKET_OK);
	for (int m = 0; m < s.M; m++)
		for (int n = 0; n < s.N; n++)
			require_int("int16", s, m, n, c[(size_t)m * s.N + n],
				    reference_int16(s.K, a + (size_t)m * s.K, b + (size_t)n * s.K));
	free(c);
}

static void int16_is_exact(void **state)
{
	static const char *const envs[] = { "", "ROCKET_MM_MT=12 ROCKET_MM_NT=32 ROCKET_MM_KT=96" };

	(void)state;
	for (unsigned e = 0; e < 2; e++) {
		struct test_rng rng = { 120 + e };
		int fd = test_open(envs[e]);

		test_log_start();
		for (int i = 0; i < (e ? 4 : 16); i++) {
			struct test_shape s = test_random_shape(&rng, 32, 32);
			int16_t *a = test_shorts_in(&rng, (size_t)s.M * s.K, -32768, 32639);
			int16_t *b = test_shorts_in(&rng, (size_t)s.N * s.K, -32768, 32639);

			require_int16(fd, s, a, b);
			free(a);
			free(b);
		}
		assert_int_equal(test_log_warnings(), 0);
		rocket_close(fd);
	}
}

/* 2^30 * 4096 is far past 32 bits. */
static void int16_sums_past_32_bits_are_exact(void **state)
{
	static int16_t a[4096], b[32 * 4096];
	int fd = test_open("");

	(void)state;
	for (int i = 0; i < 4096; i++)
		a[i] = -32768;
	for (int i = 0; i < 32 * 4096; i++)
		b[i] = (int16_t)(i < 4096 * 16 ? -32768 : 32639);
	require_int16(fd, (struct test_shape){ 1, 4096, 32 }, a, b);
	rocket_close(fd);
}

static void int16_above_its_range_is_clamped_with_one_warning_an_operand(void **state)
{
	static int16_t a[4 * 32], b[32 * 32], clamped[4 * 32];
	static int64_t c[4 * 32];
	int fd = test_open("");

	(void)state;
	for (int i = 0; i < 4 * 32; i++) {
		a[i] = (int16_t)(32600 + i);
		clamped[i] = a[i] < 32639 ? a[i] : 32639;
	}
	for (int i = 0; i < 32 * 32; i++)
		b[i] = (int16_t)(i * 37 - 20000);
	test_log_start();
	assert_int_equal(rocket_matmul_int16_exact(fd, 4, 32, 32, a, b, c), ROCKET_OK);
	assert_int_equal(test_log_warnings(), 1);
	assert_non_null(strstr(test_log_last(), "A has values outside -32768..32639"));
	for (int m = 0; m < 4; m++)
		for (int n = 0; n < 32; n++)
			assert_true(c[m * 32 + n] ==
				    reference_int16(32, clamped + m * 32, b + n * 32));
	b[0] = 32767;
	test_log_start();
	assert_int_equal(rocket_matmul_int16_exact(fd, 4, 32, 32, a, b, c), ROCKET_OK);
	assert_int_equal(test_log_warnings(), 2);
	rocket_close(fd);
}

/* ---- counters ---- */

static void int16_counts_its_four_products(void **state)
{
	static int16_t a[64 * 1024], b[128 * 1024];
	static int64_t c[64 * 128];
	struct rocket_matmul_stats stats;
	int fd = test_open("");

	(void)state;
	rocket_submit_counters_reset();
	assert_int_equal(rocket_matmul_int16_exact(fd, 64, 1024, 128, a, b, c), ROCKET_OK);
	rocket_matmul_last_stats(&stats);
	/* as recorded: four jobs of one task 64 x 1024 x 128 */
	assert_int_equal(stats.tasks, 4);
	assert_int_equal(stats.submits, 4);
	assert_int_equal(rocket_submit_task_count(), 4);
	assert_true(stats.mt == 64 && stats.kt == 1024 && stats.nt == 128);
	rocket_close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(float_results_stay_within_their_bound),
		cmocka_unit_test(float_results_do_not_depend_on_tiles),
		cmocka_unit_test(float_small_integers_are_exact),
		cmocka_unit_test(tf32_takes_k_of_48),
		cmocka_unit_test(bf16_keeps_every_nan),
		cmocka_unit_test(bf16_over_workers_is_right_in_every_slice),
		cmocka_unit_test(int4_within_its_cap_is_exact),
		cmocka_unit_test(int4_of_small_values_needs_no_cap),
		cmocka_unit_test(int4_clamps_each_k_tile_unless_capped),
		cmocka_unit_test(int4_value_outside_its_range_is_refused),
		cmocka_unit_test(int16_is_exact),
		cmocka_unit_test(int16_sums_past_32_bits_are_exact),
		cmocka_unit_test(int16_above_its_range_is_clamped_with_one_warning_an_operand),
		cmocka_unit_test(int16_counts_its_four_products),
	};

	return test_run_group("types", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

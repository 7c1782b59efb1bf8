// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_numerics.c - matmuls on the simulated NPU against scalar references. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "lib/ops/matmul_stats.h"
#include "reference.h"

/* ---- one shape at a time ---- */

struct fp16_case {
	struct test_shape s;
	_Float16 *a, *b, *c;
	float *f;
	struct reference_fp16 *ref;
};

static struct fp16_case fp16_begin(struct test_rng *rng, struct test_shape s, enum test_fill fill)
{
	struct fp16_case t = { .s = s };

	t.a = test_halves(rng, (size_t)s.M * s.K, fill);
	t.b = test_halves(rng, (size_t)s.N * s.K, fill);
	t.c = malloc((size_t)s.M * s.N * sizeof(*t.c));
	t.f = malloc((size_t)s.M * s.N * sizeof(*t.f));
	assert_true(t.c && t.f);
	t.ref = reference_fp16_create(s.M, s.K, s.N, t.a, t.b);
	return t;
}

static void fp16_end(struct fp16_case *t)
{
	reference_fp16_free(t->ref);
	free(t->a);
	free(t->b);
	free(t->c);
	free(t->f);
}

/* Tile extents in force, for the references that depend on where K is cut. */
static void tiles_of(struct test_shape s, int *mt, int *kt)
{
	assert_true(rocket_matmul_plan(s.M == 1 ? 4 : s.M, s.K, s.N, mt, kt, NULL) > 0);
}

/* The documented rule: which shapes have their partials added on the NPU. */
static int npu_adds(struct test_shape s, int mt, int kt)
{
	int M = s.M == 1 ? 4 : s.M;
	int last = M % mt ? M % mt : mt;

	return last >= 12 || (M <= mt && s.K <= kt);
}

static void require_half(const struct fp16_case *t, int m, int n, _Float16 want, const char *what)
{
	_Float16 got = t->c[(size_t)m * t->s.N + n];

	if (memcmp(&got, &want, sizeof(got)))
		fail_msg("%s %dx%dx%d: C[%d][%d] is %a, not %a", what, t->s.M, t->s.K, t->s.N, m, n,
			 (double)got, (double)want);
}

static void require_fp16_order(const struct fp16_case *t, int kacc)
{
	int mt, kt;

	tiles_of(t->s, &mt, &kt);
	for (int m = 0; m < t->s.M; m++)
		for (int n = 0; n < t->s.N; n++)
			require_half(t, m, n,
				     kacc && npu_adds(t->s, mt, kt)
					     ? reference_device_sum(t->ref, m, n, kt)
					     : reference_host_sum(t->ref, m, n, kt),
				     "fp16");
}

static void run_fp16(int fd, struct fp16_case *t)
{
	assert_int_equal(rocket_matmul_fp16(fd, t->s.M, t->s.K, t->s.N, t->a, t->b, t->c),
			 ROCKET_OK);
}

/* ---- fp16 ---- */

static void fp16_follows_the_documented_order(const char *env, int kacc, uint64_t seed, int count)
{
	struct test_rng rng = { seed };
	int fd = test_open(env);

	for (int i = 0; i < count; i++) {
		struct fp16_case t = fp16_begin(&rng, test_random_shape(&rng, 32, 16),
						i % 2 ? TEST_FILL_UNIFORM : TEST_FILL_ANY_EXPONENT);

		run_fp16(fd, &t);
		require_fp16_order(&t, kacc);
		fp16_end(&t);
	}
	rocket_close(fd);
}

static void fp16_sums_on_the_npu_in_the_documented_order(void **state)
{
	(void)state;
	fp16_follows_the_documented_order("", 1, 21, 70);
}

static void fp16_sums_on_the_host_in_the_documented_order(void **state)
{
	(void)state;
	fp16_follows_the_documented_order("ROCKET_KACC=0", 0, 22, 50);
}

static void fp16_tile_overrides_keep_the_documented_order(void **state)
{
	static const char *const envs[] = {
		"ROCKET_MM_MT=16 ROCKET_MM_NT=32 ROCKET_MM_KT=64",
		"ROCKET_MM_KT=32",
		"ROCKET_MM_MT=8",
		"ROCKET_MM_MT=20 ROCKET_MM_ASYM=0",
		"ROCKET_KACC=0 ROCKET_MM_NT=16 ROCKET_MM_KT=96",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(envs) / sizeof(envs[0]); i++)
		fp16_follows_the_documented_order(envs[i], !strstr(envs[i], "KACC=0"), 30 + i, 8);
}

static void fp16_small_integers_are_exact(void **state)
{
	static const char *const envs[] = { "", "ROCKET_KACC=0" };

	(void)state;
	for (unsigned e = 0; e < 2; e++) {
		struct test_rng rng = { 40 + e };
		int fd = test_open(envs[e]);

		for (int i = 0; i < 20; i++) {
			struct test_shape s = test_random_shape(&rng, 32, 16);
			struct fp16_case t;

			s.K = s.K > 512 ? 512 : s.K; /* |sum| <= 2048: fp16 holds it */
			t = fp16_begin(&rng, s, TEST_FILL_SMALL_INTEGERS);
			run_fp16(fd, &t);
			for (int m = 0; m < s.M; m++)
				for (int n = 0; n < s.N; n++) {
					double mag, want = reference_double(
							    s.K, t.a + (size_t)m * s.K,
							    t.b + (size_t)n * s.K, &mag);

					require_half(&t, m, n, (_Float16)want, "integers");
				}
			fp16_end(&t);
		}
		rocket_close(fd);
	}
}

/*
 * Against double. With u16 = 2^-11, u32 = 2^-24 and S the sum of the products'
 * magnitudes: a group's rounding is at most u32 S_group, each of the K/32 fp32 additions
 * u32 S (1 + small), and each of the nK fp16 roundings u16 of a partial that is at most
 * S (1 + small). Subnormal results add half a step of 2^-24 per rounding.
 */
static double fp16_bound(struct test_shape s, int kt, double magnitude)
{
	int steps = (s.K + kt - 1) / kt;
	double u32 = (s.K / 32 + steps + 1) * ldexp(1, -24);

	return 1.001 * magnitude * (u32 + steps * ldexp(1, -11)) + steps * ldexp(1, -25);
}

static void fp16_stays_within_its_error_bound(void **state)
{
	struct test_rng rng = { 50 };
	int fd = test_open("");

	(void)state;
	for (int i = 0; i < 30; i++) {
		struct fp16_case t =
			fp16_begin(&rng, test_random_shape(&rng, 32, 16), TEST_FILL_UNIFORM);
		int mt, kt;

		run_fp16(fd, &t);
		tiles_of(t.s, &mt, &kt);
		for (int m = 0; m < t.s.M; m++)
			for (int n = 0; n < t.s.N; n++) {
				double mag, want = reference_double(t.s.K, t.a + (size_t)m * t.s.K,
								    t.b + (size_t)n * t.s.K, &mag);
				double err = fabs((double)t.c[(size_t)m * t.s.N + n] - want);

				if (err > fp16_bound(t.s, kt, mag))
					fail_msg("%dx%dx%d: C[%d][%d] is off by %g, bound %g",
						 t.s.M, t.s.K, t.s.N, m, n, err,
						 fp16_bound(t.s, kt, mag));
			}
		fp16_end(&t);
	}
	rocket_close(fd);
}

/* ---- fp16 with fp32 results ---- */

static void f32out_sums_in_the_documented_order(void **state)
{
	struct test_rng rng = { 60 };
	int fd = test_open("");

	(void)state;
	for (int i = 0; i < 60; i++) {
		struct fp16_case t = fp16_begin(&rng, test_random_shape(&rng, 32, 16),
						i % 2 ? TEST_FILL_UNIFORM : TEST_FILL_ANY_EXPONENT);
		struct rocket_matmul_stats stats;

		assert_int_equal(rocket_matmul_fp16_f32out(fd, t.s.M, t.s.K, t.s.N, t.a, t.b, t.f),
				 ROCKET_OK);
		rocket_matmul_last_stats(&stats);
		for (int m = 0; m < t.s.M; m++)
			for (int n = 0; n < t.s.N; n++) {
				float got = t.f[(size_t)m * t.s.N + n];
				float want = reference_f32out_sum(t.ref, m, n, stats.kt);

				if (memcmp(&got, &want, sizeof(got)))
					fail_msg("%dx%dx%d: C[%d][%d] is %a, not %a", t.s.M, t.s.K,
						 t.s.N, m, n, (double)got, (double)want);
			}
		fp16_end(&t);
	}
	rocket_close(fd);
}

/* ---- int8 ---- */

static void require_int8(int fd, struct test_rng *rng, struct test_shape s, int fill_extreme)
{
	int8_t *a = test_bytes(rng, (size_t)s.M * s.K), *b = test_bytes(rng, (size_t)s.N * s.K);
	int32_t *c = malloc((size_t)s.M * s.N * sizeof(*c));

	if (fill_extreme) {
		memset(a, -128, (size_t)s.M * s.K);
		memset(b, -128, (size_t)s.N * s.K);
	}
	assert_int_equal(rocket_matmul_int8(fd, s.M, s.K, s.N, a, b, c), ROCKET_OK);
	for (int m = 0; m < s.M; m++)
		for (int n = 0; n < s.N; n++) {
			int64_t want =
				reference_int8(s.K, a + (size_t)m * s.K, b + (size_t)n * s.K);

			if (c[(size_t)m * s.N + n] != (int32_t)(uint32_t)want)
				fail_msg("%dx%dx%d: C[%d][%d] is %d, not %lld", s.M, s.K, s.N, m, n,
					 c[(size_t)m * s.N + n], (long long)want);
		}
	free(a);
	free(b);
	free(c);
}

static void int8_is_exact(void **state)
{
	struct test_rng rng = { 70 };
	int fd = test_open("");

	(void)state;
	for (int i = 0; i < 90; i++)
		require_int8(fd, &rng, test_random_shape(&rng, 32, 32), 0);
	rocket_close(fd);
}

static void int8_is_exact_in_every_order(void **state)
{
	static const char *const envs[] = {
		"ROCKET_REUSE=1 ROCKET_MM_KT=64 ROCKET_MM_MT=16",
		"ROCKET_REUSE=2 ROCKET_MM_KT=64 ROCKET_MM_NT=32",
		"ROCKET_BATCH_SUBMIT=1 ROCKET_MM_KT=64 ROCKET_MM_NT=32",
		"ROCKET_MM_KT=96 ROCKET_MM_MT=12 ROCKET_MM_NT=64",
	};

	(void)state;
	for (unsigned e = 0; e < sizeof(envs) / sizeof(envs[0]); e++) {
		struct test_rng rng = { 80 + e };
		int fd = test_open(envs[e]);

		for (int i = 0; i < 8; i++)
			require_int8(fd, &rng, test_random_shape(&rng, 32, 32), 0);
		rocket_close(fd);
	}
}

/* 2^14 * K reaches 2^31 at K = 131072: the stored sum is the low half of the exact one. */
static void int8_keeps_the_low_bits_of_an_overflowing_sum(void **state)
{
	struct test_rng rng = { 90 };
	int fd = test_open("");

	(void)state;
	require_int8(fd, &rng, (struct test_shape){ 1, 1 << 17, 32 }, 1);
	rocket_close(fd);
}

/* ---- one result, many ways ---- */

static _Float16 *fp16_result(const char *env, const struct fp16_case *t)
{
	size_t size = (size_t)t->s.M * t->s.N * sizeof(_Float16);
	_Float16 *c = malloc(size);
	int fd = test_open(env);

	assert_int_equal(rocket_matmul_fp16(fd, t->s.M, t->s.K, t->s.N, t->a, t->b, c), ROCKET_OK);
	rocket_close(fd);
	return c;
}

static void require_same_bits(const struct fp16_case *t, const char *base,
			      const char *const *others, unsigned count)
{
	_Float16 *want = fp16_result(base, t);

	for (unsigned i = 0; i < count; i++) {
		_Float16 *got = fp16_result(others[i], t);

		if (memcmp(got, want, (size_t)t->s.M * t->s.N * sizeof(*got)))
			fail_msg("%dx%dx%d: \"%s\" differs from \"%s\"", t->s.M, t->s.K, t->s.N,
				 others[i], base);
		free(got);
	}
	free(want);
}

static const struct test_shape order_shapes[] = {
	{ 64, 512, 96 },
	{ 268, 96, 48 },
	{ 36, 1536, 272 },
	{ 4, 96, 64 },
};

#define SMALL_TILES "ROCKET_MM_MT=32 ROCKET_MM_NT=32 ROCKET_MM_KT=128 "

static void fp16_order_and_chaining_do_not_change_a_bit(void **state)
{
	static const char *const others[] = {
		SMALL_TILES "ROCKET_REUSE=0",
		SMALL_TILES "ROCKET_REUSE=1",
		SMALL_TILES "ROCKET_REUSE=2",
		SMALL_TILES "ROCKET_BATCH_SUBMIT=1",
		SMALL_TILES "ROCKET_KACC_CHAIN=1",
		SMALL_TILES "ROCKET_KACC_CHAIN=2",
		SMALL_TILES "ROCKET_KACC_CHAIN=2 ROCKET_REUSE=1",
	};
	struct test_rng rng = { 100 };

	(void)state;
	for (unsigned i = 0; i < sizeof(order_shapes) / sizeof(order_shapes[0]); i++) {
		struct fp16_case t = fp16_begin(&rng, order_shapes[i], TEST_FILL_UNIFORM);

		require_same_bits(&t, SMALL_TILES, others, sizeof(others) / sizeof(others[0]));
		fp16_end(&t);
	}
}

static void fp16_host_order_does_not_change_a_bit(void **state)
{
	static const char *const others[] = {
		SMALL_TILES "ROCKET_KACC=0 ROCKET_REUSE=1",
		SMALL_TILES "ROCKET_KACC=0 ROCKET_REUSE=2",
		SMALL_TILES "ROCKET_KACC=0 ROCKET_BATCH_SUBMIT=1",
		SMALL_TILES "ROCKET_KACC=0 ROCKET_MM_PIPE=1",
		SMALL_TILES "ROCKET_KACC=0 ROCKET_MM_PIPE=1 ROCKET_REUSE=2",
		SMALL_TILES "ROCKET_KACC=0 ROCKET_MM_PIPE=1 ROCKET_BATCH_SUBMIT=1",
		SMALL_TILES "ROCKET_MM_PIPE=1 ROCKET_NO_KACC=1",
	};
	struct test_rng rng = { 110 };

	(void)state;
	for (unsigned i = 0; i < sizeof(order_shapes) / sizeof(order_shapes[0]); i++) {
		struct fp16_case t = fp16_begin(&rng, order_shapes[i], TEST_FILL_UNIFORM);

		require_same_bits(&t, SMALL_TILES "ROCKET_KACC=0", others,
				  sizeof(others) / sizeof(others[0]));
		fp16_end(&t);
	}
}

/* ---- several workers ---- */

static void mt_gives_each_slice_its_one_fd_result(void **state)
{
	static const struct test_shape shapes[] = { { 20, 256, 80 },
						    { 1, 96, 16 },
						    { 16, 2048, 528 } };
	struct test_rng rng = { 120 };

	(void)state;
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct fp16_case t = fp16_begin(&rng, shapes[i], TEST_FILL_UNIFORM);
		const struct test_shape s = shapes[i];

		for (int threads = -1; threads <= 9; threads += 2) {
			/* The split as documented: ceil(N / threads) rounded up to 16. */
			int workers = threads < 1 ? 0 : threads > 8 ? 8 : threads;
			int step = workers ? ((s.N + workers - 1) / workers + 15) / 16 * 16 : 0;

			rocket_close(test_open("ROCKET_N_THREADS=3"));
			if (!workers)
				step = ((s.N + 2) / 3 + 15) / 16 * 16;
			memset(t.c, 0xff, (size_t)s.M * s.N * sizeof(*t.c));
			assert_int_equal(
				rocket_matmul_fp16_mt(s.M, s.K, s.N, t.a, t.b, t.c, threads),
				ROCKET_OK);
			for (int n0 = 0; n0 < s.N; n0 += step) {
				struct test_shape slice = { s.M, s.K,
							    s.N - n0 < step ? s.N - n0 : step };
				int mt, kt;

				tiles_of(slice, &mt, &kt);
				for (int m = 0; m < s.M; m++)
					for (int n = n0; n < n0 + slice.N; n++)
						require_half(&t, m, n,
							     npu_adds(slice, mt, kt)
								     ? reference_device_sum(
									       t.ref, m, n, kt)
								     : reference_host_sum(t.ref, m,
											  n, kt),
							     "slice");
			}
		}
		fp16_end(&t);
	}
}

/* ---- counters ---- */

static void stats_tell_what_the_call_did(void **state)
{
	struct test_rng rng = { 130 };
	struct fp16_case t =
		fp16_begin(&rng, (struct test_shape){ 64, 512, 96 }, TEST_FILL_UNIFORM);
	struct rocket_matmul_stats stats;
	uint64_t phases = 0;
	int fd = test_open(SMALL_TILES "ROCKET_BATCH_SUBMIT=0");

	(void)state;
	rocket_submit_counters_reset();
	run_fp16(fd, &t);
	rocket_matmul_last_stats(&stats);
	/* 2 x 3 tiles of 32x32 over four K steps: a job each step */
	assert_int_equal(stats.tiles, 24);
	assert_int_equal(stats.tasks, 24);
	assert_int_equal(stats.submits, 4);
	assert_int_equal(stats.kicks, 24);
	/* The vendor's driver takes a call for each task that is not chained. */
	assert_int_equal(rocket_submit_ioctl_count(),
			 test_over_rknpu() ? stats.kicks : stats.submits);
	assert_int_equal(stats.tasks, rocket_submit_task_count());
	assert_true(stats.mt == 32 && stats.kt == 128 && stats.nt == 32);
	assert_true(stats.device_accumulates);
	assert_int_equal(stats.packed_bytes, (64 + 96) * 512 * 2);
	assert_int_equal(stats.unpacked_bytes, 64 * 96 * 2);
	for (unsigned i = 0; i < ROCKET_PHASES; i++) {
		assert_true(stats.ns[i] > 0);
		phases += stats.ns[i];
	}
	assert_true(phases <= stats.total_ns);
	rocket_close(fd);

	fd = test_open(SMALL_TILES "ROCKET_KACC_CHAIN=1");
	run_fp16(fd, &t);
	rocket_matmul_last_stats(&stats);
	assert_int_equal(stats.submits, 1);
	assert_int_equal(stats.kicks, 1);
	rocket_close(fd);
	fp16_end(&t);
}

/* ---- the references themselves, against recorded values ---- */

#define GOLDEN_K_MAX 1024

/* Hex halves of a line "A 3161 bb16 ..." into out; their count. */
static int parse_halves(const char *line, _Float16 *out)
{
	int count = 0, used;
	unsigned v;

	for (line = strchr(line, ' '); sscanf(line, " %x%n", &v, &used) == 1; line += used) {
		uint16_t bits = (uint16_t)v;

		assert_true(count < GOLDEN_K_MAX);
		memcpy(&out[count++], &bits, sizeof(bits));
	}
	return count;
}

/* Cases start with "case" and end with the line that `last` begins; check gets both rows,
 * the lines after them and the K tile (0 = all). Returns the number of cases. */
static int each_golden_case(const char *file, const char *last,
			    void (*check)(int K, int kt, const _Float16 *a, const _Float16 *b,
					  const char *tag, const char *values))
{
	static _Float16 a[GOLDEN_K_MAX], b[GOLDEN_K_MAX];
	char path[GOLDEN_PATH_MAX], *text, *line, *save = NULL;
	int cases = 0, K = 0, kt = 0;

	text = test_read_file(golden_file(path, file));
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "case ", 5)) {
			kt = 0;
			sscanf(line, "case %*d Kt=%d", &kt);
		} else if (!strncmp(line, "A ", 2)) {
			K = parse_halves(line, a);
		} else if (!strncmp(line, "B ", 2)) {
			assert_int_equal(parse_halves(line, b), K);
		} else if (line[0] != '#') {
			char *values = strchr(line, ' ');

			*values++ = '\0';
			check(K, kt, a, b, line, values);
			cases += !strcmp(line, last);
		}
	}
	free(text);
	return cases;
}

static void check_base_case(int K, int kt, const _Float16 *a, const _Float16 *b, const char *tag,
			    const char *values)
{
	struct reference_fp16 *ref = reference_fp16_create(1, K, 1, a, b);
	float wide = reference_f32out_sum(ref, 0, 0, K);
	_Float16 half = reference_device_sum(ref, 0, 0, K);
	uint32_t want = (uint32_t)strtoul(values, NULL, 16), got = 0;

	(void)kt;
	memcpy(&got, !strcmp(tag, "fp32") ? (void *)&wide : (void *)&half,
	       !strcmp(tag, "fp32") ? sizeof(wide) : sizeof(half));
	assert_int_equal(got, want);
	reference_fp16_free(ref);
}

static void check_kacc_case(int K, int kt, const _Float16 *a, const _Float16 *b, const char *tag,
			    const char *values)
{
	(void)tag;
	for (int k = kt; k <= K; k += kt) {
		struct reference_fp16 *ref = reference_fp16_create(1, k, 1, a, b);
		_Float16 half = reference_device_sum(ref, 0, 0, kt);
		uint16_t got;

		memcpy(&got, &half, sizeof(got));
		assert_int_equal(got, strtoul(values, (char **)&values, 16));
		reference_fp16_free(ref);
	}
}

static void reference_is_the_golden_model(void **state)
{
	(void)state;
	assert_int_equal(each_golden_case("numerics/fp16_base_model.txt", "fp16", check_base_case),
			 48);
}

static void reference_adds_partials_as_the_golden_model(void **state)
{
	(void)state;
	assert_int_equal(
		each_golden_case("numerics/fp16_kacc_model.txt", "partials", check_kacc_case), 24);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(int8_is_exact),
		cmocka_unit_test(int8_is_exact_in_every_order),
		cmocka_unit_test(int8_keeps_the_low_bits_of_an_overflowing_sum),
		cmocka_unit_test(fp16_small_integers_are_exact),
		cmocka_unit_test(fp16_sums_on_the_npu_in_the_documented_order),
		cmocka_unit_test(fp16_sums_on_the_host_in_the_documented_order),
		cmocka_unit_test(fp16_tile_overrides_keep_the_documented_order),
		cmocka_unit_test(fp16_stays_within_its_error_bound),
		cmocka_unit_test(f32out_sums_in_the_documented_order),
		cmocka_unit_test(fp16_order_and_chaining_do_not_change_a_bit),
		cmocka_unit_test(fp16_host_order_does_not_change_a_bit),
		cmocka_unit_test(mt_gives_each_slice_its_one_fd_result),
		cmocka_unit_test(stats_tell_what_the_call_did),
		cmocka_unit_test(reference_is_the_golden_model),
		cmocka_unit_test(reference_adds_partials_as_the_golden_model),
	};

	return test_run_group("numerics", tests, sizeof(tests) / sizeof(tests[0]), 2);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * test_range.c - fp16 operands at the ends of their range, on the simulated NPU.
 *
 * Subnormals count and nothing is flushed [silicon]. What silicon does with an overflow, an
 * infinity or a NaN is not known: the model and so these tests have IEEE 754.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "lib/ops/matmul_stats.h"
#include "reference.h"

#define M 12
#define K 96
#define N 32

static _Float16 a[M * K], b[N * K], c[M * N];
static float f[M * N];

static void run(int fd)
{
	memset(c, 0xff, sizeof(c));
	memset(f, 0xff, sizeof(f));
	assert_int_equal(rocket_matmul_fp16(fd, M, K, N, a, b, c), ROCKET_OK);
	assert_int_equal(rocket_matmul_fp16_f32out(fd, M, K, N, a, b, f), ROCKET_OK);
}

/* Any finite half: exponents from..to of 0..30, 0 being the subnormals. */
static void fill(_Float16 *out, size_t count, struct test_rng *rng, int from, int to)
{
	for (size_t i = 0; i < count; i++) {
		uint16_t bits = (uint16_t)((test_random(rng) & 0x83ff) |
					   (unsigned)test_random_in(rng, from, to) << 10);

		memcpy(&out[i], &bits, sizeof(bits));
	}
}

static bool same(double got, double want)
{
	return isnan(want) ? isnan(got) : got == want;
}

static void require_reference(int kt)
{
	struct reference_fp16 *ref = reference_fp16_create(M, K, N, a, b);

	for (int m = 0; m < M; m++)
		for (int n = 0; n < N; n++) {
			double half = (double)reference_device_sum(ref, m, n, kt);
			double wide = (double)reference_f32out_sum(ref, m, n, kt);

			if (!same((double)c[m * N + n], half) || !same((double)f[m * N + n], wide))
				fail_msg("C[%d][%d] is %a and %a, not %a and %a", m, n,
					 (double)c[m * N + n], (double)f[m * N + n], half, wide);
		}
	reference_fp16_free(ref);
}

static void every_finite_operand_counts(void **state)
{
	static const struct {
		int a_from, a_to, b_from, b_to;
	} rows[] = {
		{ 0, 0, 0, 0 },   { 0, 0, 25, 30 },  { 0, 2, 0, 30 },
		{ 0, 30, 0, 30 }, { 30, 30, 0, 14 }, { 30, 30, 30, 30 },
	};
	static const char *const envs[] = { "", "ROCKET_MM_KT=32" };
	struct test_rng rng = { 800 };

	(void)state;
	for (unsigned e = 0; e < 2; e++) {
		int fd = test_open(envs[e]);

		for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			fill(a, M * K, &rng, rows[i].a_from, rows[i].a_to);
			fill(b, N * K, &rng, rows[i].b_from, rows[i].b_to);
			run(fd);
			require_reference(e ? 32 : K);
		}
		rocket_close(fd);
	}
}

/* 65504 is the largest; what rounds above it is an infinity of its sign, in fp16 alone. */
static void sums_past_the_range_are_infinite(void **state)
{
	int fd = test_open("");

	(void)state;
	memset(a, 0, sizeof(a));
	memset(b, 0, sizeof(b));
	for (int m = 0; m < M; m++)
		a[m * K] = (_Float16)(m % 2 ? -65504 : 65504);
	for (int n = 0; n < N; n++)
		b[n * K] = (_Float16)(n < N / 2 ? 1 : 2);
	run(fd);
	for (int m = 0; m < M; m++)
		for (int n = 0; n < N; n++) {
			double sign = m % 2 ? -1 : 1, want = sign * 65504 * (n < N / 2 ? 1 : 2);

			assert_true((double)f[m * N + n] == want);
			assert_true((double)c[m * N + n] ==
				    (n < N / 2 ? want : sign * (double)INFINITY));
		}
	rocket_close(fd);
}

/* One infinity or NaN in a row of A reaches that row alone. */
static void infinities_and_nans_follow_ieee(void **state)
{
	int fd = test_open("");

	(void)state;
	for (int i = 0; i < M * K; i++)
		a[i] = (_Float16)1;
	for (int i = 0; i < N * K; i++)
		b[i] = (_Float16)1;
	for (int n = 0; n < N; n++)
		b[n * K + 40] = (_Float16)(n % 3 - 1); /* -1, 0, 1 */
	a[1 * K + 40] = (_Float16)INFINITY;
	a[2 * K + 40] = -(_Float16)INFINITY;
	a[3 * K + 40] = (_Float16)NAN;
	a[4 * K + 40] = (_Float16)INFINITY;
	a[4 * K + 41] = -(_Float16)INFINITY;
	run(fd);
	for (int m = 0; m < M; m++)
		for (int n = 0; n < N; n++) {
			const int factor = n % 3 - 1;
			double want = K - 1 + factor;

			if (m == 1 || m == 2)
				want = factor ? factor * (m == 1 ? 1 : -1) * (double)INFINITY
					      : (double)NAN;
			/* Infinity times -1 and minus infinity are of one sign. */
			if (m == 4)
				want = factor == -1 ? -(double)INFINITY : (double)NAN;
			if (m == 3)
				want = (double)NAN;
			if (!same((double)c[m * N + n], want) || !same((double)f[m * N + n], want))
				fail_msg("C[%d][%d] is %g and %g, not %g", m, n,
					 (double)c[m * N + n], (double)f[m * N + n], want);
		}
	rocket_close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_finite_operand_counts),
		cmocka_unit_test(sums_past_the_range_are_infinite),
		cmocka_unit_test(infinities_and_nans_follow_ieee),
	};

	return test_run_group("range", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

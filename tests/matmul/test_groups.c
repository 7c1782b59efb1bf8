// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_groups.c - integer matmuls with scales by group of k, on the simulated NPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "inject.h"
#include "lib/ops/matmul_stats.h"
#include "reference.h"

typedef int multiply(int fd, int M, int K, int N, const int8_t *A, const int8_t *B,
		     const float *a_scale, const float *b_scale, float *Cf, int group);

static const struct kind {
	const char *name;
	multiply *multiply;
	int range, n_align, group_max;
} kinds[] = {
	{ "int8", rocket_matmul_int8_groupwise, 127, 32, 1 << 20 },
	{ "int4", rocket_matmul_int4_groupwise, 7, 64, 640 },
};

struct problem {
	const struct kind *kind;
	struct test_shape s;
	int group;
	int8_t *a, *b;
	float *a_scale, *b_scale, *c;
};

static float *random_scales(struct test_rng *rng, size_t count)
{
	float *p = malloc(count * sizeof(*p));

	assert_non_null(p);
	for (size_t i = 0; i < count; i++)
		p[i] = 0.5f + (float)(test_random(rng) >> 8) * 0x1p-24f;
	return p;
}

static struct problem begin(const struct kind *kind, struct test_rng *rng, struct test_shape s,
			    int group)
{
	struct problem p = { .kind = kind, .s = s, .group = group };
	size_t groups = (size_t)(s.K / group);

	p.a = test_bytes_in(rng, (size_t)s.M * s.K, -kind->range, kind->range);
	p.b = test_bytes_in(rng, (size_t)s.N * s.K, -kind->range, kind->range);
	p.a_scale = random_scales(rng, s.M * groups);
	p.b_scale = random_scales(rng, s.N * groups);
	p.c = malloc((size_t)s.M * s.N * sizeof(*p.c));
	assert_non_null(p.c);
	memset(p.c, 0xff, (size_t)s.M * s.N * sizeof(*p.c));
	return p;
}

static void end(struct problem *p)
{
	free(p->a);
	free(p->b);
	free(p->a_scale);
	free(p->b_scale);
	free(p->c);
}

static int run(int fd, struct problem *p)
{
	return p->kind->multiply(fd, p->s.M, p->s.K, p->s.N, p->a, p->b, p->a_scale, p->b_scale,
				 p->c, p->group);
}

/* As documented, to the bit: kt is the part of a group that a tile sums. */
static float in_order(const struct problem *p, int m, int n, int kt)
{
	const size_t groups = (size_t)(p->s.K / p->group);
	float sum = 0;

	for (int k = 0; k < p->s.K; k += kt) {
		size_t g = (size_t)(k / p->group);
		int64_t part = reference_int8(kt, p->a + (size_t)m * p->s.K + k,
					      p->b + (size_t)n * p->s.K + k);
		float factor = p->a_scale[m * groups + g] * p->b_scale[n * groups + g];
		float term = factor * (float)part;

		sum += term;
	}
	return sum;
}

/* Exact up to double, and the sum of the magnitudes of what was added. */
static double exactly(const struct problem *p, int m, int n, double *magnitude)
{
	const size_t groups = (size_t)(p->s.K / p->group);
	double sum = 0;

	*magnitude = 0;
	for (size_t g = 0; g < groups; g++) {
		size_t k = g * (size_t)p->group;
		double part = (double)reference_int8(p->group, p->a + (size_t)m * p->s.K + k,
						     p->b + (size_t)n * p->s.K + k);
		double term = (double)p->a_scale[m * groups + g] *
			      (double)p->b_scale[n * groups + g] * part;

		sum += term;
		*magnitude += fabs(term);
	}
	return sum;
}

static void require(const struct problem *p, int kt)
{
	for (int m = 0; m < p->s.M; m++)
		for (int n = 0; n < p->s.N; n++) {
			float got = p->c[(size_t)m * p->s.N + n], want = in_order(p, m, n, kt);
			double mag, exact = exactly(p, m, n, &mag);
			/* Each term is rounded three times (factor, conversion, product), each
			 * addition once. A group in parts may cancel, so parts count in full. */
			double parts = (double)p->s.K / kt;
			double bound =
				kt == p->group ? (parts + 3) * 0x1p-24 * mag * 1.001 : INFINITY;

			if (memcmp(&got, &want, sizeof(got)) ||
			    !(fabs((double)got - exact) <= bound))
				fail_msg("%s %dx%dx%d group %d: C[%d][%d] is %a, not %a (%a +- %g)",
					 p->kind->name, p->s.M, p->s.K, p->s.N, p->group, m, n,
					 (double)got, (double)want, exact, bound);
		}
}

static struct test_shape shape_of(struct test_rng *rng, const struct kind *kind, int *group)
{
	struct test_shape s;

	s.M = 4 * (test_random_in(rng, 0, 6) ? test_random_in(rng, 1, 12)
					     : test_random_in(rng, 63, 70));
	s.N = kind->n_align * test_random_in(rng, 1, test_random_in(rng, 0, 6) ? 3 : 9);
	do
		*group = 32 * test_random_in(rng, 1, test_random_in(rng, 0, 4) ? 8 : 40);
	while (*group > kind->group_max);
	s.K = *group * test_random_in(rng, 1, 6);
	return s;
}

static void groups_follow(const char *env, uint64_t seed, int count)
{
	struct test_rng rng = { seed };
	int fd = test_open(env);

	for (int i = 0; i < count; i++) {
		const struct kind *kind = &kinds[i % 2];
		struct rocket_matmul_stats stats;
		struct problem p;
		int group;
		struct test_shape s = shape_of(&rng, kind, &group);

		p = begin(kind, &rng, s, group);
		assert_int_equal(run(fd, &p), ROCKET_OK);
		rocket_matmul_last_stats(&stats);
		assert_int_equal(group % stats.kt, 0);
		require(&p, stats.kt);
		end(&p);
	}
	rocket_close(fd);
}

static void scaled_groups_follow_the_documented_order(void **state)
{
	(void)state;
	groups_follow("", 200, 40);
}

static void scaled_groups_do_not_depend_on_tile_order(void **state)
{
	(void)state;
	groups_follow("ROCKET_REUSE=1 ROCKET_MM_MT=8", 210, 8);
	groups_follow("ROCKET_REUSE=2 ROCKET_MM_NT=64", 220, 8);
	groups_follow("ROCKET_MM_KT=32 ROCKET_BATCH_SUBMIT=1", 230, 8);
}

/* The group's parts are the longest that fit; the int4 group is one tile. */
static void group_tiles_are_the_recorded_ones(void **state)
{
	static const struct {
		int kind, M, K, N, group, mt, kt, nt, tasks;
	} rows[] = { { 0, 64, 2048, 256, 128, 64, 128, 256, 16 },
		     { 0, 256, 2880, 576, 960, 256, 480, 192, 18 },
		     { 1, 64, 1024, 256, 128, 64, 128, 256, 8 } };
	struct test_rng rng = { 240 };
	int fd = test_open("");

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct problem p = begin(&kinds[rows[i].kind], &rng,
					 (struct test_shape){ rows[i].M, rows[i].K, rows[i].N },
					 rows[i].group);
		struct rocket_matmul_stats stats;

		assert_int_equal(run(fd, &p), ROCKET_OK);
		rocket_matmul_last_stats(&stats);
		assert_int_equal(stats.tasks, rows[i].tasks);
		assert_true(stats.mt == rows[i].mt && stats.kt == rows[i].kt &&
			    stats.nt == rows[i].nt);
		end(&p);
	}
	rocket_close(fd);
}

/* The largest sums of int4: nothing is clamped up to the largest group. */
static void int4_groups_never_reach_the_clamp(void **state)
{
	struct test_rng rng = { 250 };
	int fd = test_open("");
	struct problem p = begin(&kinds[1], &rng, (struct test_shape){ 4, 1280, 64 }, 640);

	(void)state;
	memset(p.a, 7, 4 * 1280);
	memset(p.b, -7, 64 * 1280);
	assert_int_equal(run(fd, &p), ROCKET_OK);
	require(&p, 640);
	end(&p);
	rocket_close(fd);
}

static void bad_groups_are_refused_with_one_line(void **state)
{
	static int8_t a[8 * 2688], b[64 * 2688];
	static float as[8 * 84], bs[64 * 84], c[8 * 64];
	const struct {
		int kinds, M, K, group;
		const float *as, *bs;
		float *c;
		const char *reason;
	} rows[] = {
		{ 3, 8, 128, 0, as, bs, c, "group 0 does not divide K=128" },
		{ 3, 8, 128, -32, as, bs, c, "group -32 does not divide K=128" },
		{ 3, 8, 128, 96, as, bs, c, "group 96 does not divide K=128" },
		{ 3, 8, 128, 256, as, bs, c, "group 256 does not divide K=128" },
		{ 3, 8, 128, 16, as, bs, c, "is not a multiple of 32 that divides K" },
		{ 3, 1, 128, 32, as, bs, c, "M is not a multiple of 4" },
		{ 3, 8, 144, 48, as, bs, c, "K is not a multiple of 32" },
		{ 3, 8, 128, 32, NULL, bs, c, "a_scale is NULL" },
		{ 3, 8, 128, 32, as, NULL, c, "b_scale is NULL" },
		{ 3, 8, 128, 32, as, bs, as, "C overlaps a_scale" },
		{ 3, 8, 128, 32, as, c, c, "C overlaps b_scale" },
		{ 3, 8, 128, 32, (float *)(void *)((uint8_t *)as + 2), bs, c,
		  "a_scale is not aligned" },
		{ 2, 8, 1344, 672, as, bs, c, "can sum to more than int16 holds" },
	};
	int fd = test_open(""), ret;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int k = 0; k < 2; k++) {
			if (!(rows[i].kinds >> k & 1))
				continue;
			test_log_start();
			ret = kinds[k].multiply(fd, rows[i].M, rows[i].K, 64, a, b, rows[i].as,
						rows[i].bs, rows[i].c, rows[i].group);
			test_require_refusal(kinds[k].name, i, ret, ROCKET_E_SHAPE, rows[i].reason);
		}
	test_log_start();
	assert_int_equal(rocket_matmul_plan_int8_gw(8, 128, 64, 0, NULL, NULL, NULL),
			 ROCKET_E_SHAPE);
	assert_int_equal(test_log_errors(), 1);
	assert_int_equal(rocket_matmul_plan_int8_gw(64, 2048, 256, 128, NULL, NULL, NULL), 16);
	rocket_close(fd);
}

static void failing_group_calls_lose_nothing(void **state)
{
	static const enum inject_kind faults[] = { INJECT_ALLOC, INJECT_IOCTL, INJECT_MMAP };
	struct test_rng rng = { 260 };

	(void)state;
	for (unsigned f = 0; f < 3; f++)
		for (int k = 0; k < 2; k++) {
			struct problem p =
				begin(&kinds[k], &rng, (struct test_shape){ 8, 128, 64 }, 64);
			int ret = -1, before = inject_live_buffers();

			for (unsigned n = 0; ret; n++) {
				int fd = test_open(""), buffers = inject_live_buffers();
				int fired;

				test_log_start();
				inject_start(faults[f], n);
				ret = run(fd, &p);
				fired = inject_stop();
				assert_int_equal(fired, ret != ROCKET_OK);
				if (ret) {
					assert_int_equal(test_log_errors(), 1);
					assert_int_equal(inject_live_buffers(), buffers);
				} else {
					require(&p, 64);
				}
				rocket_close(fd);
				assert_true(n > 0 || ret);
			}
			assert_true(inject_live_buffers() >= before);
			end(&p);
		}
}

/* Jobs have 64 tasks: they end within a tile of C, which has 30 groups, or more than a job. */
static void groups_that_jobs_share_are_added_in_order(void **state)
{
	static const int ks[] = { 960, 4480 };
	struct test_rng rng = { 340 };

	(void)state;
	for (unsigned k = 0; k < 2; k++)
		for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			const struct test_shape s = { k ? 8 : 44, ks[k], 3 * kinds[i].n_align };
			char env[64];
			struct problem p;
			int fd;

			snprintf(env, sizeof(env), "ROCKET_MM_NT=%d", kinds[i].n_align);
			fd = test_open(env);
			p = begin(&kinds[i], &rng, s, 32);
			assert_int_equal(run(fd, &p), ROCKET_OK);
			require(&p, 32);
			end(&p);
			rocket_close(fd);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scaled_groups_follow_the_documented_order),
		cmocka_unit_test(scaled_groups_do_not_depend_on_tile_order),
		cmocka_unit_test(group_tiles_are_the_recorded_ones),
		cmocka_unit_test(groups_that_jobs_share_are_added_in_order),
		cmocka_unit_test(int4_groups_never_reach_the_clamp),
		cmocka_unit_test(bad_groups_are_refused_with_one_line),
		cmocka_unit_test(failing_group_calls_lose_nothing),
	};

	return test_run_group("groups", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

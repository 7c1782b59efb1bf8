// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_rows.c - products on plain rows in the NPU's memory, on the simulated NPU. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "inject.h"
#include "lib/ops/matmul_stats.h"
#include "lib/plan/matmul_plan.h"
#include "reference.h"

enum { FP16, F32OUT, INT8, TYPES };

static const struct {
	const char *name;
	size_t a_bytes, c_bytes;
	int n_align;
} types[TYPES] = { { "fp16", 2, 2, 16 }, { "f32out", 2, 4, 16 }, { "int8", 1, 4, 32 } };

static rocket_mm_rows *create(int type, int fd, struct test_shape s, const void *b)
{
	switch (type) {
	case FP16:
		return rocket_mm_rows_create_fp16(fd, s.M, s.K, s.N, b);
	case F32OUT:
		return rocket_mm_rows_create_fp16_f32out(fd, s.M, s.K, s.N, b);
	default:
		return rocket_mm_rows_create_int8(fd, s.M, s.K, s.N, b);
	}
}

static void *operand(int type, struct test_rng *rng, size_t count)
{
	return type == INT8 ? (void *)test_bytes(rng, count)
			    : (void *)test_halves(rng, count, TEST_FILL_UNIFORM);
}

static void require_right(int type, struct test_shape s, const void *a, const void *b,
			  const void *c, int kt)
{
	struct reference_fp16 *ref =
		type == INT8 ? NULL : reference_fp16_create(s.M, s.K, s.N, a, b);

	for (int m = 0; m < s.M; m++)
		for (int n = 0; n < s.N; n++) {
			const size_t at = (size_t)m * s.N + n;
			_Float16 half;
			int32_t sum;
			float wide;
			bool same;

			if (type == INT8) {
				sum = (int32_t)reference_int8(s.K,
							      (const int8_t *)a + (size_t)m * s.K,
							      (const int8_t *)b + (size_t)n * s.K);
				same = ((const int32_t *)c)[at] == sum;
			} else if (type == FP16) {
				half = reference_device_sum(ref, m, n, kt);
				same = !memcmp((const _Float16 *)c + at, &half, sizeof(half));
			} else {
				wide = reference_f32out_sum(ref, m, n, s.K);
				same = !memcmp((const float *)c + at, &wide, sizeof(wide));
			}
			if (!same)
				fail_msg("%s %dx%dx%d: C[%d][%d] differs", types[type].name, s.M,
					 s.K, s.N, m, n);
		}
	if (ref)
		reference_fp16_free(ref);
}

/* Twice with different A: the second must not find the first. */
static void run_right(int fd, struct test_rng *rng, int type, struct test_shape s)
{
	const size_t a_bytes = (size_t)s.M * s.K * types[type].a_bytes;
	void *b = operand(type, rng, (size_t)s.N * s.K);
	rocket_mm_rows *r = create(type, fd, s, b);
	struct rocket_matmul_stats stats;

	if (!r)
		fail_msg("%s %dx%dx%d: refused", types[type].name, s.M, s.K, s.N);
	for (int round = 0; round < 2; round++) {
		void *a = operand(type, rng, (size_t)s.M * s.K);

		memcpy(rocket_mm_rows_a(r), a, a_bytes);
		assert_int_equal(rocket_mm_rows_run(r), ROCKET_OK);
		rocket_matmul_last_stats(&stats);
		assert_int_equal(stats.packed_bytes | stats.unpacked_bytes, 0);
		assert_memory_equal(rocket_mm_rows_a(r), a, a_bytes);
		require_right(type, s, a, b, rocket_mm_rows_c(r), stats.kt);
		free(a);
	}
	rocket_mm_rows_free(r);
	free(b);
}

static struct test_shape some_shape(struct test_rng *rng, int type)
{
	struct test_shape s = test_random_shape(rng, 32, types[type].n_align);

	if (s.M == 1)
		s.M = 4;
	/* The last rows of an fp16 product that takes several K tiles. */
	if (type == FP16 && s.M % 256 && s.M % 256 < 12)
		s.M += 12;
	return s;
}

static void products_in_rows_are_right(void **state)
{
	static const char *const envs[] = {
		"",
		"ROCKET_BATCH_SUBMIT=1",
		"ROCKET_MM_MT=16 ROCKET_MM_NT=32",
		"ROCKET_REUSE=1 ROCKET_MM_MT=16",
		"ROCKET_REUSE=2 ROCKET_MM_NT=64",
	};
	struct test_rng rng = { 700 };

	(void)state;
	for (unsigned e = 0; e < sizeof(envs) / sizeof(envs[0]); e++) {
		int fd = test_open(envs[e]);

		for (int i = 0; i < 12; i++)
			run_right(fd, &rng, i % TYPES, some_shape(&rng, i % TYPES));
		rocket_close(fd);
	}
}

/* Partials are cubes, the last sum is written as rows. */
static void k_steps_end_in_rows(void **state)
{
	static const char *const envs[] = { "ROCKET_MM_KT=64",
					    "ROCKET_MM_KT=96 ROCKET_MM_MT=12 ROCKET_MM_NT=48",
					    "ROCKET_MM_KT=64 ROCKET_KACC_CHAIN=2",
					    "ROCKET_MM_KT=64 ROCKET_KACC=0",
					    "ROCKET_MM_KT=32 ROCKET_BATCH_SUBMIT=1" };
	static const struct test_shape shapes[] = { { 12, 192, 48 },
						    { 36, 320, 112 },
						    { 48, 96, 16 } };
	struct test_rng rng = { 710 };

	(void)state;
	for (unsigned e = 0; e < sizeof(envs) / sizeof(envs[0]); e++) {
		int fd = test_open(envs[e]);

		for (unsigned i = 0; i < 3; i++)
			run_right(fd, &rng, FP16, shapes[i]);
		rocket_close(fd);
	}
}

/* The longest K of which a tile fits. */
static void long_k_takes_one_tile_or_is_refused(void **state)
{
	static const struct {
		int type;
		struct test_shape s;
		bool good;
	} rows[] = {
		/* 3 banks of A and 9 of B; with int8 2 and 9, and one that stays free */
		{ F32OUT, { 4, 9216, 16 }, true }, { F32OUT, { 4, 9248, 16 }, false },
		{ INT8, { 4, 9216, 32 }, true },   { INT8, { 4, 9248, 32 }, false },
		{ FP16, { 12, 16384, 16 }, true }, { FP16, { 4, 9216, 16 }, true },
		{ FP16, { 4, 9248, 16 }, false },  { FP16, { 264, 1024, 32 }, true },
	};
	struct test_rng rng = { 720 };
	int fd = test_open("");

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].good) {
			run_right(fd, &rng, rows[i].type, rows[i].s);
			continue;
		}
		test_log_start();
		assert_null(create(rows[i].type, fd, rows[i].s, (void *)64));
		assert_int_equal(test_log_errors(), 1);
		assert_non_null(strstr(test_log_last(), "no tile that fits holds all of K"));
	}
	rocket_close(fd);
}

/* The pitch of its rows is a field of 13 bits, in atoms. */
static void rows_of_c_are_128_kib_at_most(void **state)
{
	static const int longest[TYPES] = { [FP16] = 65536, [F32OUT] = 32768, [INT8] = 32768 };
	struct test_rng rng = { 740 };
	int fd = test_open("");

	(void)state;
	for (int type = 0; type < TYPES; type++) {
		const struct test_shape s = { 4, 32, longest[type] + types[type].n_align };

		run_right(fd, &rng, type, (struct test_shape){ 4, 32, longest[type] });
		test_log_start();
		assert_null(create(type, fd, s, (void *)64));
		assert_int_equal(test_log_errors(), 1);
		assert_non_null(strstr(test_log_last(), "at most"));
	}
	rocket_close(fd);
}

static void plans_in_rows_are_of_known_types(void **state)
{
	struct rocket_settings set = test_settings();
	char why[160];

	(void)state;
	for (int i = 0; i < 4 * (ROCKET_MM_TYPES + 2); i++) {
		const int t = i / 4 - 1;
		bool known = t == ROCKET_MM_FP16_FP16 || t == ROCKET_MM_FP16_FP32 ||
			     t == ROCKET_MM_INT8_INT32;
		struct rocket_matmul_plan plan;
		int ret;

		set.reuse = ROCKET_REUSE_AUTO + i % 4;
		ret = rocket_matmul_plan_rows((enum rocket_matmul_type)t, &test_rk3588, &set, 0,
					      512, 128, 192, &plan, why, sizeof(why));

		assert_int_equal(ret, known ? 0 : ROCKET_E_UNSUPPORTED);
		for (uint32_t k = 0; k < plan.n_steps; k++)
			assert_int_equal(plan.steps[k].weight_reuse, 0);
		rocket_matmul_plan_free(&plan);
	}
}

static void bad_products_in_rows_are_refused(void **state)
{
	static _Float16 b[64 * 64];
	const struct {
		struct test_shape s;
		const void *b;
		const char *reason;
	} rows[] = {
		{ { 1, 64, 32 }, b, "M is not a multiple of 4" },
		{ { 8, 48, 32 }, b, "K is not a multiple of 32" },
		{ { 8, 64, 24 }, b, "N is not a multiple of" },
		{ { 8, 64, 0 }, b, "N is not in 1..2^24" },
		{ { 8, 64, 32 }, NULL, "B is NULL" },
		{ { 1 << 20, 4096, 32 }, b, "4096 MiB address space" },
	};
	int fd = test_open("");
	rocket_mm_rows *r;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int type = 0; type < TYPES; type++) {
			int buffers = inject_live_buffers();

			test_log_start();
			r = create(type, fd, rows[i].s, rows[i].b);
			test_require_refusal(types[type].name, i, r ? 0 : -1, -1, rows[i].reason);
			assert_int_equal(inject_live_buffers(), buffers);
		}
	test_log_start();
	assert_int_equal(rocket_mm_rows_run(NULL), ROCKET_E_SHAPE);
	assert_null(create(FP16, -1, (struct test_shape){ 8, 64, 32 }, b));
	assert_int_equal(test_log_errors(), 2);
	assert_null(rocket_mm_rows_a(NULL));
	assert_null(rocket_mm_rows_c(NULL));
	rocket_mm_rows_free(NULL);

	r = create(FP16, fd, (struct test_shape){ 8, 64, 32 }, b);
	assert_int_equal(rocket_mm_rows_run(r), ROCKET_OK);
	rocket_close(fd);
	test_log_start();
	assert_int_equal(rocket_mm_rows_run(r), ROCKET_E_SHAPE);
	assert_int_equal(test_log_errors(), 1);
	rocket_mm_rows_free(r);
}

static void failing_products_in_rows_lose_nothing(void **state)
{
	static const enum inject_kind faults[] = { INJECT_ALLOC, INJECT_IOCTL, INJECT_MMAP,
						   INJECT_FAULT };
	const struct test_shape s = { 16, 128, 32 };
	struct test_rng rng = { 730 };
	void *a = operand(FP16, &rng, 16 * 128), *b = operand(FP16, &rng, 32 * 128);

	(void)state;
	for (unsigned f = 0; f < sizeof(faults) / sizeof(faults[0]); f++) {
		int ret = -1;

		for (unsigned n = 0; ret; n++) {
			int fd = test_open("ROCKET_MM_KT=64"), buffers = inject_live_buffers();
			rocket_mm_rows *r;
			int fired;

			test_log_start();
			inject_start(faults[f], n);
			r = create(FP16, fd, s, b);
			if (r)
				memcpy(rocket_mm_rows_a(r), a, 16 * 128 * 2);
			ret = r ? rocket_mm_rows_run(r) : -1;
			fired = inject_stop();
			assert_int_equal(fired, ret != ROCKET_OK);
			assert_int_equal(test_log_errors(), fired);
			if (r) {
				/* It can be run again after a failure. */
				assert_int_equal(rocket_mm_rows_run(r), ROCKET_OK);
				require_right(FP16, s, a, b, rocket_mm_rows_c(r), 64);
			}
			rocket_mm_rows_free(r);
			assert_int_equal(inject_live_buffers(), buffers);
			rocket_close(fd);
			assert_true(n > 0 || ret);
		}
	}
	free(a);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_in_rows_are_right),
		cmocka_unit_test(k_steps_end_in_rows),
		cmocka_unit_test(long_k_takes_one_tile_or_is_refused),
		cmocka_unit_test(rows_of_c_are_128_kib_at_most),
		cmocka_unit_test(plans_in_rows_are_of_known_types),
		cmocka_unit_test(bad_products_in_rows_are_refused),
		cmocka_unit_test(failing_products_in_rows_lose_nothing),
	};

	setenv("ROCKET_SIM_TIMEOUT_MS", "20", 1);
	return test_run_group("rows", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

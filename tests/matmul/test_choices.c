// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_choices.c - what a planner chooses by its settings, and what it refuses. */
#include <stdlib.h>
#include <string.h>

#include "lib/plan/matmul_plan.h"
#include "lib/plan/tiler.h"
#include "rocket_npu.h"
#include "support.h"

static char why[256];

static struct rocket_matmul_plan make(const struct rocket_settings *set, int batched,
				      enum rocket_matmul_type type, int M, int K, int N)
{
	struct rocket_matmul_plan plan;

	if (rocket_matmul_plan_make(type, &test_rk3588, set, batched, M, K, N, &plan, why,
				    sizeof(why)))
		fail_msg("%s", why);
	return plan;
}

static void chain_of_k_steps_engages_by_its_setting(void **state)
{
	static const struct {
		int chain, batched, K, chained;
	} rows[] = {
		{ 0, 1, 2048, 0 },     { 1, 1, 2048, 1 },     { 1, 0, 2048, 0 },
		{ 1, 1, 512 * 21, 1 }, { 1, 1, 512 * 22, 0 }, { 2, 1, 512 * 22, 1 },
		{ 2, 1, 512 * 64, 1 }, { 2, 1, 512 * 65, 0 }, { 1, 1, 512, 0 },
		{ 2, 1, 512, 0 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rocket_settings set = test_settings();
		struct rocket_matmul_plan p;

		set.kacc_chain = rows[i].chain;
		set.mm_kt = 512;
		set.mm_nt = 128;
		p = make(&set, rows[i].batched, ROCKET_MM_FP16_FP16, 256, rows[i].K, 512);
		assert_int_equal(p.tiles.nk, rows[i].K / 512);
		assert_int_equal(p.jobs[0].chained, rows[i].chained);
		rocket_matmul_plan_free(&p);
	}
}

static void short_last_rows_accumulate_on_the_host(void **state)
{
	static const struct {
		int M, K, device;
	} rows[] = {
		{ 4, 8192, 0 },   { 4, 32, 1 },     { 8, 1024, 1 },
		{ 8, 8192, 0 },   { 12, 8192, 1 },  { 260, 32, 0 },
		{ 260, 8192, 0 }, { 264, 8192, 0 }, { 268, 8192, 1 },
	};
	struct rocket_settings set = test_settings();

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rocket_matmul_plan p =
			make(&set, 1, ROCKET_MM_FP16_FP16, rows[i].M, rows[i].K, 64);

		assert_int_equal(p.device_accumulates, rows[i].device);
		rocket_matmul_plan_free(&p);
	}
}

/* What streamed through is not there any more; what stayed is. */
static void streamed_tiles_keep_features_but_no_weights(void **state)
{
	static const struct {
		int reuse, M, N;
		unsigned weight, data; /* bits set in the two K steps */
	} rows[] = {
		{ ROCKET_REUSE_WEIGHT, 1024, 4096, 0, 0 },
		{ ROCKET_REUSE_AUTO, 1024, 4096, 0, 0 },
		{ ROCKET_REUSE_DATA, 512, 24576, 0, 2 * 4 },
		{ ROCKET_REUSE_AUTO, 1024, 24576, 0, 2 * 8 },
		{ ROCKET_REUSE_OFF, 1024, 24576, 0, 0 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rocket_settings set = test_settings();
		unsigned weight = 0, data = 0;
		struct rocket_matmul_plan p;

		set.mm_stream = 1;
		set.reuse = rows[i].reuse;
		p = make(&set, 0, ROCKET_MM_FP16_FP16, rows[i].M, 1280, rows[i].N);
		assert_true(p.tiles.streamed);
		for (uint32_t k = 0; k < p.n_steps; k++) {
			weight += p.steps[k].weight_reuse;
			data += p.steps[k].data_reuse;
		}
		assert_int_equal(weight, rows[i].weight);
		assert_int_equal(data, rows[i].data);
		rocket_matmul_plan_free(&p);
	}
}

/* Where the host adds, a job ends before its results outgrow 16 MiB. */
static void streamed_results_of_a_job_are_bounded(void **state)
{
	static const struct {
		enum rocket_matmul_type type;
		int kacc, M, K, N;
		uint32_t tasks, first_job, jobs;
	} rows[] = {
		/* 256 x 640 x 4096: results of 4 MiB, halves of 2 MiB. */
		{ ROCKET_MM_FP16_FP32, 1, 512, 3840, 4096, 12, 4, 3 },
		{ ROCKET_MM_FP16_FP16, 0, 512, 3840, 4096, 12, 8, 2 },
		{ ROCKET_MM_FP16_FP32, 1, 256, 1280, 16384, 4, 2, 2 },
		/* 4 x 2048 x 8192 */
		{ ROCKET_MM_FP16_FP32, 1, 4, 8192, 8192, 4, 4, 1 },
		{ ROCKET_MM_FP16_FP32, 1, 1020, 64, 8192, 4, 2, 2 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rocket_settings set = test_settings();
		struct rocket_matmul_plan p;

		set.mm_stream = 1;
		set.kacc = rows[i].kacc;
		p = make(&set, 0, rows[i].type, rows[i].M, rows[i].K, rows[i].N);
		if (!p.tiles.streamed || p.n_steps != rows[i].tasks || p.n_jobs != rows[i].jobs ||
		    p.jobs[0].count != rows[i].first_job)
			fail_msg("row %u: %u tasks in %u jobs, %u in the first", i, p.n_steps,
				 p.n_jobs, p.jobs[0].count);
		assert_int_equal(p.out_bytes[0], p.out_slot * rows[i].first_job);
		rocket_matmul_plan_free(&p);
	}
}

static void partial_buffers_hold_what_is_asked(void **state)
{
	struct rocket_settings set = test_settings();
	struct rocket_matmul_plan few, many;

	(void)state;
	few = make(&set, 0, ROCKET_MM_FP16_FP16, 64, 2048, 512);
	set.kacc_batchout = 1;
	many = make(&set, 0, ROCKET_MM_FP16_FP16, 64, 2048, 512);
	assert_int_equal(few.out_bytes[0], few.out_slot * few.tiles.nm * few.tiles.nn);
	assert_int_equal(many.out_bytes[0], many.out_slot * 64);
	assert_int_equal(many.out_bytes[1], many.out_slot * 64);
	assert_int_equal(few.n_jobs, many.n_jobs);
	rocket_matmul_plan_free(&few);
	rocket_matmul_plan_free(&many);
}

static void tile_overrides_round_down_and_stay_inside_the_problem(void **state)
{
	static const struct {
		int mt, nt, kt;                /* settings */
		int want_mt, want_kt, want_nt; /* tile */
	} rows[] = {
		{ 3, 0, 0, 256, 512, 128 },    { 67, 0, 0, 64, 1024, 128 },
		{ 9999, 0, 0, 512, 288, 128 }, { 0, 15, 0, 256, 384, 256 },
		{ 0, 79, 0, 256, 576, 64 },    { 0, 0, 100, 256, 96, 128 },
		{ 0, 0, 9999, 256, 512, 128 }, { 0, 0, 31, 256, 512, 128 },
		{ 64, 64, 64, 64, 64, 64 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rocket_settings set = test_settings();
		struct rocket_matmul_tiles t;

		set.mm_mt = rows[i].mt;
		set.mm_nt = rows[i].nt;
		set.mm_kt = rows[i].kt;
		assert_true(rocket_matmul_tile(ROCKET_MM_FP16_FP16, &test_rk3588, &set, 512, 2048,
					       512, &t, why, sizeof(why)) > 0);
		if (t.mt != rows[i].want_mt || t.kt != rows[i].want_kt || t.nt != rows[i].want_nt)
			fail_msg("row %u: got %d/%d/%d", i, t.mt, t.kt, t.nt);
	}
}

static void tile_overrides_stay_inside_the_registers(void **state)
{
	static const struct {
		int mt, nt;
	} rows[] = { { 1 << 24, 0 }, { 1 << 24, 64 }, { 4, 1 << 24 }, { 1 << 24, 1 << 24 } };

	(void)state;
	for (unsigned i = 0; i < ROCKET_MM_TYPES * sizeof(rows) / sizeof(rows[0]); i++) {
		const enum rocket_matmul_type type = (enum rocket_matmul_type)(i / 4);
		uint64_t words[ROCKET_RK3588_MATMUL_WORDS];
		struct rocket_settings set = test_settings();
		struct rocket_matmul_tiles t;
		struct rocket_matmul_task task;

		set.mm_mt = rows[i % 4].mt;
		set.mm_nt = rows[i % 4].nt;
		assert_true(rocket_matmul_tile(type, &test_rk3588, &set, 2048, 32, 16384, &t, why,
					       sizeof(why)) > 0);
		task = (struct rocket_matmul_task){ .type = type,
						    .m = (uint32_t)t.mt,
						    .k = (uint32_t)t.kt,
						    .n = (uint32_t)t.nt,
						    .weights = 0x10000000,
						    .output = 0x20000000 };
		if (rocket_rk3588_matmul(&task, words, ROCKET_RK3588_MATMUL_WORDS, why,
					 sizeof(why)) < 0)
			fail_msg("type %d, row %u: %s", (int)type, i % 4, why);
	}
}

/* Only fp16 weights stream, and those have to be asked for. */
static void overridden_tiles_of_groups_fit_the_banks(void **state)
{
	static const struct {
		enum rocket_matmul_type type;
		int group, mt, nt, want_mt, want_nt;
	} rows[] = {
		/* 10 banks of A and 2 of B; 1 and 11; 3 and 9 */
		{ ROCKET_MM_INT4_INT16, 640, 1020, 0, 1020, 192 },
		{ ROCKET_MM_INT4_INT16, 640, 4, 8192, 4, 1088 },
		{ ROCKET_MM_INT4_INT16, 640, 0, 8192, 256, 896 },
		{ ROCKET_MM_INT4_INT16, 32, 1020, 8192, 1020, 8192 },
		{ ROCKET_MM_INT8_INT32, 640, 1020, 8192, 1020, 8192 },
	};
	const int K = 1280, N = 8192;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct rocket_matmul_limits limits = { 0, true, rows[i].group };
		struct rocket_settings set = test_settings();
		struct rocket_matmul_tiles t;

		set.mm_mt = rows[i].mt;
		set.mm_nt = rows[i].nt;
		assert_true(rocket_matmul_tile_within(rows[i].type, &test_rk3588, &set, &limits,
						      1024, K, N, &t, why, sizeof(why)) > 0);
		if (t.streamed || t.mt != rows[i].want_mt || t.nt != rows[i].want_nt)
			fail_msg("row %u: %d/%d/%d%s", i, t.mt, t.kt, t.nt,
				 t.streamed ? ", streamed" : "");
	}
}

static void plan_refuses_with_the_rule_that_is_broken(void **state)
{
	static const struct {
		enum rocket_matmul_type type;
		int M, K, N, status;
		const char *reason;
	} rows[] = {
		{ ROCKET_MM_FP16_FP16, 0, 32, 16, ROCKET_E_SHAPE, "M is not in 1..2^24" },
		{ ROCKET_MM_FP16_FP16, 4, -32, 16, ROCKET_E_SHAPE, "K is not in 1..2^24" },
		{ ROCKET_MM_FP16_FP16, 4, 32, (1 << 24) + 16, ROCKET_E_SHAPE,
		  "N is not in 1..2^24" },
		{ ROCKET_MM_FP16_FP16, 6, 32, 16, ROCKET_E_SHAPE, "M is not a multiple of 4" },
		{ ROCKET_MM_FP16_FP16, 4, 40, 16, ROCKET_E_SHAPE, "K is not a multiple of 32" },
		{ ROCKET_MM_FP16_FP16, 4, 32, 24, ROCKET_E_SHAPE, "N is not a multiple of 16" },
		{ ROCKET_MM_INT8_INT32, 4, 32, 16, ROCKET_E_SHAPE, "N is not a multiple of 32" },
		{ ROCKET_MM_INT8_INT32, 1 << 24, 1 << 24, 1 << 24, ROCKET_E_SHAPE, "2^31" },
		{ ROCKET_MM_FP16_FP32, 424, 424, 424, ROCKET_E_SHAPE, "K is not a multiple" },
		{ ROCKET_MM_FP16_FP16, 1 << 20, 4096, 16, ROCKET_E_NOMEM, "MiB" },
		{ ROCKET_MM_INT8_INT32, 32, 1 << 16, 1 << 16, ROCKET_E_NOMEM, "4096 MiB" },
		{ (enum rocket_matmul_type)9, 4, 32, 16, ROCKET_E_SHAPE, "type 9" },
	};
	struct rocket_settings set = test_settings();

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rocket_matmul_plan p;

		why[0] = '\0';
		assert_int_equal(rocket_matmul_plan_make(rows[i].type, &test_rk3588, &set, 1,
							 rows[i].M, rows[i].K, rows[i].N, &p, why,
							 sizeof(why)),
				 rows[i].status);
		if (!strstr(why, rows[i].reason))
			fail_msg("row %u: reason \"%s\" does not say \"%s\"", i, why,
				 rows[i].reason);
		assert_null(p.steps);
		/* The reason is optional. */
		assert_int_equal(rocket_matmul_plan_make(rows[i].type, &test_rk3588, &set, 1,
							 rows[i].M, rows[i].K, rows[i].N, &p, NULL,
							 0),
				 rows[i].status);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chain_of_k_steps_engages_by_its_setting),
		cmocka_unit_test(short_last_rows_accumulate_on_the_host),
		cmocka_unit_test(streamed_tiles_keep_features_but_no_weights),
		cmocka_unit_test(streamed_results_of_a_job_are_bounded),
		cmocka_unit_test(partial_buffers_hold_what_is_asked),
		cmocka_unit_test(tile_overrides_round_down_and_stay_inside_the_problem),
		cmocka_unit_test(tile_overrides_stay_inside_the_registers),
		cmocka_unit_test(overridden_tiles_of_groups_fit_the_banks),
		cmocka_unit_test(plan_refuses_with_the_rule_that_is_broken),
	};

	return test_run_group("choices", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

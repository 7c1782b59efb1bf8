// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * test_chain.c - jobs whose programs form a chain: run in one kick where the driver can, never
 * laid out where it cannot, and never mistaken for good where the flag is lost on the way.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "inject.h"
#include "lib/ops/matmul_stats.h"
#include "sim/dev/sim_dev.h"

/* Several tiles and K steps of each type: sums of small integers, the same in every order. */
#define M     32
#define K     256
#define N     128
#define TILES "ROCKET_MM_MT=16 ROCKET_MM_NT=64 ROCKET_MM_KT=64 "

static int8_t a8[M * K], b8[N * K];
static int16_t a16[M * K], b16[N * K];
static _Float16 ah[M * K], bh[N * K], ch[M * N];
static float af[M * K], bf[N * K], cf[M * N];
static int32_t c32[M * N];
static int64_t c64[M * N];
static int64_t want[M * N];

static void fill(void)
{
	struct test_rng rng = { 600 };

	for (int i = 0; i < M * K; i++) {
		a8[i] = (int8_t)test_random_in(&rng, -2, 2);
		ah[i] = (_Float16)a8[i];
		af[i] = a8[i];
		a16[i] = a8[i];
	}
	for (int i = 0; i < N * K; i++) {
		b8[i] = (int8_t)test_random_in(&rng, -2, 2);
		bh[i] = (_Float16)b8[i];
		bf[i] = b8[i];
		b16[i] = b8[i];
	}
	for (int m = 0; m < M; m++)
		for (int n = 0; n < N; n++)
			for (int k = 0; k < K; k++)
				want[m * N + n] += a8[m * K + k] * b8[n * K + k];
}

static int run_fp16(int fd)
{
	return rocket_matmul_fp16(fd, M, K, N, ah, bh, ch);
}

static int run_f32out(int fd)
{
	return rocket_matmul_fp16_f32out(fd, M, K, N, ah, bh, cf);
}

static int run_bf16(int fd)
{
	return rocket_matmul_bf16(fd, M, K, N, af, bf, cf);
}

static int run_tf32(int fd)
{
	return rocket_matmul_tf32(fd, M, K, N, af, bf, cf);
}

static int run_int8(int fd)
{
	return rocket_matmul_int8(fd, M, K, N, a8, b8, c32);
}

static int run_int4(int fd)
{
	return rocket_matmul_int4(fd, M, K, N, a8, b8, c32);
}

static int run_int16(int fd)
{
	return rocket_matmul_int16_exact(fd, M, K, N, a16, b16, c64);
}

/* Which types are known to be exact in a chain. */
static const struct {
	const char *name;
	int (*run)(int fd);
	enum { HALVES, FLOATS, INTS, LONGS } result;
	bool chains;
} types[] = {
	{ "fp16", run_fp16, HALVES, true },  { "f32out", run_f32out, FLOATS, true },
	{ "int8", run_int8, INTS, true },    { "int16", run_int16, LONGS, true },
	{ "int4", run_int4, INTS, false },   { "bf16", run_bf16, FLOATS, false },
	{ "tf32", run_tf32, FLOATS, false },
};
#define N_TYPES (sizeof(types) / sizeof(types[0]))

static void require_right(unsigned type)
{
	for (int i = 0; i < M * N; i++) {
		int64_t got = types[type].result == HALVES   ? (int64_t)ch[i]
			      : types[type].result == FLOATS ? (int64_t)cf[i]
			      : types[type].result == INTS   ? c32[i]
							     : c64[i];

		if (got != want[i])
			fail_msg("%s: element %d is %lld, not %lld", types[type].name, i,
				 (long long)got, (long long)want[i]);
	}
}

static void run_right(int fd, unsigned type, struct rocket_matmul_stats *stats)
{
	memset(ch, 0xff, sizeof(ch));
	memset(cf, 0xff, sizeof(cf));
	memset(c32, 0xff, sizeof(c32));
	memset(c64, 0xff, sizeof(c64));
	assert_int_equal(types[type].run(fd), ROCKET_OK);
	rocket_matmul_last_stats(stats);
	require_right(type);
}

static void set_parameter(long value)
{
	assert_int_equal(sim_dev_param_set("rocket", "rocket_batch_submit", value), 0);
}

/* ---- what the driver can do decides ---- */

static void chains_are_laid_out_where_the_driver_runs_them(void **state)
{
	static const struct {
		const char *driver;
		long parameter;
		bool batched;
	} rows[] = {
		{ "0.0", 1, false }, { "1.0", 1, false }, { "1.1", 0, false },
		{ "1.1", 1, true },  { "1.7", 0, false }, { "1.7", 1, true },
	};
	unsigned warnings = 0;

	(void)state;
	test_log_start();
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned type = 0; type < N_TYPES; type++) {
			struct rocket_matmul_stats stats;
			bool one_kick = rows[i].batched && types[type].chains;
			int fd;

			setenv("ROCKET_SIM_DRIVER", rows[i].driver, 1);
			set_parameter(rows[i].parameter);
			fd = test_open(TILES "ROCKET_BATCH_SUBMIT=1");
			assert_int_equal(rocket_batched_submit_supported(), rows[i].batched);
			run_right(fd, type, &stats);
			if (stats.kicks != (one_kick ? stats.submits : stats.tasks))
				fail_msg("row %u, %s: %u tasks, %u submits, %u kicks", i,
					 types[type].name, stats.tasks, stats.submits, stats.kicks);
			rocket_close(fd);
		}
	/* It is said once. */
	warnings = test_log_warnings();
	assert_int_equal(warnings, 1);
	assert_int_equal(test_log_errors(), 0);
	set_parameter(1);
	unsetenv("ROCKET_SIM_DRIVER");
}

static void k_steps_are_chained_where_the_driver_runs_them(void **state)
{
	static const struct {
		const char *driver, *env;
		unsigned submits, kicks;
	} rows[] = {
		{ "1.0", TILES "ROCKET_KACC_CHAIN=2", 4, 16 },
		{ "1.1", TILES "ROCKET_KACC_CHAIN=2", 1, 1 },
		{ "1.1", TILES "ROCKET_KACC_CHAIN=1", 1, 1 },
		{ "1.1", TILES "ROCKET_KACC_CHAIN=0", 4, 16 },
		{ "1.1", TILES "ROCKET_KACC_CHAIN=2 ROCKET_KACC=0", 1, 16 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rocket_matmul_stats stats;
		int fd;

		setenv("ROCKET_SIM_DRIVER", rows[i].driver, 1);
		fd = test_open(rows[i].env);
		run_right(fd, 0, &stats);
		if (stats.tasks != 16 || stats.submits != rows[i].submits ||
		    stats.kicks != rows[i].kicks)
			fail_msg("row %u: %u tasks, %u submits, %u kicks", i, stats.tasks,
				 stats.submits, stats.kicks);
		rocket_close(fd);
	}
	unsetenv("ROCKET_SIM_DRIVER");
}

/* ---- a chain that does not reach the hardware as one ---- */

/* The programs link to each other and each is kicked alone: the job hangs and is retired. */
static void chain_without_its_flag_fails_loudly(void **state)
{
	static const char *const envs[] = { TILES "ROCKET_BATCH_SUBMIT=1",
					    TILES "ROCKET_KACC_CHAIN=2" };

	(void)state;
	for (unsigned e = 0; e < 2; e++)
		for (unsigned type = 0; type < N_TYPES; type++) {
			int fd = test_open(envs[e]), fired;
			struct rocket_matmul_stats stats;
			int ret;

			test_log_start();
			inject_start(INJECT_UNFLAGGED, 0);
			ret = types[type].run(fd);
			fired = inject_stop();
			/* Every chain has a flag to lose, and nothing else has. */
			assert_int_equal(fired, types[type].chains && (e == 0 || type == 0));
			assert_int_equal(ret, fired ? ROCKET_E_DEVICE : ROCKET_OK);
			assert_int_equal(test_log_errors(), fired);
			run_right(fd, type, &stats);
			rocket_close(fd);
		}
}

/* Switched off behind an open fd: the driver refuses the flag, and nothing is run. */
static void chain_that_the_driver_no_longer_takes_is_refused(void **state)
{
	int fd = test_open(TILES "ROCKET_BATCH_SUBMIT=1");
	struct rocket_matmul_stats stats;

	(void)state;
	run_right(fd, 0, &stats);
	set_parameter(0);
	test_log_start();
	assert_true(run_fp16(fd) < 0);
	assert_int_equal(test_log_errors(), 1);
	set_parameter(1);
	run_right(fd, 0, &stats);
	rocket_close(fd);
}

/* ---- the vendor's driver ---- */

/* What the device counted while fd ran a type. */
static struct npu_counters counted(int fd, unsigned type, struct rocket_matmul_stats *stats)
{
	struct npu_counters n;

	sim_dev_counters_reset(fd);
	run_right(fd, type, stats);
	assert_int_equal(sim_dev_counters(fd, &n), 0);
	assert_int_equal(n.tasks, stats->tasks);
	assert_int_equal(n.kicks, stats->kicks);
	return n;
}

static void vendors_driver_is_given_chains_unless_told_otherwise(void **state)
{
	(void)state;
	for (unsigned type = 0; type < N_TYPES; type++) {
		struct rocket_matmul_stats stats;
		int fd = test_open(TILES);

		counted(fd, type, &stats);
		assert_int_equal(stats.kicks, types[type].chains ? stats.submits : stats.tasks);
		rocket_close(fd);
		fd = test_open(TILES "ROCKET_BATCH_SUBMIT=0");
		counted(fd, type, &stats);
		assert_int_equal(stats.kicks, stats.tasks);
		rocket_close(fd);
	}
}

/* The next task may go to another core, and to another file's tasks in between. */
static void vendors_driver_keeps_nothing_on_chip_between_tasks_apart(void **state)
{
	static const char *const reuse[] = { "ROCKET_REUSE=0", "ROCKET_REUSE=1", "ROCKET_REUSE=2" };

	(void)state;
	for (unsigned type = 0; type < N_TYPES; type++) {
		uint64_t apart[3], chained[3];

		for (unsigned i = 0; i < 3; i++) {
			struct rocket_matmul_stats stats;
			struct npu_counters n;
			char env[160];
			int fd;

			snprintf(env, sizeof(env), TILES "ROCKET_BATCH_SUBMIT=0 %s", reuse[i]);
			fd = test_open(env);
			n = counted(fd, type, &stats);
			apart[i] = n.read_feature + n.read_weight;
			rocket_close(fd);
			snprintf(env, sizeof(env), TILES "%s", reuse[i]);
			fd = test_open(env);
			n = counted(fd, type, &stats);
			chained[i] = n.read_feature + n.read_weight;
			rocket_close(fd);
		}
		assert_int_equal(apart[1], apart[0]);
		assert_int_equal(apart[2], apart[0]);
		assert_int_equal(chained[1] < chained[0], types[type].chains);
		assert_int_equal(chained[2] < chained[0], types[type].chains);
	}
}

static int over_rknpu(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vendors_driver_is_given_chains_unless_told_otherwise),
		cmocka_unit_test(vendors_driver_keeps_nothing_on_chip_between_tasks_apart),
	};

	return test_run_group("chain", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_are_laid_out_where_the_driver_runs_them),
		cmocka_unit_test(k_steps_are_chained_where_the_driver_runs_them),
		cmocka_unit_test(chain_without_its_flag_fails_loudly),
		cmocka_unit_test(chain_that_the_driver_no_longer_takes_is_refused),
	};

	setenv("ROCKET_SIM_TIMEOUT_MS", "20", 1);
	fill();
	if (test_over_rknpu())
		return over_rknpu();
	return test_run_group("chain", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

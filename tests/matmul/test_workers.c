// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_workers.c - what calls over several fds keep and start, and the room that each fd has. */
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "inject.h"
#include "lib/core/pool.h"
#include "lib/ops/matmul_crew.h"
#include "lib/ops/matmul_stats.h"

static void calls_create_no_thread_no_fd_and_no_buffer(void **state)
{
	struct test_rng rng = { 350 };
	const struct test_shape s = { 48, 256, 144 };
	struct test_fp16 h = test_fp16_begin(&rng, s, TEST_FILL_SMALL_INTEGERS);
	struct rocket_matmul_stats stats;
	rocket_ctx *ctx;
	rocket_weights *w;
	int files, buffers, maps;
	unsigned threads;

	(void)state;
	rocket_close(test_open(""));
	ctx = rocket_ctx_create(3);
	w = rocket_weights_pack(ctx, s.M, s.K, s.N, h.b);
	assert_int_equal(rocket_matmul_fp16_prepacked(ctx, s.M, s.K, s.N, h.a, h.c, w), ROCKET_OK);
	files = test_open_files();
	buffers = inject_live_buffers();
	maps = inject_live_maps();
	threads = rocket_pool_threads();
	for (int i = 0; i < 5; i++)
		assert_int_equal(rocket_matmul_fp16_prepacked(ctx, s.M, s.K, s.N, h.a, h.c, w),
				 ROCKET_OK);
	assert_int_equal(test_open_files(), files);
	assert_int_equal(inject_live_buffers(), buffers);
	assert_int_equal(inject_live_maps(), maps);
	assert_int_equal(rocket_pool_threads(), threads);
	/* A alone was packed, once for all three members. */
	rocket_matmul_last_stats(&stats);
	assert_int_equal(stats.packed_bytes, s.M * s.K * 2);
	rocket_weights_free(ctx, w);
	rocket_ctx_free(ctx);
	test_fp16_end(&h);
}

/* Workers are those of the pool whatever asks for them. The context keeps the device open: what it
 * starts with its first file is the simulation's, not the call's. */
static void split_calls_start_no_thread(void **state)
{
	struct test_rng rng = { 355 };
	const struct test_shape s = { 16, 64, 96 };
	struct test_fp16 h = test_fp16_begin(&rng, s, TEST_FILL_SMALL_INTEGERS);
	float *a = test_floats(&rng, (size_t)s.M * s.K, TEST_FILL_SMALL_INTEGERS);
	float *b = test_floats(&rng, (size_t)s.N * s.K, TEST_FILL_SMALL_INTEGERS);
	float *c = malloc((size_t)s.M * s.N * sizeof(*c));
	rocket_bf16_stream *bf16;
	rocket_stream *stream;
	unsigned started = 0;

	(void)state;
	rocket_close(test_open(""));
	stream = rocket_stream_create(3);
	bf16 = rocket_bf16_stream_create(3);
	assert_true(stream && bf16);
	for (int round = 0; round < 4; round++) {
		rocket_ctx *ctx = rocket_ctx_create(3);
		rocket_weights *w = rocket_weights_pack(ctx, s.M, s.K, s.N, h.b);

		assert_int_equal(rocket_matmul_fp16_prepacked(ctx, s.M, s.K, s.N, h.a, h.c, w),
				 ROCKET_OK);
		assert_int_equal(rocket_matmul_fp16_stream(stream, s.M, s.K, s.N, h.a, h.b, h.c),
				 ROCKET_OK);
		assert_int_equal(rocket_matmul_bf16_stream(bf16, s.M, s.K, s.N, a, b, c),
				 ROCKET_OK);
		assert_int_equal(rocket_matmul_fp16_mt(s.M, s.K, s.N, h.a, h.b, h.c, 3), ROCKET_OK);
		assert_int_equal(rocket_matmul_bf16_mt(s.M, s.K, s.N, a, b, c, 2), ROCKET_OK);
		rocket_weights_free(ctx, w);
		rocket_ctx_free(ctx);
		if (!round)
			started = inject_threads_started();
		assert_int_equal(inject_threads_started(), started);
	}
	assert_true(started >= 3);
	rocket_stream_free(stream);
	rocket_bf16_stream_free(bf16);
	free(a);
	free(b);
	free(c);
	test_fp16_end(&h);
}

/* What one fd has no room for, two have: half of the set is left of each window. */
static void weights_are_split_over_workers_that_have_room(void **state)
{
	enum { M = 16, K = 512, N = 512 };
	struct test_rng rng = { 357 };
	struct test_fp16 h =
		test_fp16_begin(&rng, (struct test_shape){ M, K, N }, TEST_FILL_SMALL_INTEGERS);

	(void)state;
	rocket_close(test_open(""));
	for (int workers = 1; workers <= 2; workers++) {
		struct rocket_matmul_call call = { .who = "set",
						   .kind = &rocket_kind_fp16,
						   .M = M,
						   .K = K,
						   .N = N,
						   .c_row = N,
						   .whole_rows = true,
						   .a = h.a,
						   .b = h.b,
						   .c = h.c,
						   .pack_only = true };
		struct rocket_matmul_weights *w;
		struct rocket_matmul_crew crew;

		assert_int_equal(rocket_crew_open(&crew, "set", workers, ROCKET_MM_FP16_FP16, 0),
				 ROCKET_OK);
		for (int i = 0; i < workers; i++)
			crew.member[i].resident_bytes = ROCKET_IOVA_WINDOW - K * N * 2;
		test_log_start();
		w = rocket_crew_pack(&crew, &call, ROCKET_TILING_OF_M);
		if (workers == 1) {
			assert_null(w);
			assert_int_equal(test_log_errors(), 1);
			assert_non_null(strstr(test_log_last(), "beside 4095 MiB on the same fd"));
		} else {
			assert_non_null(w);
			call.pack_only = false;
			call.weights = &w->part[0].bo;
			test_fp16_spoil(&h);
			assert_int_equal(rocket_crew_run(&crew, &call, w), ROCKET_OK);
			test_fp16_require_exact(&h, "split set");
			rocket_crew_unpack(&crew, w);
		}
		rocket_crew_close(&crew);
	}
	test_fp16_end(&h);
}

static void weights_past_the_window_are_refused_with_the_figure(void **state)
{
	/* 2^16 x 2^15 halves are 4 GiB; nobody reads them. */
	const _Float16 *far = (const _Float16 *)4096;
	rocket_ctx *ctx;

	(void)state;
	rocket_close(test_open(""));
	ctx = rocket_ctx_create(1);
	test_log_start();
	assert_null(rocket_weights_pack(ctx, 256, 1 << 15, 1 << 16, far));
	assert_int_equal(test_log_errors(), 1);
	assert_non_null(strstr(test_log_last(), "4096 MiB"));
	rocket_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_create_no_thread_no_fd_and_no_buffer),
		cmocka_unit_test(split_calls_start_no_thread),
		cmocka_unit_test(weights_are_split_over_workers_that_have_room),
		cmocka_unit_test(weights_past_the_window_are_refused_with_the_figure),
	};

	return test_run_group("workers", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

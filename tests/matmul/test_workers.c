// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_workers.c - what calls over several fds keep and start, and the room that each fd has. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"
#include "inject.h"
#include "lib/core/pool.h"
#include "lib/ops/matmul_crew.h"
#include "lib/ops/matmul_stats.h"
#include "rocket_hw_profile.h"
#include "tests/children.h"

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

/* ---- fds of the split calls ---- */

struct split {
	struct test_fp16 h;
	int held, files; /* files open beside those of the split calls */
};

static struct split split_begin(uint64_t seed, const char *env)
{
	struct test_rng rng = { seed };
	struct split t;

	t.h = test_fp16_begin(&rng, (struct test_shape){ 48, 256, 144 }, TEST_FILL_SMALL_INTEGERS);
	t.held = test_open(env);
	t.files = test_open_files();
	return t;
}

static void split_end(struct split *t)
{
	rocket_close(t->held);
	assert_true(test_open_files() < t->files);
	test_fp16_end(&t->h);
}

static int split_call(struct split *t, int threads)
{
	struct test_fp16 *h = &t->h;

	return rocket_matmul_fp16_mt(h->s.M, h->s.K, h->s.N, h->a, h->b, h->c, threads);
}

static void split_right(struct split *t, int threads)
{
	test_fp16_spoil(&t->h);
	assert_int_equal(split_call(t, threads), ROCKET_OK);
	test_fp16_require_exact(&t->h, "split");
}

static void split_calls_open_no_fd_that_is_open(void **state)
{
	struct split t = split_begin(351, "");
	int files, buffers, maps;

	(void)state;
	split_right(&t, 3);
	files = test_open_files();
	buffers = inject_live_buffers();
	maps = inject_live_maps();
	assert_int_equal(files, t.files + 3);
	for (int i = 0; i < 5; i++)
		split_right(&t, 3);
	assert_int_equal(inject_live_buffers(), buffers);
	assert_int_equal(inject_live_maps(), maps);
	split_right(&t, 2); /* other columns, on two of them */
	split_right(&t, 1);
	assert_int_equal(test_open_files(), files);
	split_right(&t, 5);
	assert_int_equal(test_open_files(), files + 2);
	split_end(&t);
}

/* Closing the last fd of the caller's own is the other way: split_end() sees to it. */
static void split_calls_give_their_fds_back(void **state)
{
	struct split t = split_begin(352, "");
	int other = test_open("");

	(void)state;
	split_right(&t, 3);
	rocket_close(other);
	assert_int_equal(test_open_files(), t.files + 3);
	rocket_matmul_mt_drain();
	assert_int_equal(test_open_files(), t.files);
	rocket_matmul_mt_drain();
	split_right(&t, 3);
	split_end(&t);
}

static void split_calls_follow_the_environment(void **state)
{
	struct split t = split_begin(353, "");
	struct rocket_matmul_stats stats;

	(void)state;
	split_right(&t, 3);
	for (int kt = 64; kt <= 128; kt += 64) {
		char env[32];

		snprintf(env, sizeof(env), "ROCKET_MM_KT=%d", kt);
		rocket_close(test_open(env));
		split_right(&t, 3);
		rocket_matmul_last_stats(&stats);
		assert_int_equal(stats.kt, kt);
		assert_int_equal(test_open_files(), t.files + 3);
	}
	rocket_close(test_open("ROCKET_KEEP_MIB=0"));
	split_right(&t, 3);
	assert_int_equal(test_open_files(), t.files);
	split_end(&t);
}

/* Of calls that do not say how many; each worker has an fd. */
static void workers_are_as_many_as_the_environment_says(void **state)
{
	const int profile = rocket_hw_current()->default_workers;
	const struct {
		const char *env;
		int threads, want;
	} rows[] = {
		{ "", 0, profile },
		{ "ROCKET_N_THREADS=0", -1, profile },
		{ "ROCKET_N_THREADS=2", 0, 2 },
		{ "ROCKET_N_THREADS=3", -1, 3 },
		{ "ROCKET_N_THREADS=64", 0, ROCKET_SPLIT_MAX },
		{ "ROCKET_N_THREADS=2", 4, 4 },
	};

	(void)state;
	assert_true(profile > 4);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct split t = split_begin(361 + i, rows[i].env);
		struct test_rng rng = { 370 + i };

		test_fp16_end(&t.h); /* for one whose columns go round among eight */
		t.h = test_fp16_begin(&rng, (struct test_shape){ 16, 64, 256 },
				      TEST_FILL_SMALL_INTEGERS);
		split_right(&t, rows[i].threads);
		assert_int_equal(test_open_files(), t.files + rows[i].want);
		split_end(&t);
	}
}

static void failed_split_call_keeps_no_fd(void **state)
{
	struct split t = split_begin(354, "");

	(void)state;
	split_right(&t, 1);
	test_log_start();
	/* One member runs in the pool, where nothing is armed; its packing of A does not. */
	for (int threads = 2; threads <= 3; threads++) {
		inject_start(INJECT_ALLOC, 0);
		assert_true(split_call(&t, threads) < 0);
		assert_true(inject_stop());
		assert_int_equal(test_log_errors(), 1);
		test_log_start();
		assert_int_equal(test_open_files(), t.files);
	}
	split_right(&t, 3);
	split_end(&t);
}

static void *split_in_thread(void *arg)
{
	struct split *t = arg;

	for (int i = 0; i < 3; i++)
		split_right(t, 3);
	return NULL;
}

static void fds_kept_for_split_calls_are_bounded(void **state)
{
	enum { THREADS = 4 };
	struct split t = split_begin(356, "");
	struct split each[THREADS];
	pthread_t threads[THREADS];

	(void)state;
	for (int i = 0; i < THREADS; i++) {
		struct test_rng rng = { 360 + (uint64_t)i };

		each[i].h = test_fp16_begin(&rng, (struct test_shape){ 16, 64, 96 },
					    TEST_FILL_SMALL_INTEGERS);
		assert_int_equal(pthread_create(&threads[i], NULL, split_in_thread, &each[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		test_fp16_end(&each[i].h);
	}
	assert_in_range(test_open_files(), t.files + 3, t.files + ROCKET_SPLIT_MAX);
	split_end(&t);
}

/* As daemons do when they start. */
static void split_calls_survive_that_their_fds_are_closed(void **state)
{
	struct split t = split_begin(358, "");
	bool open_before[64];
	int closed = 0;

	(void)state;
	for (int fd = 0; fd < 64; fd++)
		open_before[fd] = fcntl(fd, F_GETFD) >= 0;
	split_right(&t, 3);
	for (int fd = 0; fd < 64; fd++)
		if (!open_before[fd])
			closed += !close(fd);
	assert_int_equal(closed, 3);
	test_log_start();
	split_right(&t, 3);
	assert_int_equal(test_log_errors(), 0);
	assert_true(test_log_warnings() > 0);
	/* The numbers are others' now. */
	for (int fd = 0; fd < 64; fd++)
		if (!open_before[fd] && fcntl(fd, F_GETFD) >= 0)
			close(fd);
	split_right(&t, 1);
	assert_int_equal(test_open_files(), t.files + 1);
	split_end(&t);
}

static void child_leaves_the_fds_of_split_calls_alone(void **state)
{
	struct split t = split_begin(359, "");
	int status, buffers;
	pid_t child;

	(void)state;
	split_right(&t, 3);
	buffers = inject_live_buffers();
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		rocket_matmul_mt_drain();
		_exit(inject_live_buffers() != buffers ||
		      (test_child_may_start_threads() && split_call(&t, 3)));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	split_right(&t, 3);
	assert_int_equal(test_open_files(), t.files + 3);
	split_end(&t);
}

/* The call that packs B as a set of weights. */
static struct rocket_matmul_call packing(const struct test_fp16 *h)
{
	return (struct rocket_matmul_call){ .who = "set",
					    .kind = &rocket_kind_fp16,
					    .M = h->s.M,
					    .K = h->s.K,
					    .N = h->s.N,
					    .c_row = h->s.N,
					    .whole_rows = true,
					    .a = h->a,
					    .b = h->b,
					    .c = h->c,
					    .pack_only = true };
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
		struct rocket_matmul_call call = packing(&h);
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

/* Buffers of calls before lie in the same window; near its end they are given back. */
static void what_is_kept_gives_way_to_weights(void **state)
{
	enum { M = 16, K = 64, N = 96 };
	struct test_rng rng = { 380 };
	struct test_fp16 h =
		test_fp16_begin(&rng, (struct test_shape){ M, K, N }, TEST_FILL_SMALL_INTEGERS);

	(void)state;
	rocket_close(test_open(""));
	for (int near = 0; near <= 1; near++) {
		struct rocket_matmul_call call = packing(&h);
		struct rocket_matmul_weights *w;
		struct rocket_matmul_crew crew;
		int none, kept;

		assert_int_equal(rocket_crew_open(&crew, "set", 1, ROCKET_MM_FP16_FP16, 0),
				 ROCKET_OK);
		none = inject_live_buffers();
		assert_int_equal(rocket_matmul_fp16(crew.member[0].fd, M, K, N, h.a, h.b, h.c),
				 ROCKET_OK);
		kept = inject_live_buffers();
		assert_true(kept > none);
		crew.member[0].resident_bytes = near ? ROCKET_IOVA_WINDOW - (64 << 20) : 0;
		w = rocket_crew_pack(&crew, &call, ROCKET_TILING_OF_M);
		assert_non_null(w);
		assert_int_equal(inject_live_buffers(), (near ? none : kept) + 1);
		rocket_crew_unpack(&crew, w);
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
		cmocka_unit_test(split_calls_open_no_fd_that_is_open),
		cmocka_unit_test(split_calls_give_their_fds_back),
		cmocka_unit_test(split_calls_follow_the_environment),
		cmocka_unit_test(workers_are_as_many_as_the_environment_says),
		cmocka_unit_test(failed_split_call_keeps_no_fd),
		cmocka_unit_test(fds_kept_for_split_calls_are_bounded),
		cmocka_unit_test(split_calls_survive_that_their_fds_are_closed),
		cmocka_unit_test(child_leaves_the_fds_of_split_calls_alone),
		cmocka_unit_test(weights_are_split_over_workers_that_have_room),
		cmocka_unit_test(what_is_kept_gives_way_to_weights),
		cmocka_unit_test(weights_past_the_window_are_refused_with_the_figure),
	};

	return test_run_group("workers", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

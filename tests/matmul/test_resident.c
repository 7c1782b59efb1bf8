// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_resident.c - contexts, packed weights and streams on the simulated NPU. */
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "inject.h"
#include "lib/core/pool.h"
#include "lib/ops/matmul_crew.h"
#include "lib/ops/matmul_stats.h"
#include "reference.h"

/* ---- fp16 ---- */

static void require_same(const struct test_fp16 *h, const _Float16 *want, const char *what)
{
	if (memcmp(h->c, want, (size_t)h->s.M * h->s.N * sizeof(*want)))
		fail_msg("%s %dx%dx%d: differs", what, h->s.M, h->s.K, h->s.N);
}

static _Float16 *by_workers(const struct test_fp16 *h, int threads)
{
	_Float16 *c = malloc((size_t)h->s.M * h->s.N * sizeof(*c));

	assert_int_equal(rocket_matmul_fp16_mt(h->s.M, h->s.K, h->s.N, h->a, h->b, c, threads),
			 ROCKET_OK);
	return c;
}

static const struct test_shape shapes[] = {
	{ 16, 512, 16 }, { 4, 96, 208 }, { 48, 256, 144 }, { 300, 64, 80 }, { 8, 512, 48 },
};
#define N_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static void resident_fp16_gives_what_one_shot_gives(void **state)
{
	struct test_rng rng = { 300 };

	(void)state;
	rocket_close(test_open("ROCKET_MM_KT=128"));
	for (int threads = 1; threads <= 5; threads += 2) {
		rocket_ctx *ctx = rocket_ctx_create(threads);

		assert_non_null(ctx);
		for (unsigned i = 0; i < N_SHAPES; i++) {
			struct test_fp16 h = test_fp16_begin(&rng, shapes[i], TEST_FILL_UNIFORM);
			struct test_fp16 e =
				test_fp16_begin(&rng, shapes[i], TEST_FILL_SMALL_INTEGERS);
			const struct test_shape s = shapes[i];
			rocket_weights *w = rocket_weights_pack(ctx, s.M, s.K, s.N, h.b);
			rocket_weights *v = rocket_weights_pack(ctx, s.M, s.K, s.N, e.b);
			_Float16 *want = by_workers(&h, threads);

			assert_true(w && v);
			for (int round = 0; round < 2; round++) {
				test_fp16_spoil(&h);
				assert_int_equal(rocket_matmul_fp16_prepacked(ctx, s.M, s.K, s.N,
									      h.a, h.c, w),
						 ROCKET_OK);
				require_same(&h, want, "resident");
				test_fp16_spoil(&e);
				assert_int_equal(rocket_matmul_fp16_prepacked(ctx, s.M, s.K, s.N,
									      e.a, e.c, v),
						 ROCKET_OK);
				test_fp16_require_exact(&e, "resident");
			}
			rocket_weights_free(ctx, v);
			rocket_weights_free(ctx, w);
			free(want);
			test_fp16_end(&h);
			test_fp16_end(&e);
		}
		rocket_ctx_free(ctx);
	}
}

/* 4 x 8192: Kt 5632 at 4 rows, 512 at 256; 300 rows have the tiles of 256. */
static void resident_fp16_serves_another_m_only_with_the_same_tiles(void **state)
{
	static _Float16 b[16 * 8192], a[300 * 8192], c[300 * 16];
	rocket_weights *few, *many;
	rocket_ctx *ctx;

	(void)state;
	rocket_close(test_open(""));
	ctx = rocket_ctx_create(1);
	few = rocket_weights_pack(ctx, 4, 8192, 16, b);
	many = rocket_weights_pack(ctx, 256, 8192, 16, b);
	assert_true(few && many);
	assert_int_equal(rocket_matmul_fp16_prepacked(ctx, 4, 8192, 16, a, c, few), ROCKET_OK);
	assert_int_equal(rocket_matmul_fp16_prepacked(ctx, 300, 8192, 16, a, c, many), ROCKET_OK);
	test_log_start();
	assert_int_equal(rocket_matmul_fp16_prepacked(ctx, 4, 8192, 16, a, c, many),
			 ROCKET_E_TILING);
	assert_int_equal(test_log_errors(), 1);
	assert_non_null(strstr(test_log_last(), "pack them again"));
	assert_int_equal(rocket_matmul_fp16_prepacked(ctx, 256, 8192, 16, a, c, few),
			 ROCKET_E_TILING);
	rocket_weights_free(ctx, few);
	rocket_weights_free(ctx, many);
	rocket_ctx_free(ctx);

	/* With taller tiles asked for it takes as many rows. */
	rocket_close(test_open("ROCKET_MM_MT=288"));
	ctx = rocket_ctx_create(1);
	many = rocket_weights_pack(ctx, 288, 8192, 16, b);
	assert_int_equal(rocket_matmul_fp16_prepacked(ctx, 300, 8192, 16, a, c, many), ROCKET_OK);
	test_log_start();
	assert_int_equal(rocket_matmul_fp16_prepacked(ctx, 256, 8192, 16, a, c, many),
			 ROCKET_E_TILING);
	assert_int_equal(test_log_errors(), 1);
	rocket_weights_free(ctx, many);
	rocket_ctx_free(ctx);
}

/* The bits of a row are those it has among 256 and among 264. */
static void canonical_rows_do_not_depend_on_their_number(void **state)
{
	static const int counts[] = { 4, 8, 12, 16, 100, 256, 260, 264 };
	struct test_rng rng = { 310 };

	(void)state;
	rocket_close(test_open(""));
	for (int threads = 1; threads <= 3; threads += 2) {
		struct test_shape s = { 268, 2048, 112 };
		struct test_fp16 h = test_fp16_begin(&rng, s, TEST_FILL_UNIFORM);
		rocket_ctx *ctx = rocket_ctx_create_ex(threads, ROCKET_CTX_TILING_CANONICAL);
		rocket_weights *w = rocket_weights_pack(ctx, 64, s.K, s.N, h.b);
		_Float16 *all = malloc((size_t)s.M * s.N * sizeof(*all));

		assert_non_null(w);
		assert_int_equal(rocket_matmul_fp16_prepacked(ctx, s.M, s.K, s.N, h.a, all, w),
				 ROCKET_OK);
		for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			h.s.M = counts[i];
			test_fp16_spoil(&h);
			assert_int_equal(
				rocket_matmul_fp16_prepacked(ctx, counts[i], s.K, s.N, h.a, h.c, w),
				ROCKET_OK);
			require_same(&h, all, "canonical");
		}
		free(all);
		rocket_weights_free(ctx, w);
		rocket_ctx_free(ctx);
		test_fp16_end(&h);
	}
}

static const int seg_rows[][8] = {
	{ 80 }, { 16, 64 }, { 40, 40 }, { 1, 2, 3, 10, 20, 4, 39, 1 }, { 77, 3 }
};
#define N_SEGS (sizeof(seg_rows) / sizeof(seg_rows[0]))

/* The parts of B below each other; their count. */
static int cut(const struct test_fp16 *h, const int *ns, const _Float16 *bs[8])
{
	int n = 0, i;

	for (i = 0; n < h->s.N; n += ns[i++])
		bs[i] = h->b + (size_t)n * h->s.K;
	return i;
}

static void segments_are_their_concatenation(void **state)
{
	struct test_rng rng = { 320 };

	(void)state;
	rocket_close(test_open("ROCKET_MM_NT=48 ROCKET_MM_KT=128"));
	for (int threads = 1; threads <= 4; threads += 3) {
		rocket_ctx *ctx = rocket_ctx_create(threads);
		rocket_stream *stream = rocket_stream_create(threads);

		for (unsigned i = 0; i < N_SEGS; i++) {
			struct test_fp16 h = test_fp16_begin(
				&rng, (struct test_shape){ 16, 256, 80 }, TEST_FILL_UNIFORM);
			_Float16 *want = by_workers(&h, threads);
			const _Float16 *bs[8];
			int nseg = cut(&h, seg_rows[i], bs);
			rocket_weights *w =
				rocket_weights_pack_seg(ctx, 16, 256, 80, bs, seg_rows[i], nseg);

			assert_non_null(w);
			test_fp16_spoil(&h);
			assert_int_equal(
				rocket_matmul_fp16_prepacked(ctx, 16, 256, 80, h.a, h.c, w),
				ROCKET_OK);
			require_same(&h, want, "packed segments");
			test_fp16_spoil(&h);
			assert_int_equal(rocket_matmul_fp16_stream_fused(
						 stream, 16, 256, bs, seg_rows[i], nseg, h.a, h.c),
					 ROCKET_OK);
			require_same(&h, want, "fused stream");
			rocket_weights_free(ctx, w);
			free(want);
			test_fp16_end(&h);
		}
		rocket_stream_free(stream);
		rocket_ctx_free(ctx);
	}
}

static void stream_gives_what_one_shot_gives(void **state)
{
	struct test_rng rng = { 330 };
	rocket_bf16_stream *bf16;
	rocket_stream *stream;

	(void)state;
	rocket_close(test_open(""));
	stream = rocket_stream_create(3);
	bf16 = rocket_bf16_stream_create(2);
	for (unsigned i = 0; i < 2 * N_SHAPES; i++) {
		const struct test_shape s = shapes[i % N_SHAPES];
		struct test_fp16 h = test_fp16_begin(&rng, s, TEST_FILL_UNIFORM);
		float *a = test_floats(&rng, (size_t)s.M * s.K, TEST_FILL_UNIFORM);
		float *b = test_floats(&rng, (size_t)s.N * s.K, TEST_FILL_UNIFORM);
		float *got = calloc((size_t)s.M * s.N, sizeof(*got));
		float *want = calloc((size_t)s.M * s.N, sizeof(*want));
		_Float16 *halves = by_workers(&h, 3);

		test_fp16_spoil(&h);
		assert_int_equal(rocket_matmul_fp16_stream(stream, s.M, s.K, s.N, h.a, h.b, h.c),
				 ROCKET_OK);
		require_same(&h, halves, "stream");
		assert_int_equal(rocket_matmul_bf16_stream(bf16, s.M, s.K, s.N, a, b, got),
				 ROCKET_OK);
		assert_int_equal(rocket_matmul_bf16_mt(s.M, s.K, s.N, a, b, want, 2), ROCKET_OK);
		assert_memory_equal(got, want, (size_t)s.M * s.N * sizeof(*got));
		free(a);
		free(b);
		free(got);
		free(want);
		free(halves);
		test_fp16_end(&h);
	}
	rocket_stream_free(stream);
	rocket_bf16_stream_free(bf16);
}

/* Once for all workers, or by each of them: the same bits, fewer bytes. */
static void a_is_packed_once_for_all_workers(void **state)
{
	static const struct {
		const char *env;
		struct test_shape s;
		int times; /* that A is packed by three workers */
	} rows[] = {
		{ "ROCKET_MM_KT=128", { 36, 512, 96 }, 1 },
		{ "ROCKET_MM_KT=128", { 1, 256, 48 }, 1 },
		{ "ROCKET_MM_KT=128 ROCKET_NO_SHARED_PACK=1", { 36, 512, 96 }, 3 },
		/* The last of them has fewer columns, so its tiles may be longer. */
		{ "ROCKET_MM_STREAM=0", { 36, 8192, 304 }, 3 },
	};
	struct test_rng rng = { 335 };

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct test_shape s = rows[i].s;
		const int padded = s.M == 1 ? 4 : s.M;
		struct test_fp16 h = test_fp16_begin(&rng, s, TEST_FILL_UNIFORM);
		struct rocket_matmul_stats stats;
		struct reference_fp16 *ref;

		rocket_close(test_open(rows[i].env));
		test_fp16_spoil(&h);
		assert_int_equal(rocket_matmul_fp16_mt(s.M, s.K, s.N, h.a, h.b, h.c, 3), ROCKET_OK);
		rocket_matmul_last_stats(&stats);
		assert_int_equal(stats.packed_bytes,
				 ((uint64_t)padded * rows[i].times + s.N) * s.K * 2);
		ref = reference_fp16_create(s.M, s.K, s.N, h.a, h.b);
		for (int m = 0; m < s.M && i < 3; m++)
			for (int n = 0; n < s.N; n++) {
				_Float16 want = padded < 12 && s.K > 128
							? reference_host_sum(ref, m, n, 128)
							: reference_device_sum(ref, m, n, 128);

				assert_memory_equal(&h.c[(size_t)m * s.N + n], &want, sizeof(want));
			}
		reference_fp16_free(ref);
		test_fp16_end(&h);
	}
}

/* ---- integers ---- */

static float *ones_and_halves(struct test_rng *rng, size_t count)
{
	float *p = malloc(count * sizeof(*p));

	for (size_t i = 0; i < count; i++)
		p[i] = test_random_in(rng, 1, 4) / 4.0f;
	return p;
}

/* Sums of multiples of 1/16 below 2^20: exact in fp32 in any order. */
static void require_groups(const float *c, struct test_shape s, int group, const int8_t *a,
			   const int8_t *b, const float *as, const float *bs)
{
	const int groups = s.K / group;

	for (int m = 0; m < s.M; m++)
		for (int n = 0; n < s.N; n++) {
			double want = 0;

			for (int g = 0; g < groups; g++)
				want += (double)as[m * groups + g] * (double)bs[n * groups + g] *
					(double)reference_int8(group, a + m * s.K + g * group,
							       b + n * s.K + g * group);
			assert_true((double)c[m * s.N + n] == want);
		}
}

static void resident_integers_serve_any_m(void **state)
{
	static const int rows[] = { 4, 36, 256, 300, 8 };
	struct test_rng rng = { 340 };

	(void)state;
	rocket_close(test_open("ROCKET_MM_KT=480"));
	for (int threads = 1; threads <= 3; threads++) {
		rocket_i8_ctx *c8 = rocket_i8_ctx_create(threads);
		rocket_i4_ctx *c4 = rocket_i4_ctx_create(threads);
		struct test_shape s = { 300, 1024, 192 };
		int8_t *b8 = test_bytes_in(&rng, (size_t)s.N * s.K, -128, 127);
		int8_t *b4 = test_bytes_in(&rng, (size_t)s.N * s.K, -8, 7);
		int8_t *a8 = test_bytes_in(&rng, (size_t)s.M * s.K, -128, 127);
		int8_t *a4 = test_bytes_in(&rng, (size_t)s.M * s.K, -8, 7);
		int8_t *small = test_bytes_in(&rng, (size_t)s.N * s.K, -7, 7);
		float *as = ones_and_halves(&rng, (size_t)s.M * 8);
		float *bs = ones_and_halves(&rng, (size_t)s.N * 8);
		int32_t *c = malloc((size_t)s.M * s.N * sizeof(*c));
		rocket_i8_weights *w8 = rocket_i8_weights_pack(c8, 4, s.K, s.N, b8);
		rocket_i8_weights *g8 = rocket_i8_weights_pack_gw(c8, 64, s.K, s.N, small, 128);
		rocket_i4_weights *w4 = rocket_i4_weights_pack(c4, 1000, s.K, s.N, b4);
		rocket_i4_weights *g4 = rocket_i4_weights_pack_gw(c4, 4, s.K, s.N, small, 128);

		assert_true(w8 && g8 && w4 && g4);
		assert_true(rocket_i8_weights_bytes(w8) >= (size_t)s.N * s.K);
		assert_true(rocket_i4_weights_bytes(w4) >= (size_t)s.N * s.K / 2);
		assert_true(rocket_i4_weights_bytes(w4) < rocket_i8_weights_bytes(w8));
		for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			s.M = rows[i];
			assert_int_equal(rocket_matmul_int8_prepacked(c8, s.M, s.K, s.N, a8, c, w8),
					 ROCKET_OK);
			for (int m = 0; m < s.M; m++)
				for (int n = 0; n < s.N; n++)
					assert_int_equal(
						c[m * s.N + n],
						reference_int8(s.K, a8 + m * s.K, b8 + n * s.K));
			assert_int_equal(rocket_matmul_int4_prepacked(c4, s.M, s.K, s.N, a4, c, w4),
					 ROCKET_OK);
			for (int m = 0; m < s.M; m++)
				for (int n = 0; n < s.N; n++)
					assert_int_equal(
						c[m * s.N + n],
						reference_int8(s.K, a4 + m * s.K, b4 + n * s.K));
			assert_int_equal(rocket_matmul_int8_prepacked_gw(c8, s.M, s.K, s.N, a4, as,
									 bs, (float *)c, g8),
					 ROCKET_OK);
			require_groups((float *)c, s, 128, a4, small, as, bs);
			assert_int_equal(rocket_matmul_int4_prepacked_gw(c4, s.M, s.K, s.N, a4, as,
									 bs, (float *)c, g4),
					 ROCKET_OK);
			require_groups((float *)c, s, 128, a4, small, as, bs);
		}
		rocket_i8_weights_free(c8, w8);
		rocket_i8_weights_free(c8, g8);
		rocket_i4_weights_free(c4, w4);
		rocket_i4_weights_free(c4, g4);
		rocket_i8_ctx_free(c8);
		rocket_i4_ctx_free(c4);
		free(a8);
		free(a4);
		free(b8);
		free(b4);
		free(small);
		free(as);
		free(bs);
		free(c);
	}
}

/* ---- any M, whatever the tiles ---- */

/* One matrix of -1, 0 and 1 as bytes and as halves. */
struct ternary {
	int8_t *bytes;
	_Float16 *halves;
};

static struct ternary ternary(struct test_rng *rng, size_t count)
{
	struct ternary t = { test_bytes_in(rng, count, -1, 1), malloc(count * sizeof(_Float16)) };

	for (size_t i = 0; i < count; i++)
		t.halves[i] = (_Float16)t.bytes[i];
	return t;
}

static void ternary_free(struct ternary *t)
{
	free(t->bytes);
	free(t->halves);
}

/* Taller tiles than 256 rows are asked for: canonical ones do not heed it, so any M still fits. */
static void canonical_weights_serve_any_m_below_tall_tiles(void **state)
{
	static const int rows[] = { 4, 260, 300, 520, 8 };
	enum { M_MAX = 520, K = 2048, N = 64, GROUP = 128 };
	static int32_t c8[M_MAX * N], c4[M_MAX * N];
	static float f8[M_MAX * N], f4[M_MAX * N], one[M_MAX * K / GROUP];
	static _Float16 ch[M_MAX * N];
	struct test_rng rng = { 345 };
	struct ternary a = ternary(&rng, M_MAX * K), b = ternary(&rng, N * K);
	rocket_ctx *ctx;
	rocket_i8_ctx *ctx8;
	rocket_i4_ctx *ctx4;
	rocket_weights *w;
	rocket_i8_weights *w8, *g8;
	rocket_i4_weights *w4, *g4;

	(void)state;
	for (unsigned i = 0; i < sizeof(one) / sizeof(one[0]); i++)
		one[i] = 1;
	rocket_close(test_open("ROCKET_MM_MT=512"));
	ctx = rocket_ctx_create_ex(3, ROCKET_CTX_TILING_CANONICAL);
	ctx8 = rocket_i8_ctx_create(2);
	ctx4 = rocket_i4_ctx_create(1);
	w = rocket_weights_pack(ctx, 400, K, N, b.halves);
	w8 = rocket_i8_weights_pack(ctx8, 300, K, N, b.bytes);
	g8 = rocket_i8_weights_pack_gw(ctx8, 600, K, N, b.bytes, GROUP);
	w4 = rocket_i4_weights_pack(ctx4, 4, K, N, b.bytes);
	g4 = rocket_i4_weights_pack_gw(ctx4, 512, K, N, b.bytes, GROUP);
	assert_true(w && w8 && g8 && w4 && g4);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const int M = rows[i];

		assert_int_equal(rocket_matmul_fp16_prepacked(ctx, M, K, N, a.halves, ch, w),
				 ROCKET_OK);
		assert_int_equal(rocket_matmul_int8_prepacked(ctx8, M, K, N, a.bytes, c8, w8),
				 ROCKET_OK);
		assert_int_equal(
			rocket_matmul_int8_prepacked_gw(ctx8, M, K, N, a.bytes, one, one, f8, g8),
			ROCKET_OK);
		assert_int_equal(rocket_matmul_int4_prepacked(ctx4, M, K, N, a.bytes, c4, w4),
				 ROCKET_OK);
		assert_int_equal(
			rocket_matmul_int4_prepacked_gw(ctx4, M, K, N, a.bytes, one, one, f4, g4),
			ROCKET_OK);
		for (int at = 0; at < M * N; at++) {
			const int want =
				(int)reference_int8(K, a.bytes + at / N * K, b.bytes + at % N * K);

			if ((double)ch[at] != want || c8[at] != want || c4[at] != want ||
			    (double)f8[at] != want || (double)f4[at] != want)
				fail_msg("%d rows: C[%d][%d] is not %d", M, at / N, at % N, want);
		}
	}
	rocket_weights_free(ctx, w);
	rocket_i8_weights_free(ctx8, w8);
	rocket_i8_weights_free(ctx8, g8);
	rocket_i4_weights_free(ctx4, w4);
	rocket_i4_weights_free(ctx4, g4);
	rocket_ctx_free(ctx);
	rocket_i8_ctx_free(ctx8);
	rocket_i4_ctx_free(ctx4);
	ternary_free(&a);
	ternary_free(&b);
}

/* ---- bad calls ---- */

static void expect(const char *reason, int refused)
{
	if (!refused || test_log_errors() != 1 || !strstr(test_log_last(), reason))
		fail_msg("refused %d, %u lines, last \"%s\"; expected \"%s\"", refused,
			 test_log_errors(), test_log_last(), reason);
	test_log_start();
}

static void bad_calls_are_refused_with_one_line(void **state)
{
	static _Float16 a[8 * 64], b[32 * 64];
	static int8_t a8[8 * 64], b8[64 * 64];
	static int32_t c8[8 * 64];
	static float scale[64 * 2];
	const _Float16 *bs[8] = { b, b + 16 * 64 };
	const int halves[] = { 16, 16 }, odd[] = { 16, 0 }, more[] = { 16, 32 };
	rocket_ctx *ctx, *other;
	rocket_stream *stream;
	rocket_i8_weights *w8, *g8;
	rocket_i8_ctx *c;
	rocket_i4_ctx *c4;
	rocket_weights *w;

	(void)state;

	rocket_close(test_open(""));
	ctx = rocket_ctx_create(2);
	other = rocket_ctx_create(1);
	stream = rocket_stream_create(2);
	c = rocket_i8_ctx_create(2);
	c4 = rocket_i4_ctx_create(1);
	w = rocket_weights_pack(ctx, 8, 64, 32, b);
	w8 = rocket_i8_weights_pack(c, 8, 64, 64, b8);
	g8 = rocket_i8_weights_pack_gw(c, 8, 64, 64, b8, 32);
	assert_true(ctx && other && stream && c && c4 && w && w8 && g8);
	test_log_start();

	expect("unknown flags 0x2", !rocket_ctx_create_ex(1, 3));
	expect("context is NULL", !rocket_weights_pack(NULL, 8, 64, 32, b));
	expect("B is NULL", !rocket_weights_pack(ctx, 8, 64, 32, NULL));
	expect("M is not a multiple of 4", !rocket_weights_pack(ctx, 1, 64, 32, b));
	expect("K is not a multiple of 32", !rocket_weights_pack(ctx, 8, 40, 32, b));
	expect("N is not in 1..2^24", !rocket_weights_pack(ctx, 8, 64, 0, b));
	expect("0 segments", !rocket_weights_pack_seg(ctx, 8, 64, 32, bs, halves, 0));
	expect("9 segments", !rocket_weights_pack_seg(ctx, 8, 64, 32, bs, halves, 9));
	expect("Bs is NULL", !rocket_weights_pack_seg(ctx, 8, 64, 32, NULL, halves, 2));
	expect("Ns is NULL", !rocket_weights_pack_seg(ctx, 8, 64, 32, bs, NULL, 2));
	expect("segment 1 has 0 rows", !rocket_weights_pack_seg(ctx, 8, 64, 16, bs, odd, 2));
	expect("48 rows, not N=32", !rocket_weights_pack_seg(ctx, 8, 64, 32, bs, more, 2));
	bs[1] = NULL;
	expect("a segment of B is NULL", !rocket_weights_pack_seg(ctx, 8, 64, 32, bs, halves, 2));
	expect("a segment of B is NULL",
	       rocket_matmul_fp16_stream_fused(stream, 8, 64, bs, halves, 2, a, (_Float16 *)c8) ==
		       ROCKET_E_SHAPE);
	expect("segment 1 has 0 rows",
	       rocket_matmul_fp16_stream_fused(stream, 8, 64, bs, odd, 2, a, (_Float16 *)c8) ==
		       ROCKET_E_SHAPE);
	expect("group 48 does not divide", !rocket_i8_weights_pack_gw(c, 8, 64, 64, b8, 48));

	expect("weights are NULL", rocket_matmul_fp16_prepacked(ctx, 8, 64, 32, a, (_Float16 *)c8,
								NULL) == ROCKET_E_SHAPE);
	expect("context is NULL", rocket_matmul_fp16_prepacked(NULL, 8, 64, 32, a, (_Float16 *)c8,
							       w) == ROCKET_E_SHAPE);
	expect("belong to another context",
	       rocket_matmul_fp16_prepacked(other, 8, 64, 32, a, (_Float16 *)c8, w) ==
		       ROCKET_E_SHAPE);
	expect("packed for K=64 and N=32, not K=32",
	       rocket_matmul_fp16_prepacked(ctx, 8, 32, 32, a, (_Float16 *)c8, w) ==
		       ROCKET_E_SHAPE);
	expect("not K=64 and N=16", rocket_matmul_fp16_prepacked(ctx, 8, 64, 16, a, (_Float16 *)c8,
								 w) == ROCKET_E_SHAPE);
	expect("M is not a multiple of 4",
	       rocket_matmul_fp16_prepacked(ctx, 1, 64, 32, a, (_Float16 *)c8, w) ==
		       ROCKET_E_SHAPE);
	expect("M is not a multiple of 4",
	       rocket_matmul_int8_prepacked(c, 6, 64, 64, a8, c8, w8) == ROCKET_E_SHAPE);
	expect("A is NULL", rocket_matmul_fp16_prepacked(ctx, 8, 64, 32, NULL, (_Float16 *)c8, w) ==
				    ROCKET_E_SHAPE);
	expect("C overlaps A",
	       rocket_matmul_fp16_prepacked(ctx, 8, 64, 32, a, a, w) == ROCKET_E_SHAPE);
	expect("packed for scales by group",
	       rocket_matmul_int8_prepacked(c, 8, 64, 64, a8, c8, g8) == ROCKET_E_SHAPE);
	expect("packed without groups",
	       rocket_matmul_int8_prepacked_gw(c, 8, 64, 64, a8, scale, scale, (float *)c8, w8) ==
		       ROCKET_E_SHAPE);
	expect("a_scale is NULL",
	       rocket_matmul_int8_prepacked_gw(c, 8, 64, 64, a8, NULL, scale, (float *)c8, g8) ==
		       ROCKET_E_SHAPE);
	expect("stream is NULL",
	       rocket_matmul_fp16_stream(NULL, 8, 64, 32, a, b, (_Float16 *)c8) == ROCKET_E_SHAPE);
	b8[5] = 8;
	expect("B has a value outside -8..7", !rocket_i4_weights_pack(c4, 8, 64, 64, b8));
	rocket_weights_free(other, w);
	expect("belong to another context", 1);

	/* Freeing nothing is fine, and nothing above took anything with it. */
	rocket_weights_free(ctx, NULL);
	rocket_ctx_free(NULL);
	rocket_stream_free(NULL);
	assert_int_equal(rocket_matmul_fp16_prepacked(ctx, 8, 64, 32, a, (_Float16 *)c8, w),
			 ROCKET_OK);
	assert_int_equal(test_log_errors(), 0);
	rocket_ctx_free(ctx);
	expect("1 sets of weights were not freed", 1);
	rocket_i8_weights_free(c, w8);
	rocket_i8_weights_free(c, g8);
	rocket_i8_ctx_free(c);
	rocket_i4_ctx_free(c4);
	rocket_ctx_free(other);
	rocket_stream_free(stream);
	free(w);
}

/* Creating, packing and multiplying with one failure of the calling thread at a time. */
static void failures_lose_nothing(void **state)
{
	static const enum inject_kind faults[] = { INJECT_ALLOC, INJECT_IOCTL, INJECT_MMAP };
	struct test_rng rng = { 360 };
	struct test_fp16 h =
		test_fp16_begin(&rng, (struct test_shape){ 16, 64, 32 }, TEST_FILL_SMALL_INTEGERS);

	(void)state;
	rocket_close(test_open(""));
	for (unsigned f = 0; f < 3; f++)
		for (unsigned n = 0, more = 1; more; n++) {
			int files = test_open_files(), maps = inject_live_maps(), done = 0;
			rocket_weights *w = NULL;
			rocket_ctx *ctx;

			test_log_start();
			inject_start(faults[f], n);
			ctx = rocket_ctx_create(2);
			if (ctx)
				w = rocket_weights_pack(ctx, 16, 64, 32, h.b);
			if (w)
				done = !rocket_matmul_fp16_prepacked(ctx, 16, 64, 32, h.a, h.c, w);
			more = (unsigned)inject_stop();
			/* Workers are other threads: what failed here did so in this one. */
			assert_int_equal(done, !more);
			if (done)
				test_fp16_require_exact(&h, "after failures");
			else
				assert_int_equal(test_log_errors(), 1);
			rocket_weights_free(ctx, w);
			rocket_ctx_free(ctx);
			assert_int_equal(test_open_files(), files);
			assert_int_equal(inject_live_maps(), maps);
		}
	test_fp16_end(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resident_fp16_gives_what_one_shot_gives),
		cmocka_unit_test(resident_fp16_serves_another_m_only_with_the_same_tiles),
		cmocka_unit_test(canonical_rows_do_not_depend_on_their_number),
		cmocka_unit_test(segments_are_their_concatenation),
		cmocka_unit_test(stream_gives_what_one_shot_gives),
		cmocka_unit_test(a_is_packed_once_for_all_workers),
		cmocka_unit_test(resident_integers_serve_any_m),
		cmocka_unit_test(canonical_weights_serve_any_m_below_tall_tiles),
		cmocka_unit_test(bad_calls_are_refused_with_one_line),
		cmocka_unit_test(failures_lose_nothing),
	};

	return test_run_group("resident", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

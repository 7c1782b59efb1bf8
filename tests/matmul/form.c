// SPDX-License-Identifier: LGPL-2.1-or-later
/* form.c - see form.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "form.h"
#include "judge.h"
#include "lib/ops/matmul_stats.h"
#include "reference.h"

#define SHAPE(p) (p)->s.M, (p)->s.K, (p)->s.N
#define THREADS  3

/* ---- fp16 ---- */

static int run_fp16(int fd, struct problem *p)
{
	return rocket_matmul_fp16(fd, SHAPE(p), p->a, p->b, p->c);
}

static int run_f32out(int fd, struct problem *p)
{
	return rocket_matmul_fp16_f32out(fd, SHAPE(p), p->a, p->b, p->c);
}

static int run_fp16_mt(int fd, struct problem *p)
{
	(void)fd;
	return rocket_matmul_fp16_mt(SHAPE(p), p->a, p->b, p->c, THREADS);
}

/* The product in the middle of three, whose results are thrown away. */
static int with_neighbours(struct problem *p,
			   int (*run)(void *on, struct problem *p, const _Float16 *const *a,
				      const _Float16 *const *b, _Float16 *const *c),
			   void *on)
{
	const size_t count = (size_t)p->s.M * p->s.N;
	_Float16 *spare = malloc(2 * count * sizeof(*spare));
	const _Float16 *a[3] = { p->a, p->a, p->a }, *b[3] = { p->b, p->b, p->b };
	_Float16 *c[3] = { spare, p->c, spare + count };
	int ret;

	assert_non_null(spare);
	ret = run(on, p, a, b, c);
	if (!ret)
		assert_memory_equal(spare, p->c, count * sizeof(*spare));
	free(spare);
	return ret;
}

static int run_batch_on(void *on, struct problem *p, const _Float16 *const *a,
			const _Float16 *const *b, _Float16 *const *c)
{
	return rocket_matmul_fp16_batch(*(int *)on, SHAPE(p), 3, a, b, c);
}

static int run_batch(int fd, struct problem *p)
{
	return with_neighbours(p, run_batch_on, &fd);
}

static int run_kept_on(void *on, struct problem *p, const _Float16 *const *a,
		       const _Float16 *const *b, _Float16 *const *c)
{
	return rocket_mm_batch_run(on, SHAPE(p), 3, a, b, c);
}

static int run_kept_batch(int fd, struct problem *p)
{
	rocket_mm_batch *batch = rocket_mm_batch_create(fd);
	int ret = with_neighbours(p, run_kept_on, batch);

	rocket_mm_batch_free(batch);
	return ret;
}

static int run_resident_in(struct problem *p, unsigned flags, int packed_for)
{
	rocket_ctx *ctx = rocket_ctx_create_ex(THREADS, flags);
	rocket_weights *w = rocket_weights_pack(ctx, packed_for, p->s.K, p->s.N, p->b);
	int ret = rocket_matmul_fp16_prepacked(ctx, SHAPE(p), p->a, p->c, w);

	rocket_weights_free(ctx, w);
	rocket_ctx_free(ctx);
	return ret;
}

static int run_resident(int fd, struct problem *p)
{
	(void)fd;
	return run_resident_in(p, 0, p->s.M);
}

static int run_canonical(int fd, struct problem *p)
{
	(void)fd;
	return run_resident_in(p, ROCKET_CTX_TILING_CANONICAL, 32);
}

static int run_stream(int fd, struct problem *p)
{
	rocket_stream *s = rocket_stream_create(THREADS);
	int ret = rocket_matmul_fp16_stream(s, SHAPE(p), p->a, p->b, p->c);

	(void)fd;
	rocket_stream_free(s);
	return ret;
}

/* B in two parts that are no multiples of anything. */
static void halve(const struct problem *p, const _Float16 *bs[2], int ns[2])
{
	ns[0] = p->s.N / 2 - 3;
	ns[1] = p->s.N - ns[0];
	bs[0] = p->b;
	bs[1] = (const _Float16 *)p->b + (size_t)ns[0] * p->s.K;
}

static int run_fused(int fd, struct problem *p)
{
	rocket_stream *s = rocket_stream_create(1);
	const _Float16 *bs[2];
	int ns[2], ret;

	(void)fd;
	halve(p, bs, ns);
	ret = rocket_matmul_fp16_stream_fused(s, p->s.M, p->s.K, bs, ns, 2, p->a, p->c);
	rocket_stream_free(s);
	return ret;
}

static int run_segments(int fd, struct problem *p)
{
	rocket_ctx *ctx = rocket_ctx_create(2);
	const _Float16 *bs[2];
	rocket_weights *w;
	int ns[2], ret;

	(void)fd;
	halve(p, bs, ns);
	w = rocket_weights_pack_seg(ctx, SHAPE(p), bs, ns, 2);
	ret = rocket_matmul_fp16_prepacked(ctx, SHAPE(p), p->a, p->c, w);
	rocket_weights_free(ctx, w);
	rocket_ctx_free(ctx);
	return ret;
}

/* ---- rows ---- */

static int run_rows(rocket_mm_rows *r, struct problem *p, size_t a_bytes, size_t c_bytes)
{
	int ret;

	assert_non_null(r);
	memcpy(rocket_mm_rows_a(r), p->a, (size_t)p->s.M * p->s.K * a_bytes);
	ret = rocket_mm_rows_run(r);
	memcpy(p->c, rocket_mm_rows_c(r), (size_t)p->s.M * p->s.N * c_bytes);
	rocket_mm_rows_free(r);
	return ret;
}

static int run_fp16_rows(int fd, struct problem *p)
{
	return run_rows(rocket_mm_rows_create_fp16(fd, SHAPE(p), p->b), p, 2, 2);
}

static int run_f32out_rows(int fd, struct problem *p)
{
	return run_rows(rocket_mm_rows_create_fp16_f32out(fd, SHAPE(p), p->b), p, 2, 4);
}

static int run_int8_rows(int fd, struct problem *p)
{
	return run_rows(rocket_mm_rows_create_int8(fd, SHAPE(p), p->b), p, 1, 4);
}

/* ---- fp32 operands ---- */

static int run_bf16(int fd, struct problem *p)
{
	return rocket_matmul_bf16(fd, SHAPE(p), p->a, p->b, p->c);
}

static int run_bf16_mt(int fd, struct problem *p)
{
	(void)fd;
	return rocket_matmul_bf16_mt(SHAPE(p), p->a, p->b, p->c, THREADS);
}

static int run_bf16_stream(int fd, struct problem *p)
{
	rocket_bf16_stream *s = rocket_bf16_stream_create(THREADS);
	int ret = rocket_matmul_bf16_stream(s, SHAPE(p), p->a, p->b, p->c);

	(void)fd;
	rocket_bf16_stream_free(s);
	return ret;
}

static int run_tf32(int fd, struct problem *p)
{
	return rocket_matmul_tf32(fd, SHAPE(p), p->a, p->b, p->c);
}

/* ---- integers ---- */

static int run_int8(int fd, struct problem *p)
{
	return rocket_matmul_int8(fd, SHAPE(p), p->a, p->b, p->c);
}

static int run_int4(int fd, struct problem *p)
{
	return rocket_matmul_int4(fd, SHAPE(p), p->a, p->b, p->c);
}

static int run_int4_capped(int fd, struct problem *p)
{
	return rocket_matmul_int4_ex(fd, SHAPE(p), p->a, p->b, p->c, 480);
}

static int run_int16(int fd, struct problem *p)
{
	return rocket_matmul_int16_exact(fd, SHAPE(p), p->a, p->b, p->c);
}

static int run_int8_resident(int fd, struct problem *p)
{
	rocket_i8_ctx *ctx = rocket_i8_ctx_create(THREADS);
	rocket_i8_weights *w = rocket_i8_weights_pack(ctx, 64, p->s.K, p->s.N, p->b);
	int ret = rocket_matmul_int8_prepacked(ctx, SHAPE(p), p->a, p->c, w);

	(void)fd;
	rocket_i8_weights_free(ctx, w);
	rocket_i8_ctx_free(ctx);
	return ret;
}

static int run_int4_resident(int fd, struct problem *p)
{
	rocket_i4_ctx *ctx = rocket_i4_ctx_create(THREADS);
	rocket_i4_weights *w = rocket_i4_weights_pack(ctx, 64, p->s.K, p->s.N, p->b);
	int ret = rocket_matmul_int4_prepacked(ctx, SHAPE(p), p->a, p->c, w);

	(void)fd;
	rocket_i4_weights_free(ctx, w);
	rocket_i4_ctx_free(ctx);
	return ret;
}

static int run_int8_groups(int fd, struct problem *p)
{
	return rocket_matmul_int8_groupwise(fd, SHAPE(p), p->a, p->b, p->a_scale, p->b_scale, p->c,
					    p->group);
}

static int run_int4_groups(int fd, struct problem *p)
{
	return rocket_matmul_int4_groupwise(fd, SHAPE(p), p->a, p->b, p->a_scale, p->b_scale, p->c,
					    p->group);
}

static int run_int8_groups_resident(int fd, struct problem *p)
{
	rocket_i8_ctx *ctx = rocket_i8_ctx_create(2);
	rocket_i8_weights *w = rocket_i8_weights_pack_gw(ctx, 64, p->s.K, p->s.N, p->b, p->group);
	int ret = rocket_matmul_int8_prepacked_gw(ctx, SHAPE(p), p->a, p->a_scale, p->b_scale, p->c,
						  w);

	(void)fd;
	rocket_i8_weights_free(ctx, w);
	rocket_i8_ctx_free(ctx);
	return ret;
}

static int run_int4_groups_resident(int fd, struct problem *p)
{
	rocket_i4_ctx *ctx = rocket_i4_ctx_create(2);
	rocket_i4_weights *w = rocket_i4_weights_pack_gw(ctx, 64, p->s.K, p->s.N, p->b, p->group);
	int ret = rocket_matmul_int4_prepacked_gw(ctx, SHAPE(p), p->a, p->a_scale, p->b_scale, p->c,
						  w);

	(void)fd;
	rocket_i4_weights_free(ctx, w);
	rocket_i4_ctx_free(ctx);
	return ret;
}

/* ---- the table ---- */

#define HALF(_name, _run, _one)                                                                    \
	{                                                                                          \
		.name = _name, .dtype = "fp16", .operand = HALVES, .judge = HALF_BOUND,            \
		.k_group = 32, .one_row = _one, .run = _run                                        \
	}
#define WIDE(_name, _run, _one)                                                                    \
	{                                                                                          \
		.name = _name, .dtype = "fp16", .operand = HALVES, .judge = FLOAT_BOUND,           \
		.k_group = 32, .one_row = _one, .run = _run                                        \
	}
#define CUT(_name, _dtype, _mask, _group, _run, _one)                                              \
	{                                                                                          \
		.name = _name, .dtype = _dtype, .operand = FLOATS, .judge = CUT_BOUND,             \
		.mask = _mask, .k_group = _group, .one_row = _one, .run = _run                     \
	}
#define INTEGERS(_name, _dtype, _lo, _hi, _judge, _run, _one)                                      \
	{                                                                                          \
		.name = _name, .dtype = _dtype, .operand = BYTES, .lo = _lo, .hi = _hi,            \
		.judge = _judge, .one_row = _one, .run = _run                                      \
	}

/* A sum of int4 is not clamped while |product| * Kt is at most 32767: K tiles take 16384, capped
 * ones 480, groups 640 where there is no -8. */
static const struct form table[] = {
	HALF("fp16", run_fp16, true),
	HALF("fp16-mt", run_fp16_mt, true),
	HALF("fp16-batch", run_batch, false),
	HALF("fp16-kept-batch", run_kept_batch, false),
	HALF("fp16-resident", run_resident, false),
	HALF("fp16-canonical", run_canonical, false),
	HALF("fp16-segments", run_segments, false),
	HALF("fp16-stream", run_stream, false),
	HALF("fp16-fused", run_fused, false),
	HALF("fp16-rows", run_fp16_rows, false),
	WIDE("fp16-f32", run_f32out, true),
	WIDE("fp16-f32-rows", run_f32out_rows, false),
	CUT("bf16", "bf16", REFERENCE_BF16, 32, run_bf16, true),
	CUT("bf16-mt", "bf16", REFERENCE_BF16, 32, run_bf16_mt, true),
	CUT("bf16-stream", "bf16", REFERENCE_BF16, 32, run_bf16_stream, false),
	CUT("tf32", "tf32", REFERENCE_TF32, 16, run_tf32, true),
	INTEGERS("int8", "int8", -128, 127, EXACT32, run_int8, true),
	INTEGERS("int8-resident", "int8", -128, 127, EXACT32, run_int8_resident, false),
	INTEGERS("int8-rows", "int8", -128, 127, EXACT32, run_int8_rows, false),
	INTEGERS("int8-groups", "int8", -127, 127, GROUP_BOUND, run_int8_groups, false),
	INTEGERS("int8-groups-resident", "int8", -127, 127, GROUP_BOUND, run_int8_groups_resident,
		 false),
	INTEGERS("int4", "int4", -1, 1, EXACT32, run_int4, true),
	INTEGERS("int4-capped", "int4", -8, 7, EXACT32, run_int4_capped, true),
	INTEGERS("int4-resident", "int4", -1, 1, EXACT32, run_int4_resident, false),
	INTEGERS("int4-groups", "int4", -7, 7, GROUP_BOUND, run_int4_groups, false),
	INTEGERS("int4-groups-resident", "int4", -7, 7, GROUP_BOUND, run_int4_groups_resident,
		 false),
	{ .name = "int16",
	  .dtype = "int16",
	  .operand = SHORTS,
	  .lo = -32768,
	  .hi = 32639,
	  .judge = EXACT64,
	  .one_row = true,
	  .run = run_int16 },
};

const unsigned n_forms = sizeof(table) / sizeof(table[0]);

const struct form *form_at(unsigned i)
{
	return i < n_forms ? &table[i] : NULL;
}

const char *form_name(const struct form *form)
{
	return form->name;
}

const struct form *form_named(const char *name)
{
	for (unsigned i = 0; i < n_forms; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

static size_t operand_bytes(const struct form *form)
{
	static const size_t bytes[] = { [HALVES] = 2, [FLOATS] = 4, [BYTES] = 1, [SHORTS] = 2 };

	return bytes[form->operand];
}

static size_t result_bytes(const struct form *form)
{
	return form->judge == HALF_BOUND ? 2 : form->judge == EXACT64 ? 8 : 4;
}

bool form_takes(const struct form *form, struct test_shape s)
{
	int m = s.M, k = s.K, n = s.N;

	return !rocket_mm_align(form->dtype, &m, &k, &n) && m == s.M && k == s.K && n == s.N &&
	       (s.M > 1 || form->one_row);
}

/* The last rows of products in rows that take several K tiles are no fewer than 12. */
static bool has_short_last_tile(const struct form *form, struct test_shape s)
{
	return form->run == run_fp16_rows && s.M % 256 && s.M % 256 < 12;
}

struct test_shape form_shape(const struct form *form, struct test_rng *rng)
{
	int m = 1, k = 1, n = 1;
	struct test_shape s;

	assert_int_equal(rocket_mm_align(form->dtype, &m, &k, &n), 0);
	s = test_random_shape(rng, k, n);
	if (!form->one_row && s.M == 1)
		s.M = 4;
	if (has_short_last_tile(form, s))
		s.M += 12;
	return s;
}

/* ---- operands ---- */

static void *operand(const struct form *form, struct test_rng *rng, size_t count)
{
	switch (form->operand) {
	case HALVES:
		return test_halves(rng, count, TEST_FILL_UNIFORM);
	case FLOATS:
		return test_floats(rng, count, TEST_FILL_UNIFORM);
	case BYTES:
		return test_bytes_in(rng, count, form->lo, form->hi);
	default:
		return test_shorts_in(rng, count, form->lo, form->hi);
	}
}

static float *scales(struct test_rng *rng, size_t count)
{
	float *p = malloc(count * sizeof(*p));

	assert_non_null(p);
	for (size_t i = 0; i < count; i++)
		p[i] = 0.5f + (float)(test_random(rng) >> 8) * 0x1p-24f;
	return p;
}

/* Some multiple of 32 that divides K; int4 sums of more than 640 may be clamped. */
static int some_group(struct test_rng *rng, int K)
{
	int group, tries = 0;

	do
		group = 32 * test_random_in(rng, 1, K < 640 ? K / 32 : 20);
	while (K % group && ++tries < 20);
	return K % group ? 32 : group;
}

static struct problem begin(const struct form *form, struct test_rng *rng, struct test_shape s)
{
	struct problem p = { .form = form, .s = s };

	p.a = operand(form, rng, (size_t)s.M * s.K);
	p.b = operand(form, rng, (size_t)s.N * s.K);
	p.c = malloc((size_t)s.M * s.N * result_bytes(form));
	assert_non_null(p.c);
	memset(p.c, 0xff, (size_t)s.M * s.N * result_bytes(form));
	if (form->judge == GROUP_BOUND) {
		p.group = some_group(rng, s.K);
		p.a_scale = scales(rng, (size_t)s.M * (s.K / p.group));
		p.b_scale = scales(rng, (size_t)s.N * (s.K / p.group));
	}
	return p;
}

static void end(struct problem *p)
{
	free(p->a);
	free(p->b);
	free(p->c);
	free(p->a_scale);
	free(p->b_scale);
}

static void multiply(struct problem *p, int fd)
{
	struct rocket_matmul_stats stats;
	int ret = p->form->run(fd, p);

	if (ret)
		fail_msg("%s %dx%dx%d: status %d", p->form->name, p->s.M, p->s.K, p->s.N, ret);
	rocket_matmul_last_stats(&stats);
	p->kt = stats.kt;
}

void form_check(const struct form *form, int fd, struct test_rng *rng, struct test_shape s)
{
	struct problem p = begin(form, rng, s);

	multiply(&p, fd);
	judge(&p);
	end(&p);
}

static void *padded(const void *rows, int have_rows, int have, int want_rows, int want, size_t es)
{
	void *p = malloc((size_t)want_rows * want * es);

	assert_non_null(p);
	rocket_mm_copy_rows(p, want_rows, want, rows, have_rows, have, es);
	return p;
}

void form_check_padded(const struct form *form, int fd, struct test_rng *rng, struct test_shape s)
{
	const size_t es = operand_bytes(form);
	struct problem p = begin(form, rng, s), wide = p;

	assert_int_equal(rocket_mm_align(form->dtype, &wide.s.M, &wide.s.K, &wide.s.N), 0);
	wide.a = padded(p.a, s.M, s.K, wide.s.M, wide.s.K, es);
	wide.b = padded(p.b, s.N, s.K, wide.s.N, wide.s.K, es);
	wide.c = malloc((size_t)wide.s.M * wide.s.N * result_bytes(form));
	assert_non_null(wide.c);
	multiply(&wide, fd);
	p.kt = wide.kt;
	rocket_mm_copy_rows(p.c, s.M, s.N, wide.c, wide.s.M, wide.s.N, result_bytes(form));
	judge(&p);
	free(wide.a);
	free(wide.b);
	free(wide.c);
	end(&p);
}

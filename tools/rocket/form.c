// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>

#include "lib/core/status.h"
#include "rocket_matmul.h"

#include "form.h"

#define SHAPE(p) (p)->M, (p)->K, (p)->N

/* ---- one call ---- */

static int run_once(const struct product *p)
{
	if (p->threads)
		return p->dtype->multiply_mt(SHAPE(p), p->A, p->B, p->C, p->threads);
	return p->dtype->multiply(p->fd, SHAPE(p), p->A, p->B, p->C);
}

static int run_int8_groups(const struct product *p)
{
	return rocket_matmul_int8_groupwise(p->fd, SHAPE(p), p->A, p->B, p->a_scale, p->b_scale,
					    p->C, p->group);
}

static int run_int4_groups(const struct product *p)
{
	return rocket_matmul_int4_groupwise(p->fd, SHAPE(p), p->A, p->B, p->a_scale, p->b_scale,
					    p->C, p->group);
}

/* ---- weights that stay ---- */

#define RESIDENT(type, ctx_create, ctx_free, pack, weights_free, ...)                              \
	static void close_##type(struct product *p)                                                \
	{                                                                                          \
		weights_free(p->context, p->weights);                                              \
		ctx_free(p->context);                                                              \
	}                                                                                          \
	static int open_##type(struct product *p)                                                  \
	{                                                                                          \
		int ret;                                                                           \
                                                                                                   \
		p->context = ctx_create(p->threads ? p->threads : 1);                              \
		p->weights = p->context ? pack(p->context, SHAPE(p), p->B __VA_ARGS__) : NULL;     \
		if (p->weights)                                                                    \
			return ROCKET_OK;                                                          \
		ret = rocket_failed_with();                                                        \
		ctx_free(p->context);                                                              \
		return ret;                                                                        \
	}

#define GROUP , p->group

RESIDENT(fp16, rocket_ctx_create, rocket_ctx_free, rocket_weights_pack, rocket_weights_free)
RESIDENT(int8, rocket_i8_ctx_create, rocket_i8_ctx_free, rocket_i8_weights_pack,
	 rocket_i8_weights_free)
RESIDENT(int4, rocket_i4_ctx_create, rocket_i4_ctx_free, rocket_i4_weights_pack,
	 rocket_i4_weights_free)
RESIDENT(int8_groups, rocket_i8_ctx_create, rocket_i8_ctx_free, rocket_i8_weights_pack_gw,
	 rocket_i8_weights_free, GROUP)
RESIDENT(int4_groups, rocket_i4_ctx_create, rocket_i4_ctx_free, rocket_i4_weights_pack_gw,
	 rocket_i4_weights_free, GROUP)

static int run_fp16_resident(const struct product *p)
{
	return rocket_matmul_fp16_prepacked(p->context, SHAPE(p), p->A, p->C, p->weights);
}

static int run_int8_resident(const struct product *p)
{
	return rocket_matmul_int8_prepacked(p->context, SHAPE(p), p->A, p->C, p->weights);
}

static int run_int4_resident(const struct product *p)
{
	return rocket_matmul_int4_prepacked(p->context, SHAPE(p), p->A, p->C, p->weights);
}

static int run_int8_groups_resident(const struct product *p)
{
	return rocket_matmul_int8_prepacked_gw(p->context, SHAPE(p), p->A, p->a_scale, p->b_scale,
					       p->C, p->weights);
}

static int run_int4_groups_resident(const struct product *p)
{
	return rocket_matmul_int4_prepacked_gw(p->context, SHAPE(p), p->A, p->a_scale, p->b_scale,
					       p->C, p->weights);
}

/* ---- B in two parts, one below the other, that no tile or worker ends with ---- */

static void cut(const struct product *p, const _Float16 *bs[2], int ns[2])
{
	ns[0] = p->N / 2 - 3;
	ns[1] = p->N - ns[0];
	bs[0] = p->B;
	bs[1] = bs[0] + (size_t)ns[0] * (size_t)p->K;
}

static rocket_weights *pack_cut(rocket_ctx *context, const struct product *p)
{
	const _Float16 *bs[2];
	int ns[2];

	cut(p, bs, ns);
	return rocket_weights_pack_seg(context, SHAPE(p), bs, ns, 2);
}

static int open_segments(struct product *p)
{
	int ret;

	p->context = rocket_ctx_create(p->threads ? p->threads : 1);
	p->weights = p->context ? pack_cut(p->context, p) : NULL;
	if (p->weights)
		return ROCKET_OK;
	ret = rocket_failed_with();
	rocket_ctx_free(p->context);
	return ret;
}

static int run_fused(const struct product *p)
{
	const _Float16 *bs[2];
	int ns[2];

	cut(p, bs, ns);
	return rocket_matmul_fp16_stream_fused(p->context, p->M, p->K, bs, ns, 2, p->A, p->C);
}

/* ---- streams ---- */

static int open_stream(struct product *p)
{
	p->context = rocket_stream_create(p->threads ? p->threads : 1);
	return p->context ? ROCKET_OK : rocket_failed_with();
}

static void close_stream(struct product *p)
{
	rocket_stream_free(p->context);
}

static int run_stream(const struct product *p)
{
	return rocket_matmul_fp16_stream(p->context, SHAPE(p), p->A, p->B, p->C);
}

static int open_bf16_stream(struct product *p)
{
	p->context = rocket_bf16_stream_create(p->threads ? p->threads : 1);
	return p->context ? ROCKET_OK : rocket_failed_with();
}

static void close_bf16_stream(struct product *p)
{
	rocket_bf16_stream_free(p->context);
}

static int run_bf16_stream(const struct product *p)
{
	return rocket_matmul_bf16_stream(p->context, SHAPE(p), p->A, p->B, p->C);
}

/* ---- a batch of two: the second result must have the bits of the first ---- */

static int open_batch(struct product *p)
{
	p->weights = calloc((size_t)p->M * (size_t)p->N, p->dtype->result_bytes);
	if (!p->weights)
		return ROCKET_E_NOMEM;
	p->context = rocket_mm_batch_create(p->fd);
	if (p->context)
		return ROCKET_OK;
	free(p->weights);
	return rocket_failed_with();
}

static void close_batch(struct product *p)
{
	rocket_mm_batch_free(p->context);
	free(p->weights);
}

static int run_batch(const struct product *p)
{
	const _Float16 *const a[2] = { p->A, p->A }, *const b[2] = { p->B, p->B };
	_Float16 *const c[2] = { p->weights, p->C };

	return rocket_mm_batch_run(p->context, SHAPE(p), 2, a, b, c);
}

/* ---- rows ---- */

static int open_rows(struct product *p)
{
	if (p->dtype->type == ROCKET_MM_FP16_FP16)
		p->context = rocket_mm_rows_create_fp16(p->fd, SHAPE(p), p->B);
	else if (p->dtype->type == ROCKET_MM_FP16_FP32)
		p->context = rocket_mm_rows_create_fp16_f32out(p->fd, SHAPE(p), p->B);
	else
		p->context = rocket_mm_rows_create_int8(p->fd, SHAPE(p), p->B);
	return p->context ? ROCKET_OK : rocket_failed_with();
}

static void close_rows(struct product *p)
{
	rocket_mm_rows_free(p->context);
}

/* The copies stand for a caller who makes A and uses C in place. */
static int run_rows(const struct product *p)
{
	const size_t a_bytes = operand_bytes(p->dtype->operand);
	int ret;

	memcpy(rocket_mm_rows_a(p->context), p->A, (size_t)p->M * (size_t)p->K * a_bytes);
	ret = rocket_mm_rows_run(p->context);
	memcpy(p->C, rocket_mm_rows_c(p->context),
	       (size_t)p->M * (size_t)p->N * p->dtype->result_bytes);
	return ret;
}

/* ---- the table ---- */

#define OPENED(type) .open = open_##type, .close = close_##type

static const struct form forms[] = {
	{ .name = "once", .run = run_once },
	{ .name = "once", .dtype = "int8", .grouped = true, .run = run_int8_groups },
	{ .name = "once", .dtype = "int4", .grouped = true, .run = run_int4_groups },
	{ .name = "resident",
	  .dtype = "fp16",
	  .workers = true,
	  OPENED(fp16),
	  .run = run_fp16_resident },
	{ .name = "resident",
	  .dtype = "int8",
	  .workers = true,
	  .canonical = true,
	  OPENED(int8),
	  .run = run_int8_resident },
	{ .name = "resident",
	  .dtype = "int4",
	  .workers = true,
	  .canonical = true,
	  OPENED(int4),
	  .run = run_int4_resident },
	{ .name = "resident",
	  .dtype = "int8",
	  .grouped = true,
	  .workers = true,
	  .canonical = true,
	  OPENED(int8_groups),
	  .run = run_int8_groups_resident },
	{ .name = "resident",
	  .dtype = "int4",
	  .grouped = true,
	  .workers = true,
	  .canonical = true,
	  OPENED(int4_groups),
	  .run = run_int4_groups_resident },
	{ .name = "segments",
	  .dtype = "fp16",
	  .workers = true,
	  .open = open_segments,
	  .close = close_fp16,
	  .run = run_fp16_resident },
	{ .name = "fused", .dtype = "fp16", .workers = true, OPENED(stream), .run = run_fused },
	{ .name = "stream", .dtype = "fp16", .workers = true, OPENED(stream), .run = run_stream },
	{ .name = "stream",
	  .dtype = "bf16",
	  .workers = true,
	  OPENED(bf16_stream),
	  .run = run_bf16_stream },
	{ .name = "batch", .dtype = "fp16", .pair = true, OPENED(batch), .run = run_batch },
	{ .name = "rows", .dtype = "fp16", .in_rows = true, OPENED(rows), .run = run_rows },
	{ .name = "rows", .dtype = "fp16-f32", .in_rows = true, OPENED(rows), .run = run_rows },
	{ .name = "rows", .dtype = "int8", .in_rows = true, OPENED(rows), .run = run_rows },
};
#define N_FORMS (sizeof(forms) / sizeof(forms[0]))

const struct form *form_find(const char *name, const struct dtype *dtype, bool grouped)
{
	for (size_t i = 0; i < N_FORMS; i++)
		if (!strcmp(forms[i].name, name) && forms[i].grouped == grouped &&
		    (!forms[i].dtype || !strcmp(forms[i].dtype, dtype->name)))
			return &forms[i];
	return NULL;
}

bool form_exists(const char *name)
{
	for (size_t i = 0; i < N_FORMS; i++)
		if (!strcmp(forms[i].name, name))
			return true;
	return false;
}

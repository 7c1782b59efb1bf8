// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_resident.c - contexts, weights that stay packed on them, and streams. */
#include <stdlib.h>

#include "../core/status.h"
#include "matmul_crew.h"
#include "rocket_matmul.h"

/* The public types differ so that a compiler tells them apart; what is behind them does not. */
struct rocket_ctx {
	struct rocket_matmul_crew crew;
	enum rocket_matmul_tiling tiling;
};
struct rocket_i8_ctx {
	struct rocket_ctx any;
};
struct rocket_i4_ctx {
	struct rocket_ctx any;
};
struct rocket_stream {
	struct rocket_ctx any;
};
struct rocket_bf16_stream {
	struct rocket_ctx any;
};
struct rocket_weights {
	struct rocket_matmul_weights any;
};
struct rocket_i8_weights {
	struct rocket_matmul_weights any;
};
struct rocket_i4_weights {
	struct rocket_matmul_weights any;
};

static void *create(const char *who, int nthreads, enum rocket_matmul_tiling tiling)
{
	struct rocket_ctx *ctx = calloc(1, sizeof(*ctx));
	int ret;

	if (!ctx) {
		rocket_fail(ROCKET_E_NOMEM, "%s: no memory for a context", who);
		return NULL;
	}
	ctx->tiling = tiling;
	ret = rocket_crew_open(&ctx->crew, who, rocket_crew_size(nthreads), ROCKET_MM_FP16_FP16, 0);
	if (ret) {
		rocket_note_failure(ret);
		free(ctx);
		return NULL;
	}
	return ctx;
}

static void destroy(const char *who, void *any)
{
	struct rocket_ctx *ctx = any;

	if (!ctx)
		return;
	if (ctx->crew.weights)
		rocket_log(ROCKET_LOG_ERROR,
			   "%s: %u sets of weights were not freed before their context", who,
			   ctx->crew.weights);
	rocket_crew_close(&ctx->crew);
	free(ctx);
}

static void *pack(const struct rocket_matmul_call *call, void *any)
{
	struct rocket_ctx *ctx = any;

	if (ctx)
		return rocket_crew_pack(&ctx->crew, call, ctx->tiling);
	rocket_fail(ROCKET_E_SHAPE, "%s: the context is NULL", call->who);
	return NULL;
}

static void unpack(const char *who, void *any, void *w)
{
	struct rocket_ctx *ctx = any;
	struct rocket_matmul_weights *weights = w;

	if (!weights)
		return;
	if (!ctx || weights->crew != &ctx->crew)
		rocket_log(ROCKET_LOG_ERROR, "%s: these weights belong to another context", who);
	else
		rocket_crew_unpack(&ctx->crew, weights);
}

/* A call with packed weights, which must be of its kind and shape. */
static int multiply(struct rocket_matmul_call *call, void *any, const void *packed)
{
	const struct rocket_matmul_weights *w = packed;
	struct rocket_ctx *ctx = any;

	if (!ctx || !w)
		return rocket_fail(ROCKET_E_SHAPE, "%s: the %s NULL", call->who,
				   ctx ? "weights are" : "context is");
	if (w->crew != &ctx->crew)
		return rocket_fail(ROCKET_E_SHAPE, "%s: the weights belong to another context",
				   call->who);
	if (w->limits.grouped != call->limits.grouped)
		return rocket_fail(ROCKET_E_SHAPE, "%s: the weights were packed %s", call->who,
				   w->limits.grouped ? "for scales by group" : "without groups");
	if (w->K != call->K || w->N != call->N)
		return rocket_fail(ROCKET_E_SHAPE,
				   "%s: weights packed for K=%d and N=%d, not K=%d and N=%d",
				   call->who, w->K, w->N, call->K, call->N);
	call->limits = w->limits;
	call->weights = &w->part[0].bo; /* each member's own takes its place */
	return rocket_crew_run(&ctx->crew, call, w);
}

#define CALL(_who, _kind, ...)                                                                     \
	{                                                                                          \
		.who = _who, .kind = &(_kind), .M = M, .K = K, .N = N, .c_row = (size_t)N,         \
		.whole_rows = true, __VA_ARGS__                                                    \
	}

/* ---- fp16 ---- */

rocket_ctx *rocket_ctx_create(int nthreads)
{
	return create("rocket_ctx_create", nthreads, ROCKET_TILING_OF_M);
}

rocket_ctx *rocket_ctx_create_ex(int nthreads, unsigned flags)
{
	if (flags & ~ROCKET_CTX_TILING_CANONICAL) {
		rocket_fail(ROCKET_E_SHAPE, "rocket_ctx_create_ex: unknown flags %#x",
			    flags & ~ROCKET_CTX_TILING_CANONICAL);
		return NULL;
	}
	return create("rocket_ctx_create_ex", nthreads,
		      flags ? ROCKET_TILING_CANONICAL : ROCKET_TILING_OF_M);
}

void rocket_ctx_free(rocket_ctx *ctx)
{
	destroy("rocket_ctx_free", ctx);
}

rocket_weights *rocket_weights_pack(rocket_ctx *ctx, int M, int K, int N, const _Float16 *B)
{
	const struct rocket_matmul_call call =
		CALL("rocket_weights_pack", rocket_kind_fp16, .b = B, .pack_only = true);

	return pack(&call, ctx);
}

/* False, said: the segments cannot be looked at. */
static bool have_segments(const char *who, const void *const *bs, const int *ns, int nseg)
{
	if (nseg < 1 || nseg > ROCKET_MAX_FUSE)
		rocket_fail(ROCKET_E_SHAPE, "%s: %d segments are not 1..%d", who, nseg,
			    ROCKET_MAX_FUSE);
	else if (!bs || !ns)
		rocket_fail(ROCKET_E_SHAPE, "%s: %s is NULL", who, bs ? "Ns" : "Bs");
	else
		return true;
	return false;
}

_Static_assert(ROCKET_MAX_FUSE == ROCKET_SEGMENTS_MAX, "segments are bounded once");

rocket_weights *rocket_weights_pack_seg(rocket_ctx *ctx, int M, int K, int N,
					const _Float16 *const *Bs, const int *Ns, int nseg)
{
	const void *const *bs = (const void *const *)Bs;
	const struct rocket_matmul_call call =
		CALL("rocket_weights_pack_seg", rocket_kind_fp16, .segments = { bs, Ns, nseg },
		     .pack_only = true);

	return have_segments(call.who, bs, Ns, nseg) ? pack(&call, ctx) : NULL;
}

void rocket_weights_free(rocket_ctx *ctx, rocket_weights *w)
{
	unpack("rocket_weights_free", ctx, w);
}

int rocket_matmul_fp16_prepacked(rocket_ctx *ctx, int M, int K, int N, const _Float16 *A,
				 _Float16 *C, rocket_weights *w)
{
	struct rocket_matmul_call call =
		CALL("rocket_matmul_fp16_prepacked", rocket_kind_fp16, .a = A, .c = C);

	return multiply(&call, ctx, w);
}

/* ---- int8 ---- */

rocket_i8_ctx *rocket_i8_ctx_create(int nthreads)
{
	return create("rocket_i8_ctx_create", nthreads, ROCKET_TILING_CANONICAL);
}

void rocket_i8_ctx_free(rocket_i8_ctx *ctx)
{
	destroy("rocket_i8_ctx_free", ctx);
}

rocket_i8_weights *rocket_i8_weights_pack(rocket_i8_ctx *ctx, int M, int K, int N, const int8_t *B)
{
	const struct rocket_matmul_call call =
		CALL("rocket_i8_weights_pack", rocket_kind_int8, .b = B, .pack_only = true);

	return pack(&call, ctx);
}

rocket_i8_weights *rocket_i8_weights_pack_gw(rocket_i8_ctx *ctx, int M, int K, int N,
					     const int8_t *B, int group)
{
	const struct rocket_matmul_call call =
		CALL("rocket_i8_weights_pack_gw", rocket_kind_int8_groups, .b = B,
		     .limits = { .grouped = true, .group = group }, .pack_only = true);

	return pack(&call, ctx);
}

void rocket_i8_weights_free(rocket_i8_ctx *ctx, rocket_i8_weights *w)
{
	unpack("rocket_i8_weights_free", ctx, w);
}

size_t rocket_i8_weights_bytes(const rocket_i8_weights *w)
{
	return w ? rocket_crew_weight_bytes(&w->any) : 0;
}

int rocket_matmul_int8_prepacked(rocket_i8_ctx *ctx, int M, int K, int N, const int8_t *A,
				 int32_t *C, rocket_i8_weights *w)
{
	struct rocket_matmul_call call =
		CALL("rocket_matmul_int8_prepacked", rocket_kind_int8, .a = A, .c = C);

	return multiply(&call, ctx, w);
}

int rocket_matmul_int8_prepacked_gw(rocket_i8_ctx *ctx, int M, int K, int N, const int8_t *A,
				    const float *a_scale, const float *b_scale, float *Cf,
				    rocket_i8_weights *w)
{
	struct rocket_matmul_call call =
		CALL("rocket_matmul_int8_prepacked_gw", rocket_kind_int8_groups, .a = A, .c = Cf,
		     .limits.grouped = true, .a_scale = a_scale, .b_scale = b_scale);

	return multiply(&call, ctx, w);
}

/* ---- int4 ---- */

rocket_i4_ctx *rocket_i4_ctx_create(int nthreads)
{
	return create("rocket_i4_ctx_create", nthreads, ROCKET_TILING_CANONICAL);
}

void rocket_i4_ctx_free(rocket_i4_ctx *ctx)
{
	destroy("rocket_i4_ctx_free", ctx);
}

rocket_i4_weights *rocket_i4_weights_pack(rocket_i4_ctx *ctx, int M, int K, int N, const int8_t *B)
{
	const struct rocket_matmul_call call =
		CALL("rocket_i4_weights_pack", rocket_kind_int4, .b = B, .pack_only = true);

	return pack(&call, ctx);
}

rocket_i4_weights *rocket_i4_weights_pack_gw(rocket_i4_ctx *ctx, int M, int K, int N,
					     const int8_t *B, int group)
{
	const struct rocket_matmul_call call =
		CALL("rocket_i4_weights_pack_gw", rocket_kind_int4_groups, .b = B,
		     .limits = { .grouped = true, .group = group }, .pack_only = true);

	return pack(&call, ctx);
}

void rocket_i4_weights_free(rocket_i4_ctx *ctx, rocket_i4_weights *w)
{
	unpack("rocket_i4_weights_free", ctx, w);
}

size_t rocket_i4_weights_bytes(const rocket_i4_weights *w)
{
	return w ? rocket_crew_weight_bytes(&w->any) : 0;
}

int rocket_matmul_int4_prepacked(rocket_i4_ctx *ctx, int M, int K, int N, const int8_t *A,
				 int32_t *C, rocket_i4_weights *w)
{
	struct rocket_matmul_call call =
		CALL("rocket_matmul_int4_prepacked", rocket_kind_int4, .a = A, .c = C);

	return multiply(&call, ctx, w);
}

int rocket_matmul_int4_prepacked_gw(rocket_i4_ctx *ctx, int M, int K, int N, const int8_t *A,
				    const float *a_scale, const float *b_scale, float *Cf,
				    rocket_i4_weights *w)
{
	struct rocket_matmul_call call =
		CALL("rocket_matmul_int4_prepacked_gw", rocket_kind_int4_groups, .a = A, .c = Cf,
		     .limits.grouped = true, .a_scale = a_scale, .b_scale = b_scale);

	return multiply(&call, ctx, w);
}

/* ---- streams: fds and buffers that stay, weights that do not ---- */

static int stream(const struct rocket_matmul_call *call, void *any)
{
	struct rocket_ctx *ctx = any;

	return ctx ? rocket_crew_run(&ctx->crew, call, NULL)
		   : rocket_fail(ROCKET_E_SHAPE, "%s: the stream is NULL", call->who);
}

rocket_stream *rocket_stream_create(int nthreads)
{
	return create("rocket_stream_create", nthreads, ROCKET_TILING_OF_M);
}

void rocket_stream_free(rocket_stream *s)
{
	destroy("rocket_stream_free", s);
}

int rocket_matmul_fp16_stream(rocket_stream *s, int M, int K, int N, const _Float16 *A,
			      const _Float16 *B, _Float16 *C)
{
	const struct rocket_matmul_call call =
		CALL("rocket_matmul_fp16_stream", rocket_kind_fp16, .a = A, .b = B, .c = C);

	return stream(&call, s);
}

/* Rows of all segments; what is wrong with one is left to the check of the call. */
static int sum_of(const int *ns, int nseg)
{
	int64_t sum = 0;

	for (int i = 0; i < nseg; i++)
		sum += ns[i];
	return sum > 0 && sum <= ROCKET_MATMUL_DIM_MAX ? (int)sum : 0;
}

int rocket_matmul_fp16_stream_fused(rocket_stream *s, int M, int K, const _Float16 *const *Bs,
				    const int *Ns, int nseg, const _Float16 *A, _Float16 *C)
{
	static const char who[] = "rocket_matmul_fp16_stream_fused";
	const void *const *bs = (const void *const *)Bs;
	const int N = have_segments(who, bs, Ns, nseg) ? sum_of(Ns, nseg) : -1;
	const struct rocket_matmul_call call =
		CALL(who, rocket_kind_fp16, .a = A, .c = C, .segments = { bs, Ns, nseg });

	return N < 0 ? ROCKET_E_SHAPE : stream(&call, s);
}

rocket_bf16_stream *rocket_bf16_stream_create(int nthreads)
{
	return create("rocket_bf16_stream_create", nthreads, ROCKET_TILING_OF_M);
}

void rocket_bf16_stream_free(rocket_bf16_stream *s)
{
	destroy("rocket_bf16_stream_free", s);
}

int rocket_matmul_bf16_stream(rocket_bf16_stream *s, int M, int K, int N, const float *A,
			      const float *B, float *C)
{
	const struct rocket_matmul_call call =
		CALL("rocket_matmul_bf16_stream", rocket_kind_bf16, .a = A, .b = B, .c = C);

	return stream(&call, s);
}

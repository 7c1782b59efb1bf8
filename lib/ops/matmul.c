// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul.c - the public matmul entries on one fd. */
#include "../core/status.h"
#include "matmul_run.h"
#include "rocket_matmul.h"

int rocket_matmul_fp16(int fd, int M, int K, int N, const _Float16 *A, const _Float16 *B,
		       _Float16 *C)
{
	const struct rocket_matmul_call call = {
		"rocket_matmul_fp16", &rocket_kind_fp16, M, K, N, A, B, C, .c_row = (size_t)N
	};

	return rocket_matmul_on_fd(fd, &call);
}

int rocket_matmul_fp16_f32out(int fd, int M, int K, int N, const _Float16 *A, const _Float16 *B,
			      float *C)
{
	const struct rocket_matmul_call call = {
		"rocket_matmul_fp16_f32out", &rocket_kind_fp16_f32out, M, K, N, A, B, C,
		.c_row = (size_t)N
	};

	return rocket_matmul_on_fd(fd, &call);
}

int rocket_matmul_bf16(int fd, int M, int K, int N, const float *A, const float *B, float *C)
{
	const struct rocket_matmul_call call = {
		"rocket_matmul_bf16", &rocket_kind_bf16, M, K, N, A, B, C, .c_row = (size_t)N
	};

	return rocket_matmul_on_fd(fd, &call);
}

int rocket_matmul_tf32(int fd, int M, int K, int N, const float *A, const float *B, float *C)
{
	const struct rocket_matmul_call call = {
		"rocket_matmul_tf32", &rocket_kind_tf32, M, K, N, A, B, C, .c_row = (size_t)N
	};

	return rocket_matmul_on_fd(fd, &call);
}

int rocket_matmul_int8(int fd, int M, int K, int N, const int8_t *A, const int8_t *B, int32_t *C)
{
	const struct rocket_matmul_call call = {
		"rocket_matmul_int8", &rocket_kind_int8, M, K, N, A, B, C, .c_row = (size_t)N
	};

	return rocket_matmul_on_fd(fd, &call);
}

int rocket_matmul_int4(int fd, int M, int K, int N, const int8_t *A, const int8_t *B, int32_t *C)
{
	const struct rocket_matmul_call call = {
		"rocket_matmul_int4", &rocket_kind_int4, M, K, N, A, B, C, .c_row = (size_t)N
	};

	return rocket_matmul_on_fd(fd, &call);
}

int rocket_matmul_int4_ex(int fd, int M, int K, int N, const int8_t *A, const int8_t *B, int32_t *C,
			  int kt_cap)
{
	const struct rocket_matmul_call call = {
		"rocket_matmul_int4_ex", &rocket_kind_int4,      M, K, N, A, B, C,
		.c_row = (size_t)N,      .limits.kt_cap = kt_cap
	};

	return rocket_matmul_on_fd(fd, &call);
}

int rocket_matmul_int16_exact(int fd, int M, int K, int N, const int16_t *A, const int16_t *B,
			      int64_t *C)
{
	const struct rocket_matmul_call call = {
		"rocket_matmul_int16_exact", &rocket_kind_int16, M, K, N, A, B, C,
		.c_row = (size_t)N
	};

	return rocket_matmul_on_fd(fd, &call);
}

/* ---- scales by group of k ---- */

static int run_groups(const char *who, const struct rocket_matmul_kind *kind, int fd, int M, int K,
		      int N, const int8_t *A, const int8_t *B, const float *a_scale,
		      const float *b_scale, float *Cf, int group)
{
	const struct rocket_matmul_call call = {
		.who = who,
		.kind = kind,
		.M = M,
		.K = K,
		.N = N,
		.a = A,
		.b = B,
		.c = Cf,
		.c_row = (size_t)N,
		.whole_rows = true,
		.limits = { .grouped = true, .group = group },
		.a_scale = a_scale,
		.b_scale = b_scale,
	};

	return rocket_matmul_on_fd(fd, &call);
}

int rocket_matmul_int8_groupwise(int fd, int M, int K, int N, const int8_t *A, const int8_t *B,
				 const float *a_scale, const float *b_scale, float *Cf, int group)
{
	return run_groups("rocket_matmul_int8_groupwise", &rocket_kind_int8_groups, fd, M, K, N, A,
			  B, a_scale, b_scale, Cf, group);
}

int rocket_matmul_int4_groupwise(int fd, int M, int K, int N, const int8_t *A, const int8_t *B,
				 const float *a_scale, const float *b_scale, float *Cf, int group)
{
	return run_groups("rocket_matmul_int4_groupwise", &rocket_kind_int4_groups, fd, M, K, N, A,
			  B, a_scale, b_scale, Cf, group);
}

/* ---- plans ---- */

static int plan_tiles(const char *who, enum rocket_matmul_type type,
		      const struct rocket_matmul_limits *limits, int M, int K, int N, int *Mt,
		      int *Kt, int *Nt)
{
	const struct rocket_settings set = rocket_settings_read();
	struct rocket_matmul_tiles tiles;
	char why[256];
	int ret = rocket_matmul_tile_within(type, rocket_hw_current(), &set, limits, M, K, N,
					    &tiles, why, sizeof(why));

	if (ret < 0)
		return rocket_fail(ret, "%s: %s", who, why);
	if (Mt)
		*Mt = tiles.mt;
	if (Kt)
		*Kt = tiles.kt;
	if (Nt)
		*Nt = tiles.nt;
	return ret;
}

int rocket_matmul_plan(int M, int K, int N, int *Mt, int *Kt, int *Nt)
{
	return plan_tiles("rocket_matmul_plan", ROCKET_MM_FP16_FP16, NULL, M, K, N, Mt, Kt, Nt);
}

int rocket_matmul_plan_bf16(int M, int K, int N, int *Mt, int *Kt, int *Nt)
{
	return plan_tiles("rocket_matmul_plan_bf16", ROCKET_MM_BF16_FP32, NULL, M, K, N, Mt, Kt,
			  Nt);
}

int rocket_matmul_plan_tf32(int M, int K, int N, int *Mt, int *Kt, int *Nt)
{
	return plan_tiles("rocket_matmul_plan_tf32", ROCKET_MM_TF32_FP32, NULL, M, K, N, Mt, Kt,
			  Nt);
}

int rocket_matmul_plan_int16(int M, int K, int N, int *Mt, int *Kt, int *Nt)
{
	return plan_tiles("rocket_matmul_plan_int16", ROCKET_MM_INT16_INT32, NULL, M, K, N, Mt, Kt,
			  Nt);
}

int rocket_matmul_plan_int8(int M, int K, int N, int *Mt, int *Kt, int *Nt)
{
	return plan_tiles("rocket_matmul_plan_int8", ROCKET_MM_INT8_INT32, NULL, M, K, N, Mt, Kt,
			  Nt);
}

int rocket_matmul_plan_int4(int M, int K, int N, int *Mt, int *Kt, int *Nt)
{
	return plan_tiles("rocket_matmul_plan_int4", ROCKET_MM_INT4_INT16, NULL, M, K, N, Mt, Kt,
			  Nt);
}

int rocket_matmul_plan_int8_gw(int M, int K, int N, int group, int *Mt, int *Kt, int *Nt)
{
	const struct rocket_matmul_limits limits = { .grouped = true, .group = group };

	return plan_tiles("rocket_matmul_plan_int8_gw", ROCKET_MM_INT8_INT32, &limits, M, K, N, Mt,
			  Kt, Nt);
}

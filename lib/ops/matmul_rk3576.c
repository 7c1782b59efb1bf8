// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_rk3576.c - the entries of the RK3576, which has no matmul encoder here yet. */
#include <string.h>

#include "../core/device.h"
#include "../core/status.h"
#include "rocket_matmul.h"

static int refuse(const char *who)
{
	return rocket_fail(ROCKET_E_UNSUPPORTED, "%s: there is no matmul encoder for rk3576", who);
}

/* Say of another chip that the entry is not for it, whatever there will be. */
static int refuse_on(int fd, const char *who)
{
	struct rocket_device *dev = rocket_device_get(fd, who);
	int ret;

	if (!dev)
		return ROCKET_E_SHAPE;
	ret = strcmp(dev->profile->name, "rk3576")
		      ? rocket_fail(ROCKET_E_UNSUPPORTED, "%s: fd %d is an %s, not an rk3576", who,
				    fd, dev->profile->name)
		      : refuse(who);
	rocket_device_put(dev);
	return ret;
}

#define UNUSED(...) ((void)sizeof((const void *[]){ __VA_ARGS__ }))

int rocket_matmul_plan_int8_rk3576(int M, int K, int N, int *Mt, int *Kt, int *Nt)
{
	UNUSED(&M, &K, &N, Mt, Kt, Nt);
	return refuse("rocket_matmul_plan_int8_rk3576");
}

int rocket_matmul_int8_rk3576(int fd, int M, int K, int N, const int8_t *A, const int8_t *B,
			      const int32_t *bias, float scale, int8_t *C)
{
	UNUSED(&M, &K, &N, A, B, bias, &scale, C);
	return refuse_on(fd, "rocket_matmul_int8_rk3576");
}

int rocket_matmul_int8_rk3576_perc(int fd, int M, int K, int N, const int8_t *A, const int8_t *B,
				   const int32_t *bias, const float *scale_n, int8_t *C,
				   double *worst_rel_err)
{
	UNUSED(&M, &K, &N, A, B, bias, scale_n, C, worst_rel_err);
	return refuse_on(fd, "rocket_matmul_int8_rk3576_perc");
}

int rocket_matmul_int8_rk3576_perc_sa(int fd, int M, int K, int N, const int8_t *A, const int8_t *B,
				      const int32_t *bias, const float *scale_n,
				      const int64_t *sum_abs_w, int8_t *C, double *worst_rel_err)
{
	UNUSED(&M, &K, &N, A, B, bias, scale_n, sum_abs_w, C, worst_rel_err);
	return refuse_on(fd, "rocket_matmul_int8_rk3576_perc_sa");
}

int rocket_matmul_int8_rk3576_i32(int fd, int M, int K, int N, const int8_t *A, const int8_t *B,
				  const int32_t *bias, int32_t *C)
{
	UNUSED(&M, &K, &N, A, B, bias, C);
	return refuse_on(fd, "rocket_matmul_int8_rk3576_i32");
}

void rocket_rk3576_i32_last_stats(rocket_rk3576_i32_stats *out)
{
	if (out)
		*out = (rocket_rk3576_i32_stats){ 0 };
}

int rocket_matmul_fp16_rk3576(int fd, int M, int K, int N, const _Float16 *A, const _Float16 *B,
			      float *C)
{
	UNUSED(&M, &K, &N, A, B, C);
	return refuse_on(fd, "rocket_matmul_fp16_rk3576");
}

unsigned rocket_rk3576_mm_fp16_last_attempts(void)
{
	return 0;
}

/* ---- packed weights: nobody can have any ---- */

int rocket_rk3576_wbo_create(int fd, int K, int N, const int8_t *B, struct rocket_rk3576_wbo **out)
{
	UNUSED(&K, &N, B);
	if (out)
		*out = NULL;
	return refuse_on(fd, "rocket_rk3576_wbo_create");
}

void rocket_rk3576_wbo_free(int fd, struct rocket_rk3576_wbo *w)
{
	UNUSED(&fd, w);
}

int rocket_matmul_int8_rk3576_perc_wbo(int fd, int M, int K, int N, const int8_t *A,
				       const struct rocket_rk3576_wbo *wbo, const int32_t *bias,
				       const float *scale_n, const int64_t *sum_abs_w, int8_t *C,
				       double *worst_rel_err)
{
	UNUSED(&M, &K, &N, A, wbo, bias, scale_n, sum_abs_w, C, worst_rel_err);
	return refuse_on(fd, "rocket_matmul_int8_rk3576_perc_wbo");
}

int rocket_rk3576_wbo_fp16_create(int fd, int K, int N, const _Float16 *B,
				  struct rocket_rk3576_wbo_fp16 **out)
{
	UNUSED(&K, &N, B);
	if (out)
		*out = NULL;
	return refuse_on(fd, "rocket_rk3576_wbo_fp16_create");
}

void rocket_rk3576_wbo_fp16_free(int fd, struct rocket_rk3576_wbo_fp16 *w)
{
	UNUSED(&fd, w);
}

int rocket_matmul_fp16_rk3576_wbo(int fd, int M, int K, int N, const _Float16 *A,
				  const struct rocket_rk3576_wbo_fp16 *wbo, float *C)
{
	UNUSED(&M, &K, &N, A, wbo, C);
	return refuse_on(fd, "rocket_matmul_fp16_rk3576_wbo");
}

void rocket_rk3576_bo_pool_drain(int fd)
{
	UNUSED(&fd);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul.c - the public matmul entries: what they refuse, and their one-fd forms. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../core/status.h"
#include "../plan/matmul_plan.h"
#include "matmul_run.h"
#include "rocket_matmul.h"

/* ---- refusals that need no device ---- */

struct operand {
	const char *name;
	uintptr_t start;
	size_t rows, columns, element;
	size_t bytes; /* filled by check_operand() */
};

static int check_operand(const char *who, struct operand *o)
{
	if (!o->start)
		return rocket_fail(ROCKET_E_SHAPE, "%s: %s is NULL", who, o->name);
	if (o->start % o->element)
		return rocket_fail(ROCKET_E_SHAPE, "%s: %s is not aligned to its %zu-byte elements",
				   who, o->name, o->element);
	if (__builtin_mul_overflow(o->rows, o->columns, &o->bytes) ||
	    __builtin_mul_overflow(o->bytes, o->element, &o->bytes) ||
	    o->bytes > UINTPTR_MAX - o->start)
		return rocket_fail(ROCKET_E_SHAPE, "%s: %s of %zux%zu does not fit in memory", who,
				   o->name, o->rows, o->columns);
	return 0;
}

static bool overlap(const struct operand *a, const struct operand *b)
{
	return a->start < b->start + b->bytes && b->start < a->start + a->bytes;
}

int rocket_matmul_check(const struct rocket_matmul_call *call)
{
	const size_t M = (size_t)call->M, K = (size_t)call->K, N = (size_t)call->N;
	const size_t es = rocket_matmul_traits(call->type)->in_bits / 8;
	const struct {
		const char *name;
		int value;
	} dims[] = { { "M", call->M }, { "K", call->K }, { "N", call->N } };
	struct operand ops[] = {
		{ "A", (uintptr_t)call->a, M, K, es, 0 },
		{ "B", (uintptr_t)call->b, N, K, es, 0 },
		{ "C", (uintptr_t)call->c, M, N, rocket_matmul_c_bytes(call->type), 0 },
	};

	/* Before the products: beyond 2^24 they say nothing useful about the pointers. */
	for (unsigned i = 0; i < 3; i++)
		if (dims[i].value < 1 || dims[i].value > ROCKET_MATMUL_DIM_MAX)
			return rocket_fail(ROCKET_E_SHAPE, "%s: %dx%dx%d: %s is not in 1..2^24",
					   call->who, call->M, call->K, call->N, dims[i].name);
	for (unsigned i = 0; i < 3; i++) {
		int ret = check_operand(call->who, &ops[i]);

		if (ret)
			return ret;
	}
	for (unsigned i = 0; i < 2; i++)
		if (overlap(&ops[2], &ops[i]))
			return rocket_fail(ROCKET_E_SHAPE, "%s: C overlaps %s", call->who,
					   ops[i].name);
	return 0;
}

/* ---- entries ---- */

static int run_on_fd(int fd, const struct rocket_matmul_call *call)
{
	struct rocket_matmul_stats stats = { 0 };
	uint64_t start = rocket_matmul_now_ns();
	struct rocket_device *dev;
	int ret = rocket_matmul_check(call);

	if (ret)
		return ret;
	dev = rocket_device_get(fd, call->who);
	if (!dev)
		return ROCKET_E_SHAPE;
	ret = rocket_matmul_run(fd, dev, call, &stats);
	rocket_device_put(dev);
	stats.total_ns = rocket_matmul_now_ns() - start;
	if (stats.tiles)
		rocket_matmul_set_last_stats(&stats);
	return ret;
}

int rocket_matmul_fp16(int fd, int M, int K, int N, const _Float16 *A, const _Float16 *B,
		       _Float16 *C)
{
	const struct rocket_matmul_call call = {
		"rocket_matmul_fp16", ROCKET_MM_FP16_FP16, M, K, N, A, B, C, (size_t)N
	};

	return run_on_fd(fd, &call);
}

int rocket_matmul_fp16_f32out(int fd, int M, int K, int N, const _Float16 *A, const _Float16 *B,
			      float *C)
{
	const struct rocket_matmul_call call = {
		"rocket_matmul_fp16_f32out", ROCKET_MM_FP16_FP32, M, K, N, A, B, C, (size_t)N
	};

	return run_on_fd(fd, &call);
}

int rocket_matmul_int8(int fd, int M, int K, int N, const int8_t *A, const int8_t *B, int32_t *C)
{
	const struct rocket_matmul_call call = {
		"rocket_matmul_int8", ROCKET_MM_INT8_INT32, M, K, N, A, B, C, (size_t)N
	};

	return run_on_fd(fd, &call);
}

static int plan_tiles(const char *who, enum rocket_matmul_type type, int M, int K, int N, int *Mt,
		      int *Kt, int *Nt)
{
	const struct rocket_settings set = rocket_settings_read();
	struct rocket_matmul_tiles tiles;
	char why[256];
	int ret = rocket_matmul_tile(type, rocket_hw_current(), &set, M, K, N, &tiles, why,
				     sizeof(why));

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
	return plan_tiles("rocket_matmul_plan", ROCKET_MM_FP16_FP16, M, K, N, Mt, Kt, Nt);
}

int rocket_matmul_plan_int8(int M, int K, int N, int *Mt, int *Kt, int *Nt)
{
	return plan_tiles("rocket_matmul_plan_int8", ROCKET_MM_INT8_INT32, M, K, N, Mt, Kt, Nt);
}

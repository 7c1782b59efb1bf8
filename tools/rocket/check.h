/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * check.h - every element of a matmul result against an independent reference.
 *
 * The reference shares nothing with the library: operands are decoded from their bits,
 * every product is exact in double, and sums run in ascending k in double (whole
 * numbers stay exact: 2^24 products of 2^14 are below 2^53, as are 2^22 of 2^30).
 *
 * It needs no second result matrix: blocks are compared as they are computed.
 */
#ifndef TOOLS_ROCKET_CHECK_H
#define TOOLS_ROCKET_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "operand.h"

/* How the device rounds, which decides the bound. See check_bound.c. */
enum check_rounding {
	CHECK_FP16_DEVICE, /* fp16 result, K tiles added on the NPU */
	CHECK_FP16_HOST,   /* fp16 partials added in fp32 by the host, rounded once more */
	CHECK_FP32,        /* fp32 partials added in double by the host */
	CHECK_EXACT,       /* whole numbers: not one bit of error; int32 keeps the low bits */
	CHECK_EXACT64,     /* the same in int64 */
	CHECK_SCALED,      /* exact tiles times the scales of their group, added in fp32 */
};

/* Columns that were computed with one tiling of K. */
struct check_columns {
	int n0, count;
	int kt; /* K extent of a tile */
	enum check_rounding rounding;
};

#define CHECK_COLUMNS_MAX 8

struct check_request {
	int M, K, N;
	enum operand_type operand;
	const void *A, *B, *C; /* C: fp16 bits, float, int32_t or int64_t by the rounding */
	const struct check_columns *columns;
	int n_columns;
	int threads;                    /* 0: as many as there are processors */
	const float *a_scale, *b_scale; /* [M or N][K / group], for CHECK_SCALED */
	int group;
};

struct check_result {
	uint64_t elements, wrong;
	uint64_t unbounded; /* so large that fp16 may overflow: nothing can be said of them */
	double largest;     /* error: |got - want| */
	double bound;       /* of the element with the largest error */
	double ratio;       /* largest error / bound; 0 when all are exact, > 1 is wrong */
	/* The first wrong element in row-major order; valid when wrong > 0. */
	int m, n;
	double got, want, allowed;
};

/* 0, or -1 when there is no memory or no thread. */
int check_matmul(const struct check_request *request, struct check_result *result);

/* ---- the bound (check_bound.c) ---- */

/* What is known of one element while its K tiles are folded in. */
struct check_element {
	double sum;   /* exact up to the tiles folded in */
	double error; /* how far the device's partial may be from it */
};

/* The K tile has the exact sum `tile`, kt products whose magnitudes add up to at most
 * `magnitude`, which the NPU sums in groups of `group`, and is the first one of the element
 * when first is set. */
void check_fold(struct check_element *e, enum check_rounding rounding, bool first, double tile,
		double magnitude, int kt, int group);
/* Bound of the finished element; infinity when nothing can be said. */
double check_finish(const struct check_element *e, enum check_rounding rounding);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * matmul_kind.h - what callers multiply: how their operands become the NPU's, and how the
 * results of tiles become theirs.
 *
 * One constant per row of the table in matmul_kind.c. Several kinds may run the same program:
 * an int16 product is four of bytes, which are int8 ones to the NPU.
 */
#ifndef ROCKET_OPS_MATMUL_KIND_H
#define ROCKET_OPS_MATMUL_KIND_H

#include "../encode/matmul.h"
#include "../layout/matmul_layout.h"

/* What an operand outside its source's range is. */
enum rocket_matmul_outside {
	ROCKET_OUTSIDE_REFUSED,
	ROCKET_OUTSIDE_WARNED,
};

struct rocket_matmul_kind {
	enum rocket_matmul_type type;
	const struct rocket_source *a, *b;
	enum rocket_matmul_outside outside;
	size_t c_bytes;
	size_t sum_bytes; /* of an element while it is added up */
	bool always_sums; /* one result alone is not what C holds, either */
	/* Add a tile's results, one for each part of A with each of B, to rows of `stride` sums;
	 * first: to zeros, whatever they hold. */
	void (*add)(void *sums, const void *const *cubes, size_t rows, size_t cube_rows, size_t n,
		    size_t stride, bool first, const struct rocket_scales *scales);
	/* All tiles of a part of C at once; NULL: there is no way. */
	void (*total)(void *c, size_t pitch, size_t rows, size_t n, bool soon,
		      const struct rocket_tiles *tiles);
	/* A row of sums into a row of C; NULL: they are its elements. */
	void (*finish)(void *c, const void *sums, size_t count);
};

extern const struct rocket_matmul_kind rocket_kind_fp16, rocket_kind_fp16_f32out, rocket_kind_bf16,
	rocket_kind_tf32, rocket_kind_int8, rocket_kind_int16, rocket_kind_int4;
/* With a scale per row and column of each group of k. */
extern const struct rocket_matmul_kind rocket_kind_int8_groups, rocket_kind_int4_groups;

/* Most products that make up one. */
#define ROCKET_PRODUCTS_MAX (ROCKET_SOURCE_PARTS * ROCKET_SOURCE_PARTS)

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dtype.h - the operand and result types that --dtype names.
 */
#ifndef TOOLS_ROCKET_DTYPE_H
#define TOOLS_ROCKET_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/encode/matmul.h"
#include "sim/npu/npu.h"

#include "operand.h"

struct options;

struct dtype {
	const char *name;                /* --dtype */
	const char *meaning;             /* "fp16 -> fp32" */
	enum rocket_matmul_type program; /* of one tile of this type */
	enum rocket_matmul_type type;    /* of the products that make up this one: */
	int parts;                       /* so many of A, each with each of as many of B */
	enum npu_cost_type cost;
	enum operand_type operand;
	size_t result_bytes;
	int (*multiply)(int fd, int M, int K, int N, const void *A, const void *B, void *C);
	/* NULL: there is no entry that shares N over workers. */
	int (*multiply_mt)(int M, int K, int N, const void *A, const void *B, void *C, int threads);
};

#define DTYPE_NAMES "fp16, fp16-f32, bf16, tf32, int16, int8 or int4"
#define DTYPE_SHAPES                                                                               \
	"M is a multiple of 4 or 1, K of 32 (tf32: 16), N of 16 (int8, int16: 32, int4: 64)."

/* NULL: not one of DTYPE_NAMES. */
const struct dtype *dtype_named(const char *name);
/* The same for an option's value; says what is wrong. */
const struct dtype *dtype_option(const struct options *o, const char *name);

/* M K N from the operands; false: said what is wrong with them. */
struct extent {
	int M, K, N;
};
bool extent_operands(const struct options *o, char **operands, struct extent *extent);

#endif

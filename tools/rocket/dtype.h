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

struct options;

struct dtype {
	const char *name;    /* --dtype */
	const char *meaning; /* "fp16 -> fp32" */
	enum rocket_matmul_type type;
	enum npu_cost_type cost;
	bool int8; /* operands; else fp16 */
	size_t operand_bytes, result_bytes;
	int (*multiply)(int fd, int M, int K, int N, const void *A, const void *B, void *C);
};

#define DTYPE_NAMES "fp16, fp16-f32 or int8"

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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reference.h - what one element of a matmul must be, computed one scalar at a time.
 *
 * fp16 is done in integers, so nothing depends on the compiler's half type. An operand lies on the
 * host as the NPU reads it, an int4 in a byte of its own.
 */
#ifndef SELFTESTS_REFERENCE_H
#define SELFTESTS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "program.h"

float half_to_float(uint16_t half);
/* Round to nearest, ties to even. */
uint16_t half_from_float(float value);
/* Bits of a float. */
uint32_t float_bits(float value);

/* Bytes of an operand on the host. */
unsigned host_bytes(enum matmul_type type);
bool is_integer(enum matmul_type type);

/* Row m of A and row n of B as they lie on the host: k elements each. */
struct reference_rows {
	enum matmul_type type;
	const void *a, *b;
	unsigned k;
	bool accumulate; /* add the fp16 value of partial */
	uint16_t partial;
};

/*
 * The bits of the result element. Floats: aligned groups of 32 (tf32: 16) are summed exactly,
 * rounded once to fp32, and the groups added in fp32 in ascending order; narrowed by rounding to
 * nearest even. tf32 operands lose their low 13 bits. A bf16 or tf32 operand must be a multiple of
 * 2^-24 below 2^16, as every fp16 is. Integers: exact, then limited to the result's range.
 */
uint32_t reference_bits(const struct reference_rows *rows);
/* The exact sum, not limited; for operands that are integers. */
int64_t reference_sum(const struct reference_rows *rows);
/* Bits of an exact integer in the result format of a type, limited to its range. */
uint32_t result_of_integer(enum matmul_type type, int64_t sum);

#endif

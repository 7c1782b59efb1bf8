/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reference.h - what one element of a matmul must be, computed one scalar at a time.
 *
 * fp16 is done in integers, so nothing depends on the compiler's half type.
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

/* Row m of A and row n of B as they lie on the host: k elements each. */
struct reference_rows {
	enum matmul_type type;
	const void *a, *b;
	unsigned k;
	bool accumulate; /* add the fp16 value of partial */
	uint16_t partial;
};

/*
 * The bits of the result element. fp16: aligned groups of 32 are summed exactly, rounded
 * once to fp32, and the groups added in fp32 in ascending order; narrowed by rounding
 * to nearest even. int8: exact.
 */
uint32_t reference_bits(const struct reference_rows *rows);
/* The exact sum; for operands that are small integers. */
int64_t reference_sum(const struct reference_rows *rows);
/* Bits of an exact integer in the result format of a type. */
uint32_t result_of_integer(enum matmul_type type, int64_t sum);

#endif

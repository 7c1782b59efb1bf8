/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * operand.h - what the matrices of a product hold, as the command makes and checks them.
 *
 * Shares nothing with the library: elements are decoded from their bits.
 */
#ifndef TOOLS_ROCKET_OPERAND_H
#define TOOLS_ROCKET_OPERAND_H

#include <stddef.h>
#include <stdint.h>

enum operand_type {
	OPERAND_FP16,
	OPERAND_BF16, /* fp32 in memory, of which the NPU sees the upper 16 bits */
	OPERAND_TF32, /* the same, the upper 19 bits */
	OPERAND_INT8,
	OPERAND_INT4, /* -8..7, one int8 each in memory */
	OPERAND_INT16,
	OPERAND_TYPES,
};

/* Bytes of one element in memory. */
size_t operand_bytes(enum operand_type type);
/* Consecutive k that the NPU sums exactly before it rounds to fp32. */
int operand_group(enum operand_type type);
/* `count` elements from element `at` on, as the NPU sees them, `stride` doubles apart. */
void operand_load(enum operand_type type, const void *base, size_t at, int count, double *out,
		  size_t stride);

/* The value of binary16 bits. */
double operand_fp16_value(uint16_t bits);

#endif

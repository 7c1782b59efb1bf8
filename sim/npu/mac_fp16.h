/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mac_fp16.h - what the portable and the vector code for fp16 share. */
#ifndef SIM_NPU_MAC_FP16_H
#define SIM_NPU_MAC_FP16_H

#include "sim/npu/operand.h"

#define FP16_GROUP 32u
#define FP16_PANEL 8u
#define FP16_ROWS  6u
#define FP16_TILE  (FP16_GROUP * FP16_PANEL * sizeof(double))

/* Adding and taking away this cuts a double below 2^43 to a multiple of 2^-8. */
#define FP16_CUT 0x1.8p44

/* The bit of an operand's exponent, subnormals counted with the smallest; 0 for zero. */
static inline uint32_t fp16_exponent(uint16_t h)
{
	unsigned e = h >> 10 & 31;

	if (!(h & 0x7fff))
		return 0;
	return 1u << (e ? e : 1);
}

/*
 * 32 products of 11-bit significands whose exponents spread by row and panel need
 * 22 + 5 + row + panel bits; a double has 53.
 */
static inline bool fp16_sum_fits(uint16_t row, uint16_t panel)
{
	return (row & SPREAD_MASK) + (panel & SPREAD_MASK) <= 53 - 22 - 5;
}

/* Exact sum of a group, rounded once; b's channels lie pitch apart. */
float fp16_group_sum(const double *a, const double *b, size_t pitch);
/* One row and group of a block by fp16_group_sum(). */
void fp16_add_split(const struct mac_block *b, unsigned g, unsigned r);

#endif

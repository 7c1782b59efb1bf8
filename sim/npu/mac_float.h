/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mac_float.h - what the portable and the vector code for floating point share. */
#ifndef SIM_NPU_MAC_FLOAT_H
#define SIM_NPU_MAC_FLOAT_H

#include "sim/npu/operand.h"

#define FLOAT_PANEL 8u
#define FLOAT_ROWS  6u

/* Adding and taking away this cuts a double below 2^43 to a multiple of 2^-8. */
#define FP16_CUT 0x1.8p44

/* Bytes of a tile. */
static inline size_t float_tile(const struct mac *mac)
{
	return mac->group * FLOAT_PANEL * sizeof(double);
}

static inline bool float_sum_fits(const struct mac *mac, uint16_t row, uint16_t panel)
{
	return (row & SPREAD_MASK) + (panel & SPREAD_MASK) <= mac->spread;
}

/* Range of a value with that exponent field, subnormals counted with the smallest. */
static inline uint32_t range_of_field(unsigned exponent, unsigned nonfinite, bool zero)
{
	if (zero)
		return 0;
	if (exponent == nonfinite)
		return RANGE_NONFINITE;
	return range_of_exponent(exponent ? exponent : 1);
}

/* Exact sum of a group, rounded once; b's channels lie pitch apart. */
float float_group_sum(const double *a, const double *b, size_t pitch, unsigned group);
/* The same for fp16, whose range lets two doubles hold the sum. */
float fp16_group_sum(const double *a, const double *b, size_t pitch, unsigned group);
/* One row and group of a block by the type's exact sum. */
void float_add_exact(const struct mac_block *b, unsigned g, unsigned r);

void fp16_unpack(const uint8_t *src, unsigned n, void *dst, size_t pitch, uint32_t *ranges);
void bf16_unpack(const uint8_t *src, unsigned n, void *dst, size_t pitch, uint32_t *ranges);
void tf32_unpack(const uint8_t *src, unsigned n, void *dst, size_t pitch, uint32_t *ranges);
uint32_t fp16_pack(const uint8_t *src, unsigned rows, unsigned depth, void *tile);
uint32_t bf16_pack(const uint8_t *src, unsigned rows, unsigned depth, void *tile);
uint32_t tf32_pack(const uint8_t *src, unsigned rows, unsigned depth, void *tile);
void float_block(const struct mac_block *b);

void fp16_unpack_avx2(const uint8_t *src, unsigned n, void *dst, size_t pitch, uint32_t *ranges);
uint32_t fp16_pack_avx2(const uint8_t *src, unsigned rows, unsigned depth, void *tile);
void float_block_avx2(const struct mac_block *b);

#endif

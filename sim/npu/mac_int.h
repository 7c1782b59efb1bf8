/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mac_int.h - what the portable and the vector code for integers share. */
#ifndef SIM_NPU_MAC_INT_H
#define SIM_NPU_MAC_INT_H

#include "sim/npu/operand.h"

/* Operands are held in 16 bits; a tile holds pairs of channels side by side. */
#define INT_GROUP 32u
#define INT_PANEL 16u
#define INT_ROWS  6u
#define INT_TILE  (INT_GROUP * INT_PANEL * sizeof(int16_t))

void int4_unpack(const uint8_t *src, unsigned n, void *dst, size_t pitch, uint32_t *ranges);
void int8_unpack(const uint8_t *src, unsigned n, void *dst, size_t pitch, uint32_t *ranges);
void int16_unpack(const uint8_t *src, unsigned n, void *dst, size_t pitch, uint32_t *ranges);
uint32_t int4_pack(const uint8_t *src, unsigned rows, unsigned depth, void *tile);
uint32_t int8_pack(const uint8_t *src, unsigned rows, unsigned depth, void *tile);
uint32_t int16_pack(const uint8_t *src, unsigned rows, unsigned depth, void *tile);
/* Sums that 32 bits hold. */
void int_block(const struct mac_block *b);
/* Sums of 64 bits, and their saturation to 32. */
void int_block_wide(const struct mac_block *b);
void int_finish(void *acc, size_t n);

void int8_unpack_avx2(const uint8_t *src, unsigned n, void *dst, size_t pitch, uint32_t *ranges);
uint32_t int8_pack_avx2(const uint8_t *src, unsigned rows, unsigned depth, void *tile);
void int_block_avx2(const struct mac_block *b);

#endif

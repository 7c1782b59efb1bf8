/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * operand.h - the operand types of the MAC array and the code that multiplies them.
 *
 * A type is a row of operand_types; how its operands are decoded and multiplied is a
 * struct mac, of which there may be one per instruction set. All give the same bits.
 */
#ifndef SIM_NPU_OPERAND_H
#define SIM_NPU_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mac_kind { MAC_NONE, MAC_FP16, MAC_INT8, MAC_KINDS };

struct operand_type {
	const char *name;
	uint8_t cna;           /* precision code in CNA and CORE */
	uint8_t dpu;           /* and in DPU and DPU_RDMA */
	uint8_t bits;          /* of an element in memory */
	uint8_t kernel_group;  /* output channels of one weight block */
	uint8_t channel_group; /* input channels of one weight block, and of one exact sum */
	bool integer;
	enum mac_kind mac; /* MAC_NONE: not modelled */
};

/* NULL: the code is invalid. */
const struct operand_type *operand_type_by_code(unsigned code);

/*
 * How far apart the exponents of one group's non-zero operands are; bounds the bits an exact
 * sum needs. Infinite and not-a-number operands only set the flag.
 */
#define SPREAD_NONFINITE 0x8000u
#define SPREAD_MASK      0x7fffu

/* Products of a block of pixels and one panel of output channels, added to acc. */
struct mac_block {
	const void *const *rows; /* [groups][mac->rows], one group of channels each */
	const uint8_t *panel;    /* [groups] tiles */
	unsigned groups, n_rows;
	const uint16_t *row_spread, *panel_spread; /* [groups]; floating point only */
	void *acc;                                 /* [n_rows][ld], float or int32 */
	size_t ld;
};

struct mac {
	const char *name;
	unsigned element; /* bytes of a decoded operand */
	unsigned panel;   /* output channels of a panel */
	unsigned rows;    /* most pixels of a block */
	/*
	 * n atoms at src become one pixel's channels each at dst, pitch bytes apart. ORs into
	 * exponents[] which exponents occurred (floating point only; bit of the field).
	 */
	void (*unpack)(const uint8_t *src, unsigned n, void *dst, size_t pitch,
		       uint32_t *exponents);
	/* rows kernels of depth channels at src become one tile; returns exponents. */
	uint32_t (*pack)(const uint8_t *src, unsigned rows, unsigned depth, void *tile);
	void (*block)(const struct mac_block *b);
};

/* Spread of a set of exponents. */
uint16_t spread_of_exponents(uint32_t exponents);

extern const struct mac mac_fp16_portable, mac_fp16_avx2;
extern const struct mac mac_int8_portable, mac_int8_avx2;

/* The fastest code for a kind on this machine. */
const struct mac *mac_choose(enum mac_kind kind, bool portable);

#endif

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

enum mac_kind { MAC_INT4, MAC_INT8, MAC_INT16, MAC_FP16, MAC_BF16, MAC_TF32, MAC_KINDS };

struct operand_type {
	const char *name;
	uint8_t cna;           /* precision code in CNA and CORE */
	uint8_t dpu;           /* and in DPU and DPU_RDMA */
	uint8_t bits;          /* of an element in memory */
	uint8_t kernel_group;  /* output channels of one weight block */
	uint8_t channel_group; /* input channels of one weight block, and of one exact sum */
	bool integer;
	enum mac_kind mac;
};

/* NULL: the code is invalid. */
const struct operand_type *operand_type_by_code(unsigned code);

/*
 * The exponents of a group's non-zero operands, largest in byte 0 and 255 minus smallest in
 * byte 1, so that two ranges join bytewise; byte 2 tells of infinities and not-a-numbers, which
 * are in no range.
 */
#define RANGE_NONFINITE 0x010000u

static inline uint32_t range_of_exponent(unsigned exponent)
{
	return exponent | (255 - exponent) << 8;
}

static inline uint32_t range_join(uint32_t a, uint32_t b)
{
	uint32_t high = (a & 0xff) > (b & 0xff) ? a & 0xff : b & 0xff;
	uint32_t low = (a & 0xff00) > (b & 0xff00) ? a & 0xff00 : b & 0xff00;

	return high | low | ((a | b) & RANGE_NONFINITE);
}

/* How far apart they are: bounds the bits an exact sum needs. */
#define SPREAD_NONFINITE 0x8000u
#define SPREAD_MASK      0x7fffu

static inline uint16_t spread_of_range(uint32_t range)
{
	uint32_t spread = range & 0xff00 ? (range & 0xff) - (255 - (range >> 8 & 0xff)) : 0;

	return (uint16_t)(spread | (range & RANGE_NONFINITE ? SPREAD_NONFINITE : 0));
}

struct mac;

/* Products of a block of pixels and one panel of output channels, added to acc. */
struct mac_block {
	const struct mac *mac;
	const void *const *rows; /* [groups][mac->rows], one group of channels each */
	const uint8_t *panel;    /* [groups] tiles */
	unsigned groups, n_rows;
	const uint16_t *row_spread, *panel_spread; /* [groups]; floating point only */
	void *acc;                                 /* [n_rows][ld] */
	size_t ld;
};

struct mac {
	const char *name;
	unsigned element; /* bytes of a decoded operand */
	unsigned group;   /* channels of a group */
	unsigned panel;   /* output channels of a panel */
	unsigned rows;    /* most pixels of a block */
	unsigned acc;     /* bytes of an accumulator: float or int32, or int64 until finish() */
	unsigned spread;  /* row and panel spreads up to this sum leave a double sum exact */
	/*
	 * n atoms at src become one pixel's channels each at dst, pitch bytes apart; joins their
	 * exponents to ranges[] (floating point only).
	 */
	void (*unpack)(const uint8_t *src, unsigned n, void *dst, size_t pitch, uint32_t *ranges);
	/* rows kernels of depth channels at src become one tile; returns the exponents' range. */
	uint32_t (*pack)(const uint8_t *src, unsigned rows, unsigned depth, void *tile);
	void (*block)(const struct mac_block *b);
	/* Exact sum of a group whose spreads are too large, rounded once (floating point only). */
	float (*sum)(const double *a, const double *b, size_t pitch, unsigned group);
	/* n accumulators to the int32 the DPU takes, in place; NULL: they are what it takes. */
	void (*finish)(void *acc, size_t n);
};

extern const struct mac mac_portable[MAC_KINDS], mac_avx2[MAC_KINDS];

/* The fastest code for a kind on this machine. */
const struct mac *mac_choose(enum mac_kind kind, bool portable);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* job.h - what one task does, free of the chip's register layout. */
#ifndef SIM_NPU_JOB_H
#define SIM_NPU_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/npu/operand.h"

#define ATOM 16u /* bytes */

/* From this width on a memory-fed task gets the end of its cube wrong [silicon]. */
#define UNSAFE_WIDTH 8191u

struct conv_job {
	const struct operand_type *type;

	/* feature cube, strides in atoms and modulo 2^32 */
	uint32_t feature;
	unsigned iw, ih, ic;
	unsigned line_group;
	uint32_t line_stride, surface_stride;
	int8_t pad_value;

	/* window */
	unsigned ow, oh, kw, kh;
	unsigned pad_left, pad_top;
	unsigned stride_x, stride_y;
	unsigned dilation_x, dilation_y;
	unsigned spread_x, spread_y; /* input pixels stand this far apart (deconvolution) */

	/* weights */
	uint32_t weights;
	unsigned kernels, oc;

	/* on-chip buffer */
	unsigned data_banks, weight_banks, fc_data_bank;
	bool data_reuse, weight_reuse;

	/* accumulator */
	bool window_sum; /* deliver the sum of the window's operands as well */
	unsigned truncate;
	bool truncate_half_up;
};

enum alu_algo { ALU_MAX, ALU_MIN, ALU_ADD, ALU_DIV, ALU_MINUS };

/* A stage that works per channel: BS or BN. */
struct channel_stage {
	bool live;
	bool alu, alu_memory, alu_minus;
	bool mul, mul_memory, mul_prelu;
	bool relu, relux;
	bool mul_first; /* BN */
	uint32_t alu_operand, relux_operand;
	uint16_t mul_operand;
	uint8_t shift, shift_negative;
	/* compensation by the window sum, before everything else (BS) */
	bool compensate, compensate_memory;
	int16_t compensation;
};

enum operand_feed {
	FEED_NONE,    /* reads as 0 */
	FEED_PAIRED,  /* surfaces taken in turn by the two read channels */
	FEED_SINGLE,  /* the element-wise read channel alone */
	FEED_CHANNEL, /* one vector over the channels */
};

/* A memory-fed task: what stands in the accumulators' place. */
struct main_job {
	bool memory;
	unsigned bytes; /* of an element */
	uint32_t base, notch;
};

struct operand_job {
	enum operand_feed feed;
	unsigned bytes; /* of an element */
	uint32_t main_base, ew_base;
	uint32_t main_notch, ew_stride, ew_notch; /* bytes */
	unsigned pixels;                          /* of the read cube */
	/* per-channel operands of BS */
	bool coefficients, records;
	uint32_t coefficient_base;
};

struct element_stage {
	bool live, op, mul, memory;
	enum alu_algo algo;
	bool low16; /* a factor is the operand's signed low half */
	bool convert, add_first, half_away;
	int32_t offset;
	int16_t scale;
	uint8_t shift;
	uint32_t value;
	bool relu, relux;
	uint32_t relux_operand;
};

enum output_type { OUT_INT8, OUT_INT16, OUT_FP16, OUT_BF16, OUT_INT32, OUT_FP32, OUT_INT4 };

struct writer_job {
	enum output_type type;
	unsigned bytes; /* of an element */
	uint32_t base, surface_stride, surface_add;
	unsigned last_surface; /* of a kernel group: SIZE_E */
	unsigned notch;        /* atoms a row is followed by */
	unsigned group;        /* channels of a kernel group; of all when memory-fed */
	bool transposed;       /* int16: low halves of the sums, in the order of its own */
	bool one_tile;         /* only row 0 of the first int16 group is ever written */
};

struct dpu_job {
	unsigned precision; /* code of the datapath */
	bool integer;
	unsigned width, height, channels;
	struct main_job main;
	struct channel_stage bs, bn;
	struct element_stage ew;
	struct operand_job operand;
	int32_t offset;
	int16_t scale;
	uint8_t shift;
	bool half_away;
	struct writer_job out;
};

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * matmul.h - one matmul tile in, one register program out.
 *
 * Pure. Source of every value: the register tables of the RK3588 encoder family,
 * compared word for word with silicon-validated programs by tests/golden.
 */
#ifndef ROCKET_ENCODE_MATMUL_H
#define ROCKET_ENCODE_MATMUL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Operand and result types of a matmul program. */
enum rocket_matmul_type {
	ROCKET_MM_FP16_FP16,  /* fp16 operands, fp16 result */
	ROCKET_MM_FP16_FP32,  /* fp16 operands, fp32 result */
	ROCKET_MM_INT8_INT32, /* int8 operands, exact int32 result */
	ROCKET_MM_BF16_FP32,
	ROCKET_MM_TF32_FP32,
	ROCKET_MM_INT4_INT16,  /* saturating */
	ROCKET_MM_INT16_INT32, /* saturating */
	ROCKET_MM_TYPES,
};

/* What the layouts and planners need to know of a type. */
struct rocket_matmul_traits {
	const char *name;   /* "fp16" as in --dtype */
	const char *result; /* "fp16", "fp32", "int32" */
	unsigned in_bits;   /* operand bits per element */
	unsigned out_bytes; /* result bytes per element */
	unsigned c2;        /* channels per 16-byte atom of the feature cube */
	unsigned ngroup;    /* N group of the weight cube and the output groups */
	unsigned kgroup;    /* K group of the weight cube */
	unsigned k_align, n_align;
};
/* NULL for a type that is none of the above. */
const struct rocket_matmul_traits *rocket_matmul_traits(enum rocket_matmul_type type);

/* One tile. All addresses are IOVAs, 16-byte aligned. */
struct rocket_matmul_task {
	enum rocket_matmul_type type;
	uint32_t m, k, n; /* extents of this tile */
	uint32_t input, weights, output;
	bool accumulate; /* result += the partial at add (fp16 result only, m >= 12) */
	uint32_t add;
	bool weight_reuse; /* keep the previous task's weights in the CBUF */
	bool data_reuse;   /* keep the previous task's features in the CBUF */
	/*
	 * Low 16 bits of the sums of ROCKET_MM_INT16_INT32, where rocket_transposed_index() says;
	 * 32 columns, no rows of C. The result takes 112 bytes a row of A.
	 */
	bool transposed;
	/* Row-major form: row lengths in elements of the whole A and C, 0 = cube form; the two
	 * are independent. input and output then point at the tile's first element. */
	uint32_t a_row, c_row;
};

/* Words of every RK3588 matmul program. */
#define ROCKET_RK3588_MATMUL_WORDS 126

/*
 * Write the program to words[capacity]. Returns its word count, or a negative
 * enum rocket_status with the reason in why (may be NULL):
 *   ROCKET_E_SHAPE        extents break an alignment or a register field, the features do
 *                         not fit the CBUF, one kernel exceeds a bank, an address is
 *                         unaligned, the partial overlaps the result
 *   ROCKET_E_UNSUPPORTED  no such type, or it cannot accumulate or be transposed
 *   ROCKET_E_NOMEM        capacity is too small
 */
int rocket_rk3588_matmul(const struct rocket_matmul_task *task, uint64_t *words, size_t capacity,
			 char *why, size_t why_size);

#endif

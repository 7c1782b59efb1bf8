/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * emit.h - register programs of convolutions and matmuls, straight from the value table of the
 * hardware documents; independent of the library's encoders.
 */
#ifndef TESTS_MODEL_EMIT_H
#define TESTS_MODEL_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#define EMIT_WORDS 256

enum emit_type {
	EMIT_FP16_FP16,
	EMIT_FP16_FP32,
	EMIT_INT8_INT32,
	EMIT_INT4_INT16,
	EMIT_INT16_INT32,
	EMIT_BF16_FP32,
	EMIT_TF32_FP32,
	EMIT_TYPES
};
enum emit_ew { EMIT_NO_EW, EMIT_ADD, EMIT_MUL, EMIT_MAX, EMIT_MIN };

struct emit_conv {
	enum emit_type type;
	unsigned ic, ih, iw, oc, oh, ow, kh, kw, sy, sx, dy, dx, pt, pl;
	uint32_t input, weights, output, operand;
	enum emit_ew ew;
	bool data_reuse, weight_reuse;
	int pad;
};

struct emit_program {
	uint64_t word[EMIT_WORDS];
	unsigned n;
};

/* A matmul is a convolution over a column of M pixels. */
struct emit_conv emit_matmul(enum emit_type type, unsigned m, unsigned k, unsigned n);
/* Row-major A and C of the given row lengths in elements. */
void emit_row_major(struct emit_program *p, const struct emit_conv *c, unsigned row_k,
		    unsigned row_n);
void emit_program(struct emit_program *p, const struct emit_conv *c);

/* Value of the first write of a register; 0 when there is none. */
uint32_t emit_get(const struct emit_program *p, uint16_t reg);
void emit_set(struct emit_program *p, uint16_t reg, uint32_t value);
void emit_drop(struct emit_program *p, uint16_t reg);
void emit_insert(struct emit_program *p, unsigned at, uint64_t word);
/* Make p lead to a program of next_words words at next. */
void emit_link(struct emit_program *p, uint32_t next, unsigned next_words);

unsigned emit_in_bits(enum emit_type type);
unsigned emit_kernel_group(enum emit_type type);
unsigned emit_out_bytes(enum emit_type type);
const char *emit_in_name(enum emit_type type);
const char *emit_out_name(enum emit_type type);

#endif

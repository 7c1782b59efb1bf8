/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * conv_case.h - a convolution, its random operands in device memory, and what must come out.
 *
 * Operands are packed by index formulas and results are evaluated one element at a time; nothing
 * here comes from the model or from the library.
 */
#ifndef TESTS_MODEL_CONV_CASE_H
#define TESTS_MODEL_CONV_CASE_H

#include "tests/model/board.h"
#include "tests/model/emit.h"
#include "tests/model/layout.h"

/*
 * CANCELLING: each group of 32 begins with two small products; fifteen large ones follow and are
 * taken away again. SPECIAL: any bits, now and then infinite or not a number.
 */
enum fill { SMALL_INTEGERS, RANDOM_VALUES, CANCELLING, SPECIAL };

enum case_ew { EW_NONE, EW_ADD, EW_MUL, EW_MAX, EW_MIN };

/* A matmul is a convolution over a column of M pixels. */
struct shape {
	const struct layout_type *type;
	const char *out;
	unsigned ic, ih, iw, ih_programmed, oc, oh, ow, kh, kw, sy, sx, dy, dx, pt, pl;
	int pad;             /* value of an integer in the padding */
	bool transposed;     /* convolution */
	bool transposed_out; /* writer of int16 */
	uint32_t input, weights, output, add;
	bool rowmajor_in, rowmajor_out;
	unsigned row_k, row_n; /* elements of a row of A and C */
	enum case_ew ew;
};

struct operands {
	int32_t *x, *w; /* integers or a float's bits, [pixel][ic] and [oc][tap][ic] */
	uint16_t *add;  /* fp16 bits, [pixel][oc] */
};

/* The case an emitted program computes. */
struct shape shape_of(const struct emit_conv *c);
bool shape_is_float(const struct shape *s);
unsigned shape_out_bytes(const struct shape *s);
/* Map the buffers of the case; the output is filled with 0xa5. */
void shape_map(struct board *b, const struct shape *s);
/* Draw operands and pack them. */
void shape_put(struct board *b, const struct shape *s, struct operands *o, enum fill fill);
void operands_free(struct operands *o);
/* Bits of the element of an output pixel and channel. */
uint32_t shape_expected(const struct shape *s, const struct operands *o, size_t pixel,
			size_t channel);
/* Sum of all integers in an output pixel's window. */
int64_t shape_window_sum(const struct shape *s, const struct operands *o, size_t pixel);
uint32_t shape_result(struct board *b, const struct shape *s, size_t pixel, size_t channel);
/* How many elements differ, of all or, when they are many, of a sample of *seen. */
size_t shape_compare(struct board *b, const struct shape *s, const struct operands *o,
		     size_t *seen);
/* A byte behind the last element has changed. */
bool shape_strays(struct board *b, const struct shape *s);

#endif

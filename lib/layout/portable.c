// SPDX-License-Identifier: LGPL-2.1-or-later
/* portable.c - the layout loops in plain C. */
#include <string.h>

#include "block.h"
#include "half.h"
#include "loops.h"

/* One vector register where there are any. Never passed by value: its place would depend on the
 * flags of the compiler. */
typedef uint8_t atom __attribute__((vector_size(ROCKET_ATOM_BYTES)));

/* Where the atom of row m and column s lies: m * row + s * column bytes from the start. */
struct order {
	size_t row, column;
};

/* Eight loads before the first store: columns of a cube are often a multiple of 4096 bytes apart,
 * where a store holds up every later load that has its low address bits. */
static inline void move_square(uint8_t *restrict to, struct order t, const uint8_t *restrict from,
			       struct order f, size_t rows, size_t columns)
{
	atom a[8];

#pragma GCC unroll 8
	for (size_t i = 0; i < rows * columns; i++)
		memcpy(&a[i], from + i % rows * f.row + i / rows * f.column, sizeof(a[i]));
#pragma GCC unroll 8
	for (size_t i = 0; i < rows * columns; i++)
		memcpy(to + i % rows * t.row + i / rows * t.column, &a[i], sizeof(a[i]));
}

/*
 * Four rows at a time: that is a cache line of a cube, which is then written or read once. Row by
 * row it would be four times, and those 4096 bytes apart have one place in the first-level cache.
 */
static inline void move_block(uint8_t *restrict to, struct order t, const uint8_t *restrict from,
			      struct order f, size_t rows, size_t atoms)
{
	size_t m = 0;

	for (; m + 4 <= rows; m += 4, to += 4 * t.row, from += 4 * f.row) {
		size_t s = 0;

		for (; s + 2 <= atoms; s += 2)
			move_square(to + s * t.column, t, from + s * f.column, f, 4, 2);
		if (s < atoms)
			move_square(to + s * t.column, t, from + s * f.column, f, 4, 1);
	}
	for (; m < rows; m++, to += t.row, from += f.row) {
		size_t s = 0;

		for (; s + 8 <= atoms; s += 8)
			move_square(to + s * t.column, t, from + s * f.column, f, 1, 8);
		for (; s < atoms; s++)
			move_square(to + s * t.column, t, from + s * f.column, f, 1, 1);
	}
}

static void move_atoms(uint8_t *restrict to, struct order t, const uint8_t *restrict from,
		       struct order f, size_t rows, size_t atoms)
{
	for (size_t s = 0; s < atoms; s += ROCKET_BLOCK_ATOMS)
		move_block(to + s * t.column, t, from + s * f.column, f, rows,
			   atoms - s < ROCKET_BLOCK_ATOMS ? atoms - s : ROCKET_BLOCK_ATOMS);
}

void rocket_portable_rows_to_cube(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
				  size_t atoms, size_t pitch, bool stream)
{
	const struct order cube = { ROCKET_ATOM_BYTES, cube_rows * ROCKET_ATOM_BYTES };
	const struct order flat = { pitch, ROCKET_ATOM_BYTES };

	(void)stream;
	move_atoms(dst, cube, src, flat, rows, atoms);
}

void rocket_portable_cube_to_rows(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
				  size_t atoms, size_t pitch, bool stream)
{
	const struct order cube = { ROCKET_ATOM_BYTES, cube_rows * ROCKET_ATOM_BYTES };
	const struct order flat = { pitch, ROCKET_ATOM_BYTES };

	(void)stream;
	move_atoms(dst, flat, src, cube, rows, atoms);
}

static inline void move_runs(uint8_t *dst, const uint8_t *src, size_t rows, size_t run,
			     size_t bytes, size_t pitch)
{
	for (size_t at = 0; at < bytes; at += run, dst += rows * run)
		for (size_t m = 0; m < rows; m++)
			memcpy(dst + m * run, src + m * pitch + at, run);
}

void rocket_portable_rows_to_runs(uint8_t *dst, const uint8_t *src, size_t rows, size_t run,
				  size_t bytes, size_t pitch, bool stream)
{
	(void)stream;
	/* Constant lengths, so that a run is a few vector moves. */
	if (run == 64)
		move_runs(dst, src, rows, 64, bytes, pitch);
	else if (run == 32)
		move_runs(dst, src, rows, 32, bytes, pitch);
	else
		move_runs(dst, src, rows, run, bytes, pitch);
}

static void portable_add_fp16(float *acc, const uint8_t *src, size_t rows, size_t cube_rows,
			      size_t atoms, size_t stride, bool first)
{
	for (size_t m = 0; m < rows; m++) {
		const uint8_t *from = src + m * ROCKET_ATOM_BYTES;
		float *to = acc + m * stride;

		for (size_t s = 0; s < atoms; s++, from += cube_rows * ROCKET_ATOM_BYTES, to += 8) {
			uint16_t v[8];

			memcpy(v, from, sizeof(v));
			for (unsigned i = 0; i < 8; i++)
				to[i] = (first ? 0.0f : to[i]) + rocket_half_to_float(v[i]);
		}
	}
}

static void portable_half_to_float(float *dst, const uint16_t *src, size_t count)
{
	for (size_t i = 0; i < count; i++)
		dst[i] = rocket_half_to_float(src[i]);
}

static void portable_float_to_half(uint16_t *dst, const float *src, size_t count)
{
	for (size_t i = 0; i < count; i++)
		dst[i] = rocket_float_to_half(src[i]);
}

/* NaNs with a payload of low bits alone, which would become infinities: their magnitudes less
 * CUT_NAN are below CUT_NANS. */
#define CUT_NAN  0x7f800001u
#define CUT_NANS 0xffffu
#define BF16_NAN 0x40u

static bool portable_to_bf16(void *dst, const void *src, size_t count)
{
	const uint8_t *from = src;
	uint8_t *to = dst;
	size_t i = 0;

	for (; i + 8 <= count; i += 8) {
		rocket_u32x8 bits, nan;
		rocket_u16x8 upper;

		memcpy(&bits, from + 4 * i, sizeof(bits));
		nan = (rocket_u32x8)((bits & 0x7fffffff) - CUT_NAN < CUT_NANS);
		upper = __builtin_convertvector(bits >> 16 | (nan & BF16_NAN), rocket_u16x8);
		memcpy(to + 2 * i, &upper, sizeof(upper));
	}
	for (; i < count; i++) {
		uint32_t bits;
		uint16_t upper;

		memcpy(&bits, from + 4 * i, sizeof(bits));
		upper = (uint16_t)(bits >> 16);
		if ((bits & 0x7fffffff) - CUT_NAN < CUT_NANS)
			upper |= BF16_NAN;
		memcpy(to + 2 * i, &upper, sizeof(upper));
	}
	return true;
}

/* Each byte of a word. */
#define BYTES(value) (UINT64_C(0x0101010101010101) * (value))

/* Eight values at once: count is a multiple of 32, as K is. The order of the bytes in a word is
 * that of the hosts of this NPU. */
static bool portable_to_int4(void *dst, const void *src, size_t count)
{
	const int8_t *from = src;
	uint8_t *to = dst;
	uint64_t outside = 0;

	for (size_t i = 0; i < count; i += 8) {
		uint64_t v, pairs;
		uint32_t nibbles;

		memcpy(&v, from + i, sizeof(v));
		/* -8..7 plus 8 has no bit above the fourth; no carry from byte to byte. */
		outside |= ((v & BYTES(0x7f)) + BYTES(8)) ^ (v & BYTES(0x80));
		pairs = v & BYTES(15);
		pairs = (pairs | pairs >> 4) & UINT64_C(0x00ff00ff00ff00ff);
		pairs = (pairs | pairs >> 8) & UINT64_C(0x0000ffff0000ffff);
		nibbles = (uint32_t)(pairs | pairs >> 16);
		memcpy(to + i / 2, &nibbles, sizeof(nibbles));
	}
	return !(outside & BYTES(0xf0));
}

static bool portable_split_int16(void *high, void *low, const void *src, size_t count)
{
	return rocket_split_int16(high, low, src, count);
}

void rocket_portable_copy_rows(uint8_t *dst, size_t dst_pitch, const uint8_t *src, size_t src_pitch,
			       size_t rows, size_t bytes, bool stream)
{
	(void)stream;
	for (size_t m = 0; m < rows; m++)
		memcpy(dst + m * dst_pitch, src + m * src_pitch, bytes);
}

/* ---- totals, element by element ---- */

#define EACH_ELEMENT(t, lanes, m, n)                                                               \
	for (size_t m = 0; m < (t)->rows; m++)                                                     \
		for (size_t n = 0; n < (t)->atoms * (lanes); n++)

static const uint8_t *atom_of(const struct rocket_total *t, size_t i, size_t m, size_t s)
{
	return t->cubes[i] + (s * t->cube_rows + m) * ROCKET_ATOM_BYTES;
}

static int32_t int32_of(const struct rocket_total *t, size_t i, size_t m, size_t n)
{
	int32_t x;

	memcpy(&x, atom_of(t, i, m, n / 4) + n % 4 * sizeof(x), sizeof(x));
	return x;
}

static int16_t int16_of(const struct rocket_total *t, size_t i, size_t m, size_t n)
{
	int16_t x;

	memcpy(&x, atom_of(t, i, m, n / 8) + n % 8 * sizeof(x), sizeof(x));
	return x;
}

static float scale_of(const struct rocket_total *t, size_t i, size_t m, size_t n)
{
	return t->row[i * t->row_step + m] * t->column[i * t->column_step + n];
}

#define PORTABLE_TOTAL(name, lanes, element, TERM)                                                 \
	static void portable_total_##name(const struct rocket_total *t)                            \
	{                                                                                          \
		EACH_ELEMENT(t, lanes, m, n)                                                       \
		{                                                                                  \
			element sum = 0;                                                           \
                                                                                                   \
			if (t->seed)                                                               \
				memcpy(&sum, t->seed + m * t->seed_pitch + n * sizeof(sum),        \
				       sizeof(sum));                                               \
			for (size_t i = 0; i < t->count; i++)                                      \
				sum += TERM;                                                       \
			memcpy(t->dst + m * t->pitch + n * sizeof(sum), &sum, sizeof(sum));        \
		}                                                                                  \
	}

PORTABLE_TOTAL(int32, 4, uint32_t, (uint32_t)int32_of(t, i, m, n))
PORTABLE_TOTAL(int16, 8, uint32_t, (uint32_t)int16_of(t, i, m, n))
PORTABLE_TOTAL(scaled_int32, 4, float, scale_of(t, i, m, n) * (float)int32_of(t, i, m, n))
PORTABLE_TOTAL(scaled_int16, 8, float, scale_of(t, i, m, n) * (float)int16_of(t, i, m, n))

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the NPU and its hosts");

ROCKET_LOOPS(portable, )

const struct rocket_layout_kernels rocket_layout_portable = {
	.name = "portable",
	.rows_to_cube = rocket_portable_rows_to_cube,
	.cube_to_rows = rocket_portable_cube_to_rows,
	.rows_to_runs = rocket_portable_rows_to_runs,
	.half_to_float = portable_half_to_float,
	.float_to_half = portable_float_to_half,
	.to_bf16 = portable_to_bf16,
	.to_int4 = portable_to_int4,
	.split_int16 = portable_split_int16,
	.copy_rows = rocket_portable_copy_rows,
	ROCKET_LOOPS_TABLE(portable),
	.total_int32 = portable_total_int32,
	.total_int16 = portable_total_int16,
	.total_scaled_int32 = portable_total_scaled_int32,
	.total_scaled_int16 = portable_total_scaled_int16,
};

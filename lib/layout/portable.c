// SPDX-License-Identifier: LGPL-2.1-or-later
/* portable.c - the layout loops in plain C. */
#include <string.h>

#include "half.h"
#include "kernels.h"

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
static inline void move_atoms(uint8_t *restrict to, struct order t, const uint8_t *restrict from,
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

void rocket_portable_rows_to_cube(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
				  size_t atoms, size_t pitch)
{
	const struct order cube = { ROCKET_ATOM_BYTES, cube_rows * ROCKET_ATOM_BYTES };
	const struct order flat = { pitch, ROCKET_ATOM_BYTES };

	move_atoms(dst, cube, src, flat, rows, atoms);
}

void rocket_portable_cube_to_rows(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
				  size_t atoms, size_t pitch)
{
	const struct order cube = { ROCKET_ATOM_BYTES, cube_rows * ROCKET_ATOM_BYTES };
	const struct order flat = { pitch, ROCKET_ATOM_BYTES };

	move_atoms(dst, flat, src, cube, rows, atoms);
}

static void portable_accumulate_fp16(float *acc, const uint8_t *src, size_t rows, size_t cube_rows,
				     size_t atoms, size_t stride)
{
	for (size_t m = 0; m < rows; m++) {
		const uint8_t *from = src + m * ROCKET_ATOM_BYTES;
		float *to = acc + m * stride;

		for (size_t s = 0; s < atoms; s++, from += cube_rows * ROCKET_ATOM_BYTES, to += 8) {
			uint16_t v[8];

			memcpy(v, from, sizeof(v));
			for (unsigned i = 0; i < 8; i++)
				to[i] += rocket_half_to_float(v[i]);
		}
	}
}

static void portable_accumulate_fp32(double *acc, const uint8_t *src, size_t rows, size_t cube_rows,
				     size_t atoms, size_t stride)
{
	for (size_t m = 0; m < rows; m++) {
		const uint8_t *from = src + m * ROCKET_ATOM_BYTES;
		double *to = acc + m * stride;

		for (size_t s = 0; s < atoms; s++, from += cube_rows * ROCKET_ATOM_BYTES, to += 4) {
			float v[4];

			memcpy(v, from, sizeof(v));
			for (unsigned i = 0; i < 4; i++)
				to[i] += (double)v[i];
		}
	}
}

void rocket_portable_accumulate_int32(int32_t *acc, const uint8_t *src, size_t rows,
				      size_t cube_rows, size_t atoms, size_t stride)
{
	for (size_t m = 0; m < rows; m++) {
		const uint8_t *from = src + m * ROCKET_ATOM_BYTES;
		int32_t *to = acc + m * stride;

		for (size_t s = 0; s < atoms; s++, from += cube_rows * ROCKET_ATOM_BYTES, to += 4) {
			uint32_t v[4];

			memcpy(v, from, sizeof(v));
			for (unsigned i = 0; i < 4; i++)
				to[i] = (int32_t)((uint32_t)to[i] + v[i]);
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

const struct rocket_layout_kernels rocket_layout_portable = {
	.name = "portable",
	.rows_to_cube = rocket_portable_rows_to_cube,
	.cube_to_rows = rocket_portable_cube_to_rows,
	.accumulate_fp16 = portable_accumulate_fp16,
	.accumulate_fp32 = portable_accumulate_fp32,
	.accumulate_int32 = rocket_portable_accumulate_int32,
	.half_to_float = portable_half_to_float,
	.float_to_half = portable_float_to_half,
};

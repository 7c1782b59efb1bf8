// SPDX-License-Identifier: LGPL-2.1-or-later
/* portable.c - the layout loops in plain C. */
#include <string.h>

#include "half.h"
#include "kernels.h"

/* Rows handled together: four atoms of one cube column are one cache line. */
#define ROWS 4

static inline void copy_atom(uint8_t *dst, const uint8_t *src)
{
	memcpy(dst, src, ROCKET_ATOM_BYTES);
}

void rocket_portable_rows_to_cube(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
				  size_t atoms, size_t pitch)
{
	const size_t column = cube_rows * ROCKET_ATOM_BYTES;
	size_t m, s;

	for (m = 0; m + ROWS <= rows; m += ROWS) {
		const uint8_t *from = src + m * pitch;
		uint8_t *to = dst + m * ROCKET_ATOM_BYTES;

		for (s = 0; s < atoms; s++, from += ROCKET_ATOM_BYTES, to += column) {
			copy_atom(to, from);
			copy_atom(to + 16, from + pitch);
			copy_atom(to + 32, from + 2 * pitch);
			copy_atom(to + 48, from + 3 * pitch);
		}
	}
	for (; m < rows; m++)
		for (s = 0; s < atoms; s++)
			copy_atom(dst + s * column + m * ROCKET_ATOM_BYTES,
				  src + m * pitch + s * ROCKET_ATOM_BYTES);
}

void rocket_portable_cube_to_rows(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
				  size_t atoms, size_t pitch)
{
	const size_t column = cube_rows * ROCKET_ATOM_BYTES;
	size_t m, s;

	for (m = 0; m + ROWS <= rows; m += ROWS) {
		const uint8_t *from = src + m * ROCKET_ATOM_BYTES;
		uint8_t *to = dst + m * pitch;

		for (s = 0; s < atoms; s++, from += column, to += ROCKET_ATOM_BYTES) {
			copy_atom(to, from);
			copy_atom(to + pitch, from + 16);
			copy_atom(to + 2 * pitch, from + 32);
			copy_atom(to + 3 * pitch, from + 48);
		}
	}
	for (; m < rows; m++)
		for (s = 0; s < atoms; s++)
			copy_atom(dst + m * pitch + s * ROCKET_ATOM_BYTES,
				  src + s * column + m * ROCKET_ATOM_BYTES);
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

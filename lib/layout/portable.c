// SPDX-License-Identifier: LGPL-2.1-or-later
/* portable.c - the layout loops in plain C. */
#include <string.h>

#include "half.h"
#include "kernels.h"

struct atom {
	uint64_t half[2];
};

static inline struct atom load_atom(const uint8_t *from)
{
	struct atom a;

	memcpy(&a, from, sizeof(a));
	return a;
}

static inline void store_atom(uint8_t *to, struct atom a)
{
	memcpy(to, &a, sizeof(a));
}

/*
 * `atoms` atoms from one stride to another. Eight loads before the first store: columns
 * of a cube are often a multiple of 4096 bytes apart, where a store holds up every later
 * load that has its low address bits.
 */
static inline void move_atoms(uint8_t *restrict to, size_t to_stride, const uint8_t *restrict from,
			      size_t from_stride, size_t atoms)
{
	size_t s = 0;

	for (; s + 8 <= atoms; s += 8, from += 8 * from_stride, to += 8 * to_stride) {
		struct atom a[8];

		for (unsigned i = 0; i < 8; i++)
			a[i] = load_atom(from + i * from_stride);
		for (unsigned i = 0; i < 8; i++)
			store_atom(to + i * to_stride, a[i]);
	}
	for (; s < atoms; s++, from += from_stride, to += to_stride)
		store_atom(to, load_atom(from));
}

void rocket_portable_rows_to_cube(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
				  size_t atoms, size_t pitch)
{
	for (size_t m = 0; m < rows; m++)
		move_atoms(dst + m * ROCKET_ATOM_BYTES, cube_rows * ROCKET_ATOM_BYTES,
			   src + m * pitch, ROCKET_ATOM_BYTES, atoms);
}

void rocket_portable_cube_to_rows(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
				  size_t atoms, size_t pitch)
{
	for (size_t m = 0; m < rows; m++)
		move_atoms(dst + m * pitch, ROCKET_ATOM_BYTES, src + m * ROCKET_ATOM_BYTES,
			   cube_rows * ROCKET_ATOM_BYTES, atoms);
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

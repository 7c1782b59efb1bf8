/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernels.h - the inner loops of the layouts, one table per instruction set.
 *
 * Everything in memory is made of 16-byte atoms, so most loops do not care what an
 * element is. Strides named pitch are bytes. All tables give the same bits; only the
 * NaN that the sum of two NaNs yields is left open.
 */
#ifndef ROCKET_LAYOUT_KERNELS_H
#define ROCKET_LAYOUT_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#define ROCKET_ATOM_BYTES 16

struct rocket_layout_kernels {
	const char *name;

	/* Atom s of row m goes from row-major src to column-major dst:
	 * dst[s * cube_rows + m] = src[m * pitch + s]. */
	void (*rows_to_cube)(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
			     size_t atoms, size_t pitch);
	/* The way back. */
	void (*cube_to_rows)(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
			     size_t atoms, size_t pitch);

	/* Add the atoms of an output cube into rows of `stride` accumulator elements. */
	void (*accumulate_fp16)(float *acc, const uint8_t *src, size_t rows, size_t cube_rows,
				size_t atoms, size_t stride);
	void (*accumulate_fp32)(double *acc, const uint8_t *src, size_t rows, size_t cube_rows,
				size_t atoms, size_t stride);
	void (*accumulate_int32)(int32_t *acc, const uint8_t *src, size_t rows, size_t cube_rows,
				 size_t atoms, size_t stride);

	void (*half_to_float)(float *dst, const uint16_t *src, size_t count);
	void (*float_to_half)(uint16_t *dst, const float *src, size_t count);
};

/* The fastest table this CPU can run. */
const struct rocket_layout_kernels *rocket_layout_kernels(void);
/* Table i of those this CPU can run, portable first; NULL past the last. */
const struct rocket_layout_kernels *rocket_layout_kernels_at(unsigned i);

extern const struct rocket_layout_kernels rocket_layout_portable;
#if defined(__x86_64__) || defined(__i386__)
extern const struct rocket_layout_kernels rocket_layout_avx2; /* needs AVX2 and F16C */
#elif defined(__aarch64__)
extern const struct rocket_layout_kernels rocket_layout_neon;
#endif

/* Loops of the portable table that a vector table keeps where it has nothing to add:
 * whole atoms already move as one vector register. */
void rocket_portable_rows_to_cube(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
				  size_t atoms, size_t pitch);
void rocket_portable_cube_to_rows(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
				  size_t atoms, size_t pitch);
void rocket_portable_accumulate_int32(int32_t *acc, const uint8_t *src, size_t rows,
				      size_t cube_rows, size_t atoms, size_t stride);

#endif

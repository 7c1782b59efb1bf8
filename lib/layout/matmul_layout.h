/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * matmul_layout.h - row-major matrices to and from the NPU's cubes.
 *
 * Pure: no allocation, no device. Index formulas are 0-based and in elements.
 *   feature  A(m,k) of an M x K tile: (k/C2)*M*C2 + m*C2 + k%C2
 *   weight   B(n,k) of an N x K tile: ((n/NG)*(K/KG) + k/KG)*NG*KG + (n%NG)*KG + k%KG
 *   output   C(m,n) of an M x N tile: (n/O2)*M*O2 + m*O2 + n%O2,  O2 = 16 / result bytes
 */
#ifndef ROCKET_LAYOUT_MATMUL_LAYOUT_H
#define ROCKET_LAYOUT_MATMUL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source.h"

/* Element index of (m,k), (n,k), (m,n) in a tile's cube. */
size_t rocket_feature_index(size_t rows, unsigned c2, size_t m, size_t k);
size_t rocket_weight_index(size_t k_extent, unsigned ngroup, unsigned kgroup, size_t n, size_t k);
size_t rocket_output_index(size_t rows, unsigned o2, size_t m, size_t n);
/* Of the 2-byte elements of a transposed result of 32 columns; there are gaps between them. */
size_t rocket_transposed_index(size_t rows, size_t m, size_t n);

/*
 * Pack rows x k elements of a row-major matrix (rows src_stride elements apart) into a
 * feature cube of rows_padded rows; rows beyond `rows` are zero. k is a multiple of
 * the element's C2. elem_bytes 1, 2 or 4.
 */
void rocket_pack_feature(void *dst, const void *src, size_t elem_bytes, size_t rows,
			 size_t rows_padded, size_t k, size_t src_stride);
/* Pack n x k into a weight cube; n a multiple of ngroup, k of kgroup. elem_bytes 1, 2 or 4. */
void rocket_pack_weight(void *dst, const void *src, size_t elem_bytes, size_t n, size_t k,
			size_t src_stride, unsigned ngroup, unsigned kgroup);

/* The same from elements that are stored otherwise in host memory (source.h); src_stride counts
 * those, and the cubes of parts lie part_bytes apart. False when a value was outside what the
 * cube's element can hold. */
bool rocket_pack_feature_from(void *dst, size_t part_bytes, const void *src,
			      const struct rocket_source *from, size_t rows, size_t rows_padded,
			      size_t k, size_t src_stride);
bool rocket_pack_weight_from(void *dst, size_t part_bytes, const void *src,
			     const struct rocket_source *from, size_t n, size_t k,
			     size_t src_stride, unsigned ngroup, unsigned kgroup);

/* Take `rows` rows of an output cube of cube_rows rows apart into row-major C (rows
 * dst_stride elements apart). elem_bytes 2 or 4. */
void rocket_unpack_output(void *dst, const void *src, size_t elem_bytes, size_t rows,
			  size_t cube_rows, size_t n, size_t dst_stride);

/*
 * The same, adding into a row-major accumulator; first: into zeros, whatever it holds. int32 sums
 * wrap: only the low 32 bits are kept, which is what a 64-bit sum cast to int32 gives.
 */
void rocket_accumulate_fp16(float *acc, const void *src, size_t rows, size_t cube_rows, size_t n,
			    size_t stride, bool first);
void rocket_accumulate_fp32(double *acc, const void *src, size_t rows, size_t cube_rows, size_t n,
			    size_t stride, bool first);
void rocket_accumulate_int32(int32_t *acc, const void *src, size_t rows, size_t cube_rows, size_t n,
			     size_t stride, bool first);

/* int16 results into 32-bit sums. */
void rocket_accumulate_int16(int32_t *acc, const void *src, size_t rows, size_t cube_rows, size_t n,
			     size_t stride, bool first);
/* 2^16 * src[0] + 2^8 * (src[1] + src[2]) + src[3], int32 results, into 64-bit sums. */
void rocket_accumulate_bytes(int64_t *acc, const void *const src[4], size_t rows, size_t cube_rows,
			     size_t n, size_t stride, bool first);

/*
 * Integer results times a scale of their row and one of their column:
 *   acc[m][n] += (row[m * scale_stride] * column[n * scale_stride]) * (float)result,
 * each operation rounded to fp32. result_bytes 2 or 4.
 */
struct rocket_scales {
	const float *row, *column;
	size_t scale_stride;
};
void rocket_accumulate_scaled(float *acc, const void *src, unsigned result_bytes, size_t rows,
			      size_t cube_rows, size_t n, size_t stride, bool first,
			      const struct rocket_scales *scales);

/*
 * The results of tiles that follow each other in k, `count` of them, added up in that order into
 * rows of C or of sums, pitch bytes apart; soon: as below. n is a multiple of 16, rows of
 * ROCKET_TOTAL_ROWS. What rocket_accumulate_*() would give, in one pass.
 */
#define ROCKET_TOTAL_TILES_MAX 64
struct rocket_tiles {
	const void *seed; /* sums of earlier tiles, which may be where they go to; NULL: zeros */
	size_t seed_pitch;
	const void *const *cubes;
	size_t count, cube_rows; /* count is 1..ROCKET_TOTAL_TILES_MAX */
	/* Of the first row and column in group 0 of k, those of the next group beside it; and the
	 * group of each tile. */
	struct rocket_scales scales;
	const uint32_t *groups;
};
void rocket_total_int32(void *c, size_t pitch, size_t rows, size_t n, bool soon,
			const struct rocket_tiles *tiles);
void rocket_total_int16(void *c, size_t pitch, size_t rows, size_t n, bool soon,
			const struct rocket_tiles *tiles);
void rocket_total_scaled_int32(void *c, size_t pitch, size_t rows, size_t n, bool soon,
			       const struct rocket_tiles *tiles);
void rocket_total_scaled_int16(void *c, size_t pitch, size_t rows, size_t n, bool soon,
			       const struct rocket_tiles *tiles);

/* Rows of `bytes` bytes; soon: they are read again soon, as a matrix of so many bytes may be. */
bool rocket_rows_are_read_soon(size_t bytes);
void rocket_copy_rows(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t rows,
		      size_t bytes, bool soon);

void rocket_doubles_to_floats(float *dst, const double *src, size_t count);
/* Rows of binary16 bits to and from float; to binary16 rounds to nearest even. */
void rocket_halves_to_floats(float *dst, const void *src, size_t count);
void rocket_floats_to_halves(void *dst, const float *src, size_t count);

#endif

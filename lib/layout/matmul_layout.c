// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_layout.c - matmul operands and results to and from the NPU's cubes. */
#include <string.h>

#include "block.h"
#include "kernels.h"
#include "matmul_layout.h"

size_t rocket_feature_index(size_t rows, unsigned c2, size_t m, size_t k)
{
	return (k / c2) * rows * c2 + m * c2 + k % c2;
}

size_t rocket_weight_index(size_t k_extent, unsigned ngroup, unsigned kgroup, size_t n, size_t k)
{
	size_t block = (n / ngroup) * (k_extent / kgroup) + k / kgroup;

	return block * ngroup * kgroup + (n % ngroup) * kgroup + k % kgroup;
}

size_t rocket_output_index(size_t rows, unsigned o2, size_t m, size_t n)
{
	return (n / o2) * rows * o2 + m * o2 + n % o2;
}

/* Rows past the last live one are zero. */
static void zero_padding(uint8_t *cube, size_t rows, size_t cube_rows, size_t atoms)
{
	for (size_t s = 0; rows < cube_rows && s < atoms; s++)
		memset(cube + (s * cube_rows + rows) * ROCKET_ATOM_BYTES, 0,
		       (cube_rows - rows) * ROCKET_ATOM_BYTES);
}

void rocket_pack_feature(void *dst, const void *src, size_t elem_bytes, size_t rows,
			 size_t rows_padded, size_t k, size_t src_stride)
{
	size_t atoms = k * elem_bytes / ROCKET_ATOM_BYTES;
	size_t pitch = src_stride * elem_bytes;
	const struct rocket_layout_kernels *kernels = rocket_layout_kernels();
	const uint8_t *flat = src;
	struct block b = { 0 };
	uint8_t *cube = dst;

	while (next_block(&b, rows, rows_padded, atoms))
		kernels->rows_to_cube(cube + b.cube_offset,
				      flat + b.m * pitch + b.s * ROCKET_ATOM_BYTES, b.rows,
				      rows_padded, b.atoms, pitch);
	zero_padding(cube, rows, rows_padded, atoms);
}

/* One K group of one N group: `rows` runs of `run` bytes, dense in the cube. */
static inline void pack_block(uint8_t *dst, const uint8_t *src, size_t rows, size_t run,
			      size_t pitch)
{
	for (size_t i = 0; i < rows; i++)
		memcpy(dst + i * run, src + i * pitch, run);
}

void rocket_pack_weight(void *dst, const void *src, size_t elem_bytes, size_t n, size_t k,
			size_t src_stride, unsigned ngroup, unsigned kgroup)
{
	size_t run = kgroup * elem_bytes;
	size_t pitch = src_stride * elem_bytes;
	const uint8_t *from = src;
	uint8_t *to = dst;

	for (size_t n0 = 0; n0 < n; n0 += ngroup, from += ngroup * pitch) {
		for (size_t k0 = 0; k0 < k * elem_bytes; k0 += run, to += ngroup * run) {
			/* Constant lengths, so that a run is a few vector moves. */
			if (run == 64)
				pack_block(to, from + k0, ngroup, 64, pitch);
			else if (run == 32)
				pack_block(to, from + k0, ngroup, 32, pitch);
			else
				pack_block(to, from + k0, ngroup, run, pitch);
		}
	}
}

/* Whole atoms of a block are converted into rows on the stack, then moved like any others. */
static bool pack_converted_feature(uint8_t *cube, const uint8_t *flat,
				   const struct rocket_source *from, size_t rows,
				   size_t rows_padded, size_t k, size_t src_stride)
{
	const size_t c2 = 8 * ROCKET_ATOM_BYTES / from->cube_bits, atoms = k / c2;
	const struct rocket_layout_kernels *kernels = rocket_layout_kernels();
	uint8_t stage[BLOCK_ROWS][BLOCK_ATOMS * ROCKET_ATOM_BYTES];
	struct block b = { 0 };
	bool fits = true;

	while (next_block(&b, rows, rows_padded, atoms)) {
		for (size_t i = 0; i < b.rows; i++)
			fits &= from->convert(stage[i],
					      flat + ((b.m + i) * src_stride + b.s * c2) *
							      from->host_bytes,
					      b.atoms * c2);
		kernels->rows_to_cube(cube + b.cube_offset, stage[0], b.rows, rows_padded, b.atoms,
				      sizeof(stage[0]));
	}
	zero_padding(cube, rows, rows_padded, atoms);
	return fits;
}

bool rocket_pack_feature_from(void *dst, const void *src, const struct rocket_source *from,
			      size_t rows, size_t rows_padded, size_t k, size_t src_stride)
{
	if (from->convert)
		return pack_converted_feature(dst, src, from, rows, rows_padded, k, src_stride);
	rocket_pack_feature(dst, src, from->host_bytes, rows, rows_padded, k, src_stride);
	return true;
}

bool rocket_pack_weight_from(void *dst, const void *src, const struct rocket_source *from, size_t n,
			     size_t k, size_t src_stride, unsigned ngroup, unsigned kgroup)
{
	const size_t run = (size_t)kgroup * from->cube_bits / 8;
	const uint8_t *flat = src;
	uint8_t *to = dst;
	bool fits = true;

	if (!from->convert) {
		rocket_pack_weight(dst, src, from->host_bytes, n, k, src_stride, ngroup, kgroup);
		return true;
	}
	for (size_t n0 = 0; n0 < n; n0 += ngroup)
		for (size_t k0 = 0; k0 < k; k0 += kgroup)
			for (size_t i = 0; i < ngroup; i++, to += run)
				fits &= from->convert(
					to, flat + ((n0 + i) * src_stride + k0) * from->host_bytes,
					kgroup);
	return fits;
}

void rocket_unpack_output(void *dst, const void *src, size_t elem_bytes, size_t rows,
			  size_t cube_rows, size_t n, size_t dst_stride)
{
	size_t atoms = n * elem_bytes / ROCKET_ATOM_BYTES, pitch = dst_stride * elem_bytes;
	const struct rocket_layout_kernels *kernels = rocket_layout_kernels();
	const uint8_t *cube = src;
	struct block b = { 0 };
	uint8_t *flat = dst;

	while (next_block(&b, rows, cube_rows, atoms))
		kernels->cube_to_rows(flat + b.m * pitch + b.s * ROCKET_ATOM_BYTES,
				      cube + b.cube_offset, b.rows, cube_rows, b.atoms, pitch);
}

void rocket_accumulate_fp16(float *acc, const void *src, size_t rows, size_t cube_rows, size_t n,
			    size_t stride)
{
	const struct rocket_layout_kernels *kernels = rocket_layout_kernels();
	const uint8_t *cube = src;
	struct block b = { 0 };

	while (next_block(&b, rows, cube_rows, n / 8))
		kernels->accumulate_fp16(acc + b.m * stride + b.s * 8, cube + b.cube_offset, b.rows,
					 cube_rows, b.atoms, stride);
}

void rocket_accumulate_fp32(double *acc, const void *src, size_t rows, size_t cube_rows, size_t n,
			    size_t stride)
{
	const struct rocket_layout_kernels *kernels = rocket_layout_kernels();
	const uint8_t *cube = src;
	struct block b = { 0 };

	while (next_block(&b, rows, cube_rows, n / 4))
		kernels->accumulate_fp32(acc + b.m * stride + b.s * 4, cube + b.cube_offset, b.rows,
					 cube_rows, b.atoms, stride);
}

void rocket_accumulate_int32(int32_t *acc, const void *src, size_t rows, size_t cube_rows, size_t n,
			     size_t stride)
{
	const struct rocket_layout_kernels *kernels = rocket_layout_kernels();
	const uint8_t *cube = src;
	struct block b = { 0 };

	while (next_block(&b, rows, cube_rows, n / 4))
		kernels->accumulate_int32(acc + b.m * stride + b.s * 4, cube + b.cube_offset,
					  b.rows, cube_rows, b.atoms, stride);
}

void rocket_floats_to_halves(void *dst, const float *src, size_t count)
{
	rocket_layout_kernels()->float_to_half(dst, src, count);
}

void rocket_halves_to_floats(float *dst, const void *src, size_t count)
{
	rocket_layout_kernels()->half_to_float(dst, src, count);
}

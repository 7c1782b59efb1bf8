// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_layout.c - matmul operands and results to and from the NPU's cubes. */
#include <string.h>

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

void rocket_pack_feature(void *dst, const void *src, size_t elem_bytes, size_t rows,
			 size_t rows_padded, size_t k, size_t src_stride)
{
	size_t atoms = k * elem_bytes / ROCKET_ATOM_BYTES;
	size_t pad = (rows_padded - rows) * ROCKET_ATOM_BYTES;
	uint8_t *cube = dst;

	rocket_layout_kernels()->rows_to_cube(cube, src, rows, rows_padded, atoms,
					      src_stride * elem_bytes);
	for (size_t s = 0; pad && s < atoms; s++)
		memset(cube + (s * rows_padded + rows) * ROCKET_ATOM_BYTES, 0, pad);
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

void rocket_unpack_output(void *dst, const void *src, size_t elem_bytes, size_t rows,
			  size_t cube_rows, size_t n, size_t dst_stride)
{
	rocket_layout_kernels()->cube_to_rows(dst, src, rows, cube_rows,
					      n * elem_bytes / ROCKET_ATOM_BYTES,
					      dst_stride * elem_bytes);
}

void rocket_accumulate_fp16(float *acc, const void *src, size_t rows, size_t cube_rows, size_t n,
			    size_t stride)
{
	rocket_layout_kernels()->accumulate_fp16(acc, src, rows, cube_rows, n / 8, stride);
}

void rocket_accumulate_fp32(double *acc, const void *src, size_t rows, size_t cube_rows, size_t n,
			    size_t stride)
{
	rocket_layout_kernels()->accumulate_fp32(acc, src, rows, cube_rows, n / 4, stride);
}

void rocket_accumulate_int32(int32_t *acc, const void *src, size_t rows, size_t cube_rows, size_t n,
			     size_t stride)
{
	rocket_layout_kernels()->accumulate_int32(acc, src, rows, cube_rows, n / 4, stride);
}

void rocket_floats_to_halves(void *dst, const float *src, size_t count)
{
	rocket_layout_kernels()->float_to_half(dst, src, count);
}

void rocket_halves_to_floats(float *dst, const void *src, size_t count)
{
	rocket_layout_kernels()->half_to_float(dst, src, count);
}

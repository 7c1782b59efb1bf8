// SPDX-License-Identifier: LGPL-2.1-or-later
/* accumulate.c - integer results into wider or scaled sums. */
#include <string.h>

#include "block.h"
#include "matmul_layout.h"

static inline int32_t result_at(const uint8_t *atom, unsigned bytes, size_t lane)
{
	int16_t narrow;
	int32_t wide;

	if (bytes == 2) {
		memcpy(&narrow, atom + 2 * lane, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, atom + 4 * lane, sizeof(wide));
	return wide;
}

void rocket_accumulate_int16(int32_t *acc, const void *src, size_t rows, size_t cube_rows, size_t n,
			     size_t stride)
{
	const uint8_t *cube = src;
	struct block b = { 0 };

	while (next_block(&b, rows, cube_rows, n / 8))
		for (size_t i = 0; i < b.rows; i++)
			for (size_t s = 0; s < b.atoms; s++) {
				const uint8_t *atom = cube + b.cube_offset +
						      (s * cube_rows + i) * ROCKET_ATOM_BYTES;
				int32_t *to = acc + (b.m + i) * stride + (b.s + s) * 8;

				for (size_t lane = 0; lane < 8; lane++)
					to[lane] = (int32_t)((uint32_t)to[lane] +
							     (uint32_t)result_at(atom, 2, lane));
			}
}

void rocket_accumulate_int64(int64_t *acc, const void *src, size_t rows, size_t cube_rows, size_t n,
			     size_t stride, unsigned shift)
{
	const uint8_t *cube = src;
	struct block b = { 0 };

	while (next_block(&b, rows, cube_rows, n / 4))
		for (size_t i = 0; i < b.rows; i++)
			for (size_t s = 0; s < b.atoms; s++) {
				const uint8_t *atom = cube + b.cube_offset +
						      (s * cube_rows + i) * ROCKET_ATOM_BYTES;
				int64_t *to = acc + (b.m + i) * stride + (b.s + s) * 4;

				for (size_t lane = 0; lane < 4; lane++)
					to[lane] += (int64_t)result_at(atom, 4, lane) *
						    (INT64_C(1) << shift);
			}
}

static inline void add_scaled(float *acc, const uint8_t *cube, unsigned bytes,
			      const struct block *b, size_t cube_rows, size_t stride,
			      const struct rocket_scales *scales)
{
	const size_t lanes = ROCKET_ATOM_BYTES / bytes, step = scales->scale_stride;

	for (size_t i = 0; i < b->rows; i++)
		for (size_t s = 0; s < b->atoms; s++) {
			const uint8_t *atom =
				cube + b->cube_offset + (s * cube_rows + i) * ROCKET_ATOM_BYTES;
			const float row = scales->row[(b->m + i) * step];
			const float *column = scales->column + (b->s + s) * lanes * step;
			float *to = acc + (b->m + i) * stride + (b->s + s) * lanes;

			for (size_t lane = 0; lane < lanes; lane++)
				to[lane] += (row * column[lane * step]) *
					    (float)result_at(atom, bytes, lane);
		}
}

void rocket_accumulate_scaled(float *acc, const void *src, unsigned result_bytes, size_t rows,
			      size_t cube_rows, size_t n, size_t stride,
			      const struct rocket_scales *scales)
{
	const size_t atoms = n * result_bytes / ROCKET_ATOM_BYTES;
	struct block b = { 0 };

	/* Constant widths, so that each is a loop of its own. */
	while (next_block(&b, rows, cube_rows, atoms))
		if (result_bytes == 2)
			add_scaled(acc, src, 2, &b, cube_rows, stride, scales);
		else
			add_scaled(acc, src, 4, &b, cube_rows, stride, scales);
}

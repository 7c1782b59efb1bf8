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

size_t rocket_transposed_index(size_t rows, size_t m, size_t n)
{
	return 4 * m + n / 4 % 4 + (n / 16 + n % 4 * 4) * 4 * rows;
}

/* Rows past the last live one are zero. */
static void zero_padding(uint8_t *cube, size_t rows, size_t cube_rows, size_t atoms)
{
	for (size_t s = 0; rows < cube_rows && s < atoms; s++)
		memset(cube + (s * cube_rows + rows) * ROCKET_ATOM_BYTES, 0,
		       (cube_rows - rows) * ROCKET_ATOM_BYTES);
}

/*
 * A packed tile is for the NPU, and rows of C that take as much as this are more than caches keep
 * until somebody reads them: both may go past the caches.
 */
#define STREAMED_TILE_BYTES (16u << 10)
#define STREAMED_ROWS_BYTES (1u << 20)

void rocket_pack_feature(void *dst, const void *src, size_t elem_bytes, size_t rows,
			 size_t rows_padded, size_t k, size_t src_stride)
{
	const size_t bytes = k * elem_bytes, atoms = bytes / ROCKET_ATOM_BYTES;

	rocket_layout_kernels()->rows_to_cube(dst, src, rows, rows_padded, atoms,
					      src_stride * elem_bytes,
					      rows * bytes >= STREAMED_TILE_BYTES);
	zero_padding(dst, rows, rows_padded, atoms);
}

void rocket_pack_weight(void *dst, const void *src, size_t elem_bytes, size_t n, size_t k,
			size_t src_stride, unsigned ngroup, unsigned kgroup)
{
	const struct rocket_layout_kernels *kernels = rocket_layout_kernels();
	const size_t bytes = k * elem_bytes, pitch = src_stride * elem_bytes;
	const bool stream = n * bytes >= STREAMED_TILE_BYTES;
	const uint8_t *from = src;
	uint8_t *to = dst;

	for (size_t n0 = 0; n0 < n; n0 += ngroup, from += ngroup * pitch, to += ngroup * bytes)
		kernels->rows_to_runs(to, from, ngroup, kgroup * elem_bytes, bytes, pitch, stream);
}

/* Whole atoms of a block are converted into rows on the stack, then moved like any others. */
static bool pack_converted_feature(uint8_t *cube, size_t part_bytes, const uint8_t *flat,
				   const struct rocket_source *from, size_t rows,
				   size_t rows_padded, size_t k, size_t src_stride)
{
	const size_t c2 = 8 * ROCKET_ATOM_BYTES / from->cube_bits, atoms = k / c2;
	const struct rocket_layout_kernels *kernels = rocket_layout_kernels();
	uint8_t stage[ROCKET_SOURCE_PARTS][ROCKET_BLOCK_ROWS]
		     [ROCKET_BLOCK_ATOMS * ROCKET_ATOM_BYTES] __attribute__((aligned(64)));
	const bool stream = rows * k * from->cube_bits / 8 >= STREAMED_TILE_BYTES;
	struct block b = { 0 };
	bool fits = true;

	while (next_block(&b, rows, rows_padded, atoms)) {
		for (size_t i = 0; i < b.rows; i++) {
			void *const to[ROCKET_SOURCE_PARTS] = { stage[0][i], stage[1][i] };

			fits &= from->convert(
				to, flat + ((b.m + i) * src_stride + b.s * c2) * from->host_bytes,
				b.atoms * c2);
		}
		for (size_t p = 0; p < from->parts; p++)
			kernels->rows_to_cube(cube + p * part_bytes + b.cube_offset, stage[p][0],
					      b.rows, rows_padded, b.atoms, sizeof(stage[p][0]),
					      stream);
	}
	for (size_t p = 0; p < from->parts; p++)
		zero_padding(cube + p * part_bytes, rows, rows_padded, atoms);
	return fits;
}

bool rocket_pack_feature_from(void *dst, size_t part_bytes, const void *src,
			      const struct rocket_source *from, size_t rows, size_t rows_padded,
			      size_t k, size_t src_stride)
{
	if (from->convert)
		return pack_converted_feature(dst, part_bytes, src, from, rows, rows_padded, k,
					      src_stride);
	rocket_pack_feature(dst, src, from->host_bytes, rows, rows_padded, k, src_stride);
	return true;
}

/* Elements of a row that are converted before any other row's. */
#define STAGED_ELEMENTS 512
/* As many as that of each row of the largest group. */
#define STAGED_BYTES (16u << 10)

/* One group of kernels: its rows are converted onto the stack, then moved like any others. */
static bool pack_converted_group(uint8_t *to, size_t part_bytes, const uint8_t *flat,
				 const struct rocket_source *from, size_t rows, size_t k,
				 size_t pitch, size_t run, bool stream)
{
	const struct rocket_layout_kernels *kernels = rocket_layout_kernels();
	uint8_t stage[ROCKET_SOURCE_PARTS][STAGED_BYTES] __attribute__((aligned(64)));
	bool fits = true;

	for (size_t k0 = 0; k0 < k; k0 += STAGED_ELEMENTS) {
		const size_t count = k - k0 < STAGED_ELEMENTS ? k - k0 : STAGED_ELEMENTS;
		const size_t bytes = count * from->cube_bits / 8;

		for (size_t i = 0; i < rows; i++) {
			void *const row[ROCKET_SOURCE_PARTS] = { stage[0] + i * bytes,
								 stage[1] + i * bytes };

			fits &= from->convert(row, flat + i * pitch + k0 * from->host_bytes, count);
		}
		for (size_t p = 0; p < from->parts; p++)
			kernels->rows_to_runs(to + p * part_bytes, stage[p], rows, run, bytes,
					      bytes, stream);
		to += rows * bytes;
	}
	return fits;
}

bool rocket_pack_weight_from(void *dst, size_t part_bytes, const void *src,
			     const struct rocket_source *from, size_t n, size_t k,
			     size_t src_stride, unsigned ngroup, unsigned kgroup)
{
	const bool stream = n * k * from->cube_bits / 8 >= STREAMED_TILE_BYTES;
	const size_t pitch = src_stride * from->host_bytes, row = k * from->cube_bits / 8;
	const size_t run = (size_t)kgroup * from->cube_bits / 8;
	const uint8_t *flat = src;
	uint8_t *to = dst;
	bool fits = true;

	if (!from->convert) {
		rocket_pack_weight(dst, src, from->host_bytes, n, k, src_stride, ngroup, kgroup);
		return true;
	}
	for (size_t n0 = 0; n0 < n; n0 += ngroup, flat += ngroup * pitch, to += ngroup * row)
		fits &= pack_converted_group(to, part_bytes, flat, from, ngroup, k, pitch, run,
					     stream);
	return fits;
}

void rocket_unpack_output(void *dst, const void *src, size_t elem_bytes, size_t rows,
			  size_t cube_rows, size_t n, size_t dst_stride)
{
	const size_t pitch = dst_stride * elem_bytes;

	rocket_layout_kernels()->cube_to_rows(dst, src, rows, cube_rows,
					      n * elem_bytes / ROCKET_ATOM_BYTES, pitch,
					      rows * pitch >= STREAMED_ROWS_BYTES);
}

#define ACCUMULATE(name, add, element, lanes)                                                      \
	void name(element *acc, const void *src, size_t rows, size_t cube_rows, size_t n,          \
		  size_t stride, bool first)                                                       \
	{                                                                                          \
		const struct rocket_layout_kernels *kernels = rocket_layout_kernels();             \
		const uint8_t *cube = src;                                                         \
		struct block b = { 0 };                                                            \
                                                                                                   \
		while (next_block(&b, rows, cube_rows, n / (lanes)))                               \
			kernels->add(acc + b.m * stride + b.s * (lanes), cube + b.cube_offset,     \
				     b.rows, cube_rows, b.atoms, stride, first);                   \
	}

ACCUMULATE(rocket_accumulate_fp16, add_fp16, float, 8)
ACCUMULATE(rocket_accumulate_fp32, add_fp32, double, 4)
ACCUMULATE(rocket_accumulate_int32, add_int32, int32_t, 4)
ACCUMULATE(rocket_accumulate_int16, add_int16, int32_t, 8)

void rocket_accumulate_bytes(int64_t *acc, const void *const src[4], size_t rows, size_t cube_rows,
			     size_t n, size_t stride, bool first)
{
	const struct rocket_layout_kernels *kernels = rocket_layout_kernels();
	struct block b = { 0 };

	while (next_block(&b, rows, cube_rows, n / 4)) {
		const uint8_t *cubes[4];

		for (unsigned i = 0; i < 4; i++)
			cubes[i] = (const uint8_t *)src[i] + b.cube_offset;
		kernels->add_bytes(acc + b.m * stride + b.s * 4, cubes, b.rows, cube_rows, b.atoms,
				   stride, first);
	}
}

void rocket_accumulate_scaled(float *acc, const void *src, unsigned result_bytes, size_t rows,
			      size_t cube_rows, size_t n, size_t stride, bool first,
			      const struct rocket_scales *scales)
{
	const size_t lanes = ROCKET_ATOM_BYTES / result_bytes, step = scales->scale_stride;
	const struct rocket_layout_kernels *kernels = rocket_layout_kernels();
	float row[ROCKET_BLOCK_ROWS], column[ROCKET_BLOCK_ATOMS * ROCKET_ATOM_BYTES / 2];
	const uint8_t *cube = src;
	struct block b = { 0 };

	while (next_block(&b, rows, cube_rows, n / lanes)) {
		float *to = acc + b.m * stride + b.s * lanes;

		/* A group's scales lie apart. */
		for (size_t i = 0; i < b.rows; i++)
			row[i] = scales->row[(b.m + i) * step];
		for (size_t i = 0; i < b.atoms * lanes; i++)
			column[i] = scales->column[(b.s * lanes + i) * step];
		(result_bytes == 2 ? kernels->add_scaled_int16 : kernels->add_scaled_int32)(
			to, cube + b.cube_offset, b.rows, cube_rows, b.atoms, stride, first, row,
			column);
	}
}

static struct rocket_total total_of(void *c, size_t pitch, size_t rows, size_t atoms, bool soon,
				    const struct rocket_tiles *tiles)
{
	return (struct rocket_total){
		.dst = c,
		.pitch = pitch,
		.rows = rows,
		.atoms = atoms,
		.seed = tiles->seed,
		.seed_pitch = tiles->seed_pitch,
		.stream = !soon && (uintptr_t)c % 64 == 0 && pitch % 64 == 0,
		.cubes = (const uint8_t *const *)tiles->cubes,
		.count = tiles->count,
		.cube_rows = tiles->cube_rows,
	};
}

/*
 * Totals of many tiles, or with scales, are made block by block, of a few tiles at a time: as the
 * results of tiles lie a power of two apart, those of many share a few places in the caches.
 */
#define TOTAL_TILES   8
#define TOTAL_COLUMNS 64

struct total_block {
	float row[ROCKET_TOTAL_TILES_MAX * ROCKET_BLOCK_ROWS];
	float column[ROCKET_TOTAL_TILES_MAX * TOTAL_COLUMNS];
	/* Sums of the tiles so far; 32 bits, of whatever kind. */
	uint32_t sums[ROCKET_BLOCK_ROWS * TOTAL_COLUMNS] __attribute__((aligned(64)));
};

/* Scales of `count` rows or columns from the first on, which lie apart, into to[tile][0],
 * to[tile][1] and so on. */
static void gather(float *to, size_t step, const float *from, size_t first, size_t count,
		   const struct rocket_tiles *tiles)
{
	for (size_t i = 0; from && i < count; i++)
		for (size_t tile = 0; tile < tiles->count; tile++)
			to[tile * step + i] = from[(first + i) * tiles->scales.scale_stride +
						   tiles->groups[tile]];
}

/* The block that *whole is, whose scales are in *b. */
static void total_block(void (*total)(const struct rocket_total *),
			const struct rocket_total *whole, struct total_block *b)
{
	struct rocket_total t = *whole;

	t.row = b->row;
	t.row_step = ROCKET_BLOCK_ROWS;
	t.column = b->column;
	t.column_step = TOTAL_COLUMNS;
	for (size_t left = whole->count; left; left -= t.count) {
		t.count = left < TOTAL_TILES ? left : TOTAL_TILES;
		if (left > t.count) {
			t.dst = (uint8_t *)b->sums;
			t.pitch = TOTAL_COLUMNS * sizeof(b->sums[0]);
			t.stream = false;
		} else {
			t.dst = whole->dst;
			t.pitch = whole->pitch;
			t.stream = whole->stream;
		}
		total(&t);
		t.seed = (const uint8_t *)b->sums;
		t.seed_pitch = TOTAL_COLUMNS * sizeof(b->sums[0]);
		t.cubes += t.count;
		t.row += t.count * t.row_step;
		t.column += t.count * t.column_step;
	}
}

static void total_tiles(void (*total)(const struct rocket_total *), size_t lanes,
			struct rocket_total whole, const struct rocket_tiles *tiles)
{
	const size_t block_atoms = TOTAL_COLUMNS / lanes;
	const uint8_t *cubes[ROCKET_TOTAL_TILES_MAX];
	struct rocket_total t = whole;
	struct total_block b;

	if (whole.count <= TOTAL_TILES && !tiles->scales.row) {
		total(&whole);
		return;
	}
	t.cubes = cubes;
	for (size_t s = 0; s < whole.atoms; s += block_atoms) {
		const size_t column = s * lanes * sizeof(b.sums[0]);

		t.atoms = whole.atoms - s < block_atoms ? whole.atoms - s : block_atoms;
		gather(b.column, TOTAL_COLUMNS, tiles->scales.column, s * lanes, t.atoms * lanes,
		       tiles);
		for (size_t m = 0; m < whole.rows; m += ROCKET_BLOCK_ROWS) {
			t.rows = whole.rows - m < ROCKET_BLOCK_ROWS ? whole.rows - m
								    : ROCKET_BLOCK_ROWS;
			gather(b.row, ROCKET_BLOCK_ROWS, tiles->scales.row, m, t.rows, tiles);
			for (size_t i = 0; i < t.count; i++)
				cubes[i] =
					whole.cubes[i] + (s * t.cube_rows + m) * ROCKET_ATOM_BYTES;
			t.dst = whole.dst + m * t.pitch + column;
			if (whole.seed)
				t.seed = whole.seed + m * t.seed_pitch + column;
			total_block(total, &t, &b);
		}
	}
}

#define TOTAL(name, lanes)                                                                         \
	void rocket_total_##name(void *c, size_t pitch, size_t rows, size_t n, bool soon,          \
				 const struct rocket_tiles *tiles)                                 \
	{                                                                                          \
		total_tiles(rocket_layout_kernels()->total_##name, lanes,                          \
			    total_of(c, pitch, rows, n / (lanes), soon, tiles), tiles);            \
	}

TOTAL(int32, 4)
TOTAL(int16, 8)
TOTAL(scaled_int32, 4)
TOTAL(scaled_int16, 8)

void rocket_copy_rows(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t rows,
		      size_t bytes, bool soon)
{
	rocket_layout_kernels()->copy_rows(dst, dst_pitch, src, src_pitch, rows, bytes, !soon);
}

bool rocket_rows_are_read_soon(size_t bytes)
{
	return bytes < STREAMED_ROWS_BYTES;
}

void rocket_doubles_to_floats(float *dst, const double *src, size_t count)
{
	rocket_layout_kernels()->double_to_float(dst, src, count);
}

void rocket_floats_to_halves(void *dst, const float *src, size_t count)
{
	rocket_layout_kernels()->float_to_half(dst, src, count);
}

void rocket_halves_to_floats(float *dst, const void *src, size_t count)
{
	rocket_layout_kernels()->half_to_float(dst, src, count);
}

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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROCKET_ATOM_BYTES 16

/* Rows of C, and the cubes whose sum they are. */
struct rocket_total {
	uint8_t *dst; /* `rows` of them, pitch bytes apart */
	size_t pitch, rows, atoms;
	bool stream; /* as of rows_to_cube; dst and pitch are whole lines then */
	/* What they begin with, seed_pitch apart; may be dst. NULL: zeros. */
	const uint8_t *seed;
	size_t seed_pitch;
	const uint8_t *const *cubes;
	size_t count, cube_rows;
	/* Scales of cube i: row[i * row_step + m] and column[i * column_step + n]. */
	const float *row, *column;
	size_t row_step, column_step;
};
/* `rows` is a multiple of this; `atoms` make up a multiple of 16 columns. */
#define ROCKET_TOTAL_ROWS 4

struct rocket_layout_kernels {
	const char *name;

	/* Atom s of row m goes from row-major src to column-major dst:
	 * dst[s * cube_rows + m] = src[m * pitch + s]. stream: past the caches, where there is a
	 * way and the addresses allow it; for what is larger than they are, or is for the NPU
	 * alone. */
	void (*rows_to_cube)(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
			     size_t atoms, size_t pitch, bool stream);
	/* The way back. */
	void (*cube_to_rows)(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
			     size_t atoms, size_t pitch, bool stream);
	/* Runs of `run` bytes, of which each row has bytes / run, change places with their rows:
	 * run r of row m goes to dst[(r * rows + m) * run]. run is a multiple of 16. */
	void (*rows_to_runs)(uint8_t *dst, const uint8_t *src, size_t rows, size_t run,
			     size_t bytes, size_t pitch, bool stream);

	/*
	 * Add the atoms of an output cube into rows of `stride` accumulator elements; first: into
	 * zeros, whatever the accumulator holds. int32 sums wrap. Scaled ones add
	 * (row[m] * column[n]) * result, each step rounded to fp32.
	 */
	void (*add_fp16)(float *acc, const uint8_t *src, size_t rows, size_t cube_rows,
			 size_t atoms, size_t stride, bool first);
	void (*add_fp32)(double *acc, const uint8_t *src, size_t rows, size_t cube_rows,
			 size_t atoms, size_t stride, bool first);
	void (*add_int32)(int32_t *acc, const uint8_t *src, size_t rows, size_t cube_rows,
			  size_t atoms, size_t stride, bool first);
	void (*add_int16)(int32_t *acc, const uint8_t *src, size_t rows, size_t cube_rows,
			  size_t atoms, size_t stride, bool first);
	void (*add_scaled_int32)(float *acc, const uint8_t *src, size_t rows, size_t cube_rows,
				 size_t atoms, size_t stride, bool first, const float *row,
				 const float *column);
	void (*add_scaled_int16)(float *acc, const uint8_t *src, size_t rows, size_t cube_rows,
				 size_t atoms, size_t stride, bool first, const float *row,
				 const float *column);
	/* 2^16 times the first of four cubes, 2^8 times the next two and the last: the products of
	 * high and low bytes, high by high first. */
	void (*add_bytes)(int64_t *acc, const uint8_t *const src[4], size_t rows, size_t cube_rows,
			  size_t atoms, size_t stride, bool first);

	/*
	 * What the functions of the same names add, over all cubes in their order, into int32 or
	 * float.
	 */
	void (*total_int32)(const struct rocket_total *t);
	void (*total_int16)(const struct rocket_total *t);
	void (*total_scaled_int32)(const struct rocket_total *t);
	void (*total_scaled_int16)(const struct rocket_total *t);

	/* A copy of rows, past the caches as above. */
	void (*copy_rows)(uint8_t *dst, size_t dst_pitch, const uint8_t *src, size_t src_pitch,
			  size_t rows, size_t bytes, bool stream);

	void (*half_to_float)(float *dst, const uint16_t *src, size_t count);
	void (*float_to_half)(uint16_t *dst, const float *src, size_t count);
	void (*double_to_float)(float *dst, const double *src, size_t count);

	/* Conversions of source.h; count is a multiple of 32 for to_int4. */
	bool (*to_bf16)(void *dst, const void *src, size_t count);
	bool (*to_int4)(void *dst, const void *src, size_t count);
	bool (*split_int16)(void *high, void *low, const void *src, size_t count);
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

/* Loops of the portable table that a vector table keeps or falls back on. */
void rocket_portable_rows_to_cube(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
				  size_t atoms, size_t pitch, bool stream);
void rocket_portable_cube_to_rows(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
				  size_t atoms, size_t pitch, bool stream);
void rocket_portable_rows_to_runs(uint8_t *dst, const uint8_t *src, size_t rows, size_t run,
				  size_t bytes, size_t pitch, bool stream);
void rocket_portable_copy_rows(uint8_t *dst, size_t dst_pitch, const uint8_t *src, size_t src_pitch,
			       size_t rows, size_t bytes, bool stream);

#endif

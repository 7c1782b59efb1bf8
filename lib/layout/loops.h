/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * loops.h - the loops that every instruction set has in the same words.
 *
 * Their vectors are the compiler's, which become what the function that a loop is inlined into may
 * use: ROCKET_LOOPS() defines those functions.
 */
#ifndef ROCKET_LAYOUT_LOOPS_H
#define ROCKET_LAYOUT_LOOPS_H

#include <string.h>

#include "block.h"
#include "kernels.h"

#define ROCKET_INLINE static inline __attribute__((always_inline))

/* Never passed by value: their place would depend on the flags of the compiler. */
typedef int8_t rocket_s8x8 __attribute__((vector_size(8)));
typedef uint16_t rocket_u16x8 __attribute__((vector_size(16)));
typedef int16_t rocket_s16x8 __attribute__((vector_size(16)));
typedef uint32_t rocket_u32x4 __attribute__((vector_size(16)));
typedef int32_t rocket_s32x4 __attribute__((vector_size(16)));
typedef float rocket_f32x4 __attribute__((vector_size(16)));
typedef int64_t rocket_s64x4 __attribute__((vector_size(32)));
typedef uint32_t rocket_u32x8 __attribute__((vector_size(32)));
typedef int32_t rocket_s32x8 __attribute__((vector_size(32)));
typedef float rocket_f32x8 __attribute__((vector_size(32)));
typedef double rocket_f64x4 __attribute__((vector_size(32)));

/* ---- sums ---- */

/*
 * A loop over atoms of `lanes` results, vectors x of type `result`, which TERM makes terms of the
 * accumulators, vectors of type `sum`. TERM may use the result's row and first column, m and n.
 * Four rows of an atom are a line of the cube, which is read once; that of the rows of the next
 * block is fetched meanwhile, the stride being too long for the CPU to find by itself.
 */
#define ROCKET_AHEAD_BYTES (ROCKET_BLOCK_ROWS * ROCKET_ATOM_BYTES)

#define ROCKET_SUM(name, element, lanes, result, sum, TERM, ...)                                   \
	ROCKET_INLINE void name(element *acc, const uint8_t *src, size_t rows, size_t cube_rows,   \
				size_t atoms, size_t stride, bool first, ##__VA_ARGS__)            \
	{                                                                                          \
		for (size_t m0 = 0; m0 < rows; m0 += 4)                                            \
			for (size_t s = 0; s < atoms; s++) {                                       \
				const uint8_t *line =                                              \
					src + (s * cube_rows + m0) * ROCKET_ATOM_BYTES;            \
                                                                                                   \
				__builtin_prefetch(line + ROCKET_AHEAD_BYTES);                     \
				for (size_t m = m0; m < rows && m < m0 + 4; m++) {                 \
					const size_t n = s * (lanes);                              \
					element *to = acc + m * stride + n;                        \
					sum total = { 0 };                                         \
					result x;                                                  \
                                                                                                   \
					memcpy(&x, line + (m - m0) * ROCKET_ATOM_BYTES,            \
					       sizeof(x));                                         \
					if (!first)                                                \
						memcpy(&total, to, sizeof(total));                 \
					total += TERM;                                             \
					memcpy(to, &total, sizeof(total));                         \
				}                                                                  \
			}                                                                          \
	}

#define ROCKET_SCALED(numbers, x)                                                                  \
	({                                                                                         \
		numbers scale, value = __builtin_convertvector(x, numbers);                        \
		memcpy(&scale, column + n, sizeof(scale));                                         \
		(row[m] * scale) * value;                                                          \
	})

ROCKET_SUM(rocket_sum_fp32, double, 4, rocket_f32x4, rocket_f64x4,
	   __builtin_convertvector(x, rocket_f64x4))
ROCKET_SUM(rocket_sum_int32, int32_t, 4, rocket_u32x4, rocket_u32x4, x)
ROCKET_SUM(rocket_sum_int16, int32_t, 8, rocket_s16x8, rocket_u32x8,
	   (rocket_u32x8) __builtin_convertvector(x, rocket_s32x8))
ROCKET_SUM(rocket_sum_scaled_int32, float, 4, rocket_s32x4, rocket_f32x4,
	   ROCKET_SCALED(rocket_f32x4, x), const float *row, const float *column)
ROCKET_SUM(rocket_sum_scaled_int16, float, 8, rocket_s16x8, rocket_f32x8,
	   ROCKET_SCALED(rocket_f32x8, __builtin_convertvector(x, rocket_s32x8)), const float *row,
	   const float *column)

/* The same of four cubes. */
ROCKET_INLINE void rocket_sum_bytes(int64_t *acc, const uint8_t *const src[4], size_t rows,
				    size_t cube_rows, size_t atoms, size_t stride, bool first)
{
	for (size_t m0 = 0; m0 < rows; m0 += 4)
		for (size_t s = 0; s < atoms; s++) {
			const size_t line = (s * cube_rows + m0) * ROCKET_ATOM_BYTES;

			for (unsigned i = 0; i < 4; i++)
				__builtin_prefetch(src[i] + line + ROCKET_AHEAD_BYTES);
			for (size_t m = m0; m < rows && m < m0 + 4; m++) {
				const size_t at = line + (m - m0) * ROCKET_ATOM_BYTES;
				int64_t *to = acc + m * stride + s * 4;
				rocket_s64x4 wide[4], total = { 0 };

				for (unsigned i = 0; i < 4; i++) {
					rocket_s32x4 x;

					memcpy(&x, src[i] + at, sizeof(x));
					wide[i] = __builtin_convertvector(x, rocket_s64x4);
				}
				if (!first)
					memcpy(&total, to, sizeof(total));
				total += (((wide[0] << 8) + wide[1] + wide[2]) << 8) + wide[3];
				memcpy(to, &total, sizeof(total));
			}
		}
}

/* ---- conversions ---- */

ROCKET_INLINE void rocket_narrow_doubles(float *dst, const double *src, size_t count)
{
	size_t i = 0;

	for (; i + 4 <= count; i += 4) {
		rocket_f64x4 wide;
		rocket_f32x4 narrow;

		memcpy(&wide, src + i, sizeof(wide));
		narrow = __builtin_convertvector(wide, rocket_f32x4);
		memcpy(dst + i, &narrow, sizeof(narrow));
	}
	for (; i < count; i++)
		dst[i] = (float)src[i];
}

/* The largest operand that has a high byte. */
#define ROCKET_INT16_SPLIT_MAX 32639

/* int16 as 256 * high + low, both int8: what carries from the low byte is in the high one. */
ROCKET_INLINE bool rocket_split_int16(void *high, void *low, const void *src, size_t count)
{
	const int16_t *from = src;
	int8_t *up = high, *down = low;
	bool fits = true;
	size_t i = 0;

	for (; i + 8 <= count; i += 8) {
		rocket_s16x8 v, above;
		rocket_s8x8 bytes;

		memcpy(&v, from + i, sizeof(v));
		above = v > ROCKET_INT16_SPLIT_MAX;
		v = (v & ~above) | (above & ROCKET_INT16_SPLIT_MAX);
		bytes = __builtin_convertvector((v + 128) >> 8, rocket_s8x8);
		memcpy(up + i, &bytes, sizeof(bytes));
		bytes = __builtin_convertvector(v, rocket_s8x8);
		memcpy(down + i, &bytes, sizeof(bytes));
		for (unsigned lane = 0; lane < 8; lane++)
			fits &= !above[lane];
	}
	for (; i < count; i++) {
		const int v = from[i] < ROCKET_INT16_SPLIT_MAX ? from[i] : ROCKET_INT16_SPLIT_MAX;

		fits &= v == from[i];
		up[i] = (int8_t)((v + 128) >> 8);
		down[i] = (int8_t)v;
	}
	return fits;
}

/* ---- the functions of a table ---- */

/* first as a constant, so that each is a loop of its own. */
#define ROCKET_SUM_OF(set, attributes, loop, name, element, arguments, ...)                        \
	attributes static void set##_add_##name(element *acc, const uint8_t *src, size_t rows,     \
						size_t cube_rows, size_t atoms, size_t stride,     \
						bool first, ##__VA_ARGS__)                         \
	{                                                                                          \
		if (first)                                                                         \
			loop(acc, src, rows, cube_rows, atoms, stride,                             \
			     true ROCKET_ARGUMENTS arguments);                                     \
		else                                                                               \
			loop(acc, src, rows, cube_rows, atoms, stride,                             \
			     false ROCKET_ARGUMENTS arguments);                                    \
	}
#define ROCKET_ARGUMENTS(...) __VA_ARGS__

#define ROCKET_BYTES_OF(set, attributes, loop)                                                     \
	attributes static void set##_add_bytes(int64_t *acc, const uint8_t *const src[4],          \
					       size_t rows, size_t cube_rows, size_t atoms,        \
					       size_t stride, bool first)                          \
	{                                                                                          \
		if (first)                                                                         \
			loop(acc, src, rows, cube_rows, atoms, stride, true);                      \
		else                                                                               \
			loop(acc, src, rows, cube_rows, atoms, stride, false);                     \
	}

/* All that have no form of their own in the set. */
#define ROCKET_LOOPS(set, attributes)                                                              \
	ROCKET_SUM_OF(set, attributes, rocket_sum_fp32, fp32, double, ())                          \
	ROCKET_SUM_OF(set, attributes, rocket_sum_int32, int32, int32_t, ())                       \
	ROCKET_SUM_OF(set, attributes, rocket_sum_int16, int16, int32_t, ())                       \
	ROCKET_SUM_OF(set, attributes, rocket_sum_scaled_int32, scaled_int32, float,               \
		      (, row, column), const float *row, const float *column)                      \
	ROCKET_SUM_OF(set, attributes, rocket_sum_scaled_int16, scaled_int16, float,               \
		      (, row, column), const float *row, const float *column)                      \
	ROCKET_BYTES_OF(set, attributes, rocket_sum_bytes)                                         \
	attributes static void set##_double_to_float(float *dst, const double *src, size_t count)  \
	{                                                                                          \
		rocket_narrow_doubles(dst, src, count);                                            \
	}

/* What they are called in the table. */
#define ROCKET_LOOPS_TABLE(set)                                                                    \
	.add_fp16 = set##_add_fp16, .add_fp32 = set##_add_fp32, .add_int32 = set##_add_int32,      \
	.add_int16 = set##_add_int16, .add_bytes = set##_add_bytes,                                \
	.add_scaled_int32 = set##_add_scaled_int32, .add_scaled_int16 = set##_add_scaled_int16,    \
	.double_to_float = set##_double_to_float

#endif

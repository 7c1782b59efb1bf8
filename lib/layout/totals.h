/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * totals.h - the sums of tiles that follow each other in k, into C in one pass.
 *
 * Squares of four rows and one line of C stay in registers while the cubes are gone through, so
 * nothing but results is read and nothing but C is written. The words are the same for every
 * instruction set; who includes this has defined, for its own:
 *
 *   TARGET                 the attributes of a function
 *   pair(&v, a, b)         the atoms at a and b
 *   widen16(&v, a)         the atom at a, 16-bit lanes, sign-extended
 *   put(to, &v, stream)    32 bytes, past the caches
 *   fence(stream)          after the last
 */
#include "loops.h"

#define SQUARE_ROWS ROCKET_TOTAL_ROWS
/* Atoms of a row that are gone through before the next rows: each is a stream of reads in each
 * cube, and what is written is in longer pieces if they are many (measured: 16 for one cube or two,
 * else 4, best of 2..16). */
#define WALK_ATOMS(cubes) ((cubes) <= 2 ? 16 : 4)
/* Cubes are fetched some squares ahead. */
#define AHEAD_BYTES (16 * ROCKET_ATOM_BYTES)

#define EACH_ROW(r) _Pragma("GCC unroll 4") for (size_t r = 0; r < SQUARE_ROWS; r++)

/* What a square begins with: m and its first column in bytes. */
#define BEGIN(t, acc, m, at)                                                                       \
	do {                                                                                       \
		const uint8_t *seed = (t)->seed;                                                   \
                                                                                                   \
		if (seed)                                                                          \
			EACH_ROW(r)                                                                \
		memcpy(acc[r], seed + ((m) + r) * (t)->seed_pitch + (at), sizeof(acc[r]));         \
	} while (0)

/* And what it ends with: to is its place in C. */
#define END(t, acc, to)                                                                            \
	do {                                                                                       \
		EACH_ROW(r)                                                                        \
		{                                                                                  \
			put((to) + r * (t)->pitch, &acc[r][0], (t)->stream);                       \
			put((to) + r * (t)->pitch + 32, &acc[r][1], (t)->stream);                  \
		}                                                                                  \
	} while (0)

ROCKET_INLINE void fetch(const uint8_t *from, size_t column, size_t atoms)
{
	for (size_t s = 0; s < atoms; s++)
		__builtin_prefetch(from + s * column + AHEAD_BYTES);
}

TARGET ROCKET_INLINE void square_int32(const struct rocket_total *t, size_t m, size_t s)
{
	const size_t column = t->cube_rows * ROCKET_ATOM_BYTES;
	const size_t at = s * column + m * ROCKET_ATOM_BYTES;
	uint8_t *to = t->dst + m * t->pitch + s * 4 * sizeof(int32_t);
	rocket_u32x8 acc[SQUARE_ROWS][2] = { 0 };

	BEGIN(t, acc, m, s * 4 * sizeof(int32_t));
	for (size_t i = 0; i < t->count; i++) {
		const uint8_t *from = t->cubes[i] + at;

		fetch(from, column, 4);
		EACH_ROW(r)
		{
			const uint8_t *x = from + r * ROCKET_ATOM_BYTES;
			rocket_u32x8 a, b;

			pair(&a, x, x + column);
			pair(&b, x + 2 * column, x + 3 * column);
			acc[r][0] += a;
			acc[r][1] += b;
		}
	}
	END(t, acc, to);
}

TARGET ROCKET_INLINE void square_int16(const struct rocket_total *t, size_t m, size_t s)
{
	const size_t column = t->cube_rows * ROCKET_ATOM_BYTES;
	const size_t at = s * column + m * ROCKET_ATOM_BYTES;
	uint8_t *to = t->dst + m * t->pitch + s * 8 * sizeof(int32_t);
	rocket_u32x8 acc[SQUARE_ROWS][2] = { 0 };

	BEGIN(t, acc, m, s * 8 * sizeof(int32_t));
	for (size_t i = 0; i < t->count; i++) {
		const uint8_t *from = t->cubes[i] + at;

		fetch(from, column, 2);
		EACH_ROW(r)
		{
			const uint8_t *x = from + r * ROCKET_ATOM_BYTES;
			rocket_s32x8 a, b;

			widen16(&a, x);
			widen16(&b, x + column);
			acc[r][0] += (rocket_u32x8)a;
			acc[r][1] += (rocket_u32x8)b;
		}
	}
	END(t, acc, to);
}

/* Scales of one cube, from the square's first row and column on. */
#define SCALED(acc, row, column, value)                                                            \
	do {                                                                                       \
		rocket_f32x8 scale;                                                                \
                                                                                                   \
		memcpy(&scale, column, sizeof(scale));                                             \
		acc += ((row)*scale) * __builtin_convertvector(value, rocket_f32x8);               \
	} while (0)

TARGET ROCKET_INLINE void square_scaled_int32(const struct rocket_total *t, size_t m, size_t s)
{
	const size_t column = t->cube_rows * ROCKET_ATOM_BYTES;
	const size_t at = s * column + m * ROCKET_ATOM_BYTES;
	const float *rows = t->row + m, *columns = t->column + s * 4;
	uint8_t *to = t->dst + m * t->pitch + s * 4 * sizeof(float);
	rocket_f32x8 acc[SQUARE_ROWS][2] = { 0 };

	BEGIN(t, acc, m, s * 4 * sizeof(float));
	for (size_t i = 0; i < t->count; i++, rows += t->row_step, columns += t->column_step) {
		const uint8_t *from = t->cubes[i] + at;

		fetch(from, column, 4);
		EACH_ROW(r)
		{
			const uint8_t *x = from + r * ROCKET_ATOM_BYTES;
			rocket_u32x8 a, b;

			pair(&a, x, x + column);
			pair(&b, x + 2 * column, x + 3 * column);
			SCALED(acc[r][0], rows[r], columns, (rocket_s32x8)a);
			SCALED(acc[r][1], rows[r], columns + 8, (rocket_s32x8)b);
		}
	}
	END(t, acc, to);
}

TARGET ROCKET_INLINE void square_scaled_int16(const struct rocket_total *t, size_t m, size_t s)
{
	const size_t column = t->cube_rows * ROCKET_ATOM_BYTES;
	const size_t at = s * column + m * ROCKET_ATOM_BYTES;
	const float *rows = t->row + m, *columns = t->column + s * 8;
	uint8_t *to = t->dst + m * t->pitch + s * 8 * sizeof(float);
	rocket_f32x8 acc[SQUARE_ROWS][2] = { 0 };

	BEGIN(t, acc, m, s * 8 * sizeof(float));
	for (size_t i = 0; i < t->count; i++, rows += t->row_step, columns += t->column_step) {
		const uint8_t *from = t->cubes[i] + at;

		fetch(from, column, 2);
		EACH_ROW(r)
		{
			const uint8_t *x = from + r * ROCKET_ATOM_BYTES;
			rocket_s32x8 a, b;

			widen16(&a, x);
			widen16(&b, x + column);
			SCALED(acc[r][0], rows[r], columns, a);
			SCALED(acc[r][1], rows[r], columns + 8, b);
		}
	}
	END(t, acc, to);
}

#define TOTAL(name, square_atoms)                                                                  \
	TARGET static void total_##name(const struct rocket_total *t)                              \
	{                                                                                          \
		const size_t walk = WALK_ATOMS(t->count);                                          \
                                                                                                   \
		for (size_t s0 = 0; s0 < t->atoms; s0 += walk)                                     \
			for (size_t m = 0; m < t->rows; m += SQUARE_ROWS)                          \
				for (size_t s = s0; s < t->atoms && s < s0 + walk;                 \
				     s += (square_atoms))                                          \
					square_##name(t, m, s);                                    \
		fence(t->stream);                                                                  \
	}

TOTAL(int32, 4)
TOTAL(int16, 2)
TOTAL(scaled_int32, 4)
TOTAL(scaled_int16, 2)

#define TOTALS_TABLE                                                                               \
	.total_int32 = total_int32, .total_int16 = total_int16,                                    \
	.total_scaled_int32 = total_scaled_int32, .total_scaled_int16 = total_scaled_int16

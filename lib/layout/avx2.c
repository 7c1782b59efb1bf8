// SPDX-License-Identifier: LGPL-2.1-or-later
/* avx2.c - the layout loops that AVX2 and F16C speed up. */
#include "kernels.h"

#if defined(__x86_64__) || defined(__i386__)

#include <immintrin.h>

#include "block.h"
#include "half.h"
#include "loops.h"

#define AVX2 __attribute__((target("avx2,f16c")))

/* ---- moves ---- */

/*
 * Streamed moves write whole lines past the caches, which then need not be read first, and fetch
 * what they read some rows ahead: the stride is too long for the CPU to find by itself. Columns of
 * a cube are often 4096 bytes apart, so no more of them at once than the first-level cache has
 * places for (measured: 16 atoms best of 4..32, 16 rows best of 0..32).
 */
#define LINE       64
#define AHEAD_ROWS 16

#define STREAM(to, v) _mm_stream_si128((__m128i *)(void *)(to), v)
#define LOAD(from)    _mm_loadu_si128((const __m128i *)(const void *)(from))

static inline bool in_lines(const void *p, size_t stride)
{
	return (uintptr_t)p % LINE == 0 && stride % LINE == 0;
}

/* Four rows of four atoms: four lines of rows to four lines of columns, or the way back. */
AVX2 static inline void stream_square(uint8_t *to, size_t to_line, const uint8_t *from,
				      size_t from_line)
{
#pragma GCC unroll 4
	for (size_t line = 0; line < 4; line++) {
		const uint8_t *at = from + line * ROCKET_ATOM_BYTES;
		const __m128i a = LOAD(at), b = LOAD(at + from_line);
		const __m128i c = LOAD(at + 2 * from_line), d = LOAD(at + 3 * from_line);

		STREAM(to + line * to_line, a);
		STREAM(to + line * to_line + 16, b);
		STREAM(to + line * to_line + 32, c);
		STREAM(to + line * to_line + 48, d);
	}
}

AVX2 static void avx2_rows_to_cube(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
				   size_t atoms, size_t pitch, bool stream)
{
	const size_t column = cube_rows * ROCKET_ATOM_BYTES;
	const size_t whole_rows = rows / 4 * 4, whole = atoms / 4 * 4;

	if (!stream || !in_lines(dst, column)) {
		rocket_portable_rows_to_cube(dst, src, rows, cube_rows, atoms, pitch, false);
		return;
	}
	for (size_t s0 = 0; s0 < whole; s0 += ROCKET_BLOCK_ATOMS)
		for (size_t m = 0; m < whole_rows; m += 4)
			for (size_t s = s0; s < whole && s < s0 + ROCKET_BLOCK_ATOMS; s += 4) {
				const uint8_t *from = src + m * pitch + s * ROCKET_ATOM_BYTES;

#pragma GCC unroll 4
				for (size_t i = 0; i < 4; i++)
					_mm_prefetch((const char *)from + (i + AHEAD_ROWS) * pitch,
						     _MM_HINT_T0);
				stream_square(dst + s * column + m * ROCKET_ATOM_BYTES, column,
					      from, pitch);
			}
	_mm_sfence();
	rocket_portable_rows_to_cube(dst + whole * column, src + whole * ROCKET_ATOM_BYTES,
				     whole_rows, cube_rows, atoms - whole, pitch, false);
	rocket_portable_rows_to_cube(dst + whole_rows * ROCKET_ATOM_BYTES, src + whole_rows * pitch,
				     rows - whole_rows, cube_rows, atoms, pitch, false);
}

AVX2 static void avx2_cube_to_rows(uint8_t *dst, const uint8_t *src, size_t rows, size_t cube_rows,
				   size_t atoms, size_t pitch, bool stream)
{
	const size_t column = cube_rows * ROCKET_ATOM_BYTES, whole_rows = rows / 4 * 4;
	/* Up to where a line of dst begins, lines, and what is left of the last one. */
	size_t head = (LINE - (uintptr_t)dst % LINE) % LINE / ROCKET_ATOM_BYTES, whole;

	if (!stream || (uintptr_t)dst % ROCKET_ATOM_BYTES || pitch % LINE || head > atoms) {
		rocket_portable_cube_to_rows(dst, src, rows, cube_rows, atoms, pitch, false);
		return;
	}
	whole = (atoms - head) / 4 * 4;
	for (size_t s0 = 0; s0 < whole; s0 += ROCKET_BLOCK_ATOMS)
		for (size_t m = 0; m < whole_rows; m += 4)
			for (size_t s = s0; s < whole && s < s0 + ROCKET_BLOCK_ATOMS; s += 4) {
				const uint8_t *from =
					src + (head + s) * column + m * ROCKET_ATOM_BYTES;

#pragma GCC unroll 4
				for (size_t i = 0; i < 4; i++)
					_mm_prefetch((const char *)from + i * column +
							     AHEAD_ROWS * ROCKET_ATOM_BYTES,
						     _MM_HINT_T0);
				stream_square(dst + m * pitch + (head + s) * ROCKET_ATOM_BYTES,
					      pitch, from, column);
			}
	_mm_sfence();
	rocket_portable_cube_to_rows(dst, src, whole_rows, cube_rows, head, pitch, false);
	rocket_portable_cube_to_rows(dst + (head + whole) * ROCKET_ATOM_BYTES,
				     src + (head + whole) * column, whole_rows, cube_rows,
				     atoms - head - whole, pitch, false);
	rocket_portable_cube_to_rows(dst + whole_rows * pitch, src + whole_rows * ROCKET_ATOM_BYTES,
				     rows - whole_rows, cube_rows, atoms, pitch, false);
}

/* Lines of a row at once, and how far ahead it is fetched. */
#define RUN_BYTES  ((size_t)4 * LINE)
#define AHEAD_RUNS 512

/* A line of runs: of one row, of two or of four, of which each has what is at from. */
AVX2 ROCKET_INLINE void stream_runs(uint8_t *to, const uint8_t *from, size_t run, size_t pitch)
{
	for (size_t i = 0; i < LINE; i += 16)
		STREAM(to + i, LOAD(from + i / run * pitch + i % run));
}

/* run is a constant where it is inlined: a divisor of LINE, as `rows` is a multiple of the rows
 * that share a line. */
AVX2 ROCKET_INLINE void rows_to_lines(uint8_t *dst, const uint8_t *src, size_t rows, size_t run,
				      size_t bytes, size_t pitch)
{
	const size_t together = LINE / run;

	for (size_t at = 0; at < bytes; at += RUN_BYTES) {
		const size_t width = bytes - at < RUN_BYTES ? bytes - at : RUN_BYTES;

		for (size_t m = 0; m < rows; m += together) {
			const uint8_t *from = src + m * pitch + at;
			uint8_t *to = dst + at * rows + m * run;

			for (size_t row = 0; row < together; row++)
				for (size_t i = 0; i < RUN_BYTES; i += LINE)
					_mm_prefetch((const char *)from + row * pitch + AHEAD_RUNS +
							     i,
						     _MM_HINT_T0);
			for (size_t i = 0; i < width; i += run, to += rows * run)
				stream_runs(to, from + i, run, pitch);
		}
	}
	_mm_sfence();
}

AVX2 static void avx2_rows_to_runs(uint8_t *dst, const uint8_t *src, size_t rows, size_t run,
				   size_t bytes, size_t pitch, bool stream)
{
	const bool lines = stream && in_lines(dst, rows * run) && bytes % run == 0;

	if (lines && run == 64)
		rows_to_lines(dst, src, rows, 64, bytes, pitch);
	else if (lines && run == 32)
		rows_to_lines(dst, src, rows, 32, bytes, pitch);
	else if (lines && run == 16)
		rows_to_lines(dst, src, rows, 16, bytes, pitch);
	else
		rocket_portable_rows_to_runs(dst, src, rows, run, bytes, pitch, false);
}

#define STREAM32(to, from)                                                                         \
	_mm256_stream_si256((__m256i *)(void *)(to),                                               \
			    _mm256_loadu_si256((const __m256i *)(const void *)(from)))

AVX2 static void avx2_copy_rows(uint8_t *dst, size_t dst_pitch, const uint8_t *src,
				size_t src_pitch, size_t rows, size_t bytes, bool stream)
{
	/* What is left of a line where dst begins, lines, and the rest. */
	const size_t to_line = (LINE - (uintptr_t)dst % LINE) % LINE;
	const size_t head = to_line < bytes ? to_line : bytes;
	const size_t end = head + (bytes - head) / LINE * LINE;

	if (!stream || dst_pitch % LINE) {
		rocket_portable_copy_rows(dst, dst_pitch, src, src_pitch, rows, bytes, false);
		return;
	}
	for (size_t m = 0; m < rows; m++, dst += dst_pitch, src += src_pitch) {
		memcpy(dst, src, head);
		for (size_t i = head; i < end; i += 32)
			STREAM32(dst + i, src + i);
		memcpy(dst + end, src + end, bytes - end);
	}
	_mm_sfence();
}

/* ---- sums and conversions ---- */

/*
 * As ROCKET_SUM() of loops.h, where the compiler finds the conversion of a whole vector in two
 * halves only. TERM makes a term of the atom at `from`; `first` is a constant where it is inlined.
 */
#define SUM(name, element, lanes, vector, zero, load, add, store, TERM, ...)                       \
	AVX2 ROCKET_INLINE void name(element *acc, const uint8_t *src, size_t rows,                \
				     size_t cube_rows, size_t atoms, size_t stride, bool first,    \
				     ##__VA_ARGS__)                                                \
	{                                                                                          \
		for (size_t m0 = 0; m0 < rows; m0 += 4)                                            \
			for (size_t s = 0; s < atoms; s++) {                                       \
				const uint8_t *from =                                              \
					src + (s * cube_rows + m0) * ROCKET_ATOM_BYTES;            \
				const size_t n = s * (lanes);                                      \
				element *to = acc + m0 * stride + n;                               \
                                                                                                   \
				_mm_prefetch((const char *)from + ROCKET_AHEAD_BYTES,              \
					     _MM_HINT_T0);                                         \
				for (size_t m = m0; m < rows && m < m0 + 4;                        \
				     m++, from += ROCKET_ATOM_BYTES, to += stride) {               \
					vector term = TERM;                                        \
                                                                                                   \
					(void)n;                                                   \
					store(to, add(first ? zero() : load(to), term));           \
				}                                                                  \
			}                                                                          \
	}

#define LOAD_INTS(at)     _mm256_loadu_si256((const __m256i *)(const void *)(at))
#define STORE_INTS(at, v) _mm256_storeu_si256((__m256i *)(void *)(at), v)

SUM(avx2_sum_fp16, float, 8, __m256, _mm256_setzero_ps, _mm256_loadu_ps, _mm256_add_ps,
    _mm256_storeu_ps, _mm256_cvtph_ps(LOAD(from)))
SUM(avx2_sum_fp32, double, 4, __m256d, _mm256_setzero_pd, _mm256_loadu_pd, _mm256_add_pd,
    _mm256_storeu_pd, _mm256_cvtps_pd(_mm_castsi128_ps(LOAD(from))))
SUM(avx2_sum_int16, int32_t, 8, __m256i, _mm256_setzero_si256, LOAD_INTS, _mm256_add_epi32,
    STORE_INTS, _mm256_cvtepi16_epi32(LOAD(from)))
SUM(avx2_sum_scaled_int16, float, 8, __m256, _mm256_setzero_ps, _mm256_loadu_ps, _mm256_add_ps,
    _mm256_storeu_ps,
    _mm256_mul_ps(_mm256_mul_ps(_mm256_set1_ps(row[m]), _mm256_loadu_ps(column + n)),
		  _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(LOAD(from)))),
    const float *row, const float *column)

#define WIDE(from) _mm256_cvtepi32_epi64(LOAD((from) + at))

AVX2 ROCKET_INLINE void avx2_sum_bytes(int64_t *acc, const uint8_t *const src[4], size_t rows,
				       size_t cube_rows, size_t atoms, size_t stride, bool first)
{
	/* Else they are read anew after every store. */
	const uint8_t *high_cube = src[0], *middle_a = src[1];
	const uint8_t *middle_b = src[2], *low_cube = src[3];

	for (size_t m0 = 0; m0 < rows; m0 += 4)
		for (size_t s = 0; s < atoms; s++) {
			size_t at = (s * cube_rows + m0) * ROCKET_ATOM_BYTES;
			int64_t *to = acc + m0 * stride + s * 4;

			for (unsigned i = 0; i < 4; i++)
				_mm_prefetch((const char *)src[i] + at + ROCKET_AHEAD_BYTES,
					     _MM_HINT_T0);
			for (size_t m = m0; m < rows && m < m0 + 4;
			     m++, at += ROCKET_ATOM_BYTES, to += stride) {
				const __m256i middle =
					_mm256_add_epi64(WIDE(middle_a), WIDE(middle_b));
				const __m256i high = _mm256_add_epi64(
					_mm256_slli_epi64(WIDE(high_cube), 8), middle);
				const __m256i sum = _mm256_add_epi64(_mm256_slli_epi64(high, 8),
								     WIDE(low_cube));

				STORE_INTS(to, first ? sum : _mm256_add_epi64(LOAD_INTS(to), sum));
			}
		}
}

#define TARGET AVX2

AVX2 ROCKET_INLINE void pair(rocket_u32x8 *v, const uint8_t *a, const uint8_t *b)
{
	*v = (rocket_u32x8)_mm256_inserti128_si256(_mm256_castsi128_si256(LOAD(a)), LOAD(b), 1);
}

AVX2 ROCKET_INLINE void widen16(rocket_s32x8 *v, const uint8_t *a)
{
	*v = (rocket_s32x8)_mm256_cvtepi16_epi32(LOAD(a));
}

AVX2 ROCKET_INLINE void put(uint8_t *to, const void *v, bool stream)
{
	if (stream)
		STREAM32(to, v);
	else
		STORE_INTS(to, LOAD_INTS(v));
}

ROCKET_INLINE void fence(bool stream)
{
	if (stream)
		_mm_sfence();
}

#include "totals.h"

AVX2 static void avx2_half_to_float(float *dst, const uint16_t *src, size_t count)
{
	size_t i = 0;

	for (; i + 8 <= count; i += 8)
		_mm256_storeu_ps(dst + i,
				 _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(src + i))));
	for (; i < count; i++)
		dst[i] = rocket_half_to_float(src[i]);
}

AVX2 static void avx2_float_to_half(uint16_t *dst, const float *src, size_t count)
{
	size_t i = 0;

	for (; i + 8 <= count; i += 8)
		_mm_storeu_si128((__m128i *)(dst + i),
				 _mm256_cvtps_ph(_mm256_loadu_ps(src + i),
						 _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
	for (; i < count; i++)
		dst[i] = rocket_float_to_half(src[i]);
}

/* The upper halves; a NaN whose payload is cut off stays one. */
AVX2 static inline __m256i upper_halves(const uint8_t *from)
{
	const __m256i bits = _mm256_loadu_si256((const __m256i *)(const void *)from);
	const __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi32(0x7fffffff));
	const __m256i nan = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7f800000));
	const __m256i cut = _mm256_cmpgt_epi32(_mm256_set1_epi32(0x7f810000), magnitude);
	const __m256i quiet = _mm256_and_si256(_mm256_and_si256(nan, cut), _mm256_set1_epi32(0x40));

	return _mm256_or_si256(_mm256_srli_epi32(bits, 16), quiet);
}

AVX2 static bool avx2_to_bf16(void *dst, const void *src, size_t count)
{
	const uint8_t *from = src;
	uint8_t *to = dst;
	size_t i = 0;

	for (; i + 16 <= count; i += 16) {
		const __m256i v = _mm256_packus_epi32(upper_halves(from + 4 * i),
						      upper_halves(from + 4 * i + 32));

		_mm256_storeu_si256((__m256i *)(void *)(to + 2 * i),
				    _mm256_permute4x64_epi64(v, 0xd8));
	}
	return rocket_layout_portable.to_bf16(to + 2 * i, from + 4 * i, count - i);
}

AVX2 static bool avx2_to_int4(void *dst, const void *src, size_t count)
{
	const __m256i eight = _mm256_set1_epi8(8), low = _mm256_set1_epi8(15);
	const __m256i weights = _mm256_set1_epi16(0x1001); /* 1 and 16 */
	__m256i outside = _mm256_setzero_si256();
	const uint8_t *from = src;
	uint8_t *to = dst;

	for (size_t i = 0; i < count; i += 32) {
		const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(from + i));
		const __m256i pairs = _mm256_maddubs_epi16(_mm256_and_si256(v, low), weights);
		const __m256i bytes = _mm256_permute4x64_epi64(
			_mm256_packus_epi16(pairs, _mm256_setzero_si256()), 0x08);

		/* -8..7 plus 8 has no bit above the fourth. */
		outside = _mm256_or_si256(outside, _mm256_add_epi8(v, eight));
		_mm_storeu_si128((__m128i *)(void *)(to + i / 2), _mm256_castsi256_si128(bytes));
	}
	return _mm256_testz_si256(outside, _mm256_set1_epi8((char)0xf0));
}

/* Packing takes 16 bits to 8 in lanes of 128. */
#define IN_ORDER(v) _mm256_permute4x64_epi64(v, 0xd8)

AVX2 static bool avx2_split_int16(void *high, void *low, const void *src, size_t count)
{
	const __m256i most = _mm256_set1_epi16(ROCKET_INT16_SPLIT_MAX);
	const __m256i carry = _mm256_set1_epi16(128), byte = _mm256_set1_epi16(255);
	__m256i outside = _mm256_setzero_si256();
	const int16_t *from = src;
	int8_t *up = high, *down = low;
	size_t i = 0;
	bool rest;

	for (; i + 32 <= count; i += 32) {
		const __m256i a = LOAD_INTS(from + i), b = LOAD_INTS(from + i + 16);
		const __m256i x = _mm256_min_epi16(a, most), y = _mm256_min_epi16(b, most);
		const __m256i x_high = _mm256_srai_epi16(_mm256_add_epi16(x, carry), 8);
		const __m256i y_high = _mm256_srai_epi16(_mm256_add_epi16(y, carry), 8);

		outside = _mm256_or_si256(outside, _mm256_or_si256(_mm256_cmpgt_epi16(a, most),
								   _mm256_cmpgt_epi16(b, most)));
		STORE_INTS(up + i, IN_ORDER(_mm256_packs_epi16(x_high, y_high)));
		STORE_INTS(down + i, IN_ORDER(_mm256_packus_epi16(_mm256_and_si256(x, byte),
								  _mm256_and_si256(y, byte))));
	}
	rest = rocket_layout_portable.split_int16(up + i, down + i, from + i, count - i);
	return rest && _mm256_testz_si256(outside, outside);
}

AVX2 static void avx2_double_to_float(float *dst, const double *src, size_t count)
{
	size_t i = 0;

	for (; i + 4 <= count; i += 4)
		_mm_storeu_ps(dst + i, _mm256_cvtpd_ps(_mm256_loadu_pd(src + i)));
	for (; i < count; i++)
		dst[i] = (float)src[i];
}

ROCKET_SUM_OF(avx2, AVX2, avx2_sum_fp16, fp16, float, ())
ROCKET_SUM_OF(avx2, AVX2, avx2_sum_fp32, fp32, double, ())
ROCKET_SUM_OF(avx2, AVX2, rocket_sum_int32, int32, int32_t, ())
ROCKET_SUM_OF(avx2, AVX2, avx2_sum_int16, int16, int32_t, ())
ROCKET_SUM_OF(avx2, AVX2, rocket_sum_scaled_int32, scaled_int32, float, (, row, column),
	      const float *row, const float *column)
ROCKET_SUM_OF(avx2, AVX2, avx2_sum_scaled_int16, scaled_int16, float, (, row, column),
	      const float *row, const float *column)
ROCKET_BYTES_OF(avx2, AVX2, avx2_sum_bytes)

const struct rocket_layout_kernels rocket_layout_avx2 = {
	.name = "avx2",
	.rows_to_cube = avx2_rows_to_cube,
	.cube_to_rows = avx2_cube_to_rows,
	.rows_to_runs = avx2_rows_to_runs,
	.half_to_float = avx2_half_to_float,
	.float_to_half = avx2_float_to_half,
	.to_bf16 = avx2_to_bf16,
	.to_int4 = avx2_to_int4,
	.split_int16 = avx2_split_int16,
	.copy_rows = avx2_copy_rows,
	ROCKET_LOOPS_TABLE(avx2),
	TOTALS_TABLE,
};

#endif

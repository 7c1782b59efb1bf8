// SPDX-License-Identifier: LGPL-2.1-or-later
/* mac_float_avx2.c - mac_float.c with 256-bit vectors; the same bits. */
#include "sim/npu/cpu.h"
#include "sim/npu/mac_float.h"

#if CPU_X86

#include "sim/npu/transpose_avx2.h"

#define VECTOR __attribute__((target("avx2,fma,f16c")))

/* range_of_field() of eight halves. */
VECTOR static inline __m256i ranges_of(__m128i half)
{
	__m256i h = _mm256_cvtepu16_epi32(_mm_and_si128(half, _mm_set1_epi16(0x7fff)));
	__m256i e = _mm256_max_epi32(_mm256_srli_epi32(h, 10), _mm256_set1_epi32(1));
	__m256i low = _mm256_slli_epi32(_mm256_sub_epi32(_mm256_set1_epi32(255), e), 8);
	__m256i nonfinite = _mm256_cmpeq_epi32(e, _mm256_set1_epi32(31));
	__m256i range = _mm256_blendv_epi8(_mm256_or_si256(e, low),
					   _mm256_set1_epi32(RANGE_NONFINITE), nonfinite);

	return _mm256_andnot_si256(_mm256_cmpeq_epi32(h, _mm256_setzero_si256()), range);
}

/* Ranges join bytewise. */
VECTOR static inline uint32_t join_lanes(__m256i v)
{
	__m128i x = _mm_max_epu8(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));

	x = _mm_max_epu8(x, _mm_srli_si128(x, 8));
	x = _mm_max_epu8(x, _mm_srli_si128(x, 4));
	return (uint32_t)_mm_cvtsi128_si32(x);
}

VECTOR static inline void store_doubles(double *to, __m128i half)
{
	__m256 f = _mm256_cvtph_ps(half);

	_mm256_storeu_pd(to, _mm256_cvtps_pd(_mm256_castps256_ps128(f)));
	_mm256_storeu_pd(to + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(f, 1)));
}

VECTOR void fp16_unpack_avx2(const uint8_t *src, unsigned n, void *dst, size_t pitch,
			     uint32_t *ranges)
{
	uint8_t *row = dst;

	for (unsigned i = 0; i < n; i++, src += 16, row += pitch) {
		__m128i half = _mm_loadu_si128((const __m128i *)src);

		store_doubles((double *)row, half);
		ranges[i] = range_join(ranges[i], join_lanes(ranges_of(half)));
	}
}

VECTOR uint32_t fp16_pack_avx2(const uint8_t *src, unsigned rows, unsigned depth, void *tile)
{
	double *to = tile;
	__m256i range = _mm256_setzero_si256();

	for (unsigned k = 0; k < 32; k += 8) {
		__m128i v[8];

		for (unsigned r = 0; r < 8; r++) {
			v[r] = _mm_setzero_si128();
			if (r < rows && k < depth)
				v[r] = _mm_loadu_si128(
					(const __m128i *)(src + 2 * (r * depth + k)));
			range = _mm256_max_epu8(range, ranges_of(v[r]));
		}
		transpose8(v);
		for (unsigned i = 0; i < 8; i++, to += FLOAT_PANEL)
			store_doubles(to, v[i]);
	}
	return join_lanes(range);
}

VECTOR static inline void add_to_acc(float *acc, __m256d lo, __m256d hi)
{
	__m256 sum = _mm256_set_m128(_mm256_cvtpd_ps(hi), _mm256_cvtpd_ps(lo));

	_mm256_storeu_ps(acc, _mm256_add_ps(_mm256_loadu_ps(acc), sum));
}

#define ROWS_1(X) X(0)
#define ROWS_2(X) ROWS_1(X) X(1)
#define ROWS_4(X) ROWS_2(X) X(2) X(3)
#define ROWS_6(X) ROWS_4(X) X(4) X(5)

#define ROW_BEGIN(r)                                                                               \
	const double *a##r = rows[r];                                                              \
	__m256d lo##r = _mm256_setzero_pd();                                                       \
	__m256d hi##r = _mm256_setzero_pd();
#define ROW_STEP(r)                                                                                \
	x = _mm256_broadcast_sd(a##r + k);                                                         \
	lo##r = _mm256_fmadd_pd(x, w_lo, lo##r);                                                   \
	hi##r = _mm256_fmadd_pd(x, w_hi, hi##r);
#define ROW_END(r) add_to_acc(acc + (r)*ld, lo##r, hi##r);

/* n rows of one group, whose sums fit. */
#define GROUP_ROWS(n)                                                                              \
	VECTOR static void group_rows_##n(const void *const *rows, const double *w,                \
					  unsigned group, float *acc, size_t ld)                   \
	{                                                                                          \
		ROWS_##n(ROW_BEGIN);                                                               \
		for (unsigned k = 0; k < group; k++, w += FLOAT_PANEL) {                           \
			__m256d w_lo = _mm256_load_pd(w), w_hi = _mm256_load_pd(w + 4), x;         \
			ROWS_##n(ROW_STEP);                                                        \
		}                                                                                  \
		ROWS_##n(ROW_END);                                                                 \
	}

GROUP_ROWS(1)
GROUP_ROWS(2)
GROUP_ROWS(4)
GROUP_ROWS(6)

typedef void group_fn(const void *const *rows, const double *w, unsigned group, float *acc,
		      size_t ld);

/* The largest function that n rows fill. */
static const struct {
	unsigned rows;
	group_fn *fn;
} groups_of[FLOAT_ROWS + 1] = {
	[1] = { 1, group_rows_1 }, [2] = { 2, group_rows_2 }, [3] = { 2, group_rows_2 },
	[4] = { 4, group_rows_4 }, [5] = { 4, group_rows_4 }, [6] = { 6, group_rows_6 },
};

/* hi + lo rounded to odd, see sum_to_odd() in mac_float.c. */
VECTOR static inline __m256d sum_to_odd(__m256d hi, __m256d lo)
{
	__m256d s = _mm256_add_pd(hi, lo), t = _mm256_sub_pd(s, hi);
	__m256d error = _mm256_add_pd(_mm256_sub_pd(hi, _mm256_sub_pd(s, t)), _mm256_sub_pd(lo, t));
	__m256i u = _mm256_castpd_si256(s), zero = _mm256_setzero_si256();
	__m256i one = _mm256_set1_epi64x(1);
	__m256i even = _mm256_cmpeq_epi64(_mm256_and_si256(u, one), zero);
	__m256i inexact =
		_mm256_castpd_si256(_mm256_cmp_pd(error, _mm256_setzero_pd(), _CMP_NEQ_OQ));
	__m256i opposed = _mm256_cmpgt_epi64(zero, _mm256_castpd_si256(_mm256_xor_pd(error, s)));
	__m256i step = _mm256_or_si256(opposed, one);

	step = _mm256_and_si256(step, _mm256_and_si256(even, inexact));
	return _mm256_castsi256_pd(_mm256_add_epi64(u, step));
}

/* fp16_group_sum() of a panel, operands finite. */
VECTOR static void split_row(const double *a, const double *w, float *acc)
{
	const __m256d cut = _mm256_set1_pd(FP16_CUT);
	__m256d hi[2] = { _mm256_setzero_pd(), _mm256_setzero_pd() };
	__m256d lo[2] = { _mm256_setzero_pd(), _mm256_setzero_pd() };

	for (unsigned k = 0; k < 32; k++, w += FLOAT_PANEL) {
		__m256d x = _mm256_broadcast_sd(a + k);

		for (unsigned i = 0; i < 2; i++) {
			__m256d product = _mm256_mul_pd(x, _mm256_load_pd(w + 4 * i));
			__m256d high = _mm256_sub_pd(_mm256_add_pd(product, cut), cut);

			hi[i] = _mm256_add_pd(hi[i], high);
			lo[i] = _mm256_add_pd(lo[i], _mm256_sub_pd(product, high));
		}
	}
	add_to_acc(acc, sum_to_odd(hi[0], lo[0]), sum_to_odd(hi[1], lo[1]));
}

void float_block_avx2(const struct mac_block *b)
{
	bool half = b->mac->sum == fp16_group_sum;

	for (unsigned g = 0; g < b->groups; g++) {
		const void *const *rows = b->rows + g * FLOAT_ROWS;
		const double *w = (const double *)(b->panel + g * float_tile(b->mac));
		bool fits = float_sum_fits(b->mac, b->row_spread[g], b->panel_spread[g]);
		bool finite = !((b->row_spread[g] | b->panel_spread[g]) & SPREAD_NONFINITE);

		for (unsigned r = 0, n; r < b->n_rows; r += n) {
			float *acc = (float *)b->acc + r * b->ld;

			n = 1;
			if (fits) {
				n = groups_of[b->n_rows - r].rows;
				groups_of[b->n_rows - r].fn(rows + r, w, b->mac->group, acc, b->ld);
			} else if (half && finite) {
				split_row(rows[r], w, acc);
			} else {
				float_add_exact(b, g, r);
			}
		}
	}
}

#endif

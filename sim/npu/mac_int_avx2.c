// SPDX-License-Identifier: LGPL-2.1-or-later
/* mac_int_avx2.c - mac_int.c with 256-bit vectors; the same bits. */
#include "sim/npu/cpu.h"
#include "sim/npu/mac_int.h"

#include <string.h>

#if CPU_X86

#include "sim/npu/transpose_avx2.h"

#define VECTOR __attribute__((target("avx2")))

VECTOR void int8_unpack_avx2(const uint8_t *src, unsigned n, void *dst, size_t pitch,
			     uint32_t *ranges)
{
	uint8_t *row = dst;

	(void)ranges;
	for (unsigned i = 0; i < n; i++, src += 16, row += pitch)
		_mm256_storeu_si256((__m256i *)row,
				    _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)src)));
}

VECTOR uint32_t int8_pack_avx2(const uint8_t *src, unsigned rows, unsigned depth, void *tile)
{
	int16_t *to = tile;

	/* A pair of channels is one unit of 16 bits; eight kernels by eight pairs at a time. */
	for (unsigned k = 0; k < INT_GROUP; k += 16)
		for (unsigned half = 0; half < INT_PANEL; half += 8) {
			__m128i v[8];

			for (unsigned r = 0; r < 8; r++) {
				v[r] = _mm_setzero_si128();
				if (half + r < rows && k < depth)
					v[r] = _mm_loadu_si128(
						(const __m128i *)(src + (half + r) * depth + k));
			}
			transpose8(v);
			for (unsigned i = 0; i < 8; i++)
				_mm256_store_si256(
					(__m256i *)(to + ((k / 2 + i) * INT_PANEL + half) * 2),
					_mm256_cvtepi8_epi16(v[i]));
		}
	return 0;
}

static inline int32_t pair(const int16_t *channels)
{
	int32_t both;

	memcpy(&both, channels, sizeof(both));
	return both;
}

#define ROWS_1(X) X(0)
#define ROWS_2(X) ROWS_1(X) X(1)
#define ROWS_4(X) ROWS_2(X) X(2) X(3)
#define ROWS_6(X) ROWS_4(X) X(4) X(5)

#define ROW_BEGIN(r)                                                                               \
	__m256i lo##r = _mm256_setzero_si256();                                                    \
	__m256i hi##r = _mm256_setzero_si256();
#define ROW_GROUP(r) const int16_t *a##r = rows[r];
#define ROW_STEP(r)                                                                                \
	x = _mm256_set1_epi32(pair(a##r + k));                                                     \
	lo##r = _mm256_add_epi32(lo##r, _mm256_madd_epi16(x, w_lo));                               \
	hi##r = _mm256_add_epi32(hi##r, _mm256_madd_epi16(x, w_hi));
#define ROW_END(r) add_to_acc(acc + (r)*b->ld, lo##r, hi##r);

VECTOR static inline void add_to_acc(int32_t *acc, __m256i lo, __m256i hi)
{
	__m256i *v = (__m256i *)acc;

	_mm256_storeu_si256(v, _mm256_add_epi32(_mm256_loadu_si256(v), lo));
	_mm256_storeu_si256(v + 1, _mm256_add_epi32(_mm256_loadu_si256(v + 1), hi));
}

/* All groups of n rows from first on. */
#define BLOCK_ROWS(n)                                                                              \
	VECTOR static void block_rows_##n(const struct mac_block *b, unsigned first)               \
	{                                                                                          \
		const __m256i *w = (const __m256i *)b->panel;                                      \
		int32_t *acc = (int32_t *)b->acc + first * b->ld;                                  \
		ROWS_##n(ROW_BEGIN);                                                               \
		for (unsigned g = 0; g < b->groups; g++) {                                         \
			const void *const *rows = b->rows + g * INT_ROWS + first;                  \
			ROWS_##n(ROW_GROUP);                                                       \
			for (unsigned k = 0; k < INT_GROUP; k += 2, w += 2) {                      \
				__m256i w_lo = _mm256_load_si256(w), x;                            \
				__m256i w_hi = _mm256_load_si256(w + 1);                           \
				ROWS_##n(ROW_STEP);                                                \
			}                                                                          \
		}                                                                                  \
		ROWS_##n(ROW_END);                                                                 \
	}

BLOCK_ROWS(1)
BLOCK_ROWS(2)
BLOCK_ROWS(4)
BLOCK_ROWS(6)

typedef void block_fn(const struct mac_block *b, unsigned first);

/* The largest function that n rows fill. */
static const struct {
	unsigned rows;
	block_fn *fn;
} blocks_of[INT_ROWS + 1] = {
	[1] = { 1, block_rows_1 }, [2] = { 2, block_rows_2 }, [3] = { 2, block_rows_2 },
	[4] = { 4, block_rows_4 }, [5] = { 4, block_rows_4 }, [6] = { 6, block_rows_6 },
};

void int_block_avx2(const struct mac_block *b)
{
	for (unsigned r = 0; r < b->n_rows; r += blocks_of[b->n_rows - r].rows)
		blocks_of[b->n_rows - r].fn(b, r);
}

#endif

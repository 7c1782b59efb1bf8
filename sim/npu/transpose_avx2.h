/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* transpose_avx2.h - eight vectors of eight 16-bit units, turned. */
#ifndef SIM_NPU_TRANSPOSE_AVX2_H
#define SIM_NPU_TRANSPOSE_AVX2_H

#include <immintrin.h>

__attribute__((target("avx2"))) static inline void transpose8(__m128i v[8])
{
	__m128i a[8], b[8];

	for (unsigned i = 0; i < 4; i++) {
		a[2 * i] = _mm_unpacklo_epi16(v[2 * i], v[2 * i + 1]);
		a[2 * i + 1] = _mm_unpackhi_epi16(v[2 * i], v[2 * i + 1]);
	}
	for (unsigned i = 0; i < 2; i++) {
		b[4 * i] = _mm_unpacklo_epi32(a[4 * i], a[4 * i + 2]);
		b[4 * i + 1] = _mm_unpackhi_epi32(a[4 * i], a[4 * i + 2]);
		b[4 * i + 2] = _mm_unpacklo_epi32(a[4 * i + 1], a[4 * i + 3]);
		b[4 * i + 3] = _mm_unpackhi_epi32(a[4 * i + 1], a[4 * i + 3]);
	}
	for (unsigned i = 0; i < 4; i++) {
		v[2 * i] = _mm_unpacklo_epi64(b[i], b[i + 4]);
		v[2 * i + 1] = _mm_unpackhi_epi64(b[i], b[i + 4]);
	}
}

#endif

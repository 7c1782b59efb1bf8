// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/npu/narrow.h"

#include "sim/npu/cpu.h"
#include "sim/npu/half.h"

static void narrow(const float *from, uint16_t *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = half_from_float(from[i]);
}

#if CPU_X86

#include <immintrin.h>

__attribute__((target("avx2,f16c"))) static void narrow_avx2(const float *from, uint16_t *to,
							     size_t n)
{
	const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(FLOAT_NAN));
	size_t i = 0;

	for (; i + 8 <= n; i += 8) {
		__m256 v = _mm256_loadu_ps(from + i);

		v = _mm256_blendv_ps(v, nan, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
		_mm_storeu_si128((__m128i *)(to + i),
				 _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
	}
	narrow(from + i, to + i, n - i);
}

#else
#define narrow_avx2 narrow
#endif

narrow_fn *narrow_choose(bool portable)
{
	return !portable && cpu_has_vectors() ? narrow_avx2 : narrow;
}

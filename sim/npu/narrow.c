// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/npu/narrow.h"

#include "sim/npu/half.h"

static void narrow(const float *from, uint16_t *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = half_from_float(from[i]);
}

#if defined(__x86_64__) || defined(__i386__)

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

narrow_fn *narrow_choose(bool portable)
{
	__builtin_cpu_init();
	if (!portable && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c"))
		return narrow_avx2;
	return narrow;
}

#else

narrow_fn *narrow_choose(bool portable)
{
	(void)portable;
	return narrow;
}

#endif

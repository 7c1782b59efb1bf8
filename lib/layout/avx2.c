// SPDX-License-Identifier: LGPL-2.1-or-later
/* avx2.c - the layout loops that AVX2 and F16C speed up. */
#include "kernels.h"

#if defined(__x86_64__) || defined(__i386__)

#include <immintrin.h>

#include "half.h"

#define AVX2 __attribute__((target("avx2,f16c")))

AVX2 static void avx2_accumulate_fp16(float *acc, const uint8_t *src, size_t rows, size_t cube_rows,
				      size_t atoms, size_t stride)
{
	for (size_t m = 0; m < rows; m++) {
		const uint8_t *from = src + m * ROCKET_ATOM_BYTES;
		float *to = acc + m * stride;

		for (size_t s = 0; s < atoms; s++, from += cube_rows * ROCKET_ATOM_BYTES, to += 8) {
			__m256 v = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)from));

			_mm256_storeu_ps(to, _mm256_add_ps(_mm256_loadu_ps(to), v));
		}
	}
}

AVX2 static void avx2_accumulate_fp32(double *acc, const uint8_t *src, size_t rows,
				      size_t cube_rows, size_t atoms, size_t stride)
{
	for (size_t m = 0; m < rows; m++) {
		const uint8_t *from = src + m * ROCKET_ATOM_BYTES;
		double *to = acc + m * stride;

		for (size_t s = 0; s < atoms; s++, from += cube_rows * ROCKET_ATOM_BYTES, to += 4) {
			__m256d v =
				_mm256_cvtps_pd(_mm_loadu_ps((const float *)(const void *)from));

			_mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), v));
		}
	}
}

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

const struct rocket_layout_kernels rocket_layout_avx2 = {
	.name = "avx2",
	.rows_to_cube = rocket_portable_rows_to_cube,
	.cube_to_rows = rocket_portable_cube_to_rows,
	.accumulate_fp16 = avx2_accumulate_fp16,
	.accumulate_fp32 = avx2_accumulate_fp32,
	.accumulate_int32 = rocket_portable_accumulate_int32,
	.half_to_float = avx2_half_to_float,
	.float_to_half = avx2_float_to_half,
};

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/* neon.c - the layout loops that Advanced SIMD speeds up. */
#include "kernels.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#include "half.h"

static inline uint16x8_t load_halves(const void *from)
{
	return vreinterpretq_u16_u8(vld1q_u8(from));
}

static inline float32x4_t widen(uint16x4_t h)
{
	return vcvt_f32_f16(vreinterpret_f16_u16(h));
}

static void neon_accumulate_fp16(float *acc, const uint8_t *src, size_t rows, size_t cube_rows,
				 size_t atoms, size_t stride)
{
	for (size_t m = 0; m < rows; m++) {
		const uint8_t *from = src + m * ROCKET_ATOM_BYTES;
		float *to = acc + m * stride;

		for (size_t s = 0; s < atoms; s++, from += cube_rows * ROCKET_ATOM_BYTES, to += 8) {
			uint16x8_t h = load_halves(from);

			vst1q_f32(to, vaddq_f32(vld1q_f32(to), widen(vget_low_u16(h))));
			vst1q_f32(to + 4, vaddq_f32(vld1q_f32(to + 4), widen(vget_high_u16(h))));
		}
	}
}

static void neon_accumulate_fp32(double *acc, const uint8_t *src, size_t rows, size_t cube_rows,
				 size_t atoms, size_t stride)
{
	for (size_t m = 0; m < rows; m++) {
		const uint8_t *from = src + m * ROCKET_ATOM_BYTES;
		double *to = acc + m * stride;

		for (size_t s = 0; s < atoms; s++, from += cube_rows * ROCKET_ATOM_BYTES, to += 4) {
			float32x4_t v = vreinterpretq_f32_u8(vld1q_u8(from));

			vst1q_f64(to, vaddq_f64(vld1q_f64(to), vcvt_f64_f32(vget_low_f32(v))));
			vst1q_f64(to + 2, vaddq_f64(vld1q_f64(to + 2), vcvt_high_f64_f32(v)));
		}
	}
}

static void neon_half_to_float(float *dst, const uint16_t *src, size_t count)
{
	size_t i = 0;

	for (; i + 4 <= count; i += 4)
		vst1q_f32(dst + i, widen(vld1_u16(src + i)));
	for (; i < count; i++)
		dst[i] = rocket_half_to_float(src[i]);
}

static void neon_float_to_half(uint16_t *dst, const float *src, size_t count)
{
	size_t i = 0;

	for (; i + 4 <= count; i += 4)
		vst1_u16(dst + i, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(src + i))));
	for (; i < count; i++)
		dst[i] = rocket_float_to_half(src[i]);
}

const struct rocket_layout_kernels rocket_layout_neon = {
	.name = "neon",
	.rows_to_cube = rocket_portable_rows_to_cube,
	.cube_to_rows = rocket_portable_cube_to_rows,
	.accumulate_fp16 = neon_accumulate_fp16,
	.accumulate_fp32 = neon_accumulate_fp32,
	.accumulate_int32 = rocket_portable_accumulate_int32,
	.half_to_float = neon_half_to_float,
	.float_to_half = neon_float_to_half,
};

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/* neon.c - the layout loops that Advanced SIMD speeds up. */
#include "kernels.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#include "half.h"
#include "loops.h"

static inline uint16x8_t load_halves(const void *from)
{
	return vreinterpretq_u16_u8(vld1q_u8(from));
}

static inline float32x4_t widen(uint16x4_t h)
{
	return vcvt_f32_f16(vreinterpret_f16_u16(h));
}

/* As ROCKET_SUM() of loops.h. */
static void neon_add_fp16(float *acc, const uint8_t *src, size_t rows, size_t cube_rows,
			  size_t atoms, size_t stride, bool first)
{
	const float32x4_t zero = vdupq_n_f32(0);

	for (size_t m0 = 0; m0 < rows; m0 += 4)
		for (size_t s = 0; s < atoms; s++) {
			const uint8_t *line = src + (s * cube_rows + m0) * ROCKET_ATOM_BYTES;

			__builtin_prefetch(line + ROCKET_AHEAD_BYTES);
			for (size_t m = m0; m < rows && m < m0 + 4; m++) {
				uint16x8_t h = load_halves(line + (m - m0) * ROCKET_ATOM_BYTES);
				float *to = acc + m * stride + s * 8;
				float32x4_t low = first ? zero : vld1q_f32(to);
				float32x4_t high = first ? zero : vld1q_f32(to + 4);

				vst1q_f32(to, vaddq_f32(low, widen(vget_low_u16(h))));
				vst1q_f32(to + 4, vaddq_f32(high, widen(vget_high_u16(h))));
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

/* The upper halves; a NaN whose payload is cut off stays one (of a NaN, mag > infinity). */
static bool neon_to_bf16(void *dst, const void *src, size_t count)
{
	const uint16x8_t magnitude = vdupq_n_u16(0x7fff), infinity = vdupq_n_u16(0x7f80);
	const uint16_t *from = src;
	uint16_t *to = dst;
	size_t i = 0;

	for (; i + 8 <= count; i += 8) {
		const uint16x8x2_t halves = vld2q_u16(from + 2 * i);
		const uint16x8_t upper = halves.val[1];
		const uint16x8_t cut = vandq_u16(vceqq_u16(vandq_u16(upper, magnitude), infinity),
						 vtstq_u16(halves.val[0], halves.val[0]));

		vst1q_u16(to + i, vorrq_u16(upper, vandq_u16(cut, vdupq_n_u16(0x40))));
	}
	return rocket_layout_portable.to_bf16(to + i, from + 2 * i, count - i);
}

static bool neon_to_int4(void *dst, const void *src, size_t count)
{
	const int8_t *from = src;
	uint8x16_t outside = vdupq_n_u8(0);
	uint8_t *to = dst;

	for (size_t i = 0; i < count; i += 32) {
		const int8x16x2_t v = vld2q_s8(from + i);
		const uint8x16_t even = vreinterpretq_u8_s8(v.val[0]);
		const uint8x16_t odd = vreinterpretq_u8_s8(v.val[1]);

		/* -8..7 plus 8 has no bit above the fourth. */
		outside = vorrq_u8(outside, vorrq_u8(vaddq_u8(even, vdupq_n_u8(8)),
						     vaddq_u8(odd, vdupq_n_u8(8))));
		vst1q_u8(to + i / 2, vsliq_n_u8(vandq_u8(even, vdupq_n_u8(15)), odd, 4));
	}
	return vmaxvq_u8(outside) < 16;
}

static bool neon_split_int16(void *high, void *low, const void *src, size_t count)
{
	const int16x8_t most = vdupq_n_s16(ROCKET_INT16_SPLIT_MAX);
	uint16x8_t outside = vdupq_n_u16(0);
	const int16_t *from = src;
	int8_t *up = high, *down = low;
	size_t i = 0;
	bool rest;

	for (; i + 16 <= count; i += 16) {
		const int16x8_t a = vld1q_s16(from + i), b = vld1q_s16(from + i + 8);
		const int16x8_t x = vminq_s16(a, most), y = vminq_s16(b, most);

		outside = vorrq_u16(outside, vorrq_u16(vcgtq_s16(a, most), vcgtq_s16(b, most)));
		/* Rounded, which is the carry from the low byte. */
		vst1q_s8(up + i, vcombine_s8(vrshrn_n_s16(x, 8), vrshrn_n_s16(y, 8)));
		vst1q_s8(down + i, vcombine_s8(vmovn_s16(x), vmovn_s16(y)));
	}
	rest = rocket_layout_portable.split_int16(up + i, down + i, from + i, count - i);
	return rest && !vmaxvq_u16(outside);
}

ROCKET_LOOPS(neon, )

/* A vector of 32 bytes is two registers. */
#define TARGET

ROCKET_INLINE void pair(rocket_u32x8 *v, const uint8_t *a, const uint8_t *b)
{
	rocket_u32x4 low, high;

	memcpy(&low, a, sizeof(low));
	memcpy(&high, b, sizeof(high));
	*v = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

ROCKET_INLINE void widen16(rocket_s32x8 *v, const uint8_t *a)
{
	rocket_s16x8 x;

	memcpy(&x, a, sizeof(x));
	*v = __builtin_convertvector(x, rocket_s32x8);
}

ROCKET_INLINE void put(uint8_t *to, const void *v, bool stream)
{
	(void)stream;
	memcpy(to, v, 32);
}

ROCKET_INLINE void fence(bool stream)
{
	(void)stream;
}

#include "totals.h"

/* Whole atoms move as one register in the portable loops, too. */
const struct rocket_layout_kernels rocket_layout_neon = {
	.name = "neon",
	.rows_to_cube = rocket_portable_rows_to_cube,
	.cube_to_rows = rocket_portable_cube_to_rows,
	.rows_to_runs = rocket_portable_rows_to_runs,
	.half_to_float = neon_half_to_float,
	.float_to_half = neon_float_to_half,
	.to_bf16 = neon_to_bf16,
	.to_int4 = neon_to_int4,
	.split_int16 = neon_split_int16,
	.copy_rows = rocket_portable_copy_rows,
	ROCKET_LOOPS_TABLE(neon),
	TOTALS_TABLE,
};

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * half.h - IEEE binary16 by its bits.
 *
 * Integer arithmetic, so that the result does not depend on what a compiler makes of
 * _Float16. NaNs come out quiet with the payload's top bits kept, as F16C and NEON
 * give them.
 */
#ifndef ROCKET_LAYOUT_HALF_H
#define ROCKET_LAYOUT_HALF_H

#include <stdint.h>
#include <string.h>

static inline float rocket_float_of_bits(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline uint32_t rocket_bits_of_float(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* Exact. */
static inline float rocket_half_to_float(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16;
	uint32_t mag = h & 0x7fff;

	if (mag < 0x400) /* subnormal or zero: mag * 2^-24 is exact */
		return rocket_float_of_bits(sign | rocket_bits_of_float((float)mag * 0x1p-24f));
	if (mag < 0x7c00)
		return rocket_float_of_bits(sign | ((mag << 13) + 0x38000000));
	return rocket_float_of_bits(sign | 0x7f800000 | (mag & 0x3ff) << 13 |
				    (mag > 0x7c00 ? 0x400000 : 0));
}

/* Round to nearest, ties to even; overflow gives infinity. */
static inline uint16_t rocket_float_to_half(float f)
{
	uint32_t bits = rocket_bits_of_float(f);
	uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
	uint32_t mag = bits & 0x7fffffff;

	if (mag > 0x7f800000)
		return (uint16_t)(sign | 0x7e00 | (mag >> 13 & 0x3ff));
	if (mag >= 0x477ff000) /* 65520 is halfway between the largest half and 2^16 */
		return sign | 0x7c00;
	if (mag >= 0x38800000) {
		mag += 0xfff + (mag >> 13 & 1);
		return (uint16_t)(sign | (mag - 0x38000000) >> 13);
	}
	/* Below 2^-14. A float in [0.5, 1) steps by 2^-24, the step of subnormal halves, so
	 * this addition does the rounding. */
	mag = rocket_bits_of_float(rocket_float_of_bits(mag) + 0.5f) - 0x3f000000;
	return (uint16_t)(sign | mag);
}

#endif

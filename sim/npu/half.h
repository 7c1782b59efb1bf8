/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* half.h - binary16 against binary32, and the bits of a float. */
#ifndef SIM_NPU_HALF_H
#define SIM_NPU_HALF_H

#include <stdint.h>
#include <string.h>

/* Every not-a-number leaves the model as these, so that no host's choice shows. */
#define HALF_NAN  0x7e00u
#define FLOAT_NAN 0x7fc00000u

static inline uint32_t float_bits(float f)
{
	uint32_t u;

	memcpy(&u, &f, sizeof(u));
	return u;
}

static inline float float_from_bits(uint32_t u)
{
	float f;

	memcpy(&f, &u, sizeof(f));
	return f;
}

static inline uint64_t double_bits(double d)
{
	uint64_t u;

	memcpy(&u, &d, sizeof(u));
	return u;
}

static inline double double_from_bits(uint64_t u)
{
	double d;

	memcpy(&d, &u, sizeof(d));
	return d;
}

/* Exact; subnormals keep their value. */
static inline float half_to_float(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
	uint32_t rest = h & 0x7fffu;

	if (rest >= 0x7c00u)
		return float_from_bits(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
	/* The shifted word is the value divided by 2^112, subnormals included. */
	return float_from_bits(sign | float_bits(float_from_bits(rest << 13) * 0x1p112f));
}

/* Nearest, ties to even; past 65504 infinite. */
static inline uint16_t half_from_float(float f)
{
	uint32_t u = float_bits(f);
	uint32_t sign = u >> 16 & 0x8000u;
	uint32_t rest = u & 0x7fffffffu;

	if (rest > 0x7f800000u)
		return HALF_NAN;
	if (rest >= 0x47800000u)
		return (uint16_t)(sign | 0x7c00u);
	if (rest < 0x38800000u) {
		/* Subnormal: adding 0.5 aligns the last kept bit with the last bit of a float. */
		float aligned = float_from_bits(rest) + 0.5f;

		return (uint16_t)(sign | (float_bits(aligned) - 0x3f000000u));
	}
	rest += 0xfffu + (rest >> 13 & 1);
	return (uint16_t)(sign | ((rest - 0x38000000u) >> 13));
}

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "reference.h"

#include <string.h>

#define GROUP 32u
/* The smallest product of two fp16 values is 2^-48. */
#define UNIT 0x1p-48f

__extension__ typedef __int128 wide;

uint32_t float_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* An fp16 number is mantissa * 2^(exponent - 25). */
static int half_mantissa(uint16_t h)
{
	int m = h & 0x3ff;

	if (h & 0x7c00)
		m |= 0x400;
	return h & 0x8000 ? -m : m;
}

static int half_exponent(uint16_t h)
{
	int e = h >> 10 & 0x1f;

	return e ? e : 1;
}

float half_to_float(uint16_t half)
{
	uint32_t bits = (uint32_t)(half & 0x8000) << 16;
	float v;

	if (half & 0x7c00) {
		bits |= (uint32_t)(half_exponent(half) + 112) << 23 | (uint32_t)(half & 0x3ff)
									      << 13;
	} else {
		v = (float)(half & 0x3ff) * 0x1p-24f;
		bits |= float_bits(v);
	}
	memcpy(&v, &bits, sizeof(v));
	return v;
}

uint16_t half_from_float(float value)
{
	uint32_t bits = float_bits(value);
	uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
	uint32_t e = bits >> 23 & 0xff, m = (bits & 0x7fffff) | 0x800000;
	uint32_t shift = 13, h, rest;

	if (e == 0xff)
		return sign | (bits & 0x7fffff ? 0x7e00 : 0x7c00);
	if (e < 102) /* below half of the smallest */
		return sign;
	if (e < 113) { /* subnormal in fp16 */
		shift += 113 - e;
		h = m >> shift;
	} else {
		h = (m >> 13) + ((e - 113) << 10);
	}
	rest = m & ((1u << shift) - 1);
	if (rest > 1u << (shift - 1) || (rest == 1u << (shift - 1) && (h & 1)))
		h++;
	return sign | (uint16_t)(h > 0x7c00 ? 0x7c00 : h);
}

static float half_dot(const uint16_t *a, const uint16_t *b, unsigned k)
{
	float acc = 0;

	for (unsigned first = 0; first < k; first += GROUP) {
		wide sum = 0;

		for (unsigned i = first; i < first + GROUP && i < k; i++) {
			int shift = half_exponent(a[i]) + half_exponent(b[i]) - 2;

			sum += (wide)(half_mantissa(a[i]) * half_mantissa(b[i])) *
			       ((wide)1 << shift);
		}
		acc += (float)sum * UNIT;
	}
	return acc;
}

uint32_t reference_bits(const struct reference_rows *r)
{
	float acc;

	if (r->type == INT8_TO_INT32)
		return (uint32_t)reference_sum(r);
	acc = half_dot(r->a, r->b, r->k);
	if (r->accumulate)
		acc += half_to_float(r->partial);
	return r->type == FP16_TO_FP16 ? half_from_float(acc) : float_bits(acc);
}

static int integer_at(const struct reference_rows *r, const void *row, unsigned i)
{
	if (r->type == INT8_TO_INT32)
		return ((const int8_t *)row)[i];
	return (int)half_to_float(((const uint16_t *)row)[i]);
}

int64_t reference_sum(const struct reference_rows *r)
{
	int64_t sum = r->accumulate ? (int64_t)half_to_float(r->partial) : 0;

	for (unsigned i = 0; i < r->k; i++)
		sum += integer_at(r, r->a, i) * integer_at(r, r->b, i);
	return sum;
}

uint32_t result_of_integer(enum matmul_type type, int64_t sum)
{
	switch (type) {
	case FP16_TO_FP16:
		return half_from_float((float)sum);
	case FP16_TO_FP32:
		return float_bits((float)sum);
	default:
		return (uint32_t)sum;
	}
}

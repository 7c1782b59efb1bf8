// SPDX-License-Identifier: LGPL-2.1-or-later
#include "reference.h"

#include <string.h>

/* Operands are multiples of the smallest fp16 value. */
#define UNIT      0x1p-24f
#define UNIT_BITS 24

__extension__ typedef __int128 wide;

uint32_t float_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
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

unsigned host_bytes(enum matmul_type type)
{
	unsigned bits = matmul_formats[type].in_bits;

	return bits < 8 ? 1 : bits / 8;
}

bool is_integer(enum matmul_type type)
{
	return type == INT16_TO_INT32 || type == INT8_TO_INT32 || type == INT4_TO_INT16;
}

/* Both in units of UNIT. */
static int64_t half_units(uint16_t h)
{
	int64_t m = (h & 0x3ff) | (h & 0x7c00 ? 0x400 : 0);

	m <<= half_exponent(h) - 1;
	return h & 0x8000 ? -m : m;
}

static int64_t float_units(uint32_t bits)
{
	int64_t m = (bits & 0x7fffff) | 0x800000;
	int shift = (int)(bits >> 23 & 0xff) - 150 + UNIT_BITS;

	if (!(bits & 0x7f800000))
		return 0;
	m = shift < 0 ? m >> -shift : m << shift;
	return bits >> 31 ? -m : m;
}

/* A float as the NPU reads it, in units. */
static int64_t units_at(enum matmul_type type, const void *row, unsigned i)
{
	switch (type) {
	case BF16_TO_FP32:
		return float_units((uint32_t)((const uint16_t *)row)[i] << 16);
	case TF32_TO_FP32:
		return float_units(((const uint32_t *)row)[i] & 0xffffe000);
	default:
		return half_units(((const uint16_t *)row)[i]);
	}
}

static int64_t integer_at(enum matmul_type type, const void *row, unsigned i)
{
	switch (type) {
	case INT16_TO_INT32:
		return ((const int16_t *)row)[i];
	case INT8_TO_INT32:
	case INT4_TO_INT16:
		return ((const int8_t *)row)[i];
	default:
		return units_at(type, row, i) >> UNIT_BITS;
	}
}

static float dot(const struct reference_rows *r)
{
	unsigned group = matmul_formats[r->type].kgroup;
	float acc = 0;

	for (unsigned first = 0; first < r->k; first += group) {
		wide sum = 0;

		for (unsigned i = first; i < first + group && i < r->k; i++)
			sum += (wide)units_at(r->type, r->a, i) * units_at(r->type, r->b, i);
		acc += (float)sum * (UNIT * UNIT);
	}
	return acc;
}

uint32_t reference_bits(const struct reference_rows *r)
{
	float acc;

	if (is_integer(r->type))
		return result_of_integer(r->type, reference_sum(r));
	acc = dot(r);
	if (r->accumulate)
		acc += half_to_float(r->partial);
	return r->type == FP16_TO_FP16 ? half_from_float(acc) : float_bits(acc);
}

int64_t reference_sum(const struct reference_rows *r)
{
	int64_t sum = r->accumulate ? (int64_t)half_to_float(r->partial) : 0;

	for (unsigned i = 0; i < r->k; i++)
		sum += integer_at(r->type, r->a, i) * integer_at(r->type, r->b, i);
	return sum;
}

static int64_t limited(int64_t v, int64_t most)
{
	return v > most ? most : v < -most - 1 ? -most - 1 : v;
}

uint32_t result_of_integer(enum matmul_type type, int64_t sum)
{
	switch (type) {
	case FP16_TO_FP16:
		return half_from_float((float)sum);
	case INT16_TO_INT32:
	case INT8_TO_INT32:
		return (uint32_t)limited(sum, INT32_MAX);
	case INT4_TO_INT16:
		return (uint16_t)limited(sum, INT16_MAX);
	default:
		return float_bits((float)sum);
	}
}

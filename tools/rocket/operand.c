// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "operand.h"

/* From the bits, so that nothing depends on the compiler's own half type. */
double operand_fp16_value(uint16_t bits)
{
	uint64_t sign = (uint64_t)(bits >> 15) << 63;
	uint64_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
	uint64_t out;
	double value;

	if (exponent == 0) {
		value = (double)mantissa * 0x1p-24;
		return sign ? -value : value;
	}
	exponent = exponent == 31 ? 2047 : exponent + 1023 - 15;
	out = sign | exponent << 52 | mantissa << 42;
	memcpy(&value, &out, sizeof(value));
	return value;
}

static double cut_fp32(const uint8_t *p, uint32_t mask)
{
	uint32_t bits;
	float value;

	memcpy(&bits, p, sizeof(bits));
	bits &= mask;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static double load_fp16(const uint8_t *p)
{
	uint16_t bits;

	memcpy(&bits, p, sizeof(bits));
	return operand_fp16_value(bits);
}

static double load_bf16(const uint8_t *p)
{
	return cut_fp32(p, 0xffff0000);
}

static double load_tf32(const uint8_t *p)
{
	return cut_fp32(p, 0xffffe000);
}

static double load_int8(const uint8_t *p)
{
	return (int8_t)*p;
}

static double load_int16(const uint8_t *p)
{
	int16_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static const struct {
	uint8_t bytes, group;
	double (*load)(const uint8_t *p);
} types[OPERAND_TYPES] = {
	[OPERAND_FP16] = { 2, 32, load_fp16 }, [OPERAND_BF16] = { 4, 32, load_bf16 },
	[OPERAND_TF32] = { 4, 16, load_tf32 }, [OPERAND_INT8] = { 1, 32, load_int8 },
	[OPERAND_INT4] = { 1, 32, load_int8 }, [OPERAND_INT16] = { 2, 32, load_int16 },
};

size_t operand_bytes(enum operand_type type)
{
	return types[type].bytes;
}

int operand_group(enum operand_type type)
{
	return types[type].group;
}

void operand_load(enum operand_type type, const void *base, size_t at, int count, double *out,
		  size_t stride)
{
	const uint8_t *p = (const uint8_t *)base + at * types[type].bytes;

	for (int i = 0; i < count; i++)
		out[(size_t)i * stride] = types[type].load(p + (size_t)i * types[type].bytes);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "rocket_matmul.h"

#include "generate.h"

uint64_t generate_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint16_t bits_of(double value)
{
	_Float16 half = (_Float16)value;
	uint16_t bits;

	memcpy(&bits, &half, sizeof(bits));
	return bits;
}

/* One element from 64 random bits. */
static void put_fp16(void *out, enum generate_data data, uint64_t r)
{
	static const uint16_t ints[5] = { 0xc000, 0xbc00, 0x0000, 0x3c00, 0x4000 };
	uint16_t bits = data == GENERATE_INTS ? ints[(r >> 32) % 5]
					      : bits_of((double)(r >> 32) / 4294967296.0 - 0.5);

	memcpy(out, &bits, sizeof(bits));
}

static void put_fp32(void *out, enum generate_data data, uint64_t r)
{
	float value = data == GENERATE_INTS ? (float)((int)((r >> 32) % 5) - 2)
					    : (float)(r >> 40) / 16777216.0f - 0.5f;

	memcpy(out, &value, sizeof(value));
}

static void put_int8(void *out, enum generate_data data, uint64_t r)
{
	*(int8_t *)out = data == GENERATE_INTS ? (int8_t)((r >> 32) % 5) - 2 : (int8_t)(r >> 56);
}

static void put_int4(void *out, enum generate_data data, uint64_t r)
{
	*(int8_t *)out =
		data == GENERATE_INTS ? (int8_t)((r >> 32) % 5) - 2 : (int8_t)((r >> 60) - 8);
}

static void put_int16(void *out, enum generate_data data, uint64_t r)
{
	/* -32768..32639 are the values that the exact product takes as they are */
	int16_t value = data == GENERATE_INTS ? (int16_t)((int)((r >> 32) % 5) - 2)
					      : (int16_t)((int)((r >> 32) % 65408) - 32768);

	memcpy(out, &value, sizeof(value));
}

void generate(enum operand_type type, void *out, size_t count, enum generate_data data,
	      uint64_t seed)
{
	static void (*const put[OPERAND_TYPES])(void *out, enum generate_data data, uint64_t r) = {
		[OPERAND_FP16] = put_fp16, [OPERAND_BF16] = put_fp32, [OPERAND_TF32] = put_fp32,
		[OPERAND_INT8] = put_int8, [OPERAND_INT4] = put_int4, [OPERAND_INT16] = put_int16,
	};
	const size_t bytes = operand_bytes(type);
	uint64_t state = seed;

	for (size_t i = 0; i < count; i++)
		put[type]((uint8_t *)out + i * bytes, data, generate_next(&state));
}

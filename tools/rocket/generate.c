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

void generate_fp16(uint16_t *out, size_t count, enum generate_data data, uint64_t seed)
{
	uint64_t state = seed;

	if (data == GENERATE_INTS) {
		static const uint16_t ints[5] = { 0xc000, 0xbc00, 0x0000, 0x3c00, 0x4000 };

		for (size_t i = 0; i < count; i++)
			out[i] = ints[(generate_next(&state) >> 32) % 5];
		return;
	}
	for (size_t i = 0; i < count; i++)
		out[i] = bits_of((double)(generate_next(&state) >> 32) / 4294967296.0 - 0.5);
}

void generate_int8(int8_t *out, size_t count, enum generate_data data, uint64_t seed)
{
	uint64_t state = seed;

	for (size_t i = 0; i < count; i++) {
		uint64_t r = generate_next(&state);

		out[i] = data == GENERATE_INTS ? (int8_t)((r >> 32) % 5) - 2 : (int8_t)(r >> 56);
	}
}

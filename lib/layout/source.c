// SPDX-License-Identifier: LGPL-2.1-or-later
/* source.c - see source.h. */
#include <stdint.h>
#include <string.h>

#include "source.h"

const struct rocket_source rocket_source_8 = { NULL, 1, 8, NULL };
const struct rocket_source rocket_source_16 = { NULL, 2, 16, NULL };
const struct rocket_source rocket_source_32 = { NULL, 4, 32, NULL };

static bool to_bf16(void *dst, const void *src, size_t count)
{
	const uint8_t *from = src;
	uint8_t *to = dst;

	for (size_t i = 0; i < count; i++) {
		uint32_t bits;
		uint16_t upper;

		memcpy(&bits, from + 4 * i, sizeof(bits));
		upper = (uint16_t)(bits >> 16);
		/* A NaN with a payload of low bits alone would become an infinity. */
		if ((upper & 0x7fff) == 0x7f80 && (uint16_t)bits)
			upper |= 0x40;
		memcpy(to + 2 * i, &upper, sizeof(upper));
	}
	return true;
}

static bool to_int4(void *dst, const void *src, size_t count)
{
	const int8_t *from = src;
	uint8_t *to = dst;
	unsigned outside = 0;

	for (size_t i = 0; i < count; i += 2) {
		unsigned low = (uint8_t)from[i], high = (uint8_t)from[i + 1];

		/* -8..7 plus 8 has no bit above the fourth. */
		outside |= (uint8_t)(low + 8) | (uint8_t)(high + 8);
		to[i / 2] = (uint8_t)((low & 15) | high << 4);
	}
	return outside <= 15;
}

#define INT16_SPLIT_MAX 32639

static inline int split(const uint8_t *from, int *low, bool *fits)
{
	int16_t v;
	int x;

	memcpy(&v, from, sizeof(v));
	x = v < INT16_SPLIT_MAX ? v : INT16_SPLIT_MAX;
	*fits &= x == v;
	*low = ((x + 128) & 255) - 128;
	return (x - *low) / 256;
}

static bool to_int16_high(void *dst, const void *src, size_t count)
{
	const uint8_t *from = src;
	int8_t *to = dst;
	bool fits = true;

	for (size_t i = 0; i < count; i++) {
		int low;

		to[i] = (int8_t)split(from + 2 * i, &low, &fits);
	}
	return fits;
}

static bool to_int16_low(void *dst, const void *src, size_t count)
{
	const uint8_t *from = src;
	int8_t *to = dst;
	bool fits = true;

	for (size_t i = 0; i < count; i++) {
		int low;

		split(from + 2 * i, &low, &fits);
		to[i] = (int8_t)low;
	}
	return fits;
}

const struct rocket_source rocket_source_bf16 = { NULL, 4, 16, to_bf16 };
const struct rocket_source rocket_source_int4 = { "-8..7", 1, 4, to_int4 };
const struct rocket_source rocket_source_int16_high = { "-32768..32639", 2, 8, to_int16_high };
const struct rocket_source rocket_source_int16_low = { "-32768..32639", 2, 8, to_int16_low };

// SPDX-License-Identifier: LGPL-2.1-or-later
/* source.c - see source.h. */
#include <stdint.h>
#include <string.h>

#include "source.h"

const struct rocket_source rocket_source_8 = { NULL, 1, 8, NULL };
const struct rocket_source rocket_source_16 = { NULL, 2, 16, NULL };
const struct rocket_source rocket_source_32 = { NULL, 4, 32, NULL };

/* One vector register, or what the compiler makes of it. */
typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef uint16_t u16x4 __attribute__((vector_size(8)));

/* NaNs with a payload of low bits alone, which would become infinities: their magnitudes less
 * CUT_NAN are below CUT_NANS. */
#define CUT_NAN  0x7f800001u
#define CUT_NANS 0xffffu
#define BF16_NAN 0x40u

static bool to_bf16(void *dst, const void *src, size_t count)
{
	const uint8_t *from = src;
	uint8_t *to = dst;
	size_t i = 0;

	for (; i + 4 <= count; i += 4) {
		u32x4 bits, nan;
		u16x4 upper;

		memcpy(&bits, from + 4 * i, sizeof(bits));
		nan = (u32x4)((bits & 0x7fffffff) - CUT_NAN < CUT_NANS);
		upper = __builtin_convertvector(bits >> 16 | (nan & BF16_NAN), u16x4);
		memcpy(to + 2 * i, &upper, sizeof(upper));
	}
	for (; i < count; i++) {
		uint32_t bits;
		uint16_t upper;

		memcpy(&bits, from + 4 * i, sizeof(bits));
		upper = (uint16_t)(bits >> 16);
		if ((bits & 0x7fffffff) - CUT_NAN < CUT_NANS)
			upper |= BF16_NAN;
		memcpy(to + 2 * i, &upper, sizeof(upper));
	}
	return true;
}

/* Each byte of a word. */
#define BYTES(value) (UINT64_C(0x0101010101010101) * (value))

/* Eight values at once: count is a multiple of 32, as K is. The order of the bytes in a word is
 * that of the hosts of this NPU. */
static bool to_int4(void *dst, const void *src, size_t count)
{
	const int8_t *from = src;
	uint8_t *to = dst;
	uint64_t outside = 0;

	for (size_t i = 0; i < count; i += 8) {
		uint64_t v, pairs;
		uint32_t nibbles;

		memcpy(&v, from + i, sizeof(v));
		/* -8..7 plus 8 has no bit above the fourth; no carry from byte to byte. */
		outside |= ((v & BYTES(0x7f)) + BYTES(8)) ^ (v & BYTES(0x80));
		pairs = v & BYTES(15);
		pairs = (pairs | pairs >> 4) & UINT64_C(0x00ff00ff00ff00ff);
		pairs = (pairs | pairs >> 8) & UINT64_C(0x0000ffff0000ffff);
		nibbles = (uint32_t)(pairs | pairs >> 16);
		memcpy(to + i / 2, &nibbles, sizeof(nibbles));
	}
	return !(outside & BYTES(0xf0));
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the NPU and its hosts");

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

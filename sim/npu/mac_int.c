// SPDX-License-Identifier: LGPL-2.1-or-later
/* mac_int.c - integer products, summed exactly; conv.c sees to it that the sums fit. */
#include "sim/npu/mac_int.h"

#include <string.h>

/* Two values a byte, the even one low, two's complement. */
static int16_t int4_element(const uint8_t *p, size_t i)
{
	int nibble = p[i / 2] >> (i % 2 * 4) & 15;

	return (int16_t)((nibble ^ 8) - 8);
}

static int16_t int8_element(const uint8_t *p, size_t i)
{
	return (int8_t)p[i];
}

static int16_t int16_element(const uint8_t *p, size_t i)
{
	return (int16_t)(p[2 * i] | p[2 * i + 1] << 8);
}

/* The loops around an element of a type. */
#define INT_TYPE(type, lanes)                                                                      \
	void type##_unpack(const uint8_t *src, unsigned n, void *dst, size_t pitch,                \
			   uint32_t *ranges)                                                       \
	{                                                                                          \
		uint8_t *row = dst;                                                                \
                                                                                                   \
		(void)ranges;                                                                      \
		for (unsigned i = 0; i < n; i++, src += 16, row += pitch)                          \
			for (unsigned k = 0; k < (lanes); k++)                                     \
				((int16_t *)row)[k] = type##_element(src, k);                      \
	}                                                                                          \
                                                                                                   \
	uint32_t type##_pack(const uint8_t *src, unsigned rows, unsigned depth, void *tile)        \
	{                                                                                          \
		int16_t *to = tile;                                                                \
                                                                                                   \
		for (unsigned r = 0; r < INT_PANEL; r++)                                           \
			for (unsigned k = 0; k < INT_GROUP; k++)                                   \
				to[(k / 2 * INT_PANEL + r) * 2 + k % 2] =                          \
					r < rows && k < depth                                      \
						? type##_element(src, r * (size_t)depth + k)       \
						: 0;                                               \
		return 0;                                                                          \
	}

INT_TYPE(int4, 32)
INT_TYPE(int8, 16)
INT_TYPE(int16, 8)

void int_block(const struct mac_block *b)
{
	for (unsigned r = 0; r < b->n_rows; r++) {
		int32_t *acc = (int32_t *)b->acc + r * b->ld;
		int32_t sum[INT_PANEL] = { 0 };

		for (unsigned g = 0; g < b->groups; g++) {
			const int16_t *a = b->rows[g * INT_ROWS + r];
			const int16_t *w = (const int16_t *)(b->panel + g * INT_TILE);

			for (unsigned k = 0; k < INT_GROUP; k += 2, w += 2 * INT_PANEL)
				for (unsigned c = 0; c < INT_PANEL; c++)
					sum[c] += a[k] * w[2 * c] + a[k + 1] * w[2 * c + 1];
		}
		for (unsigned c = 0; c < INT_PANEL; c++)
			acc[c] += sum[c];
	}
}

void int_block_wide(const struct mac_block *b)
{
	for (unsigned r = 0; r < b->n_rows; r++) {
		int64_t *acc = (int64_t *)b->acc + r * b->ld;

		for (unsigned g = 0; g < b->groups; g++) {
			const int16_t *a = b->rows[g * INT_ROWS + r];
			const int16_t *w = (const int16_t *)(b->panel + g * INT_TILE);

			for (unsigned k = 0; k < INT_GROUP; k += 2, w += 2 * INT_PANEL)
				for (unsigned c = 0; c < INT_PANEL; c++)
					acc[c] += (int64_t)a[k] * w[2 * c] +
						  (int64_t)a[k + 1] * w[2 * c + 1];
		}
	}
}

void int_finish(void *acc, size_t n)
{
	uint8_t *bytes = acc;

	for (size_t i = 0; i < n; i++) {
		int32_t narrow;
		int64_t v;

		memcpy(&v, bytes + 8 * i, sizeof(v));
		narrow = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
		memcpy(bytes + 4 * i, &narrow, sizeof(narrow));
	}
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* mac_int8.c - int8 products, summed exactly; conv.c sees to it that 32 bits are enough. */
#include "sim/npu/mac_int8.h"

static void unpack(const uint8_t *src, unsigned n, void *dst, size_t pitch, uint32_t *exponents)
{
	uint8_t *row = dst;

	(void)exponents;
	for (unsigned i = 0; i < n; i++, src += 16, row += pitch)
		for (unsigned k = 0; k < 16; k++)
			((int16_t *)row)[k] = (int8_t)src[k];
}

static uint32_t pack(const uint8_t *src, unsigned rows, unsigned depth, void *tile)
{
	int16_t *to = tile;

	for (unsigned r = 0; r < INT8_PANEL; r++)
		for (unsigned k = 0; k < INT8_GROUP; k++)
			to[(k / 2 * INT8_PANEL + r) * 2 + k % 2] =
				r < rows && k < depth ? (int8_t)src[r * depth + k] : 0;
	return 0;
}

static void block(const struct mac_block *b)
{
	for (unsigned r = 0; r < b->n_rows; r++) {
		int32_t *acc = (int32_t *)b->acc + r * b->ld;
		int32_t sum[INT8_PANEL] = { 0 };

		for (unsigned g = 0; g < b->groups; g++) {
			const int16_t *a = b->rows[g * INT8_ROWS + r];
			const int16_t *w = (const int16_t *)(b->panel + g * INT8_TILE);

			for (unsigned k = 0; k < INT8_GROUP; k += 2, w += 2 * INT8_PANEL)
				for (unsigned c = 0; c < INT8_PANEL; c++)
					sum[c] += a[k] * w[2 * c] + a[k + 1] * w[2 * c + 1];
		}
		for (unsigned c = 0; c < INT8_PANEL; c++)
			acc[c] += sum[c];
	}
}

const struct mac mac_int8_portable = {
	.name = "int8 portable",
	.element = sizeof(int16_t),
	.panel = INT8_PANEL,
	.rows = INT8_ROWS,
	.unpack = unpack,
	.pack = pack,
	.block = block,
};

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * mac_fp16.c - fp16 products: each group of 32 channels summed exactly, rounded once to fp32,
 * groups added in fp32.
 *
 * Operands are decoded to double. A product has 22 bits; the sum of a group is exact
 * in double when the operands' exponents lie close enough together, which the spreads
 * tell. Otherwise every product is cut at 2^-8 and both halves are summed, each exactly.
 */
#include "sim/npu/mac_fp16.h"

#include <math.h>

#include "sim/npu/half.h"

static void unpack(const uint8_t *src, unsigned n, void *dst, size_t pitch, uint32_t *exponents)
{
	uint8_t *row = dst;

	for (unsigned i = 0; i < n; i++, src += 16, row += pitch) {
		double *to = (double *)row;

		for (unsigned k = 0; k < 8; k++) {
			uint16_t h = (uint16_t)(src[2 * k] | src[2 * k + 1] << 8);

			to[k] = half_to_float(h);
			exponents[i] |= fp16_exponent(h);
		}
	}
}

static uint32_t pack(const uint8_t *src, unsigned rows, unsigned depth, void *tile)
{
	double *to = tile;
	uint32_t exponents = 0;

	for (unsigned r = 0; r < FP16_PANEL; r++)
		for (unsigned k = 0; k < FP16_GROUP; k++) {
			uint16_t h = 0;

			if (r < rows && k < depth) {
				const uint8_t *s = src + 2 * (r * depth + k);

				h = (uint16_t)(s[0] | s[1] << 8);
			}
			to[k * FP16_PANEL + r] = half_to_float(h);
			exponents |= fp16_exponent(h);
		}
	return exponents;
}

/* Round-to-odd of hi + lo: a later rounding to fp32 is then right. */
static double sum_to_odd(double hi, double lo)
{
	double s = hi + lo;
	double t = s - hi;
	double error = (hi - (s - t)) + (lo - t);
	uint64_t u = double_bits(s);

	if (error == 0 || (u & 1))
		return s;
	/* The error points to the odd neighbour. */
	return double_from_bits((error > 0) == (s > 0) ? u + 1 : u - 1);
}

float fp16_group_sum(const double *a, const double *b, size_t pitch)
{
	double plain = 0, hi = 0, lo = 0;

	for (unsigned k = 0; k < FP16_GROUP; k++) {
		double product = a[k] * b[k * pitch];
		double high = (product + FP16_CUT) - FP16_CUT;

		plain += product;
		hi += high;
		lo += product - high;
	}
	/* Infinite operands decide alone, in any order. */
	return (float)(isfinite(plain) ? sum_to_odd(hi, lo) : plain);
}

static void add_plain(const struct mac_block *b, unsigned g, unsigned r)
{
	const double *a = b->rows[g * FP16_ROWS + r];
	const double *w = (const double *)(b->panel + g * FP16_TILE);
	float *acc = (float *)b->acc + r * b->ld;
	double sum[FP16_PANEL] = { 0 };

	for (unsigned k = 0; k < FP16_GROUP; k++)
		for (unsigned c = 0; c < FP16_PANEL; c++)
			sum[c] += a[k] * w[k * FP16_PANEL + c];
	for (unsigned c = 0; c < FP16_PANEL; c++)
		acc[c] += (float)sum[c];
}

void fp16_add_split(const struct mac_block *b, unsigned g, unsigned r)
{
	const double *a = b->rows[g * FP16_ROWS + r];
	const double *w = (const double *)(b->panel + g * FP16_TILE);
	float *acc = (float *)b->acc + r * b->ld;

	for (unsigned c = 0; c < FP16_PANEL; c++)
		acc[c] += fp16_group_sum(a, w + c, FP16_PANEL);
}

static void block(const struct mac_block *b)
{
	for (unsigned g = 0; g < b->groups; g++)
		for (unsigned r = 0; r < b->n_rows; r++)
			if (fp16_sum_fits(b->row_spread[g], b->panel_spread[g]))
				add_plain(b, g, r);
			else
				fp16_add_split(b, g, r);
}

const struct mac mac_fp16_portable = {
	.name = "fp16 portable",
	.element = sizeof(double),
	.panel = FP16_PANEL,
	.rows = FP16_ROWS,
	.unpack = unpack,
	.pack = pack,
	.block = block,
};

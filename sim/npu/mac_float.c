// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * mac_float.c - floating-point products: each group of channels summed exactly, rounded once to
 * fp32, groups added in fp32.
 *
 * Operands are decoded to double. A product is exact; so is the sum of a group when the operands'
 * exponents lie close enough together, which the spreads tell. Otherwise the sum is kept
 * in several doubles.
 */
#include "sim/npu/mac_float.h"

#include <math.h>

#include "sim/npu/half.h"

struct element {
	double value;
	uint32_t range;
};

static struct element fp16_element(const uint8_t *p)
{
	uint16_t h = (uint16_t)(p[0] | p[1] << 8);

	return (struct element){ half_to_float(h),
				 range_of_field(h >> 10 & 31, 31, !(h & 0x7fff)) };
}

/* The upper half of an fp32. */
static struct element bf16_element(const uint8_t *p)
{
	uint16_t h = (uint16_t)(p[0] | p[1] << 8);

	return (struct element){ float_from_bits((uint32_t)h << 16),
				 range_of_field(h >> 7 & 255, 255, !(h & 0x7fff)) };
}

/* An fp32 of which the low 13 bits are cut off; a not-a-number stays one. */
static struct element tf32_element(const uint8_t *p)
{
	uint32_t u = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;

	u = (u & 0x7fffffff) > 0x7f800000 ? FLOAT_NAN : u & ~0x1fffu;
	return (struct element){ float_from_bits(u),
				 range_of_field(u >> 23 & 255, 255, !(u & 0x7fffffff)) };
}

/* The loops around an element of a type; the compiler makes one function of both. */
#define FLOAT_TYPE(type, bytes, group)                                                             \
	void type##_unpack(const uint8_t *src, unsigned n, void *dst, size_t pitch,                \
			   uint32_t *ranges)                                                       \
	{                                                                                          \
		uint8_t *row = dst;                                                                \
                                                                                                   \
		for (unsigned i = 0; i < n; i++, row += pitch)                                     \
			for (unsigned k = 0; k < 16 / (bytes); k++, src += (bytes)) {              \
				struct element e = type##_element(src);                            \
                                                                                                   \
				((double *)row)[k] = e.value;                                      \
				ranges[i] = range_join(ranges[i], e.range);                        \
			}                                                                          \
	}                                                                                          \
                                                                                                   \
	uint32_t type##_pack(const uint8_t *src, unsigned rows, unsigned depth, void *tile)        \
	{                                                                                          \
		double *to = tile;                                                                 \
		uint32_t range = 0;                                                                \
                                                                                                   \
		for (unsigned r = 0; r < FLOAT_PANEL; r++)                                         \
			for (unsigned k = 0; k < (group); k++) {                                   \
				struct element e = { 0, 0 };                                       \
                                                                                                   \
				if (r < rows && k < depth)                                         \
					e = type##_element(src + (bytes) * (r * depth + k));       \
				to[k * FLOAT_PANEL + r] = e.value;                                 \
				range = range_join(range, e.range);                                \
			}                                                                          \
		return range;                                                                      \
	}

FLOAT_TYPE(fp16, 2, 32)
FLOAT_TYPE(bf16, 2, 32)
FLOAT_TYPE(tf32, 4, 16)

static double two_sum(double a, double b, double *error)
{
	double s = a + b, t = s - a;

	*error = (a - (s - t)) + (b - t);
	return s;
}

/* a + b rounded to odd: a later rounding to fp32 is then right. */
static double sum_to_odd(double a, double b)
{
	double error, s = two_sum(a, b, &error);
	uint64_t u = double_bits(s);

	if (error == 0 || (u & 1))
		return s;
	/* The error points to the odd neighbour. */
	return double_from_bits((error > 0) == (s > 0) ? u + 1 : u - 1);
}

/* Parts by growing size, none overlapping the next; returns how many there are then. */
static unsigned grow(double *part, unsigned n, double add)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++) {
		double error;

		add = two_sum(add, part[i], &error);
		if (error != 0)
			part[kept++] = error;
	}
	part[kept++] = add;
	return kept;
}

float float_group_sum(const double *a, const double *b, size_t pitch, unsigned group)
{
	double part[33], plain = 0, sum = 0;
	unsigned n = 0;

	for (unsigned k = 0; k < group; k++)
		plain += a[k] * b[k * pitch];
	/* Infinite operands decide alone, in any order. */
	if (!isfinite(plain))
		return (float)plain;
	for (unsigned k = 0; k < group; k++)
		n = grow(part, n, a[k] * b[k * pitch]);
	for (unsigned i = 0; i < n; i++)
		sum = sum_to_odd(part[i], sum);
	return (float)sum;
}

/*
 * Every product is cut at 2^-8, and both halves are summed, each exactly: they are multiples of
 * 2^-8 below 2^37, and of 2^-48 below 2^-4.
 */
float fp16_group_sum(const double *a, const double *b, size_t pitch, unsigned group)
{
	double plain = 0, hi = 0, lo = 0;

	for (unsigned k = 0; k < group; k++) {
		double product = a[k] * b[k * pitch];
		double high = (product + FP16_CUT) - FP16_CUT;

		plain += product;
		hi += high;
		lo += product - high;
	}
	return (float)(isfinite(plain) ? sum_to_odd(hi, lo) : plain);
}

static void add_plain(const struct mac_block *b, unsigned g, unsigned r)
{
	const double *a = b->rows[g * FLOAT_ROWS + r];
	const double *w = (const double *)(b->panel + g * float_tile(b->mac));
	float *acc = (float *)b->acc + r * b->ld;
	double sum[FLOAT_PANEL] = { 0 };

	for (unsigned k = 0; k < b->mac->group; k++)
		for (unsigned c = 0; c < FLOAT_PANEL; c++)
			sum[c] += a[k] * w[k * FLOAT_PANEL + c];
	for (unsigned c = 0; c < FLOAT_PANEL; c++)
		acc[c] += (float)sum[c];
}

void float_add_exact(const struct mac_block *b, unsigned g, unsigned r)
{
	const double *a = b->rows[g * FLOAT_ROWS + r];
	const double *w = (const double *)(b->panel + g * float_tile(b->mac));
	float *acc = (float *)b->acc + r * b->ld;

	for (unsigned c = 0; c < FLOAT_PANEL; c++)
		acc[c] += b->mac->sum(a, w + c, FLOAT_PANEL, b->mac->group);
}

void float_block(const struct mac_block *b)
{
	for (unsigned g = 0; g < b->groups; g++)
		for (unsigned r = 0; r < b->n_rows; r++)
			if (float_sum_fits(b->mac, b->row_spread[g], b->panel_spread[g]))
				add_plain(b, g, r);
			else
				float_add_exact(b, g, r);
}

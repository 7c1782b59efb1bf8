// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/model/reference.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

int64_t ref_half_fixed(uint16_t h)
{
	int exponent = h >> 10 & 31;
	int64_t m = h & 1023;

	if (exponent)
		m = (m + 1024) << (exponent - 1);
	return h & 0x8000 ? -m : m;
}

double ref_half_value(uint16_t h)
{
	if ((h & 0x7c00) == 0x7c00)
		return h & 0x3ff ? NAN : h & 0x8000 ? -INFINITY : INFINITY;
	/* Integers know no negative zero. */
	return h == 0x8000 ? -0.0 : ldexp((double)ref_half_fixed(h), -24);
}

float ref_round_fp32(__int128 mantissa, int exponent)
{
	unsigned __int128 m =
		mantissa < 0 ? -(unsigned __int128)mantissa : (unsigned __int128)mantissa;
	int drop = 0;
	float f;

	if (!m)
		return 0;
	while (m >> drop >= (unsigned __int128)1 << 24)
		drop++;
	/* Below the normal range fewer bits are kept. */
	if (exponent + drop < -149)
		drop = -149 - exponent;
	if (drop > 0) {
		unsigned __int128 kept = m >> drop, rest = m - (kept << drop);
		unsigned __int128 half = (unsigned __int128)1 << (drop - 1);

		if (rest > half || (rest == half && (kept & 1)))
			kept++;
		m = kept;
	}
	f = ldexpf((float)(uint32_t)m, exponent + drop);
	return mantissa < 0 ? -f : f;
}

uint16_t ref_narrow(float f)
{
	uint32_t u, sign, kept;
	int exponent, drop;
	uint64_t m, rest, half;

	memcpy(&u, &f, sizeof(u));
	sign = u >> 16 & 0x8000;
	if (isnan(f))
		return 0x7e00;
	if (isinf(f))
		return (uint16_t)(sign | 0x7c00);
	exponent = (int)(u >> 23 & 255);
	m = u & 0x7fffff;
	if (exponent)
		m |= 0x800000;
	else
		exponent = 1;
	/* f = m * 2^(exponent - 150); a half counts in 2^-24 or, from 2^-14 up, in 11 bits. */
	drop = 126 - exponent;
	if (drop < 13)
		drop = 13;
	if (drop > 40)
		return (uint16_t)sign;
	kept = (uint32_t)(m >> drop);
	rest = m & ((1ull << drop) - 1);
	half = 1ull << (drop - 1);
	if (rest > half || (rest == half && (kept & 1)))
		kept++;
	if (exponent < 113)
		return (uint16_t)(sign | kept);
	/* kept has its leading bit at 1024, or at 2048 after a carry. */
	kept += (uint32_t)(exponent - 113) << 10;
	return (uint16_t)(sign | (kept >= 0x7c00 ? 0x7c00 : kept));
}

uint16_t ref_half_of_int(int v)
{
	return ref_narrow((float)v);
}

static int ref_is_special(uint16_t h)
{
	return (h & 0x7c00) == 0x7c00;
}

/* The finite products of a group with infinities and not-a-numbers do not matter. */
static double ref_special(const uint16_t *a, const uint16_t *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		if (ref_is_special(a[i]) || ref_is_special(b[i]))
			sum += ref_half_value(a[i]) * ref_half_value(b[i]);
	return sum;
}

float ref_group(const uint16_t *a, const uint16_t *b, size_t n)
{
	__int128 sum = 0;
	int special = 0;

	for (size_t i = 0; i < n; i++)
		special |= ref_is_special(a[i]) || ref_is_special(b[i]);
	if (special)
		return (float)ref_special(a, b, n);
	for (size_t i = 0; i < n; i++)
		sum += (__int128)ref_half_fixed(a[i]) * ref_half_fixed(b[i]);
	return ref_round_fp32(sum, -48);
}

float ref_dot_fp16(const uint16_t *a, const uint16_t *b, size_t n)
{
	float sum = 0;

	for (size_t i = 0; i < n; i += 32)
		sum += ref_group(a + i, b + i, n - i < 32 ? n - i : 32);
	return sum;
}

int32_t ref_saturate32(int64_t v)
{
	return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}

int64_t ref_shift(int64_t v, unsigned shift, int away)
{
	__int128 m = v < 0 ? -(__int128)v : v, q = m >> shift, rest = m - (q << shift);
	__int128 half = shift ? (__int128)1 << (shift - 1) : 1;

	if (rest > half || (rest == half && (away || (q & 1))))
		q++;
	return (int64_t)(v < 0 ? -q : q);
}

/* From sign, exponent and fraction fields. */
static struct ref_float ref_fields(uint32_t bits, int exponent_bits, int fraction_bits)
{
	int most = (1 << exponent_bits) - 1, bias = most >> 1;
	int e = (int)(bits >> fraction_bits) & most;
	int64_t m = bits & ((1u << fraction_bits) - 1);
	bool negative = bits >> (exponent_bits + fraction_bits) & 1;
	struct ref_float f;

	if (e == most)
		return (struct ref_float){ 0, 0, m ? NAN : negative ? -INFINITY : INFINITY };
	m |= e ? 1ll << fraction_bits : 0;
	f.mantissa = negative ? -m : m;
	f.exponent = (e ? e : 1) - bias - fraction_bits;
	f.value = ldexp((double)f.mantissa, f.exponent);
	return f;
}

struct ref_float ref_decode(const char *type, uint32_t bits)
{
	if (!strcmp(type, "fp16"))
		return ref_fields(bits & 0xffff, 5, 10);
	if (!strcmp(type, "bf16"))
		return ref_fields(bits & 0xffff, 8, 7);
	return ref_fields(bits >> 13, 8, 10);
}

float ref_sum(const char *type, const int32_t *a, const int32_t *b, size_t n)
{
	__int128 sum = 0;
	double special = 0;
	int least = 1000;

	for (size_t i = 0; i < n; i++) {
		struct ref_float x = ref_decode(type, (uint32_t)a[i]);
		struct ref_float y = ref_decode(type, (uint32_t)b[i]);

		if (!isfinite(x.value) || !isfinite(y.value))
			special += x.value * y.value;
		else if (x.mantissa && y.mantissa && x.exponent + y.exponent < least)
			least = x.exponent + y.exponent;
	}
	if (special != 0)
		return (float)special;
	for (size_t i = 0; i < n; i++) {
		struct ref_float x = ref_decode(type, (uint32_t)a[i]);
		struct ref_float y = ref_decode(type, (uint32_t)b[i]);

		if (x.mantissa && y.mantissa)
			sum += (x.mantissa * y.mantissa) *
			       ((__int128)1 << (x.exponent + y.exponent - least));
	}
	return ref_round_fp32(sum, least);
}

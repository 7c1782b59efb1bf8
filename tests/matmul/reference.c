// SPDX-License-Identifier: LGPL-2.1-or-later
/* reference.c - see reference.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

#define GROUP 32

/* value = mantissa * 2^(shift - 24): every finite binary16 has 0 <= shift < 30. */
struct parts {
	int16_t mantissa;
	uint8_t shift;
};

struct reference_fp16 {
	int K;
	struct parts *a, *b;
};

static struct parts *take_apart(const _Float16 *values, size_t count)
{
	struct parts *p = malloc(count * sizeof(*p));

	for (size_t i = 0; p && i < count; i++) {
		uint16_t h;
		int e, f;

		memcpy(&h, &values[i], sizeof(h));
		e = h >> 10 & 31;
		f = h & 1023;
		if (e == 31)
			abort(); /* infinities and NaNs have no exact sum */
		p[i].mantissa = (int16_t)(e ? f + 1024 : f);
		p[i].shift = (uint8_t)(e ? e - 1 : 0);
		if (h & 0x8000)
			p[i].mantissa = (int16_t)-p[i].mantissa;
	}
	return p;
}

struct reference_fp16 *reference_fp16_create(int M, int K, int N, const _Float16 *A,
					     const _Float16 *B)
{
	struct reference_fp16 *ref = malloc(sizeof(*ref));

	if (!ref)
		abort();
	ref->K = K;
	ref->a = take_apart(A, (size_t)M * (size_t)K);
	ref->b = take_apart(B, (size_t)N * (size_t)K);
	if (!ref->a || !ref->b)
		abort();
	return ref;
}

void reference_fp16_free(struct reference_fp16 *ref)
{
	free(ref->a);
	free(ref->b);
	free(ref);
}

float reference_partial(const struct reference_fp16 *ref, int m, int n, int k0, int k1)
{
	const struct parts *a = ref->a + (size_t)m * (size_t)ref->K;
	const struct parts *b = ref->b + (size_t)n * (size_t)ref->K;
	float sum = 0;

	for (int g = k0; g < k1; g += GROUP) {
		__int128 exact = 0; /* in units of 2^-48 */

		for (int k = g; k < g + GROUP; k++)
			exact += (__int128)(a[k].mantissa * b[k].mantissa) *
				 ((__int128)1 << (a[k].shift + b[k].shift));
		/* The conversion rounds to nearest even; the scaling is exact. */
		sum += ldexpf((float)exact, -48);
	}
	return sum;
}

static int tile_end(const struct reference_fp16 *ref, int k0, int kt)
{
	return k0 + kt < ref->K ? k0 + kt : ref->K;
}

_Float16 reference_device_sum(const struct reference_fp16 *ref, int m, int n, int kt)
{
	_Float16 held = (_Float16)reference_partial(ref, m, n, 0, tile_end(ref, 0, kt));

	for (int k0 = kt; k0 < ref->K; k0 += kt) {
		float conv = reference_partial(ref, m, n, k0, tile_end(ref, k0, kt));

		held = (_Float16)(conv + (float)held);
	}
	return held;
}

_Float16 reference_host_sum(const struct reference_fp16 *ref, int m, int n, int kt)
{
	float sum = 0;

	for (int k0 = 0; k0 < ref->K; k0 += kt)
		sum += (float)(_Float16)reference_partial(ref, m, n, k0, tile_end(ref, k0, kt));
	return (_Float16)sum;
}

float reference_f32out_sum(const struct reference_fp16 *ref, int m, int n, int kt)
{
	double sum = 0;

	for (int k0 = 0; k0 < ref->K; k0 += kt)
		sum += (double)reference_partial(ref, m, n, k0, tile_end(ref, k0, kt));
	return (float)sum;
}

double reference_double(int K, const _Float16 *a, const _Float16 *b, double *magnitude)
{
	double sum = 0, mag = 0;

	for (int k = 0; k < K; k++) {
		double p = (double)a[k] * (double)b[k];

		sum += p;
		mag += fabs(p);
	}
	*magnitude = mag;
	return sum;
}

int64_t reference_int8(int K, const int8_t *a, const int8_t *b)
{
	int64_t sum = 0;

	for (int k = 0; k < K; k++)
		sum += (int64_t)a[k] * b[k];
	return sum;
}

int64_t reference_int16(int K, const int16_t *a, const int16_t *b)
{
	int64_t sum = 0;

	for (int k = 0; k < K; k++)
		sum += (int64_t)a[k] * b[k];
	return sum;
}

static double cut(float f, uint32_t mask)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	bits &= mask;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

double reference_cut(int K, const float *a, const float *b, uint32_t mask, double *magnitude)
{
	double sum = 0, mag = 0;

	for (int k = 0; k < K; k++) {
		double p = cut(a[k], mask) * cut(b[k], mask);

		sum += p;
		mag += fabs(p);
	}
	*magnitude = mag;
	return sum;
}

double reference_fp32_bound(int K, int kt, int group, double magnitude)
{
	double roundings = (kt + group - 1) / group + 1;
	double doubles = 2.0 * K + (K + kt - 1) / kt;

	return 1.001 * magnitude * (roundings * ldexp(1, -24) + doubles * ldexp(1, -53));
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* reference.c - see reference.h. */
#include <math.h>
#include <stdbool.h>
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

double reference_read(float f, uint32_t mask)
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
		double p = reference_read(a[k], mask) * reference_read(b[k], mask);

		sum += p;
		mag += fabs(p);
	}
	*magnitude = mag;
	return sum;
}

/* Two accesses of memory for four products: sanitizers charge for each. */
typedef double quad __attribute__((vector_size(32)));
typedef int64_t quad_bits __attribute__((vector_size(32)));

#define INLINE static inline __attribute__((always_inline))

INLINE void add_products(int K, const double *row, const double *panel, double *sum,
			 double *magnitude)
{
	quad s[2] = { { 0 }, { 0 } }, m[2] = { { 0 }, { 0 } };

	for (int k = 0; k < K; k++, panel += REFERENCE_PANEL) {
		const double a = row[k];
		quad product[2];

		memcpy(product, panel, sizeof(product));
		for (unsigned i = 0; i < 2; i++) {
			product[i] *= a;
			s[i] += product[i];
			if (magnitude)
				m[i] += (quad)((quad_bits)product[i] & INT64_MAX);
		}
	}
	memcpy(sum, s, sizeof(s));
	if (magnitude)
		memcpy(magnitude, m, sizeof(m));
}

#if defined(__x86_64__)
#define WIDE       __attribute__((target("avx2")))
#define HAS_WIDE() __builtin_cpu_supports("avx2")
#else
#define WIDE
#define HAS_WIDE() true
#endif

WIDE static void sum_wide(int K, const double *row, const double *panel, double *sum)
{
	add_products(K, row, panel, sum, NULL);
}

WIDE static void sum_both_wide(int K, const double *row, const double *panel, double *sum,
			       double *magnitude)
{
	add_products(K, row, panel, sum, magnitude);
}

void reference_panel(int K, const double *row, const double *panel, double *sum, double *magnitude)
{
	if (!HAS_WIDE())
		add_products(K, row, panel, sum, magnitude);
	else if (magnitude)
		sum_both_wide(K, row, panel, sum, magnitude);
	else
		sum_wide(K, row, panel, sum);
}

double reference_fp32_bound(int K, int kt, int group, double magnitude)
{
	double roundings = (kt + group - 1) / group + 1;
	double doubles = 2.0 * K + (K + kt - 1) / kt;

	return 1.001 * magnitude * (roundings * ldexp(1, -24) + doubles * ldexp(1, -53));
}

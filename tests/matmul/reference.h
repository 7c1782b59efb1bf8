/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reference.h - what a matmul must give, computed one element at a time.
 *
 * fp16 is exact integers inside (128-bit sums of products), so nothing here depends on
 * how the library or the model round. Matrices are row-major, B is N x K.
 */
#ifndef TESTS_MATMUL_REFERENCE_H
#define TESTS_MATMUL_REFERENCE_H

#include <stdint.h>

/* Both operands of an fp16 matmul, taken apart once. */
struct reference_fp16;
struct reference_fp16 *reference_fp16_create(int M, int K, int N, const _Float16 *A,
					     const _Float16 *B);
void reference_fp16_free(struct reference_fp16 *ref);

/* The fp32 partial of k0..k1-1: exact sums of 32 products, each rounded to fp32 once,
 * added in fp32 in ascending k. */
float reference_partial(const struct reference_fp16 *ref, int m, int n, int k0, int k1);

/* Element (m, n) with K tiles of kt: */
/* partials added on the NPU, rounded to fp16 at each tile */
_Float16 reference_device_sum(const struct reference_fp16 *ref, int m, int n, int kt);
/* partials rounded to fp16, added on the host in fp32 from +0, rounded at the end */
_Float16 reference_host_sum(const struct reference_fp16 *ref, int m, int n, int kt);
/* fp32 partials added on the host in double, rounded at the end */
float reference_f32out_sum(const struct reference_fp16 *ref, int m, int n, int kt);

/* In double, and the sum of the products' magnitudes. */
double reference_double(int K, const _Float16 *a, const _Float16 *b, double *magnitude);

/* The same of fp32 operands of which the NPU reads the bits in `mask`. */
#define REFERENCE_BF16 0xffff0000u
#define REFERENCE_TF32 0xffffe000u
double reference_read(float f, uint32_t mask);
double reference_cut(int K, const float *a, const float *b, uint32_t mask, double *magnitude);

/* Of a row and some columns at once, as doubles: element k of column c is panel[k * PANEL + c]. The
 * sums of integers below 2^53 are exact. magnitude as above, or NULL. */
#define REFERENCE_PANEL 8
void reference_panel(int K, const double *row, const double *panel, double *sum, double *magnitude);

/*
 * How far an fp32 result may be from the exact sum of K products whose magnitudes add up to
 * `magnitude`: each tile of kt rounds once for every group and its addition, the host once
 * more; the double sums of the host and of the reference are charged together.
 */
double reference_fp32_bound(int K, int kt, int group, double magnitude);

int64_t reference_int16(int K, const int16_t *a, const int16_t *b);
int64_t reference_int8(int K, const int8_t *a, const int8_t *b);

#endif

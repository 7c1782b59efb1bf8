// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The checker must accept what the hardware may give and nothing else. Right results come
 * from plain loops here, from the compiler's own half type, and from recorded vectors.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/golden_folder.h"
#include "tools/rocket/check.h"
#include "tools/rocket/generate.h"

struct product {
	struct check_columns columns[CHECK_COLUMNS_MAX];
	struct check_request request;
	struct check_result result;
	void *A, *B, *C;
};

static void make(struct product *p, int M, int K, int N, enum operand_type operand,
		 enum check_rounding rounding, int kt)
{
	size_t bytes = operand_bytes(operand);

	memset(p, 0, sizeof(*p));
	p->A = calloc((size_t)M * K, bytes);
	p->B = calloc((size_t)N * K, bytes);
	p->C = calloc((size_t)M * N, 8);
	assert_true(p->A && p->B && p->C);
	p->columns[0] = (struct check_columns){ 0, N, kt, rounding };
	p->request = (struct check_request){ .M = M,
					     .K = K,
					     .N = N,
					     .operand = operand,
					     .A = p->A,
					     .B = p->B,
					     .C = p->C,
					     .columns = p->columns,
					     .n_columns = 1,
					     .threads = 2 };
}

static void clean(struct product *p)
{
	free(p->A);
	free(p->B);
	free(p->C);
}

static const struct check_result *checked(struct product *p)
{
	assert_int_equal(check_matmul(&p->request, &p->result), 0);
	assert_int_equal(p->result.elements, (uint64_t)p->request.M * p->request.N);
	return &p->result;
}

static double half_of(uint16_t bits)
{
	_Float16 h;

	memcpy(&h, &bits, sizeof(h));
	return (double)h;
}

static uint16_t bits_of(double value)
{
	_Float16 h = (_Float16)value;
	uint16_t bits;

	memcpy(&bits, &h, sizeof(bits));
	return bits;
}

static double fp16_sum(const struct product *p, int m, int n, int k0, int k1)
{
	const uint16_t *a = (const uint16_t *)p->A + (size_t)m * p->request.K;
	const uint16_t *b = (const uint16_t *)p->B + (size_t)n * p->request.K;
	double sum = 0;

	for (int k = k0; k < k1; k++)
		sum += half_of(a[k]) * half_of(b[k]);
	return sum;
}

static int64_t int8_sum(const struct product *p, int m, int n)
{
	const int8_t *a = (const int8_t *)p->A + (size_t)m * p->request.K;
	const int8_t *b = (const int8_t *)p->B + (size_t)n * p->request.K;
	int64_t sum = 0;

	for (int k = 0; k < p->request.K; k++)
		sum += (int64_t)a[k] * b[k];
	return sum;
}

static void fill_int8(struct product *p)
{
	int32_t *c = p->C;

	generate(OPERAND_INT8, p->A, (size_t)p->request.M * p->request.K, GENERATE_UNIFORM, 1);
	generate(OPERAND_INT8, p->B, (size_t)p->request.N * p->request.K, GENERATE_UNIFORM, 2);
	for (int m = 0; m < p->request.M; m++)
		for (int n = 0; n < p->request.N; n++)
			c[(size_t)m * p->request.N + n] = (int32_t)int8_sum(p, m, n);
}

/* The result in one rounding. */
static void fill_fp16(struct product *p, enum generate_data data)
{
	uint16_t *c = p->C;

	generate(OPERAND_FP16, p->A, (size_t)p->request.M * p->request.K, data, 1);
	generate(OPERAND_FP16, p->B, (size_t)p->request.N * p->request.K, data, 2);
	for (int m = 0; m < p->request.M; m++)
		for (int n = 0; n < p->request.N; n++)
			c[(size_t)m * p->request.N + n] =
				bits_of(fp16_sum(p, m, n, 0, p->request.K));
}

/* ---- int8 ---- */

static void int8_exact_result_is_right(void **state)
{
	static const int shapes[][3] = { { 1, 32, 32 },    { 4, 64, 32 },    { 100, 96, 160 },
					 { 132, 288, 32 }, { 257, 32, 129 }, { 3, 1, 5 } };

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct product p;

		make(&p, shapes[i][0], shapes[i][1], shapes[i][2], OPERAND_INT8, CHECK_EXACT, 64);
		fill_int8(&p);
		assert_int_equal(checked(&p)->wrong, 0);
		assert_true(p.result.largest == 0 && p.result.bound == 0 && p.result.ratio == 0);
		clean(&p);
	}
}

static void int8_one_flipped_bit_is_found_and_placed(void **state)
{
	struct product p;

	(void)state;
	make(&p, 132, 288, 160, OPERAND_INT8, CHECK_EXACT, 96);
	fill_int8(&p);
	((int32_t *)p.C)[(size_t)131 * 160 + 159] ^= 1;
	((int32_t *)p.C)[(size_t)130 * 160 + 7] ^= 1 << 30;
	assert_int_equal(checked(&p)->wrong, 2);
	assert_int_equal(p.result.m, 130);
	assert_int_equal(p.result.n, 7);
	assert_true(p.result.want == (double)int8_sum(&p, 130, 7));
	assert_true(p.result.largest == 0x1p30);
	clean(&p);
}

static void int8_sum_past_32_bits_keeps_its_low_half(void **state)
{
	struct product p;
	const int K = 196608; /* 16384 * K is past 2^31 */

	(void)state;
	make(&p, 4, K, 2, OPERAND_INT8, CHECK_EXACT, 16384);
	memset(p.A, 0x80, (size_t)4 * K);
	memset(p.B, 0x80, (size_t)2 * K);
	for (int i = 0; i < 8; i++)
		((int32_t *)p.C)[i] = (int32_t)(uint32_t)(UINT64_C(16384) * K);
	assert_int_equal(checked(&p)->wrong, 0);
	((int32_t *)p.C)[5] = INT32_MAX; /* saturated instead */
	assert_int_equal(checked(&p)->wrong, 1);
	assert_int_equal(p.result.m, 2);
	assert_int_equal(p.result.n, 1);
	clean(&p);
}

/* ---- fp16 ---- */

static void fp16_rounded_once_is_right(void **state)
{
	static const enum check_rounding roundings[] = { CHECK_FP16_DEVICE, CHECK_FP16_HOST };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct product p;

		make(&p, 68, 416, 144, OPERAND_FP16, roundings[i / 2], 128);
		fill_fp16(&p, i % 2 ? GENERATE_INTS : GENERATE_UNIFORM);
		assert_int_equal(checked(&p)->wrong, 0);
		assert_int_equal(p.result.unbounded, 0);
		assert_true(p.result.ratio <= 1);
		clean(&p);
	}
}

/* With whole numbers the sum is exact, so one ulp off is more than half an ulp. */
static void fp16_one_ulp_off_is_found(void **state)
{
	struct product p;
	uint16_t *c;

	(void)state;
	make(&p, 20, 64, 16, OPERAND_FP16, CHECK_FP16_DEVICE, 64);
	fill_fp16(&p, GENERATE_INTS);
	c = p.C;
	for (int i = 0; i < 20 * 16; i++) {
		uint16_t kept = c[i];

		c[i] = kept ? kept ^ 1 : 0x0400;
		assert_int_equal(checked(&p)->wrong, 1);
		assert_int_equal(p.result.m, i / 16);
		assert_int_equal(p.result.n, i % 16);
		c[i] = kept;
	}
	assert_int_equal(checked(&p)->wrong, 0);
	clean(&p);
}

/* An element from elsewhere, as a wrong layout gives it. */
static void fp16_exchanged_elements_are_found(void **state)
{
	struct product p;
	uint16_t *c, kept;

	(void)state;
	make(&p, 16, 256, 32, OPERAND_FP16, CHECK_FP16_DEVICE, 64);
	fill_fp16(&p, GENERATE_UNIFORM);
	c = p.C;
	kept = c[3 * 32 + 4];
	c[3 * 32 + 4] = c[4 * 32 + 4];
	c[4 * 32 + 4] = kept;
	assert_int_equal(checked(&p)->wrong, 2);
	clean(&p);
}

/* Each K tile narrowed to fp16 on the way, which is what the bound is made for. */
static void fp16_narrowed_per_tile_is_right_and_the_bound_is_not_loose(void **state)
{
	struct product p;
	uint16_t *c;

	(void)state;
	make(&p, 32, 1024, 32, OPERAND_FP16, CHECK_FP16_DEVICE, 32);
	fill_fp16(&p, GENERATE_UNIFORM);
	c = p.C;
	for (int m = 0; m < 32; m++)
		for (int n = 0; n < 32; n++) {
			double partial = 0;

			for (int k = 0; k < 1024; k += 32)
				partial = half_of(bits_of(
					(double)(float)(partial + fp16_sum(&p, m, n, k, k + 32))));
			c[m * 32 + n] = bits_of(partial);
		}
	assert_int_equal(checked(&p)->wrong, 0);
	assert_true(p.result.ratio > 0.1 && p.result.ratio <= 1);
	/* The same bits are wrong where only one rounding was allowed. */
	p.columns[0].kt = 1024;
	assert_true(checked(&p)->wrong > 0);
	clean(&p);
}

static void fp16_nan_and_infinity_are_wrong(void **state)
{
	struct product p;

	(void)state;
	make(&p, 4, 32, 16, OPERAND_FP16, CHECK_FP16_DEVICE, 32);
	fill_fp16(&p, GENERATE_UNIFORM);
	((uint16_t *)p.C)[0] = 0x7e00;
	((uint16_t *)p.C)[17] = 0xfc00;
	assert_int_equal(checked(&p)->wrong, 2);
	assert_true(isinf(p.result.largest));
	clean(&p);
}

static void fp16_overflow_is_counted_as_unbounded(void **state)
{
	struct product p;
	uint16_t *a, *b;

	(void)state;
	make(&p, 4, 32, 16, OPERAND_FP16, CHECK_FP16_DEVICE, 32);
	a = p.A;
	b = p.B;
	for (int k = 0; k < 32; k++) {
		a[2 * 32 + k] = bits_of(64);
		b[5 * 32 + k] = bits_of(64);
	}
	((uint16_t *)p.C)[2 * 16 + 5] = 0x7c00; /* 32 * 4096 = 131072 */
	assert_int_equal(checked(&p)->unbounded, 1);
	assert_int_equal(p.result.wrong, 0);
	clean(&p);
}

static void column_ranges_have_their_own_rounding(void **state)
{
	struct product p;

	(void)state;
	make(&p, 8, 512, 64, OPERAND_FP16, CHECK_FP16_DEVICE, 32);
	fill_fp16(&p, GENERATE_UNIFORM);
	p.columns[0] = (struct check_columns){ 0, 16, 512, CHECK_FP16_DEVICE };
	p.columns[1] = (struct check_columns){ 16, 48, 32, CHECK_FP16_DEVICE };
	p.request.n_columns = 2;
	assert_int_equal(checked(&p)->wrong, 0);
	/* Two ulps off the one rounding of column 3; column 20 may have had sixteen. */
	((uint16_t *)p.C)[3] += 2;
	((uint16_t *)p.C)[20] += 2;
	assert_int_equal(checked(&p)->wrong, 1);
	assert_int_equal(p.result.n, 3);
	clean(&p);
}

/* ---- fp32 ---- */

static void fp32_rounded_once_is_right_and_far_off_is_not(void **state)
{
	struct product p;
	float *c;

	(void)state;
	make(&p, 12, 640, 48, OPERAND_FP16, CHECK_FP32, 128);
	fill_fp16(&p, GENERATE_UNIFORM);
	c = p.C;
	for (int m = 0; m < 12; m++)
		for (int n = 0; n < 48; n++)
			c[m * 48 + n] = (float)fp16_sum(&p, m, n, 0, 640);
	assert_int_equal(checked(&p)->wrong, 0);
	c[7 * 48 + 31] += 1e-3f;
	assert_int_equal(checked(&p)->wrong, 1);
	assert_int_equal(p.result.m, 7);
	assert_int_equal(p.result.n, 31);
	clean(&p);
}

/* ---- the other types ---- */

static double value_at(enum operand_type type, const void *base, size_t at)
{
	static const uint32_t masks[] = {
		[OPERAND_BF16] = 0xffff0000, [OPERAND_TF32] = 0xffffe000
	};
	uint32_t bits;
	float f;

	switch (type) {
	case OPERAND_BF16:
	case OPERAND_TF32:
		memcpy(&bits, (const float *)base + at, sizeof(bits));
		bits &= masks[type];
		memcpy(&f, &bits, sizeof(f));
		return (double)f;
	case OPERAND_INT16:
		return ((const int16_t *)base)[at];
	default:
		return ((const int8_t *)base)[at];
	}
}

static double sum_of(const struct product *p, int m, int n)
{
	double sum = 0;

	for (int k = 0; k < p->request.K; k++)
		sum += value_at(p->request.operand, p->A, (size_t)m * p->request.K + k) *
		       value_at(p->request.operand, p->B, (size_t)n * p->request.K + k);
	return sum;
}

/* The right result, and one that is a bit beyond what the type allows. */
static void every_type_is_right_and_its_error_found(void **state)
{
	static const struct {
		enum operand_type operand;
		enum check_rounding rounding;
	} types[] = { { OPERAND_BF16, CHECK_FP32 },
		      { OPERAND_TF32, CHECK_FP32 },
		      { OPERAND_INT4, CHECK_EXACT },
		      { OPERAND_INT16, CHECK_EXACT64 } };

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		for (int data = 0; data < 2; data++) {
			struct product p;

			make(&p, 12, 640, 48, types[i].operand, types[i].rounding, 128);
			generate(types[i].operand, p.A, (size_t)12 * 640, (enum generate_data)data,
				 1);
			generate(types[i].operand, p.B, (size_t)48 * 640, (enum generate_data)data,
				 2);
			for (int m = 0; m < 12; m++)
				for (int n = 0; n < 48; n++) {
					double sum = sum_of(&p, m, n);

					if (types[i].rounding == CHECK_FP32)
						((float *)p.C)[m * 48 + n] = (float)sum;
					else if (types[i].rounding == CHECK_EXACT)
						((int32_t *)p.C)[m * 48 + n] = (int32_t)sum;
					else
						((int64_t *)p.C)[m * 48 + n] = (int64_t)sum;
				}
			assert_int_equal(checked(&p)->wrong, 0);
			if (types[i].rounding == CHECK_FP32)
				((float *)p.C)[7 * 48 + 31] += 1e-3f;
			else if (types[i].rounding == CHECK_EXACT)
				((int32_t *)p.C)[7 * 48 + 31] ^= 1;
			else
				((int64_t *)p.C)[7 * 48 + 31] ^= 1;
			assert_int_equal(checked(&p)->wrong, 1);
			assert_int_equal(p.result.m, 7);
			assert_int_equal(p.result.n, 31);
			clean(&p);
		}
}

/* ---- recorded vectors ---- */

#define K_MAX 4096

static FILE *recorded(const char *name)
{
	char path[GOLDEN_PATH_MAX];

	return fopen(golden_file(path, name), "r");
}

static int hex_words(const char *text, uint16_t *out)
{
	int count = 0, used;
	unsigned word;

	while (count < K_MAX && sscanf(text, " %x%n", &word, &used) == 1) {
		out[count++] = (uint16_t)word;
		text += used;
	}
	return count;
}

/* Scales by group: rounded as documented it is right, and a scale of another group, row or column
 * is found. */
static void scaled_groups_are_right_and_a_wrong_scale_is_not(void **state)
{
	enum { M = 5, K = 96, N = 7, GROUP = 32, GROUPS = K / GROUP };
	float as[M * GROUPS], bs[N * GROUPS];
	struct product p;

	(void)state;
	make(&p, M, K, N, OPERAND_INT8, CHECK_SCALED, GROUP);
	p.request.a_scale = as;
	p.request.b_scale = bs;
	p.request.group = GROUP;
	for (int i = 0; i < M * K; i++)
		((int8_t *)p.A)[i] = (int8_t)(i * 37 % 255 - 127);
	for (int i = 0; i < N * K; i++)
		((int8_t *)p.B)[i] = (int8_t)(i * 91 % 255 - 127);
	for (int i = 0; i < M * GROUPS; i++)
		as[i] = 0.5f + (float)(i * 7 % 15) / 16.3f;
	for (int i = 0; i < N * GROUPS; i++)
		bs[i] = 0.7f + (float)(i * 11 % 21) / 27.1f;
	for (int m = 0; m < M; m++)
		for (int n = 0; n < N; n++) {
			float sum = 0;

			for (int g = 0; g < GROUPS; g++) {
				int part = 0;
				float factor = as[m * GROUPS + g] * bs[n * GROUPS + g], term;

				for (int k = g * GROUP; k < (g + 1) * GROUP; k++)
					part += ((int8_t *)p.A)[m * K + k] *
						((int8_t *)p.B)[n * K + k];
				term = factor * (float)part;
				sum += term;
			}
			((float *)p.C)[m * N + n] = sum;
		}
	assert_int_equal(checked(&p)->wrong, 0);
	assert_true(p.result.ratio > 0.001);
	as[2 * GROUPS + 1] *= 1 + 0x1p-16f;
	assert_int_equal(checked(&p)->wrong, N);
	assert_int_equal(p.result.m, 2);
	as[2 * GROUPS + 1] /= 1 + 0x1p-16f;
	bs[3 * GROUPS + 2] *= 1 + 0x1p-16f;
	assert_int_equal(checked(&p)->wrong, M);
	assert_int_equal(p.result.n, 3);
	clean(&p);
}

/* One row by one column: the whole matrix is a single element. */
static const struct check_result *single(const uint16_t *a, const uint16_t *b, const void *c, int K,
					 int kt, enum check_rounding rounding)
{
	static struct check_result result;
	const struct check_columns columns = { 0, 1, kt, rounding };
	const struct check_request request = { .M = 1,
					       .K = K,
					       .N = 1,
					       .operand = OPERAND_FP16,
					       .A = a,
					       .B = b,
					       .C = c,
					       .columns = &columns,
					       .n_columns = 1,
					       .threads = 1 };

	assert_int_equal(check_matmul(&request, &result), 0);
	return &result;
}

static void recorded_single_tiles_are_within_bounds(void **state)
{
	static uint16_t a[K_MAX], b[K_MAX];
	static char line[8 * K_MAX];
	int K = 0, cases = 0, bounded = 0;
	FILE *in = recorded("numerics/fp16_base_model.txt");

	(void)state;
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		unsigned word;

		if (line[0] == 'A')
			K = hex_words(line + 2, a);
		else if (line[0] == 'B')
			assert_int_equal(hex_words(line + 2, b), K);
		else if (sscanf(line, "fp32 %x", &word) == 1) {
			assert_int_equal(single(a, b, &word, K, K, CHECK_FP32)->wrong, 0);
		} else if (sscanf(line, "fp16 %x", &word) == 1) {
			uint16_t c = (uint16_t)word;
			const struct check_result *r = single(a, b, &c, K, K, CHECK_FP16_DEVICE);

			assert_int_equal(r->wrong, 0);
			cases++;
			if (r->unbounded)
				continue;
			bounded++;
			c = (c & 0x7fff) < 2 ? 4 : c + 2;
			assert_int_equal(single(a, b, &c, K, K, CHECK_FP16_DEVICE)->wrong, 1);
		}
	}
	fclose(in);
	assert_true(cases >= 8 && bounded >= 4);
}

static void recorded_accumulated_tiles_are_within_bounds(void **state)
{
	static uint16_t a[K_MAX], b[K_MAX], partials[64];
	static char line[8 * K_MAX];
	int kt = 0, tiles = 0, K = 0, cases = 0;
	FILE *in = recorded("numerics/fp16_kacc_model.txt");

	(void)state;
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		int number;

		if (sscanf(line, "case %d Kt=%d nKt=%d", &number, &kt, &tiles) == 3)
			continue;
		if (line[0] == 'A')
			K = hex_words(line + 2, a);
		else if (line[0] == 'B')
			assert_int_equal(hex_words(line + 2, b), K);
		else if (!strncmp(line, "partials ", 9)) {
			assert_int_equal(hex_words(line + 9, partials), tiles);
			assert_int_equal(K, kt * tiles);
			for (int i = 0; i < tiles; i++)
				assert_int_equal(single(a, b, &partials[i], (i + 1) * kt, kt,
							CHECK_FP16_DEVICE)
							 ->wrong,
						 0);
			cases++;
		}
	}
	fclose(in);
	assert_true(cases >= 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(int8_exact_result_is_right),
		cmocka_unit_test(int8_one_flipped_bit_is_found_and_placed),
		cmocka_unit_test(int8_sum_past_32_bits_keeps_its_low_half),
		cmocka_unit_test(fp16_rounded_once_is_right),
		cmocka_unit_test(fp16_one_ulp_off_is_found),
		cmocka_unit_test(fp16_exchanged_elements_are_found),
		cmocka_unit_test(fp16_narrowed_per_tile_is_right_and_the_bound_is_not_loose),
		cmocka_unit_test(fp16_nan_and_infinity_are_wrong),
		cmocka_unit_test(fp16_overflow_is_counted_as_unbounded),
		cmocka_unit_test(column_ranges_have_their_own_rounding),
		cmocka_unit_test(fp32_rounded_once_is_right_and_far_off_is_not),
		cmocka_unit_test(every_type_is_right_and_its_error_found),
		cmocka_unit_test(scaled_groups_are_right_and_a_wrong_scale_is_not),
		cmocka_unit_test(recorded_single_tiles_are_within_bounds),
		cmocka_unit_test(recorded_accumulated_tiles_are_within_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

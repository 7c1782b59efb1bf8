// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_source.c - operands that are converted while they are packed, and integer sums. */
#include <stdlib.h>
#include <string.h>

#include "lib/layout/matmul_layout.h"
#include "support.h"
#include "tests/golden_folder.h"

#define GUARD 0xa5

static uint8_t *random_bytes(struct test_rng *rng, size_t size)
{
	uint8_t *p = malloc(size);

	assert_non_null(p);
	for (size_t i = 0; i < size; i++)
		p[i] = (uint8_t)test_random(rng);
	return p;
}

/* What the description says of each element of a part, one at a time. */
static unsigned element_of(const struct rocket_source *from, unsigned part, const uint8_t *host)
{
	uint32_t word;
	int16_t v;
	int x;

	memcpy(&word, host, from->host_bytes < 4 ? 1 : 4);
	memcpy(&v, host, from->host_bytes < 2 ? 1 : 2);
	x = v < 32639 ? v : 32639;
	if (from == &rocket_source_bf16) /* a NaN stays a NaN */
		return word >> 16 | ((word & 0x7fffffff) - 0x7f800001 < 0xffff ? 0x40 : 0);
	if (from == &rocket_source_int4)
		return *host & 15;
	if (part)
		return (unsigned)x & 255;
	return (unsigned)((x - (int8_t)(x & 255)) >> 8) & 255;
}

static unsigned packed_element(const uint8_t *cube, unsigned bits, size_t index)
{
	if (bits == 4)
		return cube[index / 2] >> index % 2 * 4 & 15;
	return bits == 8 ? cube[index] : cube[2 * index] | (unsigned)cube[2 * index + 1] << 8;
}

static void require_feature(const uint8_t *cube, const struct rocket_source *from, unsigned part,
			    const uint8_t *src, size_t rows, size_t padded, size_t k, size_t stride)
{
	const unsigned bits = from->cube_bits, c2 = 128 / bits;

	for (size_t m = 0; m < padded; m++)
		for (size_t i = 0; i < k; i++)
			assert_int_equal(
				packed_element(cube, bits, rocket_feature_index(padded, c2, m, i)),
				m < rows ? element_of(from, part,
						      src + (m * stride + i) * from->host_bytes)
					 : 0);
}

static void converted_operands_land_where_the_formula_says(void **state)
{
	static const struct {
		const struct rocket_source *from;
		unsigned ng, kg;
	} kinds[] = { { &rocket_source_bf16, 16, 32 },
		      { &rocket_source_int4, 64, 32 },
		      { &rocket_source_int16, 32, 32 } };
	struct test_rng rng = { 5 };

	(void)state;
	for (int round = 0; round < 240; round++) {
		const struct rocket_source *from = kinds[round % 3].from;
		unsigned ng = kinds[round % 3].ng, kg = kinds[round % 3].kg;
		unsigned bits = from->cube_bits;
		size_t rows = (size_t)test_random_in(&rng, 1, 37);
		size_t padded = rows + (size_t)test_random_in(&rng, 0, 5);
		size_t n = ng * (size_t)test_random_in(&rng, 1, 3);
		size_t k = 32 * (size_t)test_random_in(&rng, 1, 12);
		size_t stride = k + (size_t)test_random_in(&rng, 0, 40);
		size_t tall = n > padded ? n : padded;
		uint8_t *src = random_bytes(&rng, tall * stride * from->host_bytes);
		size_t part = tall * k * 2 + 16, size = padded * k * bits / 8;
		uint8_t *cubes = malloc(2 * part);

		memset(cubes, GUARD, 2 * part);
		rocket_pack_feature_from(cubes, part, src, from, rows, padded, k, stride);
		for (unsigned p = 0; p < from->parts; p++)
			require_feature(cubes + p * part, from, p, src, rows, padded, k, stride);
		for (unsigned p = 0; p < 2; p++)
			assert_int_equal(cubes[p * part + (p < from->parts ? size : 0)], GUARD);
		size = n * k * bits / 8;
		memset(cubes, GUARD, 2 * part);
		rocket_pack_weight_from(cubes, part, src, from, n, k, stride, ng, kg);
		for (unsigned p = 0; p < from->parts; p++)
			for (size_t j = 0; j < n; j++)
				for (size_t i = 0; i < k; i++)
					assert_int_equal(packed_element(cubes + p * part, bits,
									rocket_weight_index(
										k, ng, kg, j, i)),
							 element_of(from, p,
								    src + (j * stride +
									   i) * from->host_bytes));
		for (unsigned p = 0; p < 2; p++)
			assert_int_equal(cubes[p * part + (p < from->parts ? size : 0)], GUARD);
		free(src);
		free(cubes);
	}
}

/* Every value at every place among others that fit. */
static void int4_values_are_found_outside_and_packed_inside(void **state)
{
	(void)state;
	for (int v = -128; v <= 127; v++)
		for (unsigned at = 0; at < 32; at++) {
			int8_t values[32];
			uint8_t cube[16];

			for (int i = 0; i < 32; i++)
				values[i] = (int8_t)(i % 16 - 8);
			values[at] = (int8_t)v;
			assert_int_equal(
				rocket_source_int4.convert((void *[2]){ cube }, values, 32),
				v >= -8 && v <= 7);
			for (unsigned i = 0; i < 32; i++)
				assert_int_equal(cube[i / 2] >> i % 2 * 4 & 15, values[i] & 15);
		}
}

/* The edges between numbers, infinities and NaNs, at every place. */
static void bf16_is_cut_and_a_nan_stays_one(void **state)
{
	static const struct {
		uint32_t bits;
		uint16_t want;
	} rows[] = {
		{ 0x00000000, 0x0000 }, { 0x0000ffff, 0x0000 }, { 0x3f80ffff, 0x3f80 },
		{ 0x7f7fffff, 0x7f7f }, { 0x7f800000, 0x7f80 }, { 0x7f800001, 0x7fc0 },
		{ 0x7f80ffff, 0x7fc0 }, { 0x7f810000, 0x7f81 }, { 0x7fc00000, 0x7fc0 },
		{ 0x80000001, 0x8000 }, { 0xff7fffff, 0xff7f }, { 0xff800000, 0xff80 },
		{ 0xff800001, 0xffc0 }, { 0xff80ffff, 0xffc0 }, { 0xffffffff, 0xffff },
	};

	(void)state;
	for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
		for (unsigned at = 0; at < 7; at++) {
			uint32_t words[7];
			uint16_t cube[7];

			for (unsigned i = 0; i < 7; i++)
				words[i] = 0x3f800000;
			words[at] = rows[r].bits;
			assert_true(rocket_source_bf16.convert((void *[2]){ cube }, words, 7));
			for (unsigned i = 0; i < 7; i++)
				assert_int_equal(cube[i], i == at ? rows[r].want : 0x3f80);
		}
}

static bool split(int8_t *high, int8_t *low, int16_t v)
{
	void *const to[ROCKET_SOURCE_PARTS] = { high, low };

	return rocket_source_int16.convert(to, &v, 1);
}

/* Every int16: the recorded rule x = 256 * high + low. */
static void int16_halves_make_up_every_value(void **state)
{
	(void)state;
	for (int x = -32768; x <= 32767; x++) {
		int16_t v = (int16_t)x;
		int8_t high, low;

		assert_int_equal(split(&high, &low, v), x <= 32639);
		assert_int_equal(256 * high + low, x < 32639 ? x : 32639);
	}
}

static void int16_halves_are_the_golden_ones(void **state)
{
	char path[GOLDEN_PATH_MAX], *text, *line, *save = NULL;
	int rows = 0;

	(void)state;
	text = test_read_file(golden_file(path, "numerics/int16_split.txt"));
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		int x, low, high;
		int8_t got_high, got_low;

		if (*line == '#')
			continue;
		assert_int_equal(sscanf(line, "%d %d %d", &x, &low, &high), 3);
		split(&got_high, &got_low, (int16_t)x);
		assert_int_equal(got_high, high);
		assert_int_equal(got_low, low);
		rows++;
	}
	free(text);
	assert_true(rows > 50);
}

static void integer_accumulators_add_each_element_once(void **state)
{
	struct test_rng rng = { 6 };

	(void)state;
	for (int round = 0; round < 150; round++) {
		size_t rows = (size_t)test_random_in(&rng, 1, 21);
		size_t cube_rows = rows + (size_t)test_random_in(&rng, 0, 3);
		size_t n = 8 * (size_t)test_random_in(&rng, 1, 12);
		size_t stride = n + (size_t)test_random_in(&rng, 0, 9);
		size_t groups = (size_t)test_random_in(&rng, 1, 3);
		const bool first = round % 2;
		int16_t *h = (void *)random_bytes(&rng, cube_rows * n * 2);
		int32_t *w = (void *)random_bytes(&rng, 4 * cube_rows * n * 4);
		const size_t cube = cube_rows * n;
		const void *const bytes[4] = { w, w + cube, w + 2 * cube, w + 3 * cube };
		float *scale = calloc((rows + n) * groups, sizeof(*scale));
		const struct rocket_scales scales = { scale, scale + rows * groups, groups };
		int32_t *acc32 = calloc(rows * stride, sizeof(*acc32));
		int64_t *acc64 = calloc(rows * stride, sizeof(*acc64));
		float *acc[2] = { calloc(rows * stride, sizeof(float)),
				  calloc(rows * stride, sizeof(float)) };

		for (size_t i = 0; i < (rows + n) * groups; i++)
			scale[i] = (float)test_random_in(&rng, -1000, 1000) / 512;
		for (size_t i = 0; i < rows * stride; i++) {
			acc32[i] = (int32_t)i - 7;
			acc64[i] = (int64_t)i - 7;
			acc[0][i] = acc[1][i] = (float)i;
		}
		rocket_accumulate_int16(acc32, h, rows, cube_rows, n, stride, first);
		rocket_accumulate_bytes(acc64, bytes, rows, cube_rows, n, stride, first);
		rocket_accumulate_scaled(acc[0], h, 2, rows, cube_rows, n, stride, first, &scales);
		rocket_accumulate_scaled(acc[1], w, 4, rows, cube_rows, n, stride, first, &scales);
		for (size_t m = 0; m < rows; m++)
			for (size_t i = 0; i < stride; i++) {
				size_t at = m * stride + i;
				size_t i8 = rocket_output_index(cube_rows, 8, m, i);
				size_t i4 = rocket_output_index(cube_rows, 4, m, i);
				const int64_t base = first ? 0 : (int64_t)at;
				const int64_t less = first ? 0 : base - 7;
				float factor, term[2];

				if (i >= n) {
					assert_int_equal(acc32[at], at - 7);
					assert_true(acc64[at] == (int64_t)at - 7);
					assert_true(acc[0][at] == (float)at);
					assert_true(acc[1][at] == (float)at);
					continue;
				}
				factor = scale[m * groups] * scale[(rows + i) * groups];
				term[0] = factor * (float)h[i8];
				term[1] = factor * (float)w[i4];
				assert_int_equal(acc32[at], (int)less + h[i8]);
				assert_true(acc64[at] == less + w[i4] * INT64_C(65536) +
								 w[cube + i4] * INT64_C(256) +
								 w[2 * cube + i4] * INT64_C(256) +
								 w[3 * cube + i4]);
				assert_true(acc[0][at] == (float)base + term[0]);
				assert_true(acc[1][at] == (float)base + term[1]);
			}
		free(h);
		free(w);
		free(scale);
		free(acc32);
		free(acc64);
		free(acc[0]);
		free(acc[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(converted_operands_land_where_the_formula_says),
		cmocka_unit_test(int4_values_are_found_outside_and_packed_inside),
		cmocka_unit_test(bf16_is_cut_and_a_nan_stays_one),
		cmocka_unit_test(int16_halves_make_up_every_value),
		cmocka_unit_test(integer_accumulators_add_each_element_once),
		cmocka_unit_test(int16_halves_are_the_golden_ones),
	};

	return test_run_group("source", tests, sizeof(tests) / sizeof(tests[0]), 1);
}

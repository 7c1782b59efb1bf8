// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_layout.c - packed operands and results against recorded ones and naive loops. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/layout/half.h"
#include "lib/layout/kernels.h"
#include "lib/layout/matmul_layout.h"
#include "support.h"

static uint8_t *random_bytes(struct test_rng *rng, size_t size)
{
	uint8_t *p = malloc(size ? size : 1);

	assert_non_null(p);
	for (size_t i = 0; i < size; i++)
		p[i] = (uint8_t)test_random(rng);
	return p;
}

/* ---- recorded operands ---- */

/* The hex block called name: its byte count, and the bytes in *out. */
static size_t golden_block(const char *text, const char *name, uint8_t **out)
{
	char head[32];
	size_t size, at = 0;

	snprintf(head, sizeof(head), "\n%s ", name);
	text = strstr(text, head);
	assert_non_null(text);
	assert_int_equal(sscanf(text + strlen(head), "%zu", &size), 1);
	text = strchr(text + 1, '\n') + 1;
	*out = malloc(size);
	assert_non_null(*out);
	for (unsigned v; at < size; text++) {
		if (*text == '\n')
			continue;
		assert_int_equal(sscanf(text, "%2x", &v), 1);
		(*out)[at++] = (uint8_t)v;
		text++;
	}
	return size;
}

static unsigned golden_number(const char *text, const char *key)
{
	char head[48];
	unsigned v;

	snprintf(head, sizeof(head), "# %s=", key);
	text = strstr(text, head);
	assert_non_null(text);
	assert_int_equal(sscanf(text + strlen(head), "%u", &v), 1);
	return v;
}

static void compare_golden_packing(const char *name)
{
	char path[GOLDEN_PATH_MAX], *text;
	uint8_t *rows, *want, *got;
	size_t size, es;
	unsigned m, k, n;

	text = test_read_file(golden_file(path, name));
	m = golden_number(text, "M");
	k = golden_number(text, "K");
	n = golden_number(text, "N");
	es = golden_number(text, "element_bits") / 8;

	size = golden_block(text, "A_rowmajor", &rows);
	assert_int_equal(size, m * k * es);
	assert_int_equal(golden_block(text, "A_packed", &want), size);
	got = malloc(size);
	rocket_pack_feature(got, rows, es, m, m, k, k);
	assert_memory_equal(got, want, size);
	free(rows);
	free(want);
	free(got);

	size = golden_block(text, "B_rowmajor", &rows);
	assert_int_equal(size, n * k * es);
	assert_int_equal(golden_block(text, "B_packed", &want), size);
	got = malloc(size);
	rocket_pack_weight(got, rows, es, n, k, k, golden_number(text, "weight_N_group"),
			   golden_number(text, "weight_K_group"));
	assert_memory_equal(got, want, size);
	free(rows);
	free(want);
	free(got);
	free(text);
}

static void operands_fp16_are_the_golden_ones(void **state)
{
	(void)state;
	compare_golden_packing("packing/fp16.txt");
}

static void operands_int8_are_the_golden_ones(void **state)
{
	(void)state;
	compare_golden_packing("packing/int8.txt");
}

static void output_offsets_are_the_golden_ones(void **state)
{
	char path[GOLDEN_PATH_MAX], *text, *line, *save = NULL;
	int rows = 0, transposed = 0;

	(void)state;
	text = test_read_file(golden_file(path, "packing/output_maps.csv"));
	strtok_r(text, "\n", &save);
	while ((line = strtok_r(NULL, "\n", &save))) {
		unsigned so, M, N, m, n, offset;
		char writer[32];

		assert_int_equal(sscanf(line, "%31[^,],%u,%u,%u,%u,%u,%u", writer, &so, &M, &N, &m,
					&n, &offset),
				 7);
		if (!strcmp(writer, "int16_transposed")) {
			assert_int_equal(rocket_transposed_index(M, m, n) * so, offset);
			transposed++;
		} else {
			assert_int_equal(rocket_output_index(M, 16 / so, m, n) * so, offset);
			rows++;
		}
	}
	free(text);
	assert_true(rows > 1000);
	assert_int_equal(transposed, 8 * 32);
}

/* ---- worked positions of the layout description, by hand ---- */

static void indices_are_the_worked_examples(void **state)
{
	(void)state;
	/* fp16 tile M 64, K 384, N 96 */
	assert_int_equal(rocket_feature_index(64, 8, 3, 17), 1049);
	assert_int_equal(rocket_weight_index(384, 16, 32, 20, 40), 6792);
	assert_int_equal(rocket_output_index(64, 4, 3, 17), 1037);
	assert_int_equal(rocket_output_index(64, 8, 3, 17), 1049);
	/* fp16 16 x 64, int8 16 x 128, fp16 weights K 64, int8 weights K 128 (bytes) */
	assert_int_equal(rocket_feature_index(16, 8, 3, 10) * 2, 308);
	assert_int_equal(rocket_feature_index(16, 16, 3, 17), 305);
	assert_int_equal(rocket_weight_index(64, 16, 32, 17, 33) * 2, 3138);
	assert_int_equal(rocket_weight_index(128, 32, 32, 33, 40), 5160);
}

/* ---- random sizes against the index formulas ---- */

#define GUARD 0xa5

static void feature_rows_land_where_the_formula_says(void **state)
{
	struct test_rng rng = { 1 };

	(void)state;
	for (int round = 0; round < 300; round++) {
		size_t es = (size_t)1 << test_random_in(&rng, 0, 2), c2 = 16 / es;
		size_t rows = (size_t)test_random_in(&rng, 1, 37);
		size_t padded = rows + (size_t)test_random_in(&rng, 0, 5);
		size_t k = c2 * (size_t)test_random_in(&rng, 1, 24);
		size_t stride = k + (size_t)test_random_in(&rng, 0, 40);
		uint8_t *src = random_bytes(&rng, rows * stride * es);
		size_t size = padded * k * es;
		uint8_t *dst = malloc(size + 16), *want = calloc(size + 16, 1);

		memset(dst, GUARD, size + 16);
		memset(want + size, GUARD, 16);
		for (size_t m = 0; m < rows; m++)
			for (size_t i = 0; i < k; i++)
				memcpy(want + rocket_feature_index(padded, (unsigned)c2, m, i) * es,
				       src + (m * stride + i) * es, es);
		rocket_pack_feature(dst, src, es, rows, padded, k, stride);
		assert_memory_equal(dst, want, size + 16);
		free(src);
		free(dst);
		free(want);
	}
}

static void weights_land_where_the_formula_says(void **state)
{
	static const struct {
		size_t es;
		unsigned ng, kg;
	} kinds[] = { { 2, 16, 32 }, { 1, 32, 32 }, { 4, 16, 16 } };
	struct test_rng rng = { 2 };

	(void)state;
	for (int round = 0; round < 200; round++) {
		int kind = test_random_in(&rng, 0, 2);
		size_t es = kinds[kind].es;
		unsigned ng = kinds[kind].ng, kg = kinds[kind].kg;
		size_t n = ng * (size_t)test_random_in(&rng, 1, 5);
		size_t k = kg * (size_t)test_random_in(&rng, 1, 9);
		size_t stride = k + (size_t)test_random_in(&rng, 0, 40);
		uint8_t *src = random_bytes(&rng, n * stride * es);
		size_t size = n * k * es;
		uint8_t *dst = malloc(size + 16), *want = malloc(size + 16);

		memset(dst, GUARD, size + 16);
		memset(want, GUARD, size + 16);
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < k; j++)
				memcpy(want + rocket_weight_index(k, ng, kg, i, j) * es,
				       src + (i * stride + j) * es, es);
		rocket_pack_weight(dst, src, es, n, k, stride, ng, kg);
		assert_memory_equal(dst, want, size + 16);
		free(src);
		free(dst);
		free(want);
	}
}

static void output_rows_come_from_where_the_formula_says(void **state)
{
	struct test_rng rng = { 3 };

	(void)state;
	for (int round = 0; round < 300; round++) {
		size_t so = test_random_in(&rng, 0, 1) ? 4 : 2, o2 = 16 / so;
		size_t rows = (size_t)test_random_in(&rng, 1, 37);
		size_t cube_rows = rows + (size_t)test_random_in(&rng, 0, 4);
		size_t n = o2 * (size_t)test_random_in(&rng, 1, 24);
		size_t stride = n + (size_t)test_random_in(&rng, 0, 40);
		uint8_t *src = random_bytes(&rng, cube_rows * n * so);
		uint8_t *dst = malloc(rows * stride * so), *want = malloc(rows * stride * so);

		memset(dst, GUARD, rows * stride * so);
		memset(want, GUARD, rows * stride * so);
		for (size_t m = 0; m < rows; m++)
			for (size_t i = 0; i < n; i++)
				memcpy(want + (m * stride + i) * so,
				       src + rocket_output_index(cube_rows, (unsigned)o2, m, i) *
						       so,
				       so);
		rocket_unpack_output(dst, src, so, rows, cube_rows, n, stride);
		assert_memory_equal(dst, want, rows * stride * so);
		free(src);
		free(dst);
		free(want);
	}
}

/* Random finite values whose sums a naive loop repeats exactly. */
static void accumulators_add_each_element_once(void **state)
{
	struct test_rng rng = { 4 };

	(void)state;
	for (int round = 0; round < 200; round++) {
		size_t rows = (size_t)test_random_in(&rng, 1, 21);
		size_t cube_rows = rows + (size_t)test_random_in(&rng, 0, 3);
		size_t n = 8 * (size_t)test_random_in(&rng, 1, 12);
		size_t stride = n + (size_t)test_random_in(&rng, 0, 9);
		uint16_t *h = calloc(cube_rows * n, sizeof(*h));
		float *f = calloc(cube_rows * n, sizeof(*f));
		int32_t *w = calloc(cube_rows * n, sizeof(*w));
		float *acc16 = calloc(rows * stride, sizeof(*acc16));
		double *acc32 = calloc(rows * stride, sizeof(*acc32));
		int32_t *acci = calloc(rows * stride, sizeof(*acci));

		for (size_t i = 0; i < cube_rows * n; i++) {
			h[i] = (uint16_t)(test_random(&rng) % 0x7c00 |
					  (test_random(&rng) & 0x8000));
			f[i] = (float)test_random_in(&rng, -100000, 100000) / 1024;
			w[i] = (int32_t)test_random(&rng);
		}
		const bool first = round % 2;

		for (size_t i = 0; i < rows * stride; i++) {
			acc16[i] = (float)i;
			acc32[i] = (double)i;
			acci[i] = (int32_t)i;
		}
		rocket_accumulate_fp16(acc16, h, rows, cube_rows, n, stride, first);
		rocket_accumulate_fp32(acc32, f, rows, cube_rows, n, stride, first);
		rocket_accumulate_int32(acci, w, rows, cube_rows, n, stride, first);
		for (size_t m = 0; m < rows; m++)
			for (size_t i = 0; i < stride; i++) {
				size_t at = m * stride + i;
				size_t i8 = rocket_output_index(cube_rows, 8, m, i);
				size_t i4 = rocket_output_index(cube_rows, 4, m, i);
				_Float16 half;

				if (i >= n) {
					assert_true(acc16[at] == (float)at);
					assert_true(acc32[at] == (double)at);
					assert_int_equal(acci[at], at);
					continue;
				}
				memcpy(&half, &h[i8], sizeof(half));
				assert_true(acc16[at] == (first ? 0 : (float)at) + (float)half);
				assert_true(acc32[at] == (first ? 0 : (double)at) + (double)f[i4]);
				assert_int_equal((uint32_t)acci[at],
						 (first ? 0 : (uint32_t)at) + (uint32_t)w[i4]);
			}
		free(h);
		free(f);
		free(w);
		free(acc16);
		free(acc32);
		free(acci);
	}
}

/* What the formula says lies at row m and column n of a cube, whose results have so many bytes. */
static int32_t result_at(const void *cube, size_t cube_rows, size_t bytes, size_t m, size_t n)
{
	const size_t at = rocket_output_index(cube_rows, (unsigned)(16 / bytes), m, n);

	return bytes == 2 ? ((const int16_t *)cube)[at] : ((const int32_t *)cube)[at];
}

/* Totals of some tiles, two to a group now and then, by whatever loops the CPU has. */
static void totals_are_sums_in_the_order_of_tiles(void **state)
{
	enum { TILES = 19, ROWS = 72, COLUMNS = 96, GROUPS = 12 };
	static const uint32_t groups[TILES] = { 0, 1, 1, 3, 3, 4, 4, 5,  5, 6,
						6, 7, 7, 8, 8, 9, 9, 11, 11 };
	enum { CUBE = (ROWS + 3) * COLUMNS };
	static int32_t cubes[TILES * CUBE];
	static float row[ROWS * GROUPS], column[COLUMNS * GROUPS];
	static uint32_t seed[ROWS * COLUMNS];
	struct test_rng rng = { 41 };

	(void)state;
	for (int round = 0; round < 60; round++) {
		const size_t rows = 4 * (size_t)test_random_in(&rng, 1, ROWS / 4);
		const size_t n = 16 * (size_t)test_random_in(&rng, 1, COLUMNS / 16);
		const size_t bytes = round & 1 ? 2 : 4, pitch = (n + (round & 2 ? 16 : 3)) * 4;
		const bool scaled = round & 4, soon = round & 8;
		const void *list[TILES];
		const struct rocket_tiles tiles = {
			.seed = round % 3 ? NULL : seed,
			.seed_pitch = COLUMNS * 4,
			.cubes = list,
			.count = (size_t)test_random_in(&rng, 1, TILES),
			.cube_rows = rows + (size_t)test_random_in(&rng, 0, 3),
			.scales = { scaled ? row : NULL, scaled ? column : NULL, GROUPS },
			.groups = groups,
		};
		uint8_t *c = aligned_alloc(64, (rows * pitch + 63) / 64 * 64);

		assert_non_null(c);
		memset(c, GUARD, rows * pitch);
		for (size_t i = 0; i < TILES * CUBE; i++)
			cubes[i] = (int32_t)test_random(&rng);
		for (size_t i = 0; i < TILES; i++)
			list[i] = cubes + i * CUBE;
		/* Finite as floats; integers from which sums wrap. */
		for (size_t i = 0; i < ROWS * COLUMNS; i++)
			seed[i] = scaled ? 0x40000000 + (test_random(&rng) >> 6)
					 : INT32_MAX - (int)test_random_in(&rng, 0, 10000);
		for (size_t i = 0; i < ROWS * GROUPS; i++)
			row[i] = (float)test_random_in(&rng, -1000, 1000) / 512;
		for (size_t i = 0; i < COLUMNS * GROUPS; i++)
			column[i] = (float)test_random_in(&rng, -1000, 1000) / 512;
		(scaled       ? bytes == 2 ? rocket_total_scaled_int16 : rocket_total_scaled_int32
		 : bytes == 2 ? rocket_total_int16
			      : rocket_total_int32)(c, pitch, rows, n, soon, &tiles);
		for (size_t m = 0; m < rows; m++)
			for (size_t i = 0; i < pitch / 4; i++) {
				uint32_t whole = 0, got;
				float sum = 0, got_sum;

				memcpy(&got, c + m * pitch + 4 * i, sizeof(got));
				memcpy(&got_sum, &got, sizeof(got));
				if (tiles.seed && i < n) {
					whole = seed[m * COLUMNS + i];
					memcpy(&sum, &whole, sizeof(sum));
				}
				if (i >= n) {
					assert_int_equal(got, 0x01010101u * GUARD);
					continue;
				}
				for (size_t t = 0; t < tiles.count; t++) {
					const int32_t x =
						result_at(list[t], tiles.cube_rows, bytes, m, i);
					const float scale = row[m * GROUPS + groups[t]] *
							    column[i * GROUPS + groups[t]];

					whole += (uint32_t)x;
					sum += scale * (float)x;
				}
				if (scaled)
					assert_true(got_sum == sum);
				else
					assert_int_equal(got, whole);
			}
		free(c);
	}
}

/* ---- binary16 ---- */

/* The value of half bits by the definition of the format. */
static double half_value(uint16_t h)
{
	int e = h >> 10 & 31, f = h & 1023;
	double v = e ? ldexp(1024 + f, e - 25) : ldexp(f, -24);

	return h & 0x8000 ? -v : v;
}

static void half_to_float_is_exact_for_every_half(void **state)
{
	(void)state;
	for (unsigned h = 0; h < 0x10000; h++) {
		float f = rocket_half_to_float((uint16_t)h);
		unsigned mag = h & 0x7fff;

		if (mag > 0x7c00)
			assert_true(isnan(f) && (rocket_bits_of_float(f) >> 13 & 0x3ff) ==
							((h & 0x3ff) | 0x200));
		else if (mag == 0x7c00)
			assert_true(isinf(f));
		else
			assert_true((double)f == half_value((uint16_t)h));
		assert_int_equal(signbit(f) != 0, h >> 15);
	}
}

/* The rounding of every interval between neighbouring halves, at and around its middle. */
static void float_to_half_rounds_to_nearest_even(void **state)
{
	(void)state;
	for (unsigned h = 0; h < 0x7c00; h++) {
		double lo = half_value((uint16_t)h);
		double hi = h == 0x7bff ? 65536.0 : half_value((uint16_t)(h + 1));
		float mid = (float)((lo + hi) / 2);
		unsigned even = h & 1 ? h + 1 : h;

		assert_true((double)mid == (lo + hi) / 2);
		for (unsigned sign = 0; sign <= 0x8000; sign += 0x8000) {
			float s = sign ? -1.0f : 1.0f;

			assert_int_equal(rocket_float_to_half(s * (float)lo), h | sign);
			assert_int_equal(rocket_float_to_half(s * mid), even | sign);
			assert_int_equal(rocket_float_to_half(s * nextafterf(mid, 0)), h | sign);
			assert_int_equal(rocket_float_to_half(s * nextafterf(mid, INFINITY)),
					 (h + 1) | sign);
		}
	}
	assert_int_equal(rocket_float_to_half(INFINITY), 0x7c00);
	assert_int_equal(rocket_float_to_half(-INFINITY), 0xfc00);
	assert_int_equal(rocket_float_to_half(FLT_MAX), 0x7c00);
	assert_int_equal(rocket_float_to_half(0x1p-149f), 0);
	assert_int_equal(rocket_float_to_half(-0.0f), 0x8000);
	/* A NaN stays one even when its payload's top bits are clear. */
	assert_int_equal(rocket_float_to_half(rocket_float_of_bits(0x7f800001)), 0x7e00);
	assert_int_equal(rocket_float_to_half(rocket_float_of_bits(0xffc02000)), 0xfe01);
}

/* ---- vector tables give the portable table's bits ---- */

/* Room that begins a line, or some atoms or bytes after one. */
static uint8_t *room(struct test_rng *rng, size_t bytes, uint8_t **base)
{
	static const size_t offsets[] = { 0, 16, 48, 2 };

	*base = aligned_alloc(64, (bytes + 128) / 64 * 64);
	assert_non_null(*base);
	return *base + offsets[test_random_in(rng, 0, 3)];
}

struct move {
	size_t rows, cube_rows, atoms, pitch;
};

static void random_move(struct test_rng *rng, struct move *v)
{
	v->rows = (size_t)test_random_in(rng, 1, 70);
	v->cube_rows = v->rows + (size_t)test_random_in(rng, 0, 5);
	v->atoms = (size_t)test_random_in(rng, 1, 40);
	v->pitch = (v->atoms + (size_t)test_random_in(rng, 0, 3)) * 16 + 2;
	/* Whole lines, which vector loops may treat otherwise. */
	if (test_random_in(rng, 0, 1))
		v->cube_rows = (v->cube_rows + 3) / 4 * 4;
	if (test_random_in(rng, 0, 1))
		v->pitch = (v->pitch + 63) / 64 * 64;
}

static void compare_moves(const struct rocket_layout_kernels *a,
			  const struct rocket_layout_kernels *b, struct test_rng *rng)
{
	const bool stream = test_random_in(rng, 0, 1);
	uint8_t *base[3], *src, *x, *y;
	size_t cube, flat, most;
	struct move v;

	random_move(rng, &v);
	cube = v.cube_rows * v.atoms * 16;
	flat = v.rows * v.pitch;
	most = cube > flat ? cube : flat;
	src = room(rng, most, &base[0]);
	x = room(rng, most, &base[1]);
	y = room(rng, most, &base[2]);
	for (size_t i = 0; i < most; i++)
		src[i] = (uint8_t)test_random(rng);
	memset(x, GUARD, cube);
	memset(y, GUARD, cube);
	a->rows_to_cube(x, src, v.rows, v.cube_rows, v.atoms, v.pitch, stream);
	b->rows_to_cube(y, src, v.rows, v.cube_rows, v.atoms, v.pitch, stream);
	assert_memory_equal(x, y, cube);
	memset(x, GUARD, flat);
	memset(y, GUARD, flat);
	a->cube_to_rows(x, src, v.rows, v.cube_rows, v.atoms, v.pitch, stream);
	b->cube_to_rows(y, src, v.rows, v.cube_rows, v.atoms, v.pitch, stream);
	assert_memory_equal(x, y, flat);
	for (unsigned i = 0; i < 3; i++)
		free(base[i]);
}

static void compare_runs(const struct rocket_layout_kernels *a,
			 const struct rocket_layout_kernels *b, struct test_rng *rng)
{
	static const size_t runs[] = { 16, 32, 64 };
	const bool stream = test_random_in(rng, 0, 1);
	size_t run = runs[test_random_in(rng, 0, 2)], rows = (size_t)test_random_in(rng, 1, 64);
	size_t bytes = run * (size_t)test_random_in(rng, 1, 40);
	size_t pitch = bytes + (size_t)test_random_in(rng, 0, 40);
	uint8_t *base[2], *src = random_bytes(rng, rows * pitch);
	uint8_t *x = room(rng, rows * bytes + 16, &base[0]);
	uint8_t *y = room(rng, rows * bytes + 16, &base[1]);

	memset(x, GUARD, rows * bytes + 16);
	memset(y, GUARD, rows * bytes + 16);
	a->rows_to_runs(x, src, rows, run, bytes, pitch, stream);
	b->rows_to_runs(y, src, rows, run, bytes, pitch, stream);
	assert_memory_equal(x, y, rows * bytes + 16);
	free(src);
	free(base[0]);
	free(base[1]);
}

static void compare_copies(const struct rocket_layout_kernels *a,
			   const struct rocket_layout_kernels *b, struct test_rng *rng)
{
	const size_t rows = (size_t)test_random_in(rng, 1, 9);
	const size_t bytes = (size_t)test_random_in(rng, 1, 300);
	const size_t from = bytes + (size_t)test_random_in(rng, 0, 40);
	/* Of whole lines, or not. */
	const size_t to = test_random_in(rng, 0, 3) ? (bytes + 63) / 64 * 64 : bytes + 3;
	const size_t start = 4 * (size_t)test_random_in(rng, 0, 15), size = rows * to + 64;
	const bool stream = test_random_in(rng, 0, 3);
	uint8_t *src = random_bytes(rng, rows * from);
	uint8_t *x = aligned_alloc(64, (size + 127) / 64 * 64), *y = malloc(size);

	assert_true(x && y);
	memset(x, GUARD, size);
	memset(y, GUARD, size);
	a->copy_rows(y, to, src, from, rows, bytes, stream);
	b->copy_rows(x + start, to, src, from, rows, bytes, stream);
	for (size_t m = 0; m < rows; m++)
		assert_memory_equal(y + m * to, src + m * from, bytes);
	assert_memory_equal(x + start, y, size - 64);
	assert_true(!start || x[start - 1] == GUARD);
	assert_int_equal(x[start + size - 64], y[size - 64]);
	free(src);
	free(x);
	free(y);
}

/* Of both tables, on accumulators x and y that hold the same random bits or zeros. */
#define COMPARE_SUM(add, type, random_start, ...)                                                  \
	do {                                                                                       \
		for (size_t i = 0; i < flat; i++)                                                  \
			((uint8_t *)x)[i] = ((uint8_t *)y)[i] =                                    \
				(random_start) ? (uint8_t)test_random(rng) : 0;                    \
		a->add((type *)x, src, rows, cube_rows, atoms, stride, ##__VA_ARGS__);             \
		b->add((type *)y, src, rows, cube_rows, atoms, stride, ##__VA_ARGS__);             \
		assert_memory_equal(x, y, flat);                                                   \
	} while (0)

static void compare_sums(const struct rocket_layout_kernels *a,
			 const struct rocket_layout_kernels *b, struct test_rng *rng)
{
	size_t rows = (size_t)test_random_in(rng, 1, 19);
	size_t cube_rows = rows + (size_t)test_random_in(rng, 0, 5);
	size_t atoms = (size_t)test_random_in(rng, 1, 20);
	size_t stride = atoms * 8 + (size_t)test_random_in(rng, 0, 5);
	size_t cube = cube_rows * atoms * 16, flat = rows * stride * sizeof(double);
	uint8_t *src = random_bytes(rng, cube), *bytes = random_bytes(rng, 4 * cube);
	const uint8_t *const cubes[4] = { bytes, bytes + cube, bytes + 2 * cube, bytes + 3 * cube };
	void *x = calloc(flat, 1), *y = calloc(flat, 1);
	float row[19], column[160];
	const bool first = test_random_in(rng, 0, 1);

	for (unsigned i = 0; i < 19; i++)
		row[i] = (float)test_random_in(rng, -1000, 1000) / 512;
	for (unsigned i = 0; i < 160; i++)
		column[i] = (float)test_random_in(rng, -1000, 1000) / 512;
	/* Any bits may be in the cube: zero accumulators keep NaN sums of two NaNs out. */
	COMPARE_SUM(add_fp16, float, first, first);
	COMPARE_SUM(add_fp32, double, first, first);
	COMPARE_SUM(add_int32, int32_t, true, first);
	COMPARE_SUM(add_int16, int32_t, true, first);
	COMPARE_SUM(add_scaled_int32, float, first, first, row, column);
	COMPARE_SUM(add_scaled_int16, float, first, first, row, column);
	/* Sums of any bits: nothing of four cubes leaves 64 bits. */
	memset(x, 1, flat);
	memset(y, 1, flat);
	a->add_bytes(x, cubes, rows, cube_rows, atoms, stride, first);
	b->add_bytes(y, cubes, rows, cube_rows, atoms, stride, first);
	assert_memory_equal(x, y, flat);
	free(bytes);
	free(src);
	free(x);
	free(y);
}

/* Of any bits, over some cubes, into lines or between them. */
static void compare_totals(const struct rocket_layout_kernels *a,
			   const struct rocket_layout_kernels *b, struct test_rng *rng)
{
	const size_t rows = 4 * (size_t)test_random_in(rng, 1, 6);
	const size_t atoms = 4 * (size_t)test_random_in(rng, 1, 6);
	const bool stream = test_random_in(rng, 0, 1), seeded = test_random_in(rng, 0, 1);
	const size_t pitch = stream ? atoms * 32 + 64 : atoms * 32 + 4;
	const size_t cube_rows = rows + (size_t)test_random_in(rng, 0, 5);
	const size_t cube = cube_rows * atoms * 16, flat = rows * pitch;
	uint8_t *bytes = random_bytes(rng, 3 * cube);
	const uint8_t *const cubes[3] = { bytes, bytes + cube, bytes + 2 * cube };
	uint8_t *x = aligned_alloc(64, (flat + 63) / 64 * 64);
	uint8_t *y = aligned_alloc(64, (flat + 63) / 64 * 64);
	float row[3 * 24], column[3 * 192];
	struct rocket_total t = {
		.pitch = pitch,
		.rows = rows,
		.atoms = atoms,
		.stream = stream,
		.seed_pitch = pitch,
		.cubes = cubes,
		.count = (size_t)test_random_in(rng, 1, 3),
		.cube_rows = cube_rows,
		.row = row,
		.column = column,
		.row_step = 24,
		.column_step = 192,
	};
	void (*const functions[][2])(const struct rocket_total *) = {
		{ a->total_int32, b->total_int32 },
		{ a->total_int16, b->total_int16 },
		{ a->total_scaled_int32, b->total_scaled_int32 },
		{ a->total_scaled_int16, b->total_scaled_int16 },
	};

	assert_true(x && y);
	for (unsigned i = 0; i < 3 * 24; i++)
		row[i] = (float)test_random_in(rng, -1000, 1000) / 512;
	for (unsigned i = 0; i < 3 * 192; i++)
		column[i] = (float)test_random_in(rng, -1000, 1000) / 512;
	for (unsigned i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		/* Bits that are a small float, too. */
		memset(x, GUARD, flat);
		memset(y, GUARD, flat);
		t.dst = x;
		t.seed = seeded ? x : NULL;
		functions[i][0](&t);
		t.dst = y;
		t.seed = seeded ? y : NULL;
		functions[i][1](&t);
		assert_memory_equal(x, y, flat);
	}
	free(bytes);
	free(x);
	free(y);
}

static void compare_operands(const struct rocket_layout_kernels *a,
			     const struct rocket_layout_kernels *b, struct test_rng *rng)
{
	size_t count = 32 * (size_t)test_random_in(rng, 1, 9);
	size_t odd = count - (size_t)test_random_in(rng, 0, 31);
	uint8_t *src = random_bytes(rng, count * 4), x[640], y[640];
	int kind = test_random_in(rng, 0, 2);
	double wide[64];

	/* Operands in range, and some fp32 NaNs of every payload. */
	for (size_t i = 0; kind && i < count; i++)
		src[i] = (uint8_t)test_random_in(rng, kind == 1 ? -8 : -9, 7);
	memset(x, GUARD, sizeof(x));
	memset(y, GUARD, sizeof(y));
	assert_int_equal(a->to_int4(x, src, count), b->to_int4(y, src, count));
	assert_memory_equal(x, y, sizeof(x));
	assert_int_equal(a->split_int16(x, x + 320, src, odd),
			 b->split_int16(y, y + 320, src, odd));
	assert_memory_equal(x, y, sizeof(x));
	for (size_t i = 0; i < count; i++)
		if (!test_random_in(rng, 0, 3)) {
			uint32_t bits = 0x7f800000 | (uint32_t)test_random_in(rng, 0, 3) << 15;

			bits |= (uint32_t)test_random_in(rng, 0, 1) << 31;
			bits |= (uint32_t)test_random_in(rng, 0, 1);
			memcpy(src + 4 * i, &bits, sizeof(bits));
		}
	assert_int_equal(a->to_bf16(x, src, odd), b->to_bf16(y, src, odd));
	assert_memory_equal(x, y, sizeof(x));
	for (unsigned i = 0; i < 64; i++)
		wide[i] = ldexp(test_random_in(rng, -(1 << 29), 1 << 29),
				test_random_in(rng, -180, 100));
	a->double_to_float((float *)(void *)x, wide, odd % 65);
	b->double_to_float((float *)(void *)y, wide, odd % 65);
	assert_memory_equal(x, y, sizeof(x));
	free(src);
}

static void compare_conversions(const struct rocket_layout_kernels *a,
				const struct rocket_layout_kernels *b, struct test_rng *rng)
{
	size_t count = (size_t)test_random_in(rng, 1, 100);
	uint32_t *bits = (uint32_t *)(void *)random_bytes(rng, count * 4);
	float x[100], y[100];
	uint16_t hx[100], hy[100];

	/* Put most of the floats where halves live. */
	for (size_t i = 0; i < count; i++)
		if (test_random_in(rng, 0, 3))
			bits[i] = (bits[i] & 0x87ffffff) | 0x38000000;
	a->float_to_half(hx, (const float *)(const void *)bits, count);
	b->float_to_half(hy, (const float *)(const void *)bits, count);
	assert_memory_equal(hx, hy, count * 2);
	a->half_to_float(x, (const uint16_t *)(const void *)bits, count);
	b->half_to_float(y, (const uint16_t *)(const void *)bits, count);
	assert_memory_equal(x, y, count * 4);
	free(bits);
}

static void vector_loops_give_the_portable_bits(void **state)
{
	const struct rocket_layout_kernels *portable = rocket_layout_kernels_at(0), *k;
	struct test_rng rng = { 6 };

	(void)state;
	if (!rocket_layout_kernels_at(1))
		print_message("# this CPU has no vector loops to compare\n");
	for (unsigned i = 1; (k = rocket_layout_kernels_at(i)); i++) {
		for (int round = 0; round < 300; round++) {
			compare_moves(portable, k, &rng);
			compare_runs(portable, k, &rng);
			compare_copies(portable, k, &rng);
			compare_operands(portable, k, &rng);
			compare_sums(portable, k, &rng);
			compare_totals(portable, k, &rng);
			compare_conversions(portable, k, &rng);
		}
	}
}

static void vector_conversions_agree_on_every_half(void **state)
{
	const struct rocket_layout_kernels *k;
	uint16_t all[64], back[64];
	float wide[64];

	(void)state;
	for (unsigned i = 0; (k = rocket_layout_kernels_at(i)); i++) {
		for (unsigned h = 0; h < 0x10000; h += 64) {
			for (unsigned j = 0; j < 64; j++)
				all[j] = (uint16_t)(h + j);
			k->half_to_float(wide, all, 64);
			k->float_to_half(back, wide, 64);
			for (unsigned j = 0; j < 64; j++) {
				unsigned quiet = (all[j] & 0x7fff) > 0x7c00 ? 0x200 : 0;

				assert_int_equal(
					rocket_bits_of_float(wide[j]),
					rocket_bits_of_float(rocket_half_to_float(all[j])));
				assert_int_equal(back[j], all[j] | quiet);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(indices_are_the_worked_examples),
		cmocka_unit_test(feature_rows_land_where_the_formula_says),
		cmocka_unit_test(weights_land_where_the_formula_says),
		cmocka_unit_test(output_rows_come_from_where_the_formula_says),
		cmocka_unit_test(accumulators_add_each_element_once),
		cmocka_unit_test(totals_are_sums_in_the_order_of_tiles),
		cmocka_unit_test(half_to_float_is_exact_for_every_half),
		cmocka_unit_test(float_to_half_rounds_to_nearest_even),
		cmocka_unit_test(vector_loops_give_the_portable_bits),
		cmocka_unit_test(vector_conversions_agree_on_every_half),
		cmocka_unit_test(operands_fp16_are_the_golden_ones),
		cmocka_unit_test(operands_int8_are_the_golden_ones),
		cmocka_unit_test(output_offsets_are_the_golden_ones),
	};

	return test_run_group("layout", tests, sizeof(tests) / sizeof(tests[0]), 3);
}

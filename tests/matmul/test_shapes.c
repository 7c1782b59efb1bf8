// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_shapes.c - the shapes that must be right, in every way to multiply, on the simulated NPU. */
#include <stdlib.h>
#include <string.h>

#include "form.h"
#include "long.h"
#include "tests/model/effort.h"

static bool whole(void)
{
	return test_extent() != TEST_PART;
}

/* An emulated processor gets the small ones. */
static bool is_too_dear(struct test_shape s)
{
	return effort(100) < 100 && (int64_t)s.M * s.K * s.N > 1 << 22;
}

/* ---- named shapes ---- */

/* M = 0: every row count that is taken, 1 to 64. K and N are aligned as they are, or padded. */
static const struct {
	struct test_shape s;
	bool quick;
	const char *forms; /* NULL: those that take it; else these */
} named[] = {
	{ { 4, 32, 64 }, true, NULL },
	{ { 4, 48, 64 }, true, "tf32" },
	{ { 64, 512, 512 }, true, NULL },
	{ { 128, 1024, 1024 }, false, NULL },
	{ { 0, 256, 192 }, true, NULL },
	{ { 0, 2048, 512 }, false, "fp16 fp16-f32 int8 int4 bf16 tf32" },
	{ { 1, 4096, 4096 }, false, NULL },
	{ { 1, 4096, 256 }, true, "fp16 int8" },
	{ { 1024, 1024, 1024 }, false, NULL },
	{ { 512, 3840, 4096 }, false, NULL },
	{ { 2048, 2048, 4096 }, false, "fp16 fp16-mt fp16-f32 int8 int4 bf16" },
	{ { 512, 15360, 3840 }, false, "fp16 fp16-mt fp16-f32 int8 int4 int4-capped" },
	{ { 1, 8192, 8192 }, false, "fp16 fp16-f32 bf16 tf32 int8 int4" },
	{ { 4, 10240, 16 }, true, "fp16 fp16-f32 bf16" },
	{ { 12, 10240, 64 }, true, "fp16 fp16-f32 fp16-rows int8 int4" },
};
#define N_NAMED (sizeof(named) / sizeof(named[0]))

/* Unaligned in places: padded. */
static const struct test_shape padded[] = {
	{ 4, 32, 16 }, { 1, 8192, 15000 }, { 1, 18605, 8192 }, { 424, 424, 424 }, { 1, 1, 1 },
};

static bool is_listed(const char *list, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += length)
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

/* Of the largest, some see one form of each type: smaller ones have every form cut K, M and N. */
static bool is_repetition(struct test_shape s, const char *form)
{
	return test_extent() == TEST_SOME && (int64_t)s.M * s.K * s.N > (int64_t)1 << 32 &&
	       !is_listed("fp16 fp16-f32 bf16 tf32 int8 int4 int4-capped int16", form);
}

static void check_named(unsigned row, const struct form *form, int fd, struct test_rng *rng)
{
	struct test_shape s = named[row].s;

	if (named[row].forms && !is_listed(named[row].forms, form_name(form)))
		return;
	if (is_too_dear(s) || is_repetition(s, form_name(form)))
		return;
	if (s.M) {
		if (form_takes(form, s))
			form_check(form, fd, rng, s);
		else if (named[row].forms)
			fail_msg("%s does not take %dx%dx%d", form_name(form), s.M, s.K, s.N);
		return;
	}
	for (s.M = 1; s.M <= 64; s.M++)
		if (form_takes(form, s) && (whole() || s.M % 12 < 2))
			form_check(form, fd, rng, s);
}

static void named_shapes_are_right(void **state)
{
	struct test_rng rng = { 900 };
	int fd = test_open("");

	(void)state;
	for (unsigned i = 0; i < N_NAMED; i++)
		for (unsigned f = 0; f < n_forms && (named[i].quick || whole()); f++)
			check_named(i, form_at(f), fd, &rng);
	rocket_close(fd);
}

static void unaligned_shapes_are_right_when_padded(void **state)
{
	static const char *const names[] = { "fp16", "fp16-f32", "bf16", "tf32",
					     "int8", "int16",    "int4" };
	struct test_rng rng = { 910 };
	int fd = test_open("");

	(void)state;
	for (unsigned i = 0; i < sizeof(padded) / sizeof(padded[0]); i++)
		for (unsigned f = 0; f < sizeof(names) / sizeof(names[0]); f++) {
			const int64_t work = (int64_t)padded[i].M * padded[i].K * padded[i].N;

			if (whole() ||
			    (work < 100000000 && (f == 0 || i != 3) && !is_too_dear(padded[i])))
				form_check_padded(form_named(names[f]), fd, &rng, padded[i]);
		}
	rocket_close(fd);
}

/* ---- the helpers that pad ---- */

static void shapes_are_rounded_up_to_what_a_type_takes(void **state)
{
	static const struct {
		const char *dtype;
		int m, k, n, want_m, want_k, want_n;
	} rows[] = {
		{ "fp16", 1, 1, 1, 1, 32, 16 },   { "fp16", 2, 33, 17, 4, 64, 32 },
		{ "bf16", 5, 32, 16, 8, 32, 16 }, { "tf32", 4, 17, 1, 4, 32, 16 },
		{ "int8", 7, 1, 33, 8, 32, 64 },  { "int16", 1, 64, 1, 1, 64, 32 },
		{ "int4", 3, 2, 65, 4, 32, 128 }, { "int8", 1 << 24, 1, 1, 1 << 24, 32, 32 },
	};
	int m = 3, k = 5, n = 7, zero = 0, huge = (1 << 24) + 1;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int M = rows[i].m, K = rows[i].k, N = rows[i].n;

		assert_int_equal(rocket_mm_align(rows[i].dtype, &M, &K, &N), ROCKET_OK);
		assert_true(M == rows[i].want_m && K == rows[i].want_k && N == rows[i].want_n);
	}
	test_log_start();
	assert_int_equal(rocket_mm_align("fp8", &m, &k, &n), ROCKET_E_SHAPE);
	assert_int_equal(rocket_mm_align(NULL, &m, &k, &n), ROCKET_E_SHAPE);
	assert_int_equal(rocket_mm_align("fp16", NULL, &k, &n), ROCKET_E_SHAPE);
	assert_int_equal(rocket_mm_align("fp16", &m, &zero, &n), ROCKET_E_SHAPE);
	assert_int_equal(rocket_mm_align("fp16", &m, &k, &huge), ROCKET_E_SHAPE);
	assert_int_equal(test_log_errors(), 5);
	assert_true(m == 3 && k == 5 && n == 7 && zero == 0);
}

static void rows_are_copied_padded_and_cut(void **state)
{
	static const int16_t small[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
	static const int16_t wide[3][4] = { { 1, 2, 3, 0 }, { 4, 5, 6, 0 }, { 0, 0, 0, 0 } };
	int16_t out[3][4], back[2][3];

	(void)state;
	memset(out, 0xff, sizeof(out));
	memset(back, 0xff, sizeof(back));
	assert_int_equal(rocket_mm_copy_rows(out, 3, 4, small, 2, 3, 2), ROCKET_OK);
	assert_memory_equal(out, wide, sizeof(wide));
	assert_int_equal(rocket_mm_copy_rows(back, 2, 3, wide, 3, 4, 2), ROCKET_OK);
	assert_memory_equal(back, small, sizeof(small));
	test_log_start();
	assert_int_equal(rocket_mm_copy_rows(NULL, 2, 3, wide, 3, 4, 2), ROCKET_E_SHAPE);
	assert_int_equal(rocket_mm_copy_rows(back, 2, 3, NULL, 3, 4, 2), ROCKET_E_SHAPE);
	assert_int_equal(rocket_mm_copy_rows(back, 2, -3, wide, 3, 4, 2), ROCKET_E_SHAPE);
	assert_int_equal(rocket_mm_copy_rows(back, 1, 2, wide, 1, 0, SIZE_MAX / 2 + 1),
			 ROCKET_E_SHAPE);
	assert_int_equal(rocket_mm_copy_rows(back, 1, 0, wide, 1, 2, SIZE_MAX / 2 + 1),
			 ROCKET_E_SHAPE);
	assert_int_equal(rocket_mm_copy_rows(back, 2, 1, wide, 0, 0, SIZE_MAX / 2 + 1),
			 ROCKET_E_SHAPE);
	assert_int_equal(test_log_errors(), 6);
	assert_memory_equal(back, small, sizeof(small));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_are_rounded_up_to_what_a_type_takes),
		cmocka_unit_test(rows_are_copied_padded_and_cut),
		cmocka_unit_test(named_shapes_are_right),
		cmocka_unit_test(unaligned_shapes_are_right_when_padded),
	};

	return test_run_group("shapes", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * test_matmul.c - what the RK3588 matmul encoder refuses, and the words of one program.
 *
 * Whole programs are compared with recorded ones by tests/golden; here is what it must not
 * encode, and the example of the specification.
 */
#include "tap.h"

#include "lib/encode/matmul.h"
#include "lib/encode/program.h"
#include "rocket_npu.h"

static uint64_t words[ROCKET_RK3588_MATMUL_WORDS];
static char why[160];

static struct rocket_matmul_task task(enum rocket_matmul_type type, uint32_t m, uint32_t k,
				      uint32_t n)
{
	return (struct rocket_matmul_task){
		.type = type,
		.m = m,
		.k = k,
		.n = n,
		.input = 0x10000000,
		.weights = 0x20000000,
		.output = 0x30000000,
	};
}

static int encode(struct rocket_matmul_task t)
{
	why[0] = '\0';
	return rocket_rk3588_matmul(&t, words, ROCKET_RK3588_MATMUL_WORDS, why, sizeof(why));
}

static void encodes(enum rocket_matmul_type type, uint32_t m, uint32_t k, uint32_t n)
{
	assert_int_equal(encode(task(type, m, k, n)), ROCKET_RK3588_MATMUL_WORDS);
	assert_string_equal(why, "");
}

static void refuses(struct rocket_matmul_task t, int status, const char *reason)
{
	assert_int_equal(encode(t), status);
	if (!strstr(why, reason))
		fail_msg("\"%s\" does not say \"%s\"", why, reason);
}

static void refuses_shape(enum rocket_matmul_type type, uint32_t m, uint32_t k, uint32_t n,
			  const char *reason)
{
	refuses(task(type, m, k, n), ROCKET_E_SHAPE, reason);
}

static uint32_t value_of(unsigned offset)
{
	for (int i = 0; i < ROCKET_RK3588_MATMUL_WORDS; i++)
		if (rocket_word_offset(words[i]) == offset && rocket_word_target(words[i]) > 1)
			return rocket_word_value(words[i]);
	fail_msg("register %04x is not written", offset);
	return 0;
}

static void matmul_program_is_the_specifications_example(void **state)
{
	static const uint32_t want[][2] = {
		{ 0x100c, 0x120 },      { 0x1010, 0x410 },      { 0x1020, 0x10040 },
		{ 0x1024, 0x017f0180 }, { 0x102c, 0x40 },       { 0x1030, 0x12000 },
		{ 0x1034, 0x300 },      { 0x1038, 0x01010060 }, { 0x1040, 0xa2 },
		{ 0x1044, 12 },         { 0x1080, 0x3c },       { 0x1084, 0x10040 },
		{ 0x1088, 0x180 },      { 0x3010, 0x201 },      { 0x3014, 0x3f0000 },
		{ 0x3018, 0x5f },       { 0x4010, 0x48000002 }, { 0x4024, 0x400 },
		{ 0x4034, 0x3f },       { 0x403c, 0x5f005f },   { 0x4050, 0x126 },
		{ 0x4058, 0x5f },       { 0x405c, 0x3f0000 },   { 0x4084, 0x10001 },
		{ 0x40c0, 0x800 },      { 0x5010, 0x3f },       { 0x5014, 0x5f },
		{ 0x5044, 0x7818 },
	};

	(void)state;
	encodes(ROCKET_MM_FP16_FP16, 64, 384, 96);
	for (size_t i = 0; i < COUNT(want); i++)
		assert_int_equal(value_of(want[i][0]), want[i][1]);
}

/* CBUF_CON0: bit 13 keeps the weights of the task before, bit 12 its features. */
static void matmul_reuse_sets_its_bit_alone(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 4; bits++) {
		struct rocket_matmul_task t = task(ROCKET_MM_FP16_FP16, 64, 384, 96);

		t.weight_reuse = bits >> 1;
		t.data_reuse = bits & 1;
		assert_int_equal(encode(t), ROCKET_RK3588_MATMUL_WORDS);
		assert_int_equal(value_of(0x1040), 0xa2 | bits << 12);
	}
}

static void matmul_extents_must_be_aligned(void **state)
{
	(void)state;
	for (uint32_t m = 1; m < 4; m++)
		refuses_shape(ROCKET_MM_FP16_FP16, m, 32, 16, "multiple of 4");
	refuses_shape(ROCKET_MM_FP16_FP16, 6, 32, 16, "M=6");
	refuses_shape(ROCKET_MM_FP16_FP32, 4, 48, 16, "K=48 is not a multiple of 32");
	refuses_shape(ROCKET_MM_FP16_FP32, 4, 32, 24, "N=24 is not a multiple of 16");
	refuses_shape(ROCKET_MM_INT8_INT32, 4, 32, 16, "N=16 is not a multiple of 32");
	refuses_shape(ROCKET_MM_INT4_INT16, 4, 32, 32, "multiple of 64");
	refuses_shape(ROCKET_MM_TF32_FP32, 4, 8, 16, "multiple of 16");
	encodes(ROCKET_MM_TF32_FP32, 4, 16, 16);
	refuses_shape(ROCKET_MM_FP16_FP16, 0, 32, 16, "extent 0");
	refuses_shape(ROCKET_MM_FP16_FP16, 4, 0, 16, "extent 0");
	refuses_shape(ROCKET_MM_FP16_FP16, 4, 32, 0, "extent 0");
}

/* The writer is known for 32 columns: with 16 it hangs after the last of them. */
static void transposed_results_are_of_int16_and_32_columns(void **state)
{
	struct rocket_matmul_task t = task(ROCKET_MM_INT16_INT32, 8, 64, 32);

	(void)state;
	t.transposed = true;
	assert_int_equal(encode(t), ROCKET_RK3588_MATMUL_WORDS);
	t.n = 16;
	refuses(t, ROCKET_E_SHAPE, "32 columns, not 16");
	t.n = 48;
	refuses(t, ROCKET_E_SHAPE, "32 columns, not 48");
	t.n = 32;
	t.c_row = 32;
	refuses(t, ROCKET_E_SHAPE, "not in rows");
	t.c_row = 0;
	t.output = 0xfffffff0 - 112 * 8;
	assert_int_equal(encode(t), ROCKET_RK3588_MATMUL_WORDS);
	t.output += 32;
	refuses(t, ROCKET_E_SHAPE, "passes the end");
	t.output = 0x30000000;
	t.type = ROCKET_MM_INT8_INT32;
	refuses(t, ROCKET_E_UNSUPPORTED, "only int16 products");
	t.type = ROCKET_MM_FP16_FP16;
	t.accumulate = true;
	refuses(t, ROCKET_E_UNSUPPORTED, "not what accumulates");
}

/* The order and the limits are those of the recorded encoder. */
static void matmul_features_must_fit_the_cbuf(void **state)
{
	(void)state;
	encodes(ROCKET_MM_FP16_FP16, 256, 704, 16); /* exactly 11 banks */
	refuses_shape(ROCKET_MM_FP16_FP16, 256, 736, 16, "CBUF banks");
	encodes(ROCKET_MM_INT8_INT32, 256, 1280, 32); /* 10 and the slack bank */
	refuses_shape(ROCKET_MM_INT8_INT32, 256, 1312, 32, "CBUF banks");
	encodes(ROCKET_MM_TF32_FP32, 256, 352, 16);
	refuses_shape(ROCKET_MM_TF32_FP32, 256, 368, 16, "CBUF banks");
	encodes(ROCKET_MM_INT4_INT16, 256, 1408 * 2, 64);
	refuses_shape(ROCKET_MM_INT4_INT16, 256, 1408 * 2 + 32, 64, "CBUF banks");
	refuses_shape(ROCKET_MM_FP16_FP16, 424, 448, 432, "CBUF banks");
	refuses_shape(ROCKET_MM_FP16_FP16, 0xfffffffc, 0xffffffe0, 16, "CBUF banks");
}

static void matmul_kernel_must_fit_a_bank(void **state)
{
	(void)state;
	encodes(ROCKET_MM_FP16_FP16, 4, 16384, 16);
	refuses_shape(ROCKET_MM_FP16_FP16, 4, 16416, 16, "one kernel");
	encodes(ROCKET_MM_TF32_FP32, 4, 8192, 16);
	refuses_shape(ROCKET_MM_TF32_FP32, 4, 8208, 16, "one kernel");
}

static void matmul_extents_must_fit_their_fields(void **state)
{
	(void)state;
	encodes(ROCKET_MM_FP16_FP16, 1020, 32, 16);
	refuses_shape(ROCKET_MM_FP16_FP16, 1024, 32, 16, "FEATURE_GRAINS = 1025");
	encodes(ROCKET_MM_FP16_FP16, 4, 32, 8192);
	refuses_shape(ROCKET_MM_FP16_FP16, 4, 32, 8208, "CHANNEL_EXTENT = 8208 is not in 1..8192");
	encodes(ROCKET_MM_INT8_INT32, 4, 16384, 32);
	refuses_shape(ROCKET_MM_INT8_INT32, 4, 16416, 32, "DATAIN_CHANNEL_REAL_EXTENT = 16416");
}

static void matmul_addresses_must_be_atoms_in_the_window(void **state)
{
	struct rocket_matmul_task t = task(ROCKET_MM_FP16_FP16, 16, 64, 32);

	(void)state;
	t.input = 0x10000008;
	refuses(t, ROCKET_E_SHAPE, "input address 0x10000008");
	t = task(ROCKET_MM_FP16_FP16, 16, 64, 32);
	t.weights = 0x20000001;
	refuses(t, ROCKET_E_SHAPE, "weight address");
	t = task(ROCKET_MM_FP16_FP16, 16, 64, 32);
	t.output = 0x3000000f;
	refuses(t, ROCKET_E_SHAPE, "output address");
	t = task(ROCKET_MM_FP16_FP16, 16, 64, 32);
	t.output = 0xfffffc00; /* 16 x 32 x 2 bytes end at 2^32 */
	assert_int_equal(encode(t), ROCKET_RK3588_MATMUL_WORDS);
	t.output = 0xfffffc10;
	refuses(t, ROCKET_E_SHAPE, "passes the end");
}

static struct rocket_matmul_task accumulating(uint32_t m)
{
	struct rocket_matmul_task t = task(ROCKET_MM_FP16_FP16, m, 64, 32);

	t.accumulate = true;
	t.add = 0x40000000;
	return t;
}

static void matmul_accumulates_only_what_silicon_gets_right(void **state)
{
	struct rocket_matmul_task t;

	(void)state;
	assert_int_equal(encode(accumulating(12)), ROCKET_RK3588_MATMUL_WORDS);
	refuses(accumulating(8), ROCKET_E_SHAPE, "M >= 12");
	for (int type = 0; type < ROCKET_MM_TYPES; type++) {
		t = accumulating(16);
		t.type = (enum rocket_matmul_type)type;
		t.n = 64;
		if (type != ROCKET_MM_FP16_FP16)
			refuses(t, ROCKET_E_UNSUPPORTED, "fp16 results");
	}
}

static void matmul_partial_must_not_overlap_the_result(void **state)
{
	struct rocket_matmul_task t = accumulating(16); /* 1024 bytes */

	(void)state;
	t.add = t.output;
	refuses(t, ROCKET_E_SHAPE, "overlaps");
	t.add = t.output + 1024 - 16;
	refuses(t, ROCKET_E_SHAPE, "overlaps");
	t.add = t.output - 1024 + 16;
	refuses(t, ROCKET_E_SHAPE, "overlaps");
	t.add = t.output + 1024;
	assert_int_equal(encode(t), ROCKET_RK3588_MATMUL_WORDS);
	t.add = t.output - 1024;
	assert_int_equal(encode(t), ROCKET_RK3588_MATMUL_WORDS);
	t.add = 0x40000004;
	refuses(t, ROCKET_E_SHAPE, "partial address");
	t = accumulating(16);
	t.c_row = 640; /* rows of the result spread over 15 x 1280 + 64 bytes */
	t.add = t.output + 15 * 1280 + 48;
	refuses(t, ROCKET_E_SHAPE, "overlaps");
	t.add = t.output + 15 * 1280 + 64;
	assert_int_equal(encode(t), ROCKET_RK3588_MATMUL_WORDS);
}

static void matmul_rows_must_be_whole_atoms(void **state)
{
	struct rocket_matmul_task t = task(ROCKET_MM_INT8_INT32, 16, 64, 32);

	(void)state;
	t.a_row = 72;
	refuses(t, ROCKET_E_SHAPE, "A rows of 72 elements are not whole atoms");
	t.a_row = 48;
	refuses(t, ROCKET_E_SHAPE, "A rows of 48 elements are shorter than 64");
	t.a_row = 80;
	t.c_row = 33;
	refuses(t, ROCKET_E_SHAPE, "C rows of 33");
	t.c_row = 36;
	assert_int_equal(encode(t), ROCKET_RK3588_MATMUL_WORDS);
	assert_int_equal(value_of(0x107c), 5);           /* 80 bytes */
	assert_int_equal(value_of(0x4038), 8 << 16 | 8); /* 144 bytes, 9 atoms */
	t.c_row = 0x80000000;                            /* the notch has 13 bits */
	refuses(t, ROCKET_E_SHAPE, "passes the end");
	t.output = 0;
	t.c_row = 1 << 16;
	refuses(t, ROCKET_E_SHAPE, "NOTCH_ADDR_1");
}

static void matmul_needs_room_for_its_words(void **state)
{
	struct rocket_matmul_task t = task(ROCKET_MM_FP16_FP16, 16, 64, 32);
	uint64_t guarded[ROCKET_RK3588_MATMUL_WORDS] = { 0 };

	(void)state;
	assert_int_equal(
		rocket_rk3588_matmul(&t, guarded, ROCKET_RK3588_MATMUL_WORDS - 1, why, sizeof(why)),
		ROCKET_E_NOMEM);
	assert_non_null(strstr(why, "125 words"));
	assert_int_equal(guarded[0], 0);
	/* The reason is optional and never longer than its room. */
	t.m = 3;
	assert_int_equal(rocket_rk3588_matmul(&t, words, 126, NULL, 0), ROCKET_E_SHAPE);
	memset(why, '#', sizeof(why));
	assert_int_equal(rocket_rk3588_matmul(&t, words, 126, why, 4), ROCKET_E_SHAPE);
	assert_string_equal(why, "M=3");
	assert_int_equal(why[4], '#');
}

static void matmul_unknown_type_is_unsupported(void **state)
{
	(void)state;
	refuses(task(ROCKET_MM_TYPES, 16, 64, 32), ROCKET_E_UNSUPPORTED, "no matmul type");
	refuses(task((enum rocket_matmul_type) - 1, 16, 64, 32), ROCKET_E_UNSUPPORTED,
		"no matmul type");
	assert_null(rocket_matmul_traits(ROCKET_MM_TYPES));
}

static void traits_describe_16_byte_atoms_and_1024_byte_weight_tiles(void **state)
{
	(void)state;
	for (int type = 0; type < ROCKET_MM_TYPES; type++) {
		const struct rocket_matmul_traits *t =
			rocket_matmul_traits((enum rocket_matmul_type)type);

		assert_non_null(t);
		assert_int_equal(t->c2 * t->in_bits, 128);
		assert_int_equal(t->ngroup * t->kgroup * t->in_bits, 1024 * 8);
		assert_int_equal(t->n_align, t->ngroup);
		assert_int_equal(t->k_align, t->kgroup);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matmul_program_is_the_specifications_example),
		cmocka_unit_test(matmul_reuse_sets_its_bit_alone),
		cmocka_unit_test(matmul_extents_must_be_aligned),
		cmocka_unit_test(transposed_results_are_of_int16_and_32_columns),
		cmocka_unit_test(matmul_features_must_fit_the_cbuf),
		cmocka_unit_test(matmul_kernel_must_fit_a_bank),
		cmocka_unit_test(matmul_extents_must_fit_their_fields),
		cmocka_unit_test(matmul_addresses_must_be_atoms_in_the_window),
		cmocka_unit_test(matmul_accumulates_only_what_silicon_gets_right),
		cmocka_unit_test(matmul_partial_must_not_overlap_the_result),
		cmocka_unit_test(matmul_rows_must_be_whole_atoms),
		cmocka_unit_test(matmul_needs_room_for_its_words),
		cmocka_unit_test(matmul_unknown_type_is_unsupported),
		cmocka_unit_test(traits_describe_16_byte_atoms_and_1024_byte_weight_tiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

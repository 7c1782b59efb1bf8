// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * test_setters.c - every generated setter and getter, against arithmetic done here.
 *
 * The list of fields comes from the generator, their meaning does not: words are
 * computed from bit positions by plain shifts.
 */
#include "tap.h"

#include "regs/names.h"
#include "regs/rk3588_emit.h"

enum encoding { ENC_uint, ENC_int, ENC_minus1, ENC_addr };

struct setter {
	const char *block, *reg, *field; /* as in names.h, setter suffix included */
	enum encoding encoding;
	unsigned msb, lsb;
	unsigned offset, target;
	void (*set)(struct rocket_program *p, int64_t value);
	int64_t (*get)(uint32_t word);
};

#define FIELD(b, r, f, enc, msb, lsb, ...)                                                         \
	static void set_##b##_##r##_##f(struct rocket_program *p, int64_t value)                   \
	{                                                                                          \
		EMIT(p, b, r, __VA_ARGS__.f = value);                                              \
	}                                                                                          \
	static int64_t get_##b##_##r##_##f(uint32_t word)                                          \
	{                                                                                          \
		return RK3588_GET(b, r, f, word);                                                  \
	}
#include "regs/rk3588_fields.h"
#undef FIELD

#define FIELD(b, r, f, enc, msb, lsb, ...)                                                         \
	{ #b,                                                                                      \
	  #r,                                                                                      \
	  #f,                                                                                      \
	  ENC_##enc,                                                                               \
	  msb,                                                                                     \
	  lsb,                                                                                     \
	  RK3588_##b##_##r,                                                                        \
	  RK3588_##b##_TARGET,                                                                     \
	  set_##b##_##r##_##f,                                                                     \
	  get_##b##_##r##_##f },
static const struct setter setters[] = {
#include "regs/rk3588_fields.h"
};
#undef FIELD

static int64_t power(unsigned bits)
{
	return (int64_t)1 << bits;
}

static void limits(const struct setter *s, int64_t *min, int64_t *max)
{
	unsigned width = s->msb - s->lsb + 1;

	*min = s->encoding == ENC_int ? -power(width - 1) : s->encoding == ENC_minus1;
	*max = s->encoding == ENC_int      ? power(width - 1) - 1
	       : s->encoding == ENC_minus1 ? power(width)
	       : s->encoding == ENC_addr   ? 0xfffffff0ll
					   : power(width) - 1;
}

static uint32_t expected_bits(const struct setter *s, int64_t value)
{
	unsigned width = s->msb - s->lsb + 1;
	uint64_t raw = (uint64_t)(s->encoding == ENC_minus1 ? value - 1 : value);

	if (s->encoding == ENC_addr)
		return (uint32_t)value;
	return (uint32_t)((raw & (uint64_t)(power(width) - 1)) << s->lsb);
}

static void accepts(const struct setter *s, int64_t value)
{
	uint64_t word = 0;
	struct rocket_program p;

	rocket_program_init(&p, &word, 1);
	s->set(&p, value);
	assert_string_equal(p.fault, "");
	assert_int_equal(rocket_program_count(&p), 1);
	assert_int_equal(word >> 48, s->target);
	assert_int_equal(word & 0xffff, s->offset);
	assert_int_equal((uint32_t)(word >> 16), expected_bits(s, value));
	assert_int_equal(s->get((uint32_t)(word >> 16)), value);
}

static void setter_accepts_its_limits(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(setters); i++) {
		int64_t min, max;

		limits(&setters[i], &min, &max);
		accepts(&setters[i], min);
		accepts(&setters[i], max);
		accepts(&setters[i],
			setters[i].encoding == ENC_addr ? 0x1230 : (min + max + 1) / 2);
	}
}

static void refuses(const struct setter *s, int64_t value)
{
	uint64_t word = 0;
	struct rocket_program p;
	char name[96], number[32];

	rocket_program_init(&p, &word, 1);
	s->set(&p, value);
	snprintf(name, sizeof(name), "%s.%s.%s = ", s->block, s->reg, s->field);
	snprintf(number, sizeof(number), " %lld ", (long long)value);
	assert_int_equal(rocket_program_count(&p), 0);
	assert_memory_equal(p.fault, name, strlen(name));
	assert_non_null(strstr(p.fault, number));
}

static void setter_refuses_past_its_limits(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(setters); i++) {
		int64_t min, max;

		limits(&setters[i], &min, &max);
		refuses(&setters[i], min - 1);
		refuses(&setters[i], max + 1);
		refuses(&setters[i], INT64_MAX);
		refuses(&setters[i], INT64_MIN);
		if (setters[i].encoding == ENC_addr)
			refuses(&setters[i], 8);
	}
}

static void setter_fault_names_the_maximum(void **state)
{
	uint64_t words[2];
	struct rocket_program p;

	(void)state;
	rocket_program_init(&p, words, 2);
	EMIT(&p, CNA, CONV_CON2, .FEATURE_GRAINS = 1024);
	assert_string_equal(p.fault, "CNA.CONV_CON2.FEATURE_GRAINS = 1024 is not in 0..1023");
	rocket_program_init(&p, words, 2);
	EMIT(&p, DPU, DATA_CUBE_HEIGHT, .HEIGHT_EXTENT = 8193);
	assert_string_equal(p.fault, "DPU.DATA_CUBE_HEIGHT.HEIGHT_EXTENT = 8193 is not in 1..8192");
	rocket_program_init(&p, words, 2);
	EMIT(&p, DPU, DST_BASE_ADDR, .DST_BASE_ADDR = 0x30000008);
	assert_string_equal(p.fault,
			    "DPU.DST_BASE_ADDR.DST_BASE_ADDR = 805306376 is not a multiple of 16");
}

static void signed_setter_fills_only_its_field(void **state)
{
	uint64_t words[2];
	struct rocket_program p;

	(void)state;
	rocket_program_init(&p, words, 2);
	EMIT(&p, CNA, DMA_CON2, .SURF_STRIDE = -3);
	EMIT(&p, DPU, OUT_CVT_SCALE, .OUT_CVT_SCALE = -1, .FP32TOFP16_EN = 1);
	assert_int_equal(rocket_program_count(&p), 2);
	/* 28 bits: the value a vendor runtime programs for a single row. */
	assert_int_equal(rocket_word_value(words[0]), 0x0ffffffd);
	assert_int_equal(rocket_word_value(words[1]), 0x1ffff);
}

/* The two files made from the table say the same of every settable field. */
static void names_and_setters_agree(void **state)
{
	size_t named = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(setters); i++) {
		const struct setter *s = &setters[i];
		const struct rocket_register_name *reg =
			rocket_register_by_offset(&rocket_rk3588_names, s->offset);
		const struct rocket_block_name *block =
			rocket_block_by_target(&rocket_rk3588_names, s->target);
		bool found = false;

		assert_non_null(reg);
		assert_non_null(block);
		assert_string_equal(reg->name, s->reg);
		assert_string_equal(block->name, s->block);
		for (unsigned f = 0; f < reg->n_fields; f++) {
			const struct rocket_field_name *n = &reg->fields[f];

			if (n->msb != s->msb || n->lsb != s->lsb)
				continue;
			found = true;
			assert_memory_equal(n->name, s->field, strlen(n->name));
			assert_true(reg->writable >> s->lsb & 1);
			assert_int_equal(rocket_field_value(n, 0xa5c3f00f & ~15u),
					 s->get(0xa5c3f00f & ~15u));
		}
		assert_true(found);
		named++;
	}
	assert_true(named > 350);
}

static void lookups_find_nothing_where_nothing_is(void **state)
{
	const struct rocket_chip_names *n = rocket_chip_names("rk3588");

	(void)state;
	assert_ptr_equal(n, &rocket_rk3588_names);
	assert_null(rocket_chip_names("rk3399"));
	assert_null(rocket_chip_names(NULL));
	assert_null(rocket_block_by_offset(n, 0x2000));
	assert_null(rocket_block_by_target(n, 0));
	assert_null(rocket_block_by_target(n, 0x0401));
	assert_null(rocket_register_by_offset(n, 0x100e));
	assert_null(rocket_register_by_offset(n, 0x1ffc));
	assert_null(rocket_register_by_offset(n, 0x10000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(setter_accepts_its_limits),
		cmocka_unit_test(setter_refuses_past_its_limits),
		cmocka_unit_test(setter_fault_names_the_maximum),
		cmocka_unit_test(signed_setter_fills_only_its_field),
		cmocka_unit_test(names_and_setters_agree),
		cmocka_unit_test(lookups_find_nothing_where_nothing_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

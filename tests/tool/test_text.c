// SPDX-License-Identifier: LGPL-2.1-or-later
/* JSON, tables and numbers as they come out, and the operands that are generated. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/rocket/generate.h"
#include "tools/rocket/json.h"
#include "tools/rocket/table.h"
#include "tools/rocket/units.h"

static char *text;
static size_t size;
static FILE *out;

static int open_stream(void **state)
{
	(void)state;
	out = open_memstream(&text, &size);
	return out ? 0 : -1;
}

static int close_stream(void **state)
{
	(void)state;
	fclose(out);
	free(text);
	text = NULL;
	return 0;
}

static void expect_json(const char *value, const char *written)
{
	char expected[256];
	struct json j;

	rewind(out);
	json_begin(&j, out);
	json_string(&j, "k", value);
	json_finish(&j);
	fputc('\0', out);
	fflush(out);
	snprintf(expected, sizeof(expected), "{\n  \"k\": %s\n}\n", written);
	assert_string_equal(text, expected);
}

static void json_strings_are_escaped(void **state)
{
	(void)state;
	expect_json("plain", "\"plain\"");
	expect_json("a\"b\\c", "\"a\\\"b\\\\c\"");
	expect_json("tab\tline\nbell\a", "\"tab\\u0009line\\u000abell\\u0007\"");
	expect_json("\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82",
		    "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82\"");
	expect_json(NULL, "null");
}

/* Stray, overlong, surrogate, too large, cut short. */
static void json_strings_that_are_not_utf8_are_mended(void **state)
{
	(void)state;
	expect_json("\x80x", "\"\\ufffdx\"");
	expect_json("\xc0\xaf", "\"\\ufffd\\ufffd\"");
	expect_json("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
	expect_json("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
	expect_json("\xe2\x82", "\"\\ufffd\\ufffd\"");
}

static void json_nests_and_separates(void **state)
{
	struct json j;

	(void)state;
	json_begin(&j, out);
	json_count(&j, "a", 18446744073709551615u);
	json_array(&j, "b");
	json_integer(&j, NULL, -1);
	json_object(&j, NULL);
	json_end(&j);
	json_bool(&j, NULL, true);
	json_end(&j);
	json_array(&j, "c");
	json_end(&j);
	json_real(&j, "d", 0.5);
	json_real(&j, "e", NAN);
	json_real(&j, "f", INFINITY);
	json_finish(&j);
	fflush(out);
	assert_string_equal(text,
			    "{\n  \"a\": 18446744073709551615,\n  \"b\": [\n    -1,\n    {},\n"
			    "    true\n  ],\n  \"c\": [],\n  \"d\": 0.5,\n  \"e\": null,\n"
			    "  \"f\": null\n}\n");
}

static void table_columns_fit_their_widest_cell(void **state)
{
	struct table t;

	(void)state;
	table_init(&t, 3);
	table_cell(&t, "name");
	table_cell(&t, "%d", 1);
	table_cell(&t, "x");
	table_rule(&t);
	table_cell(&t, "a");
	table_cell(&t, "%d", 12345);
	table_cell(&t, "yy");
	table_print(&t, out);
	table_free(&t);
	fflush(out);
	assert_string_equal(text, "name      1   x\n"
				  "---------------\n"
				  "a     12345  yy\n");
}

static void table_grows_and_cuts_long_cells(void **state)
{
	char longer[3 * TABLE_CELL_MAX];
	struct table t;

	(void)state;
	memset(longer, 'z', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	table_init(&t, 1);
	for (int i = 0; i < 1000; i++)
		table_cell(&t, "%s", longer);
	table_print(&t, out);
	assert_int_equal(t.rows, 1000);
	table_free(&t);
	fflush(out);
	assert_int_equal(size, 1000 * TABLE_CELL_MAX);
}

static void numbers_are_readable(void **state)
{
	char buf[UNITS_SIZE];

	(void)state;
	assert_string_equal(units_count(buf, 0), "0");
	assert_string_equal(units_count(buf, 999), "999");
	assert_string_equal(units_count(buf, 1000), "1,000");
	assert_string_equal(units_count(buf, 18446744073709551615u), "18,446,744,073,709,551,615");
	assert_string_equal(units_bytes(buf, 1023), "1023 B");
	assert_string_equal(units_bytes(buf, 1024), "1.00 KiB");
	assert_string_equal(units_bytes(buf, 68435456), "65.3 MiB");
	assert_string_equal(units_time(buf, 12.34), "12.3 us");
	assert_string_equal(units_time(buf, 1500), "1.50 ms");
	assert_string_equal(units_time(buf, 2.5e8), "250 s");
	assert_string_equal(units_error(buf, 0), "0");
	assert_string_equal(units_error(buf, 0.00125), "1.25e-03");
}

/* The sequence is splitmix64; its first values from seed 0 are published with it. */
static void generator_follows_splitmix64(void **state)
{
	uint64_t s = 0;

	(void)state;
	assert_true(generate_next(&s) == 0xe220a8397b1dcdaf);
	assert_true(generate_next(&s) == 0x6e789e6aa1b965f4);
	assert_true(generate_next(&s) == 0x06c45d188009454f);
}

static void generated_operands_stay_in_their_range(void **state)
{
	static uint16_t half[4096];
	static int8_t byte[4096];
	int seen[256] = { 0 }, different = 0, negative = 0;

	(void)state;
	generate(OPERAND_FP16, half, 4096, GENERATE_UNIFORM, 3);
	for (int i = 0; i < 4096; i++) {
		assert_true((half[i] & 0x7fff) <= 0x3800); /* 0.5 */
		negative += half[i] >> 15;
	}
	assert_in_range(negative, 1800, 2300);
	generate(OPERAND_FP16, half, 4096, GENERATE_INTS, 3);
	for (int i = 0; i < 4096; i++)
		assert_true((half[i] & 0x7fff) == 0 || (half[i] & 0x7fff) == 0x3c00 ||
			    (half[i] & 0x7fff) == 0x4000);
	generate(OPERAND_INT8, byte, 4096, GENERATE_UNIFORM, 3);
	for (int i = 0; i < 4096; i++)
		seen[byte[i] + 128]++;
	for (int i = 0; i < 256; i++)
		different += seen[i] > 0;
	assert_int_equal(different, 256);
	generate(OPERAND_INT8, byte, 4096, GENERATE_INTS, 3);
	for (int i = 0; i < 4096; i++)
		assert_true(byte[i] >= -2 && byte[i] <= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(json_strings_are_escaped, open_stream,
						close_stream),
		cmocka_unit_test_setup_teardown(json_strings_that_are_not_utf8_are_mended,
						open_stream, close_stream),
		cmocka_unit_test_setup_teardown(json_nests_and_separates, open_stream,
						close_stream),
		cmocka_unit_test_setup_teardown(table_columns_fit_their_widest_cell, open_stream,
						close_stream),
		cmocka_unit_test_setup_teardown(table_grows_and_cuts_long_cells, open_stream,
						close_stream),
		cmocka_unit_test(numbers_are_readable),
		cmocka_unit_test(generator_follows_splitmix64),
		cmocka_unit_test(generated_operands_stay_in_their_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

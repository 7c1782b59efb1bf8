// SPDX-License-Identifier: LGPL-2.1-or-later
/* What is read from a file as register programs, and what is refused and why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/rocket/program_file.h"

static struct program_file file;
static char why[160];

static int read_bytes(const void *bytes, size_t size, enum program_form form)
{
	char name[] = "/tmp/rocket-program-XXXXXX";
	int fd = mkstemp(name), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	close(fd);
	why[0] = '\0';
	rc = program_file_read(&file, name, form, why, sizeof(why));
	unlink(name);
	return rc;
}

static int read_text(const char *text)
{
	return read_bytes(text, strlen(text), PROGRAM_FORM_ANY);
}

static int release(void **state)
{
	(void)state;
	program_file_free(&file);
	return 0;
}

static void raw_words_are_little_endian(void **state)
{
	static const unsigned char bytes[] = { 0x20, 0x40, 0,    0, 0, 0x30, 0x01, 0x10,
					       0x08, 0,    0x1d, 0, 0, 0,    0x81, 0 };

	(void)state;
	assert_int_equal(read_bytes(bytes, sizeof(bytes), PROGRAM_FORM_ANY), 0);
	assert_int_equal(file.count, 2);
	assert_true(file.words[0] == 0x1001300000004020);
	assert_true(file.words[1] == 0x00810000001d0008);
}

static void text_lines_are_target_offset_value(void **state)
{
	(void)state;
	assert_int_equal(read_text("# case=x\n\n1001,4020,30000000 # a comment\r\n"
				   "  0081 , 0008 , 1D\n0x0041000000000000\n1001300000004020"),
			 0);
	assert_int_equal(file.count, 4);
	assert_true(file.words[0] == 0x1001300000004020);
	assert_true(file.words[1] == 0x00810000001d0008);
	assert_true(file.words[2] == 0x0041000000000000);
	assert_true(file.words[3] == 0x1001300000004020);
}

static void text_that_is_no_word_is_refused_with_its_line(void **state)
{
	static const char *const lines[] = {
		"hello",
		"1001,4020",
		"1001,4020,1,2",
		"1001,4020,100000000",
		"11001,4020,0",
		"1001,14020,0",
		"-1001,4020,0",
		"1001,,0",
		"1001,4020,0 junk",
		"11001300000004020ffff",
		"1001 4020 30000000",
		"0081,0008,1d,",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char text[80];

		snprintf(text, sizeof(text), "# first\n%s\n", lines[i]);
		assert_int_equal(read_text(text), -1);
		assert_non_null(strstr(why, "line 2"));
		assert_null(file.words);
	}
}

static void cut_off_words_are_refused(void **state)
{
	static const unsigned char bytes[13] = { 0x20, 0x40, 0, 1 };

	(void)state;
	assert_int_equal(read_bytes(bytes, sizeof(bytes), PROGRAM_FORM_ANY), -1);
	assert_non_null(strstr(why, "13 bytes"));
}

static void empty_files_are_refused(void **state)
{
	(void)state;
	assert_int_equal(read_bytes("", 0, PROGRAM_FORM_ANY), -1);
	assert_non_null(strstr(why, "empty"));
	assert_int_equal(read_text("# only a comment\n\n"), -1);
	assert_non_null(strstr(why, "no words"));
	assert_int_equal(read_bytes("", 0, PROGRAM_FORM_RAW), -1);
}

static void missing_files_and_directories_are_refused(void **state)
{
	(void)state;
	assert_int_equal(
		program_file_read(&file, "/nonexistent/x", PROGRAM_FORM_ANY, why, sizeof(why)), -1);
	assert_non_null(strstr(why, "No such file"));
	assert_int_equal(program_file_read(&file, "/", PROGRAM_FORM_ANY, why, sizeof(why)), -1);
	assert_non_null(strstr(why, "directory"));
}

static void binary_forced_to_text_is_refused(void **state)
{
	static const unsigned char bytes[16] = { 0x20, 0x40 };

	(void)state;
	assert_int_equal(read_bytes(bytes, sizeof(bytes), PROGRAM_FORM_TEXT), -1);
	assert_non_null(strstr(why, "zero bytes"));
}

/* ---- programs ---- */

#define TRAILER(link, amount) link "0101,0014," amount "\n0041,0000,0\n0081,0008,18\n"
#define PLAIN                 "0000,0000,0\n"

static void one_program_ends_with_its_enable_word(void **state)
{
	(void)state;
	assert_int_equal(read_text("1001,4004,e\n" TRAILER(PLAIN, "0")), 0);
	assert_int_equal(program_file_split(&file), 0);
	assert_int_equal(file.n_spans, 1);
	assert_int_equal(file.spans[0].count, 5);
	assert_true(file.spans[0].complete && !file.spans[0].links && !file.spans[0].follows);
	assert_false(file.has_base);
}

static void links_are_followed_over_padding(void **state)
{
	(void)state;
	/* Five words and one of padding: the second program lies 48 bytes on. */
	assert_int_equal(read_text("# regcmd_base=0x50000000\n1001,4004,e\n" TRAILER(
				 "0101,0010,50000030\n", "2") "0\n"
							      "1001,4004,e\n" TRAILER(PLAIN, "0")),
			 0);
	assert_int_equal(program_file_split(&file), 0);
	assert_int_equal(file.n_spans, 2);
	assert_int_equal(file.base, 0x50000000);
	assert_int_equal(file.spans[0].next, 1);
	assert_int_equal(file.spans[1].first, 6);
	assert_true(file.spans[1].follows);
	assert_int_equal(file.spans[1].next, -1);
}

static void base_is_worked_out_from_the_first_link(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("1001,4004,e\n" TRAILER(
			"0101,0010,1030\n", "2") "0\n"
						 "1001,4004,e\n" TRAILER("0101,0010,1000\n", "2")),
		0);
	assert_int_equal(program_file_split(&file), 0);
	assert_true(file.has_base);
	assert_int_equal(file.base, 0x1000);
	assert_int_equal(file.spans[0].next, 1);
	assert_int_equal(file.spans[1].next, 0); /* a loop is shown, not run around in */
}

static void link_out_of_the_file_leads_nowhere(void **state)
{
	(void)state;
	assert_int_equal(read_text("# regcmd_base=0x50000000\n1001,4004,e\n" TRAILER(
				 "0101,0010,60000000\n", "2")),
			 0);
	assert_int_equal(program_file_split(&file), 0);
	assert_true(file.spans[0].links);
	assert_int_equal(file.spans[0].next, -1);
}

static void program_without_enable_is_incomplete(void **state)
{
	(void)state;
	assert_int_equal(read_text("1001,4004,e\n1001,4020,0\n"), 0);
	assert_int_equal(program_file_split(&file), 0);
	assert_int_equal(file.n_spans, 1);
	assert_false(file.spans[0].complete);
	assert_int_equal(file.spans[0].count, 2);
}

/* Every truncation and many corruptions of a file: an answer, never a crash. */
static void damaged_files_do_no_harm(void **state)
{
	const char *text = "# regcmd_base=0x50000000\n1001,4004,e\n" TRAILER(
		"0101,0010,50000030\n", "2") "0\n1001,4004,e\n" TRAILER(PLAIN, "0");
	size_t size = strlen(text);
	uint32_t seed = 1;

	(void)state;
	for (size_t cut = 0; cut <= size; cut += 3)
		for (int form = PROGRAM_FORM_ANY; form <= PROGRAM_FORM_TEXT; form++) {
			char *copy = malloc(size + 1);

			memcpy(copy, text, size + 1);
			seed = seed * 1664525 + 1013904223;
			copy[seed % size] = (char)(seed >> 24);
			if (read_bytes(copy, cut, (enum program_form)form) == 0)
				assert_int_equal(program_file_split(&file), 0);
			else
				assert_true(why[0]);
			program_file_free(&file);
			free(copy);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(raw_words_are_little_endian, release),
		cmocka_unit_test_teardown(text_lines_are_target_offset_value, release),
		cmocka_unit_test_teardown(text_that_is_no_word_is_refused_with_its_line, release),
		cmocka_unit_test_teardown(cut_off_words_are_refused, release),
		cmocka_unit_test_teardown(empty_files_are_refused, release),
		cmocka_unit_test_teardown(missing_files_and_directories_are_refused, release),
		cmocka_unit_test_teardown(binary_forced_to_text_is_refused, release),
		cmocka_unit_test_teardown(one_program_ends_with_its_enable_word, release),
		cmocka_unit_test_teardown(links_are_followed_over_padding, release),
		cmocka_unit_test_teardown(base_is_worked_out_from_the_first_link, release),
		cmocka_unit_test_teardown(link_out_of_the_file_leads_nowhere, release),
		cmocka_unit_test_teardown(program_without_enable_is_incomplete, release),
		cmocka_unit_test_teardown(damaged_files_do_no_harm, release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

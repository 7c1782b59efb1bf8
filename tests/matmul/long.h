/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * long.h - how many of their cases the tests of LONG_TESTS run: a part in `make check`, all in
 * `make check-long`. TEST_LONG=some leaves out what repeats a class, for builds where a case is
 * dear (sanitizers).
 */
#ifndef TESTS_MATMUL_LONG_H
#define TESTS_MATMUL_LONG_H

#include <stdlib.h>
#include <string.h>

enum test_extent { TEST_PART, TEST_SOME, TEST_ALL };

static inline enum test_extent test_extent(void)
{
	const char *text = getenv("TEST_LONG");

	if (!text || !*text || !strcmp(text, "0"))
		return TEST_PART;
	return strcmp(text, "some") ? TEST_ALL : TEST_SOME;
}

#endif

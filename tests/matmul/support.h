/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * support.h - what the matmul tests share: the machine they plan for, random numbers
 * that repeat, golden files.
 */
#ifndef TESTS_MATMUL_SUPPORT_H
#define TESTS_MATMUL_SUPPORT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <cmocka.h>

#include "lib/core/settings.h"
#include "rocket_hw_profile.h"
#include "tests/golden_folder.h"

/* The RK3588 as the planners see it, written here so that pure tests need no device. */
extern const struct rocket_hw_profile test_rk3588;

/* Settings of an empty environment. */
struct rocket_settings test_settings(void);

/* Repeatable pseudo-random numbers. */
struct test_rng {
	uint64_t state;
};
uint32_t test_random(struct test_rng *rng);
/* lo..hi, both included. */
int test_random_in(struct test_rng *rng, int lo, int hi);

/* Run the tests; the last n_golden of them need the golden data and are left out, with a
 * line that says so, where it is missing (cmocka's own skip is a failure in TAP). TEST_FILTER: a
 * pattern of the names of those that run. */
int test_run_group(const char *name, const struct CMUnitTest *tests, size_t count, size_t n_golden);
/* Path of a file committed beside these tests. */
void test_data_path(char *path, size_t size, const char *name);
/* Whole file, NUL-terminated; fails the test when it cannot be read. Free it. */
char *test_read_file(const char *path);

#endif

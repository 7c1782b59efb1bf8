/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * driver.h - whose driver a test runs over. What opens a device through the library does so once
 * over every simulated driver; a case that is none over the vendor's is left out there, and why
 * is said.
 */
#ifndef TESTS_DRIVER_H
#define TESTS_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

/* What ROCKET_DEVICE is to be: the simulated device that TEST_DEVICE names, or "sim". */
const char *test_device(void);
/* That is the vendor's driver. */
bool test_over_rknpu(void);
/* That is the vendor's driver, and a submit waits for its jobs. */
bool test_submit_waits(void);

struct CMUnitTest;
/* A case with the functions setup and teardown that is none over the vendor's driver. */
#define NOT_OVER_RKNPU(f, why)                                                                     \
	{                                                                                          \
#f, f, setup, teardown, (void *)why                                                \
	}
/* As cmocka_run_group_tests(). */
int test_run_cases(struct CMUnitTest *tests, size_t n);

#endif

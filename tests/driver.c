// SPDX-License-Identifier: LGPL-2.1-or-later
/* driver.c - see driver.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "driver.h"

const char *test_device(void)
{
	const char *device = getenv("TEST_DEVICE");

	return device && *device ? device : "sim";
}

bool test_over_rknpu(void)
{
	return strstr(test_device(), ":rknpu") != NULL;
}

bool test_submit_waits(void)
{
	const char *mode = getenv("ROCKET_RKNPU_SUBMIT");

	return test_over_rknpu() && (!mode || strcmp(mode, "fenced"));
}

int test_run_cases(struct CMUnitTest *tests, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const char *reason = tests[i].initial_state;

		tests[i].initial_state = NULL;
		if (reason && test_over_rknpu())
			printf("# %s is left out: %s\n", tests[i].name, reason);
		else
			tests[kept++] = tests[i];
	}
	return _cmocka_run_group_tests("tests", tests, kept, NULL, NULL);
}

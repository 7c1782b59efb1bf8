/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* effort.h - how many random cases: all, or TEST_EFFORT percent of them where one is dear. */
#ifndef TESTS_MODEL_EFFORT_H
#define TESTS_MODEL_EFFORT_H

#include <stdlib.h>

/* At least one. An emulated processor takes some fifty times as long for the same case. */
static inline unsigned effort(unsigned cases)
{
	const char *percent = getenv("TEST_EFFORT");
	unsigned long n = percent ? cases * strtoul(percent, NULL, 10) / 100 : cases;

	return n ? (unsigned)n : 1;
}

#endif

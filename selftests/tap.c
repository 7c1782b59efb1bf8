// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned planned, reported;
static unsigned counts[TAP_SKIP + 1];

void tap_begin(void)
{
	/* A forked child must not print its parent's lines again. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!getenv("KSFT_TAP_LEVEL"))
		printf("TAP version 13\n");
}

void tap_skip_all(const char *fmt, ...)
{
	va_list ap;

	printf("1..0 # SKIP ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	exit(TAP_SKIP);
}

void tap_plan(unsigned tests)
{
	planned = tests;
	printf("1..%u\n", tests);
}

void tap_note(const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	for (char *c = line; *c; c++)
		if (*c == '\n')
			*c = ' ';
	printf("# %s\n", line);
}

void tap_result(enum tap_status status, const char *name, const char *reason)
{
	static const char *const directive[] = {
		[TAP_XFAIL] = " # XFAIL ",
		[TAP_SKIP] = " # SKIP ",
	};

	reported++;
	counts[status]++;
	printf("%s %u %s", status == TAP_FAIL ? "not ok" : "ok", reported, name);
	if (status == TAP_XFAIL || status == TAP_SKIP)
		printf("%s%s", directive[status], reason);
	printf("\n");
}

void tap_bail_out(const char *fmt, ...)
{
	va_list ap;

	printf("Bail out! ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
}

int tap_end(void)
{
	if (planned != reported)
		tap_note("planned %u tests, ran %u", planned, reported);
	printf("# Totals: pass:%u fail:%u xfail:%u xpass:0 skip:%u error:0\n", counts[TAP_PASS],
	       counts[TAP_FAIL], counts[TAP_XFAIL], counts[TAP_SKIP]);
	fflush(stdout);
	return counts[TAP_FAIL] || planned != reported ? TAP_FAIL : TAP_PASS;
}

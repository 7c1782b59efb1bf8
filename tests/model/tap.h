/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tap.h - results of a test program as TAP lines. */
#ifndef TESTS_MODEL_TAP_H
#define TESTS_MODEL_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

struct tap {
	unsigned run, failed;
};

__attribute__((format(printf, 3, 4))) static inline bool tap_ok(struct tap *t, bool ok,
								const char *format, ...)
{
	va_list args;

	t->run++;
	t->failed += !ok;
	printf("%sok %u - ", ok ? "" : "not ", t->run);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	return ok;
}

__attribute__((format(printf, 3, 4))) static inline void tap_skip(struct tap *t, const char *name,
								  const char *format, ...)
{
	va_list args;

	t->run++;
	printf("ok %u - %s # SKIP ", t->run, name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

__attribute__((format(printf, 1, 2))) static inline void tap_note(const char *format, ...)
{
	va_list args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

static inline int tap_end(const struct tap *t)
{
	printf("1..%u\n", t->run);
	return t->failed ? 1 : 0;
}

#endif

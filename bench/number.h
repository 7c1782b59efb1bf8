/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* number.h - numbers among the options of a benchmark: all of the text, within bounds. */
#ifndef BENCH_NUMBER_H
#define BENCH_NUMBER_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static inline bool number_whole(const char *text, long least, long most, long *out)
{
	char *end;

	errno = 0;
	*out = strtol(text, &end, 10);
	return !errno && end != text && !*end && *out >= least && *out <= most;
}

/* Not a number is within no bounds. */
static inline bool number_real(const char *text, double least, double most, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end != text && !*end && *out >= least && *out <= most;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* options.h - what the user asks of a program of tests, by argument or environment. */
#ifndef SELFTESTS_OPTIONS_H
#define SELFTESTS_OPTIONS_H

#include <stdbool.h>

#define OPTIONS_PATTERNS 32

struct options {
	bool list;        /* print the names of the tests, run none */
	bool long_form;   /* or SELFTESTS_LONG=1: rounds by the thousand */
	bool dangerous;   /* or SELFTESTS_DANGEROUS=1: what may crash a driver with known defects */
	unsigned factor;  /* or SELFTESTS_TIME_FACTOR: deadlines times this, for slow machines */
	const char *node; /* NULL: see node_find() */
	const char *patterns[OPTIONS_PATTERNS]; /* of the tests to run; none: all */
	unsigned n_patterns;
};

/* Exits with the help text (status 0), or with a line that says what is wrong (status 1). */
void options_parse(struct options *o, int argc, char **argv);
bool options_choose(const struct options *o, const char *name);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* printed.h - figures that did not reach their file are no figures. */
#ifndef BENCH_PRINTED_H
#define BENCH_PRINTED_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The exit status of a benchmark that has printed all and would end with `status`. */
static inline int printed(const char *who, int status)
{
	if (!ferror(stdout) && !fflush(stdout))
		return status;
	fprintf(stderr, "%s: cannot write the output: %s\n", who, strerror(errno));
	return status ? status : 1;
}

#endif

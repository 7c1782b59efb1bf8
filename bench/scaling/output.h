/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* output.h - a file that is replaced when what it is to hold is complete, and not before. */
#ifndef BENCH_SCALING_OUTPUT_H
#define BENCH_SCALING_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct scaling_output {
	const char *path;
	FILE *file;
	bool direct; /* file is path itself, which is no regular file; else it is memory */
	char *text;
	size_t size;
	mode_t mode; /* of what takes the place of path */
};

/* False and errno: path cannot be written. */
bool scaling_output_open(struct scaling_output *o, const char *path);
/* Close; keep: what was written takes the place of path. False and errno: it does not. */
bool scaling_output_close(struct scaling_output *o, bool keep);

#endif

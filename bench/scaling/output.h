/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* output.h - a file that is replaced when what it is to hold is complete, and not before. */
#ifndef BENCH_SCALING_OUTPUT_H
#define BENCH_SCALING_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct scaling_output {
	const char *path;
	char *beside; /* the file that is written; NULL: path itself, which is no regular file */
	FILE *file;
};

/* False and errno: path cannot be written. */
bool scaling_output_open(struct scaling_output *o, const char *path);
/* Close; keep: what was written takes the place of path. False and errno: it does not. */
bool scaling_output_close(struct scaling_output *o, bool keep);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * form.h - the ways to run a product that --form names: one call, weights that stay, streams,
 * batches, rows.
 */
#ifndef TOOLS_ROCKET_FORM_H
#define TOOLS_ROCKET_FORM_H

#include <stdbool.h>

#include "dtype.h"

/* A product, and what a form keeps of it between runs. */
struct product {
	const struct dtype *dtype;
	int fd, threads; /* threads 0: not asked for */
	int M, K, N;
	int group; /* 0: no scales */
	const void *A, *B;
	const float *a_scale, *b_scale;
	void *C;
	void *context, *weights;
};

struct form {
	const char *name;
	const char *dtype;              /* that it is for; NULL: all */
	bool grouped;                   /* with scales by group of k */
	bool workers;                   /* opens fds of its own: --threads is taken */
	bool canonical;                 /* cut as for 256 rows whatever M is */
	bool pair;                      /* two products in one call */
	bool in_rows;                   /* A and C are plain rows to the NPU */
	int (*open)(struct product *p); /* a status, its line logged; NULL: nothing to prepare */
	int (*run)(const struct product *p);
	void (*close)(struct product *p);
};

#define FORM_NAMES "once, resident, segments, stream, fused, batch or rows"

/* The form of that name for a type, with groups or without. NULL: there is none. */
const struct form *form_find(const char *name, const struct dtype *dtype, bool grouped);
/* Whether --form knows the name at all. */
bool form_exists(const char *name);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cause.h - why there is no NPU to open, and what to do about it.
 */
#ifndef TOOLS_ROCKET_CAUSE_H
#define TOOLS_ROCKET_CAUSE_H

#include "facts.h"

#define CAUSES_MAX 8

struct cause {
	const char *code; /* stable: "module_not_loaded" */
	char text[320];
	char next[320]; /* "" when there is nothing to do */
};

/* From the most telling one on; returns how many. At least one. */
unsigned causes_find(struct cause causes[CAUSES_MAX], const struct npu_facts *facts);

#endif

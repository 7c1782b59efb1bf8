/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* programs.h - what single programs and chains share. */
#ifndef TESTS_GOLDENCHECK_PROGRAMS_H
#define TESTS_GOLDENCHECK_PROGRAMS_H

#include "check.h"
#include "image.h"

/* Numbers of the header; a missing or wrong one fails the check. want: may be missing. */
bool header_need(struct check *c, const char *key, uint32_t *value);
bool header_want(struct check *c, const char *key, uint32_t *value);
bool header_extents(struct check *c, struct rocket_matmul_task *t);

/* The same writes in each block, in any order, and the same trailer. */
void program_compare(struct check *c, const struct image *image, const struct program *golden,
		     const uint64_t *ours, size_t count);

/* Check a chain; false when op names none. */
bool chain_check(struct check *c, const struct image *image, const char *op,
		 enum rocket_matmul_type type);

#endif

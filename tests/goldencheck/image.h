/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* image.h - the register words of a golden file. */
#ifndef TESTS_GOLDENCHECK_IMAGE_H
#define TESTS_GOLDENCHECK_IMAGE_H

#include "check.h"

struct program {
	size_t first, count; /* in words */
};

struct image {
	uint64_t *words;
	unsigned *line; /* where each word stands */
	size_t n_words;
	struct program *programs; /* split behind each enable word */
	size_t n_programs;
};

/* Read all words of the file; fails the check at the first line that is none. */
bool image_read(struct check *c, struct image *image);
void image_free(struct image *image);

/* Recorded words that are known to be wrong, and why; else NULL. */
const char *image_known_wrong(const struct source *s, const struct image *image);

/* First data line a word, or a header that promises words. */
bool image_promised(const struct source *s);

/* The file says or shows that it is of another chip; its name, else NULL. */
const char *other_chip(const struct source *s);

#endif

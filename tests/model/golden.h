/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* golden.h - a recorded register program and what its header says of it. */
#ifndef TESTS_MODEL_GOLDEN_H
#define TESTS_MODEL_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/golden_folder.h"

#define GOLDEN_KEYS 64

struct golden {
	char name[96];
	char key[GOLDEN_KEYS][24], value[GOLDEN_KEYS][160];
	unsigned n_keys;
	uint64_t *words;
	size_t n_words;
};

bool golden_load(struct golden *g, const char *path);
void golden_free(struct golden *g);
/* "" when the header has no such key. */
const char *golden_text(const struct golden *g, const char *key);
/* Decimal or 0x; fallback when the header has no such key. */
long golden_number(const struct golden *g, const char *key, long fallback);

/* Call fn for every .txt in root/folder in name order; returns how many. */
unsigned golden_each(const char *root, const char *folder,
		     void (*fn)(const char *path, const char *name, void *ctx), void *ctx);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What was found once: seed, calls until it shows, and what it was. Nothing so far; the first row
 * is a start that is always made. Calls are only added at the end of the generator's table, so
 * that a seed keeps its meaning; where that cannot be, rows are found anew.
 */
#include "fuzz.h"

const struct fuzz_run fuzz_corpus[] = {
	{ 1, 200, "corpus_start" },
};
const unsigned fuzz_corpus_size = sizeof(fuzz_corpus) / sizeof(fuzz_corpus[0]);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pool.h - a job of one pooling program, for what ends with the PPU: 2 x 2 maxima of fp16. */
#ifndef SELFTESTS_POOL_H
#define SELFTESTS_POOL_H

#include "file.h"

#define POOL_SIDE  4 /* of the input; 8 channels, which is one atom */
#define POOL_WORDS 30

struct pool {
	struct file *f;
	struct bo *prog, *in, *out;
	struct drm_rocket_task task;
	uint32_t in_handles[2];
};

/* Writes POOL_WORDS words; addresses are IOVAs. */
void pool_program(uint32_t in, uint32_t out, uint64_t *words);
/* false: recorded. */
bool pool_make(struct pool *p, struct test *t, struct file *f);
int pool_submit(struct pool *p, uint32_t flags);
int pool_wait(struct pool *p, int64_t within);
bool pool_right(const struct pool *p);

#endif

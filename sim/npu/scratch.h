/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scratch.h - working memory of a core that grows and is kept. */
#ifndef SIM_NPU_SCRATCH_H
#define SIM_NPU_SCRATCH_H

#include <stddef.h>

struct scratch {
	void *base;
	size_t size;
};

/* At least size bytes, aligned to 64, contents undefined. NULL: no memory, the old one is kept. */
void *scratch_get(struct scratch *s, size_t size);
void scratch_free(struct scratch *s);

#endif

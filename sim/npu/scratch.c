// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/npu/scratch.h"

#include <stdlib.h>

void *scratch_get(struct scratch *s, size_t size)
{
	void *grown;

	size = (size + 63) / 64 * 64;
	if (s->base && s->size >= size)
		return s->base;
	grown = aligned_alloc(64, size ? size : 64);
	if (!grown)
		return NULL;
	free(s->base);
	s->base = grown;
	s->size = size ? size : 64;
	return grown;
}

void scratch_free(struct scratch *s)
{
	free(s->base);
	s->base = NULL;
	s->size = 0;
}

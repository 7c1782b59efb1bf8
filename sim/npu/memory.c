// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/npu/memory.h"

#include <stdio.h>
#include <string.h>

#define PAGE 4096u

void memory_begin(struct memory *m)
{
	memset(m->windows, 0, sizeof(m->windows));
	m->faulted = false;
}

static void fault(struct memory *m, uint32_t iova, bool write)
{
	if (m->faulted)
		return;
	m->faulted = true;
	m->fault_write = write;
	m->fault_iova = iova;
	snprintf(m->fault_block, sizeof(m->fault_block), "%s", m->block);
}

static uint8_t *run(struct memory *m, uint32_t iova, uint32_t want, uint32_t *len, bool write)
{
	struct memory_window *w = &m->windows[write][iova / PAGE % MEMORY_WINDOWS];
	uint32_t left = PAGE - iova % PAGE;

	if (iova - w->iova >= w->len) {
		uint32_t got = want > left ? want : left;
		uint8_t *host = m->host.map(m->host.ctx, iova, &got, write);

		/* No run leaves the 32-bit space. */
		if (host && got > 0u - iova && iova)
			got = 0u - iova;
		if (!host || !got) {
			fault(m, iova, write);
			*len = want < left ? want : left;
			return NULL;
		}
		*w = (struct memory_window){ host, iova, got };
	}
	left = w->len - (iova - w->iova);
	*len = want < left ? want : left;
	return w->host + (iova - w->iova);
}

const uint8_t *memory_run(struct memory *m, uint32_t iova, uint32_t want, uint32_t *len)
{
	return run(m, iova, want, len, false);
}

void memory_read(struct memory *m, uint32_t iova, void *dst, uint32_t len)
{
	uint8_t *to = dst;
	uint32_t got;

	for (; len; len -= got, iova += got, to += got) {
		const uint8_t *from = run(m, iova, len, &got, false);

		if (from)
			memcpy(to, from, got);
		else
			memset(to, 0, got);
	}
}

const uint8_t *memory_view(struct memory *m, uint32_t iova, uint32_t len, void *bounce)
{
	uint32_t got;
	const uint8_t *from = run(m, iova, len, &got, false);

	if (from && got == len)
		return from;
	memory_read(m, iova, bounce, len);
	return bounce;
}

void memory_write(struct memory *m, uint32_t iova, const void *src, uint32_t len)
{
	const uint8_t *from = src;
	uint32_t got;

	for (; len; len -= got, iova += got, from += got) {
		uint8_t *to = run(m, iova, len, &got, true);

		if (to)
			memcpy(to, from, got);
	}
}

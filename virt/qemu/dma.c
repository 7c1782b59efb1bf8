// SPDX-License-Identifier: LGPL-2.1-or-later
/* dma.c - guest memory, for the engine and for the tables of the IOMMU. */
#include "qemu/osdep.h"

#include "device.h"
#include "exec/address-spaces.h"
#include "exec/memory.h"
#include "qemu/bswap.h"

#define PAGE 4096u

struct written {
	void *host;
	hwaddr len;
};

static bool inside(const struct guest_memory *m, uint64_t address, uint64_t len)
{
	return address >= m->base && address - m->base < m->size &&
	       len <= m->size - (address - m->base);
}

bool dma_read32(void *ctx, uint64_t address, uint32_t *value)
{
	const RocketCore *rc = ctx;
	const struct guest_memory *m = &rc->device->memory;

	if (!inside(m, address, 4))
		return false;
	*value = ldl_le_p(m->host + (address - m->base));
	return true;
}

/* The address of a page once the IOMMU lets it through. With the lock held. */
static enum mmu_answer translate(RocketCore *rc, uint32_t iova, bool write, uint64_t *address)
{
	enum mmu_answer answer;

	while ((answer = mmu_translate(&rc->core.mmu, iova, write, address)) == MMU_WAIT) {
		if (rc->stop)
			return MMU_FAULT;
		rc->waits = true;
		qemu_cond_wait(&rc->change, &rc->lock);
		rc->waits = false;
	}
	return rc->stop ? MMU_FAULT : answer;
}

/* How many bytes from iova are in one piece. *address: where. 0: none. */
static uint32_t run_length(RocketCore *rc, uint32_t iova, uint32_t want, bool write,
			   uint64_t *address)
{
	uint32_t got = PAGE - iova % PAGE;
	enum mmu_answer answer = translate(rc, iova, write, address);
	uint64_t next;

	if (answer == MMU_FAULT)
		return 0;
	if (answer == MMU_OFF || !inside(&rc->device->memory, *address, got)) {
		rc->past = true;
		rc->past_iova = iova;
		return 0;
	}
	while (got < want && iova + got > iova &&
	       mmu_translate(&rc->core.mmu, iova + got, write, &next) == MMU_HIT &&
	       next == *address + got && inside(&rc->device->memory, next, PAGE))
		got += PAGE;
	return got;
}

void *dma_map(void *ctx, uint32_t iova, uint32_t *len, bool write)
{
	RocketCore *rc = ctx;
	const struct guest_memory *m = &rc->device->memory;
	uint64_t address;
	struct written w;

	WITH_QEMU_LOCK_GUARD(&rc->lock)
	{
		*len = run_length(rc, iova, *len, write, &address);
	}
	if (!*len)
		return NULL;
	if (!write)
		return m->host + (address - m->base);
	w.len = *len;
	w.host = address_space_map(&address_space_memory, address, &w.len, true,
				   MEMTXATTRS_UNSPECIFIED);
	if (w.host)
		g_array_append_val(rc->written, w);
	*len = w.len;
	return w.host;
}

void dma_finish(RocketCore *rc)
{
	for (guint i = 0; i < rc->written->len; i++) {
		struct written *w = &g_array_index(rc->written, struct written, i);

		address_space_unmap(&address_space_memory, w->host, w->len, true, w->len);
	}
	g_array_set_size(rc->written, 0);
}

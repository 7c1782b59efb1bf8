// SPDX-License-Identifier: LGPL-2.1-or-later
/* memory.c - runs of any length gathered and scattered, first faults kept. */
#include <string.h>

#include "sim/npu/memory.h"
#include "tests/model/tap.h"

#define SIZE (1u << 16)

static struct tap tap;

/* One region; each call gives out a run of another length. */
struct host {
	uint8_t bytes[SIZE];
	uint32_t base, hole, hole_size;
	uint32_t runs[4]; /* in turn; 0: as long as can be, and beyond */
	unsigned calls;
};

static void *map(void *ctx, uint32_t iova, uint32_t *len, bool write)
{
	struct host *h = ctx;
	uint32_t run = h->runs[h->calls++ % 4];

	(void)write;
	if (iova - h->base >= SIZE || iova - h->base - h->hole < h->hole_size)
		return NULL;
	*len = SIZE - (iova - h->base);
	if (h->hole_size && iova - h->base < h->hole)
		*len = h->hole - (iova - h->base);
	if (run && run < *len)
		*len = run;
	if (!run && !h->hole_size)
		*len += 1u << 20;
	return h->bytes + (iova - h->base);
}

static void begin(struct memory *m, struct host *h, uint32_t base)
{
	memset(h, 0, sizeof(*h));
	h->base = base;
	for (uint32_t i = 0; i < SIZE; i++)
		h->bytes[i] = (uint8_t)(i * 31 + i / 256);
	memset(m, 0, sizeof(*m));
	m->host = (struct npu_memory){ map, h };
	m->block = "CNA";
	memory_begin(m);
}

static void gathering(void)
{
	static const uint32_t lengths[][4] = {
		{ 1, 1, 1, 1 },     { 1, 2, 3, 5 }, { 4096, 4096, 4096, 4096 },
		{ 7, 4096, 1, 64 }, { 0, 0, 0, 0 },
	};
	static uint8_t got[SIZE], bounce[SIZE];
	static struct memory m;
	static struct host h;

	for (unsigned i = 0; i < 5; i++) {
		const uint8_t *view;
		bool same;

		begin(&m, &h, 0x10000000);
		memcpy(h.runs, lengths[i], sizeof(h.runs));
		memory_read(&m, 0x10000000 + 123, got, 20000);
		same = !memcmp(got, h.bytes + 123, 20000);
		view = memory_view(&m, 0x10000000 + 4090, 300, bounce);
		same &= !memcmp(view, h.bytes + 4090, 300);
		tap_ok(&tap, same && !m.faulted, "runs of %u, %u, %u, %u bytes are gathered",
		       lengths[i][0], lengths[i][1], lengths[i][2], lengths[i][3]);
		memset(got, 0x5a, sizeof(got));
		memory_write(&m, 0x10000000 + 77, got, 9999);
		same = !memcmp(h.bytes + 77, got, 9999) && h.bytes[76] != 0x5a &&
		       h.bytes[77 + 9999] == (uint8_t)((77 + 9999) * 31 + (77 + 9999) / 256);
		tap_ok(&tap, same && !m.faulted, "runs of %u, %u, %u, %u bytes are scattered",
		       lengths[i][0], lengths[i][1], lengths[i][2], lengths[i][3]);
	}
}

static void faulting(void)
{
	static uint8_t got[SIZE];
	static struct memory m;
	static struct host h;
	bool zero = true;

	begin(&m, &h, 0x20000000);
	h.hole = 4096;
	h.hole_size = 4096;
	memory_read(&m, 0x20000000 + 4000, got, 8000);
	for (unsigned i = 96; i < 96 + 4096; i++)
		zero &= got[i] == 0;
	tap_ok(&tap,
	       zero && !memcmp(got, h.bytes + 4000, 96) &&
		       !memcmp(got + 96 + 4096, h.bytes + 8192, 8000 - 96 - 4096),
	       "unmapped bytes read as 0, those around them as they are");
	tap_ok(&tap,
	       m.faulted && !m.fault_write && m.fault_iova == 0x20001000 &&
		       !strcmp(m.fault_block, "CNA"),
	       "the first address and the block are kept");
	m.block = "DPU";
	memory_write(&m, 0x20000000 + 4096, got, 16);
	tap_ok(&tap, !m.fault_write && m.fault_iova == 0x20001000, "a later fault changes nothing");
	memory_begin(&m);
	memory_write(&m, 0x20000000 + 4090, got + 200, 16);
	tap_ok(&tap, m.faulted && m.fault_write && m.fault_iova == 0x20001000,
	       "a kick begins without faults, and a write has its own");
	tap_ok(&tap,
	       !memcmp(h.bytes + 4090, got + 200, 6) && h.bytes[4096] == (uint8_t)(4096 * 31 + 16),
	       "the mapped part of a write arrives, the rest is dropped");
}

/* A run given out beyond the last address must not answer for the first ones. */
static void end_of_space(void)
{
	static struct memory m;
	static struct host h;
	uint8_t got[8];

	begin(&m, &h, 0u - SIZE);
	memory_read(&m, 0u - 8, got, 8);
	tap_ok(&tap, !memcmp(got, h.bytes + SIZE - 8, 8) && !m.faulted, "the last bytes are read");
	memory_read(&m, 0x0003f000 + 4088, got, 8);
	tap_ok(&tap, m.faulted && m.fault_iova == 0x0003fff8, "the first addresses are others");
}

int main(void)
{
	gathering();
	faulting();
	end_of_space();
	return tap_end(&tap);
}

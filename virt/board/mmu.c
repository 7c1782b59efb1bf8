// SPDX-License-Identifier: LGPL-2.1-or-later
#include "virt/board/mmu.h"

#include <string.h>

/* Registers of a bank. */
enum {
	DTE_ADDR = 0x00,
	STATUS = 0x04,
	COMMAND = 0x08,
	PAGE_FAULT_ADDR = 0x0c,
	ZAP_ONE_LINE = 0x10,
	INT_RAWSTAT = 0x14,
	INT_CLEAR = 0x18,
	INT_MASK = 0x1c,
	INT_STATUS = 0x20,
	AUTO_GATING = 0x24,
};

enum {
	ENABLE_PAGING,
	DISABLE_PAGING,
	ENABLE_STALL,
	DISABLE_STALL,
	ZAP_CACHE,
	PAGE_FAULT_DONE,
	FORCE_RESET,
};

#define STATUS_PAGING       (1u << 0)
#define STATUS_FAULT        (1u << 1)
#define STATUS_STALLED      (1u << 2)
#define STATUS_IDLE         (1u << 3)
#define STATUS_REPLAY_EMPTY (1u << 4)
#define STATUS_WRITE        (1u << 5)

#define INT_FAULT (1u << 0)
#define INT_BUS   (1u << 1)

#define ENTRY_VALID    (1u << 0)
#define ENTRY_READABLE (1u << 1)
#define ENTRY_WRITABLE (1u << 2)

#define TABLE_ENTRIES 1024u
#define GATING_RESET  0x3u /* the silicon's is not known */

uint64_t mmu_entry_address(uint32_t entry)
{
	return (entry & 0xfffff000u) | (uint64_t)(entry & 0xf00u) << 24 |
	       (uint64_t)(entry & 0xf0u) << 32;
}

static void zap_all(struct mmu *mmu)
{
	memset(mmu->tlb, 0, sizeof(mmu->tlb));
}

static void reset_bank(struct mmu_bank *b)
{
	*b = (struct mmu_bank){ .gating = GATING_RESET };
}

void mmu_init(struct mmu *mmu, unsigned banks, const struct mmu_memory *memory,
	      struct board_counts *counts)
{
	memset(mmu, 0, sizeof(*mmu));
	mmu->banks = banks;
	mmu->memory = *memory;
	mmu->counts = counts;
	mmu_reset(mmu);
}

void mmu_reset(struct mmu *mmu)
{
	for (unsigned i = 0; i < mmu->banks; i++)
		reset_bank(&mmu->bank[i]);
	zap_all(mmu);
	mmu->stuck = false;
}

static uint32_t status(const struct mmu_bank *b)
{
	return (b->paging ? STATUS_PAGING : 0) |
	       (b->fault ? STATUS_FAULT : STATUS_IDLE | STATUS_REPLAY_EMPTY) |
	       (b->stalled ? STATUS_STALLED : 0) | (b->fault && b->fault_write ? STATUS_WRITE : 0);
}

uint32_t mmu_read(struct mmu *mmu, unsigned bank, uint32_t offset)
{
	const struct mmu_bank *b = &mmu->bank[bank];

	count(mmu->counts, TEST_MMU_READS);
	switch (offset) {
	case DTE_ADDR:
		return b->table;
	case STATUS:
		return status(b);
	case PAGE_FAULT_ADDR:
		return b->fault_address;
	case INT_RAWSTAT:
		return b->raw;
	case INT_MASK:
		return b->mask;
	case INT_STATUS:
		return b->raw & b->mask;
	case AUTO_GATING:
		return b->gating;
	default:
		return 0;
	}
}

static bool refuses(const struct mmu *mmu, uint32_t why)
{
	return *knob(mmu->counts, TEST_REFUSE) & why;
}

static void stall(struct mmu *mmu, struct mmu_bank *b)
{
	if (!b->paging)
		return;
	if ((b->fault && refuses(mmu, TEST_REFUSE_FAULT)) ||
	    (mmu->stuck && refuses(mmu, TEST_REFUSE_STUCK)))
		count(mmu->counts, TEST_NO_STALLS);
	else
		b->stalled = true;
}

static void disable(struct mmu *mmu, struct mmu_bank *b)
{
	if (mmu->stuck && refuses(mmu, TEST_REFUSE_OFF))
		count(mmu->counts, TEST_NO_OFFS);
	else
		b->paging = false;
}

static void command(struct mmu *mmu, unsigned bank, uint32_t value)
{
	struct mmu_bank *b = &mmu->bank[bank];

	switch (value) {
	case ENABLE_PAGING:
		b->paging = true;
		if (!bank)
			count(mmu->counts, TEST_ENABLES);
		break;
	case DISABLE_PAGING:
		disable(mmu, b);
		break;
	case ENABLE_STALL:
		if (!bank)
			count(mmu->counts, TEST_STALLS);
		stall(mmu, b);
		break;
	case DISABLE_STALL:
		b->stalled = false;
		break;
	case ZAP_CACHE:
		count(mmu->counts, TEST_ZAPS);
		zap_all(mmu);
		break;
	case PAGE_FAULT_DONE:
		b->fault = false;
		break;
	case FORCE_RESET:
		count(mmu->counts, TEST_FORCED(bank));
		reset_bank(b);
		zap_all(mmu);
		break;
	default:
		break;
	}
}

static void zap_line(struct mmu *mmu, uint32_t iova)
{
	struct mmu_entry *e = &mmu->tlb[(iova >> 12) % MMU_TLB];

	count(mmu->counts, TEST_ZAP_LINES);
	if (e->page == iova >> 12)
		e->valid = false;
}

void mmu_write(struct mmu *mmu, unsigned bank, uint32_t offset, uint32_t value)
{
	struct mmu_bank *b = &mmu->bank[bank];

	count(mmu->counts, TEST_MMU_WRITES);
	switch (offset) {
	case DTE_ADDR:
		b->table = value;
		break;
	case COMMAND:
		command(mmu, bank, value);
		break;
	case ZAP_ONE_LINE:
		zap_line(mmu, value);
		break;
	case INT_CLEAR:
		b->raw &= ~value;
		break;
	case INT_MASK:
		b->mask = value;
		break;
	case AUTO_GATING:
		b->gating = value;
		break;
	default:
		break;
	}
}

/* The entry of a page, 0 when a table on the way to it is not there. */
static uint32_t walk(const struct mmu *mmu, uint32_t iova)
{
	uint64_t directory = mmu_entry_address(mmu->bank[0].table);
	uint32_t entry;

	if (!mmu->memory.read32(mmu->memory.ctx, directory + 4 * (uint64_t)(iova >> 22), &entry) ||
	    !(entry & ENTRY_VALID))
		return 0;
	directory = mmu_entry_address(entry);
	if (!mmu->memory.read32(mmu->memory.ctx, directory + 4 * (uint64_t)(iova >> 12 & 0x3ff),
				&entry))
		return 0;
	return entry & ENTRY_VALID ? entry : 0;
}

enum mmu_answer mmu_translate(struct mmu *mmu, uint32_t iova, bool write, uint64_t *address)
{
	struct mmu_entry *e = &mmu->tlb[(iova >> 12) % MMU_TLB];
	uint32_t need = write ? ENTRY_WRITABLE : ENTRY_READABLE;

	for (unsigned i = 0; i < mmu->banks; i++)
		if (mmu->bank[i].stalled)
			return MMU_WAIT;
	if (!mmu->bank[0].paging)
		return MMU_OFF;
	if (!e->valid || e->page != iova >> 12) {
		uint32_t entry = walk(mmu, iova);

		count(mmu->counts, TEST_TLB_MISSES);
		if (!entry)
			return MMU_FAULT;
		*e = (struct mmu_entry){ true, iova >> 12, entry, mmu_entry_address(entry) };
	}
	if (!(e->flags & need))
		return MMU_FAULT;
	*address = e->address | (iova & 0xfffu);
	return MMU_HIT;
}

void mmu_fault(struct mmu *mmu, uint32_t iova, bool write)
{
	struct mmu_bank *b = &mmu->bank[0];

	count(mmu->counts, TEST_FAULTS);
	*last(mmu->counts, TEST_LAST_FAULT) = iova;
	b->fault = true;
	b->fault_write = write;
	b->fault_address = iova;
	b->raw |= INT_FAULT;
	mmu->stuck = true;
}

void mmu_bus_error(struct mmu *mmu)
{
	count(mmu->counts, TEST_BUS_ERRORS);
	mmu->bank[0].raw |= INT_BUS;
}

bool mmu_irq(const struct mmu *mmu)
{
	uint32_t up = 0;

	for (unsigned i = 0; i < mmu->banks; i++)
		up |= mmu->bank[i].raw & mmu->bank[i].mask;
	return up;
}

uint32_t mmu_valid_pages(const struct mmu *mmu)
{
	const struct mmu_memory *m = &mmu->memory;
	uint64_t directory = mmu_entry_address(mmu->bank[0].table);
	uint32_t pages = 0, entry;

	if (!mmu->bank[0].table)
		return 0;
	for (uint32_t d = 0; d < TABLE_ENTRIES; d++) {
		uint64_t table;

		if (!m->read32(m->ctx, directory + 4 * (uint64_t)d, &entry) ||
		    !(entry & ENTRY_VALID))
			continue;
		table = mmu_entry_address(entry);
		for (uint32_t p = 0; p < TABLE_ENTRIES; p++)
			pages += m->read32(m->ctx, table + 4 * (uint64_t)p, &entry) &&
				 (entry & ENTRY_VALID);
	}
	return pages;
}

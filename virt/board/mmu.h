/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mmu.h - the IOMMU of a core as the kernel drives it: Rockchip's, version 2.
 *
 * A core has one or two banks of registers, which the kernel keeps alike. What a kick reads
 * and writes is translated by the first one; its translations are kept until a zap or a
 * reset, so that a zap the driver forgot is seen.
 */
#ifndef VIRT_BOARD_MMU_H
#define VIRT_BOARD_MMU_H

#include <stdbool.h>
#include <stdint.h>

#include "virt/board/counts.h"

#define MMU_BANKS      2
#define MMU_TLB        64
#define MMU_BANK_BYTES 0x100u

/* Guest memory, where tables are. False: nothing answers there. */
struct mmu_memory {
	bool (*read32)(void *ctx, uint64_t address, uint32_t *value);
	void *ctx;
};

struct mmu_bank {
	uint32_t table; /* DTE_ADDR as written */
	uint32_t fault_address, raw, mask, gating;
	bool paging, stalled, fault, fault_write;
};

struct mmu_entry {
	bool valid;
	uint32_t page; /* IOVA >> 12 */
	uint32_t flags;
	uint64_t address;
};

struct mmu {
	struct mmu_bank bank[MMU_BANKS];
	unsigned banks;
	struct mmu_entry tlb[MMU_TLB];
	bool stuck; /* accesses that never finish hold it up */
	struct mmu_memory memory;
	struct board_counts *counts;
};

enum mmu_answer {
	MMU_HIT,
	MMU_FAULT, /* not mapped, or not for this direction */
	MMU_WAIT,  /* stalled: ask again once it is not */
	MMU_OFF,   /* not translating */
};

void mmu_init(struct mmu *mmu, unsigned banks, const struct mmu_memory *memory,
	      struct board_counts *counts);
/* The core's reset reaches the banks. */
void mmu_reset(struct mmu *mmu);

uint32_t mmu_read(struct mmu *mmu, unsigned bank, uint32_t offset);
void mmu_write(struct mmu *mmu, unsigned bank, uint32_t offset, uint32_t value);

/* Where the page of iova lies. */
enum mmu_answer mmu_translate(struct mmu *mmu, uint32_t iova, bool write, uint64_t *address);
/* A kick met a fault and waits: tell the CPU. */
void mmu_fault(struct mmu *mmu, uint32_t iova, bool write);
void mmu_bus_error(struct mmu *mmu);
bool mmu_irq(const struct mmu *mmu);

/* Valid pages in the tables of the first bank. */
uint32_t mmu_valid_pages(const struct mmu *mmu);

/* An entry of a table or the DTE_ADDR register: the 40-bit address in it. */
uint64_t mmu_entry_address(uint32_t entry);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/* mmu.c - the IOMMU: entries, the kernel's command sequences, faults, kept translations. */
#include <string.h>

#include "tests/model/tap.h"
#include "virt/board/mmu.h"

/* Registers and commands as the kernel names them [source: rockchip-iommu.c]. */
enum { DTE = 0x00, STATUS = 0x04, COMMAND = 0x08, FAULT_ADDR = 0x0c, ZAP_LINE = 0x10 };
enum { RAW = 0x14, CLEAR = 0x18, MASK = 0x1c, INT = 0x20, GATING = 0x24 };
enum { PAGING_ON, PAGING_OFF, STALL, UNSTALL, ZAP, FAULT_DONE, FORCE_RESET };

#define MEMORY    0x80000000u
#define DIRECTORY (MEMORY + 0x1000)
#define TABLE     (MEMORY + 0x2000)

static struct tap tap;
static uint32_t memory[3 * 1024];
static unsigned reads;

static bool read32(void *ctx, uint64_t address, uint32_t *value)
{
	(void)ctx;
	reads++;
	if (address < MEMORY || address >= MEMORY + sizeof(memory))
		return false;
	*value = memory[(address - MEMORY) / 4];
	return true;
}

static struct board_counts counts;
static struct mmu mmu;

static void map(uint32_t iova, uint32_t entry)
{
	memory[1024 + (iova >> 22)] = TABLE | 1;
	memory[2048 + (iova >> 12 & 0x3ff)] = entry;
}

static void command(uint32_t c)
{
	for (unsigned i = 0; i < mmu.banks; i++)
		mmu_write(&mmu, i, COMMAND, c);
}

static uint32_t status(unsigned bank)
{
	return mmu_read(&mmu, bank, STATUS);
}

static uint32_t counted(uint32_t offset)
{
	return counts.count[(offset - COUNT_START) / 4];
}

/* The enabling sequence of the kernel. */
static void enable(void)
{
	command(FORCE_RESET);
	for (unsigned i = 0; i < mmu.banks; i++) {
		mmu_write(&mmu, i, DTE, DIRECTORY | 1);
		mmu_write(&mmu, i, COMMAND, ZAP);
		mmu_write(&mmu, i, MASK, 3);
	}
	command(PAGING_ON);
}

static void begin(unsigned banks)
{
	const struct mmu_memory m = { .read32 = read32 };

	memset(memory, 0, sizeof(memory));
	board_counts_clear(&counts);
	board_counts_defaults(&counts);
	mmu_init(&mmu, banks, &m, &counts);
	reads = 0;
}

static void entries(void)
{
	/* The two examples of the hardware document. */
	tap_ok(&tap, mmu_entry_address(0x23456101) == 0x123456000ull, "directory_of_33_bits");
	tap_ok(&tap, mmu_entry_address(0x87654f77) == 0x7f87654000ull, "page_of_39_bits");
}

static void registers(void)
{
	begin(2);
	tap_ok(&tap, status(0) == 0x18 && status(1) == 0x18, "status_after_reset");
	mmu_write(&mmu, 1, DTE, 0xcafeb000);
	tap_ok(&tap, mmu_read(&mmu, 1, DTE) == 0xcafeb000 && mmu_read(&mmu, 0, DTE) == 0,
	       "table_address_reads_back_as_written");
	mmu_write(&mmu, 1, GATING, mmu_read(&mmu, 1, GATING) | 1u << 31);
	tap_ok(&tap, mmu_read(&mmu, 1, GATING) >> 31, "gating_is_kept");
	mmu_write(&mmu, 1, COMMAND, FORCE_RESET);
	tap_ok(&tap, mmu_read(&mmu, 1, DTE) == 0 && !(mmu_read(&mmu, 1, GATING) >> 31),
	       "forced_reset_forgets_both");
	tap_ok(&tap, counted(TEST_FORCED(1)) == 1 && counted(TEST_FORCED(0)) == 0,
	       "forced_resets_are_counted_by_bank");
}

static void handshakes(void)
{
	begin(2);
	command(STALL);
	tap_ok(&tap, !(status(0) & 4), "no_stall_without_paging");
	enable();
	tap_ok(&tap, status(0) & 1 && status(1) & 1, "paging_on");
	command(STALL);
	tap_ok(&tap, status(0) & 4 && status(1) & 4, "stall");
	command(PAGING_OFF);
	tap_ok(&tap, (status(0) & 5) == 4, "paging_off_leaves_the_stall");
	command(UNSTALL);
	tap_ok(&tap, !(status(0) & 5), "stall_ends");
	tap_ok(&tap, counted(TEST_ENABLES) == 1 && counted(TEST_STALLS) == 2,
	       "sequences_are_counted_once");
}

static void translations(void)
{
	uint64_t a = 0;

	begin(1);
	map(0x00403000, (MEMORY & 0xfffff000) | 7);
	tap_ok(&tap, mmu_translate(&mmu, 0x00403004, false, &a) == MMU_OFF,
	       "nothing_is_translated_before_paging");
	enable();
	tap_ok(&tap, mmu_translate(&mmu, 0x00403004, true, &a) == MMU_HIT && a == MEMORY + 4,
	       "page_and_offset");
	tap_ok(&tap, mmu_translate(&mmu, 0x00404004, false, &a) == MMU_FAULT, "no_page");
	tap_ok(&tap, mmu_translate(&mmu, 0x00803004, false, &a) == MMU_FAULT, "no_table");
	map(0x00405000, MEMORY | 3);
	tap_ok(&tap,
	       mmu_translate(&mmu, 0x00405000, false, &a) == MMU_HIT &&
		       mmu_translate(&mmu, 0x00405000, true, &a) == MMU_FAULT,
	       "page_that_is_only_read");
	map(0x00406000, MEMORY | 5);
	tap_ok(&tap,
	       mmu_translate(&mmu, 0x00406000, true, &a) == MMU_HIT &&
		       mmu_translate(&mmu, 0x00406000, false, &a) == MMU_FAULT,
	       "page_that_is_only_written");
	tap_ok(&tap, mmu_valid_pages(&mmu) == 3, "valid_pages_are_counted");
	mmu_write(&mmu, 0, DTE, 0x10000001);
	tap_ok(&tap, mmu_translate(&mmu, 0x00c00000, false, &a) == MMU_FAULT,
	       "table_outside_of_memory_is_a_fault");
}

static void kept(void)
{
	uint64_t a = 0;

	begin(1);
	enable();
	map(0x1000, MEMORY | 7);
	mmu_translate(&mmu, 0x1000, false, &a);
	map(0x1000, TABLE | 7);
	tap_ok(&tap, mmu_translate(&mmu, 0x1000, false, &a) == MMU_HIT && a == MEMORY,
	       "translation_is_kept_without_a_zap");
	mmu_write(&mmu, 0, ZAP_LINE, 0x1000 + 64 * 4096);
	mmu_translate(&mmu, 0x1000, false, &a);
	tap_ok(&tap, a == MEMORY, "zap_of_another_page_leaves_it");
	mmu_write(&mmu, 0, ZAP_LINE, 0x1000);
	mmu_translate(&mmu, 0x1000, false, &a);
	tap_ok(&tap, a == TABLE, "zap_of_the_page");
	map(0x1000, MEMORY | 7);
	command(ZAP);
	mmu_translate(&mmu, 0x1000, false, &a);
	tap_ok(&tap, a == MEMORY, "zap_of_all");
	map(0x1000, 0);
	enable();
	tap_ok(&tap, mmu_translate(&mmu, 0x1000, false, &a) == MMU_FAULT,
	       "forced_reset_drops_what_was_kept");
	map(0x1000, MEMORY | 7);
	tap_ok(&tap, mmu_translate(&mmu, 0x1000, false, &a) == MMU_HIT, "a_fault_is_not_kept");
	tap_ok(&tap, counted(TEST_ZAP_LINES) == 2 && counted(TEST_ZAPS) == 3, "zaps_are_counted");
}

static void stalls(void)
{
	uint64_t a;

	begin(2);
	enable();
	map(0x1000, MEMORY | 7);
	mmu_write(&mmu, 1, COMMAND, STALL);
	tap_ok(&tap, mmu_translate(&mmu, 0x1000, false, &a) == MMU_WAIT,
	       "stall_of_any_bank_holds_accesses");
	mmu_write(&mmu, 1, COMMAND, UNSTALL);
	tap_ok(&tap, mmu_translate(&mmu, 0x1000, false, &a) == MMU_HIT, "until_it_ends");
}

static void faults(void)
{
	begin(2);
	enable();
	mmu_fault(&mmu, 0x12345678, true);
	tap_ok(&tap, (status(0) & 0x22) == 0x22 && !(status(1) & 2), "fault_is_in_the_first_bank");
	tap_ok(&tap,
	       mmu_read(&mmu, 0, FAULT_ADDR) == 0x12345678 && mmu_read(&mmu, 0, RAW) == 1 &&
		       mmu_read(&mmu, 0, INT) == 1 && mmu_irq(&mmu),
	       "fault_raises_the_line");
	mmu_write(&mmu, 0, COMMAND, FAULT_DONE);
	mmu_write(&mmu, 0, CLEAR, 1);
	tap_ok(&tap, !(status(0) & 2) && !mmu_irq(&mmu), "fault_is_acknowledged");
	mmu_write(&mmu, 0, MASK, 0);
	mmu_bus_error(&mmu);
	tap_ok(&tap, mmu_read(&mmu, 0, RAW) == 2 && !mmu_irq(&mmu), "masked_bus_error");
	mmu_fault(&mmu, 0x1000, false);
	tap_ok(&tap, !(status(0) & 0x20), "fault_of_a_read");
}

/* Which commands a bank with a fault ignores. */
static void refusals(void)
{
	begin(2);
	enable();
	*knob(&counts, TEST_REFUSE) = TEST_REFUSE_FAULT;
	mmu_fault(&mmu, 0, false);
	command(STALL);
	tap_ok(&tap, !(status(0) & 4) && status(1) & 4, "no_stall_while_the_fault_is_active");
	command(FAULT_DONE);
	command(STALL);
	tap_ok(&tap, status(0) & 4, "stall_after_the_acknowledge");

	begin(2);
	enable();
	*knob(&counts, TEST_REFUSE) = TEST_REFUSE_STUCK;
	mmu_fault(&mmu, 0, false);
	command(FAULT_DONE);
	command(STALL);
	tap_ok(&tap, !(status(0) & 4) && !(status(1) & 4) && counted(TEST_NO_STALLS) == 2,
	       "no_stall_until_the_reset");
	command(PAGING_OFF);
	tap_ok(&tap, !(status(0) & 1), "but_an_end_of_paging");
	mmu_reset(&mmu);
	enable();
	command(STALL);
	tap_ok(&tap, status(0) & 4, "stall_after_the_reset");

	begin(1);
	enable();
	*knob(&counts, TEST_REFUSE) = TEST_REFUSE_STUCK | TEST_REFUSE_OFF;
	mmu_fault(&mmu, 0, false);
	command(PAGING_OFF);
	tap_ok(&tap, status(0) & 1 && counted(TEST_NO_OFFS) == 1, "no_end_of_paging_either");
}

int main(void)
{
	entries();
	registers();
	handshakes();
	translations();
	kept();
	stalls();
	faults();
	refusals();
	return tap_end(&tap);
}

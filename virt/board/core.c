// SPDX-License-Identifier: LGPL-2.1-or-later
#include "virt/board/core.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "regs/rk3588.h"

#define RAW_DPU         0x300u
#define RAW_READ_ERROR  (1u << 12)
#define RAW_WRITE_ERROR (1u << 13)

/* The bare line drops after so many reads of RAW, or so long: nobody may ever read it. */
#define BARE_READS 3u
#define BARE_US    200u

static void update_line(struct board_core *core)
{
	bool npu = npu_core_irq(core->cpu) && !core->mute;
	bool own = core->powered && (npu || mmu_irq(&core->mmu));
	bool up = own || core->bare;

	if (up == core->up)
		return;
	core->up = up;
	if (up)
		count(&core->counts, TEST_IRQ_EDGES);
	core->host.line(core->host.ctx, core, up);
}

static void raise_bits(struct board_core *core, uint32_t bits)
{
	struct npu_result r = { .verdict = NPU_DONE, .raw_status = bits };

	npu_core_finish(core->cpu, &r);
	update_line(core);
}

/* An interrupt with nothing behind it. */
static void bare_line(struct board_core *core)
{
	core->bare = BARE_READS;
	core->host.timer(core->host.ctx, core, TIMER_BARE, BARE_US);
	update_line(core);
}

/* ---- the end of a kick ---- */

static void stop_timers(struct board_core *core)
{
	for (int t = 0; t < TIMERS; t++)
		core->host.timer(core->host.ctx, core, t, 0);
}

static void end_kick(struct board_core *core, uint32_t why)
{
	if (core->kick == KICK_NONE)
		return;
	count(&core->counts, why);
	core->host.stop(core->host.ctx, core);
	core->host.timer(core->host.ctx, core, TIMER_DONE, 0);
	core->kick = KICK_NONE;
}

static void wipe(struct board_core *core)
{
	end_kick(core, TEST_RESET_KICKS);
	stop_timers(core);
	core->later = 0;
	core->bare = 0;
	core->mute = false;
	npu_core_reset(core->cpu);
	npu_core_reset(core->engine);
	mmu_reset(&core->mmu);
	update_line(core);
}

static void hang(struct board_core *core, const char *why)
{
	char line[224];

	core->kick = KICK_STUCK;
	count(&core->counts, TEST_HANGS);
	if (*knob(&core->counts, TEST_REFUSE) & TEST_REFUSE_HUNG)
		core->mmu.stuck = true;
	snprintf(line, sizeof(line), "kick hangs: %s", why);
	core->host.report(core->host.ctx, core, line);
}

static void fault(struct board_core *core, uint32_t iova, bool write)
{
	char line[96];

	core->kick = KICK_STUCK;
	mmu_fault(&core->mmu, iova, write);
	snprintf(line, sizeof(line), "kick faults: %s of 0x%08" PRIx32, write ? "write" : "read",
		 iova);
	core->host.report(core->host.ctx, core, line);
	if (*knob(&core->counts, TEST_FAULT_RAW))
		raise_bits(core, write ? RAW_WRITE_ERROR : RAW_READ_ERROR);
	update_line(core);
}

/* The interrupt bits of a completion, as the knobs will have them. */
static uint32_t done_bits(struct board_core *core)
{
	struct board_counts *c = &core->counts;
	uint32_t bits = *knob(c, TEST_DONE_BITS), errors = *knob(c, TEST_ERROR_BITS);

	if (!bits)
		bits = core->result.raw_status;
	return knob_use(c, TEST_ERROR_ONLY) ? errors : bits | errors;
}

static void complete(struct board_core *core)
{
	struct board_counts *c = &core->counts;
	uint32_t bits = done_bits(core);
	bool drop = knob_hits(c, TEST_DROP), again = knob_hits(c, TEST_REPEAT);
	bool late = knob_hits(c, TEST_LATE);

	core->kick = KICK_NONE;
	core->mute = knob_hits(c, TEST_MUTE);
	count(c, TEST_COMPLETIONS);
	*last(c, TEST_LAST_RAW) = bits;
	if (again || late) {
		core->later = late ? bits : 0;
		core->host.timer(core->host.ctx, core, TIMER_LATER,
				 *knob(c, TEST_LATER) ? *knob(c, TEST_LATER) : 1);
	}
	raise_bits(core, drop || late ? 0 : bits);
}

static void done(struct board_core *core)
{
	const struct npu_result *r = &core->result;

	if (r->verdict == NPU_FAULT)
		fault(core, r->fault_iova, r->fault_write);
	else if (r->verdict != NPU_DONE)
		hang(core, r->reason);
	else if (core->cut)
		hang(core, "the test page asks for it, after some of its tasks");
	else
		complete(core);
}

void core_timer(struct board_core *core, enum board_timer timer)
{
	if (timer == TIMER_LATER && core->later) {
		raise_bits(core, core->later);
	} else if (timer == TIMER_LATER) {
		bare_line(core);
	} else if (timer == TIMER_BARE) {
		core->bare = 0;
		update_line(core);
	} else if (core->kick == KICK_COMPUTED) {
		done(core);
	}
}

/* ---- its time ---- */

/* The model does not say what a kick computed with; most of what runs is 16 bits wide. */
static uint32_t cost_us(struct board_core *core)
{
	double mhz = core->host.rate(core->host.ctx) / 1e6;
	double us = npu_cost_us(&npu_cost_set_m, NPU_COST_16BIT, mhz, &core->result.counters);
	uint32_t most = *knob(&core->counts, TEST_DELAY_MOST);

	return us < most ? (uint32_t)us : most;
}

static uint32_t delay_us(struct board_core *core)
{
	struct board_counts *c = &core->counts;
	uint32_t us = *knob(c, TEST_DELAY), next = *knob(c, TEST_NEXT_DELAY);
	uint64_t all = (uint64_t)us * (core->result.tasks_done ? core->result.tasks_done : 1);

	if (next) {
		*knob(c, TEST_DELAY) = next;
		*knob(c, TEST_NEXT_DELAY) = 0;
	}
	if (us == TEST_DELAY_COST)
		return cost_us(core);
	return all < UINT32_MAX ? (uint32_t)all : UINT32_MAX;
}

void core_ran(struct board_core *core, const struct npu_result *result, uint32_t us)
{
	uint32_t delay;

	core->kick = KICK_COMPUTED;
	core->result = *result;
	for (uint32_t i = 0; i < result->tasks_done; i++)
		count(&core->counts, TEST_TASKS);
	core->counts.count[(TEST_WARNINGS - COUNT_START) / 4] += result->warnings;
	delay = delay_us(core);
	*last(&core->counts, TEST_LAST_US) = delay > us ? delay : us;
	if (delay > us)
		core->host.timer(core->host.ctx, core, TIMER_DONE, delay - us);
	else
		done(core);
}

/* ---- a kick ---- */

static void note_kick(struct board_core *core)
{
	static const struct {
		uint32_t page, reg;
	} shown[] = {
		{ TEST_LAST_BASE, RK3588_PC_BASE_ADDRESS },
		{ TEST_LAST_AMOUNTS, RK3588_PC_REGISTER_AMOUNTS },
		{ TEST_LAST_TASK_CON, RK3588_PC_TASK_CON },
		{ TEST_LAST_MASK, RK3588_PC_INTERRUPT_MASK },
	};

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		*last(&core->counts, shown[i].page) = npu_core_read(core->cpu, shown[i].reg);
	if (*knob(&core->counts, TEST_WALK_KICK))
		*last(&core->counts, TEST_LAST_PAGES) = mmu_valid_pages(&core->mmu);
}

/* TASK_CON, or less of it when a task of the kick is to hang; 0: already the first. */
static uint32_t task_con(struct board_core *core)
{
	uint32_t *left = knob(&core->counts, TEST_HANG_TASK);
	uint32_t con = npu_core_read(core->cpu, RK3588_PC_TASK_CON);
	uint32_t mask = (1u << core->chip->task_number_bits) - 1, tasks = con & mask;

	core->cut = *left && tasks >= *left;
	if (core->cut) {
		tasks = *left - 1;
		*left = 0;
		return tasks ? (con & ~mask) | tasks : 0;
	}
	*left -= *left ? tasks : 0;
	return con;
}

static void start(struct board_core *core, uint32_t con)
{
	static const uint32_t copied[] = { RK3588_PC_BASE_ADDRESS, RK3588_PC_REGISTER_AMOUNTS,
					   RK3588_PC_TASK_DMA_BASE_ADDR };

	for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++)
		npu_core_write(core->engine, copied[i], npu_core_read(core->cpu, copied[i]));
	npu_core_write(core->engine, RK3588_PC_TASK_CON, con);
	npu_core_write(core->engine, RK3588_PC_OPERATION_ENABLE, 1);
	core->kick = KICK_RUNS;
	core->host.start(core->host.ctx, core);
}

static void kick(struct board_core *core)
{
	struct board_counts *c = &core->counts;
	uint32_t where = *knob(c, TEST_FAULT_IOVA), con;

	end_kick(core, TEST_ABORTED);
	count(c, TEST_KICKS);
	note_kick(core);
	if (knob_use(c, TEST_HANG))
		hang(core, "the test page asks for it");
	else if (knob_use(c, TEST_FAULT))
		fault(core, where & ~1u, where & 1);
	else if ((con = task_con(core)) || !core->cut)
		start(core, con);
	else
		hang(core, "the test page asks for it");
}

/* OPERATION_ENABLE=0. */
static void stop(struct board_core *core)
{
	struct board_counts *c = &core->counts;

	end_kick(core, TEST_ABORTED);
	if (npu_core_read(core->cpu, RK3588_PC_INTERRUPT_RAW_STATUS) & RAW_DPU &&
	    knob_use(c, TEST_STOP_BUS))
		mmu_bus_error(&core->mmu);
}

/* ---- what the CPU does ---- */

/* The bank of an offset, MMU_BANKS when there is none. */
static unsigned bank_of(const struct board_core *core, uint32_t offset)
{
	uint32_t page = offset & ~(BOARD_PAGE_SIZE - 1);

	if (offset % BOARD_PAGE_SIZE >= MMU_BANK_BYTES)
		return MMU_BANKS;
	if (page == BOARD_MMU_PAGE_A && core->mmu.banks == 2)
		return 0;
	return page == BOARD_MMU_PAGE_B ? core->mmu.banks - 1 : MMU_BANKS;
}

bool core_has(const struct board_core *core, uint32_t offset)
{
	uint32_t page = offset & ~(BOARD_PAGE_SIZE - 1);

	return page == 0x0000 || page == 0x1000 || page == 0x3000 ||
	       bank_of(core, offset) != MMU_BANKS;
}

static void read_raw(struct board_core *core)
{
	count(&core->counts, TEST_RAW_READS);
	if (core->bare && !--core->bare)
		update_line(core);
}

uint32_t core_read(struct board_core *core, uint32_t offset)
{
	unsigned bank = bank_of(core, offset);
	uint32_t value;

	if (core->lines)
		return 0;
	if (bank != MMU_BANKS)
		return mmu_read(&core->mmu, bank, offset % BOARD_PAGE_SIZE);
	count(&core->counts, TEST_READS);
	value = npu_core_read(core->cpu, offset);
	if (offset == RK3588_PC_INTERRUPT_RAW_STATUS)
		read_raw(core);
	return value;
}

static void write_core(struct board_core *core, uint32_t offset, uint32_t value)
{
	count(&core->counts, TEST_WRITES);
	npu_core_write(core->cpu, offset, value);
	/* The engine learns of the PC's registers when it is kicked. */
	if (offset >> 12 && core->kick != KICK_RUNS)
		npu_core_write(core->engine, offset, value);
	if (offset == RK3588_CNA_S_POINTER)
		*last(&core->counts, TEST_LAST_S_POINTER) = value;
	if (offset == RK3588_PC_INTERRUPT_CLEAR)
		core->mute = false;
	if (offset == RK3588_PC_INTERRUPT_MASK && !value)
		count(&core->counts, TEST_MASK_ZEROS);
	if (offset == RK3588_PC_OPERATION_ENABLE) {
		if (value & 1)
			kick(core);
		else
			stop(core);
	}
}

void core_write(struct board_core *core, uint32_t offset, uint32_t value)
{
	unsigned bank = bank_of(core, offset);

	if (core->lines)
		return;
	if (bank != MMU_BANKS)
		mmu_write(&core->mmu, bank, offset % BOARD_PAGE_SIZE, value);
	else
		write_core(core, offset, value);
	update_line(core);
}

/* ---- power and reset ---- */

void core_power(struct board_core *core, bool on)
{
	if (on == core->powered)
		return;
	core->powered = on;
	if (on)
		count(&core->counts, TEST_POWER_UPS);
	wipe(core);
}

void core_reset_lines(struct board_core *core, uint32_t lines)
{
	if (lines & ~core->lines) {
		if (!core->lines)
			count(&core->counts, TEST_RESETS);
		wipe(core);
	}
	core->lines = lines;
}

void core_restart(struct board_core *core, bool powered)
{
	core->lines = 0;
	core->powered = powered;
	wipe(core);
	board_counts_clear(&core->counts);
	board_counts_defaults(&core->counts);
}

/* ---- the test page ---- */

static void trigger(struct board_core *core, uint32_t what)
{
	if (what & TEST_TRIGGER_BUS)
		mmu_bus_error(&core->mmu);
	if (what & TEST_TRIGGER_LINE)
		bare_line(core);
	if (what & TEST_TRIGGER_FAULT)
		mmu_fault(&core->mmu, *knob(&core->counts, TEST_FAULT_IOVA) & ~1u,
			  *knob(&core->counts, TEST_FAULT_IOVA) & 1);
	raise_bits(core, (what & TEST_TRIGGER_DPU ? RAW_DPU : 0) |
				 (what & TEST_TRIGGER_READ ? RAW_READ_ERROR : 0) |
				 (what & TEST_TRIGGER_WRITE ? RAW_WRITE_ERROR : 0));
}

uint32_t core_test_read(struct board_core *core, uint32_t offset)
{
	struct board_counts *c = &core->counts;

	if (offset >= KNOBS_START && offset < KNOBS_END)
		return *knob(c, offset);
	if (offset >= COUNT_START && offset < TEST_COUNTERS_END)
		return c->count[(offset - COUNT_START) / 4];
	switch (offset) {
	case TEST_ID:
		return TEST_ID_VALUE;
	case TEST_WALK:
		return mmu_valid_pages(&core->mmu);
	case TEST_POWERED:
		return core->powered;
	case TEST_BUSY:
		return core->kick != KICK_NONE;
	default:
		return offset >= LAST_START && offset < LAST_END ? *last(c, offset) : 0;
	}
}

void core_test_write(struct board_core *core, uint32_t offset, uint32_t value)
{
	struct board_counts *c = &core->counts;

	if (offset >= KNOBS_START && offset < KNOBS_END)
		*knob(c, offset) = value;
	else if (offset == TEST_TRIGGER)
		trigger(core, value);
	else if (offset == TEST_CLEAR && value & TEST_CLEAR_COUNTS)
		board_counts_clear(c);
	if (offset == TEST_CLEAR && value & TEST_CLEAR_KNOBS)
		board_counts_defaults(c);
}

/* ---- life ---- */

bool core_init(struct board_core *core, unsigned index, const struct npu_memory *memory,
	       const struct npu_core_options *options, const struct mmu_memory *tables,
	       const struct core_host *host)
{
	memset(core, 0, sizeof(*core));
	core->index = index;
	core->chip = npu_chip_by_name("rk3588");
	core->host = *host;
	core->cpu = npu_core_new(core->chip, index, memory, options);
	core->engine = npu_core_new(core->chip, index, memory, options);
	mmu_init(&core->mmu, index ? 1 : 2, tables, &core->counts);
	board_counts_defaults(&core->counts);
	if (core->cpu && core->engine)
		return true;
	core_free(core);
	return false;
}

void core_free(struct board_core *core)
{
	npu_core_free(core->cpu);
	npu_core_free(core->engine);
	core->cpu = core->engine = NULL;
}

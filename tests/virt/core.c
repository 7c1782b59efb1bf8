// SPDX-License-Identifier: LGPL-2.1-or-later
/* core.c - a core of the board: kicks, their time, the interrupt line, resets, knobs. */
#include <stdlib.h>
#include <string.h>

#include "tests/model/board.h"
#include "tests/model/emit.h"
#include "tests/model/tap.h"
#include "virt/board/core.h"

#define PROGRAM 0x50000000u
#define OUTPUT  0x30000000u
#define MMU     0xa000u /* the bank of cores 1 and 2 */

enum { ENABLE = 0x08, BASE = 0x10, AMOUNTS = 0x14, MASK = 0x20, CLEAR = 0x24, RAW = 0x2c };
enum { TASK_CON = 0x30, CNA_POINTER = 0x1004, CORE_POINTER = 0x3004 };

static struct tap tap;
static struct board memory;
static struct board_core core;
static bool wants_run, up;
static unsigned edges, stops;
static uint32_t timer[TIMERS];
static char said[256];

static void start(void *ctx, struct board_core *c)
{
	(void)ctx, (void)c;
	wants_run = true;
}

static void stop(void *ctx, struct board_core *c)
{
	(void)ctx, (void)c;
	wants_run = false;
	stops++;
}

static void set_timer(void *ctx, struct board_core *c, enum board_timer t, uint32_t us)
{
	(void)ctx, (void)c;
	timer[t] = us;
}

static void line(void *ctx, struct board_core *c, bool is_up)
{
	(void)ctx, (void)c;
	up = is_up;
	edges += is_up;
}

static uint32_t rate(void *ctx)
{
	(void)ctx;
	return 200000000;
}

static void report(void *ctx, struct board_core *c, const char *what)
{
	(void)ctx, (void)c;
	snprintf(said, sizeof(said), "%s", what);
}

static bool no_table(void *ctx, uint64_t address, uint32_t *value)
{
	(void)ctx, (void)address, (void)value;
	return false;
}

static unsigned program_words;

static void begin(void)
{
	const struct core_host host = { start, stop, set_timer, line, rate, report, NULL };
	const struct mmu_memory tables = { .read32 = no_table };
	struct emit_conv c = emit_matmul(EMIT_FP16_FP16, 16, 64, 48);
	struct npu_memory m;
	struct emit_program p;

	board_init(&memory, NULL);
	for (uint32_t space = 0x10000000; space <= 0x50000000; space += 0x10000000)
		board_map(&memory, space, 1 << 16);
	emit_program(&p, &c);
	board_put(&memory, PROGRAM, p.word, p.n * sizeof(p.word[0]));
	program_words = p.n;
	m = board_memory(&memory);
	if (!core_init(&core, 1, &m, NULL, &tables, &host))
		abort();
	wants_run = up = false;
	edges = stops = 0;
	memset(timer, 0, sizeof(timer));
	said[0] = '\0';
	core_restart(&core, true);
	stops = 0;
}

static void end(void)
{
	core_free(&core);
	board_free(&memory);
}

/* As the driver kicks a task [source: rocket_job.c]. */
static void kick(uint32_t tasks)
{
	const uint32_t writes[][2] = {
		{ BASE, 1 },
		{ CNA_POINTER, 0x1000000e },
		{ CORE_POINTER, 0x1000000e },
		{ BASE, PROGRAM },
		{ AMOUNTS, (program_words + 1) / 2 - 1 },
		{ MASK, 0x300 },
		{ CLEAR, 0x300 },
		{ TASK_CON, 0x7000 | tasks },
		{ 0x34, 0 },
		{ ENABLE, 1 },
	};

	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++)
		core_write(&core, writes[i][0], writes[i][1]);
}

/* What the host's thread does; us after the kick. */
static void run(uint32_t us)
{
	struct npu_result r;

	if (!wants_run)
		return;
	wants_run = false;
	npu_core_run(core.engine, &r);
	core_ran(&core, &r, us);
}

static void expire(enum board_timer t)
{
	timer[t] = 0;
	core_timer(&core, t);
}

static void acknowledge(void)
{
	core_write(&core, MASK, 0);
	core_write(&core, ENABLE, 0);
	core_write(&core, CLEAR, 0x1ffff);
}

static uint32_t test(uint32_t offset)
{
	return core_test_read(&core, offset);
}

static void set(uint32_t offset, uint32_t value)
{
	core_test_write(&core, offset, value);
}

static bool written(void)
{
	return *board_byte(&memory, OUTPUT) != 0xa5;
}

/* ---- */

static void plain(void)
{
	begin();
	board_fill(&memory, OUTPUT, 0xa5, 4096);
	kick(1);
	tap_ok(&tap, wants_run && !up && !written() && test(TEST_BUSY),
	       "a_kick_starts_a_run_and_nothing_else");
	run(10);
	tap_ok(&tap, timer[TIMER_DONE] > 0 && timer[TIMER_DONE] < 1000 && !up,
	       "it_takes_the_time_of_the_cost_model");
	tap_ok(&tap, test(TEST_LAST_US) == timer[TIMER_DONE] + 10, "counted_from_the_kick");
	expire(TIMER_DONE);
	tap_ok(&tap,
	       up && core_read(&core, RAW) == 0x155 && core_read(&core, 0x28) == 0x100 && written(),
	       "then_its_interrupt_comes");
	acknowledge();
	tap_ok(&tap, !up && !core_read(&core, RAW) && edges == 1, "and_goes_when_acknowledged");
	tap_ok(&tap,
	       test(TEST_KICKS) == 1 && test(TEST_TASKS) == 1 && test(TEST_COMPLETIONS) == 1 &&
		       test(TEST_ABORTED) == 0 && test(TEST_IRQ_EDGES) == 1 &&
		       test(TEST_MASK_ZEROS) == 1 && test(TEST_WRITES) == 13,
	       "counted");
	tap_ok(&tap,
	       test(TEST_LAST_BASE) == PROGRAM && test(TEST_LAST_TASK_CON) == 0x7001 &&
		       test(TEST_LAST_MASK) == 0x300 && test(TEST_LAST_S_POINTER) == 0x1000000e &&
		       test(TEST_LAST_AMOUNTS) == (program_words + 1) / 2 - 1 &&
		       test(TEST_LAST_RAW) == 0x155,
	       "last_kick_is_shown");
	kick(1);
	run(1000000);
	tap_ok(&tap, up && core_read(&core, RAW) == 0x2aa, "a_run_that_was_slow_ends_at_once");
	end();
}

static void masked(void)
{
	begin();
	kick(1);
	core_write(&core, MASK, 0xc00);
	run(0);
	expire(TIMER_DONE);
	tap_ok(&tap, !up && core_read(&core, RAW) == 0x155 && test(TEST_COMPLETIONS) == 1,
	       "completion_outside_of_the_mask_is_silent");
	core_write(&core, MASK, 0x300);
	tap_ok(&tap, up, "until_the_mask_changes");
	end();
}

static void aborts(void)
{
	begin();
	kick(1);
	core_write(&core, ENABLE, 0);
	tap_ok(&tap, stops == 1 && !test(TEST_BUSY) && test(TEST_ABORTED) == 1,
	       "operation_enable_0_aborts_the_run");
	kick(1);
	run(0);
	core_write(&core, ENABLE, 0);
	expire(TIMER_DONE);
	tap_ok(&tap, !up && test(TEST_ABORTED) == 2 && !test(TEST_COMPLETIONS),
	       "and_a_kick_that_only_waits");
	kick(1);
	kick(1);
	tap_ok(&tap, test(TEST_ABORTED) == 3 && test(TEST_KICKS) == 4,
	       "a_second_kick_aborts_the_first");
	run(0);
	expire(TIMER_DONE);
	tap_ok(&tap, up && test(TEST_COMPLETIONS) == 1, "and_completes");
	end();
}

static void resets(void)
{
	begin();
	kick(1);
	run(0);
	expire(TIMER_DONE);
	acknowledge();
	core_write(&core, MMU, 0xcafeb000);
	core_write(&core, MMU + 0x1c, 3);
	kick(1);
	core_reset_lines(&core, 1);
	tap_ok(&tap, stops == 1 && !test(TEST_BUSY) && test(TEST_RESET_KICKS) == 1,
	       "reset_ends_the_run");
	core_reset_lines(&core, 3);
	core_write(&core, MASK, 0x300);
	tap_ok(&tap, core_read(&core, 0) == 0 && core_read(&core, MASK) == 0,
	       "nothing_answers_while_it_is_asserted");
	core_reset_lines(&core, 0);
	tap_ok(&tap, core_read(&core, MASK) == 0x1ffff, "nor_keeps_what_is_written");
	tap_ok(&tap,
	       core_read(&core, BASE) == 0 && core_read(&core, TASK_CON) == 0 &&
		       core_read(&core, RAW) == 0 && core_read(&core, MMU) == 0 &&
		       core_read(&core, MMU + 0x1c) == 0,
	       "core_and_iommu_are_as_new");
	tap_ok(&tap, test(TEST_RESETS) == 1, "one_pulse");
	kick(1);
	run(0);
	expire(TIMER_DONE);
	tap_ok(&tap, up && core_read(&core, RAW) == 0x155, "the_next_kick_runs");
	core_power(&core, false);
	tap_ok(&tap, !up, "power_off_takes_the_line_down");
	set(TEST_TRIGGER, TEST_TRIGGER_DPU);
	tap_ok(&tap, !up, "a_core_without_power_raises_none");
	set(TEST_TRIGGER, TEST_TRIGGER_LINE);
	tap_ok(&tap, up && timer[TIMER_BARE], "but_the_bare_line_may_come_from_elsewhere");
	expire(TIMER_BARE);
	tap_ok(&tap, !up, "for_a_while");
	core_power(&core, true);
	tap_ok(&tap, core_read(&core, RAW) == 0 && test(TEST_POWER_UPS) == 1,
	       "power_on_starts_as_new");
	end();
}

/* A program with a link to a page that is not there; a chain that is too short. */
static void failures(void)
{
	begin();
	kick(2);
	run(0);
	expire(TIMER_DONE);
	tap_ok(&tap, !up && test(TEST_BUSY) && test(TEST_HANGS) == 1 && strstr(said, "kick hangs"),
	       "chain_without_a_link_hangs");
	core_write(&core, ENABLE, 0);
	core_write(&core, BASE, 0x60000000);
	core_write(&core, MMU + 0x1c, 3);
	core_write(&core, ENABLE, 1);
	run(0);
	expire(TIMER_DONE);
	tap_ok(&tap,
	       up && core_read(&core, MMU + 0x14) == 1 &&
		       core_read(&core, MMU + 0x0c) == 0x60000000 && core_read(&core, RAW) == 0 &&
		       test(TEST_FAULTS) == 1,
	       "unmapped_program_is_a_fault_of_the_iommu_alone");
	core_write(&core, MMU + 0x18, 1);
	tap_ok(&tap, !up && test(TEST_BUSY), "after_which_the_core_hangs");
	set(TEST_FAULT_RAW, 1);
	core_write(&core, ENABLE, 0);
	core_write(&core, ENABLE, 1);
	run(0);
	expire(TIMER_DONE);
	tap_ok(&tap, core_read(&core, RAW) == 0x1000, "with_a_knob_it_is_a_dma_error_too");
	end();
}

/* ---- knobs ---- */

static void one(uint32_t tasks)
{
	kick(tasks);
	run(0);
	if (timer[TIMER_DONE])
		expire(TIMER_DONE);
}

static void delays(void)
{
	begin();
	set(TEST_DELAY, 5000);
	set(TEST_NEXT_DELAY, 70);
	kick(1);
	run(1000);
	tap_ok(&tap, timer[TIMER_DONE] == 4000, "delay_of_a_task");
	expire(TIMER_DONE);
	kick(1);
	run(0);
	tap_ok(&tap, timer[TIMER_DONE] == 70 && !test(TEST_NEXT_DELAY), "delay_of_the_kicks_after");
	set(TEST_DELAY, TEST_DELAY_COST);
	set(TEST_DELAY_MOST, 7);
	kick(1);
	run(0);
	tap_ok(&tap, timer[TIMER_DONE] == 7, "most_that_the_cost_model_gives");
	end();
}

static void hangs(void)
{
	begin();
	set(TEST_HANG, 1);
	one(1);
	tap_ok(&tap, test(TEST_BUSY) && !up && !wants_run, "next_kick_hangs");
	core_write(&core, ENABLE, 0);
	one(1);
	tap_ok(&tap, up && test(TEST_HANGS) == 1, "and_the_one_after_does_not");
	acknowledge();
	set(TEST_HANG_TASK, 2);
	one(1);
	tap_ok(&tap, up, "first_of_two_tasks_completes");
	acknowledge();
	one(1);
	tap_ok(&tap, !up && test(TEST_BUSY), "second_hangs");
	core_write(&core, ENABLE, 0);
	set(TEST_HANG_TASK, 2);
	board_fill(&memory, OUTPUT, 0xa5, 4096);
	one(3);
	tap_ok(&tap, !up && test(TEST_BUSY) && written() && !strstr(said, "link"),
	       "in_a_chain_the_tasks_before_are_done");
	core_write(&core, ENABLE, 0);
	one(1);
	tap_ok(&tap, up, "once");
	end();
}

static void bits(void)
{
	begin();
	set(TEST_DONE_BITS, 0xc00);
	one(1);
	tap_ok(&tap, core_read(&core, RAW) == 0xc00 && !up, "other_completion_bits");
	acknowledge();
	set(TEST_CLEAR, TEST_CLEAR_KNOBS);
	set(TEST_ERROR_BITS, 0x1000);
	one(1);
	tap_ok(&tap, core_read(&core, RAW) == 0x12aa, "error_bits_with_the_completion");
	acknowledge();
	set(TEST_ERROR_ONLY, 1);
	one(1);
	tap_ok(&tap, core_read(&core, RAW) == 0x1000 && !up, "error_bits_alone");
	end();
}

static void interrupts(void)
{
	begin();
	set(TEST_DROP, 2);
	one(1);
	tap_ok(&tap, up, "first_interrupt_comes");
	acknowledge();
	one(1);
	tap_ok(&tap, !up && !core_read(&core, RAW) && test(TEST_COMPLETIONS) == 2,
	       "second_is_dropped");
	set(TEST_LATER, 300);
	set(TEST_LATE, 1);
	one(1);
	tap_ok(&tap, !up && timer[TIMER_LATER] == 300 && test(TEST_COMPLETIONS) == 3,
	       "interrupt_comes_late");
	expire(TIMER_LATER);
	tap_ok(&tap, up && core_read(&core, RAW) & 0x300, "but_comes");
	acknowledge();
	set(TEST_REPEAT, 1);
	one(1);
	acknowledge();
	tap_ok(&tap, !up && timer[TIMER_LATER] == 300, "interrupt_comes");
	expire(TIMER_LATER);
	tap_ok(&tap, up && !core_read(&core, RAW), "and_comes_again_with_nothing_behind_it");
	end();
	begin();
	set(TEST_MUTE, 1);
	one(1);
	tap_ok(&tap, !up && core_read(&core, RAW) & 0x300,
	       "interrupt_is_lost_but_its_bits_are_not");
	acknowledge();
	one(1);
	tap_ok(&tap, up, "next_one_comes");
	end();
}

static void triggers(void)
{
	begin();
	core_write(&core, MMU + 0x1c, 3);
	set(TEST_TRIGGER, TEST_TRIGGER_BUS);
	tap_ok(&tap, up && core_read(&core, MMU + 0x20) == 2, "bus_error");
	core_write(&core, MMU + 0x18, 3);
	core_write(&core, MASK, 0x3300);
	set(TEST_TRIGGER, TEST_TRIGGER_DPU);
	tap_ok(&tap, up && core_read(&core, RAW) == 0x300, "completion_bits_of_nothing");
	core_write(&core, CLEAR, 0x1ffff);
	set(TEST_TRIGGER, TEST_TRIGGER_READ | TEST_TRIGGER_WRITE);
	tap_ok(&tap, up && core_read(&core, RAW) == 0x3000, "dma_errors");
	core_write(&core, CLEAR, 0x1ffff);
	set(TEST_FAULT_IOVA, 0x1235);
	set(TEST_TRIGGER, TEST_TRIGGER_FAULT);
	tap_ok(&tap, core_read(&core, MMU + 0x0c) == 0x1234 && core_read(&core, MMU + 4) & 0x20,
	       "fault_of_a_write");
	core_write(&core, MMU + 0x18, 3);
	tap_ok(&tap, !up, "all_acknowledged");
	set(TEST_TRIGGER, TEST_TRIGGER_LINE);
	core_read(&core, RAW);
	core_read(&core, RAW);
	tap_ok(&tap, up, "bare_line_stays_for_two_reads");
	core_read(&core, RAW);
	tap_ok(&tap, !up, "and_drops_at_the_third");
	one(1);
	set(TEST_STOP_BUS, 1);
	core_write(&core, MASK, 0);
	core_write(&core, ENABLE, 0);
	tap_ok(&tap, up && core_read(&core, MMU + 0x14) == 2, "bus_error_at_the_end_of_a_task");
	end();
}

static void faults(void)
{
	begin();
	set(TEST_FAULT, 1);
	set(TEST_FAULT_IOVA, 0x7000);
	core_write(&core, MMU + 0x1c, 3);
	one(1);
	tap_ok(&tap, up && test(TEST_BUSY) && test(TEST_LAST_FAULT) == 0x7000, "next_kick_faults");
	core_write(&core, MMU + 0x08, 0);
	core_write(&core, MMU + 0x08, 5);
	core_write(&core, MMU + 0x08, 2);
	tap_ok(&tap, !(core_read(&core, MMU + 4) & 4) && test(TEST_NO_STALLS) == 1,
	       "and_its_bank_cannot_stall");
	core_reset_lines(&core, 3);
	core_reset_lines(&core, 0);
	core_write(&core, MMU + 0x08, 0);
	core_write(&core, MMU + 0x08, 2);
	tap_ok(&tap, core_read(&core, MMU + 4) & 4, "until_the_reset");
	end();
}

static void window(void)
{
	begin();
	tap_ok(&tap,
	       core_has(&core, 0x20) && core_has(&core, 0x1004) && core_has(&core, 0x3004) &&
		       core_has(&core, 0xa024),
	       "blocks_answer");
	tap_ok(&tap,
	       !core_has(&core, 0x2000) && !core_has(&core, 0x9000) && !core_has(&core, 0xa100) &&
		       !core_has(&core, 0x4000),
	       "other_offsets_do_not");
	tap_ok(&tap, test(TEST_ID) == TEST_ID_VALUE && test(0xffc) == 0, "test_page");
	tap_ok(&tap, test(TEST_DELAY) == TEST_DELAY_COST && test(TEST_REFUSE) == 3, "defaults");
	kick(1);
	set(TEST_CLEAR, TEST_CLEAR_COUNTS);
	tap_ok(&tap, test(TEST_KICKS) == 0 && test(TEST_LAST_BASE) == 0, "counters_are_cleared");
	end();
}

int main(void)
{
	plain();
	masked();
	aborts();
	resets();
	failures();
	delays();
	hangs();
	bits();
	interrupts();
	triggers();
	faults();
	window();
	return tap_end(&tap);
}

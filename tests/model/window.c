// SPDX-License-Identifier: LGPL-2.1-or-later
/* window.c - a core as the CPU sees it: registers, arming, interrupts, counters, reset. */
#include <string.h>

#include "tests/model/board.h"
#include "tests/model/emit.h"
#include "tests/model/tap.h"

#define PROGRAM 0x50000000u

static struct tap tap;
static unsigned traced;

static void trace(void *ctx, const char *line)
{
	(void)ctx;
	traced += strstr(line, "CNA 0x1020 0x00010010") != NULL;
}

static void begin(struct board *b, struct emit_program *p)
{
	struct npu_core_options o = { .trace = trace };
	struct emit_conv c = emit_matmul(EMIT_FP16_FP16, 16, 64, 48);

	board_init(b, &o);
	for (uint32_t space = 0x10000000; space <= 0x50000000; space += 0x10000000)
		board_map(b, space, 1 << 16);
	emit_program(p, &c);
}

static void identity(void)
{
	const struct npu_chip *chip = npu_chip_by_name("rk3588");
	struct emit_program p;
	struct board b;

	begin(&b, &p);
	tap_ok(&tap, npu_core_read(b.core, 0) + (npu_core_read(b.core, 4) & 0xffff) == 1179210309u,
	       "version_is_what_the_kernel_logs");
	tap_ok(&tap,
	       chip->cores == 3 && chip->task_number_bits == 12 && !npu_chip_by_name("rk9999"),
	       "chip_by_name");
	tap_ok(&tap, npu_core_read(b.core, 0x20) == 0x1ffff,
	       "every_interrupt_is_enabled_at_power_on");
	tap_ok(&tap, npu_core_read(b.core, 0x4010) == 0 && npu_core_read(b.core, 0x9000) == 0,
	       "other_pages_read_0");
	npu_core_write(b.core, 0x1020, 0x12345);
	tap_ok(&tap, npu_core_read(b.core, 0x1020) == 0x12345,
	       "cna_registers_keep_what_the_cpu_wrote");
	board_free(&b);
}

static void pointers(void)
{
	struct emit_program p;
	struct board b;

	begin(&b, &p);
	npu_core_write(b.core, 0x1004, 1);
	tap_ok(&tap, (npu_core_read(b.core, 0x1004) & 1) == 1, "pointer_follows_the_written_bit");
	npu_core_write(b.core, 0x1020, 7);
	npu_core_write(b.core, 0x1004, 0);
	tap_ok(&tap, npu_core_read(b.core, 0x1020) == 0, "the_other_group_is_another_register");
	npu_core_write(b.core, 0x1004, 1);
	npu_core_write(b.core, 0x1004, 0xe);
	tap_ok(&tap, (npu_core_read(b.core, 0x1004) & 7) == 7,
	       "with_ping_pong_the_written_bit_does_not_move_the_pointer");
	npu_core_write(b.core, 0x1004, 0x30);
	tap_ok(&tap, (npu_core_read(b.core, 0x1004) & 7) == 0, "clear_bits_select_group_0");
	board_free(&b);
}

static void kicks(void)
{
	struct npu_result r;
	struct emit_program p;
	struct board b;

	begin(&b, &p);
	npu_core_run(b.core, &r);
	tap_ok(&tap, r.verdict == NPU_IDLE && !npu_core_armed(b.core),
	       "core_that_is_not_armed_is_idle");
	npu_core_write(b.core, 8, 1);
	tap_ok(&tap, npu_core_armed(b.core), "operation_enable_arms");
	npu_core_write(b.core, 8, 0);
	tap_ok(&tap, !npu_core_armed(b.core), "operation_enable_0_disarms");

	traced = 0;
	board_run(&b, PROGRAM, p.word, p.n, p.n, 1, &r);
	tap_ok(&tap, r.verdict == NPU_DONE && r.raw_status == 0x155 && r.tasks_done == 1,
	       "first_task_raises_the_bits_of_group_0");
	tap_ok(&tap,
	       npu_core_read(b.core, 0x2c) == 0x155 && npu_core_read(b.core, 0x28) == 0x100 &&
		       npu_core_irq(b.core),
	       "status_is_raw_and_mask");
	tap_ok(&tap, npu_core_read(b.core, 0x3c) == 0xf000, "task_status_at_completion");
	tap_ok(&tap, traced == 1, "trace_names_the_registers");
	npu_core_write(b.core, 0x20, 0xc00);
	tap_ok(&tap, !npu_core_irq(b.core), "masked_bits_raise_no_interrupt");
	npu_core_write(b.core, 0x24, 0x1ffff);
	tap_ok(&tap, npu_core_read(b.core, 0x2c) == 0, "clear_takes_the_bits_away");
	board_kick(&b, PROGRAM, p.n, 1, &r);
	tap_ok(&tap, r.raw_status == 0x2aa, "second_task_raises_the_bits_of_group_1");
	npu_core_reset(b.core);
	tap_ok(&tap, npu_core_read(b.core, 0x2c) == 0 && npu_core_read(b.core, 0x30) == 0,
	       "reset_clears_the_registers");
	board_kick(&b, PROGRAM, p.n, 1, &r);
	tap_ok(&tap, r.raw_status == 0x155, "reset_selects_group_0");
	npu_core_write(b.core, 0x10, 1);
	npu_core_write(b.core, 8, 1);
	npu_core_run(b.core, &r);
	tap_ok(&tap, r.verdict == NPU_HUNG && strstr(r.reason, "slave mode"),
	       "slave_mode_never_fetches");
	board_free(&b);
}

static void counters(void)
{
	struct npu_result r;
	struct emit_program p;
	struct board b;

	begin(&b, &p);
	board_run(&b, PROGRAM, p.word, p.n, p.n, 1, &r);
	tap_ok(&tap, r.counters.kicks == 1 && r.counters.tasks == 1,
	       "one_kick_of_one_task_is_counted");
	tap_ok(&tap, r.counters.macs == 16 * 64 * 48, "macs_are_rows_times_depth_times_kernels");
	tap_ok(&tap,
	       r.counters.read_feature == 16 * 64 * 2 && r.counters.read_weight == 64 * 48 * 2 &&
		       r.counters.read_operand == 0 && r.counters.write == 16 * 48 * 2 &&
		       r.counters.read_program == 8 * p.n,
	       "bytes_are_those_of_the_operands_the_result_and_the_program");
	board_free(&b);
}

/* Another address space for an idle core. */
static bool empty(struct board *b, uint32_t iova, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		if (*board_byte(b, iova + i))
			return false;
	return true;
}

/* The core works in another file's address space. */
static void memory_swap(void)
{
	struct npu_memory theirs;
	struct emit_program p;
	struct board own, other;
	struct npu_result r;
	uint16_t one = 0x3c00;

	begin(&own, &p);
	begin(&other, &p);
	board_run(&own, PROGRAM, p.word, p.n, p.n, 1, &r);
	board_run(&other, PROGRAM, p.word, p.n, p.n, 1, &r);
	board_put(&other, 0x10000000, &one, 2);
	board_put(&other, 0x20000000, &one, 2);
	theirs = board_memory(&other);
	npu_core_set_memory(own.core, &theirs);
	board_kick(&own, PROGRAM, p.n, 1, &r);
	tap_ok(&tap,
	       r.verdict == NPU_DONE && empty(&own, 0x30000000, 4096) &&
		       !empty(&other, 0x30000000, 4096),
	       "task_works_in_the_memory_that_was_set");
	board_free(&own);
	board_free(&other);
}

int main(void)
{
	identity();
	pointers();
	kicks();
	counters();
	memory_swap();
	return tap_end(&tap);
}

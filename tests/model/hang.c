// SPDX-License-Identifier: LGPL-2.1-or-later
/* hang.c - programs that never complete, and what the core says of them. */
#include <string.h>

#include "tests/model/board.h"
#include "tests/model/emit.h"
#include "tests/model/tap.h"

#define PROGRAM 0x50000000u
#define OUTPUT  0x30000000u

static struct tap tap;

struct bench {
	struct board b;
	struct emit_conv c;
	struct emit_program p;
	struct npu_result r;
};

static void begin_with(struct bench *t, enum emit_type type, uint32_t quirks)
{
	struct npu_core_options o = { .quirks = quirks };

	memset(t, 0, sizeof(*t));
	board_init(&t->b, &o);
	for (uint32_t space = 0x10000000; space <= 0x50000000; space += 0x10000000)
		board_map(&t->b, space, 1 << 16);
	board_fill(&t->b, OUTPUT, 0xa5, 1 << 16);
	t->c = emit_matmul(type, 16, 64, 64);
	emit_program(&t->p, &t->c);
}

static void begin(struct bench *t)
{
	begin_with(t, EMIT_FP16_FP16, 0);
}

static void run(struct bench *t)
{
	board_run(&t->b, PROGRAM, t->p.word, t->p.n, t->p.n, 1, &t->r);
}

static bool untouched(struct bench *t)
{
	for (uint32_t i = 0; i < 1 << 16; i++)
		if (*board_byte(&t->b, OUTPUT + i) != 0xa5)
			return false;
	return true;
}

/* The kick hung in the block for that reason, raised nothing and wrote nothing. */
static void expect_hang(struct bench *t, const char *block, const char *reason, const char *name)
{
	bool ok = t->r.verdict == NPU_HUNG && !strcmp(t->r.block, block) &&
		  strstr(t->r.reason, reason) && !t->r.raw_status &&
		  npu_core_read(t->b.core, 0x2c) == 0 && untouched(t);

	if (!ok)
		tap_note("verdict %d block '%s' reason '%s'", (int)t->r.verdict, t->r.block,
			 t->r.reason);
	tap_ok(&tap, ok, "%s", name);
	board_free(&t->b);
}

static void expect_fault(struct bench *t, const char *block, uint32_t iova, bool write,
			 const char *name)
{
	uint32_t bit = write ? 1u << 13 : 1u << 12;
	bool ok = t->r.verdict == NPU_FAULT && !strcmp(t->r.block, block) &&
		  t->r.fault_iova == iova && t->r.fault_write == write && t->r.raw_status == bit &&
		  npu_core_read(t->b.core, 0x2c) == bit && !npu_core_irq(t->b.core);

	if (!ok)
		tap_note("verdict %d block '%s' reason '%s'", (int)t->r.verdict, t->r.block,
			 t->r.reason);
	tap_ok(&tap, ok, "%s", name);
	board_free(&t->b);
}

static void programs(void)
{
	struct bench t;

	begin(&t);
	board_run(&t.b, PROGRAM, t.p.word, t.p.n, 120, 1, &t.r);
	expect_hang(&t, "PC", "no ENABLE within 120 words", "amount_too_small_hangs");

	begin(&t);
	t.p.word[t.p.n - 2] = 0;
	run(&t);
	expect_hang(&t, "PC", "fence", "enable_without_fence_hangs");

	begin(&t);
	t.p.word[t.p.n - 1] = 0;
	run(&t);
	expect_hang(&t, "PC", "no ENABLE", "program_without_enable_hangs");

	begin(&t);
	board_kick(&t.b, 0x70000000, 126, 1, &t.r);
	expect_fault(&t, "PC", 0x70000000, false, "unmapped_program_faults");

	begin(&t);
	npu_core_write(t.b.core, 0x34, 0x1000);
	board_run(&t.b, PROGRAM, t.p.word, t.p.n, t.p.n, 0, &t.r);
	expect_hang(&t, "PC", "TASK_NUMBER is 0", "task_number_0_hangs");
}

static void chains(void)
{
	static const char *const names[] = { "chain_without_link_hangs",
					     "chain_with_address_only_hangs",
					     "chain_with_amount_only_hangs" };
	struct emit_program second;
	struct bench t;

	for (unsigned i = 0; i < 3; i++) {
		begin(&t);
		emit_link(&t.p, PROGRAM + 8 * t.p.n, t.p.n);
		if (i != 1)
			t.p.word[t.p.n - 4] = 0;
		if (i != 2)
			t.p.word[t.p.n - 3] = 0;
		board_run(&t.b, PROGRAM, t.p.word, t.p.n, t.p.n, 2, &t.r);
		tap_ok(&tap,
		       t.r.verdict == NPU_HUNG && strstr(t.r.reason, "chain ended early") &&
			       t.r.tasks_done == 1 && !t.r.raw_status && !untouched(&t),
		       "%s", names[i]);
		board_free(&t.b);
	}
	/* The same program twice: the link of the second leads to nothing mapped. */
	begin(&t);
	second = t.p;
	emit_link(&t.p, PROGRAM + 8 * t.p.n, t.p.n);
	emit_link(&second, 0x7000000, 126);
	board_put(&t.b, PROGRAM + 8 * t.p.n, second.word, 8 * second.n);
	board_run(&t.b, PROGRAM, t.p.word, t.p.n, t.p.n, 2, &t.r);
	tap_ok(&tap, t.r.verdict == NPU_DONE && t.r.tasks_done == 2,
	       "dangling_link_of_the_last_task_is_ignored");
	board_free(&t.b);

	/* A chain without the flag: each program is kicked alone. */
	begin(&t);
	emit_link(&t.p, PROGRAM + 8 * t.p.n, t.p.n);
	run(&t);
	tap_ok(&tap,
	       t.r.verdict == NPU_HUNG && strstr(t.r.reason, "without the BATCHED flag") &&
		       t.r.tasks_done == 1 && !t.r.raw_status && !untouched(&t),
	       "linked_program_that_is_kicked_alone_computes_and_hangs");
	tap_ok(&tap, !npu_core_irq(t.b.core), "linked_program_that_is_kicked_alone_raises_nothing");
	board_free(&t.b);

	/* The seal of a chain of one: a length, and no address. */
	begin(&t);
	emit_link(&t.p, 0, t.p.n);
	run(&t);
	tap_ok(&tap, t.r.verdict == NPU_DONE, "sealed_program_that_is_kicked_alone_completes");
	board_free(&t.b);

	begin(&t);
	emit_insert(&t.p, 0, 0x0201ull << 48 | 0xeull << 16 | 0x1004);
	emit_link(&t.p, PROGRAM, t.p.n);
	board_run(&t.b, PROGRAM, t.p.word, t.p.n, t.p.n, 2, &t.r);
	expect_hang(&t, "PC", "S_POINTER", "chained_program_that_writes_cna_s_pointer_hangs");
}

static void blocks(void)
{
	struct bench t;

	begin(&t);
	emit_set(&t.p, 0x5044, 0x7808);
	run(&t);
	expect_hang(&t, "DPU_RDMA", "main read DMA is on", "unfed_main_read_dma_hangs");

	begin(&t);
	t.p.word[t.p.n - 1] = 0x0081ull << 48 | 0x0dull << 16 | 8;
	run(&t);
	expect_hang(&t, "DPU_RDMA", "leaves DPU_RDMA out", "enable_without_dpu_rdma_hangs");

	begin_with(&t, EMIT_FP16_FP16, NPU_QUIRK_BSP_ENABLE);
	t.p.word[t.p.n - 1] = 0x0081ull << 48 | 0x0dull << 16 | 8;
	run(&t);
	tap_ok(&tap, t.r.verdict == NPU_DONE && t.r.raw_status == 0x155,
	       "enable_without_dpu_rdma_runs_with_bsp_enable");
	board_free(&t.b);

	begin(&t);
	emit_set(&t.p, 0x4060, 0x42);
	emit_set(&t.p, 0x4068, 1);
	run(&t);
	expect_hang(&t, "DPU", "NRDMA", "bn_multiplier_from_memory_hangs");

	begin(&t);
	t.p.word[t.p.n - 1] = 0x0081ull << 48 | 0x18ull << 16 | 8;
	run(&t);
	expect_hang(&t, "DPU", "nothing feeds the DPU", "dpu_alone_without_flying_hangs");
}

/* A memory-fed program of two operands, of which only what decides is set. */
static void flying(void)
{
	struct bench t;

	begin(&t);
	emit_set(&t.p, 0x400c, 0x1e5);
	emit_set(&t.p, 0x4070, 0x108202c0);
	emit_set(&t.p, 0x5044, 0x17d41);
	t.p.word[t.p.n - 1] = 0x0081ull << 48 | 0x18ull << 16 | 8;
	run(&t);
	expect_hang(&t, "DPU_RDMA", "COMB_USE bit 0", "flying_operation_with_comb_use_5_hangs");

	begin(&t);
	emit_set(&t.p, 0x400c, 0x1e5);
	emit_set(&t.p, 0x4070, 0x108002c4);
	emit_set(&t.p, 0x5044, 0x17849);
	t.p.word[t.p.n - 1] = 0x0081ull << 48 | 0x18ull << 16 | 8;
	run(&t);
	expect_hang(&t, "DPU", "operand converter", "flying_fp16_mul_with_converter_hangs");
}

static void partial_group(void)
{
	struct bench t;
	uint32_t group = 16 * 32;
	bool first = false, second = true;

	begin_with(&t, EMIT_INT8_INT32, 0);
	t.c = emit_matmul(EMIT_INT8_INT32, 16, 64, 48);
	emit_program(&t.p, &t.c);
	emit_set(&t.p, 0x4010, 0);
	emit_set(&t.p, 0x4050, 0x126);
	emit_set(&t.p, 0x40c0, 16 * 2 * 16);
	run(&t);
	for (uint32_t i = 0; i < group; i++)
		first |= *board_byte(&t.b, OUTPUT + i) != 0xa5;
	for (uint32_t i = group; i < 2 * group; i++)
		second &= *board_byte(&t.b, OUTPUT + i) == 0xa5;
	tap_ok(&tap,
	       t.r.verdict == NPU_HUNG && strstr(t.r.reason, "kernel group") && first && second,
	       "int8_output_that_ends_inside_a_group_hangs_after_the_whole_ones");
	board_free(&t.b);
}

static void faults(void)
{
	struct bench t;

	begin(&t);
	t.c.input = 0x60000000;
	emit_program(&t.p, &t.c);
	run(&t);
	expect_fault(&t, "CNA", 0x60000000, false, "unmapped_feature_faults");

	begin(&t);
	t.c.weights = 0x2000f800;
	emit_program(&t.p, &t.c);
	run(&t);
	expect_fault(&t, "CNA", 0x20010000, false, "weights_past_their_buffer_fault");

	begin(&t);
	t.c.output = 0x60000000;
	emit_program(&t.p, &t.c);
	run(&t);
	expect_fault(&t, "DPU", 0x60000000, true, "unmapped_output_faults");

	begin(&t);
	board_read_only(&t.b, OUTPUT);
	run(&t);
	expect_fault(&t, "DPU", OUTPUT, true, "read_only_output_faults");

	begin(&t);
	t.c.ew = EMIT_ADD;
	t.c.operand = 0x60000000;
	emit_program(&t.p, &t.c);
	run(&t);
	expect_fault(&t, "DPU_RDMA", 0x60000000, false, "unmapped_operand_faults");

	begin(&t);
	/* The cube ends with its buffer: the slack the silicon may read is not needed. */
	t.c.input = 0x10010000 - 16 * 64 * 2;
	emit_program(&t.p, &t.c);
	run(&t);
	tap_ok(&tap, t.r.verdict == NPU_DONE, "feature_at_the_end_of_its_buffer_completes");
	board_free(&t.b);
}

static void not_modelled(void)
{
	static const struct {
		uint16_t reg;
		uint32_t value;
		const char *what, *name;
	} cases[] = {
		{ 0x100c, 0x123, "convolution mode 3", "depthwise_is_refused" },
		{ 0x100c, 0x1b0, "precisions differ", "mixed_precisions_are_refused" },
		{ 0x100c, 0x8120, "packed images", "packed_image_is_refused" },
		{ 0x104c, 0xa, "input converter", "input_converter_is_refused" },
		{ 0x1100, 1, "decompression", "weight_decompression_is_refused" },
		{ 0x4070, 0x300, "look-up table", "look_up_table_is_refused" },
		{ 0x400c, 0x1e2, "OUTPUT_MODE 1", "output_to_the_pooling_unit_is_refused" },
		{ 0x4010, 0x08000002, "int8 output of fp16", "float_to_integer_output_is_refused" },
		{ 0x4034, 7, "DPU cube 8x1", "cube_of_another_size_is_refused" },
		{ 0x4088, 0x80000000, "index conversion", "index_conversion_is_refused" },
	};
	struct bench t;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(&t);
		emit_set(&t.p, cases[i].reg, cases[i].value);
		run(&t);
		tap_ok(&tap,
		       t.r.verdict == NPU_HUNG && !strncmp(t.r.reason, "not modelled: ", 14) &&
			       strstr(t.r.reason, cases[i].what) && untouched(&t),
		       "%s", cases[i].name);
		board_free(&t.b);
	}
	begin(&t);
	t.p.word[t.p.n - 1] = 0x0081ull << 48 | 0x60ull << 16 | 8;
	emit_insert(&t.p, 0, 0x4001ull << 48 | 0x600c);
	run(&t);
	expect_hang(&t, "PPU", "not modelled: pooling", "pooling_is_refused");
}

static void nothing_written(void)
{
	struct bench t;

	begin(&t);
	t.p.n = 0;
	t.p.word[t.p.n++] = 0x4001ull << 48 | 7ull << 16 | 0x600c;
	t.p.word[t.p.n++] = 0x0041ull << 48;
	t.p.word[t.p.n++] = 0x0081ull << 48 | 0x1dull << 16 | 8;
	run(&t);
	tap_ok(&tap, t.r.verdict == NPU_DONE && untouched(&t) && t.r.warnings,
	       "pool_program_with_the_bitmap_of_a_convolution_writes_nothing");
	board_free(&t.b);

	begin(&t);
	emit_insert(&t.p, 2, 0x1001ull << 48 | (uint64_t)OUTPUT << 16 | 0x4018);
	run(&t);
	tap_ok(&tap,
	       t.r.verdict == NPU_DONE && untouched(&t) && board_reported(&t.b, "another chip"),
	       "program_of_another_chip_completes_and_writes_nothing");
	board_free(&t.b);
}

int main(void)
{
	programs();
	chains();
	blocks();
	flying();
	partial_group();
	faults();
	not_modelled();
	nothing_written();
	return tap_end(&tap);
}

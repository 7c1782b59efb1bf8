// SPDX-License-Identifier: LGPL-2.1-or-later
/* strict.c - what completes and is reported all the same. */
#include <string.h>

#include "tests/model/board.h"
#include "tests/model/conv_case.h"
#include "tests/model/emit.h"
#include "tests/model/tap.h"

#define PROGRAM 0x50000000u

static struct tap tap;

struct bench {
	struct board b;
	struct emit_conv c;
	struct emit_program p;
	struct npu_result r;
};

static void begin(struct bench *t, enum emit_type type)
{
	memset(t, 0, sizeof(*t));
	board_init(&t->b, NULL);
	for (uint32_t space = 0x10000000; space <= 0x50000000; space += 0x10000000)
		board_map(&t->b, space, 1 << 17);
	t->c = emit_matmul(type, 16, 64, 64);
	emit_program(&t->p, &t->c);
}

static void run(struct bench *t)
{
	board_run(&t->b, PROGRAM, t->p.word, t->p.n, t->p.n, 1, &t->r);
}

static void expect(struct bench *t, const char *text, const char *name)
{
	bool ok = t->r.verdict == NPU_DONE && t->r.warnings && board_reported(&t->b, text);

	if (!ok)
		tap_note("verdict %d %s, %u reports: %s", (int)t->r.verdict, t->r.reason,
			 t->b.reports, t->b.line[0]);
	tap_ok(&tap, ok, "%s", name);
	board_free(&t->b);
}

static void quiet(void)
{
	struct bench t;

	for (unsigned type = 0; type < EMIT_TYPES; type++) {
		begin(&t, (enum emit_type)type);
		run(&t);
		tap_ok(&tap, t.r.verdict == NPU_DONE && !t.r.warnings && !t.b.reports,
		       "complete_%s_program_is_not_reported", emit_in_name((enum emit_type)type));
		board_free(&t.b);
	}
}

/* One register changed in an otherwise good program. */
static void registers(void)
{
	static const struct {
		enum emit_type type;
		uint16_t reg;
		uint32_t value;
		const char *text, *name;
	} cases[] = {
		{ EMIT_FP16_FP16, 0x1020, 0x08010010, "goes past the fields",
		  "value_past_its_field" },
		{ EMIT_FP16_FP16, 0x1070, 0x10000008, "feature address", "unaligned_feature" },
		{ EMIT_FP16_FP16, 0x1030, 0x1000, "WEIGHT_BYTES 4096", "wrong_weight_bytes" },
		{ EMIT_FP16_FP16, 0x1034, 0x100, "WEIGHT_BYTES_PER_KERNEL 256",
		  "wrong_kernel_bytes" },
		{ EMIT_FP16_FP16, 0x1040, 0xc1, "12 weight banks", "too_many_banks" },
		{ EMIT_FP16_FP16, 0x1040, 0xc0, "CBUF overflow", "feature_without_bank" },
		{ EMIT_FP16_FP16, 0x1040, 0x1b1, "FC_DATA_BANK 1", "fc_data_bank" },
		{ EMIT_FP16_FP16, 0x1044, 1, "DATA_ENTRIES 1", "wrong_data_entries" },
		{ EMIT_FP16_FP16, 0x1040, 0x10b1, "DATA_REUSE without", "data_reuse_of_nothing" },
		{ EMIT_FP16_FP16, 0x1040, 0x20b1, "WEIGHT_REUSE without",
		  "weight_reuse_of_nothing" },
		{ EMIT_FP16_FP16, 0x4084, 1, "FP32TOFP16_EN", "fp16_output_without_narrowing" },
		{ EMIT_FP16_FP32, 0x4038, 1, "halves of DATA_CUBE_NOTCH", "uneven_notch" },
		{ EMIT_FP16_FP16, 0x3018, 47, "CORE delivers 48 channels", "channels_differ" },
	};
	struct bench t;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char name[96];

		begin(&t, cases[i].type);
		emit_set(&t.p, cases[i].reg, cases[i].value);
		run(&t);
		snprintf(name, sizeof(name), "%s_is_reported", cases[i].name);
		expect(&t, cases[i].text, name);
	}
}

static void words(void)
{
	struct bench t;

	begin(&t, EMIT_FP16_FP16);
	emit_insert(&t.p, 2, 0x0201ull << 48 | 0x1ffc);
	run(&t);
	expect(&t, "register 0x1ffc is unknown", "unknown_register_is_reported");

	begin(&t, EMIT_FP16_FP16);
	emit_insert(&t.p, 2, 0x0201ull << 48 | 0x4010);
	run(&t);
	expect(&t, "lies outside block CNA", "offset_of_another_block_is_reported");

	begin(&t, EMIT_FP16_FP16);
	emit_insert(&t.p, 2, 0x0301ull << 48 | 0x1010);
	run(&t);
	expect(&t, "unknown target 0x0301", "target_of_two_blocks_is_reported");

	begin(&t, EMIT_FP16_FP16);
	t.p.word[t.p.n++] = 0x0201ull << 48 | 0x1010;
	t.p.word[t.p.n++] = 0;
	run(&t);
	expect(&t, "1 words after ENABLE", "words_after_enable_are_reported");

	begin(&t, EMIT_FP16_FP16);
	emit_insert(&t.p, 2, 0x0101ull << 48 | 0x0020);
	run(&t);
	expect(&t, "write of 0x0020 inside a program", "interrupt_mask_in_a_program_is_reported");
}

static void operands(void)
{
	struct bench t;

	begin(&t, EMIT_FP16_FP16);
	t.c.ew = EMIT_ADD;
	t.c.operand = t.c.output;
	emit_program(&t.p, &t.c);
	run(&t);
	expect(&t, "overlap", "accumulating_in_place_is_reported");

	begin(&t, EMIT_FP16_FP16);
	t.c.ew = EMIT_ADD;
	emit_program(&t.p, &t.c);
	emit_set(&t.p, 0x4070, 0x108203c0);
	run(&t);
	expect(&t, "operand converter bypassed", "fp16_add_without_converter_is_reported");
}

/* A register left out keeps what the program before the last one wrote: two groups. */
static void stale(void)
{
	struct bench t;
	struct emit_program full, delta;
	uint8_t byte = 0;
	bool ok;

	begin(&t, EMIT_FP16_FP16);
	full = t.p;
	t.c.output = 0x30010000;
	emit_program(&t.p, &t.c);
	/* 0x30000000, then 0x30010000, then one that names no output. */
	board_put(&t.b, 0x10000000, &(uint16_t){ 0x3c00 }, 2);
	board_put(&t.b, 0x20000000, &(uint16_t){ 0x3c00 }, 2);
	board_run(&t.b, PROGRAM, full.word, full.n, full.n, 1, &t.r);
	board_run(&t.b, PROGRAM, t.p.word, t.p.n, t.p.n, 1, &t.r);
	board_fill(&t.b, 0x30000000, 0, 4096);
	board_fill(&t.b, 0x30010000, 0, 4096);
	delta = t.p;
	emit_drop(&delta, 0x4020);
	board_run(&t.b, PROGRAM, delta.word, delta.n, delta.n, 1, &t.r);
	board_get(&t.b, 0x30000001, &byte, 1);
	ok = byte == 0x3c;
	board_get(&t.b, 0x30010001, &byte, 1);
	tap_ok(&tap, ok && byte == 0, "register_left_out_comes_from_the_group_of_two_programs_ago");
	expect(&t, "stale register 0x4020", "register_left_out_is_reported");
}

/* ---- reuse ---- */

struct pair {
	struct bench t;
	struct shape s;
	struct operands first, second;
	struct emit_conv a, b;
};

static void pair_begin(struct pair *p)
{
	memset(p, 0, sizeof(*p));
	begin(&p->t, EMIT_FP16_FP16);
	p->a = p->b = p->t.c;
	p->s = shape_of(&p->a);
	shape_put(&p->t.b, &p->s, &p->first, SMALL_INTEGERS);
	/* The second task's operands lie elsewhere. */
	p->s.input += 0x10000;
	p->s.weights += 0x10000;
	shape_put(&p->t.b, &p->s, &p->second, SMALL_INTEGERS);
	p->b.input = p->s.input;
	p->b.weights = p->s.weights;
}

/* Both tasks in one kick; wrong elements of the second against these operands. */
static size_t pair_run(struct pair *p, const int32_t *x, const int32_t *w)
{
	struct operands o = { .x = (int32_t *)x, .w = (int32_t *)w };
	struct emit_program second;
	size_t seen;

	emit_program(&p->t.p, &p->a);
	emit_program(&second, &p->b);
	emit_link(&p->t.p, PROGRAM + 8 * p->t.p.n, second.n);
	memcpy(&p->t.p.word[p->t.p.n], second.word, second.n * sizeof(second.word[0]));
	board_run(&p->t.b, PROGRAM, p->t.p.word, p->t.p.n + second.n, p->t.p.n, 2, &p->t.r);
	return shape_compare(&p->t.b, &p->s, &o, &seen);
}

static void pair_end(struct pair *p)
{
	operands_free(&p->first);
	operands_free(&p->second);
	board_free(&p->t.b);
}

static void reuse(void)
{
	struct pair p;
	size_t wrong;

	pair_begin(&p);
	p.b.input = p.a.input;
	p.b.data_reuse = true;
	wrong = pair_run(&p, p.first.x, p.second.w);
	tap_ok(&tap, !wrong && !p.t.r.warnings && p.t.r.counters.read_feature == 16 * 64 * 2,
	       "reused_feature_is_neither_read_again_nor_reported");
	pair_end(&p);

	pair_begin(&p);
	p.b.weights = p.a.weights;
	p.b.weight_reuse = true;
	wrong = pair_run(&p, p.second.x, p.first.w);
	tap_ok(&tap, !wrong && !p.t.r.warnings && p.t.r.counters.read_weight == 64 * 64 * 2,
	       "reused_weights_are_neither_read_again_nor_reported");
	pair_end(&p);

	pair_begin(&p);
	p.b.data_reuse = true;
	wrong = pair_run(&p, p.first.x, p.second.w);
	tap_ok(&tap, !wrong && board_reported(&p.t.b, "reuse mismatch"),
	       "data_reuse_of_another_feature_computes_with_the_kept_one_and_is_reported");
	pair_end(&p);

	pair_begin(&p);
	p.b.weight_reuse = true;
	wrong = pair_run(&p, p.second.x, p.first.w);
	tap_ok(&tap, !wrong && board_reported(&p.t.b, "reuse mismatch"),
	       "weight_reuse_of_other_weights_computes_with_the_kept_ones_and_is_reported");
	pair_end(&p);

	pair_begin(&p);
	wrong = pair_run(&p, p.second.x, p.second.w);
	p.b.weight_reuse = p.b.data_reuse = true;
	npu_core_new_job(p.t.b.core);
	emit_program(&p.t.p, &p.b);
	board_run(&p.t.b, PROGRAM, p.t.p.word, p.t.p.n, p.t.p.n, 1, &p.t.r);
	tap_ok(&tap,
	       !wrong && board_reported(&p.t.b, "DATA_REUSE without") &&
		       board_reported(&p.t.b, "WEIGHT_REUSE without"),
	       "another_job_finds_no_operand_to_reuse");
	pair_end(&p);
}

/* Weights that did not fit their banks streamed by: none are left for the next task. */
static void streamed_reuse(void)
{
	struct emit_program p;
	struct bench t;

	begin(&t, EMIT_FP16_FP16);
	board_map(&t.b, 0x24000000, 1 << 20);
	t.c = emit_matmul(EMIT_FP16_FP16, 4, 512, 512);
	t.c.weights = 0x24000000;
	emit_program(&p, &t.c);
	board_run(&t.b, PROGRAM, p.word, p.n, p.n, 1, &t.r);
	emit_set(&p, 0x1040, 0x20b1);
	board_run(&t.b, PROGRAM, p.word, p.n, p.n, 1, &t.r);
	tap_ok(&tap, t.r.counters.read_weight == 512 * 512 * 2, "streamed_weights_are_read_again");
	expect(&t, "WEIGHT_REUSE without resident", "weight_reuse_of_streamed_weights_is_reported");
}

int main(void)
{
	streamed_reuse();
	quiet();
	registers();
	words();
	operands();
	stale();
	reuse();
	return tap_end(&tap);
}

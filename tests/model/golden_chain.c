// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * golden_chain.c - recorded chains of programs: one kick, and one kick per program, both against
 * a plain evaluation of every task.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/model/board.h"
#include "tests/model/conv_case.h"
#include "tests/model/golden.h"
#include "tests/model/reference.h"
#include "tests/model/tap.h"

#define MOST_TASKS 8
#define ENABLE     0x0081u

static struct tap tap;

struct chain {
	struct golden g;
	uint32_t base;
	unsigned tasks, start[MOST_TASKS + 1]; /* words */
	struct shape shape[MOST_TASKS];
	struct operands operands[MOST_TASKS];
};

static uint32_t reg_of(const struct chain *c, unsigned task, unsigned reg)
{
	for (unsigned i = c->start[task]; i < c->start[task + 1]; i++)
		if ((c->g.words[i] & 0xffff) == reg && c->g.words[i] >> 48 > 0x0101)
			return (uint32_t)(c->g.words[i] >> 16);
	return 0;
}

/* Where each program begins, and what its registers say of it. */
static void split(struct chain *c)
{
	for (unsigned i = 0; i < c->g.n_words && c->tasks < MOST_TASKS; i++)
		if (c->g.words[i] >> 48 == ENABLE)
			c->start[++c->tasks] = i + 1;
	for (unsigned t = 0; t < c->tasks; t++) {
		struct shape *s = &c->shape[t];
		bool fp = reg_of(c, t, 0x100c) != 0;

		s->type = layout_type(fp ? "fp16" : "int8");
		s->out = fp ? "fp16" : "int32";
		s->ic = reg_of(c, t, 0x1024) & 0xffff;
		s->ih = s->oh = s->ih_programmed = reg_of(c, t, 0x1020) & 0x7ff;
		s->oc = reg_of(c, t, 0x3018) + 1;
		s->iw = s->ow = s->kh = s->kw = s->sy = s->sx = s->dy = s->dx = 1;
		s->row_k = s->ic;
		s->row_n = s->oc;
		s->input = reg_of(c, t, 0x1070);
		s->weights = reg_of(c, t, 0x1110);
		s->output = reg_of(c, t, 0x4020);
		s->add = reg_of(c, t, 0x5018);
		s->ew = s->add ? EW_ADD : EW_NONE;
	}
}

/* Tasks that read the same feature have the one drawn last. */
static void share_input(struct chain *c, unsigned task)
{
	const struct shape *s = &c->shape[task];

	for (unsigned t = 0; t < task; t++)
		if (c->shape[t].input == s->input)
			memcpy(c->operands[t].x, c->operands[task].x,
			       (size_t)s->ih * s->ic * sizeof(*c->operands[t].x));
}

static void place(struct chain *c, struct board *b)
{
	static const uint32_t space[] = { 0x10000000, 0x20000000, 0x30000000, 0x38000000 };

	for (unsigned i = 0; i < 4; i++)
		board_map(b, space[i], 1 << 20);
	board_map(b, c->base, 16384);
	for (unsigned t = 0; t < c->tasks; t++) {
		struct shape plain = c->shape[t];

		/* The partial sum is an earlier task's result, not an operand of its own. */
		plain.ew = EW_NONE;
		operands_free(&c->operands[t]);
		shape_put(b, &plain, &c->operands[t], SMALL_INTEGERS);
		share_input(c, t);
	}
}

/* Result of a task, its predecessor's added where it accumulates. */
static uint32_t expected(const struct chain *c, unsigned task, size_t pixel, size_t channel)
{
	struct shape plain = c->shape[task];
	uint32_t own;

	plain.ew = EW_NONE;
	own = shape_expected(&plain, &c->operands[task], pixel, channel);
	if (c->shape[task].ew == EW_NONE)
		return own;
	/* Small integers: the sum is exact in fp16. */
	return ref_narrow((float)(ref_half_value((uint16_t)own) +
				  ref_half_value((uint16_t)expected(c, task - 1, pixel, channel))));
}

static size_t count_wrong(const struct chain *c, struct board *b, unsigned task)
{
	const struct shape *s = &c->shape[task];
	size_t wrong = 0;

	for (size_t p = 0; p < s->oh; p++)
		for (size_t n = 0; n < s->oc; n++)
			wrong += shape_result(b, s, p, n) != expected(c, task, p, n);
	return wrong;
}

static bool overwritten(const struct chain *c, unsigned task)
{
	for (unsigned t = task + 1; t < c->tasks; t++)
		if (c->shape[t].output == c->shape[task].output)
			return true;
	return false;
}

static void check(struct chain *c, struct board *b, const char *how)
{
	for (unsigned t = 0; t < c->tasks; t++)
		if (!overwritten(c, t))
			tap_ok(&tap, !count_wrong(c, b, t), "%s task %u %s", c->g.name, t, how);
}

static void run_chained(struct chain *c)
{
	struct npu_result r;
	struct board b;

	board_init(&b, NULL);
	place(c, &b);
	board_run(&b, c->base, c->g.words, c->g.n_words, c->start[1], c->tasks, &r);
	tap_ok(&tap, r.verdict == NPU_DONE && r.tasks_done == c->tasks && r.counters.kicks == 1,
	       "%s completes in one kick%s%s", c->g.name, *r.reason ? ": " : "", r.reason);
	tap_ok(&tap, r.raw_status == (c->tasks % 2 ? 0x155 : 0x2aa),
	       "%s raises the bits of the last task's groups", c->g.name);
	check(c, &b, "in one kick");
	board_free(&b);
}

/* As it was recorded, but with TASK_NUMBER 1. */
static void run_torn(struct chain *c)
{
	struct npu_result r;
	struct board b;

	board_init(&b, NULL);
	place(c, &b);
	board_run(&b, c->base, c->g.words, c->g.n_words, c->start[1], 1, &r);
	tap_ok(&tap, r.verdict == NPU_HUNG && r.tasks_done == 1 && !r.raw_status,
	       "%s without the flag hangs in its first task", c->g.name);
	tap_ok(&tap, !count_wrong(c, &b, 0), "%s without the flag computes its first task",
	       c->g.name);
	board_free(&b);
}

/* The words of a link are empty where programs are not chained. */
static void unlink_all(struct chain *c)
{
	for (unsigned t = 0; t < c->tasks; t++) {
		c->g.words[c->start[t + 1] - 4] = 0;
		c->g.words[c->start[t + 1] - 3] = 0;
	}
}

static void run_apart(struct chain *c)
{
	struct npu_result r = { 0 };
	struct board b;
	bool done = true;

	board_init(&b, NULL);
	place(c, &b);
	board_run(&b, c->base, c->g.words, c->g.n_words, c->start[1], 1, &r);
	for (unsigned t = 1; t < c->tasks; t++) {
		done &= r.verdict == NPU_DONE;
		board_kick(&b, c->base + 8 * c->start[t], c->start[t + 1] - c->start[t], 1, &r);
	}
	tap_ok(&tap, done && r.verdict == NPU_DONE, "%s completes in %u kicks", c->g.name,
	       c->tasks);
	check(c, &b, "in its own kick");
	board_free(&b);
}

static void run(const char *root, const char *file)
{
	struct chain c = { .base = 0x50000000 };
	char path[4608];

	snprintf(path, sizeof(path), "%s/%s", root, file);
	if (!golden_load(&c.g, path)) {
		tap_ok(&tap, false, "%s cannot be read", file);
		return;
	}
	split(&c);
	run_chained(&c);
	run_torn(&c);
	unlink_all(&c);
	run_apart(&c);
	for (unsigned t = 0; t < c.tasks; t++)
		operands_free(&c.operands[t]);
	golden_free(&c.g);
}

int main(void)
{
	const char *root = golden_folder();

	run(root, "matmul-rk3588/programs/chain_fp16_kacc_3task.txt");
	run(root, "delta/chain/int8_matmul_chain4_64x256x64.txt");
	run(root, "regcmd/50_chain2_mm_fp16_f16out_16x64x64_split_n.txt");
	return tap_end(&tap);
}

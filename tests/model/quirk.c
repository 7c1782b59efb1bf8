// SPDX-License-Identifier: LGPL-2.1-or-later
/* quirk.c - each switch changes the outputs it names, and no others. */
#include <stdlib.h>
#include <string.h>

#include "tests/model/board.h"
#include "tests/model/conv_case.h"
#include "tests/model/emit.h"
#include "tests/model/reference.h"
#include "tests/model/tap.h"

#define PROGRAM 0x50000000u

static struct tap tap;

/* ---- the list ---- */

static void parsing(void)
{
	static const struct {
		const char *list;
		int ret;
		uint32_t set;
		const char *bad;
	} cases[] = {
		{ "", 0, 0, "" },
		{ "none", 0, 0, "" },
		{ "slack,fcbank", 0, NPU_QUIRK_SLACK | NPU_QUIRK_FCBANK, "" },
		{ "all", 0, 0x7f, "" },
		{ "all,-wedge", 0, 0x7f & ~NPU_QUIRK_WEDGE, "" },
		{ "slack,-slack", 0, 0, "" },
		{ "all,none,cbuf", 0, NPU_QUIRK_CBUF, "" },
		{ "slack,what,cbuf", -1, 0, "what" },
		{ "-", -1, 0, "-" },
		{ "-none", -1, 0, "-none" },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char bad[32] = "";
		uint32_t set = 0;
		int ret = npu_quirks_parse(cases[i].list, &set, bad, sizeof(bad));

		tap_ok(&tap,
		       ret == cases[i].ret && set == cases[i].set && !strcmp(bad, cases[i].bad),
		       "list '%s'", cases[i].list);
	}
	for (unsigned i = 0; npu_quirk_name(i); i++) {
		uint32_t set;

		tap_ok(&tap,
		       !npu_quirks_parse(npu_quirk_name(i), &set, NULL, 0) && set == 1u << i &&
			       npu_quirk_meaning(i),
		       "quirk %u is %s", i, npu_quirk_name(i));
	}
	tap_ok(&tap, !npu_quirk_meaning(31), "no meaning past the last quirk");
}

/* ---- int8 matmuls, with and without a quirk ---- */

struct bench {
	struct board b;
	struct emit_conv c;
	struct shape s;
	struct operands o;
	struct npu_result r;
};

static void begin(struct bench *t, enum emit_type type, unsigned m, unsigned k, unsigned n,
		  uint32_t quirks)
{
	struct npu_core_options o = { .quirks = quirks };

	memset(t, 0, sizeof(*t));
	board_init(&t->b, &o);
	t->c = emit_matmul(type, m, k, n);
	t->s = shape_of(&t->c);
	shape_map(&t->b, &t->s);
	board_map(&t->b, PROGRAM, 16384);
	shape_put(&t->b, &t->s, &t->o, SMALL_INTEGERS);
}

static void end(struct bench *t)
{
	operands_free(&t->o);
	board_free(&t->b);
}

static void run(struct bench *t, const struct emit_program *p, unsigned tasks)
{
	board_run(&t->b, PROGRAM, p->word, p->n, p->n / tasks, tasks, &t->r);
}

static bool right(struct bench *t, size_t m, size_t n)
{
	return shape_result(&t->b, &t->s, m, n) == shape_expected(&t->s, &t->o, m, n);
}

/* Wrong elements of the rows from first to last. */
static size_t wrong_rows(struct bench *t, size_t first, size_t last)
{
	size_t wrong = 0;

	for (size_t m = first; m < last; m++)
		for (size_t n = 0; n < t->s.oc; n++)
			wrong += !right(t, m, n);
	return wrong;
}

/* One bank less than int8 needs at a size known to go wrong: 144 rows, K 7 * 32. */
static void slack(void)
{
	for (unsigned on = 0; on < 2; on++)
		for (unsigned banks = 1; banks <= 2; banks++) {
			struct emit_program p;
			struct bench t;
			bool spoiled = on && banks == 1;
			size_t last;

			begin(&t, EMIT_INT8_INT32, 144, 224, 32, on ? NPU_QUIRK_SLACK : 0);
			emit_program(&p, &t.c);
			emit_set(&p, 0x1040, (12 - banks) << 4 | banks);
			run(&t, &p, 1);
			last = wrong_rows(&t, 140, 144);
			tap_ok(&tap,
			       !wrong_rows(&t, 0, 140) && (spoiled ? last > 100 : !last) &&
				       board_reported(&t.b, "slack bank missing") == (banks == 1),
			       "slack %s, %u banks: last group of rows %s", on ? "on" : "off",
			       banks, spoiled ? "wrong" : "right");
			end(&t);
		}
	/* Past 99.8 % it is right again: 1022 rows of 32 bytes fill 32704 of 32768. */
	for (unsigned m = 1021; m <= 1022; m++) {
		struct emit_program p;
		struct bench t;

		begin(&t, EMIT_INT8_INT32, m, 32, 32, NPU_QUIRK_SLACK);
		emit_program(&p, &t.c);
		emit_set(&p, 0x1040, 11 << 4 | 1);
		run(&t, &p, 1);
		tap_ok(&tap, !wrong_rows(&t, 0, m) == (m == 1022), "slack on, %u rows: %s", m,
		       m == 1022 ? "right" : "wrong");
		end(&t);
	}
	/* fp16 is immune: 96 rows of K 170 * 2 are as full. */
	struct emit_program p;
	struct bench t;

	begin(&t, EMIT_FP16_FP16, 72, 224, 32, NPU_QUIRK_SLACK);
	emit_program(&p, &t.c);
	run(&t, &p, 1);
	tap_ok(&tap, !wrong_rows(&t, 0, 72), "slack on: fp16 is immune");
	end(&t);
}

/* 100 rows of 512 bytes in one bank: 64 fit. */
static void cbuf(void)
{
	for (unsigned on = 0; on < 2; on++) {
		struct emit_program p;
		struct bench t;
		size_t past;

		begin(&t, EMIT_FP16_FP16, 100, 256, 32, on ? NPU_QUIRK_CBUF : 0);
		emit_program(&p, &t.c);
		emit_set(&p, 0x1040, 0xb1);
		run(&t, &p, 1);
		past = wrong_rows(&t, 64, 100);
		tap_ok(&tap,
		       !wrong_rows(&t, 0, 64) && (on ? past > 900 : !past) &&
			       board_reported(&t.b, "CBUF overflow"),
		       "cbuf %s: rows past the bank %s", on ? "on" : "off", on ? "wrong" : "right");
		end(&t);
	}
}

static void fcbank(void)
{
	for (unsigned on = 0; on < 2; on++) {
		struct emit_program p;
		struct bench t;
		size_t wrong;

		begin(&t, EMIT_INT8_INT32, 32, 64, 32, on ? NPU_QUIRK_FCBANK : 0);
		emit_program(&p, &t.c);
		emit_set(&p, 0x1040, 0x3a2);
		run(&t, &p, 1);
		wrong = wrong_rows(&t, 0, 32);
		tap_ok(&tap, wrong == (on ? 32 * 32 * 3 / 4 : 0), "fcbank %s: %zu of 1024 wrong",
		       on ? "on" : "off", wrong);
		end(&t);
	}
}

/* Three times the same task in one kick: residues add up from the second on. */
static void int_chain(void)
{
	for (unsigned on = 0; on < 2; on++)
		for (unsigned type = EMIT_FP16_FP16; type <= EMIT_INT8_INT32; type += 2) {
			struct emit_program one, p = { .n = 0 };
			bool adds = on && type == EMIT_INT8_INT32;
			static uint64_t words[3 * EMIT_WORDS];
			struct bench t;
			size_t wrong = 0;

			begin(&t, (enum emit_type)type, 24, 64, 32, on ? NPU_QUIRK_INT_CHAIN : 0);
			emit_program(&one, &t.c);
			for (unsigned i = 0; i < 3; i++) {
				p = one;
				if (i < 2)
					emit_link(&p, PROGRAM + 8 * one.n * (i + 1), one.n);
				memcpy(words + i * one.n, p.word, one.n * sizeof(words[0]));
			}
			board_run(&t.b, PROGRAM, words, 3 * one.n, one.n, 3, &t.r);
			for (size_t m = 0; m < 24; m++)
				for (size_t n = 0; n < 32; n++) {
					uint32_t want = shape_expected(&t.s, &t.o, m, n);

					wrong += shape_result(&t.b, &t.s, m, n) !=
						 (adds ? 3 * want : want);
				}
			tap_ok(&tap, t.r.verdict == NPU_DONE && !wrong,
			       "int-chain %s: third %s task of a kick %s", on ? "on" : "off",
			       t.s.type->name, adds ? "has three times the sum" : "is exact");
			board_run(&t.b, PROGRAM, one.word, one.n, one.n, 1, &t.r);
			tap_ok(&tap, !wrong_rows(&t, 0, 24), "int-chain %s: the next kick is exact",
			       on ? "on" : "off");
			end(&t);
		}
}

/* A hang of the operand path, a reset, and then good programs. */
static void wedge(void)
{
	for (unsigned on = 0; on < 2; on++) {
		struct emit_program good, bad;
		struct bench t;
		bool second, third;

		begin(&t, EMIT_FP16_FP16, 16, 64, 32, on ? NPU_QUIRK_WEDGE : 0);
		emit_program(&good, &t.c);
		bad = good;
		emit_set(&bad, 0x5044, 0x7808);
		run(&t, &bad, 1);
		tap_ok(&tap, t.r.verdict == NPU_HUNG, "wedge %s: the bad program hangs",
		       on ? "on" : "off");
		npu_core_reset(t.b.core);
		run(&t, &good, 1);
		second = t.r.verdict == NPU_DONE;
		npu_core_reset(t.b.core);
		run(&t, &good, 1);
		third = t.r.verdict == NPU_DONE && !wrong_rows(&t, 0, 16);
		tap_ok(&tap, second == !on && third,
		       "wedge %s: the next job %s, the one after runs", on ? "on" : "off",
		       on ? "hangs, too" : "runs");
		end(&t);
	}
}

/* A memory-fed int8 add: one row of width atoms, out = a + a. */
static void build_add(struct emit_program *p, unsigned width)
{
	static const struct {
		uint16_t op, reg;
		uint32_t value;
	} fixed[] = {
		{ 0x1001, 0x4004, 0xe },        { 0x2001, 0x5004, 0xe },
		{ 0x1001, 0x400c, 0x1e5 },      { 0x1001, 0x4010, 0 },
		{ 0x1001, 0x4020, 0x30000000 }, { 0x1001, 0x4034, 0 },
		{ 0x1001, 0x4038, 0 },          { 0x1001, 0x403c, 0xf000f },
		{ 0x1001, 0x4040, 0x53 },       { 0x1001, 0x4050, 2 },
		{ 0x1001, 0x4060, 0x53 },       { 0x1001, 0x4070, 0x104202c0 },
		{ 0x1001, 0x4074, 0 },          { 0x1001, 0x4078, 1 },
		{ 0x1001, 0x4080, 0 },          { 0x1001, 0x4084, 1 },
		{ 0x1001, 0x4088, 0 },          { 0x2001, 0x5010, 0 },
		{ 0x2001, 0x5014, 15 },         { 0x2001, 0x5018, 0x10000000 },
		{ 0x2001, 0x5034, 0x40000004 }, { 0x2001, 0x5038, 0x10000000 },
		{ 0x2001, 0x5044, 0x7801 },     { 0x2001, 0x504c, 0 },
		{ 0x2001, 0x506c, 0 },
	};
	static const uint16_t strides[] = { 0x4024, 0x40c0 };

	p->n = 0;
	for (unsigned i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		p->word[p->n++] =
			(uint64_t)fixed[i].op << 48 | (uint64_t)fixed[i].value << 16 | fixed[i].reg;
	for (unsigned i = 0; i < 2; i++)
		p->word[p->n++] = 0x1001ull << 48 | (uint64_t)width * 16 << 16 | strides[i];
	p->word[p->n++] = 0x1001ull << 48 | (uint64_t)(width - 1) << 16 | 0x4030;
	p->word[p->n++] = 0x2001ull << 48 | (uint64_t)(width - 1) << 16 | 0x500c;
	p->word[p->n++] = 0x2001ull << 48 | (uint64_t)width * 16 << 16 | 0x5040;
	p->word[p->n++] = 0x0041ull << 48;
	p->word[p->n++] = 0x0081ull << 48 | 0x18ull << 16 | 8;
}

static void w8191(void)
{
	for (unsigned on = 0; on < 2; on++)
		for (unsigned width = 8190; width <= 8191; width++) {
			struct npu_core_options o = { .quirks = on ? NPU_QUIRK_W8191 : 0 };
			bool spoilt = on && width == 8191;
			uint32_t wrong = 0, early = 0;
			struct emit_program p;
			struct npu_result r;
			struct board b;

			board_init(&b, &o);
			board_map(&b, 0x10000000, 8192 * 16);
			board_map(&b, 0x30000000, 8192 * 16);
			board_map(&b, PROGRAM, 4096);
			for (uint32_t i = 0; i < width * 16; i++)
				*board_byte(&b, 0x10000000 + i) = (uint8_t)(i % 61);
			build_add(&p, width);
			board_run(&b, PROGRAM, p.word, p.n, p.n, 1, &r);
			for (uint32_t i = 0; i < width * 16; i++)
				if (*board_byte(&b, 0x30000000 + i) != 2 * (i % 61)) {
					wrong++;
					early += i + 54 < width * 16;
				}
			tap_ok(&tap,
			       r.verdict == NPU_DONE && wrong == (spoilt ? 54 : 0) && !early &&
				       board_reported(&b, "loses its tail") == (width == 8191),
			       "w8191 %s: %u columns, %u elements wrong%s%s", on ? "on" : "off",
			       width, wrong, *r.reason ? ": " : "", r.reason);
			board_free(&b);
		}
}

int main(void)
{
	parsing();
	w8191();
	slack();
	cbuf();
	fcbank();
	int_chain();
	wedge();
	return tap_end(&tap);
}

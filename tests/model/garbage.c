// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * garbage.c - damaged programs and absurd extents: every kick ends, with a verdict and a reason,
 * in time and memory that do not follow the numbers in the program.
 *
 * "garbage N" runs N damaged programs instead of the suite's few; run it under the sanitizers.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/model/board.h"
#include "tests/model/effort.h"
#include "tests/model/emit.h"
#include "tests/model/golden.h"
#include "tests/model/tap.h"

#define ROUNDS 3000u
#define ARENA  (1u << 20)
#define BUDGET (1ull << 24)

static struct tap tap;

/* ---- memory without holes: every address lies in the arena ---- */

static uint8_t arena[ARENA];

static void *map_all(void *ctx, uint32_t iova, uint32_t *len, bool write)
{
	(void)ctx, (void)write;
	*len = ARENA - iova % ARENA;
	return arena + iova % ARENA;
}

static void map_everything(struct board *b)
{
	struct npu_memory all = { map_all, NULL };

	npu_core_set_memory(b->core, &all);
}

static void run_in_arena(struct board *b, const struct emit_program *p, unsigned tasks,
			 struct npu_result *r)
{
	memcpy(arena, p->word, p->n * sizeof(p->word[0]));
	board_kick(b, 0, p->n, tasks, r);
}

/* ---- damaged programs ---- */

#define SEEDS 96

static struct emit_program seed[SEEDS];
static unsigned seeds;

static void keep_recorded(const char *path, const char *name, void *ctx)
{
	struct golden g;

	(void)name, (void)ctx;
	if (seeds == SEEDS || !golden_load(&g, path))
		return;
	if (g.n_words && g.n_words <= EMIT_WORDS) {
		memcpy(seed[seeds].word, g.words, g.n_words * sizeof(g.words[0]));
		seed[seeds++].n = (unsigned)g.n_words;
	}
	golden_free(&g);
}

static void collect(void)
{
	for (unsigned type = 0; type < EMIT_TYPES; type++)
		for (unsigned ew = EMIT_NO_EW; ew <= EMIT_ADD; ew++) {
			struct emit_conv c = emit_matmul((enum emit_type)type, 16, 64, 64);

			c.ew = (enum emit_ew)ew;
			emit_program(&seed[seeds++], &c);
		}
	golden_each(golden_folder(), "regcmd", keep_recorded, NULL);
	golden_each(golden_folder(), "eltwise-rk3588", keep_recorded, NULL);
	golden_each(golden_folder(), "matmul-rk3588/programs", keep_recorded, NULL);
}

/* Small, at the ends of a field, or anything. */
static uint32_t any_value(struct board *b)
{
	uint32_t r = (uint32_t)board_random(b);

	switch (board_random(b) % 4) {
	case 0:
		return r % 70;
	case 1:
		return 0xffffffffu >> r % 32;
	case 2:
		return 1u << r % 32;
	default:
		return r;
	}
}

static void damage(struct board *b, struct emit_program *p)
{
	unsigned i = (unsigned)(board_random(b) % p->n);
	uint64_t *w = &p->word[i];

	switch (board_random(b) % 8) {
	case 0:
		*w ^= 1ull << board_random(b) % 64;
		break;
	case 1:
		*w = board_random(b);
		break;
	case 2: /* a word is missing */
		memmove(w, w + 1, (p->n - i - 1) * sizeof(*w));
		p->n -= p->n > 1;
		break;
	case 3: /* the program is cut short */
		if (board_random(b) % 8 == 0)
			p->n = i + 1;
		break;
	default: /* what most registers hold is wrong */
		*w = (*w & 0xffff00000000ffffull) | (uint64_t)any_value(b) << 16;
	}
}

static bool ended_well(const struct npu_result *r)
{
	bool done = r->verdict == NPU_DONE;

	/* Of int4 the budget pays for two products where it pays for one of int8. */
	return (done || r->verdict == NPU_HUNG || r->verdict == NPU_FAULT) &&
	       memchr(r->reason, 0, sizeof(r->reason)) && memchr(r->block, 0, sizeof(r->block)) &&
	       !r->reason[0] == done && r->counters.macs <= 2 * BUDGET;
}

static void damaged_programs(const char *name, uint32_t quirks, bool holes, unsigned rounds)
{
	struct npu_core_options o = { .quirks = quirks, .most_macs = BUDGET };
	unsigned bad = 0, seen[NPU_FAULT + 1] = { 0 };
	struct board b;

	board_init(&b, &o);
	b.seed += quirks + holes;
	if (!holes)
		map_everything(&b);
	for (uint32_t space = 0; holes && space <= 0x50000000; space += 0x10000000)
		board_map(&b, space, 1 << 16);
	for (unsigned i = 0; i < rounds; i++) {
		struct emit_program p = seed[board_random(&b) % seeds];
		unsigned tasks = board_random(&b) % 8 ? 1 : 3;
		struct npu_result r;

		for (uint64_t n = board_random(&b) % 5; n; n--)
			damage(&b, &p);
		if (tasks > 1 && p.n > 3) /* to itself */
			emit_link(&p, 0, p.n);
		if (board_random(&b) % 4 == 0)
			npu_core_new_job(b.core);
		if (holes)
			board_run(&b, 0, p.word, p.n, p.n, tasks, &r);
		else
			run_in_arena(&b, &p, tasks, &r);
		if (!ended_well(&r) && bad++ < 5)
			tap_note("program %u: verdict %d, %s: '%s'", i, (int)r.verdict, r.block,
				 r.reason);
		seen[r.verdict]++;
	}
	tap_note("%u ended, %u hung, %u faulted", seen[NPU_DONE], seen[NPU_HUNG], seen[NPU_FAULT]);
	tap_ok(&tap, !bad && seen[NPU_DONE] && seen[NPU_HUNG] && (seen[NPU_FAULT] || !holes), "%s",
	       name);
	board_free(&b);
}

/* ---- extents that the registers hold and no chip computes in time ---- */

#define MOST_MEMORY (512l << 10) /* KiB */

/* KiB the process has had at most. */
static long peak_memory(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

static struct emit_conv absurd(unsigned k, unsigned side, unsigned window, unsigned n)
{
	struct emit_conv c = emit_matmul(EMIT_FP16_FP16, 16, k, n);

	c.ih = c.iw = 8;
	c.oh = c.ow = side;
	c.kh = c.kw = window;
	return c;
}

static void expect(const struct emit_program *p, enum npu_verdict verdict, const char *reason,
		   const char *name)
{
	long before = peak_memory();
	struct npu_result r;
	struct board b;
	bool ok;

	board_init(&b, NULL);
	map_everything(&b);
	run_in_arena(&b, p, 1, &r);
	ok = r.verdict == verdict && strstr(r.reason, reason) &&
	     peak_memory() - before < MOST_MEMORY;
	if (!ok)
		tap_note("verdict %d, '%s', %ld KiB more", (int)r.verdict, r.reason,
			 peak_memory() - before);
	tap_ok(&tap, ok, "%s", name);
	board_free(&b);
}

static void absurd_extents(void)
{
	struct emit_conv c = absurd(65504, 1, 31, 16);
	struct emit_program p;

	emit_program(&p, &c);
	expect(&p, NPU_HUNG, "a kernel of", "kernel_larger_than_its_register_is_refused");

	c = absurd(6144, 511, 5, 8176);
	emit_program(&p, &c);
	expect(&p, NPU_HUNG, "watchdog", "more_products_than_a_watchdog_allows_hang");

	c = absurd(3072, 1, 5, 8176);
	emit_program(&p, &c);
	emit_set(&p, 0x1038, c.kw << 24 | c.kh << 16 | 1);
	expect(&p, NPU_DONE, "", "one_kernel_for_8176_channels_takes_little_memory");

	c = absurd(64, 1, 1, 8192);
	c.ew = EMIT_ADD;
	emit_program(&p, &c);
	emit_set(&p, 0x400c, 0x1e5);
	emit_set(&p, 0x4070, 0x108202c0);
	emit_set(&p, 0x5044, 0x17849);
	emit_set(&p, 0x4030, 8191);
	emit_set(&p, 0x4034, 8191);
	p.word[p.n - 1] = 0x0081ull << 48 | 0x18ull << 16 | 8;
	expect(&p, NPU_HUNG, "watchdog", "more_elements_than_a_watchdog_allows_hang");
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : effort(ROUNDS);

	collect();
	damaged_programs("damaged_program_ends_with_a_verdict", 0, true, rounds);
	damaged_programs("damaged_program_over_mapped_memory_ends_with_a_verdict", 0, false,
			 rounds);
	damaged_programs("damaged_program_under_every_quirk_ends_with_a_verdict", 0x7f, false,
			 rounds);
	absurd_extents();
	return tap_end(&tap);
}

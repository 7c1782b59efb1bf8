// SPDX-License-Identifier: LGPL-2.1-or-later
/* chains.c - recorded chains: several programs, linked for one kick. */
#include "programs.h"

#include <stdio.h>
#include <string.h>

#include "lib/encode/program.h"

#define MAX_TASKS 64

struct chain {
	struct rocket_matmul_task task[MAX_TASKS];
	uint32_t at[MAX_TASKS]; /* IOVA of each program */
	uint32_t n;
};

/* Programs follow each other from base on, each rounded up to an even word count. */
static void lay_out(struct chain *chain, uint32_t base)
{
	for (uint32_t i = 0; i < chain->n; i++)
		chain->at[i] = base + 8 * i * rocket_program_stride(ROCKET_RK3588_MATMUL_WORDS);
}

/* K accumulation in one kick: partials go back and forth between two buffers. */
static bool kacc_chain(struct check *c, struct chain *chain, enum rocket_matmul_type type)
{
	struct rocket_matmul_task t = { .type = type };
	uint32_t kt, even, odd, base;

	if (!header_extents(c, &t) || !header_need(c, "Kt", &kt) ||
	    !header_need(c, "tasks", &chain->n) || !header_need(c, "input", &t.input) ||
	    !header_need(c, "weights", &t.weights) || !header_need(c, "output_even", &even) ||
	    !header_need(c, "output_odd", &odd) || !header_need(c, "regcmd", &base))
		return false;
	if (!chain->n || chain->n > MAX_TASKS || !kt || t.k / kt != chain->n) {
		check_fail(c, 0, "%u tasks of Kt=%u for K=%u", chain->n, kt, t.k);
		return false;
	}
	t.k = kt;
	for (uint32_t i = 0; i < chain->n; i++) {
		t.output = i % 2 ? odd : even;
		t.add = i % 2 ? even : odd;
		t.accumulate = i > 0;
		chain->task[i] = t;
		t.input += t.m * kt * 2;
		t.weights += t.n * kt * 2;
	}
	lay_out(chain, base);
	return true;
}

/* "0x20000000,0x20001000": one address for each task, or one for all. */
static bool address_of(struct check *c, const char *key, uint32_t i, uint32_t *value)
{
	const char *text = source_key(c->src, key);
	char copy[2048], *field[MAX_TASKS];
	size_t n;
	int64_t number;

	if (!text || strlen(text) >= sizeof(copy)) {
		check_fail(c, 0, "header without %s=", key);
		return false;
	}
	strcpy(copy, text);
	n = split(copy, ',', field, MAX_TASKS);
	if (n > MAX_TASKS || (n > 1 && n <= i) || !parse_number(field[n > 1 ? i : 0], &number)) {
		check_fail(c, 0, "%s has no address for task %u", key, i);
		return false;
	}
	*value = (uint32_t)number;
	return true;
}

/* An N split: the same features, other weights and outputs. */
static bool split_chain(struct check *c, struct chain *chain, enum rocket_matmul_type type)
{
	struct rocket_matmul_task t = { .type = type };
	uint32_t base;

	if (!header_need(c, "M", &t.m) || !header_need(c, "K", &t.k) ||
	    !header_need(c, "N_per_task", &t.n) || !header_need(c, "tasks", &chain->n) ||
	    !header_need(c, "regcmd_base", &base))
		return false;
	if (!chain->n || chain->n > MAX_TASKS) {
		check_fail(c, 0, "%u tasks", chain->n);
		return false;
	}
	for (uint32_t i = 0; i < chain->n; i++) {
		if (!address_of(c, "input", i, &t.input) ||
		    !address_of(c, "weights", i, &t.weights) ||
		    !address_of(c, "output", i, &t.output))
			return false;
		chain->task[i] = t;
	}
	lay_out(chain, base);
	return true;
}

/* "task=1 addr=0x.. input=0x.. weights=0x.. output=0x..", one header line each. */
static bool listed_chain(struct check *c, struct chain *chain, enum rocket_matmul_type type)
{
	struct rocket_matmul_task t = { .type = type };

	if (!header_extents(c, &t))
		return false;
	for (size_t i = 0; i < c->src->n_header; i++) {
		unsigned number, at;

		if (strncmp(c->src->header[i].text, "task=", 5))
			continue;
		if (sscanf(c->src->header[i].text, "task=%u addr=%x input=%x weights=%x output=%x",
			   &number, &at, &t.input, &t.weights, &t.output) != 5 ||
		    number != chain->n || number >= MAX_TASKS) {
			check_fail(c, c->src->header[i].number, "not a task line");
			return false;
		}
		chain->task[number] = t;
		chain->at[chain->n++] = at;
	}
	return chain->n > 0;
}

static void check_chain_length(struct check *c, const struct image *image,
			       const struct chain *chain)
{
	if (image->n_programs != chain->n) {
		check_fail(c, 0, "%zu programs, the header describes %u tasks", image->n_programs,
			   chain->n);
		return;
	}
	for (uint32_t i = 0; i < chain->n; i++)
		if (chain->at[i] != chain->at[0] + 8 * image->programs[i].first)
			check_differs(c, image->line[image->programs[i].first],
				      "program %u is at word %zu, its address says %u", i,
				      image->programs[i].first, (chain->at[i] - chain->at[0]) / 8);
}

static void check_chain(struct check *c, const struct image *image, const struct chain *chain)
{
	uint64_t words[ROCKET_RK3588_MATMUL_WORDS];
	char why[160];

	check_chain_length(c, image, chain);
	for (uint32_t i = 0; i < chain->n && c->verdict == PASSED; i++) {
		int n = rocket_rk3588_matmul(&chain->task[i], words, ROCKET_RK3588_MATMUL_WORDS,
					     why, sizeof(why));
		bool last = i + 1 == chain->n;

		if (n < 0)
			check_fail(c, 0, "task %u is refused here: %s", i, why);
		else if (!(last ? rocket_chain_seal(words, (size_t)n)
				: rocket_chain_link(words, (size_t)n, chain->at[i + 1],
						    (uint32_t)n)))
			check_fail(c, 0, "task %u cannot be linked here", i);
		else
			program_compare(c, image, &image->programs[i], words, (size_t)n);
	}
	check_note(c, "%u programs", chain->n);
}

bool chain_check(struct check *c, const struct image *image, const char *op,
		 enum rocket_matmul_type type)
{
	static const struct {
		const char *op;
		bool (*describe)(struct check *c, struct chain *chain, enum rocket_matmul_type);
	} kinds[] = {
		{ "matmul_chain", kacc_chain },
		{ "chained_batch", split_chain },
		{ "int8 matmul chain", listed_chain },
	};
	struct chain chain = { .n = 0 };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(op, kinds[i].op))
			continue;
		if (kinds[i].describe(c, &chain, type))
			check_chain(c, image, &chain);
		return true;
	}
	return false;
}

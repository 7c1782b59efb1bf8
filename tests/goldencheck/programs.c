// SPDX-License-Identifier: LGPL-2.1-or-later
/* programs.c - recorded register programs against those of the encoders. */
#include "programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/encode/program.h"

/* ---- comparison ---- */

#define TRAILER ROCKET_TRAILER_WORDS

/* By target and offset, in program order within a register. */
struct write {
	uint64_t word;
	size_t index;
};

static int by_register(const void *a, const void *b)
{
	const struct write *x = a, *y = b;
	uint64_t kx = x->word & 0xffff00000000ffff, ky = y->word & 0xffff00000000ffff;

	if (kx != ky)
		return kx < ky ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static void sort_writes(struct write *out, const uint64_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (struct write){ words[i], i };
	qsort(out, n, sizeof(*out), by_register);
}

static void name_of(uint64_t word, char *name, size_t size)
{
	char line[300];

	rocket_disassemble("rk3588", word, line, sizeof(line));
	line[strcspn(line, "=")] = '\0';
	snprintf(name, size, "%.60s", line);
}

/* The same writes in each block, in any order, and the same trailer. */
void program_compare(struct check *c, const struct image *image, const struct program *golden,
		     const uint64_t *ours, size_t count)
{
	const uint64_t *words = image->words + golden->first;
	const unsigned *line = image->line + golden->first;
	size_t n = golden->count > TRAILER ? golden->count - TRAILER : 0;
	size_t m = count - TRAILER, i = 0, j = 0;
	struct write *a = calloc(n + 1, sizeof(*a)), *b = calloc(m + 1, sizeof(*b));
	char name[64];

	if (!a || !b) {
		check_fail(c, 0, "out of memory");
		goto out;
	}
	sort_writes(a, words, n);
	sort_writes(b, ours, m);
	while (i < n || j < m) {
		uint64_t ka = i < n ? a[i].word & 0xffff00000000ffff : UINT64_MAX;
		uint64_t kb = j < m ? b[j].word & 0xffff00000000ffff : UINT64_MAX;

		name_of(ka <= kb ? a[i].word : b[j].word, name, sizeof(name));
		if (ka == kb && a[i].word != b[j].word)
			check_differs(c, line[a[i].index], "%s= 0x%08x, here 0x%08x", name,
				      rocket_word_value(a[i].word), rocket_word_value(b[j].word));
		else if (ka < kb)
			check_differs(c, line[a[i].index], "%sis not written here", name);
		else if (kb < ka)
			check_differs(c, 0, "%sis written here only", name);
		i += ka <= kb;
		j += kb <= ka;
	}
	for (size_t t = 0; t < TRAILER && n; t++)
		if (words[n + t] != ours[m + t])
			check_differs(c, line[n + t], "trailer word %zu is %016llx, here %016llx",
				      t, (unsigned long long)words[n + t],
				      (unsigned long long)ours[m + t]);
out:
	free(a);
	free(b);
}

/* ---- what the header asks for ---- */

static const char *operands_of(const struct source *s)
{
	const char *dtype = source_key(s, "dtype");

	return dtype ? dtype : source_key(s, "in_dtype");
}

static const char *result_of(const struct source *s)
{
	const char *out = source_key(s, "out_dtype");

	return out ? out : source_key(s, "out");
}

static void skip_no_encoder(struct check *c)
{
	const struct source *s = c->src;
	const char *chip = other_chip(s), *operands = operands_of(s), *result = result_of(s);
	const char *op = source_key(s, "op");

	check_skip(c, "no encoder for %s%s%s/%s%s%s%s%s", op ? op : "?",
		   source_key(s, "eltwise") ? " " : "",
		   source_key(s, "eltwise") ? source_key(s, "eltwise") : "",
		   operands ? operands : "?", result ? " to " : "", result ? result : "",
		   chip ? " on " : "", chip ? chip : "");
}

bool header_need(struct check *c, const char *key, uint32_t *value)
{
	if (source_number(c->src, key, value))
		return true;
	check_fail(c, 0,
		   source_key(c->src, key) ? "%s is not a number" : "header without %s=", key);
	return false;
}

bool header_want(struct check *c, const char *key, uint32_t *value)
{
	return !source_key(c->src, key) || header_need(c, key, value);
}

bool header_extents(struct check *c, struct rocket_matmul_task *t)
{
	return header_need(c, "M", &t->m) && header_need(c, "K", &t->k) &&
	       header_need(c, "N", &t->n);
}

/* A single task of both header dialects. */
static bool task_of_header(struct check *c, struct rocket_matmul_task *t)
{
	const char *form = source_key(c->src, "form");
	uint32_t accumulate = 0, weight_reuse = 0, data_reuse = 0;

	if (!header_extents(c, t) || !header_need(c, "input", &t->input) ||
	    !header_need(c, "weights", &t->weights) || !header_need(c, "output", &t->output) ||
	    !header_want(c, "accumulate", &accumulate) ||
	    !header_want(c, "weight_reuse", &weight_reuse) ||
	    !header_want(c, "data_reuse", &data_reuse) || !header_want(c, "add", &t->add))
		return false;
	if (source_key(c->src, "eltwise")) {
		accumulate = 1;
		if (!header_need(c, "operand", &t->add))
			return false;
	}
	/* The older dialect has the reuse only in the name. */
	if (source_key(c->src, "case") && strstr(source_key(c->src, "case"), "_datareuse"))
		data_reuse = 1;
	t->accumulate = accumulate;
	t->weight_reuse = weight_reuse;
	t->data_reuse = data_reuse;
	if (form && !strncmp(form, "rowmajor", 8) && !header_need(c, "A_full_K", &t->a_row))
		return false;
	return !form || strcmp(form, "rowmajor") || header_need(c, "C_full_N", &t->c_row);
}

/* ---- single programs ---- */

static void check_single(struct check *c, const struct image *image, struct rocket_matmul_task t)
{
	uint64_t words[ROCKET_RK3588_MATMUL_WORDS];
	const char *wrong = image_known_wrong(c->src, image);
	char why[160];
	int n;

	if (!task_of_header(c, &t))
		return;
	if (image->n_programs != 1) {
		check_fail(c, 0, "%zu programs, one expected", image->n_programs);
		return;
	}
	n = rocket_rk3588_matmul(&t, words, ROCKET_RK3588_MATMUL_WORDS, why, sizeof(why));
	if (wrong && n < 0)
		check_note(c, "refused here, as it must be: %s", wrong);
	else if (wrong)
		check_skip(c, "known to be wrong: %s", wrong);
	else if (n < 0)
		check_fail(c, 0, "refused here: %s", why);
	else
		program_compare(c, image, &image->programs[0], words, (size_t)n);
}

/* ---- which of these ---- */

static bool is_accumulation(const struct source *s)
{
	const char *op = source_key(s, "op"), *what = source_key(s, "eltwise");

	return op && what && !strcmp(op, "matmul+eltwise") && !strcmp(what, "add");
}

static void check_matmul(struct check *c, const struct image *image)
{
	const struct source *s = c->src;
	const char *op = source_key(s, "op"), *operands = operands_of(s), *result = result_of(s);
	struct rocket_matmul_task t = { 0 };

	/* The chain of integer tasks names its types in the operation. */
	if (op && !strncmp(op, "int8 ", 5)) {
		operands = "int8";
		result = "int32";
	}
	if (!op || other_chip(s) || !matmul_form(operands, result, &t)) {
		skip_no_encoder(c);
		return;
	}
	if (!strcmp(op, "matmul") || is_accumulation(s)) {
		check_single(c, image, t);
		return;
	}
	if (!chain_check(c, image, op, t.type))
		skip_no_encoder(c);
}

static void check_program(struct check *c)
{
	struct image image;

	if (!image_read(c, &image))
		return;
	check_matmul(c, &image);
	image_free(&image);
}

const struct kind program_kind = { image_promised, check_program };

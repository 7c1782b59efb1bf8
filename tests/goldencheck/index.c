// SPDX-License-Identifier: LGPL-2.1-or-later
/* index.c - the index of recorded programs: which tasks are encoded and which refused. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS "case,status,dtype,out_dtype,M,K,N,notes"
enum { CASE, STATUS, DTYPE, RESULT, M, K, N, NOTES, N_COLUMNS };

static bool is_index(const struct source *s)
{
	return s->n_data && !strcmp(s->data[0].text, COLUMNS);
}

struct counts {
	unsigned encoded, refused, unknown;
};

static bool task_of_row(char **field, struct rocket_matmul_task *t)
{
	int64_t m, k, n;

	if (!parse_number(field[M], &m) || !parse_number(field[K], &k) ||
	    !parse_number(field[N], &n) || m < 0 || k < 0 || n < 0 || m > UINT32_MAX ||
	    k > UINT32_MAX || n > UINT32_MAX)
		return false;
	*t = (struct rocket_matmul_task){
		.m = (uint32_t)m,
		.k = (uint32_t)k,
		.n = (uint32_t)n,
		.input = 0x10000000,
		.weights = 0x20000000,
		.output = 0x40000000,
		.add = 0x80000000,
		.accumulate = strstr(field[NOTES], "acc=1") != NULL,
		.weight_reuse = strstr(field[NOTES], "wr=1") != NULL,
		.data_reuse = strstr(field[NOTES], "dr=1") != NULL,
	};
	if (strstr(field[NOTES], "form=rowmajor")) {
		t->a_row = t->k;
		t->c_row = t->n;
	}
	return true;
}

static void check_row(struct check *c, const struct line *line, struct counts *counts)
{
	uint64_t words[ROCKET_RK3588_MATMUL_WORDS];
	char *copy = strdup(line->text), *field[N_COLUMNS], why[160];
	struct rocket_matmul_task t;
	bool wanted;
	int n;

	if (!copy || split(copy, ',', field, N_COLUMNS) != N_COLUMNS || !task_of_row(field, &t)) {
		check_fail(c, line->number, "not a row of " COLUMNS);
		goto out;
	}
	wanted = !strcmp(field[STATUS], "ok");
	if (!wanted && strcmp(field[STATUS], "refused")) {
		check_fail(c, line->number, "status %.20s", field[STATUS]);
		goto out;
	}
	if (!matmul_form(field[DTYPE], field[RESULT], &t)) {
		counts->unknown++;
		goto out;
	}
	n = rocket_rk3588_matmul(&t, words, ROCKET_RK3588_MATMUL_WORDS, why, sizeof(why));
	/* The recorded encoder wrote it; silicon gets fewer than 12 rows wrong, or hangs. */
	wanted = wanted && !(t.accumulate && t.m < 12) && !(t.transposed && t.n < 32);
	if (wanted && n < 0)
		check_differs(c, line->number, "%s is refused here: %s", field[CASE], why);
	else if (!wanted && n >= 0)
		check_differs(c, line->number, "%s is not refused here", field[CASE]);
	*(n < 0 ? &counts->refused : &counts->encoded) += 1;
out:
	free(copy);
}

static void check_index(struct check *c)
{
	struct counts counts = { 0 };

	for (size_t i = 1; i < c->src->n_data; i++)
		check_row(c, &c->src->data[i], &counts);
	check_note(c, "%u encoded, %u refused", counts.encoded, counts.refused);
	if (counts.unknown)
		check_note(c, "no encoder for %u", counts.unknown);
}

const struct kind program_index_kind = { is_index, check_index };

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Programs beyond the plain one: accumulation, operand reuse, row-major operands. */
#include "numerics.h"

#include <errno.h>
#include <string.h>

#include "load.h"
#include "reference.h"

/* ---- K accumulation: each task adds to what the one before left in the other slot ---- */

enum kick { KICK_FENCED, KICK_ONE_JOB, KICK_CHAINED };

struct accumulate_row {
	unsigned m, k, n, depth; /* depth tasks of k channels each */
	enum load_values values;
	enum kick kick;
};

/* All slices share B; task i writes slot i & 1 and adds slot (i - 1) & 1. */
static void write_accumulating(struct load *l)
{
	for (unsigned i = 0; i < l->tasks; i++) {
		struct matmul mm = load_matmul(l, i);

		mm.out = l->out->dma + (i & 1) * (uint32_t)l->out_step;
		mm.add = l->out->dma + (~i & 1) * (uint32_t)l->out_step;
		mm.accumulate = i > 0;
		matmul_program(&mm, load_words(l, i));
		if (l->chained && i + 1 < l->tasks)
			program_link(load_words(l, i), l->task[i + 1].regcmd);
	}
	file_fini(l->f, l->prog->handle);
}

static int run_fenced(struct load *l)
{
	int ret = 0;

	l->job.task_count = 1;
	for (unsigned i = 0; i < l->tasks && !ret; i++) {
		l->job.tasks = (uintptr_t)&l->task[i];
		ret = load_submit(l);
		if (!ret)
			ret = load_wait(l, 10 * SECOND);
	}
	return ret;
}

static uint32_t accumulated(const struct load *l, unsigned m, unsigned n)
{
	size_t row = (size_t)l->mm.k * 2;
	struct reference_rows r = { .type = FP16_TO_FP16, .k = l->mm.k };
	uint32_t bits = 0;

	for (unsigned i = 0; i < l->tasks; i++) {
		r.a = (const char *)l->a + ((size_t)i * l->mm.m + m) * row;
		r.b = (const char *)l->b + n * row;
		r.accumulate = i > 0;
		r.partial = (uint16_t)bits;
		bits = reference_bits(&r);
	}
	return bits;
}

static void judge_accumulated(struct test *t, const struct load *l)
{
	const uint16_t *c =
		(const uint16_t *)((const char *)l->out->map + (~l->tasks & 1) * l->out_step);
	/* Where each step rounds was never measured on silicon: one unit per step. */
	uint32_t units = l->values == LOAD_INTEGERS || t->node->calls->in_process ? 0 : l->tasks;

	for (unsigned m = 0; m < l->mm.m; m++)
		for (unsigned n = 0; n < l->mm.n; n++) {
			uint32_t got = c[output_index(&l->mm, m, n)];
			uint32_t want = accumulated(l, m, n);

			REQUIRE(t, got - want + units <= 2 * units,
				"C[%u][%u]: bits %x, expected %x", m, n, got, want);
		}
}

static void accumulate_over_k(struct test *t)
{
	const struct accumulate_row *row = t->as->arg;
	const struct matmul shape = { .type = FP16_TO_FP16, .m = row->m, .k = row->k, .n = row->n };
	struct load l;
	int ret;

	REQUIRE(t, load_make(&l, t, test_file(t), &shape, row->depth, row->values), "no job");
	if (row->kick == KICK_CHAINED)
		load_chain(&l);
	write_accumulating(&l);
	if (row->kick == KICK_FENCED) {
		ret = run_fenced(&l);
	} else {
		REQUIRE(t, !load_submit(&l), "SUBMIT");
		ret = load_wait(&l, 10 * SECOND);
	}
	REQUIRE(t, !ret, "%s", strerror(-ret));
	judge_accumulated(t, &l);
}

#define ACCUMULATE(what, ...)                                                                      \
	.name = what, .run = accumulate_over_k, .arg = &(const struct accumulate_row)              \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

/* ---- operand reuse ---- */

struct reuse_row {
	struct matmul shape;
	bool chained;
};

/* Tasks with one B: the weights stay in the CBUF. */
static void weight_reuse_in_one_job(struct test *t)
{
	const struct reuse_row *row = t->as->arg;
	struct load l;

	REQUIRE(t, load_make(&l, t, test_file(t), &row->shape, 6, LOAD_RANDOM), "no job");
	if (row->chained)
		load_chain(&l);
	for (unsigned i = 1; i < l.tasks; i++) {
		struct matmul mm = load_matmul(&l, i);

		mm.weight_reuse = true;
		matmul_program(&mm, load_words(&l, i));
		if (row->chained && i + 1 < l.tasks)
			program_link(load_words(&l, i), l.task[i + 1].regcmd);
	}
	file_fini(l.f, l.prog->handle);
	CHECK(t, load_run_right(&l), "weights fetched once");
}

/*
 * Tasks with one A: column slices of a wider matmul. Weight and output cubes are ordered
 * by columns first, so a slice is a part of the whole cube.
 */
static void data_reuse_in_one_job(struct test *t)
{
	enum { SLICES = 4 };
	const struct reuse_row *row = t->as->arg;
	unsigned slice = row->shape.n / SLICES;
	struct file *f = test_file(t);
	struct load l, programs;

	REQUIRE(t, load_make(&l, t, f, &row->shape, 1, LOAD_RANDOM), "no job");
	/* Only its program buffer and task array are used. */
	REQUIRE(t, load_make(&programs, t, f, &small_matmul, SLICES, LOAD_INTEGERS), "no job");
	if (row->chained)
		load_chain(&programs);
	for (unsigned i = 0; i < SLICES; i++) {
		struct matmul mm = l.mm, part = l.mm;

		part.n = slice;
		mm.n = slice;
		mm.wt += i * (uint32_t)weight_bytes(&part);
		mm.out += i * (uint32_t)output_bytes(&part);
		mm.data_reuse = i > 0;
		matmul_program(&mm, load_words(&programs, i));
		if (row->chained && i + 1 < SLICES)
			program_link(load_words(&programs, i), programs.task[i + 1].regcmd);
	}
	file_fini(f, programs.prog->handle);
	l.in_handles[0] = programs.prog->handle;
	l.job.tasks = programs.job.tasks;
	l.job.task_count = SLICES;
	l.job.flags = programs.job.flags;
	CHECK(t, load_run_right(&l), "features fetched once");
}

#define REUSE(ty, rows, depth, columns, chain)                                                     \
	&(const struct reuse_row)                                                                  \
	{                                                                                          \
		{ .type = ty, .m = rows, .k = depth, .n = columns }, chain                         \
	}

/* ---- row-major operands ---- */

static void row_major_operands(struct test *t)
{
	const struct matmul *shape = t->as->arg;
	unsigned bytes = matmul_formats[shape->type].out_bytes;
	const unsigned char *c;
	struct load l;

	REQUIRE(t, load_make(&l, t, test_file(t), shape, 1, LOAD_RANDOM), "no job");
	REQUIRE(t, load_run_right(&l), "wrong result");
	c = l.out->map;
	for (unsigned m = 0; m < shape->m; m++)
		for (size_t i = (size_t)shape->n * bytes; i < (size_t)shape->c_row * bytes; i++)
			REQUIRE(t, c[m * (size_t)shape->c_row * bytes + i] == 0xa5,
				"row %u: byte %zu behind the columns was written", m, i);
}

#define ROWS(ty, rows, depth, columns, a, c)                                                       \
	&(const struct matmul)                                                                     \
	{                                                                                          \
		.type = ty, .m = rows, .k = depth, .n = columns, .a_row = a, .c_row = c            \
	}

static const struct test_case cases[] = {
	{ ACCUMULATE("accumulate_2_integers", 16, 64, 32, 2, LOAD_INTEGERS, KICK_FENCED) },
	{ ACCUMULATE("accumulate_8_integers", 64, 192, 96, 8, LOAD_INTEGERS, KICK_FENCED) },
	{ ACCUMULATE("accumulate_2_random", 12, 96, 48, 2, LOAD_RANDOM, KICK_FENCED) },
	{ ACCUMULATE("accumulate_5_random", 64, 192, 96, 5, LOAD_RANDOM, KICK_FENCED) },
	{ ACCUMULATE("accumulate_8_in_one_job", 32, 64, 64, 8, LOAD_RANDOM, KICK_ONE_JOB) },
	{ ACCUMULATE("accumulate_2_in_one_kick", 16, 64, 32, 2, LOAD_RANDOM, KICK_CHAINED),
	  .expects = EXPECT_BATCH },
	{ ACCUMULATE("accumulate_43_in_one_kick", 16, 32, 32, 43, LOAD_RANDOM, KICK_CHAINED),
	  .expects = EXPECT_BATCH },

	{ .name = "weight_reuse_fp16",
	  .run = weight_reuse_in_one_job,
	  .arg = REUSE(FP16_TO_FP16, 64, 384, 96, false) },
	{ .name = "weight_reuse_fp16_f32out",
	  .run = weight_reuse_in_one_job,
	  .arg = REUSE(FP16_TO_FP32, 16, 160, 80, false) },
	{ .name = "weight_reuse_int8",
	  .run = weight_reuse_in_one_job,
	  .arg = REUSE(INT8_TO_INT32, 64, 384, 96, false) },
	{ .name = "weight_reuse_fp16_chained",
	  .run = weight_reuse_in_one_job,
	  .arg = REUSE(FP16_TO_FP16, 64, 384, 96, true),
	  .expects = EXPECT_BATCH },
	{ .name = "data_reuse_fp16",
	  .run = data_reuse_in_one_job,
	  .arg = REUSE(FP16_TO_FP16, 64, 384, 256, false) },
	{ .name = "data_reuse_fp16_f32out",
	  .run = data_reuse_in_one_job,
	  .arg = REUSE(FP16_TO_FP32, 100, 192, 128, false) },
	{ .name = "data_reuse_int8",
	  .run = data_reuse_in_one_job,
	  .arg = REUSE(INT8_TO_INT32, 64, 384, 256, false) },
	{ .name = "data_reuse_fp16_chained",
	  .run = data_reuse_in_one_job,
	  .arg = REUSE(FP16_TO_FP16, 64, 384, 256, true),
	  .expects = EXPECT_BATCH },

	{ .name = "row_major_fp16_f32out",
	  .run = row_major_operands,
	  .arg = ROWS(FP16_TO_FP32, 8, 64, 32, 64, 32) },
	{ .name = "row_major_fp16_f32out_in_a_wider_matrix",
	  .run = row_major_operands,
	  .arg = ROWS(FP16_TO_FP32, 64, 256, 64, 1024, 256) },
	{ .name = "row_major_fp16",
	  .run = row_major_operands,
	  .arg = ROWS(FP16_TO_FP16, 32, 128, 64, 128, 64) },
	{ .name = "row_major_int8",
	  .run = row_major_operands,
	  .arg = ROWS(INT8_TO_INT32, 32, 128, 64, 128, 64) },
	{ .name = "row_major_int8_in_a_wider_matrix",
	  .run = row_major_operands,
	  .arg = ROWS(INT8_TO_INT32, 32, 128, 64, 512, 128) },
	{ .name = "row_major_a_only",
	  .run = row_major_operands,
	  .arg = ROWS(FP16_TO_FP32, 16, 96, 48, 96, 0) },
};

struct test_table form_cases(void)
{
	return TEST_TABLE(cases);
}

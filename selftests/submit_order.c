// SPDX-License-Identifier: LGPL-2.1-or-later
/* What holds between jobs. */
#include "submit.h"

#include <errno.h>
#include <string.h>

#include "load.h"
#include "reference.h"

/*
 * A chain of squaring steps: X(i+1) = X(i) times 2I. An fp16 result cube is an fp16
 * feature cube, so each job reads what the one before wrote.
 */
enum { STEPS = 8, SIDE = 32 };

struct steps {
	struct load load; /* owns X(0), 2I and the buffers of programs */
	struct bo *x[STEPS + 1];
	struct drm_rocket_task task[STEPS];
	uint32_t in[STEPS][3], out[STEPS];
	struct drm_rocket_job job[STEPS];
};

static void write_two_times_identity(struct load *l)
{
	uint16_t *w = l->wt->map;

	memset(w, 0, l->wt->size);
	for (unsigned i = 0; i < SIDE; i++)
		w[weight_index(&l->mm, i, i)] = half_from_float(2);
	file_fini(l->f, l->wt->handle);
}

static bool steps_make(struct steps *s, struct test *t, struct file *f)
{
	const struct matmul shape = { .type = FP16_TO_FP16, .m = 16, .k = SIDE, .n = SIDE };
	struct load *l = &s->load;

	if (!load_make(l, t, f, &shape, STEPS, LOAD_INTEGERS))
		return false;
	write_two_times_identity(l);
	s->x[0] = l->in;
	for (unsigned i = 0; i < STEPS; i++) {
		struct matmul mm = l->mm;

		s->x[i + 1] = test_bo(t, f, (uint32_t)output_bytes(&mm) + 32768);
		if (!s->x[i + 1])
			return false;
		mm.in = s->x[i]->dma;
		mm.out = s->x[i + 1]->dma;
		matmul_program(&mm, load_words(l, i));
		s->in[i][0] = l->prog->handle;
		s->in[i][1] = l->wt->handle;
		s->in[i][2] = s->x[i]->handle;
		s->out[i] = s->x[i + 1]->handle;
		s->job[i] = l->job;
		s->job[i].task_count = 1;
		s->job[i].tasks = (uintptr_t)&l->task[i];
		s->job[i].in_bo_handles = (uintptr_t)s->in[i];
		s->job[i].out_bo_handles = (uintptr_t)&s->out[i];
	}
	file_fini(f, l->prog->handle);
	return true;
}

static void steps_judge(struct steps *s, struct test *t)
{
	const struct matmul *mm = &s->load.mm;
	const uint16_t *first = s->x[0]->map, *last = s->x[STEPS]->map;
	int ret = file_prep(s->load.f, s->x[STEPS]->handle, now_ns() + 10 * SECOND);

	REQUIRE(t, !ret, "PREP_BO: %s", strerror(-ret));
	for (size_t i = 0; i < (size_t)mm->m * SIDE; i++)
		REQUIRE(t, half_to_float(last[i]) == half_to_float(first[i]) * (1 << STEPS),
			"element %zu: %g, began as %g", i, (double)half_to_float(last[i]),
			(double)half_to_float(first[i]));
}

static void jobs_of_a_file_run_in_order(struct test *t)
{
	struct file *f = test_file(t);
	struct steps *s = test_alloc(t, sizeof(*s));

	REQUIRE(t, s && steps_make(s, t, f), "no jobs");
	for (unsigned i = 0; i < STEPS; i++)
		REQUIRE(t, !file_submit_job(f, &s->job[i]), "SUBMIT");
	steps_judge(s, t);
}

static void jobs_of_one_submit_run_in_order(struct test *t)
{
	struct file *f = test_file(t);
	struct steps *s = test_alloc(t, sizeof(*s));
	struct drm_rocket_submit args = { .job_count = STEPS,
					  .job_struct_size = sizeof(struct drm_rocket_job) };

	REQUIRE(t, s && steps_make(s, t, f), "no jobs");
	args.jobs = (uintptr_t)s->job;
	REQUIRE(t, !file_submit(f, &args), "SUBMIT");
	steps_judge(s, t);
}

static void tasks_of_a_job_run_in_order(struct test *t)
{
	struct file *f = test_file(t);
	struct steps *s = test_alloc(t, sizeof(*s));
	uint32_t in[3], out[STEPS];
	struct drm_rocket_job job;

	REQUIRE(t, s && steps_make(s, t, f), "no jobs");
	memcpy(in, s->in[0], sizeof(in));
	memcpy(out, s->out, sizeof(out));
	job = s->job[0];
	job.task_count = STEPS;
	job.in_bo_handles = (uintptr_t)in;
	job.out_bo_handles = (uintptr_t)out;
	job.out_bo_handle_count = STEPS;
	REQUIRE(t, !file_submit_job(f, &job), "SUBMIT");
	steps_judge(s, t);
}

/* Waiting for the last buffer covers all jobs it depends on. */
static void results_between_are_there_as_well(struct test *t)
{
	struct file *f = test_file(t);
	struct steps *s = test_alloc(t, sizeof(*s));

	REQUIRE(t, s && steps_make(s, t, f), "no jobs");
	for (unsigned i = 0; i < STEPS; i++)
		REQUIRE(t, !file_submit_job(f, &s->job[i]), "SUBMIT");
	steps_judge(s, t);
	for (unsigned i = 1; i < STEPS; i++)
		CHECK(t, !file_prep(f, s->x[i]->handle, 0), "X(%u) is still busy", i);
}

static const struct test_case cases[] = {
	{ .name = "jobs_of_a_file_run_in_order", .run = jobs_of_a_file_run_in_order },
	{ .name = "jobs_of_one_submit_run_in_order", .run = jobs_of_one_submit_run_in_order },
	{ .name = "tasks_of_a_job_run_in_order", .run = tasks_of_a_job_run_in_order },
	{ .name = "results_between_are_there_as_well", .run = results_between_are_there_as_well },
};

struct test_table order_cases(void)
{
	return TEST_TABLE(cases);
}

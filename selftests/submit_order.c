// SPDX-License-Identifier: LGPL-2.1-or-later
/* What holds between jobs, and while a job is in flight. */
#include "submit.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "crew.h"
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

/* ---- in flight ---- */

static void close_with_jobs_in_flight(struct test *t)
{
	struct load l;

	for (int i = 0; i < 200; i++) {
		struct file *f = test_file(t);

		REQUIRE(t, load_make(&l, t, f, &small_matmul, 3, LOAD_INTEGERS), "round %d", i);
		for (int job = 0; job < 4; job++)
			REQUIRE(t, !load_submit(&l), "round %d: SUBMIT", i);
		REQUIRE(t, !test_file_close(f), "round %d: close", i);
	}
	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 3, LOAD_INTEGERS), "no job");
	CHECK(t, load_run_right(&l), "good job afterwards");
}

/* The wait is over, the job's references may not be. */
static void close_right_after_the_wait(struct test *t)
{
	struct load l;

	for (int i = 0; i < 200; i++) {
		struct file *f = test_file(t);

		REQUIRE(t, load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "round %d", i);
		REQUIRE(t, load_run_right(&l), "round %d", i);
		REQUIRE(t, !test_file_close(f), "round %d: close", i);
	}
}

static void munmap_with_a_job_in_flight(struct test *t)
{
	struct file *f = test_file(t);
	struct load l;
	int ret;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 32, LOAD_INTEGERS), "no job");
	REQUIRE(t, !load_submit(&l), "SUBMIT");
	bo_unmap(f, l.prog);
	bo_unmap(f, l.in);
	bo_unmap(f, l.wt);
	bo_unmap(f, l.out);
	ret = load_wait(&l, 10 * SECOND);
	REQUIRE(t, !ret, "PREP_BO: %s", strerror(-ret));
	l.out->map = t->node->calls->mmap(f->fd, l.out->size, l.out->offset);
	if (l.out->map == (void *)-1)
		l.out->map = NULL;
	REQUIRE(t, l.out->map, "mmap: %s", strerror(errno));
	CHECK(t, load_judge(&l, 32), "wrong result");
}

/* A queued job keeps its buffers; nobody else gets their addresses meanwhile. */
static void handles_closed_with_a_job_in_flight(struct test *t)
{
	struct file *f = test_file(t);
	struct load hung, l;
	int ret;

	REQUIRE(t, load_make(&hung, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	REQUIRE(t, load_make(&l, t, f, &small_matmul, 8, LOAD_INTEGERS), "no job");
	load_hang(&hung, 0);
	REQUIRE(t, !load_submit(&hung) && !load_submit(&l), "SUBMIT");
	CHECK(t, !bo_close_handle(f, l.prog), "GEM_CLOSE");
	CHECK(t, !bo_close_handle(f, l.in), "GEM_CLOSE");
	CHECK(t, !bo_close_handle(f, l.wt), "GEM_CLOSE");
	for (int i = 0; i < 6; i++) {
		struct bo *bo = test_bo(t, f, i % 2 ? l.prog->size : l.in->size);

		REQUIRE(t, bo, "no buffer");
		CHECK(t, bo->dma != l.prog->dma && bo->dma != l.in->dma && bo->dma != l.wt->dma,
		      "address %#x is in use by a queued job", bo->dma);
		memset(bo->map, 0xff, bo->size);
		file_fini(f, bo->handle);
	}
	ret = load_wait(&l, 10 * SECOND);
	CHECK(t, !ret && load_judge(&l, 8), "%s", strerror(-ret));
}

/* ---- threads ---- */

static void threads_with_a_file_each(struct test *t)
{
	const struct crew crew = {
		.members = 5, .shapes = &small_matmul, .n_shapes = 1, .rounds = 40
	};

	crew_run(t, &crew);
}

static void threads_with_one_file(struct test *t)
{
	struct crew crew = { .members = 5,
			     .shapes = &small_matmul,
			     .n_shapes = 1,
			     .rounds = 40,
			     .shared = test_file(t) };

	REQUIRE(t, crew.shared, "no file");
	crew_run(t, &crew);
}

/* Buffers come and go in other threads while jobs run. */
struct churn {
	pthread_t thread;
	const struct file *f;
	int failed;
};

static void *churn_buffers(void *arg)
{
	struct churn *c = arg;

	for (int i = 0; i < 300; i++) {
		struct drm_rocket_create_bo args = { .size = PAGE * (1 + (uint32_t)i % 7) };

		if (file_create_bo(c->f, &args) || file_gem_close(c->f, args.handle))
			c->failed++;
	}
	return NULL;
}

static void buffers_made_and_freed_while_jobs_run(struct test *t)
{
	struct file *f = test_file(t);
	struct churn c = { .f = f };
	struct load l;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 8, LOAD_INTEGERS), "no job");
	REQUIRE(t, !pthread_create(&c.thread, NULL, churn_buffers, &c), "no thread");
	for (int i = 0; i < 60 && load_run_right(&l); i++)
		load_stamp(&l);
	pthread_join(c.thread, NULL);
	CHECK(t, !c.failed, "%d of 300 buffers", c.failed);
}

static const struct test_case cases[] = {
	{ .name = "jobs_of_a_file_run_in_order", .run = jobs_of_a_file_run_in_order },
	{ .name = "jobs_of_one_submit_run_in_order", .run = jobs_of_one_submit_run_in_order },
	{ .name = "tasks_of_a_job_run_in_order", .run = tasks_of_a_job_run_in_order },
	{ .name = "results_between_are_there_as_well", .run = results_between_are_there_as_well },
	{ .name = "close_with_jobs_in_flight",
	  .run = close_with_jobs_in_flight,
	  .expects = EXPECT_CLOSE_IN_FLIGHT,
	  .seconds = 120 },
	{ .name = "close_right_after_the_wait",
	  .run = close_right_after_the_wait,
	  .expects = EXPECT_CLOSE_IN_FLIGHT,
	  .seconds = 120 },
	{ .name = "munmap_with_a_job_in_flight", .run = munmap_with_a_job_in_flight },
	{ .name = "handles_closed_with_a_job_in_flight",
	  .run = handles_closed_with_a_job_in_flight },
	{ .name = "threads_with_a_file_each", .run = threads_with_a_file_each, .seconds = 120 },
	{ .name = "threads_with_one_file", .run = threads_with_one_file, .seconds = 120 },
	{ .name = "buffers_made_and_freed_while_jobs_run",
	  .run = buffers_made_and_freed_while_jobs_run },
};

struct test_table order_cases(void)
{
	return TEST_TABLE(cases);
}

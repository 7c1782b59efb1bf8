// SPDX-License-Identifier: LGPL-2.1-or-later
/* Many clients at once. The driver has no priorities. */
#include "concurrency.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "crew.h"

/* More clients than cores, of several shapes. */
static void clients_16_with_a_file_each(struct test *t)
{
	static const struct matmul shapes[] = {
		{ .type = FP16_TO_FP16, .m = 4, .k = 64, .n = 32 },
		{ .type = INT8_TO_INT32, .m = 8, .k = 64, .n = 32 },
		{ .type = FP16_TO_FP32, .m = 16, .k = 32, .n = 16 },
	};
	const struct crew crew = { .members = 16,
				   .shapes = shapes,
				   .n_shapes = sizeof(shapes) / sizeof(shapes[0]),
				   .rounds = test_rounds(t, 15, 2000) };

	crew_run(t, &crew);
}

static void threads_with_one_file(struct test *t)
{
	struct crew crew = { .members = 5,
			     .shapes = &small_matmul,
			     .n_shapes = 1,
			     .rounds = test_rounds(t, 40, 2000),
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

/* ---- order ---- */

#define CORES       3
#define LATER       8 /* jobs of each file that comes later */
#define EARLY_TASKS 64

/* A file with one job. */
static bool make(struct test *t, struct load *l, const struct matmul *shape, unsigned tasks)
{
	return load_make(l, t, test_file(t), shape, tasks, LOAD_INTEGERS);
}

/* The job of each core's load, n times. */
static bool submit(struct test *t, struct load *l, unsigned n)
{
	for (unsigned i = 0; i < CORES * n; i++)
		if (!CHECK(t, !load_submit(&l[i / n]), "SUBMIT"))
			return false;
	return true;
}

static bool all_unfinished(const struct load *l)
{
	for (unsigned i = 0; i < CORES; i++)
		if (!load_unfinished(&l[i]))
			return false;
	return true;
}

/*
 * While every core is kept busy by a job that hangs, a job comes for each, then more from other
 * files. When the last of those has ended, the first are over: they are long, so that one which
 * only begins then is seen.
 */
static void jobs_are_not_overtaken_by_later_ones(struct test *t)
{
	static const struct matmul large = { .type = FP16_TO_FP16, .m = 64, .k = 256, .n = 64 };
	struct load *hung = test_alloc(t, 3 * CORES * sizeof(*hung));
	struct load *early = &hung[CORES], *later = &hung[2 * CORES];
	bool over = true, in_time;

	REQUIRE(t, hung, "no memory");
	for (unsigned i = 0; i < CORES; i++) {
		REQUIRE(t, make(t, &hung[i], &small_matmul, 1), "no job");
		load_hang(&hung[i], 0);
		REQUIRE(t, make(t, &early[i], &large, EARLY_TASKS), "no job");
		REQUIRE(t, make(t, &later[i], &small_matmul, 1), "no job");
	}
	REQUIRE(t, submit(t, hung, 1) && submit(t, early, 1) && submit(t, later, LATER), "no job");
	in_time = all_unfinished(hung);
	for (unsigned i = 0; i < CORES; i++)
		CHECK(t, !load_wait(&later[i], 20 * SECOND), "later job %u", i);
	for (unsigned i = 0; i < CORES; i++)
		over = !load_wait(&early[i], 0) && over;
	/* Cores that were free before the last job came may have shared them otherwise. */
	CHECK(t, over || !in_time, "a job was overtaken");
	for (unsigned i = 0; i < CORES; i++) {
		CHECK(t, load_judge(&later[i], 1), "later job %u", i);
		CHECK(t, !over || load_slot_right(&early[i], EARLY_TASKS - 1), "early job %u", i);
	}
	if (!in_time)
		test_skip(t, "the hung jobs ended before the others were submitted");
}

static const struct test_case cases[] = {
	{ .name = "clients_16_with_a_file_each",
	  .run = clients_16_with_a_file_each,
	  .seconds = 120 },
	{ .name = "threads_with_one_file", .run = threads_with_one_file, .seconds = 120 },
	{ .name = "buffers_made_and_freed_while_jobs_run",
	  .run = buffers_made_and_freed_while_jobs_run },
	{ .name = "jobs_are_not_overtaken_by_later_ones",
	  .run = jobs_are_not_overtaken_by_later_ones,
	  .log = KLOG_TIMEOUT },
};

struct test_table client_cases(void)
{
	return TEST_TABLE(cases);
}

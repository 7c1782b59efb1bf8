// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What 64 tasks cost, as counts: of the virtual board's cores, and of the kernel's scheduler where
 * tracefs tells. A line "counts: NAME VALUE, ..." for each way of submitting them; virt/counts
 * makes a table of it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cores.h"
#include "knobs.h"
#include "load.h"
#include "sysfs.h"

#define TASKS   64
#define TRACING "/sys/kernel/tracing/"

/* ---- the scheduler, by its trace events ---- */

static const char *const events[] = { "events/gpu_scheduler/drm_sched_job_run/enable",
				      "events/workqueue/workqueue_execute_start/enable" };

static bool trace(bool on)
{
	char path[128];

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		snprintf(path, sizeof(path), TRACING "%s", events[i]);
		if (sysfs_write(path, on ? "1" : "0"))
			return false;
	}
	return true;
}

/* Opening it to be written empties it. */
static void trace_clear(void)
{
	FILE *f = fopen(TRACING "trace", "w");

	if (f)
		fclose(f);
}

struct scheduled {
	unsigned jobs;    /* handed to a core by the scheduler */
	unsigned workers; /* times that one of its workers ran */
};

static struct scheduled traced(void)
{
	FILE *f = fopen(TRACING "trace", "r");
	struct scheduled s = { 0 };
	char line[1024];

	while (f && fgets(line, sizeof(line), f)) {
		s.jobs += strstr(line, " drm_sched_job_run: ") != NULL;
		s.workers += strstr(line, " workqueue_execute_start: ") &&
			     strstr(line, "function drm_sched_");
	}
	if (f)
		fclose(f);
	return s;
}

/* ---- ways to submit ---- */

struct way {
	unsigned submits, jobs; /* jobs of each submit; the tasks are shared out */
	bool batched;
};

static int submit(struct load *l, const struct way *way)
{
	struct drm_rocket_job jobs[TASKS];
	unsigned all = way->submits * way->jobs, each = TASKS / all;
	int ret = 0;

	for (unsigned i = 0; i < all; i++) {
		jobs[i] = l->job;
		jobs[i].tasks = (uintptr_t)&l->task[i * each];
		jobs[i].task_count = each;
	}
	for (unsigned i = 0; i < way->submits && !ret; i++) {
		struct drm_rocket_submit args = { .jobs = (uintptr_t)&jobs[i * way->jobs],
						  .job_count = way->jobs,
						  .job_struct_size = sizeof(jobs[0]) };

		ret = file_submit(l->f, &args);
	}
	return ret;
}

static void count_way(struct test *t, struct load *l, struct knobs *k, const struct way *way)
{
	bool tells = trace(true);
	struct scheduled s;
	int ret;

	knob_set(k, TEST_CLEAR, TEST_CLEAR_COUNTS);
	trace_clear();
	load_stamp(l);
	ret = submit(l, way);
	REQUIRE(t, !ret, "SUBMIT: %s", strerror(-ret));
	ret = load_wait(l, 20 * SECOND);
	REQUIRE(t, !ret && load_judge(l, TASKS), "%s", strerror(-ret));
	sleep_ms(200); /* the scheduler cleans up behind it */
	s = traced();
	trace(false);
	tap_note("counts: submits %u, jobs %u, kicks %u, interrupts %u, attaches %u, writes %u, "
		 "reads %u, mmu writes %u, mmu reads %u, scheduled %d, workers %d",
		 way->submits, way->submits * way->jobs, knob_sum(k, TEST_KICKS),
		 knob_sum(k, TEST_IRQ_EDGES), knob_sum(k, TEST_ENABLES), knob_sum(k, TEST_WRITES),
		 knob_sum(k, TEST_READS), knob_sum(k, TEST_MMU_WRITES), knob_sum(k, TEST_MMU_READS),
		 tells ? (int)s.jobs : -1, tells ? (int)s.workers : -1);
	CHECK(t, knob_sum(k, TEST_KICKS) == (way->batched ? 1 : TASKS), "%u kicks",
	      knob_sum(k, TEST_KICKS));
}

/* The cores are awake, and each has seen the file: what a wake-up costs is not counted. */
static void counts(struct test *t)
{
	const struct way *way = t->as->arg;
	struct cores c;
	struct knobs k;
	struct load l;

	if (!cores_find(t, &c) || !knobs_open(t, &k))
		return;
	cores_write(&c, "power/control", "on");
	if (load_make(&l, t, test_file(t), &small_matmul, TASKS, LOAD_INTEGERS)) {
		for (unsigned i = 0; i < 2 * BOARD_CORES && load_run_right(&l); i++)
			load_stamp(&l);
		if (way->batched)
			load_chain(&l);
		if (!test_failed(t))
			count_way(t, &l, &k, way);
	}
	cores_write(&c, "power/control", "auto");
	knobs_close(&k);
}

#define WAY(...)                                                                                   \
	&(const struct way)                                                                        \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

static const struct test_case cases[] = {
	{ .name = "submits_of_one_job",
	  .run = counts,
	  .arg = WAY(TASKS, 1, false),
	  .needs = NEED_ROOT },
	{ .name = "submit_of_64_jobs",
	  .run = counts,
	  .arg = WAY(1, TASKS, false),
	  .needs = NEED_ROOT },
	{ .name = "job_of_64_tasks", .run = counts, .arg = WAY(1, 1, false), .needs = NEED_ROOT },
	{ .name = "batch_of_64_tasks",
	  .run = counts,
	  .arg = WAY(1, 1, true),
	  .expects = EXPECT_BATCH,
	  .needs = NEED_ROOT },
};

int main(int argc, char **argv)
{
	const struct test_table table = TEST_TABLE(cases);

	return test_main(argc, argv, &table, 1);
}

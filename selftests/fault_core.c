// SPDX-License-Identifier: LGPL-2.1-or-later
/* The core, the other clients and the kernel after a job has failed; no knobs needed. */
#include "fault.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "crew.h"

#define NOWHERE 0x7ff00000u
#define CORES   3

/* A job whose only task writes where nothing is mapped. */
static bool make_faulting(struct load *l, struct test *t, struct file *f)
{
	struct matmul mm;

	if (!load_make(l, t, f, &small_matmul, 1, LOAD_INTEGERS))
		return false;
	mm = load_matmul(l, 0);
	mm.out = NOWHERE;
	matmul_program(&mm, load_words(l, 0));
	return CHECK(t, !file_fini(f, l->prog->handle), "FINI_BO");
}

/* A good job on each core, by as many files as it takes to meet all of them. */
static void all_cores_work(struct test *t)
{
	struct load l[CORES + 1];

	for (int i = 0; i <= CORES; i++)
		REQUIRE(t,
			load_make(&l[i], t, test_file(t), &small_matmul, 8, LOAD_INTEGERS) &&
				!load_submit(&l[i]),
			"no job");
	for (int i = 0; i <= CORES; i++) {
		int ret = load_wait(&l[i], 20 * SECOND);

		CHECK(t, !ret && load_judge(&l[i], 8), "file %d: %s", i, strerror(-ret));
	}
}

/* Each ends by one timeout; an MMU that does not answer shows in the kernel's log. */
static void faults_again_and_again(struct test *t)
{
	unsigned rounds = test_rounds(t, 4, 30);
	struct file *f = test_file(t);
	struct load bad, good;
	int ret;

	REQUIRE(t, make_faulting(&bad, t, f), "no job");
	REQUIRE(t, load_make(&good, t, f, &small_matmul, 2, LOAD_INTEGERS), "no job");
	for (unsigned i = 0; i < rounds; i++) {
		bad.task[0].regcmd = i % 2 ? NOWHERE : bad.prog->dma; /* read and write faults */
		REQUIRE(t, !load_submit(&bad), "SUBMIT");
		ret = load_wait(&bad, 10 * SECOND);
		CHECK(t, load_failed_as_told(&bad, ret), "round %u: %s", i, strerror(-ret));
		load_stamp(&good);
		REQUIRE(t, load_run_right(&good), "round %u: the next job", i);
	}
}

static void cores_fail_at_once(struct test *t)
{
	struct load l[CORES];
	int64_t start = now_ns();

	for (int i = 0; i < CORES; i++) {
		REQUIRE(t, make_faulting(&l[i], t, test_file(t)), "no job");
		if (i == 1)
			load_hang(&l[i], 0);
	}
	for (int i = 0; i < CORES; i++)
		REQUIRE(t, !load_submit(&l[i]), "SUBMIT");
	for (int i = 0; i < CORES; i++) {
		int ret = load_wait(&l[i], 10 * SECOND);

		CHECK(t, load_failed_as_told(&l[i], ret), "file %d: %s", i, strerror(-ret));
	}
	CHECK(t, now_ns() - start < 10 * job_timeout(t), "one after the other");
	all_cores_work(t);
}

struct troublemaker {
	pthread_t thread;
	struct load *load;
	unsigned rounds;
	int told; /* times that the failure came back to it */
};

static void *make_trouble(void *arg)
{
	struct troublemaker *m = arg;

	for (unsigned i = 0; i < m->rounds; i++)
		if (!load_submit(m->load))
			m->told += load_wait(m->load, 10 * SECOND) != 0;
	return NULL;
}

/* While one client does nothing but fail, the others' results and waits are good. */
static void others_work_while_one_fails(struct test *t)
{
	const struct crew crew = {
		.members = 4, .shapes = &small_matmul, .n_shapes = 1, .rounds = 30
	};
	struct troublemaker m = { .rounds = test_rounds(t, 2, 20) };
	bool hidden = expectation_unmet(EXPECT_JOB_ERRORS, t->node->major, t->node->minor);
	struct load bad;

	REQUIRE(t, make_faulting(&bad, t, test_file(t)), "no job");
	m.load = &bad;
	REQUIRE(t, !pthread_create(&m.thread, NULL, make_trouble, &m), "no thread");
	crew_run(t, &crew); /* every error there is a failure of this test */
	pthread_join(m.thread, NULL);
	CHECK(t, hidden || m.told == (int)m.rounds, "told %d of %u times", m.told, m.rounds);
}

/* Who reads what a failed job was to write has no good result either, and gets to know. */
static void failure_passes_on_to_readers(struct test *t)
{
	struct file *f = test_file(t);
	struct load bad, reader, bystander;
	uint32_t in[4];
	int ret;

	REQUIRE(t, load_make(&bad, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	REQUIRE(t, load_make(&reader, t, f, &small_matmul, 2, LOAD_INTEGERS), "no job");
	REQUIRE(t, load_make(&bystander, t, f, &small_matmul, 2, LOAD_INTEGERS), "no job");
	load_hang(&bad, 0);
	memcpy(in, reader.in_handles, sizeof(reader.in_handles));
	in[3] = bad.out->handle;
	reader.job.in_bo_handles = (uintptr_t)in;
	reader.job.in_bo_handle_count = 4;
	REQUIRE(t, !load_submit(&bad) && !load_submit(&reader) && !load_submit(&bystander),
		"SUBMIT");
	ret = load_wait(&reader, 10 * SECOND);
	CHECK(t, ret == -EIO, "reader: %s", strerror(-ret));
	CHECK(t, load_judge(&reader, 2), "it runs all the same");
	ret = load_wait(&bystander, 10 * SECOND);
	CHECK(t, !ret && load_judge(&bystander, 2), "bystander: %s", strerror(-ret));
}

/* Until the buffer is written by a new job, or handed back. */
static void failure_stays_with_the_buffer(struct test *t)
{
	struct file *f = test_file(t);
	struct load bad, good;
	int ret;

	REQUIRE(t, load_make(&bad, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	REQUIRE(t, load_make(&good, t, f, &small_matmul, 2, LOAD_INTEGERS), "no job");
	load_hang(&bad, 0);
	bad.out_handles[0] = good.out->handle;
	for (int way = 0; way < 2; way++) {
		REQUIRE(t, !load_submit(&bad), "SUBMIT");
		for (int again = 0; again < 2; again++) {
			ret = load_wait(&good, 10 * SECOND);
			CHECK(t, ret == -EIO, "way %d, time %d: %s", way, again, strerror(-ret));
		}
		if (way) {
			CHECK(t, !file_fini(f, good.out->handle), "FINI_BO");
			ret = load_wait(&good, 0);
			CHECK(t, !ret, "handed back: %s", strerror(-ret));
		} else {
			REQUIRE(t, !load_submit(&good), "SUBMIT");
			ret = load_wait(&good, 10 * SECOND);
			CHECK(t, !ret && load_judge(&good, 2), "written: %s", strerror(-ret));
		}
	}
}

/* The timeout is for a task that does not end, not for a job that is long. */
static void long_job_that_moves_on_survives(struct test *t)
{
	enum { PROBE = 512, MOST = 65535 };
	struct drm_rocket_task *tasks = test_alloc(t, MOST * sizeof(*tasks));
	int64_t start, each, timeout = job_timeout(t), took;
	struct load l;
	int ret;

	REQUIRE(t, tasks && load_make(&l, t, test_file(t), &small_matmul, 1, LOAD_INTEGERS),
		"no job");
	for (int i = 0; i < MOST; i++)
		tasks[i] = l.task[0]; /* the same slot again and again */
	l.job.tasks = (uintptr_t)tasks;
	l.job.task_count = PROBE;
	start = now_ns();
	REQUIRE(t, load_run_right(&l), "%d tasks", PROBE);
	each = (now_ns() - start) / PROBE + 1;
	if (each * MOST < timeout * 3 / 2) {
		test_skip(t, "%d tasks take less than the timeout here", MOST);
		return;
	}
	l.job.task_count = (uint32_t)(timeout * 2 / each < MOST ? timeout * 2 / each : MOST);
	load_stamp(&l);
	start = now_ns();
	REQUIRE(t, !load_submit(&l), "SUBMIT");
	ret = load_wait(&l, 100 * SECOND);
	took = now_ns() - start;
	CHECK(t, !ret && load_judge(&l, 1), "PREP_BO: %s", strerror(-ret));
	if (took < timeout)
		test_skip(t, "%u tasks took less than the timeout", l.job.task_count);
}

static const struct test_case cases[] = {
	{ .name = "faults_again_and_again",
	  .run = faults_again_and_again,
	  .expects = EXPECT_MMU_ANSWERS,
	  .log = KLOG_TIMEOUT | KLOG_FAULT,
	  .seconds = 60 },
	{ .name = "cores_fail_at_once",
	  .run = cores_fail_at_once,
	  .log = KLOG_TIMEOUT | KLOG_FAULT },
	{ .name = "others_work_while_one_fails",
	  .run = others_work_while_one_fails,
	  .log = KLOG_TIMEOUT | KLOG_FAULT,
	  .seconds = 120 },
	{ .name = "failure_passes_on_to_readers",
	  .run = failure_passes_on_to_readers,
	  .expects = EXPECT_JOB_ERRORS,
	  .log = KLOG_TIMEOUT },
	{ .name = "failure_stays_with_the_buffer",
	  .run = failure_stays_with_the_buffer,
	  .expects = EXPECT_JOB_ERRORS,
	  .log = KLOG_TIMEOUT },
	{ .name = "long_job_that_moves_on_survives",
	  .run = long_job_that_moves_on_survives,
	  .expects = EXPECT_LONG_JOBS,
	  .seconds = 120 },
};

struct test_table core_fault_cases(void)
{
	return TEST_TABLE(cases);
}

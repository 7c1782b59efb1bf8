// SPDX-License-Identifier: LGPL-2.1-or-later
/* Jobs that fail: how that is told, and what the next job finds. */
#include "fault.h"

#include <errno.h>
#include <string.h>

#include "load.h"

/* Far from anything a test allocates. */
#define NOWHERE 0x7ff00000u

static bool told_as_failed(int ret)
{
	return ret == -EIO;
}

/* Write task's program again with other addresses. */
static void readdress(struct load *l, unsigned task, const struct matmul *mm)
{
	matmul_program(mm, load_words(l, task));
	file_fini(l->f, l->prog->handle);
}

/* ---- ways to break a task ---- */

static void break_program_address(struct load *l, unsigned task)
{
	l->task[task].regcmd = NOWHERE;
}

static void break_features(struct load *l, unsigned task)
{
	struct matmul mm = load_matmul(l, task);

	mm.in = NOWHERE;
	readdress(l, task, &mm);
}

static void break_weights(struct load *l, unsigned task)
{
	struct matmul mm = load_matmul(l, task);

	mm.wt = NOWHERE;
	readdress(l, task, &mm);
}

static void break_output(struct load *l, unsigned task)
{
	struct matmul mm = load_matmul(l, task);

	mm.out = NOWHERE;
	readdress(l, task, &mm);
}

/* Nothing but zero words: no block is ever started. */
static void break_empty(struct load *l, unsigned task)
{
	memset(load_words(l, task), 0, MATMUL_BYTES);
	file_fini(l->f, l->prog->handle);
}

/* The count ends before the word that starts the blocks. */
static void break_count(struct load *l, unsigned task)
{
	l->task[task].regcmd_count = 64;
}

struct way {
	const char *name;
	void (*apply)(struct load *l, unsigned task);
	bool may_write; /* the task itself, before it is stopped */
};

static const struct way ways[] = {
	{ "hang", load_hang, false },
	{ "program unmapped", break_program_address, false },
	{ "features unmapped", break_features, true },
	{ "weights unmapped", break_weights, true },
	{ "output unmapped", break_output, false },
	{ "empty program", break_empty, false },
	{ "count too small", break_count, false },
};

/* Run a job of three tasks whose middle one is broken. Returns what PREP_BO said. */
static int run_broken(struct test *t, struct load *l, const struct way *way)
{
	int ret;

	if (!load_make(l, t, test_file(t), &small_matmul, 3, LOAD_INTEGERS))
		return -ENOMEM;
	way->apply(l, 1);
	ret = load_submit(l);
	if (!CHECK(t, !ret, "%s: SUBMIT: %s", way->name, strerror(-ret)))
		return ret;
	return load_wait(l, 10 * SECOND);
}

static void failed_job_is_told(struct test *t)
{
	struct load l;
	int ret = run_broken(t, &l, t->as->arg);

	CHECK(t, told_as_failed(ret), "PREP_BO: %s", strerror(-ret));
}

/*
 * Tasks before the bad one have run, those behind it have not; the error belongs to the
 * job, not to its buffers or its file.
 */
static void failed_job_harms_nothing_else(struct test *t)
{
	const struct way *way = t->as->arg;
	struct load l, next;

	run_broken(t, &l, way);
	REQUIRE(t, !test_failed(t), "no job");
	CHECK(t, load_slot_right(&l, 0), "the task before it");
	CHECK(t, way->may_write || load_slot_untouched(&l, 1), "the bad task");
	CHECK(t, load_slot_untouched(&l, 2), "the task behind it");

	REQUIRE(t, load_make(&next, t, l.f, &small_matmul, 3, LOAD_INTEGERS), "no job");
	CHECK(t, load_run_right(&next), "the next job");
	for (unsigned i = 0; i < 3; i++) { /* the same buffers, repaired */
		struct matmul mm = load_matmul(&l, i);

		l.task[i].regcmd = l.prog->dma + (uint32_t)(i * l.prog_step);
		l.task[i].regcmd_count = MATMUL_WORDS;
		readdress(&l, i, &mm);
	}
	load_stamp(&l);
	CHECK(t, load_run_right(&l), "the same job, repaired");
}

static void failed_job_leaves_other_files_usable(struct test *t)
{
	struct load broken, before, after;
	int ret;

	REQUIRE(t, load_make(&before, t, test_file(t), &small_matmul, 3, LOAD_INTEGERS), "no job");
	REQUIRE(t, !load_submit(&before), "SUBMIT");
	run_broken(t, &broken, t->as->arg);
	ret = load_wait(&before, 10 * SECOND);
	CHECK(t, !ret && load_judge(&before, 3), "job before it: %s", strerror(-ret));
	for (int i = 0; i < 4; i++) { /* one of them on the same core */
		REQUIRE(t, load_make(&after, t, test_file(t), &small_matmul, 3, LOAD_INTEGERS),
			"no job");
		CHECK(t, load_run_right(&after), "file %d", i);
	}
}

static void failed_job_lets_queued_jobs_run(struct test *t)
{
	struct file *f = test_file(t);
	struct load bad, queued[4];
	int ret;

	REQUIRE(t, load_make(&bad, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	load_hang(&bad, 0);
	for (int i = 0; i < 4; i++)
		REQUIRE(t, load_make(&queued[i], t, f, &small_matmul, 2, LOAD_INTEGERS), "no job");
	REQUIRE(t, !load_submit(&bad), "SUBMIT");
	for (int i = 0; i < 4; i++)
		REQUIRE(t, !load_submit(&queued[i]), "SUBMIT");
	for (int i = 0; i < 4; i++) {
		ret = load_wait(&queued[i], 10 * SECOND);
		CHECK(t, !ret && load_judge(&queued[i], 2), "job %d: %s", i, strerror(-ret));
	}
	CHECK(t, load_judge(&bad, 0), "the hung job wrote");
}

/* Other work makes it later, never earlier: in time once is enough. */
static void hung_job_retired_after_the_timeout(struct test *t)
{
	int64_t timeout = job_timeout(t) / MS, took = 0;
	struct file *f = test_file(t);
	struct load l;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	load_hang(&l, 0);
	for (int i = 0; i < 5 && (!took || took >= 3 * timeout); i++) {
		int64_t start = now_ns();

		REQUIRE(t, !load_submit(&l), "SUBMIT");
		load_wait(&l, 10 * SECOND);
		took = (now_ns() - start) / MS;
		CHECK(t, took >= timeout * 4 / 5, "after %lld ms", (long long)took);
	}
	CHECK(t, took < 3 * timeout, "after %lld ms", (long long)took);
}

static void failed_jobs_one_after_the_other(struct test *t)
{
	struct file *f = test_file(t);
	struct load bad, good;
	int ret;

	REQUIRE(t, load_make(&bad, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	REQUIRE(t, load_make(&good, t, f, &small_matmul, 2, LOAD_INTEGERS), "no job");
	load_hang(&bad, 0);
	for (int i = 0; i < 4; i++) {
		REQUIRE(t, !load_submit(&bad), "SUBMIT");
		ret = load_wait(&bad, 10 * SECOND);
		CHECK(t, told_as_failed(ret), "time %d: %s", i, strerror(-ret));
		load_stamp(&good);
		REQUIRE(t, load_run_right(&good), "good job %d", i);
	}
}

static void close_with_a_hung_job_in_flight(struct test *t)
{
	struct file *f = test_file(t);
	struct load l, next;
	int64_t start;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	load_hang(&l, 0);
	REQUIRE(t, !load_submit(&l) && !load_submit(&l), "SUBMIT");
	start = now_ns();
	REQUIRE(t, !test_file_close(f), "close");
	CHECK(t, now_ns() - start < 5 * SECOND, "close took %lld ms",
	      (long long)((now_ns() - start) / MS));
	for (int i = 0; i < 4; i++) {
		REQUIRE(t, load_make(&next, t, test_file(t), &small_matmul, 2, LOAD_INTEGERS),
			"no job");
		CHECK(t, load_run_right(&next), "file %d", i);
	}
}

/* ---- addresses that are not this file's, or not any more ---- */

static void address_of_another_file_fails(struct test *t)
{
	struct file *f = test_file(t), *other = test_file(t);
	struct bo *foreign = NULL;
	struct matmul mm;
	struct load l;
	int ret;

	REQUIRE(t, other && load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	for (int i = 0; i < 8; i++) {
		foreign = test_bo(t, other, 1u << 20);
		REQUIRE(t, foreign, "no buffer");
		memset(foreign->map, 0x77, foreign->size);
		file_fini(other, foreign->handle);
	}
	mm = l.mm;
	mm.out = foreign->dma;
	readdress(&l, 0, &mm);
	REQUIRE(t, !load_submit(&l), "SUBMIT");
	ret = load_wait(&l, 10 * SECOND);
	for (uint32_t i = 0; i < foreign->size; i++)
		REQUIRE(t, ((unsigned char *)foreign->map)[i] == 0x77,
			"byte %u of another file's buffer was written", i);
	CHECK(t, load_failed_as_told(&l, ret), "PREP_BO: %s", strerror(-ret));
}

static void address_of_a_freed_buffer_fails(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *freed;
	struct matmul mm;
	struct load l;
	int ret;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	freed = test_bo(t, f, 1u << 20);
	REQUIRE(t, freed, "no buffer");
	mm = l.mm;
	mm.out = freed->dma;
	readdress(&l, 0, &mm);
	bo_unmap(f, freed);
	REQUIRE(t, !bo_close_handle(f, freed), "GEM_CLOSE");
	REQUIRE(t, !load_submit(&l), "SUBMIT");
	ret = load_wait(&l, 10 * SECOND);
	CHECK(t, told_as_failed(ret), "PREP_BO: %s", strerror(-ret));
}

#define WAY_TESTS(i, what)                                                                         \
	{ .name = what "_is_told",                                                                 \
	  .log = KLOG_TIMEOUT | KLOG_FAULT,                                                        \
	  .run = failed_job_is_told,                                                               \
	  .arg = &ways[i],                                                                         \
	  .expects = EXPECT_JOB_ERRORS },                                                          \
	{                                                                                          \
		.name = what "_harms_nothing_else", .log = KLOG_TIMEOUT | KLOG_FAULT,              \
		.run = failed_job_harms_nothing_else, .arg = &ways[i]                              \
	}

static const struct test_case cases[] = {
	WAY_TESTS(0, "hang"),
	WAY_TESTS(1, "program_unmapped"),
	WAY_TESTS(2, "features_unmapped"),
	WAY_TESTS(3, "weights_unmapped"),
	WAY_TESTS(4, "output_unmapped"),
	WAY_TESTS(5, "program_empty"),
	WAY_TESTS(6, "program_count_too_small"),
	{ .name = "hang_leaves_other_files_usable",
	  .log = KLOG_TIMEOUT | KLOG_FAULT,
	  .run = failed_job_leaves_other_files_usable,
	  .arg = &ways[0] },
	{ .name = "output_unmapped_leaves_other_files_usable",
	  .log = KLOG_TIMEOUT | KLOG_FAULT,
	  .run = failed_job_leaves_other_files_usable,
	  .arg = &ways[4] },
	{ .name = "failed_job_lets_queued_jobs_run",
	  .log = KLOG_TIMEOUT | KLOG_FAULT,
	  .run = failed_job_lets_queued_jobs_run },
	{ .name = "failed_jobs_one_after_the_other",
	  .log = KLOG_TIMEOUT | KLOG_FAULT,
	  .run = failed_jobs_one_after_the_other,
	  .expects = EXPECT_JOB_ERRORS },
	{ .name = "hung_job_retired_after_the_timeout",
	  .log = KLOG_TIMEOUT | KLOG_FAULT,
	  .run = hung_job_retired_after_the_timeout },
	{ .name = "close_with_a_hung_job_in_flight",
	  .log = KLOG_TIMEOUT | KLOG_FAULT,
	  .run = close_with_a_hung_job_in_flight,
	  .expects = EXPECT_CLOSE_IN_FLIGHT },
	{ .name = "address_of_another_file_fails",
	  .log = KLOG_TIMEOUT | KLOG_FAULT,
	  .run = address_of_another_file_fails },
	{ .name = "address_of_a_freed_buffer_fails",
	  .log = KLOG_TIMEOUT | KLOG_FAULT,
	  .run = address_of_a_freed_buffer_fails,
	  .expects = EXPECT_JOB_ERRORS },
};

struct test_table job_fault_cases(void)
{
	return TEST_TABLE(cases);
}

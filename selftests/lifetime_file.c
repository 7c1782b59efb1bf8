// SPDX-License-Identifier: LGPL-2.1-or-later
/* Files and mappings that go while a job is in flight. */
#include "lifetime.h"

#include <errno.h>
#include <string.h>

#include "load.h"

/* In the long form the 10,000 rounds after which what leaks or races has shown itself. */
static void close_with_jobs_in_flight(struct test *t)
{
	unsigned rounds = test_rounds(t, 200, 10000);
	struct load l;

	for (unsigned i = 0; i < rounds; i++) {
		struct file *f = test_file(t);

		REQUIRE(t, load_make(&l, t, f, &small_matmul, 3, LOAD_INTEGERS), "round %u", i);
		for (int job = 0; job < 4; job++)
			REQUIRE(t, !load_submit(&l), "round %u: SUBMIT", i);
		REQUIRE(t, !test_file_close(f), "round %u: close", i);
	}
	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 3, LOAD_INTEGERS), "no job");
	CHECK(t, load_run_right(&l), "good job afterwards");
}

/* The wait is over, the job's references may not be. */
static void close_right_after_the_wait(struct test *t)
{
	unsigned rounds = test_rounds(t, 200, 10000);
	struct load l;

	for (unsigned i = 0; i < rounds; i++) {
		struct file *f = test_file(t);

		REQUIRE(t, load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "round %u", i);
		REQUIRE(t, load_run_right(&l), "round %u", i);
		REQUIRE(t, !test_file_close(f), "round %u: close", i);
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

/* Closing waits for no more than the job that runs; whatever was queued is gone with the file. */
static void close_with_hung_jobs_queued(struct test *t)
{
	struct file *f = test_file(t);
	int64_t start, took, timeout = job_timeout(t);
	struct load l, next;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	load_hang(&l, 0);
	for (int i = 0; i < 3; i++)
		REQUIRE(t, !load_submit(&l), "SUBMIT");
	start = now_ns();
	REQUIRE(t, !test_file_close(f), "close");
	took = now_ns() - start;
	CHECK(t, took < 5 * timeout, "close took %lld ms", (long long)(took / MS));
	REQUIRE(t, load_make(&next, t, test_file(t), &small_matmul, 2, LOAD_INTEGERS), "no job");
	CHECK(t, load_run_right(&next), "another file");
	sleep_ms((unsigned)(timeout / MS * 3 / 2)); /* the last one ends by its timeout */
}

/* A file may come and go without a job, and without being used at all. */
static void files_opened_and_closed_idle(struct test *t)
{
	unsigned rounds = test_rounds(t, 300, 10000);

	for (unsigned i = 0; i < rounds; i++) {
		struct file *f = test_file(t);

		REQUIRE(t, f && (i % 2 || test_bo(t, f, PAGE)), "round %u", i);
		REQUIRE(t, !test_file_close(f), "round %u: close", i);
	}
}

static const struct test_case cases[] = {
	{ .name = "close_with_jobs_in_flight",
	  .run = close_with_jobs_in_flight,
	  .expects = EXPECT_CLOSE_IN_FLIGHT,
	  .seconds = 120 },
	{ .name = "close_right_after_the_wait",
	  .run = close_right_after_the_wait,
	  .expects = EXPECT_CLOSE_IN_FLIGHT,
	  .seconds = 120 },
	{ .name = "close_with_hung_jobs_queued",
	  .run = close_with_hung_jobs_queued,
	  .expects = EXPECT_CLOSE_IN_FLIGHT,
	  .log = KLOG_TIMEOUT },
	{ .name = "files_opened_and_closed_idle", .run = files_opened_and_closed_idle },
	{ .name = "munmap_with_a_job_in_flight", .run = munmap_with_a_job_in_flight },
	{ .name = "handles_closed_with_a_job_in_flight",
	  .run = handles_closed_with_a_job_in_flight,
	  .log = KLOG_TIMEOUT },
};

struct test_table file_cases(void)
{
	return TEST_TABLE(cases);
}

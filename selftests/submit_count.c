// SPDX-License-Identifier: LGPL-2.1-or-later
/* How many: task arrays, handle lists, jobs; and which handles. */
#include "submit.h"

#include <errno.h>
#include <string.h>

#include "load.h"

/* The smallest task: its time is all overhead. */
static const struct matmul tiny = { .type = FP16_TO_FP16, .m = 4, .k = 32, .n = 16 };

static void run_length(struct test *t, struct load *l, unsigned length)
{
	int ret;

	l->job.task_count = length;
	ret = load_submit(l);
	REQUIRE(t, !ret, "%u tasks: SUBMIT: %s", length, strerror(-ret));
	ret = load_wait(l, 20 * SECOND);
	REQUIRE(t, !ret, "%u tasks: PREP_BO: %s", length, strerror(-ret));
	CHECK(t, load_judge(l, length), "%u tasks", length);
}

static void task_arrays_of_1_to_130(struct test *t)
{
	struct file *f = test_file(t);
	struct load l;

	REQUIRE(t, load_make(&l, t, f, &tiny, 130, LOAD_INTEGERS), "no job");
	for (unsigned length = 1; length <= 130 && !test_failed(t); length++) {
		load_stamp(&l);
		run_length(t, &l, length);
	}
}

static void task_array_of_length(struct test *t)
{
	const unsigned *length = t->as->arg;
	struct file *f = test_file(t);
	struct load l;

	REQUIRE(t, load_make(&l, t, f, &tiny, *length, LOAD_INTEGERS), "no job");
	run_length(t, &l, *length);
}

#define LENGTH(n)                                                                                  \
	&(const unsigned)                                                                          \
	{                                                                                          \
		n                                                                                  \
	}

/* More tasks than a job may have, all of them good. */
static void task_array_of_65536_refused(struct test *t)
{
	const unsigned length = 65536;
	struct file *f = test_file(t);
	struct drm_rocket_task *tasks = test_alloc(t, length * sizeof(*tasks));
	struct load l;
	int ret;

	REQUIRE(t, tasks && load_make(&l, t, f, &tiny, 1, LOAD_INTEGERS), "no job");
	for (unsigned i = 0; i < length; i++)
		tasks[i] = l.task[0];
	l.job.tasks = (uintptr_t)tasks;
	l.job.task_count = length;
	ret = load_submit(&l);
	CHECK(t, ret == -EINVAL, "%s", strerror(-ret));
	CHECK(t, !load_wait(&l, 20 * SECOND) && load_judge(&l, 0), "the job ran");
}

/* Counts that no memory holds: an error at once. */
struct huge_row {
	uint32_t tasks, ins, outs; /* 0 = as it is */
};

static void counts_huge_refused(struct test *t)
{
	const struct huge_row *row = t->as->arg;
	struct file *f = test_file(t);
	struct load l;
	int64_t start;
	int ret;

	REQUIRE(t, load_make(&l, t, f, &tiny, 1, LOAD_INTEGERS), "no job");
	if (row->tasks)
		l.job.task_count = row->tasks;
	if (row->ins)
		l.job.in_bo_handle_count = row->ins;
	if (row->outs)
		l.job.out_bo_handle_count = row->outs;
	start = now_ns();
	ret = load_submit(&l);
	CHECK(t, ret == -EINVAL, "%s", strerror(-ret));
	CHECK(t, now_ns() - start < SECOND, "took %lld ms", (long long)((now_ns() - start) / MS));
	CHECK(t, !load_wait(&l, 5 * SECOND) && load_judge(&l, 0), "the job ran");
	load_stamp(&l);
	l.job.task_count = 1;
	l.job.in_bo_handle_count = 3;
	l.job.out_bo_handle_count = 1;
	CHECK(t, load_run_right(&l), "good job afterwards");
}

#define HUGE_ROW(t, i, o)                                                                          \
	&(const struct huge_row)                                                                   \
	{                                                                                          \
		t, i, o                                                                            \
	}

static void job_counts_huge_refused(struct test *t)
{
	static const uint32_t counts[] = { 1025,       0x600000,   0x4000000,
					   0x40000000, 0x80000000, 0xffffffff };
	struct file *f = test_file(t);
	struct load l;

	REQUIRE(t, load_make(&l, t, f, &tiny, 1, LOAD_INTEGERS), "no job");
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct drm_rocket_submit args = { .jobs = (uintptr_t)&l.job,
						  .job_count = counts[i],
						  .job_struct_size = sizeof(l.job) };
		int64_t start = now_ns();
		int ret = file_submit(f, &args);

		CHECK(t, ret == -EINVAL, "%u jobs: %s", counts[i], strerror(-ret));
		CHECK(t, now_ns() - start < SECOND, "%u jobs: took %lld ms", counts[i],
		      (long long)((now_ns() - start) / MS));
	}
	CHECK(t, !load_wait(&l, 5 * SECOND) && load_judge(&l, 0), "a job ran");
}

/* A file has room for so many unfinished jobs; a call finds room for all of its jobs or for none.
 * Hung jobs hold the file back for half a second each, so that even a slow machine has filled it
 * before the first of the others ends; those hung ones that have ended leave room for as many.
 */
static void jobs_unfinished_are_bounded(struct test *t)
{
	enum { HUNG = 3 };
	long most = t->node->calls->param("rocket", "rocket_max_jobs", 1024);
	struct drm_rocket_job *jobs = test_alloc(t, 512 * sizeof(*jobs));
	struct file *f = test_file(t);
	struct drm_rocket_submit args = { .jobs = (uintptr_t)jobs,
					  .job_count = 512,
					  .job_struct_size = sizeof(*jobs) };
	struct load hang[HUNG], l;
	int hung = HUNG, full = 0, filled = 0, over, more = 0;
	long taken = 0;

	REQUIRE(t, jobs && load_make(&l, t, f, &tiny, 1, LOAD_INTEGERS), "no job");
	for (int i = 0; i < 512; i++)
		jobs[i] = l.job;
	for (; taken < hung; taken++) {
		REQUIRE(t, load_make(&hang[taken], t, f, &tiny, 1, LOAD_INTEGERS), "no job");
		load_hang(&hang[taken], 0);
	}
	for (int i = 0; i < hung; i++)
		REQUIRE(t, !load_submit(&hang[i]), "SUBMIT");
	for (; taken < 2 * most && !(full = file_submit(f, &args)); taken += 512)
		;
	if (taken < most) {
		args.job_count = most - taken;
		filled = file_submit(f, &args);
	}
	while (!(over = load_submit(&l)) && more < HUNG + 1)
		more++;
	while (hung && !load_unfinished(&hang[HUNG - hung]))
		hung--;
	if (hung) {
		CHECK(t, full == -EAGAIN && taken <= most, "512 more after %ld jobs: %s", taken,
		      strerror(-full));
		CHECK(t, !filled, "the last %u: %s", args.job_count, strerror(-filled));
		CHECK(t, over == -EAGAIN && more + hung <= HUNG,
		      "%d more than %ld, while %d are hung: %s", more, most, hung, strerror(-over));
	}
	CHECK(t, !load_wait(&l, 20 * SECOND) && load_judge(&l, 1), "those that were taken");
	load_stamp(&l);
	CHECK(t, load_run_right(&l), "room again");
	if (!hung)
		test_skip(t, "the hung jobs ended before the file was full");
}

/* ---- handles ---- */

static void judge_unknown(struct test *t, struct load *l, uint32_t *place, uint32_t handle)
{
	uint32_t good = *place;
	int ret;

	*place = handle;
	ret = load_submit(l);
	*place = good;
	CHECK(t, ret == -ENOENT, "handle %#x: %s", handle, strerror(-ret));
	CHECK(t, !load_wait(l, 5 * SECOND) && load_judge(l, 0), "handle %#x: the job ran", handle);
}

static void handles_unknown_refused(struct test *t)
{
	static const uint32_t handles[] = { 0, 100, 0x7fffffff, 0x80000000, 0xffffffff };
	struct file *f = test_file(t);
	struct load l;

	REQUIRE(t, load_make(&l, t, f, &tiny, 1, LOAD_INTEGERS), "no job");
	for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); i++) {
		for (int place = 0; place < 3; place++)
			judge_unknown(t, &l, &l.in_handles[place], handles[i]);
		judge_unknown(t, &l, &l.out_handles[0], handles[i]);
	}
	CHECK(t, load_run_right(&l), "good job afterwards");
}

static void handle_closed_refused(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *gone;
	struct load l;
	uint32_t handle;

	REQUIRE(t, load_make(&l, t, f, &tiny, 1, LOAD_INTEGERS), "no job");
	gone = test_bo(t, f, PAGE);
	REQUIRE(t, gone, "no buffer");
	handle = gone->handle;
	REQUIRE(t, !bo_close_handle(f, gone), "GEM_CLOSE");
	judge_unknown(t, &l, &l.in_handles[1], handle);
	judge_unknown(t, &l, &l.out_handles[0], handle);
}

/* Handles are numbers of their file. */
static void handle_of_another_file_refused(struct test *t)
{
	struct file *f = test_file(t), *other = test_file(t);
	struct bo *foreign = NULL;
	struct load l;
	int ret;

	REQUIRE(t, other && load_make(&l, t, f, &tiny, 1, LOAD_INTEGERS), "no job");
	for (int i = 0; i < 12; i++)
		foreign = test_bo(t, other, PAGE);
	REQUIRE(t, foreign, "no buffer");
	judge_unknown(t, &l, &l.in_handles[0], foreign->handle);
	judge_unknown(t, &l, &l.out_handles[0], foreign->handle);
	ret = file_prep(f, foreign->handle, 0);
	CHECK(t, ret == -ENOENT, "PREP_BO: %s", strerror(-ret));
	ret = file_gem_close(f, foreign->handle);
	CHECK(t, ret == -EINVAL, "GEM_CLOSE: %s", strerror(-ret));
	CHECK(t, !file_prep(other, foreign->handle, 0), "its own file lost it");
}

/* Where may a handle stand twice? */
enum twice { TWICE_IN, TWICE_OUT, IN_AND_OUT };

static void handle_listed_twice(struct test *t)
{
	const enum twice *how = t->as->arg;
	struct file *f = test_file(t);
	uint32_t in[4], out[2];
	struct load l;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 3, LOAD_INTEGERS), "no job");
	memcpy(in, l.in_handles, sizeof(l.in_handles));
	in[3] = *how == IN_AND_OUT ? l.out->handle : l.in->handle;
	out[0] = out[1] = l.out->handle;
	l.job.in_bo_handles = (uintptr_t)in;
	l.job.out_bo_handles = (uintptr_t)out;
	if (*how != TWICE_OUT)
		l.job.in_bo_handle_count = 4;
	else
		l.job.out_bo_handle_count = 2;
	CHECK(t, load_run_right(&l), "the job was lost");
}

#define TWICE(how)                                                                                 \
	&(const enum twice)                                                                        \
	{                                                                                          \
		how                                                                                \
	}

static void handle_lists_long(struct test *t)
{
	struct file *f = test_file(t);
	uint32_t in[100];
	struct load l;

	REQUIRE(t, load_make(&l, t, f, &tiny, 1, LOAD_INTEGERS), "no job");
	memcpy(in, l.in_handles, sizeof(l.in_handles));
	for (int i = 3; i < 100; i++) {
		struct bo *bo = test_bo(t, f, PAGE);

		REQUIRE(t, bo, "no buffer");
		in[i] = bo->handle;
	}
	l.job.in_bo_handles = (uintptr_t)in;
	l.job.in_bo_handle_count = 100;
	CHECK(t, load_run_right(&l), "with 100 inputs");
}

static const struct test_case cases[] = {
	{ .name = "task_arrays_of_1_to_130", .run = task_arrays_of_1_to_130, .seconds = 120 },
	{ .name = "task_array_of_1000",
	  .run = task_array_of_length,
	  .arg = LENGTH(1000),
	  .expects = EXPECT_LONG_JOBS,
	  .seconds = 120 },
	{ .name = "task_array_of_4095",
	  .run = task_array_of_length,
	  .arg = LENGTH(4095),
	  .expects = EXPECT_LONG_JOBS,
	  .seconds = 120 },
	{ .name = "task_array_of_4096",
	  .run = task_array_of_length,
	  .arg = LENGTH(4096),
	  .expects = EXPECT_LONG_JOBS,
	  .seconds = 120 },
	{ .name = "task_array_of_65536_refused",
	  .run = task_array_of_65536_refused,
	  .expects = EXPECT_COUNTS_BOUNDED,
	  .seconds = 120 },
	{ .name = "task_count_of_4_gi_refused",
	  .run = counts_huge_refused,
	  .arg = HUGE_ROW(0xffffffff, 0, 0),
	  .expects = EXPECT_COUNTS_BOUNDED },
	{ .name = "task_count_of_2_gi_refused",
	  .run = counts_huge_refused,
	  .arg = HUGE_ROW(0x80000000, 0, 0),
	  .expects = EXPECT_COUNTS_BOUNDED },
	{ .name = "task_count_of_256_mi_refused",
	  .run = counts_huge_refused,
	  .arg = HUGE_ROW(0x10000000, 0, 0),
	  .expects = EXPECT_COUNTS_BOUNDED },
	{ .name = "in_handle_count_of_4_gi_refused",
	  .run = counts_huge_refused,
	  .arg = HUGE_ROW(0, 0xffffffff, 0),
	  .expects = EXPECT_COUNTS_BOUNDED },
	{ .name = "in_handle_count_of_2_gi_refused",
	  .run = counts_huge_refused,
	  .arg = HUGE_ROW(0, 0x80000000, 0),
	  .expects = EXPECT_COUNTS_BOUNDED },
	{ .name = "in_handle_count_of_65537_refused",
	  .run = counts_huge_refused,
	  .arg = HUGE_ROW(0, 65537, 0),
	  .expects = EXPECT_COUNTS_BOUNDED },
	{ .name = "out_handle_count_of_4_gi_refused",
	  .run = counts_huge_refused,
	  .arg = HUGE_ROW(0, 0, 0xffffffff),
	  .expects = EXPECT_COUNTS_BOUNDED },
	{ .name = "out_handle_count_of_2_gi_refused",
	  .run = counts_huge_refused,
	  .arg = HUGE_ROW(0, 0, 0x80000000),
	  .expects = EXPECT_COUNTS_BOUNDED },
	{ .name = "both_handle_counts_wrap_refused",
	  .run = counts_huge_refused,
	  .arg = HUGE_ROW(0, 0x80000001, 0x80000000),
	  .expects = EXPECT_COUNTS_BOUNDED },
	{ .name = "job_counts_huge_refused",
	  .run = job_counts_huge_refused,
	  .expects = EXPECT_COUNTS_BOUNDED },
	{ .name = "jobs_unfinished_are_bounded",
	  .run = jobs_unfinished_are_bounded,
	  .expects = EXPECT_JOBS_BOUNDED,
	  .log = KLOG_TIMEOUT,
	  .seconds = 60 },
	{ .name = "handles_unknown_refused",
	  .run = handles_unknown_refused,
	  .expects = EXPECT_SUBMIT_ERRORS },
	{ .name = "handle_closed_refused",
	  .run = handle_closed_refused,
	  .expects = EXPECT_SUBMIT_ERRORS },
	{ .name = "handle_of_another_file_refused",
	  .run = handle_of_another_file_refused,
	  .expects = EXPECT_SUBMIT_ERRORS },
	{ .name = "handle_twice_in_inputs",
	  .run = handle_listed_twice,
	  .arg = TWICE(TWICE_IN),
	  .expects = EXPECT_DUPLICATES },
	{ .name = "handle_twice_in_outputs",
	  .run = handle_listed_twice,
	  .arg = TWICE(TWICE_OUT),
	  .expects = EXPECT_DUPLICATES },
	{ .name = "handle_in_both_lists",
	  .run = handle_listed_twice,
	  .arg = TWICE(IN_AND_OUT),
	  .expects = EXPECT_DUPLICATES },
	{ .name = "handle_lists_long", .run = handle_lists_long },
};

struct test_table count_cases(void)
{
	return TEST_TABLE(cases);
}

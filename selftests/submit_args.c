// SPDX-License-Identifier: LGPL-2.1-or-later
#include "submit.h"

#include <errno.h>
#include <string.h>

#include "load.h"

/*
 * A descriptor of another size than ours: the known fields, then tail bytes. What the
 * call must answer is in ret; a job that is accepted must also run.
 */
struct size_row {
	uint32_t size; /* declared */
	uint8_t tail;  /* every byte behind the known fields */
	int ret;
};

#define SIZE_BUFFER 8192u

static void judge_answer(struct test *t, struct load *l, int ret, int want)
{
	REQUIRE(t, ret == want, "%s, must be: %s", strerror(-ret), strerror(-want));
	if (ret) {
		CHECK(t, !file_prep(l->f, l->out->handle, 0), "the refused job uses its buffers");
		CHECK(t, load_judge(l, 0), "the refused job ran");
		return;
	}
	ret = load_wait(l, 5 * SECOND);
	CHECK(t, !ret, "PREP_BO: %s", strerror(-ret));
	CHECK(t, load_judge(l, l->tasks), "wrong result");
}

static void job_of_declared_size(struct test *t)
{
	const struct size_row *row = t->as->arg;
	struct file *f = test_file(t);
	unsigned char *job = test_alloc(t, SIZE_BUFFER);
	struct drm_rocket_submit args = { .jobs = (uintptr_t)job,
					  .job_count = 1,
					  .job_struct_size = row->size };
	uint32_t known = row->size < sizeof(struct drm_rocket_job) ? DRM_ROCKET_JOB_SIZE_V1
								   : sizeof(struct drm_rocket_job);
	struct load l;

	REQUIRE(t, job && load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	memset(job, row->tail, SIZE_BUFFER);
	memcpy(job, &l.job, known);
	judge_answer(t, &l, file_submit(f, &args), row->ret);
}

static void tasks_of_declared_size(struct test *t)
{
	const struct size_row *row = t->as->arg;
	struct file *f = test_file(t);
	unsigned char *tasks = test_alloc(t, SIZE_BUFFER);
	unsigned n = row->size <= 64 ? 3 : 1;
	struct load l;

	REQUIRE(t, tasks && load_make(&l, t, f, &small_matmul, n, LOAD_INTEGERS), "no job");
	memset(tasks, row->tail, SIZE_BUFFER);
	for (unsigned i = 0; i < n; i++)
		memcpy(tasks + i * (size_t)(row->size <= 64 ? row->size : 0), &l.task[i],
		       sizeof(l.task[i]));
	l.job.tasks = (uintptr_t)tasks;
	l.job.task_struct_size = row->size;
	judge_answer(t, &l, file_submit_job(f, &l.job), row->ret);
}

#define SIZE_ROW(bytes, byte, answer)                                                              \
	&(const struct size_row)                                                                   \
	{                                                                                          \
		bytes, byte, answer                                                                \
	}

/* ---- reserved fields and flags ---- */

static void submit_reserved_refused(struct test *t)
{
	struct file *f = test_file(t);
	struct drm_rocket_submit args = { .job_count = 1, .reserved = UINT64_C(1) << 40 };
	struct load l;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	args.jobs = (uintptr_t)&l.job;
	args.job_struct_size = sizeof(l.job);
	judge_answer(t, &l, file_submit(f, &args), -EINVAL);
}

static void job_reserved_refused(struct test *t)
{
	struct file *f = test_file(t);
	struct load l;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	l.job.reserved = 1;
	judge_answer(t, &l, load_submit(&l), -EINVAL);
}

static void job_unknown_flag_refused(struct test *t)
{
	struct file *f = test_file(t);
	struct load l;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	for (unsigned bit = 3; bit < 32 && !test_failed(t); bit++) {
		l.job.flags = 1u << bit;
		judge_answer(t, &l, load_submit(&l), -EINVAL);
	}
	l.job.flags = 0;
	CHECK(t, load_run_right(&l), "good job afterwards");
}

/* ---- jobs and tasks ---- */

static void submit_without_jobs(struct test *t)
{
	struct file *f = test_file(t);
	struct drm_rocket_submit args = { .job_struct_size = sizeof(struct drm_rocket_job) };
	int ret;

	REQUIRE(t, f, "no file");
	ret = file_submit(f, &args);
	CHECK(t, !ret, "%s", strerror(-ret));
}

static void job_without_tasks_refused(struct test *t)
{
	struct file *f = test_file(t);
	struct load l;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	l.job.task_count = 0;
	judge_answer(t, &l, load_submit(&l), -EINVAL);
}

/* The bad one may be the first, a middle one or the last: none may run. */
static void task_without_words_refused(struct test *t)
{
	struct file *f = test_file(t);
	struct load l;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 5, LOAD_INTEGERS), "no job");
	for (unsigned bad = 0; bad < 5 && !test_failed(t); bad += 2) {
		l.task[bad].regcmd_count = 0;
		judge_answer(t, &l, load_submit(&l), -EINVAL);
		l.task[bad].regcmd_count = MATMUL_WORDS;
	}
	CHECK(t, load_run_right(&l), "good job afterwards");
}

struct program_row {
	uint32_t add, count; /* to the address; words, 0 = as it is */
};

/* A driver that keeps the errors of jobs to itself can refuse them all the same: it runs nothing.
 */
static void task_program_refused(struct test *t)
{
	bool told = !expectation_unmet(EXPECT_SUBMIT_ERRORS, t->node->major, t->node->minor);
	const struct program_row *row = t->as->arg;
	struct file *f = test_file(t);
	struct load l;
	int ret;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	l.task[0].regcmd += row->add;
	if (row->count)
		l.task[0].regcmd_count = row->count;
	ret = load_submit(&l);
	if (told || ret)
		judge_answer(t, &l, ret, -EINVAL);
	else
		CHECK(t, !file_prep(f, l.out->handle, 0) && load_judge(&l, 0), "it was queued");
}

#define PROGRAM_ROW(offset, words)                                                                 \
	&(const struct program_row)                                                                \
	{                                                                                          \
		offset, words                                                                      \
	}

/* Neither list has to be there. */
static void job_without_buffer_lists(struct test *t)
{
	struct file *f = test_file(t);
	struct load l;
	int ret;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	l.job.in_bo_handles = 0;
	l.job.in_bo_handle_count = 0;
	CHECK(t, load_run_right(&l), "without inputs");

	load_stamp(&l);
	l.job.out_bo_handles = 0;
	l.job.out_bo_handle_count = 0;
	ret = load_submit(&l);
	REQUIRE(t, !ret, "SUBMIT: %s", strerror(-ret));
	/* Nothing says when it is done; the next job of the file is behind it. */
	l.job.out_bo_handles = (uintptr_t)l.out_handles;
	l.job.out_bo_handle_count = 1;
	CHECK(t, load_run_right(&l), "with outputs again");
}

static void submit_of_many_jobs(struct test *t)
{
	enum { JOBS = 16 };
	struct file *f = test_file(t);
	struct load *l = test_alloc(t, JOBS * sizeof(*l));

	REQUIRE(t, l, "no memory");
	for (unsigned i = 0; i < JOBS; i++)
		REQUIRE(t, load_make(&l[i], t, f, &small_matmul, 1 + i, LOAD_INTEGERS), "no job");
	loads_run_right(l, JOBS);
}

/* Good, bad, good: the error is told, what was before it stays queued. */
static void submit_stops_at_the_first_bad_job(struct test *t)
{
	struct file *f = test_file(t);
	struct drm_rocket_job jobs[3];
	struct drm_rocket_submit args = { .jobs = (uintptr_t)jobs,
					  .job_count = 3,
					  .job_struct_size = sizeof(jobs[0]) };
	struct load l[3];
	int ret;

	for (int i = 0; i < 3; i++) {
		REQUIRE(t, load_make(&l[i], t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
		jobs[i] = l[i].job;
	}
	l[1].in_handles[2] = 0x12345;
	ret = file_submit(f, &args);
	CHECK(t, ret == -ENOENT, "%s", strerror(-ret));
	ret = load_wait(&l[0], 5 * SECOND);
	CHECK(t, !ret && load_judge(&l[0], 1), "job before it: %s", strerror(-ret));
	CHECK(t, !file_prep(f, l[2].out->handle, 0) && load_judge(&l[2], 0), "job behind it ran");
}

static const struct test_case cases[] = {
	{ .name = "submit_without_jobs", .run = submit_without_jobs },
	{ .name = "submit_reserved_refused", .run = submit_reserved_refused },
	{ .name = "submit_of_many_jobs", .run = submit_of_many_jobs },
	{ .name = "submit_stops_at_the_first_bad_job",
	  .run = submit_stops_at_the_first_bad_job,
	  .expects = EXPECT_SUBMIT_ERRORS },

	{ .name = "job_size_0_refused",
	  .run = job_of_declared_size,
	  .arg = SIZE_ROW(0, 0, -EINVAL) },
	{ .name = "job_size_39_refused",
	  .run = job_of_declared_size,
	  .arg = SIZE_ROW(39, 0, -EINVAL) },
	{ .name = "job_size_40_accepted", .run = job_of_declared_size, .arg = SIZE_ROW(40, 0, 0) },
	{ .name = "job_size_40_ends_there",
	  .run = job_of_declared_size,
	  .arg = SIZE_ROW(40, 0xff, 0) },
	{ .name = "job_size_48_accepted", .run = job_of_declared_size, .arg = SIZE_ROW(48, 0, 0) },
	{ .name = "job_size_56_zero_tail_accepted",
	  .run = job_of_declared_size,
	  .arg = SIZE_ROW(56, 0, 0) },
	{ .name = "job_size_56_unknown_tail_refused",
	  .run = job_of_declared_size,
	  .arg = SIZE_ROW(56, 1, -E2BIG),
	  .expects = EXPECT_GROWING_STRUCTS },
	{ .name = "job_size_4096_zero_tail_accepted",
	  .run = job_of_declared_size,
	  .arg = SIZE_ROW(4096, 0, 0) },
	{ .name = "job_size_4097_refused",
	  .run = job_of_declared_size,
	  .arg = SIZE_ROW(4097, 0, -E2BIG),
	  .expects = EXPECT_GROWING_STRUCTS },
	{ .name = "job_size_2_gib_refused",
	  .run = job_of_declared_size,
	  .arg = SIZE_ROW(0x80000000, 0, -E2BIG),
	  .expects = EXPECT_GROWING_STRUCTS },
	{ .name = "job_reserved_refused",
	  .run = job_reserved_refused,
	  .expects = EXPECT_RESERVED_CHECKED },
	{ .name = "job_unknown_flag_refused",
	  .run = job_unknown_flag_refused,
	  .expects = EXPECT_RESERVED_CHECKED },
	{ .name = "job_without_tasks_refused",
	  .run = job_without_tasks_refused,
	  .expects = EXPECT_SUBMIT_ERRORS },
	{ .name = "job_without_buffer_lists", .run = job_without_buffer_lists },

	{ .name = "task_size_0_refused",
	  .run = tasks_of_declared_size,
	  .arg = SIZE_ROW(0, 0, -EINVAL),
	  .expects = EXPECT_SUBMIT_ERRORS },
	{ .name = "task_size_7_refused",
	  .run = tasks_of_declared_size,
	  .arg = SIZE_ROW(7, 0, -EINVAL),
	  .expects = EXPECT_SUBMIT_ERRORS },
	{ .name = "task_size_8_accepted", .run = tasks_of_declared_size, .arg = SIZE_ROW(8, 0, 0) },
	{ .name = "task_size_16_zero_tail_accepted",
	  .run = tasks_of_declared_size,
	  .arg = SIZE_ROW(16, 0, 0) },
	{ .name = "task_size_16_unknown_tail_refused",
	  .run = tasks_of_declared_size,
	  .arg = SIZE_ROW(16, 1, -E2BIG),
	  .expects = EXPECT_GROWING_STRUCTS },
	{ .name = "task_size_4097_refused",
	  .run = tasks_of_declared_size,
	  .arg = SIZE_ROW(4097, 0, -E2BIG),
	  .expects = EXPECT_GROWING_STRUCTS },
	{ .name = "task_size_2_gib_refused",
	  .run = tasks_of_declared_size,
	  .arg = SIZE_ROW(0x80000000, 0, -E2BIG),
	  .expects = EXPECT_GROWING_STRUCTS },
	{ .name = "task_without_words_refused",
	  .run = task_without_words_refused,
	  .expects = EXPECT_SUBMIT_ERRORS },
	{ .name = "task_address_bit_0_refused",
	  .run = task_program_refused,
	  .arg = PROGRAM_ROW(1, 0),
	  .expects = EXPECT_PROGRAM_CHECKED },
	{ .name = "task_address_unaligned_refused",
	  .run = task_program_refused,
	  .arg = PROGRAM_ROW(8, 0),
	  .expects = EXPECT_PROGRAM_CHECKED },
	{ .name = "task_words_past_the_counter_refused",
	  .run = task_program_refused,
	  .arg = PROGRAM_ROW(0, 131088),
	  .expects = EXPECT_PROGRAM_CHECKED },
	{ .name = "task_words_huge_refused",
	  .run = task_program_refused,
	  .arg = PROGRAM_ROW(0, 0xffffffff),
	  .expects = EXPECT_PROGRAM_CHECKED },
	{ .name = "task_program_past_the_window_refused",
	  .run = task_program_refused,
	  .arg = PROGRAM_ROW(0xfffffe00, 0),
	  .expects = EXPECT_PROGRAM_CHECKED },
};

struct test_table args_cases(void)
{
	return TEST_TABLE(cases);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Arguments at addresses where there is nothing: EFAULT, and nothing runs. */
#include "submit.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "load.h"

/* Two pages of which the second cannot be touched. */
struct cliff {
	unsigned char *base;
};

static bool cliff_make(struct test *t, struct cliff *c)
{
	c->base = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return CHECK(t, c->base != MAP_FAILED, "%s", strerror(errno)) &&
	       CHECK(t, !mprotect(c->base + PAGE, PAGE, PROT_NONE), "%s", strerror(errno));
}

static void cliff_free(struct cliff *c)
{
	munmap(c->base, 2 * PAGE);
}

/* Copy data so that only its first inside bytes can be read. */
static uint64_t hang_over(struct cliff *c, const void *data, size_t inside)
{
	unsigned char *at = c->base + PAGE - inside;

	memcpy(at, data, inside);
	return (uintptr_t)at;
}

enum field { FIELD_JOBS, FIELD_TASKS, FIELD_IN, FIELD_OUT };

static const enum field fields[] = { FIELD_JOBS, FIELD_TASKS, FIELD_IN, FIELD_OUT };

/* Submit l with one of its pointers replaced. */
static int submit_with(struct load *l, enum field field, uint64_t pointer)
{
	struct drm_rocket_job job = l->job;
	struct drm_rocket_submit args = { .jobs = (uintptr_t)&job,
					  .job_count = 1,
					  .job_struct_size = sizeof(job) };

	switch (field) {
	case FIELD_JOBS:
		args.jobs = pointer;
		break;
	case FIELD_TASKS:
		job.tasks = pointer;
		break;
	case FIELD_IN:
		job.in_bo_handles = pointer;
		break;
	case FIELD_OUT:
		job.out_bo_handles = pointer;
		break;
	}
	return file_submit(l->f, &args);
}

/* What a field points to, and how long that is. */
static const void *field_data(const struct load *l, enum field field, size_t *size)
{
	switch (field) {
	case FIELD_JOBS:
		*size = sizeof(l->job);
		return &l->job;
	case FIELD_TASKS:
		*size = l->tasks * sizeof(l->task[0]);
		return l->task;
	case FIELD_IN:
		*size = sizeof(l->in_handles);
		return l->in_handles;
	default:
		*size = sizeof(l->out_handles);
		return l->out_handles;
	}
}

static void judge_fault(struct test *t, struct load *l, int ret, const char *what, uint64_t pointer)
{
	CHECK(t, ret == -EFAULT, "%s at %#llx: %s", what, (unsigned long long)pointer,
	      strerror(-ret));
	CHECK(t, !load_wait(l, 5 * SECOND) && load_judge(l, 0), "%s: the job ran", what);
}

static void pointer_leads_nowhere(struct test *t)
{
	const enum field *field = t->as->arg;
	struct file *f = test_file(t);
	struct cliff c;
	struct load l;
	uint64_t bad[6];

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 5, LOAD_INTEGERS), "no job");
	REQUIRE(t, cliff_make(t, &c), "no memory");
	bad[0] = 0;
	bad[1] = 8;
	bad[2] = (uintptr_t)c.base + PAGE;
	bad[3] = UINT64_C(0xffff000000000000);
	bad[4] = UINT64_C(0x00ff000000000000); /* no address at all */
	bad[5] = UINT64_MAX - 7;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]) && !test_failed(t); i++)
		judge_fault(t, &l, submit_with(&l, *field, bad[i]), "pointer", bad[i]);
	cliff_free(&c);
	CHECK(t, load_run_right(&l), "good job afterwards");
}

static void pointer_leads_over_the_edge(struct test *t)
{
	const enum field *field = t->as->arg;
	struct file *f = test_file(t);
	const void *data;
	struct cliff c;
	struct load l;
	size_t size;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 5, LOAD_INTEGERS), "no job");
	REQUIRE(t, cliff_make(t, &c), "no memory");
	data = field_data(&l, *field, &size);
	for (size_t inside = 0; inside < size && !test_failed(t); inside += size > 8 ? 4 : 1) {
		uint64_t pointer = hang_over(&c, data, inside);

		judge_fault(t, &l, submit_with(&l, *field, pointer), "pointer over the edge",
			    pointer);
	}
	/* All of it before the edge is fine. */
	CHECK(t, !submit_with(&l, *field, hang_over(&c, data, size)), "refused up to the edge");
	CHECK(t, !load_wait(&l, 5 * SECOND) && load_judge(&l, 5), "up to the edge");
	cliff_free(&c);
}

/* A list of no elements has no address. */
static void pointer_of_an_empty_list_is_not_read(struct test *t)
{
	struct file *f = test_file(t);
	struct load l;
	int ret;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	l.job.in_bo_handles = 8;
	l.job.in_bo_handle_count = 0;
	ret = load_submit(&l);
	REQUIRE(t, !ret, "SUBMIT: %s", strerror(-ret));
	CHECK(t, !load_wait(&l, 5 * SECOND) && load_judge(&l, 1), "wrong result");
}

/* Jobs of 2 GiB stride: the third would wrap to the first in 32-bit arithmetic. */
static void pointer_stride_does_not_wrap(struct test *t)
{
	struct file *f = test_file(t);
	struct load l;
	struct drm_rocket_submit args = { .job_count = 3, .job_struct_size = 0x80000000 };
	int ret;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	args.jobs = (uintptr_t)&l.job;
	ret = file_submit(f, &args);
	CHECK(t, ret == -E2BIG || ret == -EFAULT, "%s", strerror(-ret));
	CHECK(t, !load_wait(&l, 5 * SECOND) && load_judge(&l, 0), "a job ran");
}

static void ioctl_argument_over_the_edge_faults(struct test *t)
{
	static const struct {
		unsigned long request;
		size_t size;
	} calls[] = {
		{ DRM_IOCTL_ROCKET_CREATE_BO, sizeof(struct drm_rocket_create_bo) },
		{ DRM_IOCTL_ROCKET_SUBMIT, sizeof(struct drm_rocket_submit) },
		{ DRM_IOCTL_ROCKET_PREP_BO, sizeof(struct drm_rocket_prep_bo) },
		{ DRM_IOCTL_ROCKET_FINI_BO, sizeof(struct drm_rocket_fini_bo) },
	};
	struct file *f = test_file(t);
	struct cliff c;

	REQUIRE(t, f && cliff_make(t, &c), "no memory");
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		for (size_t inside = 0; inside < calls[i].size; inside += 4) {
			int ret = file_ioctl(f, calls[i].request, c.base + PAGE - inside);

			CHECK(t, ret == -EFAULT, "request %#lx, %zu bytes readable: %s",
			      calls[i].request, inside, strerror(-ret));
		}
	cliff_free(&c);
}

/* The answer of CREATE_BO has nowhere to go. */
static void create_bo_argument_read_only_faults(struct test *t)
{
	struct file *f = test_file(t);
	struct drm_rocket_create_bo *args;
	int ret;

	args = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(t, f && args != MAP_FAILED, "no memory");
	args->size = PAGE;
	mprotect(args, PAGE, PROT_READ);
	ret = file_create_bo(f, args);
	CHECK(t, ret == -EFAULT, "%s", strerror(-ret));
	munmap(args, PAGE);
	CHECK(t, test_bo(t, f, PAGE), "no buffer afterwards");
}

static const struct test_case cases[] = {
	{ .name = "jobs_pointer_leads_nowhere",
	  .run = pointer_leads_nowhere,
	  .arg = &fields[FIELD_JOBS] },
	{ .name = "tasks_pointer_leads_nowhere",
	  .run = pointer_leads_nowhere,
	  .arg = &fields[FIELD_TASKS],
	  .expects = EXPECT_SUBMIT_ERRORS },
	{ .name = "in_handles_pointer_leads_nowhere",
	  .run = pointer_leads_nowhere,
	  .arg = &fields[FIELD_IN],
	  .expects = EXPECT_SUBMIT_ERRORS },
	{ .name = "out_handles_pointer_leads_nowhere",
	  .run = pointer_leads_nowhere,
	  .arg = &fields[FIELD_OUT],
	  .expects = EXPECT_SUBMIT_ERRORS },
	{ .name = "jobs_pointer_over_the_edge",
	  .run = pointer_leads_over_the_edge,
	  .arg = &fields[FIELD_JOBS],
	  .expects = EXPECT_GROWING_STRUCTS },
	{ .name = "tasks_pointer_over_the_edge",
	  .run = pointer_leads_over_the_edge,
	  .arg = &fields[FIELD_TASKS],
	  .expects = EXPECT_SUBMIT_ERRORS },
	{ .name = "in_handles_pointer_over_the_edge",
	  .run = pointer_leads_over_the_edge,
	  .arg = &fields[FIELD_IN],
	  .expects = EXPECT_SUBMIT_ERRORS },
	{ .name = "out_handles_pointer_over_the_edge",
	  .run = pointer_leads_over_the_edge,
	  .arg = &fields[FIELD_OUT],
	  .expects = EXPECT_SUBMIT_ERRORS },
	{ .name = "pointer_of_an_empty_list_is_not_read",
	  .run = pointer_of_an_empty_list_is_not_read },
	{ .name = "pointer_stride_does_not_wrap",
	  .run = pointer_stride_does_not_wrap,
	  .expects = EXPECT_GROWING_STRUCTS },
	{ .name = "ioctl_argument_over_the_edge_faults",
	  .run = ioctl_argument_over_the_edge_faults },
	{ .name = "create_bo_argument_read_only_faults",
	  .run = create_bo_argument_read_only_faults },
};

struct test_table pointer_cases(void)
{
	return TEST_TABLE(cases);
}

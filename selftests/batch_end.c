// SPDX-License-Identifier: LGPL-2.1-or-later
/* NO_DPU_DONE and PPU_DONE: which unit says that a job has ended. */
#include "batch.h"

#include <errno.h>
#include <string.h>

#include "knobs.h"
#include "load.h"
#include "pool.h"

struct end_row {
	uint32_t flags;
	int minor; /* of interface 1: since when it is known; 0 = never */
};

#define END(flags, minor)                                                                          \
	&(const struct end_row)                                                                    \
	{                                                                                          \
		flags, minor                                                                       \
	}

static int interface(const struct node *node)
{
	return node->major * 1000 + node->minor;
}

/* Unknown flags are refused, known ones taken; a refused job has not run. */
static void end_flag_follows_the_version(struct test *t)
{
	const struct end_row *row = t->as->arg;
	bool known = row->minor && interface(t->node) >= 1000 + row->minor;
	struct load l;
	int ret;

	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 1, LOAD_INTEGERS), "no job");
	l.job.flags = row->flags;
	ret = load_submit(&l);
	CHECK(t, ret == (known ? 0 : -EINVAL), "SUBMIT: %s", strerror(-ret));
	ret = load_wait(&l, 10 * SECOND);
	if (known)
		return;
	CHECK(t, !ret && load_judge(&l, 0), "the refused job ran");
}

static void no_dpu_done_changes_nothing(struct test *t)
{
	struct load l;

	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 3, LOAD_INTEGERS), "no job");
	l.job.flags = DRM_ROCKET_JOB_NO_DPU_DONE;
	CHECK(t, load_run_right(&l), "task by task");
	load_stamp(&l);
	load_chain(&l);
	l.job.flags |= DRM_ROCKET_JOB_NO_DPU_DONE;
	CHECK(t, load_run_right(&l), "chained");
}

/* A pooling program ends with the PPU: at once, and not by the timeout. */
static void ppu_done_ends_a_pool(struct test *t)
{
	struct file *f = test_file(t);
	int64_t start, took;
	struct pool p;
	int ret;

	if (t->node->calls->in_process || board_is_virtual()) {
		test_skip(t, "the model of the NPU does not pool");
		return;
	}
	REQUIRE(t, pool_make(&p, t, f), "no pool");
	start = now_ns();
	ret = pool_submit(&p, DRM_ROCKET_JOB_PPU_DONE);
	REQUIRE(t, !ret, "SUBMIT: %s", strerror(-ret));
	ret = pool_wait(&p, 10 * SECOND);
	took = now_ns() - start;
	CHECK(t, !ret && pool_right(&p), "PREP_BO: %s", strerror(-ret));
	CHECK(t, took < job_timeout(t), "only after %lld ms", (long long)(took / MS));
}

/* With a device that raises the PPU's bits alone: ended at once with the flag, hung without. */
static void ppu_bits_end_a_flagged_job_only(struct test *t)
{
	int64_t start, took, timeout = job_timeout(t);
	struct file *f = test_file(t);
	struct knobs k;
	struct load l;
	int ret;

	if (!knobs_open(t, &k))
		return;
	if (load_make(&l, t, f, &small_matmul, 2, LOAD_INTEGERS)) {
		knob_set(&k, TEST_DONE_BITS, 0xc00);
		l.job.flags = DRM_ROCKET_JOB_PPU_DONE;
		start = now_ns();
		load_run_right(&l);
		took = now_ns() - start;
		CHECK(t, took < timeout / 2, "with the flag after %lld ms", (long long)(took / MS));
		l.job.flags = 0;
		CHECK(t, !load_submit(&l), "SUBMIT");
		ret = load_wait(&l, 10 * SECOND);
		CHECK(t, load_failed_as_told(&l, ret), "without the flag: %s", strerror(-ret));
	}
	knobs_close(&k);
}

/* A matmul ends with the DPU; who waits for the PPU waits in vain, and is told. */
static void ppu_done_on_a_matmul_fails(struct test *t)
{
	struct load l;
	int ret;

	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 1, LOAD_INTEGERS), "no job");
	l.job.flags = DRM_ROCKET_JOB_PPU_DONE;
	REQUIRE(t, !load_submit(&l), "SUBMIT");
	ret = load_wait(&l, 10 * SECOND);
	CHECK(t, load_failed_as_told(&l, ret), "PREP_BO: %s", strerror(-ret));
	load_stamp(&l);
	l.job.flags = 0;
	CHECK(t, load_run_right(&l), "without the flag");
}

#define BOTH (DRM_ROCKET_JOB_NO_DPU_DONE | DRM_ROCKET_JOB_PPU_DONE)

static const struct test_case cases[] = {
	{ .name = "no_dpu_done_follows_the_version",
	  .run = end_flag_follows_the_version,
	  .arg = END(DRM_ROCKET_JOB_NO_DPU_DONE, 2),
	  .expects = EXPECT_RESERVED_CHECKED },
	{ .name = "ppu_done_follows_the_version",
	  .run = end_flag_follows_the_version,
	  .arg = END(DRM_ROCKET_JOB_PPU_DONE, 3),
	  .expects = EXPECT_RESERVED_CHECKED,
	  .log = KLOG_TIMEOUT },
	{ .name = "both_ends_at_once_refused",
	  .run = end_flag_follows_the_version,
	  .arg = END(BOTH, 0),
	  .expects = EXPECT_RESERVED_CHECKED },
	{ .name = "no_dpu_done_changes_nothing",
	  .run = no_dpu_done_changes_nothing,
	  .expects = EXPECT_NO_DPU_DONE },
	{ .name = "ppu_done_ends_a_pool", .run = ppu_done_ends_a_pool, .expects = EXPECT_PPU_DONE },
	{ .name = "ppu_bits_end_a_flagged_job_only",
	  .run = ppu_bits_end_a_flagged_job_only,
	  .expects = EXPECT_PPU_DONE,
	  .needs = NEED_ROOT,
	  .log = KLOG_TIMEOUT },
	{ .name = "ppu_done_on_a_matmul_fails",
	  .run = ppu_done_on_a_matmul_fails,
	  .expects = EXPECT_PPU_DONE,
	  .log = KLOG_TIMEOUT },
};

struct test_table end_cases(void)
{
	return TEST_TABLE(cases);
}

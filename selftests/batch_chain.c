// SPDX-License-Identifier: LGPL-2.1-or-later
/* DRM_ROCKET_JOB_BATCHED: the programs of a job are one chain, run in one kick. */
#include "batch.h"

#include <errno.h>
#include <string.h>

#include "load.h"

#define CHAIN_MAX 4095u /* 12-bit task counter */

static bool refused(int ret)
{
	return ret == -EINVAL || ret == -EOPNOTSUPP;
}

/* Chained jobs are refused when the driver's switch is off; the tests turn that off once. */
static bool switch_is_on(struct test *t)
{
	if (t->node->calls->param("rocket", "rocket_batch_submit", 1))
		return true;
	test_skip(t, "rocket_batch_submit is 0");
	return false;
}

/* Known since 1.1; before, it is a field the driver does not know. */
static void batch_flag_follows_the_version(struct test *t)
{
	const struct node *node = t->node;
	bool known = node->major > 1 || (node->major == 1 && node->minor >= 1);
	int want = known ? 0 : -E2BIG, ret;
	struct load l;

	if (!switch_is_on(t))
		return;
	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 1, LOAD_INTEGERS), "no job");
	l.job.flags = DRM_ROCKET_JOB_BATCHED;
	ret = load_submit(&l);
	CHECK(t, ret == want, "%s, must be: %s", strerror(-ret), strerror(-want));
	ret = load_wait(&l, 10 * SECOND);
	CHECK(t, !ret && load_judge(&l, known), "PREP_BO: %s", strerror(-ret));
}

struct batch_row {
	enum matmul_type type;
	unsigned tasks;
};

#define BATCH(type, tasks)                                                                         \
	&(const struct batch_row)                                                                  \
	{                                                                                          \
		type, tasks                                                                        \
	}

static void batch_equals_single_kicks(struct test *t)
{
	const struct batch_row *row = t->as->arg;
	struct matmul shape = { .type = row->type, .m = 4, .k = 32, .n = 32 };
	struct file *f = test_file(t);
	struct load l;
	void *single;

	if (!switch_is_on(t))
		return;
	REQUIRE(t, load_make(&l, t, f, &shape, row->tasks, LOAD_RANDOM), "no job");
	REQUIRE(t, load_run_right(&l), "task by task");
	single = test_alloc(t, l.out->size);
	REQUIRE(t, single, "no memory");
	memcpy(single, l.out->map, l.out->size);

	load_chain(&l);
	load_stamp(&l);
	REQUIRE(t, load_run_right(&l), "chained");
	CHECK(t, !memcmp(single, l.out->map, l.out->size), "the results differ");
}

static void batch_of_4096_refused(struct test *t)
{
	const struct matmul shape = { .type = FP16_TO_FP16, .m = 4, .k = 32, .n = 16 };
	struct file *f = test_file(t);
	struct load l;
	int ret;

	if (!switch_is_on(t))
		return;
	REQUIRE(t, load_make(&l, t, f, &shape, CHAIN_MAX + 1, LOAD_INTEGERS), "no job");
	load_chain(&l);
	ret = load_submit(&l);
	CHECK(t, refused(ret), "%s", strerror(-ret));
	CHECK(t, !load_wait(&l, 10 * SECOND) && load_judge(&l, 0), "the job ran");
}

static void batch_without_links_fails_loudly(struct test *t)
{
	struct file *f = test_file(t);
	struct load l;
	int ret;

	if (!switch_is_on(t))
		return;
	REQUIRE(t, load_make(&l, t, f, &small_matmul, 3, LOAD_INTEGERS), "no job");
	l.job.flags = DRM_ROCKET_JOB_BATCHED;
	ret = load_submit(&l);
	if (refused(ret))
		return;
	REQUIRE(t, !ret, "SUBMIT: %s", strerror(-ret));
	ret = load_wait(&l, 10 * SECOND);
	CHECK(t, load_failed_as_told(&l, ret), "PREP_BO: %s", strerror(-ret));
	load_stamp(&l);
	l.job.flags = 0;
	CHECK(t, load_run_right(&l), "without the flag");
}

/* Whatever a chain does when it is kicked task by task, wrong results are no success. */
static void chain_without_the_flag_is_not_silent(struct test *t)
{
	struct file *f = test_file(t);
	struct load l;
	int ret;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 3, LOAD_INTEGERS), "no job");
	load_chain(&l);
	l.job.flags = 0;
	ret = load_submit(&l);
	REQUIRE(t, !ret, "SUBMIT: %s", strerror(-ret));
	ret = load_wait(&l, 10 * SECOND);
	CHECK(t, load_failed_as_told(&l, ret) || (!ret && load_judge(&l, 3)), "PREP_BO: %s",
	      strerror(-ret));
}

/* A fault in the middle: what came before is there, what follows is not. */
static void batch_stops_at_a_bad_task(struct test *t)
{
	struct file *f = test_file(t);
	struct matmul mm;
	struct load l;
	int ret;

	if (!switch_is_on(t))
		return;
	REQUIRE(t, load_make(&l, t, f, &small_matmul, 5, LOAD_INTEGERS), "no job");
	load_chain(&l);
	mm = load_matmul(&l, 2);
	mm.out = 0x7ff00000;
	matmul_program(&mm, load_words(&l, 2));
	program_link(load_words(&l, 2), l.task[3].regcmd);
	file_fini(f, l.prog->handle);
	REQUIRE(t, !load_submit(&l), "SUBMIT");
	ret = load_wait(&l, 10 * SECOND);
	CHECK(t, load_failed_as_told(&l, ret), "PREP_BO: %s", strerror(-ret));
	CHECK(t, load_slot_right(&l, 0) && load_slot_right(&l, 1), "tasks before it");
	CHECK(t, load_slot_untouched(&l, 2) && load_slot_untouched(&l, 4), "tasks from it on");
}

static void batched_and_single_jobs_mixed(struct test *t)
{
	enum { JOBS = 6 };
	struct file *f = test_file(t);
	struct load *l = test_alloc(t, JOBS * sizeof(*l));

	if (!switch_is_on(t))
		return;
	REQUIRE(t, l, "no memory");
	for (unsigned i = 0; i < JOBS; i++) {
		struct matmul shape = { .m = 8, .k = 64, .n = 32 };

		shape.type = i % 3 == 2 ? INT8_TO_INT32 : FP16_TO_FP32;
		REQUIRE(t, load_make(&l[i], t, f, &shape, 4 + i, LOAD_RANDOM), "no job");
		if (i % 2)
			load_chain(&l[i]);
	}
	loads_run_right(l, JOBS);
}

static void batch_refused_when_switched_off(struct test *t)
{
	const struct node_calls *calls = t->node->calls;
	struct file *f = test_file(t);
	struct load l;
	int ret;

	if (!switch_is_on(t))
		return;
	REQUIRE(t, load_make(&l, t, f, &small_matmul, 3, LOAD_INTEGERS), "no job");
	load_chain(&l);
	if (calls->param_set("rocket", "rocket_batch_submit", 0)) {
		test_skip(t, "may not set rocket_batch_submit");
		return;
	}
	ret = load_submit(&l);
	calls->param_set("rocket", "rocket_batch_submit", 1);
	CHECK(t, refused(ret), "%s", strerror(-ret));
	CHECK(t, !load_wait(&l, 10 * SECOND) && load_judge(&l, 0), "the job ran");
	CHECK(t, load_run_right(&l), "switched on again");
}

static const struct test_case cases[] = {
	{ .name = "batch_flag_follows_the_version",
	  .run = batch_flag_follows_the_version,
	  .expects = EXPECT_GROWING_STRUCTS },
	{ .name = "batch_of_1",
	  .run = batch_equals_single_kicks,
	  .arg = BATCH(FP16_TO_FP16, 1),
	  .expects = EXPECT_BATCH },
	{ .name = "batch_of_2_equals_single_kicks",
	  .run = batch_equals_single_kicks,
	  .arg = BATCH(FP16_TO_FP16, 2),
	  .expects = EXPECT_BATCH },
	{ .name = "batch_of_64_equals_single_kicks",
	  .run = batch_equals_single_kicks,
	  .arg = BATCH(FP16_TO_FP16, 64),
	  .expects = EXPECT_BATCH },
	{ .name = "batch_of_64_fp32_out_equals_single_kicks",
	  .run = batch_equals_single_kicks,
	  .arg = BATCH(FP16_TO_FP32, 64),
	  .expects = EXPECT_BATCH },
	{ .name = "batch_of_64_int8_equals_single_kicks",
	  .run = batch_equals_single_kicks,
	  .arg = BATCH(INT8_TO_INT32, 64),
	  .expects = EXPECT_BATCH },
	{ .name = "batch_of_4095_equals_single_kicks",
	  .run = batch_equals_single_kicks,
	  .arg = BATCH(FP16_TO_FP16, CHAIN_MAX),
	  .expects = EXPECT_BATCH,
	  .seconds = 120 },
	{ .name = "batch_of_4096_refused", .run = batch_of_4096_refused, .expects = EXPECT_BATCH },
	{ .name = "batch_without_links_fails_loudly",
	  .log = KLOG_TIMEOUT | KLOG_FAULT,
	  .run = batch_without_links_fails_loudly,
	  .expects = EXPECT_BATCH },
	{ .name = "chain_without_the_flag_is_not_silent",
	  .log = KLOG_TIMEOUT | KLOG_FAULT,
	  .run = chain_without_the_flag_is_not_silent,
	  .expects = EXPECT_JOB_ERRORS },
	{ .name = "batch_stops_at_a_bad_task",
	  .log = KLOG_TIMEOUT | KLOG_FAULT,
	  .run = batch_stops_at_a_bad_task,
	  .expects = EXPECT_BATCH },
	{ .name = "batched_and_single_jobs_mixed",
	  .run = batched_and_single_jobs_mixed,
	  .expects = EXPECT_BATCH },
	{ .name = "batch_refused_when_switched_off",
	  .run = batch_refused_when_switched_off,
	  .expects = EXPECT_BATCH },
};

struct test_table chain_cases(void)
{
	return TEST_TABLE(cases);
}

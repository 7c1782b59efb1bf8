// SPDX-License-Identifier: LGPL-2.1-or-later
/* Where the driver looks for the tasks of a core, by how many cores a job names. */
#include "rknpu.h"

#include <string.h>

#include "vendor.h"

/* Two tasks for a core, and at the end one that hangs. */
#define EACH 2u
#define TRAP (VENDOR_CORES * EACH)

struct lanes {
	uint32_t mask;
	int entry[VENDOR_CORES]; /* of subcore_task, or -1: the core has nothing */
};

/*
 * Each core that is named has tasks of its own, and every entry that must not be read leads to the
 * task that hangs.
 */
static void cores_run_the_entries_of_their_slots(struct test *t)
{
	const struct lanes *lanes = t->as->arg;
	struct file *f = test_file(t);
	struct vendor_job j;
	int ret;

	REQUIRE(t, f && vendor_job_make(&j, t, f, &small_matmul, TRAP + 1, LOAD_INTEGERS),
		"no job");
	for (unsigned c = 1; c <= VENDOR_CORES; c++)
		vendor_job_cut(&j, c * EACH);
	vendor_job_hang(&j, TRAP);
	for (unsigned i = 0; i < RKNPU_SUBCORES; i++)
		j.submit.subcore_task[i] = (struct rknpu_subcore_task){ TRAP, 1 };
	for (unsigned c = 0; c < VENDOR_CORES; c++)
		if (lanes->entry[c] >= 0)
			j.submit.subcore_task[lanes->entry[c]] =
				(struct rknpu_subcore_task){ c * EACH, EACH };
	j.submit.core_mask = lanes->mask;
	ret = vendor_submit(&j);
	REQUIRE(t, !ret, "SUBMIT: %s", strerror(-ret));
	for (unsigned c = 0; c < VENDOR_CORES; c++)
		CHECK(t,
		      lanes->entry[c] >= 0 ? vendor_right(&j, c * EACH, (c + 1) * EACH)
					   : vendor_untouched(&j, c * EACH, (c + 1) * EACH),
		      "tasks of core %u", c);
}

/* Whichever core it is, the driver looks at that core's entry. */
static void whichever_core_is_free_has_the_same_tasks(struct test *t)
{
	struct file *f = test_file(t);
	struct vendor_job j;

	REQUIRE(t, f && vendor_job_make(&j, t, f, &small_matmul, 3, LOAD_INTEGERS), "no job");
	for (unsigned i = 0; i < 12; i++) {
		load_stamp(&j.load);
		REQUIRE(t, vendor_run_right(&j), "round %u", i);
	}
}

#define LANES(what, mask, a, b, c)                                                                 \
	{                                                                                          \
		.name = what, .run = cores_run_the_entries_of_their_slots,                         \
		.arg = &(const struct lanes)                                                       \
		{                                                                                  \
			mask,                                                                      \
			{                                                                          \
				a, b, c                                                            \
			}                                                                          \
		}                                                                                  \
	}

static const struct test_case cases[] = {
	LANES("core_0_has_entry_0", 1, 0, -1, -1),
	LANES("core_1_has_entry_1", 2, -1, 1, -1),
	LANES("core_2_has_entry_2", 4, -1, -1, 2),
	LANES("two_cores_have_entries_0_and_1", 3, 0, 1, -1),
	LANES("three_cores_have_entries_2_to_4", 7, 2, 3, 4),
	{ .name = "whichever_core_is_free_has_the_same_tasks",
	  .run = whichever_core_is_free_has_the_same_tasks },
};

struct test_table rknpu_core_cases(void)
{
	return TEST_TABLE(cases);
}

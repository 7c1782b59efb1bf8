// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rknpu.h"

#include <errno.h>
#include <string.h>

#include "vendor.h"

static void versions_agree(struct test *t)
{
	struct file *f = test_file(t);
	uint32_t value = 0;
	int ret;

	REQUIRE(t, f, "no file");
	ret = vendor_action(f, RKNPU_GET_DRV_VERSION, &value);
	REQUIRE(t, !ret, "GET_DRV_VERSION: %s", strerror(-ret));
	CHECK(t,
	      value / 10000 == (uint32_t)t->node->major &&
		      value / 100 % 100 == (uint32_t)t->node->minor,
	      "%u, DRM says %d.%d", value, t->node->major, t->node->minor);
}

/* A query that gives something for sure. */
static void query_gives_a_value(struct test *t)
{
	const uint32_t *number = t->as->arg;
	struct file *f = test_file(t);
	uint32_t value = 0;
	int ret;

	REQUIRE(t, f, "no file");
	ret = vendor_action(f, *number, &value);
	CHECK(t, !ret && value, "%s, value %u", strerror(-ret), value);
}

static void sram_free_is_within_the_total(struct test *t)
{
	struct file *f = test_file(t);
	uint32_t total = 0, free_bytes = 0;

	REQUIRE(t, f, "no file");
	REQUIRE(t, !vendor_action(f, RKNPU_GET_TOTAL_SRAM_SIZE, &total), "total");
	REQUIRE(t, !vendor_action(f, RKNPU_GET_FREE_SRAM_SIZE, &free_bytes), "free");
	CHECK(t, free_bytes <= total, "%u of %u", free_bytes, total);
}

/* Set for the whole machine, or not there at all. */
static void action_is_refused(struct test *t)
{
	const uint32_t *number = t->as->arg;
	struct file *f = test_file(t);
	uint32_t value = 1;
	int ret;

	REQUIRE(t, f, "no file");
	ret = vendor_action(f, *number, &value);
	CHECK(t, ret == -EINVAL && value == 1, "%s, value %u", strerror(-ret), value);
}

static void reset_leaves_cores_that_work(struct test *t)
{
	struct file *f = test_file(t);
	uint32_t value = 0;
	struct vendor_job j;
	int ret;

	REQUIRE(t, f && vendor_job_make(&j, t, f, &small_matmul, 3, LOAD_INTEGERS), "no job");
	CHECK(t, vendor_run_right(&j), "before");
	ret = vendor_action(f, RKNPU_ACT_RESET, &value);
	CHECK(t, !ret, "RESET: %s", strerror(-ret));
	load_stamp(&j.load);
	CHECK(t, vendor_run_right(&j), "after");
}

#define NUMBER(n) (&(const uint32_t){ n })

static const struct test_case cases[] = {
	{ .name = "versions_agree", .run = versions_agree },
	{ .name = "hardware_has_a_version",
	  .run = query_gives_a_value,
	  .arg = NUMBER(RKNPU_GET_HW_VERSION) },
	{ .name = "mmu_is_on", .run = query_gives_a_value, .arg = NUMBER(RKNPU_GET_IOMMU_EN) },
	{ .name = "frequency_is_told", .run = query_gives_a_value, .arg = NUMBER(RKNPU_GET_FREQ) },
	{ .name = "voltage_is_told", .run = query_gives_a_value, .arg = NUMBER(RKNPU_GET_VOLT) },
	{ .name = "sram_free_is_within_the_total", .run = sram_free_is_within_the_total },
	{ .name = "frequency_cannot_be_set",
	  .run = action_is_refused,
	  .arg = NUMBER(RKNPU_SET_FREQ) },
	{ .name = "voltage_cannot_be_set",
	  .run = action_is_refused,
	  .arg = NUMBER(RKNPU_SET_VOLT) },
	{ .name = "unknown_action_is_refused", .run = action_is_refused, .arg = NUMBER(99) },
	{ .name = "reset_leaves_cores_that_work", .run = reset_leaves_cores_that_work },
};

struct test_table rknpu_action_cases(void)
{
	return TEST_TABLE(cases);
}

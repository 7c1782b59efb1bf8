// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The system sleeps: as far as its devices, by the kernel's own test mode (pm_test), so that it
 * wakes by itself and no board is lost.
 */
#include "pm_cycle.h"

#include <errno.h>
#include <string.h>

#include "load.h"
#include "sysfs.h"

#define STATE "/sys/power/state"
#define MODE  "/sys/power/pm_test"
#define DELAY "/sys/module/suspend/parameters/pm_test_delay" /* seconds asleep */

static bool can_sleep(struct test *t)
{
	char text[128] = "";

	if (!sysfs_read(STATE, text, sizeof(text)) || !strstr(text, "freeze"))
		test_skip(t, "the kernel cannot freeze (" STATE ")");
	else if (sysfs_write(MODE, "devices"))
		test_skip(t, "the kernel has no test mode of sleep (" MODE ")");
	else
		return true;
	return false;
}

/* Put the devices to sleep and wake them. 0 or -errno. */
static int sleep_once(void)
{
	int ret;

	sysfs_write(DELAY, "1");
	ret = sysfs_write(MODE, "devices");
	if (!ret)
		ret = sysfs_write(STATE, "freeze");
	sysfs_write(MODE, "none");
	return ret;
}

static void system_sleeps_when_idle(struct test *t)
{
	unsigned rounds = test_rounds(t, 1, 20);
	struct load l;

	if (!can_sleep(t))
		return;
	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 4, LOAD_INTEGERS), "no job");
	for (unsigned i = 0; i < rounds && !test_failed(t); i++) {
		int ret;

		load_stamp(&l);
		load_run_right(&l);
		ret = sleep_once();
		CHECK(t, !ret, "round %u: %s", i, strerror(-ret));
		load_stamp(&l);
		CHECK(t, load_run_right(&l), "round %u: after waking", i);
	}
	sysfs_write(MODE, "none");
}

/* A job that runs is waited for, what is queued behind it runs after waking. */
static void system_sleep_waits_for_the_job(struct test *t)
{
	struct file *f = test_file(t);
	struct load hung, queued;
	int ret;

	if (!can_sleep(t))
		return;
	REQUIRE(t, load_make(&hung, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	REQUIRE(t, load_make(&queued, t, f, &small_matmul, 4, LOAD_INTEGERS), "no job");
	load_hang(&hung, 0); /* the longest job there is */
	REQUIRE(t, !load_submit(&hung) && !load_submit(&queued), "SUBMIT");
	sleep_ms(10);
	ret = sleep_once();
	CHECK(t, !ret, "sleep under load: %s", strerror(-ret));
	ret = load_wait(&hung, 10 * SECOND);
	CHECK(t, load_failed_as_told(&hung, ret), "hung job: %s", strerror(-ret));
	ret = load_wait(&queued, 10 * SECOND);
	CHECK(t, !ret && load_judge(&queued, 4), "queued job: %s", strerror(-ret));
}

static const struct test_case cases[] = {
	{ .name = "system_sleeps_when_idle",
	  .run = system_sleeps_when_idle,
	  .needs = NEED_ROOT,
	  .seconds = 60 },
	{ .name = "system_sleep_waits_for_the_job",
	  .run = system_sleep_waits_for_the_job,
	  .expects = EXPECT_SLEEP_WAITS,
	  .needs = NEED_ROOT,
	  .log = KLOG_TIMEOUT,
	  .seconds = 60 },
};

struct test_table sleep_cases(void)
{
	return TEST_TABLE(cases);
}

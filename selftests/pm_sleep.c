// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The system sleeps: by the kernel's own test mode (pm_test), which wakes by itself so that no
 * board is lost, or, where that may be risked, until an alarm of the real-time clock.
 */
#include "pm_cycle.h"

#include <errno.h>
#include <string.h>

#include "crew.h"
#include "load.h"
#include "sysfs.h"

#define STATE "/sys/power/state"
#define MODE  "/sys/power/pm_test"
#define DELAY "/sys/module/suspend/parameters/pm_test_delay" /* seconds asleep */
#define ALARM "/sys/class/rtc/rtc0/wakealarm"

/* How far the kernel goes to sleep. */
#define DEVICES  "devices"  /* until all are asleep */
#define PLATFORM "platform" /* and what interrupts would still disturb, power domains among it */
#define WHOLLY   "none"     /* until something wakes it */

static bool can_sleep(struct test *t)
{
	char text[128] = "";

	if (!sysfs_read(STATE, text, sizeof(text)) || !strstr(text, "freeze"))
		test_skip(t, "the kernel cannot freeze (" STATE ")");
	else if (sysfs_write(MODE, DEVICES))
		test_skip(t, "the kernel has no test mode of sleep (" MODE ")");
	else
		return true;
	return false;
}

/* Go to sleep that far, and wake. 0 or -errno. */
static int sleep_once(const char *how_far)
{
	int ret;

	sysfs_write(DELAY, "1");
	ret = sysfs_write(MODE, how_far);
	if (!ret)
		ret = sysfs_write(STATE, "freeze");
	sysfs_write(MODE, "none");
	return ret;
}

/* Asleep and awake again with a job before and after. */
static void sleep_between_jobs(struct test *t, const char *how_far)
{
	struct load l;
	int ret;

	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 4, LOAD_INTEGERS), "no job");
	REQUIRE(t, load_run_right(&l), "before");
	ret = sleep_once(how_far);
	REQUIRE(t, !ret, "%s", strerror(-ret));
	load_stamp(&l);
	CHECK(t, load_run_right(&l), "after waking");
}

static void system_sleeps_when_idle(struct test *t)
{
	unsigned rounds = test_rounds(t, 1, 20);

	if (!can_sleep(t))
		return;
	for (unsigned i = 0; i < rounds && !test_failed(t); i++) {
		sleep_between_jobs(t, DEVICES);
		sleep_between_jobs(t, PLATFORM);
	}
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
	ret = sleep_once(DEVICES);
	CHECK(t, !ret, "sleep under load: %s", strerror(-ret));
	ret = load_wait(&hung, 10 * SECOND);
	CHECK(t, load_failed_as_told(&hung, ret), "hung job: %s", strerror(-ret));
	ret = load_wait(&queued, 10 * SECOND);
	CHECK(t, !ret && load_judge(&queued, 4), "queued job: %s", strerror(-ret));
}

static void sleep_several_times(struct test *t)
{
	unsigned rounds = test_rounds(t, 3, 40);

	for (unsigned i = 0; i < rounds && !test_failed(t); i++) {
		int ret;

		sleep_ms(20 + i * 7 % 50);
		ret = sleep_once(i % 2 ? DEVICES : PLATFORM);
		CHECK(t, !ret, "round %u: %s", i, strerror(-ret));
	}
	sleep_ms(100); /* they work on after the last */
}

/* More clients than cores, each at work all the time: their results are right on both sides. */
static void system_sleeps_under_load(struct test *t)
{
	const struct crew crew = { .members = 6,
				   .shapes = &small_matmul,
				   .n_shapes = 1,
				   .meanwhile = sleep_several_times };

	if (can_sleep(t))
		crew_run(t, &crew);
}

/* Asleep in earnest. The alarm is set before the sleep, and in whole seconds. */
static void system_wakes_by_an_alarm(struct test *t)
{
	int ret;

	if (!can_sleep(t))
		return;
	sysfs_write(ALARM, "0");
	if (sysfs_write(ALARM, "+4")) {
		test_skip(t, "no alarm to wake by (" ALARM ")");
		return;
	}
	sleep_between_jobs(t, WHOLLY);
	sysfs_write(ALARM, "0");
	ret = sleep_once(DEVICES); /* and the next sleep is as ever */
	CHECK(t, !ret, "another sleep: %s", strerror(-ret));
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
	{ .name = "system_sleeps_under_load",
	  .run = system_sleeps_under_load,
	  .expects = EXPECT_SLEEP_WAITS,
	  .needs = NEED_ROOT,
	  .seconds = 60 },
	/* A board that does not wake has to be switched off. */
	{ .name = "system_wakes_by_an_alarm",
	  .run = system_wakes_by_an_alarm,
	  .needs = NEED_ROOT | NEED_DANGEROUS,
	  .seconds = 60 },
};

struct test_table sleep_cases(void)
{
	return TEST_TABLE(cases);
}

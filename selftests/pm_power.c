// SPDX-License-Identifier: LGPL-2.1-or-later
/* Cores sleep when they have nothing to do, and wake for a job. */
#include "pm_cycle.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cores.h"
#include "knobs.h"
#include "load.h"
#include "sysfs.h"

#define DELAY   "power/autosuspend_delay_ms"
#define CONTROL "power/control"

/* The cores, and how long they stay up after a job. */
static bool begin(struct test *t, struct cores *c, long *delay_ms)
{
	char text[32];

	if (!cores_find(t, c))
		return false;
	*delay_ms = core_read(c, 0, DELAY, text, sizeof(text)) ? atol(text) : 1000;
	return true;
}

static int64_t until_sleep(long delay_ms)
{
	return (delay_ms > 0 ? delay_ms : 0) * MS + 3 * SECOND;
}

static void cores_sleep_when_idle(struct test *t)
{
	struct cores c;
	struct load l;
	long delay;

	if (!begin(t, &c, &delay))
		return;
	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 4, LOAD_INTEGERS), "no job");
	REQUIRE(t, load_run_right(&l), "no result");
	CHECK(t, cores_sleep(&c, until_sleep(delay)), "a core is still up");
}

/* A core that was reset goes to sleep like any other. */
static void cores_sleep_after_a_timeout(struct test *t)
{
	struct cores c;
	struct load l;
	long delay;

	if (!begin(t, &c, &delay))
		return;
	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 1, LOAD_INTEGERS), "no job");
	load_hang(&l, 0);
	REQUIRE(t, !load_submit(&l), "SUBMIT");
	load_wait(&l, 10 * SECOND);
	CHECK(t, cores_sleep(&c, until_sleep(delay)), "a core is still up");
}

/*
 * With the shortest delay each job finds the cores asleep, or on their way there, and they do get
 * there: an end of a job that is told early is none that keeps its core up.
 */
static void jobs_wake_their_core(struct test *t)
{
	unsigned rounds = test_rounds(t, 60, 3000);
	char before[32];
	struct cores c;
	struct load l;
	long delay;

	if (!begin(t, &c, &delay))
		return;
	REQUIRE(t, core_read(&c, 0, DELAY, before, sizeof(before)), "no " DELAY);
	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 2, LOAD_INTEGERS), "no job");
	REQUIRE(t, !cores_write(&c, DELAY, "0"), "cannot set " DELAY);
	for (unsigned i = 0; i < rounds && load_run_right(&l); i++) {
		load_stamp(&l);
		sleep_ms(i % 4);
		if (i % 2 && !CHECK(t, cores_sleep(&c, 3 * SECOND), "round %u: a core is up", i))
			break;
	}
	CHECK(t, !cores_write(&c, DELAY, before), "cannot restore " DELAY);
}

/* The kernel switches rails off that nobody has asked for by then. */
static void jobs_run_long_after_boot(struct test *t)
{
	const double enough = 40;
	double up = 0;
	struct cores c;
	struct load l;
	FILE *f;

	if (!cores_find(t, &c))
		return;
	f = fopen("/proc/uptime", "r");
	if (!CHECK(t, f && fscanf(f, "%lf", &up) == 1, "no uptime"))
		up = enough;
	if (f)
		fclose(f);
	if (up < enough)
		sleep_ms((unsigned)((enough - up) * 1000));
	CHECK(t, cores_sleep(&c, 5 * SECOND), "a core is still up");
	if (load_make(&l, t, test_file(t), &small_matmul, 2, LOAD_INTEGERS))
		load_run_right(&l);
}

struct toggler {
	pthread_t thread;
	const struct cores *cores;
	volatile bool stop;
};

static void *toggle_control(void *arg)
{
	struct toggler *g = arg;

	for (unsigned i = 0; !g->stop; i++) {
		cores_write(g->cores, CONTROL, i % 2 ? "auto" : "on");
		sleep_ms(i % 5);
	}
	cores_write(g->cores, CONTROL, "auto");
	return NULL;
}

/* Held awake and let go from outside while jobs run and the delay is at its shortest. */
static void jobs_run_while_power_is_forced(struct test *t)
{
	unsigned rounds = test_rounds(t, 150, 5000);
	struct toggler g = { 0 };
	char before[32];
	struct cores c;
	struct load l;
	long delay;

	if (!begin(t, &c, &delay))
		return;
	REQUIRE(t, core_read(&c, 0, DELAY, before, sizeof(before)), "no " DELAY);
	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 2, LOAD_INTEGERS), "no job");
	g.cores = &c;
	cores_write(&c, DELAY, "0");
	if (CHECK(t, !pthread_create(&g.thread, NULL, toggle_control, &g), "no thread")) {
		for (unsigned i = 0; i < rounds && load_run_right(&l); i++)
			load_stamp(&l);
		g.stop = true;
		pthread_join(g.thread, NULL);
	}
	cores_write(&c, DELAY, before);
	CHECK(t, cores_sleep(&c, until_sleep(delay)), "a core is still up");
}

#define DOMAIN_US "/sys/kernel/debug/rocket-soc/domain_us"

/* The timeout is the job's, and begins on its core: two domains take longer to come than it is. */
static void jobs_are_not_timed_while_their_core_wakes(struct test *t)
{
	char text[32];
	struct cores c;
	struct knobs k;
	struct load l;
	long delay;

	if (!begin(t, &c, &delay))
		return;
	if (sysfs_number(DOMAIN_US, -1) < 0) {
		test_skip(t, "needs the virtual board's power domains");
		return;
	}
	if (!knobs_open(t, &k))
		return;
	knob_set(&k, TEST_DELAY, 50000);
	snprintf(text, sizeof(text), "%lld", (long long)job_timeout(t) / 1000 * 2 / 3);
	if (load_make(&l, t, test_file(t), &small_matmul, 1, LOAD_INTEGERS) &&
	    CHECK(t, cores_sleep(&c, until_sleep(delay)), "a core is still up")) {
		sleep_ms(100); /* the domains go after the cores */
		CHECK(t, !sysfs_write(DOMAIN_US, text), "cannot set " DOMAIN_US);
		load_run_right(&l);
		CHECK(t, !sysfs_write(DOMAIN_US, "0"), "cannot restore " DOMAIN_US);
	}
	knobs_close(&k);
}

static void delay_is_the_parameter(struct test *t)
{
	long want = t->node->calls->param("rocket", "rocket_autosuspend_ms", -1);
	struct cores c;
	long delay;

	if (!begin(t, &c, &delay))
		return;
	if (want <= 0) {
		test_skip(t, "rocket_autosuspend_ms is not there, or 0");
		return;
	}
	CHECK(t, delay == want, "%ld ms, the parameter is %ld", delay, want);
}

static void core_has_each_clock_once(struct test *t)
{
	struct cores c;

	if (!cores_find(t, &c))
		return;
	for (unsigned i = 0; i < c.n; i++) {
		static const char *const names[] = { "aclk", "hclk", "npu", "pclk" };
		int lines = 0, clocks = core_clocks(&c, i, &lines);
		struct core_clock clock;

		if (clocks < 0) {
			test_skip(t, "debugfs does not tell of clocks");
			return;
		}
		CHECK(t, clocks >= 4, "%s: %d clocks, listed %d times", c.name[i], clocks, lines);
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			CHECK(t, core_clock(&c, i, names[k], &clock), "%s: no clock by name %s",
			      c.name[i], names[k]);
	}
}

static const struct test_case cases[] = {
	{ .name = "cores_sleep_when_idle", .run = cores_sleep_when_idle, .needs = NEED_ROOT },
	{ .name = "cores_sleep_after_a_timeout",
	  .run = cores_sleep_after_a_timeout,
	  .expects = EXPECT_SLEEPS_AFTER_RESET,
	  .needs = NEED_ROOT,
	  .log = KLOG_TIMEOUT },
	{ .name = "jobs_wake_their_core",
	  .run = jobs_wake_their_core,
	  .needs = NEED_ROOT,
	  .seconds = 60 },
	{ .name = "jobs_are_not_timed_while_their_core_wakes",
	  .run = jobs_are_not_timed_while_their_core_wakes,
	  .expects = EXPECT_LONG_JOBS,
	  .needs = NEED_ROOT },
	{ .name = "jobs_run_while_power_is_forced",
	  .run = jobs_run_while_power_is_forced,
	  .needs = NEED_ROOT,
	  .seconds = 60 },
	{ .name = "jobs_run_long_after_boot",
	  .run = jobs_run_long_after_boot,
	  .needs = NEED_ROOT,
	  .seconds = 60 },
	{ .name = "delay_is_the_parameter", .run = delay_is_the_parameter, .needs = NEED_ROOT },
	{ .name = "core_has_each_clock_once",
	  .run = core_has_each_clock_once,
	  .expects = EXPECT_CLOCKS_BY_NAME,
	  .needs = NEED_ROOT },
};

struct test_table power_cases(void)
{
	return TEST_TABLE(cases);
}

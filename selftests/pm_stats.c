// SPDX-License-Identifier: LGPL-2.1-or-later
/* What the driver tells of its work: debugfs, fdinfo, trace events. */
#include "pm_cycle.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load.h"
#include "sysfs.h"

/* The sum over all cores of "key=number" in the driver's file. -1: cannot be read. */
static long long counted(const char *key)
{
	char line[256];
	glob_t found;
	long long sum = 0;
	FILE *f;

	if (glob("/sys/kernel/debug/accel/*/npu", 0, NULL, &found) &&
	    glob("/sys/kernel/debug/dri/*/npu", 0, NULL, &found))
		return -1;
	f = fopen(found.gl_pathv[0], "r");
	globfree(&found);
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		const char *at = strstr(line, key);

		if (at && at[strlen(key)] == '=')
			sum += atoll(at + strlen(key) + 1);
	}
	fclose(f);
	return sum;
}

static void counters_count(struct test *t)
{
	long long kicks = counted(" kicks"), jobs = counted(" jobs"), failed = counted(" failed");
	struct file *f = test_file(t);
	struct load good, bad;

	if (kicks < 0) {
		test_skip(t, "the driver's file in debugfs cannot be read");
		return;
	}
	REQUIRE(t, load_make(&good, t, f, &small_matmul, 5, LOAD_INTEGERS), "no job");
	REQUIRE(t, load_make(&bad, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	load_hang(&bad, 0);
	REQUIRE(t, load_run_right(&good), "no result");
	REQUIRE(t, !load_submit(&bad), "SUBMIT");
	load_wait(&bad, 10 * SECOND);
	sleep_ms(50);
	CHECK(t, counted(" kicks") - kicks == 6, "%lld kicks", counted(" kicks") - kicks);
	CHECK(t, counted(" jobs") - jobs == 1, "%lld good jobs", counted(" jobs") - jobs);
	CHECK(t, counted(" failed") - failed == 1, "%lld failed jobs", counted(" failed") - failed);
}

static long long used_by(const struct file *f)
{
	char path[64], key[32];
	long long sum = 0;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", f->fd);
	for (unsigned i = 0; i < 3; i++) {
		long long ns;

		snprintf(key, sizeof(key), "drm-engine-npu%u", i);
		ns = table_number(path, key, -1);
		if (ns < 0)
			return -1;
		sum += ns;
	}
	return sum;
}

/* In the form that generic tools read. */
static void fdinfo_has_the_time_used(struct test *t)
{
	struct file *f = test_file(t), *other = test_file(t);
	struct load l;

	REQUIRE(t, other && load_make(&l, t, f, &small_matmul, 64, LOAD_INTEGERS), "no job");
	CHECK(t, used_by(f) == 0, "%lld ns before the first job", used_by(f));
	REQUIRE(t, load_run_right(&l), "no result");
	CHECK(t, used_by(f) > 0, "%lld ns", used_by(f));
	CHECK(t, used_by(other) == 0, "another file has %lld ns", used_by(other));
}

static void trace_events_exist(struct test *t)
{
	static const char *const events[] = { "rocket_submit", "rocket_kick", "rocket_job_end",
					      "rocket_power" };

	if (access("/sys/kernel/tracing/events", F_OK)) {
		test_skip(t, "no tracefs");
		return;
	}
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		char path[96];

		snprintf(path, sizeof(path), "/sys/kernel/tracing/events/rocket/%s/format",
			 events[i]);
		CHECK(t, !access(path, F_OK), "no event %s", events[i]);
	}
}

static const struct test_case cases[] = {
	{ .name = "counters_count",
	  .run = counters_count,
	  .expects = EXPECT_STATS,
	  .needs = NEED_ROOT,
	  .log = KLOG_TIMEOUT },
	{ .name = "fdinfo_has_the_time_used",
	  .run = fdinfo_has_the_time_used,
	  .expects = EXPECT_STATS,
	  .needs = NEED_KERNEL },
	{ .name = "trace_events_exist",
	  .run = trace_events_exist,
	  .expects = EXPECT_STATS,
	  .needs = NEED_ROOT },
};

struct test_table stats_cases(void)
{
	return TEST_TABLE(cases);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* The clock that all cores share: raised for work, parked before the last one sleeps. */
#include "pm_cycle.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "cores.h"
#include "knobs.h"
#include "load.h"
#include "module.h"
#include "sysfs.h"

/* What the virtual board's helper was asked, in order: "number ns cpu event id value". */
#define ASKED "/sys/kernel/debug/rocket-soc/log"

#define LEVER      "rocket_npu_clk_hz"
#define PARKED     200000000L
#define RAISED     600000000L /* proven, and needs no more voltage than the boot loader leaves */
#define FASTEST    900000000L /* proven; needs FASTEST_UV */
#define FASTEST_UV 800000
#define HIGHEST    1000000000L /* not proven; needs more than the boot loader leaves */
#define HIGHEST_UV 850000

struct lever {
	struct cores cores;
	long before;
};

static long get(const struct test *t, const char *name)
{
	return t->node->calls->param("rocket", name, -1);
}

static int set(const struct test *t, const char *name, long value)
{
	return t->node->calls->param_set("rocket", name, value);
}

static bool lever_open(struct test *t, struct lever *v)
{
	v->before = get(t, LEVER);
	if (v->before < 0)
		test_skip(t, "the driver has no " LEVER);
	return v->before >= 0 && cores_find(t, &v->cores);
}

/* Back to what it was, with all cores asleep so that it holds. */
static void lever_close(struct test *t, struct lever *v)
{
	cores_write(&v->cores, "power/control", "auto");
	set(t, LEVER, v->before);
	CHECK(t, cores_sleep(&v->cores, 10 * SECOND), "a core is still up");
}

/* Of the clock as the kernel's framework has it; -1 where that cannot be read. */
static long long rate(const struct lever *v)
{
	struct core_clock clock;

	return core_clock(&v->cores, 0, "npu", &clock) ? clock.rate : -1;
}

/* Raise it by running a job. false: recorded, or skipped where the clock stays as it is. */
static bool raise_by_a_job(struct test *t, struct lever *v, struct load *l, long hz)
{
	cores_write(&v->cores, "power/control", "auto");
	if (!CHECK(t, cores_sleep(&v->cores, 10 * SECOND), "a core is still up") ||
	    !CHECK(t, !set(t, LEVER, hz), LEVER " does not take %ld", hz) ||
	    !load_make(l, t, test_file(t), &small_matmul, 4, LOAD_INTEGERS) || !load_run_right(l))
		return false;
	if (rate(v) < 0 || rate(v) == PARKED) {
		test_skip(t, "the clock cannot be set here, or not be seen");
		return false;
	}
	return CHECK(t, rate(v) == hz, "%lld Hz, asked for %ld", rate(v), hz);
}

static void rate_outside_the_table_refused(struct test *t)
{
	static const long bad[] = { 1, 199999999, 650000000, 1100000000, 2000000000 };
	struct lever v;

	if (!lever_open(t, &v))
		return;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK(t, set(t, LEVER, bad[i]), "%ld Hz taken", bad[i]);
		CHECK(t, get(t, LEVER) == v.before, "%ld Hz kept", bad[i]);
	}
	set(t, LEVER, v.before);
}

static void rate_unproven_needs_force(struct test *t)
{
	struct lever v;
	long force;

	if (!lever_open(t, &v))
		return;
	force = get(t, "rocket_npu_clk_force");
	set(t, "rocket_npu_clk_force", 0);
	CHECK(t, set(t, LEVER, 700000000), "700 MHz taken without force");
	CHECK(t, !set(t, "rocket_npu_clk_force", 1) && !set(t, LEVER, 300000000),
	      "300 MHz refused with force");
	set(t, LEVER, v.before); /* before any core could have seen it */
	set(t, "rocket_npu_clk_force", force);
}

static void rate_follows_the_cores(struct test *t)
{
	struct lever v;
	struct load l;

	if (!lever_open(t, &v))
		return;
	if (raise_by_a_job(t, &v, &l, RAISED)) {
		CHECK(t, cores_sleep(&v.cores, 10 * SECOND), "a core is still up");
		CHECK(t, rate(&v) == PARKED, "%lld Hz with all cores asleep", rate(&v));
	}
	lever_close(t, &v);
}

/* Each core in turn is the one that stays up: the rate stays with it. */
static void rate_is_parked_by_the_last_core(struct test *t)
{
	struct lever v;
	struct load l;

	if (!lever_open(t, &v))
		return;
	for (unsigned i = 0; i < v.cores.n && !test_failed(t); i++) {
		char text[32];

		if (!raise_by_a_job(t, &v, &l, RAISED))
			break;
		CHECK(t, !core_write(&v.cores, i, "power/control", "on"), "core %u", i);
		for (unsigned k = 0; k < v.cores.n; k++) /* the others go to sleep */
			for (int tries = 0; k != i && tries < 250; tries++) {
				if (!core_read(&v.cores, k, "power/runtime_status", text,
					       sizeof(text)) ||
				    !strcmp(text, "suspended"))
					break;
				sleep_ms(20);
			}
		CHECK(t, rate(&v) == RAISED, "core %u is up, and it is %lld Hz", i, rate(&v));
		load_stamp(&l);
		load_run_right(&l);
		core_write(&v.cores, i, "power/control", "auto");
		CHECK(t, cores_sleep(&v.cores, 10 * SECOND), "a core is still up");
		CHECK(t, rate(&v) == PARKED, "%lld Hz with all cores asleep", rate(&v));
	}
	lever_close(t, &v);
}

/* Parking follows what was raised, not what the parameter says by then. */
static void rate_parks_when_the_parameter_is_cleared(struct test *t)
{
	struct lever v;
	struct load l;

	if (!lever_open(t, &v))
		return;
	if (raise_by_a_job(t, &v, &l, RAISED)) {
		set(t, LEVER, 0);
		CHECK(t, cores_sleep(&v.cores, 10 * SECOND), "a core is still up");
		CHECK(t, rate(&v) == PARKED, "%lld Hz with all cores asleep", rate(&v));
	}
	lever_close(t, &v);
}

static void rate_changes_under_load(struct test *t)
{
	static const long rates[] = { RAISED, PARKED, FASTEST, 0 };
	unsigned rounds = test_rounds(t, 40, 2000);
	char before[32];
	struct lever v;
	struct load l;

	if (!lever_open(t, &v))
		return;
	if (raise_by_a_job(t, &v, &l, RAISED) &&
	    core_read(&v.cores, 0, "power/autosuspend_delay_ms", before, sizeof(before))) {
		cores_write(&v.cores, "power/autosuspend_delay_ms", "0");
		for (unsigned i = 0; i < rounds && !test_failed(t); i++) {
			set(t, LEVER, rates[i % 4]);
			load_stamp(&l);
			load_run_right(&l);
			sleep_ms(i % 7);
		}
		cores_write(&v.cores, "power/autosuspend_delay_ms", before);
	}
	lever_close(t, &v);
	CHECK(t, rate(&v) < 0 || rate(&v) == PARKED, "%lld Hz in the end", rate(&v));
}

/* The number behind key in the driver's file in debugfs. */
static long long driver_says(const char *key)
{
	static const char *const places[] = { "/sys/kernel/debug/accel/*/npu",
					      "/sys/kernel/debug/dri/*/npu" };
	long long value = -1;

	for (size_t i = 0; i < 2 && value < 0; i++) {
		glob_t found;

		if (glob(places[i], 0, NULL, &found))
			continue;
		value = table_number(found.gl_pathv[0], key, -1);
		globfree(&found);
	}
	return value;
}

static void rail_is_up_while_the_clock_is(struct test *t)
{
	struct lever v;
	struct load l;

	if (!lever_open(t, &v))
		return;
	if (driver_says("rail_uv") < 0)
		test_skip(t, "the board has no npu-supply, or debugfs cannot be read");
	else if (raise_by_a_job(t, &v, &l, FASTEST))
		CHECK(t, driver_says("rail_uv") >= FASTEST_UV, "%lld uV at %ld Hz",
		      driver_says("rail_uv"), FASTEST);
	lever_close(t, &v);
}

/* At each rate of the log the rail is high enough, from before the raise until it is parked. */
static void check_voltage_order(struct test *t)
{
	long long value, uv = FASTEST_UV, hz = PARKED;
	unsigned raised = 0, lowered = 0;
	FILE *f = fopen(ASKED, "r");
	char event[32];

	REQUIRE(t, f, ASKED);
	while (fscanf(f, "%*u %*u %*u %31s %*u %lld", event, &value) == 2) {
		if (!strcmp(event, "rate")) {
			CHECK(t, value < HIGHEST || uv >= HIGHEST_UV, "%lld Hz at %lld uV", value,
			      uv);
			raised += value == HIGHEST;
			hz = value;
		} else if (!strcmp(event, "uv")) {
			CHECK(t, hz < HIGHEST || value >= HIGHEST_UV, "%lld uV at %lld Hz", value,
			      hz);
			lowered += raised && value < HIGHEST_UV;
			uv = value;
		}
	}
	fclose(f);
	CHECK(t, raised && hz == PARKED, "raised %u times, %lld Hz in the end", raised, hz);
	CHECK(t, lowered, "the rail stays at %lld uV", uv);
}

static void voltage_leads_the_rate_up_and_follows_it_down(struct test *t)
{
	struct lever v;
	struct load l;
	long force;

	if (!lever_open(t, &v))
		return;
	if (!board_is_virtual() || sysfs_write(ASKED, "0")) {
		test_skip(t, "needs the log of the virtual board's helper");
		return;
	}
	force = get(t, "rocket_npu_clk_force");
	set(t, "rocket_npu_clk_force", 1);
	if (raise_by_a_job(t, &v, &l, HIGHEST) &&
	    CHECK(t, cores_sleep(&v.cores, 10 * SECOND), "a core is still up"))
		check_voltage_order(t);
	lever_close(t, &v);
	set(t, "rocket_npu_clk_force", force);
}

/* On a board, a domain that goes off at a raised rate does not come back: the driver says no. */
static void unload_refused_while_the_clock_is_raised(struct test *t)
{
	struct module_state m;
	struct lever v;
	struct load l;
	int ret;

	if (!lever_open(t, &v) || !module_begin(t, &m))
		return;
	if (raise_by_a_job(t, &v, &l, RAISED)) {
		cores_write(&v.cores, "power/control", "on");
		test_file_close(l.f); /* or it is the file that holds the module */
		sleep_ms(100);
		ret = module_unload();
		CHECK(t, ret == -EWOULDBLOCK || ret == -EBUSY, "unload: %s", strerror(-ret));
		cores_write(&v.cores, "power/control", "auto");
		CHECK(t, cores_sleep(&v.cores, 10 * SECOND), "a core is still up");
		CHECK(t, rate(&v) == PARKED, "%lld Hz with all cores asleep", rate(&v));
		set(t, LEVER, v.before);
		ret = module_is_loaded() ? module_unload_within(2 * SECOND) : 0;
		CHECK(t, !ret, "unload in the end: %s", strerror(-ret));
		module_end(t, &m);
		return;
	}
	lever_close(t, &v);
}

static const struct test_case cases[] = {
	{ .name = "rate_outside_the_table_refused",
	  .run = rate_outside_the_table_refused,
	  .needs = NEED_ROOT },
	{ .name = "rate_unproven_needs_force",
	  .run = rate_unproven_needs_force,
	  .needs = NEED_ROOT },
	{ .name = "rate_follows_the_cores", .run = rate_follows_the_cores, .needs = NEED_ROOT },
	{ .name = "rate_is_parked_by_the_last_core",
	  .run = rate_is_parked_by_the_last_core,
	  .needs = NEED_ROOT,
	  .seconds = 90 },
	{ .name = "rate_parks_when_the_parameter_is_cleared",
	  .run = rate_parks_when_the_parameter_is_cleared,
	  .needs = NEED_ROOT },
	{ .name = "rate_changes_under_load",
	  .run = rate_changes_under_load,
	  .needs = NEED_ROOT,
	  .seconds = 60 },
	{ .name = "rail_is_up_while_the_clock_is",
	  .run = rail_is_up_while_the_clock_is,
	  .needs = NEED_ROOT },
	{ .name = "voltage_leads_the_rate_up_and_follows_it_down",
	  .run = voltage_leads_the_rate_up_and_follows_it_down,
	  .needs = NEED_ROOT },
	/* Were the refusal to fail, the machine could be gone. */
	{ .name = "unload_refused_while_the_clock_is_raised",
	  .run = unload_refused_while_the_clock_is_raised,
	  .needs = NEED_ROOT | NEED_DANGEROUS,
	  .seconds = 60 },
};

struct test_table clock_cases(void)
{
	return TEST_TABLE(cases);
}

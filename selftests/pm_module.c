// SPDX-License-Identifier: LGPL-2.1-or-later
/* The module goes and comes again, in every state that its cores can be in. */
#include "pm_cycle.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cores.h"
#include "knobs.h"
#include "load.h"
#include "module.h"
#include "sysfs.h"

#define BUS    "/sys/bus/platform"
#define PARKED 200000000

static void work_once(struct test *t, const char *when)
{
	struct load l;

	CHECK(t,
	      load_make(&l, t, test_file(t), &small_matmul, 4, LOAD_INTEGERS) && load_run_right(&l),
	      "%s", when);
	test_file_close(l.f);
}

/* Each file that a test opened must be closed, or it is what holds the module. */
static void unload(struct test *t)
{
	int ret = module_unload_within(10 * SECOND);

	CHECK(t, !ret, "unload: %s", strerror(-ret));
}

static void node_keeps_its_name(struct test *t)
{
	unsigned rounds = test_rounds(t, 3, 20);
	struct module_state m;

	if (!module_begin(t, &m))
		return;
	for (unsigned i = 0; i < rounds && !test_failed(t); i++) {
		unload(t);
		CHECK(t, access(t->node->path, F_OK), "%s is still there", t->node->path);
		if (module_end(t, &m)) /* waits for the node of that name */
			work_once(t, "a job after loading");
	}
	module_end(t, &m);
}

static void unload_refused_while_a_file_is_open(struct test *t)
{
	struct module_state m;
	struct load l;
	int ret;

	if (!module_begin(t, &m))
		return;
	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 8, LOAD_INTEGERS), "no job");
	REQUIRE(t, !load_submit(&l), "SUBMIT");
	ret = module_unload();
	CHECK(t, ret == -EWOULDBLOCK || ret == -EBUSY, "unload: %s", strerror(-ret));
	ret = load_wait(&l, 10 * SECOND);
	CHECK(t, !ret && load_judge(&l, 8), "the job: %s", strerror(-ret));
	test_file_close(l.f);
	module_end(t, &m);
}

/* A client with jobs that hang and jobs that are queued is killed, and the module goes at once. */
static void unload_with_work_pending(struct test *t)
{
	unsigned rounds = test_rounds(t, 2, 20);
	struct module_state m;

	if (!module_begin(t, &m))
		return;
	for (unsigned i = 0; i < rounds && !test_failed(t); i++) {
		pid_t pid = fork();
		struct load l;

		if (!pid) {
			if (load_make(&l, t, test_file(t), &small_matmul, 1, LOAD_INTEGERS)) {
				load_hang(&l, 0);
				load_submit(&l);
				load_submit(&l);
				load_wait(&l, 100 * SECOND);
			}
			_exit(1);
		}
		REQUIRE(t, pid > 0, "fork");
		sleep_ms((unsigned)(job_timeout(t) / MS / 5));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		unload(t);
		if (module_end(t, &m))
			work_once(t, "a job after loading");
	}
}

/* ---- clocks ---- */

static long long clocks_enabled(const struct cores *c)
{
	static const char *const names[] = { "aclk", "hclk", "npu", "pclk" };
	long long sum = 0;

	for (unsigned i = 0; i < c->n; i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			struct core_clock clock;

			if (core_clock(c, i, names[k], &clock))
				sum += clock.enabled;
		}
	return sum;
}

/* Something holds the cores awake as they are taken away: their clocks go off all the same. */
static void unload_of_cores_held_awake_balances_clocks(struct test *t)
{
	struct module_state m;
	struct core_clock clock;
	long long first, later;
	struct cores c;

	if (!cores_find(t, &c) || !module_begin(t, &m))
		return;
	if (!core_clock(&c, 0, "npu", &clock)) {
		test_skip(t, "debugfs does not tell of clocks by name");
		return;
	}
	if (clock.rate > PARKED && !t->options->dangerous) {
		test_skip(t, "the clock is raised: needs --dangerous, a board may hang");
		return;
	}
	CHECK(t, cores_sleep(&c, 10 * SECOND), "a core is still up");
	first = clocks_enabled(&c);
	for (int i = 0; i < 2; i++) { /* what is left on adds up */
		cores_write(&c, "power/control", "on");
		sleep_ms(50);
		unload(t);
		sleep_ms(300); /* domains go off in the background */
		if (!module_end(t, &m))
			return;
		cores_write(&c, "power/control", "auto");
		CHECK(t, cores_sleep(&c, 10 * SECOND), "a core is still up");
	}
	later = clocks_enabled(&c);
	CHECK(t, later == first, "%lld enabled before, %lld after", first, later);
}

/* ---- loading ---- */

struct opener {
	pthread_t thread;
	const struct test *t;
	volatile bool stop;
	unsigned opened;
};

static void *open_all_the_time(void *arg)
{
	struct opener *o = arg;

	while (!o->stop) {
		int fd = open(o->t->node->path, O_RDWR | O_CLOEXEC);

		if (fd >= 0) {
			o->opened++;
			close(fd);
		}
	}
	return NULL;
}

/* A node that is there can be used. */
static void open_while_loading(struct test *t)
{
	unsigned rounds = test_rounds(t, 4, 50);
	struct module_state m;

	if (!module_begin(t, &m))
		return;
	for (unsigned i = 0; i < rounds && !test_failed(t); i++) {
		struct opener o = { .t = t };

		unload(t);
		if (!CHECK(t, !pthread_create(&o.thread, NULL, open_all_the_time, &o), "no thread"))
			break;
		module_end(t, &m);
		sleep_ms(50);
		o.stop = true;
		pthread_join(o.thread, NULL);
		CHECK(t, o.opened, "it was never opened");
		work_once(t, "a job after loading");
	}
	module_end(t, &m);
}

/* A load that fails leaves nothing behind that the next one would stumble over. */
static void load_that_fails_can_be_repeated(struct test *t)
{
	struct module_state m;

	if (!module_begin(t, &m) || !inject(t, "off"))
		return;
	unload(t);
	if (inject(t, "fail __platform_driver_register -12 0"))
		CHECK(t, module_load(&m, NULL), "loaded although its driver is not registered");
	inject_off();
	if (module_end(t, &m))
		work_once(t, "a job after loading");
}

/* No memory for the schedulers of all cores but one: that one works, and the module can go. */
static void core_without_a_scheduler_is_left_out(struct test *t)
{
	struct module_state m;

	if (!module_begin(t, &m) || !inject(t, "off"))
		return;
	unload(t);
	if (inject(t, "fail drm_sched_init -12 1") &&
	    CHECK(t, !module_load(&m, NULL), "not loaded") &&
	    CHECK(t, node_appears(t, 10 * SECOND), "no node"))
		work_once(t, "a job");
	inject_off();
	unload(t);
	module_end(t, &m);
}

/* Bind the cores by hand, in another order. The kernel's log has the numbers they got. */
static void numbers_said_to_the_log(int fd, const struct cores *c, int *number)
{
	char record[4096];
	ssize_t n;

	while ((n = read(fd, record, sizeof(record) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		const char *at;

		if (n < 0)
			continue;
		record[n] = '\0';
		at = strstr(record, "Rockchip NPU core ");
		for (unsigned i = 0; at && i < c->n; i++)
			if (strstr(record, c->name[i]))
				number[i] = atoi(at + strlen("Rockchip NPU core "));
	}
}

static void cores_are_numbered_by_their_address(struct test *t)
{
	static const unsigned order[] = { 1, 0, 2 };
	int fd, number[CORES_MAX];
	struct module_state m;
	struct cores c;

	memset(number, -1, sizeof(number));
	if (!cores_find(t, &c) || !module_begin(t, &m))
		return;
	fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (c.n != 3 || fd < 0 || sysfs_write(BUS "/drivers_autoprobe", "0")) {
		test_skip(t, "needs three cores, the log and drivers_autoprobe");
		return;
	}
	unload(t);
	lseek(fd, 0, SEEK_END);
	CHECK(t, !module_load(&m, NULL), "loading");
	for (int i = 0; i < 3; i++)
		CHECK(t, !sysfs_write(BUS "/drivers_probe", c.name[order[i]]), "binding %s",
		      c.name[order[i]]);
	sysfs_write(BUS "/drivers_autoprobe", "1");
	sleep_ms(100);
	numbers_said_to_the_log(fd, &c, number);
	close(fd);
	for (int i = 0; i < 3; i++)
		CHECK(t, number[i] == i, "%s is core %d", c.name[i], number[i]);
	if (CHECK(t, node_appears(t, 10 * SECOND), "no node"))
		work_once(t, "a job");
	unload(t); /* and back to the usual order */
	module_end(t, &m);
}

static void cores_cannot_be_unbound(struct test *t)
{
	struct cores c;

	if (!cores_find(t, &c))
		return;
	CHECK(t, access(BUS "/drivers/rocket/unbind", F_OK), "sysfs offers it");
	CHECK(t, access(BUS "/drivers/rocket/bind", F_OK), "sysfs offers it");
}

/* ---- parameters ---- */

static void parameters_have_their_limits(struct test *t)
{
	const struct node_calls *calls = t->node->calls;
	long jobs = calls->param("rocket", "rocket_max_jobs", -1);
	long timeout = calls->param("rocket", "job_timeout_ms", -1);

	if (jobs < 0 || timeout < 0) {
		test_skip(t, "the driver has no such parameters");
		return;
	}
	CHECK(t, calls->param_set("rocket", "rocket_max_jobs", 1023), "rocket_max_jobs of 1023");
	CHECK(t, !calls->param_set("rocket", "rocket_max_jobs", 4096), "rocket_max_jobs of 4096");
	CHECK(t, calls->param("rocket", "rocket_max_jobs", -1) == 4096, "4096 is not kept");
	CHECK(t, !calls->param_set("rocket", "rocket_max_jobs", jobs), "rocket_max_jobs of before");
	CHECK(t, calls->param_set("rocket", "job_timeout_ms", 1000), "job_timeout_ms while loaded");
	CHECK(t, calls->param("rocket", "job_timeout_ms", -1) == timeout, "job_timeout_ms changed");
}

static void timeout_is_the_parameter(struct test *t)
{
	struct module_state m;
	int64_t start, took;
	struct load l;

	if (!module_begin(t, &m))
		return;
	if (t->node->calls->param("rocket", "job_timeout_ms", -1) < 0) {
		test_skip(t, "the driver has no job_timeout_ms");
		return;
	}
	unload(t);
	CHECK(t, module_load(&m, "job_timeout_ms=99"), "99 ms accepted");
	if (module_is_loaded())
		unload(t);
	CHECK(t, !module_load(&m, "job_timeout_ms=1500"), "1500 ms refused");
	if (node_appears(t, 10 * SECOND) &&
	    load_make(&l, t, test_file(t), &small_matmul, 1, LOAD_INTEGERS)) {
		load_hang(&l, 0);
		start = now_ns();
		CHECK(t, !load_submit(&l), "SUBMIT");
		load_wait(&l, 20 * SECOND);
		took = (now_ns() - start) / MS;
		CHECK(t, took >= 1400 && took < 4000, "after %lld ms", (long long)took);
		test_file_close(l.f);
	}
	unload(t);
	module_end(t, &m);
}

static void module_has_a_version(struct test *t)
{
	char text[64];

	if (!sysfs_read("/sys/module/rocket/version", text, sizeof(text))) {
		test_skip(t, "not built by the package");
		return;
	}
	CHECK(t, text[0] >= '0' && text[0] <= '9', "\"%s\"", text);
}

static const struct test_case cases[] = {
	{ .name = "cores_cannot_be_unbound",
	  .run = cores_cannot_be_unbound,
	  .expects = EXPECT_BOUND_FOR_GOOD,
	  .needs = NEED_ROOT },
	{ .name = "module_has_a_version", .run = module_has_a_version, .needs = NEED_ROOT },
	{ .name = "parameters_have_their_limits",
	  .run = parameters_have_their_limits,
	  .needs = NEED_ROOT },
	{ .name = "unload_refused_while_a_file_is_open",
	  .run = unload_refused_while_a_file_is_open,
	  .needs = NEED_ROOT },
	{ .name = "node_keeps_its_name", .run = node_keeps_its_name, .needs = NEED_ROOT },
	{ .name = "unload_with_work_pending",
	  .run = unload_with_work_pending,
	  .expects = EXPECT_CLOSE_IN_FLIGHT,
	  .needs = NEED_ROOT,
	  .log = KLOG_TIMEOUT,
	  .seconds = 60 },
	{ .name = "unload_of_cores_held_awake_balances_clocks",
	  .run = unload_of_cores_held_awake_balances_clocks,
	  .expects = EXPECT_CLOCKS_BALANCED,
	  .needs = NEED_ROOT,
	  .seconds = 60 },
	{ .name = "open_while_loading",
	  .run = open_while_loading,
	  .expects = EXPECT_SAFE_LOAD,
	  .needs = NEED_ROOT,
	  .seconds = 60 },
	{ .name = "load_that_fails_can_be_repeated",
	  .run = load_that_fails_can_be_repeated,
	  .expects = EXPECT_SAFE_LOAD,
	  .needs = NEED_ROOT },
	{ .name = "core_without_a_scheduler_is_left_out",
	  .run = core_without_a_scheduler_is_left_out,
	  .expects = EXPECT_SAFE_LOAD,
	  .needs = NEED_ROOT },
	{ .name = "cores_are_numbered_by_their_address",
	  .run = cores_are_numbered_by_their_address,
	  .expects = EXPECT_CORE_NUMBERS,
	  .needs = NEED_ROOT },
	{ .name = "timeout_is_the_parameter",
	  .run = timeout_is_the_parameter,
	  .needs = NEED_ROOT,
	  .log = KLOG_TIMEOUT },
};

struct test_table module_cases(void)
{
	return TEST_TABLE(cases);
}

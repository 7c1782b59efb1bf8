// SPDX-License-Identifier: LGPL-2.1-or-later
/* Processes that end, fork or become another program while the NPU works for them. */
#include "lifetime.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load.h"

#define CORES 3

/* Run work in a child that ends without closing anything. */
static pid_t start_child(struct test *t, void (*work)(struct test *t))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid)
		return CHECK(t, pid > 0, "fork: %s", strerror(errno)) ? pid : -1;
	work(t);
	fflush(stdout);
	_exit(test_failed(t));
}

/* How long until the child is gone; -1: it is still there, or ended badly (recorded). */
static int64_t reap_child(struct test *t, pid_t pid, bool killed)
{
	int64_t start = now_ns();
	int status = 0;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (!CHECK(t, now_ns() - start < 20 * SECOND, "the child does not end")) {
			kill(pid, SIGKILL);
			return -1;
		}
		sleep_ms(1);
	}
	if (killed)
		CHECK(t, WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "status %#x", status);
	else
		CHECK(t, WIFEXITED(status) && !WEXITSTATUS(status), "status %#x", status);
	return now_ns() - start;
}

/* A good job on every core. */
static void cores_still_work(struct test *t)
{
	struct load l[CORES];

	for (int i = 0; i < CORES; i++)
		REQUIRE(t,
			load_make(&l[i], t, test_file(t), &small_matmul, 16, LOAD_INTEGERS) &&
				!load_submit(&l[i]),
			"no job");
	for (int i = 0; i < CORES; i++) {
		int ret = load_wait(&l[i], 20 * SECOND);

		CHECK(t, !ret && load_judge(&l[i], 16), "file %d: %s", i, strerror(-ret));
		test_file_close(l[i].f);
	}
}

static void submit_several(struct test *t)
{
	struct load l;

	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 32, LOAD_INTEGERS), "no job");
	for (int i = 0; i < 4; i++)
		REQUIRE(t, !load_submit(&l), "SUBMIT");
}

static void submit_hung(struct test *t)
{
	struct load l;

	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 1, LOAD_INTEGERS), "no job");
	load_hang(&l, 0);
	for (int i = 0; i < 5; i++)
		REQUIRE(t, !load_submit(&l), "SUBMIT");
}

static void submit_for_ever(struct test *t)
{
	struct load l;

	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 8, LOAD_INTEGERS), "no job");
	while (!load_submit(&l) && !load_submit(&l) && !load_wait(&l, 10 * SECOND))
		;
}

static void wait_for_a_hung_job(struct test *t)
{
	struct load l;

	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 1, LOAD_INTEGERS), "no job");
	load_hang(&l, 0);
	REQUIRE(t, !load_submit(&l), "SUBMIT");
	load_wait(&l, 100 * SECOND);
}

/* ---- tests ---- */

static void exit_with_jobs_in_flight(struct test *t)
{
	unsigned rounds = test_rounds(t, 20, 1000);

	for (unsigned i = 0; i < rounds && !test_failed(t); i++) {
		pid_t pid = start_child(t, submit_several);

		if (pid > 0)
			reap_child(t, pid, false);
	}
	cores_still_work(t);
}

/* An exiting process does not wait for all that it queued. */
static void exit_with_hung_jobs_queued(struct test *t)
{
	pid_t pid = start_child(t, submit_hung);
	int64_t took;

	REQUIRE(t, pid > 0, "no child");
	took = reap_child(t, pid, false);
	CHECK(t, took < 2 * SECOND + 2 * job_timeout(t), "took %lld ms", (long long)(took / MS));
	cores_still_work(t);
	sleep_ms((unsigned)(job_timeout(t) / MS * 3 / 2));
}

static void sigkill_with_jobs_in_flight(struct test *t)
{
	unsigned rounds = test_rounds(t, 20, 1000);

	for (unsigned i = 0; i < rounds && !test_failed(t); i++) {
		pid_t pid = start_child(t, submit_for_ever);

		if (pid < 0)
			return;
		sleep_ms(5 + mix(i, 0) % 20); /* from before the first job to within one */
		kill(pid, SIGKILL);
		reap_child(t, pid, true);
	}
	cores_still_work(t);
}

static void sigkill_ends_a_wait(struct test *t)
{
	pid_t pid = start_child(t, wait_for_a_hung_job);
	int64_t took;

	REQUIRE(t, pid > 0, "no child");
	sleep_ms((unsigned)(job_timeout(t) / MS / 5));
	kill(pid, SIGKILL);
	took = reap_child(t, pid, true);
	CHECK(t, took < 2 * SECOND, "took %lld ms", (long long)(took / MS));
	cores_still_work(t);
	sleep_ms((unsigned)(job_timeout(t) / MS * 3 / 2));
}

/* The job of one process is the other's to wait for: they share the file. */
static void fork_shares_the_file(struct test *t)
{
	struct load l;
	pid_t pid;
	int ret;

	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 32, LOAD_INTEGERS), "no job");
	REQUIRE(t, !load_submit(&l), "SUBMIT");
	fflush(stdout);
	pid = fork();
	REQUIRE(t, pid >= 0, "fork");
	if (!pid) {
		ret = load_wait(&l, 10 * SECOND);
		if (!ret && load_judge(&l, 32)) {
			load_stamp(&l);
			ret = load_submit(&l); /* the parent's to wait for, after our end */
		} else {
			ret = -EIO;
		}
		_exit(ret != 0);
	}
	reap_child(t, pid, false);
	ret = load_wait(&l, 10 * SECOND);
	CHECK(t, !ret && load_judge(&l, 32), "the child's job: %s", strerror(-ret));
	load_stamp(&l);
	CHECK(t, load_run_right(&l), "a job of the parent's");
}

static void child_that_ends_leaves_the_parents_jobs(struct test *t)
{
	struct load l;
	pid_t pid;
	int ret;

	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 1000, LOAD_INTEGERS), "no job");
	REQUIRE(t, !load_submit(&l), "SUBMIT");
	pid = fork();
	REQUIRE(t, pid >= 0, "fork");
	if (!pid) {
		close(l.f->fd);
		_exit(0);
	}
	reap_child(t, pid, false);
	ret = load_wait(&l, 20 * SECOND);
	CHECK(t, !ret && load_judge(&l, 1000), "%s", strerror(-ret));
}

/* The file is close-on-exec: with the new program the jobs' owner is gone. */
static void exec_with_jobs_in_flight(struct test *t)
{
	unsigned rounds = test_rounds(t, 10, 500);

	for (unsigned i = 0; i < rounds && !test_failed(t); i++) {
		pid_t pid;

		fflush(stdout);
		pid = fork();
		REQUIRE(t, pid >= 0, "fork");
		if (!pid) {
			int null = open("/dev/null", O_WRONLY);

			submit_several(t);
			if (test_failed(t) || null < 0)
				_exit(1);
			dup2(null, STDOUT_FILENO);
			execl("/proc/self/exe", "lifetime", "--help", (char *)NULL);
			_exit(1);
		}
		reap_child(t, pid, false);
	}
	cores_still_work(t);
}

static const struct test_case cases[] = {
	{ .name = "exit_with_jobs_in_flight",
	  .run = exit_with_jobs_in_flight,
	  .expects = EXPECT_CLOSE_IN_FLIGHT,
	  .needs = NEED_KERNEL,
	  .seconds = 60 },
	{ .name = "exit_with_hung_jobs_queued",
	  .run = exit_with_hung_jobs_queued,
	  .expects = EXPECT_CLOSE_IN_FLIGHT,
	  .needs = NEED_KERNEL,
	  .log = KLOG_TIMEOUT },
	{ .name = "sigkill_with_jobs_in_flight",
	  .run = sigkill_with_jobs_in_flight,
	  .expects = EXPECT_CLOSE_IN_FLIGHT,
	  .needs = NEED_KERNEL,
	  .seconds = 60 },
	{ .name = "sigkill_ends_a_wait",
	  .run = sigkill_ends_a_wait,
	  .expects = EXPECT_CLOSE_IN_FLIGHT,
	  .needs = NEED_KERNEL,
	  .log = KLOG_TIMEOUT },
	{ .name = "fork_shares_the_file", .run = fork_shares_the_file, .needs = NEED_KERNEL },
	{ .name = "child_that_ends_leaves_the_parents_jobs",
	  .run = child_that_ends_leaves_the_parents_jobs,
	  .needs = NEED_KERNEL },
	{ .name = "exec_with_jobs_in_flight",
	  .run = exec_with_jobs_in_flight,
	  .expects = EXPECT_CLOSE_IN_FLIGHT,
	  .needs = NEED_KERNEL,
	  .seconds = 60 },
};

struct test_table process_cases(void)
{
	return TEST_TABLE(cases);
}

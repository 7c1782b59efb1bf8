// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which cores do jobs run on? Three hung jobs that run at once are told of after one timeout. */
#include "concurrency.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load.h"

#define CORES 3
#define TRIES 5

/* One hung job for each of n files; how long until the last is told, or -1: recorded. */
static int64_t hang_each(struct test *t, struct file *const *files, unsigned n)
{
	struct load l[CORES];
	int64_t start;

	for (unsigned i = 0; i < n; i++) {
		if (!load_make(&l[i], t, files[i], &small_matmul, 1, LOAD_INTEGERS))
			return -1;
		load_hang(&l[i], 0);
	}
	start = now_ns();
	for (unsigned i = 0; i < n; i++)
		if (!CHECK(t, !load_submit(&l[i]), "SUBMIT"))
			return -1;
	for (unsigned i = 0; i < n; i++)
		load_wait(&l[i], 10 * SECOND);
	return now_ns() - start;
}

/* All timeouts pass as one within this: no two jobs are on one core. */
static int64_t at_once(struct test *t)
{
	return job_timeout(t) * 7 / 4;
}

/* Other work makes it longer, never shorter: once is enough. */
static void check_at_once(struct test *t, struct file *const *files)
{
	int64_t least = INT64_MAX;

	for (int i = 0; i < TRIES && least >= at_once(t) && !test_failed(t); i++) {
		int64_t took = hang_each(t, files, CORES);

		least = took < least ? took : least;
	}
	CHECK(t, least < at_once(t), "%lld ms", (long long)(least / MS));
}

static void files_use_all_cores(struct test *t)
{
	struct file *files[CORES] = { test_file(t), test_file(t), test_file(t) };

	REQUIRE(t, files[0] && files[1] && files[2], "no file");
	check_at_once(t, files);
}

/* Two time out while the process ends, one is on its core, the rest is dropped. */
#define QUEUED 12

static void queue_hung_jobs(struct test *t)
{
	struct load l;

	REQUIRE(t, load_make(&l, t, test_file(t), &small_matmul, 1, LOAD_INTEGERS), "no job");
	load_hang(&l, 0);
	for (int i = 0; i < QUEUED; i++)
		REQUIRE(t, !load_submit(&l), "SUBMIT");
}

/* Jobs that are dropped with their file do not count as work for the core they waited for. */
static void files_use_all_cores_after_dropped_jobs(struct test *t)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		queue_hung_jobs(t);
		fflush(stdout);
		_exit(test_failed(t));
	}
	REQUIRE(t, pid > 0 && waitpid(pid, &status, 0) == pid, "%s", strerror(errno));
	CHECK(t, WIFEXITED(status) && !WEXITSTATUS(status), "status %#x", status);
	/* The one that was on its core times out. */
	sleep_ms((unsigned)(job_timeout(t) / MS * 3 / 2));
	files_use_all_cores(t);
}

/* The jobs of one file run one after the other, unless rocket_multicore says otherwise. */
static void file_uses_one_core(struct test *t)
{
	struct file *f = test_file(t);
	struct file *files[CORES] = { f, f, f };
	int64_t took, timeout = job_timeout(t);

	if (t->node->calls->param("rocket", "rocket_multicore", 0)) {
		test_skip(t, "rocket_multicore is set");
		return;
	}
	REQUIRE(t, f, "no file");
	took = hang_each(t, files, CORES);
	CHECK(t, took > timeout * 5 / 2, "%lld ms", (long long)(took / MS));
}

/* rocket_multicore for files opened from now on; skips the test where there is none. */
static bool multicore_on(struct test *t, long *before)
{
	const struct node_calls *calls = t->node->calls;

	*before = calls->param("rocket", "rocket_multicore", -1);
	if (*before < 0)
		test_skip(t, "the driver has no parameter rocket_multicore");
	else if (calls->param_set("rocket", "rocket_multicore", 1))
		test_skip(t, "may not set rocket_multicore");
	else
		return true;
	return false;
}

static void multicore_file_uses_all_cores(struct test *t)
{
	struct file *f;
	long before;

	if (!multicore_on(t, &before))
		return;
	f = test_file(t);
	t->node->calls->param_set("rocket", "rocket_multicore", before);
	REQUIRE(t, f, "no file");
	check_at_once(t, (struct file *[]){ f, f, f });
}

/* A job that names what another one writes runs behind it, on whichever core. */
static void multicore_jobs_keep_the_order_of_their_buffers(struct test *t)
{
	int64_t start, took, timeout = job_timeout(t);
	struct load first, second;
	struct file *f;
	uint32_t in[4];
	long before;
	int ret;

	if (!multicore_on(t, &before))
		return;
	f = test_file(t);
	t->node->calls->param_set("rocket", "rocket_multicore", before);
	REQUIRE(t, load_make(&first, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	REQUIRE(t, load_make(&second, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	load_hang(&first, 0);
	memcpy(in, second.in_handles, sizeof(second.in_handles));
	in[3] = first.out->handle;
	second.job.in_bo_handles = (uintptr_t)in;
	second.job.in_bo_handle_count = 4;
	start = now_ns();
	REQUIRE(t, !load_submit(&first) && !load_submit(&second), "SUBMIT");
	ret = load_wait(&second, 10 * SECOND);
	took = now_ns() - start;
	CHECK(t, load_failed_as_told(&second, ret), "reader of a failed job: %s", strerror(-ret));
	CHECK(t, took > timeout * 4 / 5, "it ran after %lld ms", (long long)(took / MS));
}

static const struct test_case cases[] = {
	{ .name = "files_use_all_cores", .run = files_use_all_cores, .log = KLOG_TIMEOUT },
	{ .name = "files_use_all_cores_after_dropped_jobs",
	  .run = files_use_all_cores_after_dropped_jobs,
	  .needs = NEED_KERNEL,
	  .log = KLOG_TIMEOUT },
	{ .name = "file_uses_one_core", .run = file_uses_one_core, .log = KLOG_TIMEOUT },
	{ .name = "multicore_file_uses_all_cores",
	  .run = multicore_file_uses_all_cores,
	  .log = KLOG_TIMEOUT },
	{ .name = "multicore_jobs_keep_the_order_of_their_buffers",
	  .run = multicore_jobs_keep_the_order_of_their_buffers,
	  .log = KLOG_TIMEOUT },
};

struct test_table core_cases(void)
{
	return TEST_TABLE(cases);
}

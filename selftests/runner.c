// SPDX-License-Identifier: LGPL-2.1-or-later
#include "runner.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "file.h"

#define DEADLINE_S 30
/* A killed child that stays is stuck in the kernel. */
#define KILL_WAIT_S 5

/* What a test leaves behind; in shared memory when it ran in a child. */
struct verdict {
	enum tap_status status;
	char reason[160];
};

bool test_failed(const struct test *t)
{
	return t->status == TAP_FAIL;
}

bool test_check(struct test *t, bool ok, const char *file, int line, const char *condition,
		const char *fmt, ...)
{
	const char *base = strrchr(file, '/');
	char text[256];
	va_list ap;

	if (ok)
		return true;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tap_note("%s:%d: %s: %s", base ? base + 1 : file, line, condition, text);
	t->status = TAP_FAIL;
	return false;
}

void test_skip(struct test *t, const char *fmt, ...)
{
	va_list ap;

	if (t->status == TAP_FAIL)
		return;
	t->status = TAP_SKIP;
	va_start(ap, fmt);
	vsnprintf(t->reason, sizeof(t->reason), fmt, ap);
	va_end(ap);
}

unsigned test_rounds(const struct test *t, unsigned few, unsigned many)
{
	return t->options->long_form ? many : few;
}

static unsigned deadline_of(const struct options *o, const struct test_case *c)
{
	return (c->seconds ? c->seconds : DEADLINE_S) * o->factor * (o->long_form ? 10 : 1);
}

static struct verdict run_here(const struct node *node, const struct options *options,
			       const struct test_case *c)
{
	struct test t = { .node = node, .options = options, .as = c };
	struct verdict v;

	test_files_begin(&t);
	c->run(&t);
	test_files_end(&t);
	v.status = t.status;
	memcpy(v.reason, t.reason, sizeof(v.reason));
	return v;
}

/* ---- in this process, with a watchdog thread ---- */

struct watchdog {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const struct options *options;
	const struct test_case *running;
	struct timespec deadline;
	bool stop;
};

static void *watchdog_thread(void *arg)
{
	struct watchdog *w = arg;

	pthread_mutex_lock(&w->lock);
	while (!w->stop) {
		if (!w->running) {
			pthread_cond_wait(&w->changed, &w->lock);
			continue;
		}
		if (pthread_cond_timedwait(&w->changed, &w->lock, &w->deadline) != ETIMEDOUT)
			continue;
		tap_result(TAP_FAIL, w->running->name, "");
		tap_bail_out("%s did not end within %u s", w->running->name,
			     deadline_of(w->options, w->running));
		_exit(TAP_FAIL);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static bool watchdog_start(struct watchdog *w, pthread_t *thread)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->changed, &attr);
	pthread_condattr_destroy(&attr);
	return !pthread_create(thread, NULL, watchdog_thread, w);
}

static void watchdog_watch(struct watchdog *w, const struct test_case *c)
{
	pthread_mutex_lock(&w->lock);
	w->running = c;
	if (c) {
		clock_gettime(CLOCK_MONOTONIC, &w->deadline);
		w->deadline.tv_sec += deadline_of(w->options, c);
	}
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static void watchdog_stop(struct watchdog *w, pthread_t thread)
{
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(thread, NULL);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
}

/* ---- in a child ---- */

/* Wait for pid; false when it is still there after seconds. */
static bool reap(pid_t pid, unsigned seconds, int *status)
{
	const struct timespec nap = { .tv_nsec = 2000000 };
	int64_t end = now_ns() + (int64_t)seconds * 1000000000;

	for (;;) {
		pid_t got = waitpid(pid, status, WNOHANG);

		if (got == pid)
			return true;
		if ((got < 0 && errno != EINTR) || now_ns() > end)
			return false;
		nanosleep(&nap, NULL);
	}
}

static struct verdict child_gone_wrong(const struct test_case *c, int status)
{
	struct verdict v = { .status = TAP_FAIL };

	if (WIFSIGNALED(status))
		tap_note("%s: killed by signal %d", c->name, WTERMSIG(status));
	else
		tap_note("%s: ended early with status %d", c->name, WEXITSTATUS(status));
	return v;
}

static struct verdict run_in_child(const struct node *node, const struct options *options,
				   const struct test_case *c, struct verdict *shared)
{
	struct verdict late = { .status = TAP_FAIL };
	unsigned seconds = deadline_of(options, c);
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0) {
		tap_note("%s: fork: %s", c->name, strerror(errno));
		return late;
	}
	if (!pid) {
		*shared = run_here(node, options, c);
		fflush(stdout);
		_exit(TAP_PASS);
	}
	if (!reap(pid, seconds, &status)) {
		tap_note("%s: did not end within %u s", c->name, seconds);
		kill(pid, SIGKILL);
		if (!reap(pid, KILL_WAIT_S, &status))
			tap_note("%s: process %d cannot be killed", c->name, (int)pid);
		return late;
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) != TAP_PASS)
		return child_gone_wrong(c, status);
	return *shared;
}

/* ---- the run ---- */

struct run {
	const struct node *node;
	const struct options *options;
	struct verdict *shared; /* NULL: in this process */
	struct watchdog watchdog;
	struct klog log;
	unsigned complaints; /* records of the whole run */
	unsigned announced;  /* by the test before: its last job may end late */
	bool tainted;
};

static struct verdict run_isolated(struct run *r, const struct test_case *c)
{
	struct verdict v;

	if (r->shared) {
		unsigned complaints;

		klog_mark(&r->log, c->name, c->log);
		v = run_in_child(r->node, r->options, c, r->shared);
		complaints = klog_complaints(&r->log, c->log | r->announced);
		r->announced = c->log;
		r->complaints += complaints;
		if (complaints)
			v.status = TAP_FAIL;
		if (klog_tainted(&r->log)) {
			r->tainted = true;
			v.status = TAP_FAIL;
		}
		return v;
	}
	watchdog_watch(&r->watchdog, c);
	v = run_here(r->node, r->options, c);
	watchdog_watch(&r->watchdog, NULL);
	return v;
}

/* Why the test cannot be made, or NULL. */
static const char *unmet_need(const struct run *r, const struct test_case *c)
{
	const bool lacks[] = {
		r->node->calls->in_process,  r->node->calls->in_process || geteuid() != 0,
		!r->options->long_form,      !r->options->dangerous,
		!r->node->calls->in_process,
	};
	static const char *const reasons[] = {
		"needs a kernel, this is the device in the process",
		"needs root and a kernel",
		"long, needs --long",
		"may take the machine down, needs --dangerous",
		"would crash the driver, which checks nothing of it",
	};

	for (unsigned i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++)
		if (c->needs >> i & 1 && lacks[i])
			return reasons[i];
	return NULL;
}

static void run_case(struct run *r, const struct test_case *c)
{
	const struct expectation_row *unmet =
		expectation_unmet(c->expects, r->node->major, r->node->minor);
	const char *need = unmet_need(r, c);
	struct verdict v;

	if (need || (unmet && unmet->before == BEFORE_ABSENT)) {
		tap_result(TAP_SKIP, c->name, need ? need : unmet->reason);
		return;
	}
	if (unmet && unmet->before == BEFORE_DANGER && !r->options->dangerous) {
		char reason[160];

		snprintf(reason, sizeof(reason), "needs --dangerous: %s", unmet->reason);
		tap_result(TAP_SKIP, c->name, reason);
		return;
	}
	v = run_isolated(r, c);
	if (unmet && v.status == TAP_FAIL)
		tap_result(TAP_XFAIL, c->name, unmet->reason);
	else
		tap_result(v.status, c->name, v.reason);
}

/* The kernel's own verdict on the whole run. */
static void run_kernel_verdicts(struct run *r)
{
	if (r->log.fd < 0)
		tap_result(TAP_SKIP, "kernel_log_clean", "may not read the kernel log");
	else
		tap_result(r->complaints ? TAP_FAIL : TAP_PASS, "kernel_log_clean", "");
	if (!r->log.taint_known)
		tap_result(TAP_SKIP, "kernel_taint_unchanged", "taint flags not readable");
	else
		tap_result(r->tainted ? TAP_FAIL : TAP_PASS, "kernel_taint_unchanged", "");
}

static void run_tables(struct run *r, const struct test_table *tables, size_t n_tables)
{
	for (size_t i = 0; i < n_tables; i++)
		for (size_t j = 0; j < tables[i].n; j++)
			if (options_choose(r->options, tables[i].cases[j].name))
				run_case(r, &tables[i].cases[j]);
}

static unsigned count_chosen(const struct options *o, const struct test_table *tables,
			     size_t n_tables)
{
	unsigned n = 0;

	for (size_t i = 0; i < n_tables; i++)
		for (size_t j = 0; j < tables[i].n; j++)
			n += options_choose(o, tables[i].cases[j].name);
	return n;
}

int test_run(const struct node *node, const struct options *options,
	     const struct test_table *tables, size_t n_tables, const char *kmsg_path,
	     const char *taint_path)
{
	struct run r = {
		.node = node, .options = options, .log.fd = -1, .watchdog.options = options
	};
	unsigned n = count_chosen(options, tables, n_tables);
	pthread_t thread;

	if (!n)
		tap_skip_all("no test has such a name");
	tap_plan(n + (node->calls->in_process ? 0 : 2));
	tap_note("node %s, driver %s %d.%d", node->path, node->driver, node->major, node->minor);

	if (node->calls->in_process) {
		if (!watchdog_start(&r.watchdog, &thread)) {
			tap_bail_out("cannot start the watchdog thread");
			return TAP_FAIL;
		}
		run_tables(&r, tables, n_tables);
		watchdog_stop(&r.watchdog, thread);
		return tap_end();
	}

	r.shared = mmap(NULL, sizeof(*r.shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (r.shared == MAP_FAILED) {
		tap_bail_out("cannot share memory with the tests: %s", strerror(errno));
		return TAP_FAIL;
	}
	klog_open(&r.log, kmsg_path, taint_path);
	run_tables(&r, tables, n_tables);
	run_kernel_verdicts(&r);
	klog_close(&r.log);
	munmap(r.shared, sizeof(*r.shared));
	return tap_end();
}

static void print_names(const struct options *o, const struct test_table *tables, size_t n_tables)
{
	for (size_t i = 0; i < n_tables; i++)
		for (size_t j = 0; j < tables[i].n; j++)
			if (options_choose(o, tables[i].cases[j].name))
				printf("%s\n", tables[i].cases[j].name);
}

int test_main(int argc, char **argv, const struct test_table *tables, size_t n_tables)
{
	return test_main_of("rocket", argc, argv, tables, n_tables);
}

int test_main_of(const char *driver, int argc, char **argv, const struct test_table *tables,
		 size_t n_tables)
{
	struct node node = { 0 };
	struct options options;
	char why[512];

	options_parse(&options, argc, argv);
	if (options.list) {
		print_names(&options, tables, n_tables);
		return TAP_PASS;
	}
	tap_begin();
	if (!node_find(&node, driver, options.node, why, sizeof(why)))
		tap_skip_all("%s", why);
	return test_run(&node, &options, tables, n_tables, "/dev/kmsg", "/proc/sys/kernel/tainted");
}

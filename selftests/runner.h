/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * runner.h - runs a table of tests, each under a deadline and each isolated.
 *
 * On a real node a test is a forked child: an oops or a crash costs one verdict. The
 * in-process device does not survive fork, so there the tests run in this process and
 * a test that misses its deadline ends the run.
 */
#ifndef SELFTESTS_RUNNER_H
#define SELFTESTS_RUNNER_H

#include <stdbool.h>
#include <stddef.h>

#include "klog.h"
#include "node.h"
#include "options.h"
#include "tap.h"
#include "version.h"

struct test;

struct test_case {
	const char *name;
	void (*run)(struct test *t);
	enum expectation expects;
	const void *arg;  /* the row of a table-driven test */
	unsigned seconds; /* deadline; 0 = 30 */
	unsigned log;     /* enum klog_line: what the kernel may say meanwhile */
	unsigned needs;   /* enum need */
};

/* What a test cannot be made without; it is skipped, and says so. */
enum need {
	NEED_KERNEL = 1u << 0, /* not the device in the process */
	NEED_ROOT = 1u << 1,   /* and NEED_KERNEL */
	NEED_LONG = 1u << 2,   /* --long */
	NEED_DANGEROUS =
		1u << 3,        /* --dangerous: it may take the machine down whatever the driver */
	NEED_PROCESS = 1u << 4, /* the device in the process: a kernel would crash */
};

struct test_files; /* file.h */

struct test {
	const struct node *node;
	const struct options *options;
	const struct test_case *as;
	enum tap_status status;
	char reason[160];
	struct test_files *files; /* closed when the test ends, however it ends */
};

/* Run every case of every table. Returns the exit code. */
struct test_table {
	const struct test_case *cases;
	size_t n;
};
#define TEST_TABLE(array) ((struct test_table){ array, sizeof(array) / sizeof((array)[0]) })

int test_main(int argc, char **argv, const struct test_table *tables, size_t n_tables);
/* The same on a node of another driver than rocket. */
int test_main_of(const char *driver, int argc, char **argv, const struct test_table *tables,
		 size_t n_tables);
/* The same with everything given: what test_main() does once it has found a node. */
int test_run(const struct node *node, const struct options *options,
	     const struct test_table *tables, size_t n_tables, const char *kmsg_path,
	     const char *taint_path);

/* Fails the test when ok is false: place, condition and message become a diagnostic. */
bool test_check(struct test *t, bool ok, const char *file, int line, const char *condition,
		const char *fmt, ...) __attribute__((format(printf, 6, 7)));
#define CHECK(t, cond, ...) test_check(t, cond, __FILE__, __LINE__, #cond, __VA_ARGS__)
/* The same, and leaves the test: nothing after it could be judged. */
#define REQUIRE(t, cond, ...)                                                                      \
	do {                                                                                       \
		if (!CHECK(t, cond, __VA_ARGS__))                                                  \
			return;                                                                    \
	} while (0)

/* The test cannot be made here; return after it. A failure found before stays a failure. */
void test_skip(struct test *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool test_failed(const struct test *t);
/* few, or many in the long form. */
unsigned test_rounds(const struct test *t, unsigned few, unsigned many);

#endif

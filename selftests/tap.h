/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tap.h - results as the kernel's self tests print them: TAP version 13, a plan, one
 * line per test, a totals line, an exit code.
 */
#ifndef SELFTESTS_TAP_H
#define SELFTESTS_TAP_H

#include <stdbool.h>

/* Values are the kselftest exit codes of the same meaning. */
enum tap_status {
	TAP_PASS = 0,
	TAP_FAIL = 1,
	TAP_XFAIL = 2, /* failed, as is known of this driver version */
	TAP_SKIP = 4,
};

/* Line buffering and the version line (left out when KSFT_TAP_LEVEL is set). */
void tap_begin(void);
/* No plan yet: "1..0 # SKIP reason" and exit code 4. */
void tap_skip_all(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
void tap_plan(unsigned tests);
/* A diagnostic: one line, "# " in front. */
void tap_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* reason is printed for TAP_SKIP and TAP_XFAIL; it may be "". */
void tap_result(enum tap_status status, const char *name, const char *reason);
/* The run cannot go on. */
void tap_bail_out(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Totals. Returns the exit code: 0, or 1 when a test failed or is missing. */
int tap_end(void);

#endif

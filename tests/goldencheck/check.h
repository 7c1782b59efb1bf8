/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * check.h - the verdict on one golden file, and the kinds of files there are.
 */
#ifndef TESTS_GOLDENCHECK_CHECK_H
#define TESTS_GOLDENCHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/encode/matmul.h"
#include "source.h"

enum verdict { PASSED, FAILED, SKIPPED };

struct check {
	const struct source *src;
	enum verdict verdict;
	char reason[256];   /* why not, or a remark when passed */
	char *detail;       /* lines about the first differences */
	size_t detail_size; /* of what detail points to */
	unsigned differences;
};

/* The first verdict that is not PASSED stays. line 0: the whole file. */
void check_fail(struct check *c, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void check_skip(struct check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A remark beside a passed file, e.g. what of it could not be compared. */
void check_note(struct check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One difference: makes the file fail, and is shown with --verbose. */
void check_differs(struct check *c, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Type of a golden file's names, "fp16" and "fp32"; false when there is none here. */
bool matmul_form(const char *operands, const char *result, struct rocket_matmul_task *task);

/* One kind of golden file. */
struct kind {
	bool (*is)(const struct source *s);
	void (*check)(struct check *c);
};
extern const struct kind program_kind, program_index_kind;
extern const struct kind plan_kind, plan_index_kind, planner_kind, column_split_kind;
extern const struct kind packing_kind, output_map_kind;
extern const struct kind fp16_base_kind, fp16_kacc_kind, integer_kind, int16_split_kind;

/* With --lint: register programs of the RK3588 through the validator instead. */
void lint_program(struct check *c);

#endif

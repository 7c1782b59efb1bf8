/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * judge.h - whether the result of a product is what it must be.
 */
#ifndef TESTS_MATMUL_JUDGE_H
#define TESTS_MATMUL_JUDGE_H

#include "form.h"

enum operand { HALVES, FLOATS, BYTES, SHORTS };
enum judge { EXACT32, EXACT64, HALF_BOUND, FLOAT_BOUND, CUT_BOUND, GROUP_BOUND };

/* Operands of a product as its entry takes them, and its result. */
struct problem {
	const struct form *form;
	struct test_shape s;
	int group;
	void *a, *b, *c;
	float *a_scale, *b_scale;
	int kt; /* of the (first) plan that ran */
};

struct form {
	const char *name;
	const char *dtype; /* of rocket_mm_align() */
	enum operand operand;
	int lo, hi; /* of integers */
	enum judge judge;
	uint32_t mask; /* CUT_BOUND: the bits of a float that the NPU reads */
	int k_group;   /* k that are summed exactly */
	bool one_row;  /* takes M = 1 */
	int (*run)(int fd, struct problem *p);
};

/* Fail the test where an element of C is not what it must be. */
void judge(const struct problem *p);

#endif

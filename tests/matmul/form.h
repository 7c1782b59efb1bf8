/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * form.h - every way to multiply, as rows of one table: run a shape, judge the result.
 */
#ifndef TESTS_MATMUL_FORM_H
#define TESTS_MATMUL_FORM_H

#include <stdbool.h>

#include "device.h"

struct form;
extern const unsigned n_forms;
const struct form *form_at(unsigned i);
const char *form_name(const struct form *form);
/* NULL when there is none of that name. */
const struct form *form_named(const char *name);
/* Whether the shape is one that the form takes as it is. */
bool form_takes(const struct form *form, struct test_shape s);
/* A random shape that it takes. */
struct test_shape form_shape(const struct form *form, struct test_rng *rng);

/*
 * Multiply random operands on fd, and fail the test where an element is not what it must be:
 * exactly for integers, within the documented bound for floats. Of large products some rows and
 * columns are compared, those at the edges among them.
 */
void form_check(const struct form *form, int fd, struct test_rng *rng, struct test_shape s);
/* The same for any shape: padded with zeros to what the form takes, C cut out again. */
void form_check_padded(const struct form *form, int fd, struct test_rng *rng, struct test_shape s);

#endif

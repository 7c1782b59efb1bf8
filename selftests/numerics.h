/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* numerics.h - the tables of tests that the program "numerics" runs. */
#ifndef SELFTESTS_NUMERICS_H
#define SELFTESTS_NUMERICS_H

#include "runner.h"

struct test_table shape_cases(void); /* one task of many shapes and values */
struct test_table form_cases(void);  /* accumulation, operand reuse, row-major */
struct test_table files_cases(void); /* several files at once */

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* concurrency.h - the table of tests that the program "concurrency" runs. */
#ifndef SELFTESTS_CONCURRENCY_H
#define SELFTESTS_CONCURRENCY_H

#include "runner.h"

struct test_table concurrency_cases(void);

#endif

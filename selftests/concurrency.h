/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* concurrency.h - the tables of tests that the program "concurrency" runs, one file each. */
#ifndef SELFTESTS_CONCURRENCY_H
#define SELFTESTS_CONCURRENCY_H

#include "runner.h"

struct test_table client_cases(void); /* many clients: right results, none passed over */
struct test_table core_cases(void);   /* which cores their jobs run on */

#endif

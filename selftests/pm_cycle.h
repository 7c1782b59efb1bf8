/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pm_cycle.h - the tables of tests that the program "pm-cycle" runs, one file each. */
#ifndef SELFTESTS_PM_CYCLE_H
#define SELFTESTS_PM_CYCLE_H

#include "runner.h"

struct test_table power_cases(void);  /* cores that sleep and wake */
struct test_table clock_cases(void);  /* the clock lever and the rail */
struct test_table stats_cases(void);  /* what the driver tells of itself */
struct test_table sleep_cases(void);  /* the system sleeps */
struct test_table module_cases(void); /* the module goes and comes; last, it takes the node along */

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* batch.h - the tables of tests that the program "batch" runs, one file each. */
#ifndef SELFTESTS_BATCH_H
#define SELFTESTS_BATCH_H

#include "runner.h"

struct test_table chain_cases(void); /* DRM_ROCKET_JOB_BATCHED */
struct test_table end_cases(void);   /* the flags that say how a job ends */

#endif

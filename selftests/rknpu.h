/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rknpu.h - the tables of the program rknpu. */
#ifndef SELFTESTS_RKNPU_H
#define SELFTESTS_RKNPU_H

#include "runner.h"

struct test_table rknpu_memory_cases(void);
struct test_table rknpu_submit_cases(void);
struct test_table rknpu_core_cases(void);
struct test_table rknpu_action_cases(void);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fault.h - the tables of tests that the program "fault" runs, one file each. */
#ifndef SELFTESTS_FAULT_H
#define SELFTESTS_FAULT_H

#include "runner.h"

struct test_table job_fault_cases(void);    /* jobs that fail, who is told, what follows */
struct test_table core_fault_cases(void);   /* the core and the kernel after that */
struct test_table device_fault_cases(void); /* a device that misbehaves; needs its knobs */

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lifetime.h - the tables of tests that the program "lifetime" runs, one file each. */
#ifndef SELFTESTS_LIFETIME_H
#define SELFTESTS_LIFETIME_H

#include "runner.h"

struct test_table file_cases(void);    /* close, munmap, GEM_CLOSE with jobs in flight */
struct test_table process_cases(void); /* fork, exec, exit, SIGKILL */
struct test_table dmabuf_cases(void);  /* buffers that outlive their file */
struct test_table leak_cases(void);    /* what the kernel keeps */

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* submit.h - the tables of tests that the program "submit" runs, one file each. */
#ifndef SELFTESTS_SUBMIT_H
#define SELFTESTS_SUBMIT_H

#include "runner.h"

struct test_table node_cases(void);    /* version, numbers, files */
struct test_table bo_cases(void);      /* CREATE_BO, mmap, GEM_CLOSE, the IOVA window */
struct test_table wait_cases(void);    /* PREP_BO, FINI_BO */
struct test_table ranges_cases(void);  /* PREP_BO_RANGES, FINI_BO_RANGES */
struct test_table args_cases(void);    /* what SUBMIT accepts and refuses */
struct test_table pointer_cases(void); /* SUBMIT with pointers that lead nowhere */
struct test_table count_cases(void);   /* task arrays of every length, lists, handles */
struct test_table order_cases(void);   /* what runs before what */

#endif

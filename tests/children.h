/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* children.h - what a child of fork() can do where the tests run. */
#ifndef TESTS_CHILDREN_H
#define TESTS_CHILDREN_H

#include <stdbool.h>

/*
 * False under a sanitizer, whose own locks stay held in a child when another thread had one at
 * fork(), and under qemu-user, which does not follow a child that starts threads.
 */
bool test_child_may_start_threads(void);

#endif

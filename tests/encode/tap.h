/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tap.h - what the cmocka programs of this folder include first, in the order it wants. */
#ifndef TESTS_ENCODE_TAP_H
#define TESTS_ENCODE_TAP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif

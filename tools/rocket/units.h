/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * units.h - numbers as people read them. Each writes to buf and returns it.
 */
#ifndef TOOLS_ROCKET_UNITS_H
#define TOOLS_ROCKET_UNITS_H

#include <stddef.h>

#define UNITS_SIZE 48

/* "12,345,678" */
const char *units_count(char buf[UNITS_SIZE], unsigned long long value);
/* "65.3 MiB" */
const char *units_bytes(char buf[UNITS_SIZE], unsigned long long value);
/* "12.3 ms" of microseconds */
const char *units_time(char buf[UNITS_SIZE], double us);
/* "1.25e-03", "0" */
const char *units_error(char buf[UNITS_SIZE], double value);

#endif

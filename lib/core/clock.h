/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clock.h - the time that intervals are measured in. */
#ifndef ROCKET_CORE_CLOCK_H
#define ROCKET_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t rocket_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif

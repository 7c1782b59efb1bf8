// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_stats.c - see matmul_stats.h. */
#include <time.h>

#include "matmul_run.h"

static _Thread_local struct rocket_matmul_stats last;

void rocket_matmul_last_stats(struct rocket_matmul_stats *out)
{
	*out = last;
}

void rocket_matmul_set_last_stats(const struct rocket_matmul_stats *stats)
{
	last = *stats;
}

const char *rocket_matmul_phase_name(enum rocket_matmul_phase phase)
{
	static const char *const names[ROCKET_PHASES] = {
		[ROCKET_PHASE_PREPARE] = "prepare", [ROCKET_PHASE_PACK] = "pack",
		[ROCKET_PHASE_ENCODE] = "encode",   [ROCKET_PHASE_SUBMIT] = "submit",
		[ROCKET_PHASE_WAIT] = "wait",       [ROCKET_PHASE_UNPACK] = "unpack",
	};

	return (unsigned)phase < ROCKET_PHASES ? names[phase] : "?";
}

uint64_t rocket_matmul_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

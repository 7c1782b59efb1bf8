// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_stats.c - see matmul_stats.h. */
#include <pthread.h>
#include <stdio.h>

#include "matmul_run.h"

static _Thread_local struct rocket_matmul_stats last;

void rocket_matmul_last_stats(struct rocket_matmul_stats *out)
{
	*out = last;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rocket_matmul_stats profile;
static unsigned long profiled_calls;

void rocket_matmul_set_last_stats(const struct rocket_matmul_stats *stats, bool profiled)
{
	last = *stats;
	if (!profiled)
		return;
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < ROCKET_PHASES; i++)
		profile.ns[i] += stats->ns[i];
	profile.total_ns += stats->total_ns;
	profile.tasks += stats->tasks;
	profile.submits += stats->submits;
	profiled_calls++;
	pthread_mutex_unlock(&lock);
}

/* The settings asked for it, so it goes where nobody has to listen. */
__attribute__((destructor)) static void print_profile(void)
{
	if (!profiled_calls)
		return;
	fprintf(stderr, "rocket: matmul profile: %lu calls, %.3f ms, %lu submits, %lu tasks\n",
		profiled_calls, (double)profile.total_ns * 1e-6, (unsigned long)profile.submits,
		(unsigned long)profile.tasks);
	for (unsigned i = 0; i < ROCKET_PHASES; i++)
		fprintf(stderr, "rocket: matmul profile: %-8s %12.3f ms\n",
			rocket_matmul_phase_name((enum rocket_matmul_phase)i),
			(double)profile.ns[i] * 1e-6);
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

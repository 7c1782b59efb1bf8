/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * scenario.h - the four batches of tasks that the published report measured, and its figures.
 */
#ifndef BENCH_SCALING_SCENARIO_H
#define BENCH_SCALING_SCENARIO_H

#include <stdint.h>

#define SCALING_CORES 3u

enum scaling_mode {
	SCALING_SHARED, /* one A and one B for all tasks, a C for each */
	SCALING_UNIQUE, /* an A, a B and a C for each task */
	SCALING_MODES,
};
extern const char *const scaling_mode_names[SCALING_MODES]; /* "shared", "unique" */

/* Milliseconds of a blocking submit on one core and on three; 0: not published. */
struct scaling_published {
	double one_ms, three_ms;
};
extern const char *const scaling_published_source;
/* The best efficiency of three cores in it. */
#define SCALING_PUBLISHED_BEST 0.8378

/* Tasks that each are a product of M x K by K x N. */
struct scaling_scenario {
	const char *name;
	uint32_t M, K, N;
	uint32_t tasks[SCALING_MODES]; /* 0: not run in this mode */
	uint32_t warm_up, rounds;
	struct scaling_published published[SCALING_MODES];
};
#define SCALING_SCENARIOS 4u
extern const struct scaling_scenario scaling_scenarios[SCALING_SCENARIOS];

/* The tasks of part i when `tasks` are cut into `parts` as even as can be, the first ones longer.
 */
struct scaling_range {
	uint32_t first, count;
};
struct scaling_range scaling_part(uint32_t tasks, uint32_t parts, uint32_t i);

/* speed-up / cores */
double scaling_efficiency(double one, double three);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * makespan.h - how long tasks take on several cores, an ESTIMATE: the cost model's time of each
 * task, the scheduler's own rules of who runs when (sim/dev/sched), and what cores share.
 *
 * Pure. Cores share memory: those that move data at one time get a part of its bandwidth each, and
 * as all kicks do their computing first and their traffic after it, they move data at the same
 * time, which is the worst case. A driver that dispatches by a worker does one thing at a time.
 */
#ifndef BENCH_SCALING_MAKESPAN_H
#define BENCH_SCALING_MAKESPAN_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/dev/sched/core_sched.h"
#include "sim/npu/npu.h"

struct makespan_model {
	double rate;      /* bytes a microsecond of one core alone */
	double rate_all;  /* and of all cores together */
	bool overlap;     /* computing and traffic at the same time */
	double kick_us;   /* of a kick and its first task, the worker's part in it */
	double task_us;   /* of every further task of a kick */
	double worker_us; /* the part that one worker does for all cores: half before, half after */
};

struct makespan_task {
	double compute_us, bytes;
};

/* Of a parameter set at a clock; rate_all and worker_us are not in it. */
struct makespan_model makespan_model_of(const struct npu_cost_set *set, enum npu_cost_type type,
					double mhz);
struct makespan_task makespan_task_of(const struct npu_cost_set *set, enum npu_cost_type type,
				      double mhz, const struct npu_counters *counters);

/*
 * Microseconds until the submit is done whose lanes are ranges of tasks[], on a device of so many
 * cores that has nothing else to do. Negative: the scheduler does not take it, or it would never
 * end.
 */
double makespan_us(const struct makespan_model *model, const struct makespan_task *tasks,
		   const struct core_sched_request *request, unsigned cores);

#endif

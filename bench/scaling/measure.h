/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * measure.h - one scenario in one mode on a device: rounds on one core and on three, every result
 * of every one checked, and on a simulated device what the tasks are estimated to take.
 */
#ifndef BENCH_SCALING_MEASURE_H
#define BENCH_SCALING_MEASURE_H

#include "device.h"

/* 1 core, 3 cores. */
enum { SCALING_ONE, SCALING_THREE, SCALING_ARMS };
extern const unsigned scaling_arm_cores[SCALING_ARMS];

/* Milliseconds of the blocking submit, over the measured rounds. */
struct scaling_times {
	double avg, min, max;
};

/* Interrupt statuses that the driver stored. */
struct scaling_statuses {
	uint64_t expected; /* tasks that ran in rounds where each one's must be there */
	uint64_t told, wrong;
	uint32_t wrong_task, wrong_status; /* of the first */
};

/* By a parameter set of the cost model: an ESTIMATE. Milliseconds. */
struct scaling_estimate {
	const char *set, *meaning;
	double ms[SCALING_ARMS];
	double memory_gbs; /* of all cores, that it supposes */
	double worker_us;  /* of a kick, that one worker does for all cores */
	/* The same with no limit to the memory of all cores; and with no worker: what bounds it. */
	double free_memory_ms[SCALING_ARMS], free_worker_ms[SCALING_ARMS];
};
enum { SCALING_SET_M, SCALING_SET_V, SCALING_SETS };

struct scaling_result {
	const struct scaling_scenario *scenario;
	enum scaling_mode mode;
	uint32_t tasks, warm_up, rounds;
	double prepare_ms; /* packing operands and making programs: in none of the times */
	struct scaling_times wall[SCALING_ARMS];
	uint64_t elements; /* of results that were compared, in all rounds */
	struct scaling_wrong wrong;
	unsigned wrong_cores; /* cores of the round with the first wrong element; 0: a task alone */
	struct scaling_statuses status;
	bool estimated;
	struct scaling_estimate estimates[SCALING_SETS];
	uint64_t kicks[SCALING_ARMS]; /* of a round, as the simulated device counts */
	uint64_t macs, bytes;         /* of a round */
	bool counted_alike;           /* rounds moved and multiplied what their tasks did alone */
};

struct scaling_plan {
	uint32_t tasks;          /* most of a batch; 0: the scenario's */
	int32_t warm_up, rounds; /* < 0: the scenario's */
	double mhz;
};

/* 0 when it could be measured, whether it is right or not; else a negative status, said. */
int scaling_measure(const struct scaling_device *dev, const struct scaling_scenario *scenario,
		    enum scaling_mode mode, const struct scaling_plan *plan,
		    struct scaling_result *out);

bool scaling_right(const struct scaling_result *r);

/* Of all useful products of the batch. */
double scaling_gflops(const struct scaling_result *r, double ms);

#endif

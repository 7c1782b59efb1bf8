/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * estimate.h - device time from counters, by the cost model's two parameter sets.
 *
 * Never more than an ESTIMATE, and printed as one with both bounds: set M (compute and
 * memory traffic one after the other) is the pessimistic one, set V (overlapping) the
 * optimistic one.
 */
#ifndef TOOLS_ROCKET_ESTIMATE_H
#define TOOLS_ROCKET_ESTIMATE_H

#include <stdbool.h>

#include "lib/plan/matmul_plan.h"

#include "dtype.h"
#include "report.h"

/* What the NPU really runs at when the mainline driver is asked for 600 MHz [silicon]. */
#define ESTIMATE_MHZ     816
#define ESTIMATE_MHZ_MIN 1
#define ESTIMATE_MHZ_MAX 5000

struct estimate {
	double mhz;
	unsigned cores;
	double m_us, v_us;
};

/* False in a build without the cost model. Threads: how many fds shared the work. */
bool estimate_make(struct estimate *e, const struct dtype *dtype, double mhz, unsigned threads,
		   const struct npu_counters *counters);
/* Key "device_time_estimate". */
void estimate_report(struct report *r, const struct estimate *e);

/* Add what the device will count when it carries out the plan. */
void estimate_plan_counters(const struct rocket_matmul_plan *plan, struct npu_counters *counters);
/* Kicks, bytes by kind, MACs. Key "counters". */
void estimate_report_counters(struct report *r, const struct npu_counters *counters);
uint64_t estimate_bytes(const struct npu_counters *counters);

#endif

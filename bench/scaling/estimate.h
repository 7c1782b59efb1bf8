/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* estimate.h - the batch's time on a board from what the simulated device counts. */
#ifndef BENCH_SCALING_ESTIMATE_H
#define BENCH_SCALING_ESTIMATE_H

#include "config.h"
#include "measure.h"
#include "sim/npu/npu.h"

/* The counters of all fds since they were opened; false: there are none. */
bool scaling_counters(const struct scaling_device *dev, struct npu_counters *out);

/* Fill in r->estimates of tasks[r->tasks], each counted alone. False: no memory, or no model. */
bool scaling_estimate(struct scaling_result *r, const struct scaling_device *dev,
		      const struct npu_counters *tasks, double mhz);

#endif

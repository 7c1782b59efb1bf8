// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>

#include "estimate.h"

#if HAVE_SIM
#include "makespan.h"
#include "sim/dev/sim_dev.h"

/*
 * What all cores together get from memory: 12 to 17 GB/s [inferred from streaming on the board].
 *
 * The worker's share of a kick, where one worker dispatches for all cores: three cores took 14.8
 * and 18.1 us a task of tiny_dispatch [silicon], whose tasks are nothing but kicks. The vendor's
 * driver has no such worker, nor has rocket: each core's interrupt starts its next kick.
 */
static const struct {
	const struct npu_cost_set *set;
	double memory; /* bytes a microsecond */
} sets[SCALING_SETS] = {
	[SCALING_SET_M] = { &npu_cost_set_m, 12000 },
	[SCALING_SET_V] = { &npu_cost_set_v, 17000 },
};
#define WORKER_US 15.0
#define NO_LIMIT  1e12

bool scaling_counters(const struct scaling_device *dev, struct npu_counters *out)
{
	memset(out, 0, sizeof(*out));
	for (unsigned i = 0; i < dev->n_fds; i++) {
		struct npu_counters n;

		if (!dev->simulated || sim_dev_counters(dev->fds[i], &n))
			return false;
		out->kicks += n.kicks;
		out->tasks += n.tasks;
		out->macs += n.macs;
		out->read_feature += n.read_feature;
		out->read_weight += n.read_weight;
		out->read_operand += n.read_operand;
		out->read_program += n.read_program;
		out->write += n.write;
	}
	return true;
}

/* The lanes as the driver's scheduler has them: bound to a core, or for any of them. */
static struct core_sched_request request_of(const struct scaling_device *dev, uint32_t tasks,
					    unsigned cores)
{
	const bool any_core = dev->driver == &scaling_rknpu && dev->dispatch == SCALING_TASK;
	struct core_sched_request q = {
		.core_mask = (1u << cores) - 1,
		.run = dev->dispatch == SCALING_CHAIN ? UINT32_MAX : 1,
	};

	for (unsigned c = 0; c < cores; c++) {
		const struct scaling_range r = scaling_part(tasks, cores, c);

		q.lanes[c] = (struct core_sched_range){ r.first, r.count };
		q.lane_cores[c] = any_core ? 0 : (uint8_t)(1u << c);
	}
	return q;
}

static double ms_of(const struct scaling_device *dev, const struct makespan_model *model,
		    const struct makespan_task *tasks, uint32_t count, unsigned cores)
{
	const struct core_sched_request q = request_of(dev, count, cores);

	return makespan_us(model, tasks, &q, SCALING_CORES) / 1e3;
}

static void estimate_set(struct scaling_result *r, const struct scaling_device *dev, unsigned s,
			 const struct npu_counters *counters, double mhz,
			 struct makespan_task *tasks)
{
	const bool worker = dev->driver == &scaling_rknpu && dev->dispatch == SCALING_TASK;
	struct makespan_model model = makespan_model_of(sets[s].set, NPU_COST_16BIT, mhz);
	struct scaling_estimate *e = &r->estimates[s];

	model.rate_all = sets[s].memory;
	model.worker_us = worker ? WORKER_US : 0;
	*e = (struct scaling_estimate){ .set = sets[s].set->name,
					.meaning = sets[s].set->meaning,
					.memory_gbs = model.rate_all / 1e3,
					.worker_us = model.worker_us };
	for (uint32_t i = 0; i < r->tasks; i++)
		tasks[i] = makespan_task_of(sets[s].set, NPU_COST_16BIT, mhz, &counters[i]);
	for (unsigned a = 0; a < SCALING_ARMS; a++) {
		struct makespan_model unlimited = model, no_worker = model;

		unlimited.rate_all = NO_LIMIT;
		no_worker.worker_us = 0;
		e->ms[a] = ms_of(dev, &model, tasks, r->tasks, scaling_arm_cores[a]);
		e->free_memory_ms[a] =
			ms_of(dev, &unlimited, tasks, r->tasks, scaling_arm_cores[a]);
		e->free_worker_ms[a] =
			ms_of(dev, &no_worker, tasks, r->tasks, scaling_arm_cores[a]);
	}
}

bool scaling_estimate(struct scaling_result *r, const struct scaling_device *dev,
		      const struct npu_counters *counters, double mhz)
{
	struct makespan_task *tasks = calloc(r->tasks, sizeof(*tasks));

	for (unsigned s = 0; tasks && s < SCALING_SETS; s++)
		estimate_set(r, dev, s, counters, mhz, tasks);
	free(tasks);
	return tasks != NULL;
}
#else
bool scaling_counters(const struct scaling_device *dev, struct npu_counters *out)
{
	(void)dev;
	(void)out;
	return false;
}

bool scaling_estimate(struct scaling_result *r, const struct scaling_device *dev,
		      const struct npu_counters *counters, double mhz)
{
	(void)r;
	(void)dev;
	(void)counters;
	(void)mhz;
	return false;
}
#endif

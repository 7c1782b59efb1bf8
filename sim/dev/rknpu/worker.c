// SPDX-License-Identifier: LGPL-2.1-or-later
/* worker.c - doing what the scheduler says, and the cores that it gives work. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../kick.h"
#include "rknpu.h"

#define TASK_CON_FLAGS 0x6u /* reserved bit 0, COUNT_CLEAR above TASK_NUMBER */
#define TASK_CON_PP    0x1u

int64_t rknpu_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void rknpu_kick(struct sim_rknpu *r)
{
	pthread_cond_signal(&r->kick);
}

static struct rknpu_task *task_at(const struct rknpu_job *job, uint32_t index)
{
	return (struct rknpu_task *)(void *)(job->tasks->mem + index * sizeof(struct rknpu_task));
}

/* ---- the worker ---- */

/*
 * The vendor's driver writes the last task of the core it waits for when it has waited, with
 * whatever result, and so not with NONBLOCK [source: 0.9.8]. That of lanes writes every task.
 */
static void store_status(const struct sim_rknpu *r, const struct rknpu_job *job,
			 const struct core_sched_action *a)
{
	const struct core_sched_range *lane = &r->slots[a->id].request.lanes[a->lane];

	if (r->lanes)
		for (uint32_t i = 0; i < a->count && !a->error; i++)
			task_at(job, a->task + i)->int_status = a->status;
	else if (!job->detached && a->core == job->wait_core &&
		 a->task + a->count == lane->first + lane->count)
		task_at(job, a->task + a->count - 1)->int_status = a->status;
}

static void finish(struct sim_rknpu *r, struct rknpu_job *job)
{
	core_sched_take(&r->sched, job->id, &job->result);
	r->jobs[job->id] = NULL;
	if (!job->result.error)
		rknpu_fence_signal(job);
	job->woken = true;
	if (job->detached)
		rknpu_job_free(job);
	else
		pthread_cond_signal(&job->wake);
	pthread_cond_broadcast(&r->dev->idle);
}

static void perform(struct sim_rknpu *r, const struct core_sched_action *a)
{
	struct rknpu_job *job = r->jobs[a->id];

	switch (a->verb) {
	case CORE_SCHED_DONE:
		job->ended_ns = rknpu_now_ns();
		store_status(r, job, a);
		break;
	case CORE_SCHED_START:
		if (!job->began_ns)
			job->began_ns = rknpu_now_ns();
		r->orders[a->core] =
			(struct rknpu_order){ .job = job, .task = a->task, .count = a->count };
		pthread_cond_signal(&r->dev->cores[a->core].wake);
		break;
	case CORE_SCHED_WAKE:
		finish(r, job);
		break;
	case CORE_SCHED_WRITE: /* the lock orders memory already */
	case CORE_SCHED_READ:
		break;
	}
}

void *rknpu_worker(void *arg)
{
	struct sim_rknpu *r = arg;
	struct core_sched_action a;

	pthread_mutex_lock(&r->dev->lock);
	while (!r->stop) {
		if (core_sched_next(&r->sched, &a))
			perform(r, &a);
		else
			pthread_cond_wait(&r->kick, &r->dev->lock);
	}
	pthread_mutex_unlock(&r->dev->lock);
	return NULL;
}

/* ---- giving up ---- */

/* With a reset for the sake of job id. */
static bool leaves(const struct rknpu_job *job, int id)
{
	return !job->detached || job->id == id;
}

void rknpu_reset(struct sim_rknpu *r, int id, int error)
{
	for (int i = 0; i < (int)RKNPU_JOBS_MAX; i++)
		if (r->jobs[i] && leaves(r->jobs[i], id))
			core_sched_abort(&r->sched, i, i == id ? error : -EINVAL);
	for (unsigned c = 0; c < r->dev->n_cores; c++) {
		struct rknpu_order *order = &r->orders[c];

		if (!order->job)
			continue;
		if (leaves(order->job, id))
			order->killed = true;
		else
			order->reset = true;
		pthread_cond_signal(&r->dev->cores[c].wake);
	}
	rknpu_kick(r);
}

void rknpu_drop_queue(struct sim_rknpu *r, unsigned core)
{
	for (int i = 0; i < (int)RKNPU_JOBS_MAX; i++)
		if (r->jobs[i] && r->jobs[i]->detached && r->slots[i].bucket == CORE_SCHED_READY &&
		    r->slots[i].request.core_mask >> core & 1)
			core_sched_abort(&r->sched, i, -EINVAL);
	rknpu_kick(r);
}

static bool has_jobs(const struct sim_rknpu *r, const struct sim_file *file)
{
	for (unsigned i = 0; i < RKNPU_JOBS_MAX; i++)
		if (r->jobs[i] && r->jobs[i]->file == file)
			return true;
	return false;
}

void rknpu_detach(struct sim_file *file)
{
	struct sim_rknpu *r = file->dev->rknpu;

	for (int i = 0; i < (int)RKNPU_JOBS_MAX; i++)
		if (r->jobs[i] && r->jobs[i]->file == file)
			core_sched_abort(&r->sched, i, -ECANCELED);
	for (unsigned c = 0; c < r->dev->n_cores; c++)
		if (r->orders[c].job && r->orders[c].job->file == file) {
			r->orders[c].killed = true;
			pthread_cond_signal(&r->dev->cores[c].wake);
		}
	rknpu_kick(r);
	while (has_jobs(r, file))
		pthread_cond_wait(&r->dev->idle, &r->dev->lock);
}

/* ---- a core ---- */

/* The driver takes an interrupt status for all of a block's bits when it has one. */
static uint32_t widened(uint32_t status)
{
	uint32_t all = 0;

	for (unsigned bit = 0; bit < 12; bit += 2)
		if (status >> bit & 3)
			all |= 3u << bit;
	return all;
}

/* What the driver writes for tasks from first to last. */
static struct sim_kick kick_of(const struct rknpu_job *job, const struct rknpu_task *first,
			       const struct rknpu_task *last, uint32_t count)
{
	return (struct sim_kick){
		.base = (uint32_t)first->regcmd_addr,
		.amount = ((first->regcfg_amount + RKNPU_TRAILER_WORDS + 1) / 2 - 1) & 0xffff,
		.mask = last->int_mask,
		.clear = first->int_mask,
		.tasks = count,
		.flags = TASK_CON_FLAGS | (job->args.flags & RKNPU_JOB_PINGPONG ? TASK_CON_PP : 0),
		.dma_base = (uint32_t)job->args.task_base_addr,
	};
}

/* True when the driver takes the interrupt for the end of the kick. */
static bool ends(const struct sim_rknpu *r, uint32_t mask, uint32_t *status)
{
	uint32_t all = widened(*status);

	if (!r->lanes)
		return all == mask;
	*status = all & mask;
	return *status != 0;
}

struct outcome {
	bool done;
	uint32_t status;
	struct npu_result res;
	char why[224];
};

/* Called without the lock. */
static void run_kick(const struct sim_core *core, const struct rknpu_order *order,
		     struct outcome *out)
{
	const struct sim_kick kick =
		kick_of(order->job, task_at(order->job, order->task),
			task_at(order->job, order->task + order->count - 1), order->count);

	npu_core_new_job(core->npu);
	out->done = sim_kick_run(core->npu, core->dev->chip, core->index, &kick, &out->res,
				 &out->status, out->why, sizeof(out->why));
	if (out->done && !ends(core->dev->rknpu, kick.mask, &out->status)) {
		out->done = false;
		snprintf(out->why, sizeof(out->why),
			 "invalid irq status %#" PRIx32 ", want %#" PRIx32, out->status, kick.mask);
	}
}

/* The hardware says nothing about a kick that hangs or faults: somebody resets the cores. */
static void await_reset(struct sim_core *core, struct rknpu_order *order, const struct outcome *out)
{
	struct rknpu_job *job = order->job;

	if (!order->killed) {
		order->stuck = true;
		snprintf(job->why, sizeof(job->why), "core %u, task %" PRIu32 ": %s", core->index,
			 order->task + out->res.task, out->why);
		rknpu_stuck(core->dev->rknpu, job);
	}
	while (!order->killed)
		pthread_cond_wait(&core->wake, &core->dev->lock);
}

static void run_order(struct sim_core *core, struct rknpu_order *order)
{
	struct sim_rknpu *r = core->dev->rknpu;
	struct outcome out = { 0 };
	int error = 0;

	npu_core_set_memory(core->npu, &r->memory);
	r->reaper.running++;
	pthread_mutex_unlock(&core->dev->lock);
	run_kick(core, order, &out);
	pthread_mutex_lock(&core->dev->lock);
	r->reaper.running--;
	sim_count(order->job->file, &out.res.counters);
	if (order->reset && out.done) {
		out.done = false;
		snprintf(out.why, sizeof(out.why), "the cores were reset");
	}
	if (!out.done)
		await_reset(core, order, &out);
	if (order->killed) {
		npu_core_reset(core->npu);
		error = -EINVAL;
	}
	sim_gem_reap(&r->reaper);
	memset(order, 0, sizeof(*order));
	core_sched_publish(&r->sched, core->index, out.status, out.res.tasks_done, error);
	rknpu_kick(r);
}

void rknpu_core_main(struct sim_core *core)
{
	struct sim_device *dev = core->dev;
	struct rknpu_order *order = &dev->rknpu->orders[core->index];

	while (!dev->stop) {
		if (order->job)
			run_order(core, order);
		else
			pthread_cond_wait(&core->wake, &dev->lock);
	}
}

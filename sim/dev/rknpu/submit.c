// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * submit.c - taking a SUBMIT apart, and handing it back.
 *
 * By default the ranges of a job are those the vendor's driver reads: one for each core it names,
 * which runs there in one kick. With the scheduler of lanes every range is a lane that goes to any
 * core of the mask, a task at a time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rknpu.h"

#define MAX_KICK(chip) ((1u << (chip)->task_number_bits) - 1)

static unsigned cores_of(uint32_t mask)
{
	return (unsigned)__builtin_popcount(mask);
}

/* The core with the fewest tasks before it. */
static unsigned least_loaded(const struct sim_rknpu *r)
{
	uint64_t least = UINT64_MAX;
	unsigned best = 0;

	for (unsigned c = 0; c < r->dev->n_cores; c++) {
		uint64_t load = 0;

		for (unsigned i = 0; i < RKNPU_JOBS_MAX; i++) {
			const struct core_sched_job *j = &r->slots[i];

			if ((j->bucket == CORE_SCHED_READY || j->bucket == CORE_SCHED_RUNNING) &&
			    j->request.core_mask >> c & 1)
				load += core_sched_tasks(j);
		}
		if (load < least) {
			least = load;
			best = c;
		}
	}
	return best;
}

static int check_range(const struct rknpu_job *job, const struct core_sched_range *range)
{
	uint64_t end = (uint64_t)range->first + range->count;

	if (end * sizeof(struct rknpu_task) <= job->tasks->size)
		return 0;
	sim_log(job->file->dev,
		"tasks %u to %llu are past the end of their object: the driver "
		"would read what lies behind it",
		range->first, (unsigned long long)end);
	return -EFAULT;
}

static struct core_sched_range range_of(const struct rknpu_submit *args, unsigned entry)
{
	return (struct core_sched_range){ args->subcore_task[entry].task_start,
					  args->subcore_task[entry].task_number };
}

/* As the driver of the vendor: 1 when the job is one that it never starts. */
static int request_of_cores(struct sim_rknpu *r, struct rknpu_job *job,
			    struct core_sched_request *q)
{
	uint32_t mask = job->args.core_mask;
	unsigned shift;

	if (mask == RKNPU_CORE_AUTO_MASK)
		mask = 1u << least_loaded(r);
	if (mask == 5 || mask == 6)
		return 1;
	shift = cores_of(mask) == 3 ? 2 : 0;
	q->core_mask = mask;
	q->run = MAX_KICK(r->dev->chip);
	job->wait_core = (unsigned)__builtin_ctz(mask);
	for (unsigned c = 0; c < r->dev->n_cores; c++) {
		if (!(mask >> c & 1))
			continue;
		q->lanes[c] = range_of(&job->args, c + shift);
		q->lane_cores[c] = (uint8_t)(1u << c);
		if (!q->lanes[c].count)
			return 1; /* a kick of no tasks has no end */
	}
	return 0;
}

static int request_of_lanes(struct sim_rknpu *r, struct rknpu_job *job,
			    struct core_sched_request *q)
{
	q->core_mask = job->args.core_mask ? job->args.core_mask : (1u << r->dev->n_cores) - 1;
	q->run = 1;
	q->priority = job->args.priority;
	q->tasks = (struct core_sched_range){ job->args.task_start, job->args.task_number };
	for (unsigned l = 0; l < CORE_SCHED_LANES; l++)
		q->lanes[l] = range_of(&job->args, l);
	return 0;
}

/* 0, 1: never starts, or -errno. */
static int make_request(struct sim_rknpu *r, struct rknpu_job *job, struct core_sched_request *q)
{
	int err;

	memset(q, 0, sizeof(*q));
	err = r->lanes ? request_of_lanes(r, job, q) : request_of_cores(r, job, q);
	for (unsigned l = 0; l < CORE_SCHED_LANES && !err; l++)
		err = check_range(job, &q->lanes[l]);
	return err ? err : check_range(job, &q->tasks);
}

static int check_args(const struct sim_file *file, const struct rknpu_submit *args)
{
	if (!(args->flags & RKNPU_JOB_PC) || args->core_mask >> file->dev->n_cores ||
	    !args->task_number || !args->task_obj_addr)
		return -EINVAL;
	return 0;
}

/* The object with the tasks, which the driver reads through its own mapping. */
static int take_tasks(struct rknpu_job *job)
{
	struct sim_bo *bo = rknpu_object(job->file->dev, job->args.task_obj_addr);

	if (!bo)
		return -EFAULT;
	if (!(bo->flags & RKNPU_MEM_KERNEL_MAPPING)) {
		sim_log(job->file->dev,
			"the object of the tasks has no mapping in the kernel, which would crash");
		return -EFAULT;
	}
	bo->refs++;
	job->tasks = bo;
	return 0;
}

static struct rknpu_job *new_job(struct sim_file *file, const struct rknpu_submit *args)
{
	struct rknpu_job *job = calloc(1, sizeof(*job));
	pthread_condattr_t monotonic;

	if (!job)
		return NULL;
	job->file = file;
	job->args = *args;
	job->fence = -1;
	job->detached = args->flags & RKNPU_JOB_NONBLOCK;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&job->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return job;
}

void rknpu_job_free(struct rknpu_job *job)
{
	if (job->tasks)
		sim_bo_put(job->tasks);
	if (job->fence >= 0)
		close(job->fence);
	pthread_cond_destroy(&job->wake);
	free(job);
}

/*
 * The driver waits for fences of other drivers before it takes a job. Its own it takes for jobs
 * that are before this one anyway, which on another core they need not be. There are no others
 * here.
 */
static int check_fence(struct rknpu_submit *args)
{
	if (!rknpu_is_fence(args->fence_fd))
		return -EINVAL;
	args->fence_fd = -1;
	return 0;
}

/* ---- queueing ---- */

static int queue(struct sim_rknpu *r, struct rknpu_job *job, const struct core_sched_request *q)
{
	if (job->detached)
		rknpu_drop_stuck(r, job->args.core_mask);
	job->id = core_sched_submit(&r->sched, q);
	if (job->id < 0)
		return job->id == -EAGAIN ? -ENOMEM : job->id;
	job->queued_ns = rknpu_now_ns();
	r->jobs[job->id] = job;
	rknpu_kick(r);
	return 0;
}

static void hand_back(const struct rknpu_job *job, struct rknpu_submit *args)
{
	args->task_counter = job->result.error ? job->result.completed : args->task_number;
	if (job->began_ns && job->ended_ns)
		args->hw_elapse_time = job->ended_ns - job->began_ns;
}

static int run(struct sim_rknpu *r, struct rknpu_job *job, struct rknpu_submit *args)
{
	struct core_sched_request q;
	int err = take_tasks(job);

	if (!err)
		err = make_request(r, job, &q);
	if (!err && args->flags & RKNPU_JOB_FENCE_OUT)
		err = rknpu_fence_new(job, &args->fence_fd);
	if (err == 1)
		err = rknpu_await_never(r, job);
	else if (!err)
		err = queue(r, job, &q);
	if (!err && job->detached)
		return 0; /* the worker's from here on */
	if (!err) {
		rknpu_await(r, job);
		hand_back(job, args);
		err = job->result.error;
	}
	if (err && job->fence >= 0) {
		close(args->fence_fd);
		args->fence_fd = -1;
	}
	rknpu_job_free(job);
	return err;
}

int rknpu_submit(struct sim_file *file, void *arg)
{
	struct sim_rknpu *r = file->dev->rknpu;
	struct rknpu_submit *args = arg;
	struct rknpu_job *job;
	int err = check_args(file, args);

	if (!err && args->flags & RKNPU_JOB_FENCE_IN)
		err = check_fence(args);
	if (err)
		return err;
	job = new_job(file, args);
	if (!job)
		return -ENOMEM;
	pthread_mutex_lock(&file->dev->lock);
	err = run(r, job, args);
	pthread_mutex_unlock(&file->dev->lock);
	return err;
}

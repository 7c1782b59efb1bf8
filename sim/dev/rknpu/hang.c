// SPDX-License-Identifier: LGPL-2.1-or-later
/* hang.c - jobs that do not end: for how long they are waited for, and who drops them. */
#include <errno.h>
#include <time.h>

#include "rknpu.h"

static struct timespec time_of(int64_t ns)
{
	return (struct timespec){ ns / 1000000000, ns % 1000000000 };
}

static int64_t watchdog_ns(const struct rknpu_job *job)
{
	return (int64_t)job->file->dev->timeout_ms * 1000000;
}

/* The caller's limit, cut to the watchdog that the simulator was given. */
static int64_t limit_ns(const struct rknpu_job *job)
{
	int64_t ns = (int64_t)job->args.timeout * 1000000;

	return ns < watchdog_ns(job) ? ns : watchdog_ns(job);
}

/* ---- what makes no progress ---- */

/* Cores stuck with jobs that nobody waits for, and so nobody takes off. */
static uint32_t cores_kept(const struct sim_rknpu *r)
{
	uint32_t mask = 0;

	for (unsigned c = 0; c < r->dev->n_cores; c++) {
		const struct rknpu_order *o = &r->orders[c];

		if (o->stuck && !o->killed && o->job->detached)
			mask |= 1u << c;
	}
	return mask;
}

/* The job that a core is stuck with so that this one does not end: itself, one before it. Or NULL.
 */
static const struct rknpu_job *stuck_on(const struct sim_rknpu *r, const struct rknpu_job *job)
{
	const struct core_sched_job *s = &r->slots[job->id];
	const uint32_t kept = cores_kept(r);

	if (job->stuck_ns)
		return job;
	for (unsigned l = 0; l < CORE_SCHED_LANES && kept; l++) {
		const uint32_t cores = s->request.lane_cores[l];

		if (s->cursor[l] < s->request.lanes[l].count && !(s->in_flight >> l & 1) &&
		    !(cores & ~kept))
			return r->orders[__builtin_ctz(cores)].job;
	}
	return NULL;
}

/* Since when job is stuck on that one. */
static int64_t stuck_since(const struct rknpu_job *job, const struct rknpu_job *on)
{
	return on->stuck_ns > job->queued_ns ? on->stuck_ns : job->queued_ns;
}

/* ---- waiting ---- */

int rknpu_await_never(struct sim_rknpu *r, const struct rknpu_job *job)
{
	const struct timespec t = time_of(limit_ns(job));

	sim_log(r->dev, "a job for cores %#x is never started: its mask or an empty range of tasks",
		job->args.core_mask);
	pthread_mutex_unlock(&r->dev->lock);
	nanosleep(&t, NULL);
	pthread_mutex_lock(&r->dev->lock);
	rknpu_reset(r, -1, 0);
	return -ETIMEDOUT;
}

static void time_out(struct sim_rknpu *r, struct rknpu_job *job, const struct rknpu_job *on)
{
	sim_log(r->dev, "job timed out: fd %d, cores %#x: %s%s; all cores reset",
		job->file->opened_as, job->args.core_mask, on == job ? "" : "behind a job on ",
		on->why);
	rknpu_reset(r, job->id, -ETIMEDOUT);
	while (!job->woken)
		pthread_cond_wait(&job->wake, &r->dev->lock);
}

void rknpu_await(struct sim_rknpu *r, struct rknpu_job *job)
{
	while (!job->woken) {
		const struct rknpu_job *on = stuck_on(r, job);
		int64_t end = on ? stuck_since(job, on) + limit_ns(job) : 0;
		struct timespec t = time_of(end);

		if (!on)
			pthread_cond_wait(&job->wake, &r->dev->lock);
		else if (rknpu_now_ns() < end)
			pthread_cond_timedwait(&job->wake, &r->dev->lock, &t);
		else
			time_out(r, job, on);
	}
}

void rknpu_stuck(struct sim_rknpu *r, struct rknpu_job *job)
{
	job->stuck_ns = rknpu_now_ns();
	for (unsigned i = 0; i < RKNPU_JOBS_MAX; i++)
		if (r->jobs[i])
			pthread_cond_signal(&r->jobs[i]->wake);
}

/* ---- not waiting ---- */

static const struct rknpu_job *newest_with(const struct sim_file *file, uint64_t tasks)
{
	const struct sim_rknpu *r = file->dev->rknpu;
	const struct rknpu_job *found = NULL;

	for (unsigned i = 0; i < RKNPU_JOBS_MAX; i++) {
		const struct rknpu_job *job = r->jobs[i];

		if (job && job->file == file && job->args.task_obj_addr == tasks &&
		    (!found || job->queued_ns > found->queued_ns))
			found = job;
	}
	return found;
}

bool rknpu_is_hung(struct sim_file *file, uint64_t tasks)
{
	const struct rknpu_job *job, *on;
	bool hung;

	pthread_mutex_lock(&file->dev->lock);
	job = newest_with(file, tasks);
	on = job ? stuck_on(file->dev->rknpu, job) : NULL;
	hung = !job || (on && rknpu_now_ns() >= stuck_since(job, on) + limit_ns(job));
	pthread_mutex_unlock(&file->dev->lock);
	return hung;
}

/* The timeout as it is compared, a thousandth of what it says. */
static int64_t drop_age_ns(const struct rknpu_job *job)
{
	int64_t ns = (int64_t)job->args.timeout * 1000;

	return ns < watchdog_ns(job) ? ns : watchdog_ns(job);
}

void rknpu_drop_stuck(struct sim_rknpu *r, uint32_t mask)
{
	for (unsigned c = 0; c < r->dev->n_cores; c++) {
		const struct rknpu_order *o = &r->orders[c];

		if (!(mask >> c & 1) || !o->job || !(o->stuck || o->reset) || o->killed ||
		    rknpu_now_ns() - o->job->queued_ns < drop_age_ns(o->job))
			continue;
		sim_log(r->dev, "job dropped: fd %d, cores %#x: %s; all cores reset",
			o->job->file->opened_as, o->job->args.core_mask, o->job->why);
		rknpu_reset(r, o->job->id, -ETIMEDOUT);
		rknpu_drop_queue(r, c);
	}
}

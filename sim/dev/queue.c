// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * queue.c - queues and fences.
 *
 * A file is one scheduling entity: its jobs run in the order of submission, on one core
 * while it has any; when it has none, its next job goes to the core with the least load.
 * Only a file's own jobs can name its buffers, so this order already satisfies every
 * implicit fence between jobs; what is left of fences is waiting for a buffer's last user.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device.h"

struct sim_job *sim_job_get(struct sim_job *job)
{
	job->refs++;
	return job;
}

void sim_job_put(struct sim_job *job)
{
	if (job && !--job->refs)
		free(job);
}

static void wake_waiters(struct sim_file *file)
{
	atomic_fetch_add(&file->events, 1);
	syscall(SYS_futex, &file->events, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void sim_job_mark(struct sim_job *job)
{
	for (uint32_t i = 0; i < job->n_out; i++)
		job->bos[job->n_in + i]->invalid = true;
}

void sim_job_inherit(struct sim_job *job)
{
	for (uint32_t i = 0; i < job->n_in; i++)
		if (job->bos[i]->invalid) {
			sim_job_mark(job);
			return;
		}
}

void sim_sched_finish(struct sim_job *job, bool failed)
{
	if (failed)
		sim_job_mark(job);
	for (uint32_t i = 0; i < job->n_in + job->n_out; i++)
		sim_bo_put(job->bos[i]);
	free(job->bos);
	free(job->tasks);
	job->bos = NULL;
	job->tasks = NULL;
	job->done = true;
	job->file->unfinished--;
	wake_waiters(job->file);
	sim_job_put(job);
}

/* ---- choosing ---- */

static unsigned load_of(const struct sim_core *core)
{
	unsigned load = 0;

	for (const struct sim_file *f = core->dev->files; f; f = f->next_sched)
		if (f->core == core)
			load += 1 + f->n_queued + f->running;
	return load;
}

static void choose_core(struct sim_file *file)
{
	struct sim_device *dev = file->dev;
	struct sim_core *best = NULL;
	unsigned least = UINT_MAX;

	if (file->core && (file->n_queued || file->running))
		return;
	/* An idle file still counts where it ran last, so that it moves on, as the kernel's. */
	for (unsigned i = 0; i < dev->n_cores; i++) {
		unsigned load = load_of(&dev->cores[i]);

		if (load < least) {
			least = load;
			best = &dev->cores[i];
		}
	}
	file->core = best;
}

struct sim_job *sim_sched_next(struct sim_core *core)
{
	struct sim_file *best = NULL;
	struct sim_job *job;

	for (struct sim_file *f = core->dev->files; f; f = f->next_sched)
		if (f->core == core && f->queue && !f->dying &&
		    (!best || f->queue->id < best->queue->id))
			best = f;
	if (!best)
		return NULL;
	job = best->queue;
	best->queue = job->next;
	if (!best->queue)
		best->queue_tail = &best->queue;
	best->n_queued--;
	return job;
}

void sim_sched_push(struct sim_job *job)
{
	struct sim_file *file = job->file;
	struct sim_device *dev = file->dev;

	pthread_mutex_lock(&dev->lock);
	job->id = ++dev->next_job;
	for (uint32_t i = 0; i < job->n_in + job->n_out; i++) {
		struct sim_bo *bo = job->bos[i];

		sim_job_put(bo->user);
		bo->user = sim_job_get(job);
		if (i >= job->n_in)
			bo->invalid = false;
	}
	choose_core(file);
	*file->queue_tail = job;
	file->queue_tail = &job->next;
	file->n_queued++;
	pthread_cond_signal(&file->core->wake);
	pthread_mutex_unlock(&dev->lock);
}

/* ---- files ---- */

void sim_sched_attach(struct sim_device *dev, struct sim_file *file)
{
	pthread_mutex_lock(&dev->lock);
	file->dev = dev;
	file->queue_tail = &file->queue;
	file->next_sched = dev->files;
	dev->files = file;
	pthread_mutex_unlock(&dev->lock);
}

void sim_sched_detach(struct sim_file *file)
{
	struct sim_device *dev = file->dev;
	struct sim_job *job;

	pthread_mutex_lock(&dev->lock);
	file->dying = true;
	while ((job = file->queue)) {
		file->queue = job->next;
		file->n_queued--;
		sim_sched_finish(job, true);
	}
	file->queue_tail = &file->queue;
	if (file->running)
		pthread_cond_signal(&file->core->wake); /* a hung job need not wait any longer */
	while (file->running)
		pthread_cond_wait(&dev->idle, &dev->lock);
	for (struct sim_file **p = &dev->files; *p; p = &(*p)->next_sched)
		if (*p == file) {
			*p = file->next_sched;
			break;
		}
	pthread_mutex_unlock(&dev->lock);
}

/* ---- waiting ---- */

static bool is_done(struct sim_job *job)
{
	bool done;

	pthread_mutex_lock(&job->file->dev->lock);
	done = job->done;
	pthread_mutex_unlock(&job->file->dev->lock);
	return done;
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int sim_sched_wait(struct sim_job *job, int64_t deadline_ns)
{
	atomic_uint *events = &job->file->events;
	struct timespec until;

	if (is_done(job))
		return 0;
	if (deadline_ns <= now_ns())
		return -EBUSY;
	until.tv_sec = deadline_ns / 1000000000;
	until.tv_nsec = deadline_ns % 1000000000;
	for (;;) {
		unsigned seen = atomic_load(events);
		long r;

		if (is_done(job))
			return 0;
		/* The BITSET form takes an absolute time; a handled signal ends it with EINTR. */
		r = syscall(SYS_futex, events, FUTEX_WAIT_BITSET_PRIVATE, seen, &until, NULL,
			    FUTEX_BITSET_MATCH_ANY);
		if (r == 0 || errno == EAGAIN)
			continue;
		if (is_done(job))
			return 0;
		return errno == ETIMEDOUT ? -ETIMEDOUT : -EINTR;
	}
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* core.c - the rocket driver's way of running a job on a core. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "device.h"
#include "drm/rocket_accel.h"
#include "kick.h"

#define MASK_DPU       0x300u
#define MASK_PPU       0xc00u
#define TASK_CON_FLAGS 0x7u /* reserved bit 0, COUNT_CLEAR, PP_EN above TASK_NUMBER */

/* ---- one job ---- */

/*
 * The hardware says nothing about a job that hangs or faults: the scheduler's timeout
 * retires it. The wait ends early when its file goes away. Called with the lock held.
 */
static void wait_for_timeout(struct sim_core *core)
{
	struct sim_device *dev = core->dev;
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += dev->timeout_ms / 1000;
	until.tv_nsec += dev->timeout_ms % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_nsec -= 1000000000L;
		until.tv_sec++;
	}
	while (!core->running->dying &&
	       pthread_cond_timedwait(&core->wake, &dev->lock, &until) != ETIMEDOUT)
		;
}

/* Run job to its end. False when it failed. Called and returns with the lock held. */
static bool run_tasks(struct sim_core *core, const struct sim_job *job)
{
	struct sim_device *dev = core->dev;
	struct sim_file *file = job->file;
	bool batched = job->flags & DRM_ROCKET_JOB_BATCHED;
	uint32_t kicks = batched ? 1 : job->n_tasks;

	for (uint32_t i = 0; i < kicks; i++) {
		const struct sim_task *task = &job->tasks[i];
		uint32_t mask = job->flags & DRM_ROCKET_JOB_PPU_DONE ? MASK_PPU : MASK_DPU;
		const struct sim_kick kick = {
			.base = task->regcmd,
			.amount = ((task->regcmd_count + 1) / 2 - 1) & 0xffff,
			.mask = mask,
			.clear = mask,
			.tasks = batched ? job->n_tasks : 1,
			.flags = TASK_CON_FLAGS,
		};
		struct npu_result res;
		uint32_t status;
		char why[224] = "";
		bool closed, done;

		if (file->dying)
			return false;
		pthread_mutex_unlock(&dev->lock);
		done = sim_kick_run(core->npu, dev->chip, core->index, &kick, &res, &status, why,
				    sizeof(why));
		pthread_mutex_lock(&dev->lock);
		sim_count(file, &res.counters);
		if (done)
			continue;
		wait_for_timeout(core);
		closed = file->dying;
		pthread_mutex_unlock(&dev->lock);
		sim_log(dev,
			"NPU job timed out: job %" PRIu64 " of fd %d, core %u, task %" PRIu32
			" of %" PRIu32 ": %s; %s",
			job->id, file->opened_as, core->index, batched ? res.task : i, job->n_tasks,
			why, closed ? "its file was closed" : "core reset");
		npu_core_reset(core->npu);
		pthread_mutex_lock(&dev->lock);
		return false;
	}
	return true;
}

static void run_job(struct sim_core *core, struct sim_job *job)
{
	struct sim_file *file = job->file;
	bool done;

	core->running = file;
	file->running = true;
	file->reaper->running++;
	npu_core_set_memory(core->npu, &file->memory);
	npu_core_new_job(core->npu);
	sim_job_inherit(job);
	done = run_tasks(core, job);
	file->running = false;
	file->reaper->running--;
	core->running = NULL;
	sim_sched_finish(job, !done);
	sim_gem_reap(file->reaper);
	pthread_cond_broadcast(&core->dev->idle);
}

static void core_main(struct sim_core *core)
{
	struct sim_device *dev = core->dev;

	while (!dev->stop) {
		struct sim_job *job = sim_sched_next(core);

		if (job)
			run_job(core, job);
		else
			pthread_cond_wait(&core->wake, &dev->lock);
	}
}

/* "0.0", the stock driver's, or "1.0" to the newest. */
static bool parse_version(const char *text, unsigned *driver)
{
	unsigned v = SIM_DRIVER_NEWEST + 1;

	if (strlen(text) == 3 && (text[0] == '0' || text[0] == '1') && text[1] == '.' &&
	    text[2] >= '0' && text[2] <= '9')
		v = (unsigned)(text[0] - '0') * 10 + (unsigned)(text[2] - '0');
	if (v > SIM_DRIVER_NEWEST || (v && v < SIM_DRIVER_GROWING))
		return false;
	*driver = v;
	return true;
}

static int start(struct sim_device *dev, char *reason)
{
	(void)reason;
	sim_param_store("job_timeout_ms", dev->timeout_ms);
	return 0;
}

static void stop(struct sim_device *dev)
{
	(void)dev; /* its threads are the cores */
}

const struct sim_abi sim_abi_rocket = {
	.driver = "rocket",
	.versions = "0.0, or 1.0 to 1.7",
	.newest = SIM_DRIVER_NEWEST,
	.parse_version = parse_version,
	.start = start,
	.stop = stop,
	.core_main = core_main,
	.attach = sim_sched_attach,
	.detach = sim_sched_detach,
	.ioctl = sim_ioctl,
};

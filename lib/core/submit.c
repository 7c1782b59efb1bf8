// SPDX-License-Identifier: LGPL-2.1-or-later
/* submit.c - checking jobs and handing them to the provider. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "device.h"
#include "status.h"
#include "validate.h"

/* PC_REGISTER_AMOUNTS has 16 bits and counts pairs of words [source: rocket, RK3588 manual]. */
#define MAX_WORDS 131072u
/* PC_TASK_NUMBER has 12 bits on the RK3588 [source: manual]. */
#define MAX_CHAIN 4095u

#define KNOWN_FLAGS (ROCKET_JOB_BATCHED | ROCKET_JOB_NO_DPU_DONE | ROCKET_JOB_PPU_DONE)

static int check_tasks(const struct rocket_provider_job *job, const char *who)
{
	if (!job->tasks || !job->n_tasks)
		return rocket_fail(ROCKET_E_SHAPE, "%s: no tasks", who);
	for (uint32_t i = 0; i < job->n_tasks; i++) {
		const rocket_task_desc *t = &job->tasks[i];

		if (t->regcmd % 16)
			return rocket_fail(ROCKET_E_SHAPE,
					   "%s: task %" PRIu32 ": program address %#" PRIx32
					   " is not a multiple of 16",
					   who, i, t->regcmd);
		if (!t->regcmd_count || t->regcmd_count > MAX_WORDS ||
		    t->regcmd + (uint64_t)t->regcmd_count * 8 > (uint64_t)1 << 32)
			return rocket_fail(ROCKET_E_SHAPE,
					   "%s: task %" PRIu32 ": %" PRIu32 " words at %#" PRIx32
					   " (1 to %u below 4 GiB)",
					   who, i, t->regcmd_count, t->regcmd, MAX_WORDS);
	}
	return ROCKET_OK;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/*
 * The kernel locks each buffer of a job once and drops a job that names one twice, in
 * either list, while its fence signals at once [silicon].
 */
static int check_handles(const struct rocket_provider_job *job, const char *who)
{
	uint32_t few[64], *all = few;
	uint64_t n = (uint64_t)job->n_in + job->n_out;
	int r = ROCKET_OK;

	if ((job->n_in && !job->in_handles) || (job->n_out && !job->out_handles))
		return rocket_fail(ROCKET_E_SHAPE, "%s: a handle list is NULL", who);
	if (n > sizeof(few) / sizeof(few[0])) {
		all = malloc(n * sizeof(*all));
		if (!all)
			return rocket_fail(ROCKET_E_NOMEM, "%s: no memory for %" PRIu64 " handles",
					   who, n);
	}
	if (job->n_in)
		memcpy(all, job->in_handles, job->n_in * sizeof(*all));
	if (job->n_out)
		memcpy(all + job->n_in, job->out_handles, job->n_out * sizeof(*all));
	if (n > 1)
		qsort(all, n, sizeof(*all), compare);
	if (n && !all[0])
		r = rocket_fail(ROCKET_E_SHAPE, "%s: handle 0 is no buffer", who);
	for (uint64_t i = 1; i < n && !r; i++)
		if (all[i] == all[i - 1])
			r = rocket_fail(
				ROCKET_E_SHAPE,
				"%s: buffer %" PRIu32
				" is named twice: list what is read and written once, as out",
				who, all[i]);
	if (all != few)
		free(all);
	return r;
}

static int check_flags(const struct rocket_device *dev, const struct rocket_provider_job *job,
		       const char *who)
{
	const struct rocket_caps *caps = &dev->node.caps;
	const struct {
		uint32_t flag;
		bool allowed;
		const char *name, *needs;
	} rules[] = {
		{ ROCKET_JOB_BATCHED, caps->batched, "BATCHED", "1.1 with rocket_batch_submit on" },
		{ ROCKET_JOB_NO_DPU_DONE, caps->no_dpu_done, "NO_DPU_DONE", "1.2" },
		{ ROCKET_JOB_PPU_DONE, caps->ppu_done, "PPU_DONE", "1.3" },
	};

	if (job->flags & ~KNOWN_FLAGS)
		return rocket_fail(ROCKET_E_SHAPE, "%s: unknown job flags %#" PRIx32, who,
				   job->flags & ~KNOWN_FLAGS);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (job->flags & rules[i].flag && !rules[i].allowed)
			return rocket_fail(
				ROCKET_E_UNSUPPORTED,
				"%s: job flag %s needs a driver of version %s, this is %s", who,
				rules[i].name, rules[i].needs, dev->node.driver_version);
	if (job->flags & ROCKET_JOB_BATCHED && job->n_tasks > MAX_CHAIN)
		return rocket_fail(ROCKET_E_SHAPE, "%s: a chain has 1 to %u tasks, not %" PRIu32,
				   who, MAX_CHAIN, job->n_tasks);
	return ROCKET_OK;
}

static int check_job(struct rocket_device *dev, const struct rocket_provider_job *job,
		     const char *who)
{
	int r = check_tasks(job, who);

	if (!r)
		r = check_flags(dev, job, who);
	if (!r)
		r = check_handles(job, who);
	if (!r && dev->settings.validate)
		r = rocket_validate_job(dev, job, who);
	return r;
}

/*
 * Count the calls that a submit made, and their tasks. Those of a provider that counts them may be
 * of another thread's submit: the sum is right. Of another it is taken that it made its call,
 * unless it failed with what it can itself fail with before.
 */
static void count(struct rocket_node *node, uint64_t tasks, int e)
{
	if (node->counts_calls)
		rocket_count_submit(__atomic_exchange_n(&node->submit_calls, 0, __ATOMIC_RELAXED),
				    __atomic_exchange_n(&node->submit_tasks, 0, __ATOMIC_RELAXED));
	else if (e != -ENOMEM)
		rocket_count_submit(1, tasks);
}

static int refused(const struct rocket_node *node, int e, const char *who)
{
	const char *why = __atomic_load_n(&node->complaint, __ATOMIC_ACQUIRE);

	if (e == -EOPNOTSUPP && why)
		return rocket_fail(ROCKET_E_UNSUPPORTED, "%s: %s", who, why);
	return rocket_fail(rocket_status_of_errno(e), "%s: the kernel refused: %s", who,
			   strerror(-e));
}

static int submit(int fd, const struct rocket_provider_job *jobs, uint32_t n_jobs, void *scratch,
		  const char *who)
{
	struct rocket_device *dev = rocket_device_get(fd, who);
	uint64_t tasks = 0;
	int r = ROCKET_OK, e;

	if (!dev)
		return ROCKET_E_SHAPE;
	for (uint32_t i = 0; i < n_jobs && !r; i++) {
		r = check_job(dev, &jobs[i], who);
		tasks += jobs[i].n_tasks;
	}
	if (!r) {
		e = dev->provider->submit(&dev->node, jobs, n_jobs, scratch);
		if (e)
			r = refused(&dev->node, e, who);
		count(&dev->node, tasks, e);
	}
	rocket_device_put(dev);
	return r;
}

static int submit_program(int fd, const rocket_bo *regcmd_bo, uint32_t regcmd_count,
			  struct rocket_provider_job *job, const char *who)
{
	rocket_task_desc task;

	if (!regcmd_bo || !regcmd_bo->handle)
		return rocket_fail(ROCKET_E_SHAPE, "%s: no program buffer given", who);
	if ((uint64_t)regcmd_count * 8 > regcmd_bo->size)
		return rocket_fail(ROCKET_E_SHAPE,
				   "%s: %" PRIu32 " words do not fit a buffer of %zu bytes", who,
				   regcmd_count, regcmd_bo->size);
	if (regcmd_bo->dma_address > UINT32_MAX)
		return rocket_fail(ROCKET_E_DEVICE, "%s: the program buffer lies above 4 GiB", who);
	task = (rocket_task_desc){ (uint32_t)regcmd_bo->dma_address, regcmd_count };
	job->tasks = &task;
	job->n_tasks = 1;
	return submit(fd, job, 1, NULL, who);
}

int rocket_submit_matmul(int fd, const rocket_bo *regcmd_bo, uint32_t regcmd_count,
			 const uint32_t *in_handles, uint32_t n_in, const uint32_t *out_handles,
			 uint32_t n_out, uint32_t timeout_ms)
{
	struct rocket_provider_job job = {
		.in_handles = in_handles, .n_in = n_in, .out_handles = out_handles, .n_out = n_out
	};

	(void)timeout_ms;
	return submit_program(fd, regcmd_bo, regcmd_count, &job, "rocket_submit_matmul");
}

int rocket_submit_matmul_flags(int fd, const rocket_bo *regcmd_bo, uint32_t regcmd_count,
			       const uint32_t *in_handles, uint32_t n_in,
			       const uint32_t *out_handles, uint32_t n_out, uint32_t job_flags)
{
	struct rocket_provider_job job = { .in_handles = in_handles,
					   .n_in = n_in,
					   .out_handles = out_handles,
					   .n_out = n_out,
					   .flags = job_flags };

	return submit_program(fd, regcmd_bo, regcmd_count, &job, "rocket_submit_matmul_flags");
}

int rocket_submit_tasks(int fd, const rocket_task_desc *tasks, uint32_t n_tasks,
			const uint32_t *in_handles, uint32_t n_in, const uint32_t *out_handles,
			uint32_t n_out)
{
	struct rocket_provider_job job = {
		tasks, n_tasks, in_handles, n_in, out_handles, n_out, 0
	};

	return submit(fd, &job, 1, NULL, "rocket_submit_tasks");
}

int rocket_submit_tasks_flags(int fd, const rocket_task_desc *tasks, uint32_t n_tasks,
			      const uint32_t *in_handles, uint32_t n_in,
			      const uint32_t *out_handles, uint32_t n_out, uint32_t job_flags)
{
	struct rocket_provider_job job = { tasks,       n_tasks, in_handles, n_in,
					   out_handles, n_out,   job_flags };

	return submit(fd, &job, 1, NULL, "rocket_submit_tasks_flags");
}

size_t rocket_submit_scratch_size(uint32_t max_tasks)
{
	size_t most = 8;

	/* Enough for whichever provider the fd turns out to have. */
	for (const struct rocket_provider *const *p = rocket_providers(); *p; p++) {
		size_t n = (*p)->scratch_size ? (*p)->scratch_size(max_tasks) : 0;

		if (n > most)
			most = n;
	}
	return most;
}

int rocket_submit_tasks_pre(int fd, void *scratch, const rocket_task_desc *tasks, uint32_t n_tasks,
			    const uint32_t *in_handles, uint32_t n_in, const uint32_t *out_handles,
			    uint32_t n_out, uint32_t job_flags)
{
	struct rocket_provider_job job = { tasks,       n_tasks, in_handles, n_in,
					   out_handles, n_out,   job_flags };

	if (!scratch || (uintptr_t)scratch % 8)
		return rocket_fail(
			ROCKET_E_SHAPE,
			"rocket_submit_tasks_pre: scratch is NULL or not 8-byte aligned");
	return submit(fd, &job, 1, scratch, "rocket_submit_tasks_pre");
}

int rocket_submit_jobs(int fd, const rocket_job_desc *jobs, uint32_t n_jobs)
{
	static const char who[] = "rocket_submit_jobs";
	struct rocket_provider_job few[16], *list = few;
	int r;

	if (!jobs || !n_jobs)
		return rocket_fail(ROCKET_E_SHAPE, "%s: no jobs", who);
	if (n_jobs > sizeof(few) / sizeof(few[0])) {
		list = calloc(n_jobs, sizeof(*list));
		if (!list)
			return rocket_fail(ROCKET_E_NOMEM, "%s: no memory for %" PRIu32 " jobs",
					   who, n_jobs);
	}
	for (uint32_t i = 0; i < n_jobs; i++)
		list[i] = (struct rocket_provider_job){ jobs[i].tasks,
							jobs[i].n_tasks,
							jobs[i].in_handles,
							jobs[i].n_in,
							jobs[i].out_handles,
							jobs[i].n_out,
							0 };
	r = submit(fd, list, n_jobs, NULL, who);
	if (list != few)
		free(list);
	return r;
}

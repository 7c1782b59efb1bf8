// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * submit.c - taking a SUBMIT apart, with the errors of a driver that reports them (C-6, L-16,
 * L-17 of the kernel document): the first job that is wrong ends the call, the jobs before it
 * stay queued.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "drm/rocket_accel.h"

#define MAX_STRUCT       4096u /* declared sizes, one page */
#define MAX_JOBS         1024u
#define MAX_TASKS        65535u
#define MAX_TASKS_A_CALL (1u << 20)
#define MAX_HANDLES      65536u
#define MAX_WORDS        131072u

#define TASK_SIZE_V1 8u

static int check_size(uint32_t size, uint32_t min)
{
	return size < min ? -EINVAL : size > MAX_STRUCT ? -E2BIG : 0;
}

/* One struct of an array: a caller older than us is zero-extended, a newer one must not use
 * what we do not know. */
static int take_struct(void *dst, size_t known, const uint8_t *src, size_t declared)
{
	size_t n = declared < known ? declared : known;

	for (size_t i = known; i < declared; i++)
		if (src[i])
			return -E2BIG;
	memcpy(dst, src, n);
	memset((char *)dst + n, 0, known - n);
	return 0;
}

static int check_task(const struct drm_rocket_task *t)
{
	if (!t->regcmd_count || t->regcmd_count > MAX_WORDS || t->regcmd % 16)
		return -EINVAL;
	if (t->regcmd + (uint64_t)t->regcmd_count * 8 > (uint64_t)1 << 32)
		return -EINVAL;
	return 0;
}

static int copy_tasks(struct sim_job *job, const struct drm_rocket_job *args)
{
	uint32_t stride = args->task_struct_size, chunk = MAX_STRUCT * 16 / stride;
	uint8_t *raw = malloc((size_t)chunk * stride);
	int r = raw ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < args->task_count && !r; i += chunk) {
		uint32_t n = args->task_count - i < chunk ? args->task_count - i : chunk;
		uint64_t from = args->tasks + (uint64_t)i * stride;
		size_t got =
			from < args->tasks ? 0 : sim_copy_from_user(raw, from, (size_t)n * stride);

		for (uint32_t k = 0; k < n && !r; k++) {
			struct drm_rocket_task t;

			if (got < (size_t)(k + 1) * stride)
				r = -EFAULT;
			if (!r)
				r = take_struct(&t, sizeof(t), raw + (size_t)k * stride, stride);
			if (!r)
				r = check_task(&t);
			if (!r)
				job->tasks[i + k] = (struct sim_task){ t.regcmd, t.regcmd_count };
		}
	}
	free(raw);
	return r;
}

/* Look up n handles at addr and take references; *taken counts them. dev->lock is not held. */
static int take_bos(struct sim_file *file, uint64_t addr, uint32_t n, struct sim_bo **bos,
		    uint32_t *taken)
{
	uint32_t *handles = malloc((n ? n : 1) * sizeof(*handles));
	int r = 0;

	if (!handles)
		return -ENOMEM;
	if (sim_copy_from_user(handles, addr, n * sizeof(*handles)) != n * sizeof(*handles))
		r = -EFAULT;
	pthread_mutex_lock(&file->dev->lock);
	for (uint32_t i = 0; i < n && !r; i++) {
		struct sim_bo *bo = sim_bo_lookup(file, handles[i]);

		if (!bo) {
			r = -ENOENT;
			break;
		}
		bo->refs++;
		bos[(*taken)++] = bo;
	}
	pthread_mutex_unlock(&file->dev->lock);
	free(handles);
	return r;
}

static int compare(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t) * (struct sim_bo *const *)a,
		  y = (uintptr_t) * (struct sim_bo *const *)b;

	return (x > y) - (x < y);
}

/* Whether a buffer is named twice: 1, 0 or -ENOMEM. */
static int has_duplicate(const struct sim_job *job, uint32_t n)
{
	struct sim_bo **sorted;
	int r = 0;

	if (n < 2)
		return 0;
	sorted = malloc(n * sizeof(struct sim_bo *));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, job->bos, n * sizeof(struct sim_bo *));
	qsort(sorted, n, sizeof(struct sim_bo *), compare);
	for (uint32_t i = 1; i < n && !r; i++)
		r = sorted[i] == sorted[i - 1];
	free(sorted);
	return r;
}

static int check_job(const struct drm_rocket_job *args, const struct sim_device *dev)
{
	int r;

	if (args->reserved || args->flags & ~DRM_ROCKET_JOB_BATCHED)
		return -EINVAL;
	if (!args->task_count || args->task_count > MAX_TASKS)
		return -EINVAL;
	r = check_size(args->task_struct_size, TASK_SIZE_V1);
	if (r)
		return r;
	if (args->in_bo_handle_count > MAX_HANDLES || args->out_bo_handle_count > MAX_HANDLES)
		return -EINVAL;
	if (args->flags & DRM_ROCKET_JOB_BATCHED) {
		if (!sim_param("rocket_batch_submit", 1))
			return -EOPNOTSUPP;
		if (args->task_count >= 1u << dev->chip->task_number_bits)
			return -EINVAL;
	}
	return 0;
}

static struct sim_job *new_job(struct sim_file *file, const struct drm_rocket_job *args)
{
	size_t n_bos = (size_t)args->in_bo_handle_count + args->out_bo_handle_count;
	struct sim_job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->refs = 1;
	job->file = file;
	job->n_tasks = args->task_count;
	job->batched = args->flags & DRM_ROCKET_JOB_BATCHED;
	job->tasks = malloc(args->task_count * sizeof(*job->tasks));
	job->bos = malloc((n_bos ? n_bos : 1) * sizeof(struct sim_bo *));
	if (job->tasks && job->bos)
		return job;
	free(job->tasks);
	free(job->bos);
	free(job);
	return NULL;
}

static int submit_job(struct sim_file *file, const struct drm_rocket_job *args)
{
	struct sim_device *dev = file->dev;
	struct sim_job *job;
	uint32_t taken = 0;
	int r = check_job(args, dev);

	if (r)
		return r;
	job = new_job(file, args);
	if (!job)
		return -ENOMEM;
	r = copy_tasks(job, args);
	if (!r)
		r = take_bos(file, args->in_bo_handles, args->in_bo_handle_count, job->bos, &taken);
	if (!r)
		r = take_bos(file, args->out_bo_handles, args->out_bo_handle_count, job->bos,
			     &taken);
	if (!r) {
		job->n_in = args->in_bo_handle_count;
		job->n_out = args->out_bo_handle_count;
		r = has_duplicate(job, taken);
	}
	if (!r) {
		sim_sched_push(job);
		return 0;
	}
	/* A buffer that is named twice: the driver loses the job and reports nothing [silicon]. */
	if (r > 0) {
		sim_log(dev, "a job names one buffer twice: it is dropped, as the driver does");
		r = 0;
	}
	pthread_mutex_lock(&dev->lock);
	while (taken)
		sim_bo_put(job->bos[--taken]);
	pthread_mutex_unlock(&dev->lock);
	free(job->tasks);
	free(job->bos);
	free(job);
	return r;
}

static int copy_jobs(struct drm_rocket_job *jobs, const struct drm_rocket_submit *args)
{
	uint8_t raw[MAX_STRUCT];
	int r = 0;

	for (uint32_t i = 0; i < args->job_count && !r; i++) {
		uint64_t from = args->jobs + (uint64_t)i * args->job_struct_size;

		if (from < args->jobs ||
		    sim_copy_from_user(raw, from, args->job_struct_size) != args->job_struct_size)
			return -EFAULT;
		r = take_struct(&jobs[i], sizeof(jobs[i]), raw, args->job_struct_size);
	}
	return r;
}

int sim_submit(struct sim_file *file, struct drm_rocket_submit *args)
{
	struct drm_rocket_job *jobs;
	uint64_t tasks = 0;
	int r;

	if (!args->job_count)
		return 0;
	r = check_size(args->job_struct_size, DRM_ROCKET_JOB_SIZE_V1);
	if (r)
		return r;
	if (args->reserved || args->job_count > MAX_JOBS)
		return -EINVAL;
	jobs = malloc(args->job_count * sizeof(*jobs));
	if (!jobs)
		return -ENOMEM;
	r = copy_jobs(jobs, args);
	for (uint32_t i = 0; i < args->job_count && !r; i++) {
		tasks += jobs[i].task_count;
		r = tasks > MAX_TASKS_A_CALL ? -EINVAL : submit_job(file, &jobs[i]);
	}
	free(jobs);
	return r;
}

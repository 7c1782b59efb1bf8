// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * submit.c - taking a SUBMIT apart: the first job that is wrong ends the call, the jobs before it
 * stay queued. Counts and flags are looked at before any job is.
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

/*
 * One struct of an array: a caller older than us is zero-extended, a newer one must not use
 * what we do not know. The stock driver does not look at it.
 */
static int take_struct(const struct sim_device *dev, void *dst, size_t known, const uint8_t *src,
		       size_t declared)
{
	size_t n = declared < known ? declared : known;

	for (size_t i = known; i < declared && dev->driver >= SIM_DRIVER_GROWING; i++)
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
				r = take_struct(job->file->dev, &t, sizeof(t),
						raw + (size_t)k * stride, stride);
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

/*
 * Sort bos, and give back those that are there twice or in the sorted list known. Returns how
 * many are left. dev->lock is held.
 */
static uint32_t unique(struct sim_bo **bos, uint32_t n, struct sim_bo *const *known,
		       uint32_t n_known)
{
	uint32_t kept = 0;

	if (n > 1)
		qsort(bos, n, sizeof(*bos), compare);
	for (uint32_t i = 0; i < n; i++) {
		if ((kept && bos[kept - 1] == bos[i]) ||
		    (n_known && bsearch(&bos[i], known, n_known, sizeof(*known), compare)))
			sim_bo_put(bos[i]); /* not the last reference: the other one is */
		else
			bos[kept++] = bos[i];
	}
	return kept;
}

/* A buffer that is named twice counts once, as an output if it is one. */
static void drop_repeated(struct sim_job *job)
{
	struct sim_bo **out = job->bos + job->n_in;

	pthread_mutex_lock(&job->file->dev->lock);
	job->n_out = unique(out, job->n_out, NULL, 0);
	job->n_in = unique(job->bos, job->n_in, out, job->n_out);
	memmove(job->bos + job->n_in, out, job->n_out * sizeof(struct sim_bo *));
	pthread_mutex_unlock(&job->file->dev->lock);
}

static uint32_t known_flags(const struct sim_device *dev)
{
	return (dev->driver >= SIM_DRIVER_FLAGS ? DRM_ROCKET_JOB_BATCHED : 0) |
	       (dev->driver >= SIM_DRIVER_NO_DPU ? DRM_ROCKET_JOB_NO_DPU_DONE : 0) |
	       (dev->driver >= SIM_DRIVER_PPU ? DRM_ROCKET_JOB_PPU_DONE : 0);
}

static int check_flags(const struct sim_device *dev, const struct drm_rocket_job *args)
{
	const uint32_t one_end = DRM_ROCKET_JOB_NO_DPU_DONE | DRM_ROCKET_JOB_PPU_DONE;

	if (args->reserved || args->flags & ~known_flags(dev) || (args->flags & one_end) == one_end)
		return -EINVAL;
	if (!(args->flags & DRM_ROCKET_JOB_BATCHED) || args->task_count == 1)
		return 0;
	if (!sim_param("rocket_batch_submit", 1))
		return -EOPNOTSUPP;
	return args->task_count >= 1u << dev->chip->task_number_bits ? -EINVAL : 0;
}

/* Before anything is done for any job. */
static int check_jobs(const struct sim_device *dev, const struct drm_rocket_job *jobs, uint32_t n)
{
	uint64_t tasks = 0;
	int r = 0;

	for (uint32_t i = 0; i < n && !r; i++) {
		tasks += jobs[i].task_count;
		if (jobs[i].task_count > MAX_TASKS || tasks > MAX_TASKS_A_CALL ||
		    jobs[i].in_bo_handle_count > MAX_HANDLES ||
		    jobs[i].out_bo_handle_count > MAX_HANDLES)
			return -EINVAL;
		r = check_flags(dev, &jobs[i]);
	}
	return r;
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
	job->flags = args->flags;
	job->tasks = malloc(args->task_count * sizeof(*job->tasks));
	job->bos = malloc((n_bos ? n_bos : 1) * sizeof(struct sim_bo *));
	if (job->tasks && job->bos)
		return job;
	free(job->tasks);
	free(job->bos);
	free(job);
	return NULL;
}

/* A job that was not queued. */
static void discard(struct sim_job *job)
{
	struct sim_device *dev = job->file->dev;

	pthread_mutex_lock(&dev->lock);
	for (uint32_t i = 0; i < job->n_in + job->n_out; i++)
		sim_bo_put(job->bos[i]);
	pthread_mutex_unlock(&dev->lock);
	free(job->tasks);
	free(job->bos);
	free(job);
}

static int submit_job(struct sim_file *file, const struct drm_rocket_job *args)
{
	struct sim_job *job;
	uint32_t named;
	int r;

	if (!args->task_count)
		return -EINVAL;
	r = check_size(args->task_struct_size, TASK_SIZE_V1);
	if (r)
		return r;
	job = new_job(file, args);
	if (!job)
		return -ENOMEM;
	r = copy_tasks(job, args);
	if (!r)
		r = take_bos(file, args->in_bo_handles, args->in_bo_handle_count, job->bos,
			     &job->n_in);
	if (!r)
		r = take_bos(file, args->out_bo_handles, args->out_bo_handle_count,
			     job->bos + job->n_in, &job->n_out);
	if (r) {
		discard(job);
		return r;
	}
	named = job->n_in + job->n_out;
	drop_repeated(job);
	if (file->dev->driver == SIM_DRIVER_STOCK && job->n_in + job->n_out < named) {
		sim_log(file->dev, "a job names one buffer twice: it is lost, as the stock driver "
				   "does");
		discard(job);
		return -EALREADY;
	}
	sim_sched_push(job);
	return 0;
}

static int copy_jobs(const struct sim_device *dev, struct drm_rocket_job *jobs,
		     const struct drm_rocket_submit *args)
{
	size_t known = dev->driver < SIM_DRIVER_FLAGS ? DRM_ROCKET_JOB_SIZE_V1 : sizeof(*jobs);
	uint8_t raw[MAX_STRUCT];
	int r = 0;

	for (uint32_t i = 0; i < args->job_count && !r; i++) {
		uint64_t from = args->jobs + (uint64_t)i * args->job_struct_size;

		if (from < args->jobs ||
		    sim_copy_from_user(raw, from, args->job_struct_size) != args->job_struct_size)
			return -EFAULT;
		memset(&jobs[i], 0, sizeof(jobs[i]));
		r = take_struct(dev, &jobs[i], known, raw, args->job_struct_size);
	}
	return r;
}

/* Room for all jobs of a call or for none: a caller that repeats it must not queue some twice. */
static int take_room(struct sim_file *file, uint32_t n)
{
	bool bounded = file->dev->driver >= SIM_DRIVER_JOB_ERRORS;
	int r = 0;

	pthread_mutex_lock(&file->dev->lock);
	if (bounded && file->unfinished + (long)n > sim_param("rocket_max_jobs", MAX_JOBS))
		r = -EAGAIN;
	else
		file->unfinished += n;
	pthread_mutex_unlock(&file->dev->lock);
	return r;
}

static void give_room(struct sim_file *file, uint32_t n)
{
	pthread_mutex_lock(&file->dev->lock);
	file->unfinished -= n;
	pthread_mutex_unlock(&file->dev->lock);
}

static int submit_jobs(struct sim_file *file, const struct drm_rocket_job *jobs, uint32_t n)
{
	bool stock = file->dev->driver == SIM_DRIVER_STOCK;
	uint32_t queued = 0;
	int r = take_room(file, n), err;

	if (r)
		return r;
	for (uint32_t i = 0; i < n && !r; i++) {
		err = submit_job(file, &jobs[i]);
		queued += !err;
		if (!stock) /* which drops the errors of its jobs */
			r = err;
	}
	give_room(file, n - queued);
	return r;
}

int sim_submit(struct sim_file *file, struct drm_rocket_submit *args)
{
	struct drm_rocket_job *jobs;
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
	r = copy_jobs(file->dev, jobs, args);
	if (!r)
		r = check_jobs(file->dev, jobs, args->job_count);
	if (!r)
		r = submit_jobs(file, jobs, args->job_count);
	free(jobs);
	return r;
}

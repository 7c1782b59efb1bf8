// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * job.c - jobs of the seam as SUBMITs of the vendor's driver.
 *
 * The driver starts a kick at the address and with the length of its first task and lets the links
 * of the programs lead to the others. So only chained programs go into one kick.
 */
#include <errno.h>
#include <string.h>

#include "node.h"

#define TIMEOUT_MS    2000u
#define TASKS_AT_ONCE 64u /* the task object's first size */
#define GANG_MAX      3u
#define INT_CLEAR_ALL 0x1ffffu

/*
 * What became of jobs. The driver knows none that failed: one that hung ends SUBMIT with ETIMEDOUT,
 * and then all that were queued with EINVAL, their cores having been reset. But EINVAL is also for
 * arguments, of which the mask of cores is the only one that can be wrong here: a chip may have
 * fewer than it is taken to have. So it is the end of a job when no core was named, or when those
 * were taken before. Else it is a refusal, and from then on no cores are named.
 */
struct outcome {
	int err;     /* 0, -errno of the call that was refused, or of the SUBMIT that failed */
	bool failed; /* the jobs were the kernel's, and their results are not there */
};

/* ---- what jobs do to buffers; state->lock is held ---- */

static int check_handles(struct rknpu_state *state, const uint32_t *handles, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!rknpu_object_of(state, handles[i]))
			return -ENOENT;
	return 0;
}

/* Add to the jobs that name these buffers. */
static void count_jobs(struct rknpu_state *state, const uint32_t *handles, uint32_t n, int change)
{
	for (uint32_t i = 0; i < n; i++) {
		struct rknpu_object *o = rknpu_object_of(state, handles[i]);

		if (o) /* it may be freed while its job runs */
			o->jobs += (unsigned)change;
	}
}

static void set_outputs(struct rknpu_state *state, const struct rocket_provider_job *job,
			int failed)
{
	for (uint32_t i = 0; i < job->n_out; i++) {
		struct rknpu_object *o = rknpu_object_of(state, job->out_handles[i]);

		if (o)
			o->failed = failed;
	}
}

/* What a job makes of the results of one that failed is no better. */
static int inherited(struct rknpu_state *state, const struct rocket_provider_job *job)
{
	for (uint32_t i = 0; i < job->n_in; i++) {
		const struct rknpu_object *o = rknpu_object_of(state, job->in_handles[i]);

		if (o && o->failed)
			return o->failed;
	}
	return 0;
}

static int begin_job(struct rknpu_state *state, const struct rocket_provider_job *job)
{
	int r;

	pthread_mutex_lock(&state->lock);
	r = check_handles(state, job->in_handles, job->n_in);
	if (!r)
		r = check_handles(state, job->out_handles, job->n_out);
	if (!r) {
		count_jobs(state, job->in_handles, job->n_in, 1);
		count_jobs(state, job->out_handles, job->n_out, 1);
	}
	pthread_mutex_unlock(&state->lock);
	return r;
}

/* A refusal leaves buffers as they were. */
static void end_job(struct rknpu_state *state, const struct rocket_provider_job *job,
		    struct outcome o)
{
	pthread_mutex_lock(&state->lock);
	count_jobs(state, job->in_handles, job->n_in, -1);
	count_jobs(state, job->out_handles, job->n_out, -1);
	if (o.failed)
		set_outputs(state, job, -EIO);
	else if (!o.err)
		set_outputs(state, job, inherited(state, job));
	pthread_cond_broadcast(&state->ended);
	pthread_mutex_unlock(&state->lock);
}

/* ---- kicks ---- */

/* Programs that one core runs in one go. */
struct kick {
	const rocket_task_desc *tasks;
	uint32_t n;
	uint32_t int_mask; /* of the last */
};

static int reserve_tasks(struct rocket_node *node, uint32_t n)
{
	struct rknpu_state *state = node->priv;
	uint32_t capacity = (uint32_t)(state->tasks.size / sizeof(struct rknpu_task));
	struct rknpu_object larger;
	int r;

	if (n <= capacity)
		return 0;
	capacity = capacity < TASKS_AT_ONCE ? TASKS_AT_ONCE : capacity;
	while (capacity < n)
		capacity *= 2;
	r = rknpu_object_new(node, capacity * sizeof(struct rknpu_task),
			     state->memory_flags | RKNPU_MEM_KERNEL_MAPPING, &larger);
	if (r)
		return r;
	if (state->tasks.handle)
		rknpu_object_free(node, &state->tasks);
	state->tasks = larger;
	return 0;
}

/* Fill the task object with kicks, one behind the other: how many tasks. */
static uint32_t fill_tasks(struct rknpu_state *state, const struct kick *kicks, uint32_t n)
{
	struct rknpu_task *t = state->tasks.ptr;

	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < kicks[k].n; i++) {
			const rocket_task_desc *from = &kicks[k].tasks[i];

			*t++ = (struct rknpu_task){
				.int_mask = i + 1 < kicks[k].n ? RKNPU_INT_DPU : kicks[k].int_mask,
				.int_clear = INT_CLEAR_ALL,
				.regcfg_amount = from->regcmd_count - RKNPU_TRAILER_WORDS,
				.regcmd_addr = from->regcmd,
			};
		}
	return (uint32_t)(t - (struct rknpu_task *)state->tasks.ptr);
}

/*
 * Where the driver looks for the range of each core: with one or two cores named at the core's own
 * index, with three two further; without any it picks a core and then looks at that one's.
 */
static void set_ranges(struct rknpu_submit *args, const struct kick *kicks, uint32_t n)
{
	const uint32_t shift = n == GANG_MAX ? 2 : 0;
	uint32_t at = 0;

	if (n == 1) {
		args->core_mask = RKNPU_CORE_AUTO_MASK;
		for (unsigned c = 0; c < GANG_MAX; c++)
			args->subcore_task[c] = (struct rknpu_subcore_task){ 0, kicks[0].n };
		return;
	}
	args->core_mask = (1u << n) - 1;
	for (uint32_t k = 0; k < n; k++) {
		args->subcore_task[k + shift] = (struct rknpu_subcore_task){ at, kicks[k].n };
		at += kicks[k].n;
	}
}

/* Whose cores SUBMIT named, and what it gave. Called with submit_lock held. */
static struct outcome outcome_of(struct rknpu_state *state, uint32_t mask, int r)
{
	const bool taken = !mask || mask <= state->mask_taken;

	if (mask > state->mask_taken && (!r || r == -ETIMEDOUT))
		state->mask_taken = mask;
	if (r == -EINVAL && !taken)
		state->one_core = true;
	return (struct outcome){ r, r == -ETIMEDOUT || (r == -EINVAL && taken) };
}

static int hand_tasks_over(struct rocket_node *node, const struct kick *kicks, uint32_t n,
			   struct rknpu_submit *args)
{
	struct rknpu_state *state = node->priv;
	uint32_t tasks = 0;
	int r;

	for (uint32_t k = 0; k < n; k++)
		tasks += kicks[k].n;
	r = reserve_tasks(node, tasks);
	if (r)
		return r;
	args->task_number = fill_tasks(state, kicks, n);
	args->task_obj_addr = state->tasks.address;
	set_ranges(args, kicks, n);
	return rknpu_object_sync(node, &state->tasks, RKNPU_MEM_SYNC_TO_DEVICE, 0,
				 tasks * sizeof(struct rknpu_task));
}

/* n kicks at once, each on a core of its own when there are several. */
static struct outcome run_kicks(struct rocket_node *node, const struct kick *kicks, uint32_t n)
{
	struct rknpu_state *state = node->priv;
	struct rknpu_submit args = { .flags = RKNPU_JOB_PC | RKNPU_JOB_PINGPONG,
				     .timeout = TIMEOUT_MS };
	struct outcome o = { 0 };

	pthread_mutex_lock(&state->submit_lock);
	o.err = hand_tasks_over(node, kicks, n, &args);
	if (!o.err) {
		__atomic_fetch_add(&node->submit_calls, 1, __ATOMIC_RELAXED);
		o = outcome_of(state, args.core_mask,
			       rknpu_call(node, DRM_IOCTL_RKNPU_SUBMIT, &args));
	}
	pthread_mutex_unlock(&state->submit_lock);
	return o;
}

/* ---- jobs ---- */

static uint32_t end_mask(const struct rocket_provider_job *job)
{
	return job->flags & ROCKET_JOB_PPU_DONE ? RKNPU_INT_PPU : RKNPU_INT_DPU;
}

static bool is_one_kick(const struct rocket_provider_job *job)
{
	return job->n_tasks == 1 || job->flags & ROCKET_JOB_BATCHED;
}

static struct outcome run_tasks(struct rocket_node *node, const struct rocket_provider_job *job)
{
	struct outcome o = { 0 };

	if (is_one_kick(job)) {
		const struct kick all = { job->tasks, job->n_tasks, end_mask(job) };

		return run_kicks(node, &all, 1);
	}
	for (uint32_t i = 0; i < job->n_tasks && !o.err; i++) {
		const struct kick one = { &job->tasks[i], 1, end_mask(job) };

		o = run_kicks(node, &one, 1);
	}
	return o;
}

static bool names(const uint32_t *handles, uint32_t n, uint32_t handle)
{
	for (uint32_t i = 0; i < n; i++)
		if (handles[i] == handle)
			return true;
	return false;
}

/* Neither writes what the other names. */
static bool independent(const struct rocket_provider_job *a, const struct rocket_provider_job *b)
{
	for (uint32_t i = 0; i < a->n_out; i++)
		if (names(b->in_handles, b->n_in, a->out_handles[i]) ||
		    names(b->out_handles, b->n_out, a->out_handles[i]))
			return false;
	for (uint32_t i = 0; i < b->n_out; i++)
		if (names(a->in_handles, a->n_in, b->out_handles[i]))
			return false;
	return true;
}

/* How many jobs from the first on may run side by side. */
static uint32_t gang_size(const struct rocket_node *node, const struct rocket_provider_job *jobs,
			  uint32_t n)
{
	uint32_t most = node->cores && node->cores < GANG_MAX ? node->cores : GANG_MAX, size = 1;
	struct rknpu_state *state = node->priv;
	bool one_core;

	pthread_mutex_lock(&state->submit_lock);
	one_core = state->one_core;
	pthread_mutex_unlock(&state->submit_lock);
	if (one_core || !node->cores || !is_one_kick(&jobs[0]))
		return 1;
	for (; size < n && size < most && is_one_kick(&jobs[size]); size++)
		for (uint32_t i = 0; i < size; i++)
			if (!independent(&jobs[i], &jobs[size]))
				return size;
	return size;
}

static struct outcome run_gang(struct rocket_node *node, const struct rocket_provider_job *jobs,
			       uint32_t n)
{
	struct kick kicks[GANG_MAX];

	if (n == 1)
		return run_tasks(node, jobs);
	for (uint32_t i = 0; i < n; i++)
		kicks[i] = (struct kick){ jobs[i].tasks, jobs[i].n_tasks, end_mask(&jobs[i]) };
	return run_kicks(node, kicks, n);
}

/* Jobs that run side by side, from the first on. Their failure is told by bo_prep. */
static int submit_gang(struct rocket_node *node, const struct rocket_provider_job *jobs, uint32_t n)
{
	struct outcome o = { 0 };
	uint32_t begun = 0;

	while (begun < n && !o.err) {
		o.err = begin_job(node->priv, &jobs[begun]);
		begun += !o.err;
	}
	if (!o.err)
		o = run_gang(node, jobs, n);
	for (uint32_t i = 0; i < begun; i++)
		end_job(node->priv, &jobs[i], o);
	return o.failed ? 0 : o.err;
}

static int check_job(const struct rocket_provider_job *job)
{
	if (job->flags & ~(ROCKET_JOB_BATCHED | ROCKET_JOB_PPU_DONE))
		return -EOPNOTSUPP;
	if (!job->n_tasks)
		return -EINVAL;
	for (uint32_t i = 0; i < job->n_tasks; i++)
		if (job->tasks[i].regcmd_count <= RKNPU_TRAILER_WORDS)
			return -EINVAL;
	return 0;
}

size_t rknpu_scratch_size(uint32_t max_tasks)
{
	(void)max_tasks;
	return 0; /* tasks go to an object of the node */
}

int rknpu_submit_jobs(struct rocket_node *node, const struct rocket_provider_job *jobs,
		      uint32_t n_jobs, void *scratch)
{
	uint32_t n;
	int r = 0;

	(void)scratch;
	for (uint32_t i = 0; i < n_jobs && !r; i++)
		r = check_job(&jobs[i]);
	for (uint32_t i = 0; i < n_jobs && !r; i += n) {
		n = gang_size(node, jobs + i, n_jobs - i);
		r = submit_gang(node, jobs + i, n);
	}
	return r;
}

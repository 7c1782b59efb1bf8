// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * job.c - jobs of the seam as SUBMITs of the vendor's driver, which wait for their jobs.
 *
 * The driver starts a kick at the address and with the length of its first task and lets the links
 * of the programs lead to the others. So only chained programs go into one kick.
 */
#include <errno.h>

#include "node.h"

/*
 * What became of jobs. The driver knows none that failed: one that hung ends SUBMIT with ETIMEDOUT,
 * and then all that were queued with EINVAL, their cores having been reset. But EINVAL is also for
 * arguments, of which the mask of cores is the only one that can be wrong here: a chip may have
 * fewer than it is taken to have. So it is the end of a job when no core was named, or when those
 * were taken before, or when the last task has a status, which is written when what has begun has
 * been waited for, however it ended [source: 0.9.8]. Else nothing has begun, and the same is asked
 * once more: a reset that takes jobs out of the queue passes, a refusal stays. After one no cores
 * are named.
 */
static bool were_taken(const struct rknpu_state *state, uint32_t mask)
{
	return !mask || mask <= state->mask_taken;
}

/* Called with submit_lock held. */
static struct rknpu_outcome submit_kicks(struct rocket_node *node, const struct rknpu_kick *kicks,
					 uint32_t n, struct rknpu_submit *args)
{
	struct rknpu_state *state = node->priv;
	const uint32_t mask = args->core_mask;
	bool ended = false;
	int r = -EINVAL;

	for (unsigned tries = 0; tries < 2 && r == -EINVAL && !ended; tries++) {
		struct rknpu_submit again = *args;

		r = rknpu_kicks_submit(node, &again);
		ended = were_taken(state, mask) ||
			(r == -EINVAL && rknpu_kicks_began(&state->tasks, kicks, n));
	}
	if (mask > state->mask_taken && (!r || r == -ETIMEDOUT || ended))
		state->mask_taken = mask;
	if (r == -EINVAL && !ended)
		state->one_core = true;
	return (struct rknpu_outcome){ .err = r,
				       .failed = r == -ETIMEDOUT || (r == -EINVAL && ended) };
}

/* n kicks at once, each on a core of its own when there are several. */
static struct rknpu_outcome run_kicks(struct rocket_node *node, const struct rknpu_kick *kicks,
				      uint32_t n)
{
	struct rknpu_state *state = node->priv;
	struct rknpu_submit args = { .flags = RKNPU_JOB_PC | RKNPU_JOB_PINGPONG,
				     .timeout = RKNPU_TIMEOUT_MS };
	struct rknpu_outcome o = { 0 };

	pthread_mutex_lock(&state->submit_lock);
	o.err = rknpu_kicks_hand_over(node, &state->tasks, kicks, n, &args);
	if (!o.err)
		o = submit_kicks(node, kicks, n, &args);
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

static struct rknpu_kick kick_of_all(const struct rocket_provider_job *job)
{
	return (struct rknpu_kick){ job->tasks, job->n_tasks, end_mask(job) };
}

static struct rknpu_kick kick_of_task(const struct rocket_provider_job *job, uint32_t i)
{
	return (struct rknpu_kick){ &job->tasks[i], 1, end_mask(job) };
}

static struct rknpu_outcome run_tasks(struct rocket_node *node,
				      const struct rocket_provider_job *job)
{
	struct rknpu_outcome o = { 0 };

	if (is_one_kick(job)) {
		const struct rknpu_kick all = kick_of_all(job);

		return run_kicks(node, &all, 1);
	}
	for (uint32_t i = 0; i < job->n_tasks && !o.err; i++) {
		const struct rknpu_kick one = kick_of_task(job, i);

		o = run_kicks(node, &one, 1);
		o.partial = o.err && i;
	}
	return o;
}

/* How many jobs from the first on may run side by side. */
static uint32_t gang_size(const struct rocket_node *node, const struct rocket_provider_job *jobs,
			  uint32_t n)
{
	uint32_t most = node->cores && node->cores < RKNPU_GANG_MAX ? node->cores : RKNPU_GANG_MAX;
	struct rknpu_state *state = node->priv;
	uint32_t size = 1;
	bool one_core;

	pthread_mutex_lock(&state->submit_lock);
	one_core = state->one_core;
	pthread_mutex_unlock(&state->submit_lock);
	if (one_core || !node->cores || !is_one_kick(&jobs[0]))
		return 1;
	for (; size < n && size < most && is_one_kick(&jobs[size]); size++)
		for (uint32_t i = 0; i < size; i++)
			if (!rknpu_jobs_are_independent(&jobs[i], &jobs[size]))
				return size;
	return size;
}

static struct rknpu_outcome run_gang(struct rocket_node *node,
				     const struct rocket_provider_job *jobs, uint32_t n)
{
	struct rknpu_kick kicks[RKNPU_GANG_MAX];

	if (n == 1)
		return run_tasks(node, jobs);
	for (uint32_t i = 0; i < n; i++)
		kicks[i] = kick_of_all(&jobs[i]);
	return run_kicks(node, kicks, n);
}

/* Jobs that run side by side, from the first on. Their failure is told by bo_prep. */
static int submit_gang(struct rocket_node *node, const struct rocket_provider_job *jobs, uint32_t n)
{
	struct rknpu_outcome o = { 0 };
	uint32_t begun = 0;

	while (begun < n && !o.err) {
		o.err = rknpu_job_begin(node->priv, &jobs[begun]);
		begun += !o.err;
	}
	if (!o.err)
		o = run_gang(node, jobs, n);
	for (uint32_t i = 0; i < begun; i++)
		rknpu_job_end(node->priv, &jobs[i], o);
	return o.failed ? 0 : o.err;
}

/* Tasks apart go one after the other, and so each but the last is waited for. */
static int submit_fenced(struct rocket_node *node, const struct rocket_provider_job *job)
{
	struct rknpu_kick kick = kick_of_all(job);
	int r = 0;

	if (is_one_kick(job))
		return rknpu_fence_submit(node, job, &kick, false);
	for (uint32_t i = 0; i < job->n_tasks && !r; i++) {
		kick = kick_of_task(job, i);
		if (i)
			rknpu_fence_settle_all(node);
		if (i && rknpu_job_failure(node->priv, job))
			return 0;
		r = rknpu_fence_submit(node, job, &kick, i);
	}
	return r;
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
	const struct rknpu_state *state = node->priv;
	uint32_t n = 1;
	int r = 0;

	(void)scratch;
	for (uint32_t i = 0; i < n_jobs && !r; i++)
		r = check_job(&jobs[i]);
	for (uint32_t i = 0; i < n_jobs && !r; i += n) {
		if (state->fenced) {
			r = submit_fenced(node, &jobs[i]);
			continue;
		}
		n = gang_size(node, jobs + i, n_jobs - i);
		r = submit_gang(node, jobs + i, n);
	}
	return r;
}

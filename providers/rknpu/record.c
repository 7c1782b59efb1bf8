// SPDX-License-Identifier: LGPL-2.1-or-later
/* record.c - what jobs do to buffers: who uses one, and whether what it holds is a result. */
#include <errno.h>

#include "node.h"

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

static int failure_of(struct rknpu_state *state, const uint32_t *handles, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct rknpu_object *o = rknpu_object_of(state, handles[i]);

		if (o && o->failed)
			return o->failed;
	}
	return 0;
}

int rknpu_job_begin(struct rknpu_state *state, const struct rocket_provider_job *job)
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

void rknpu_job_ended(struct rknpu_state *state, const struct rocket_provider_job *job,
		     struct rknpu_outcome o)
{
	count_jobs(state, job->in_handles, job->n_in, -1);
	count_jobs(state, job->out_handles, job->n_out, -1);
	if (o.failed || o.partial)
		set_outputs(state, job, -EIO);
	else if (!o.err) /* what a job makes of the results of one that failed is no better */
		set_outputs(state, job, failure_of(state, job->in_handles, job->n_in));
	pthread_cond_broadcast(&state->ended);
}

void rknpu_job_end(struct rknpu_state *state, const struct rocket_provider_job *job,
		   struct rknpu_outcome o)
{
	pthread_mutex_lock(&state->lock);
	rknpu_job_ended(state, job, o);
	pthread_mutex_unlock(&state->lock);
}

int rknpu_job_failure(struct rknpu_state *state, const struct rocket_provider_job *job)
{
	int r;

	pthread_mutex_lock(&state->lock);
	r = failure_of(state, job->out_handles, job->n_out);
	pthread_mutex_unlock(&state->lock);
	return r;
}

bool rknpu_job_names(const struct rocket_provider_job *job, uint32_t handle)
{
	for (uint32_t i = 0; i < job->n_in; i++)
		if (job->in_handles[i] == handle)
			return true;
	for (uint32_t i = 0; i < job->n_out; i++)
		if (job->out_handles[i] == handle)
			return true;
	return false;
}

bool rknpu_jobs_are_independent(const struct rocket_provider_job *a,
				const struct rocket_provider_job *b)
{
	for (uint32_t i = 0; i < a->n_out; i++)
		if (rknpu_job_names(b, a->out_handles[i]))
			return false;
	for (uint32_t i = 0; i < b->n_out; i++)
		if (rknpu_job_names(a, b->out_handles[i]))
			return false;
	return true;
}

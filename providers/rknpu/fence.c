// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fence.c - SUBMITs that return at once (ROCKET_RKNPU_SUBMIT=fenced), and how their end is learnt.
 *
 * What this rests on is known of the driver from its source alone [source: 0.9.8]:
 *
 *   A fence is signalled where its job completes, by the interrupt that the last task names, and
 *   nowhere else; none is given an error. That of a job that hung, was dropped or whose cores were
 *   reset is never signalled. int_status is written by the SUBMIT that waits: with NONBLOCK it
 *   stays as it was, and is no evidence here. So a job has succeeded when its fence is signalled
 *   and has no error, which is as much as a SUBMIT that waits goes by, and failed when that has not
 *   happened in time.
 *
 *   Nobody retires a job that hangs but a later NONBLOCK submit that names its core, once the job
 *   is older, in microseconds, than its timeout in milliseconds. It looks at whatever is on that
 *   core so, and would drop a job of another client that is waited for and takes 2 ms. Therefore
 *   jobs name no core, which looks at none, except after one of them hung.
 *
 *   FENCE_IN does not wait for fences of the driver's own. A job waits here for those it depends
 *   on, since it may get another core than they have.
 *
 * A job that does not end in time is taken for hung and all cores are reset, as the driver itself
 * does when a SUBMIT waits for too long: others are no worse off. The reset stops the NPU, whose
 * buffers may be freed then, but leaves the job on its core, and takes others of this node with it.
 * So the next jobs name one core after the other, each when what was before it is over, and that
 * retires what is left there.
 *
 * A node that is closed before leaves that core taken: nothing but such a job is known to retire
 * what hung, closing its file is not [inferred], and a job to name the core takes a program that
 * ends, of which a node that closes has none. The simulated driver ends a file's jobs with it.
 */
#include <errno.h>
#include <limits.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/core/clock.h"
#include "node.h"

/*
 * From the call to the end, what is before a job included. A SUBMIT waits for three times its
 * timeout at most. Where the NPU is simulated a job takes what the host takes, so it is asked
 * whether it hangs, as often as this.
 */
#define LIMIT_US (3 * RKNPU_TIMEOUT_MS * 1000)
#define ASK_NS   UINT64_C(20000000)

/* ---- one fence ---- */

/* A job without a fence, or whose fence was closed behind our back, is silent. */
static bool is_signalled(int fence, uint64_t until_ns)
{
	struct pollfd p = { .fd = fence, .events = POLLIN };
	uint64_t now;

	do {
		uint64_t ms;

		now = rocket_now_ns();
		ms = until_ns > now ? (until_ns - now - 1) / 1000000 + 1 : 0;
		if (poll(&p, 1, ms > INT_MAX ? INT_MAX : (int)ms) > 0) {
			if (p.revents & POLLIN)
				return true;
			p.fd = -1;
		}
	} while (now < until_ns);
	return false;
}

static bool has_no_error(const struct rocket_node *node, int fence)
{
	struct sync_file_info info = { 0 };

	return !node->kernel->ioctl(fence, SYNC_IOC_FILE_INFO, &info) && info.status == 1;
}

static void reset_cores(const struct rocket_node *node)
{
	struct rknpu_action a = { .flags = RKNPU_ACT_RESET };

	rknpu_call(node, DRM_IOCTL_RKNPU_ACTION, &a); /* that it failed would change nothing */
}

/* ---- jobs that have not been seen to end; state->lock is held, but not while waiting ---- */

static void finish(struct rknpu_state *state, struct rknpu_pending *p, bool failed)
{
	if (p->fence >= 0)
		close(p->fence);
	p->serial = 0;
	rknpu_job_ended(state, &p->job, (struct rknpu_outcome){ .failed = failed });
	free(p->handles);
	p->handles = NULL;
}

static bool is_given_up(const struct rocket_node *node, const struct rknpu_pending *p)
{
	if (node->kernel->is_hung)
		return node->kernel->is_hung(node->fd, p->tasks.address);
	return rocket_now_ns() >= p->deadline_ns;
}

enum sight { RUNS, SIGNALLED, GIVEN_UP };

/* Until p has one of its ends. What ended when it was asked for is not given up. */
static enum sight look(const struct rocket_node *node, const struct rknpu_pending *p,
		       uint64_t until_ns)
{
	bool last, given_up;

	do {
		const uint64_t now = rocket_now_ns();
		uint64_t next = node->kernel->is_hung ? now + ASK_NS : p->deadline_ns;

		last = now >= until_ns;
		given_up = is_given_up(node, p);
		if (is_signalled(p->fence, given_up ? 0 : next < until_ns ? next : until_ns))
			return SIGNALLED;
	} while (!given_up && !last);
	return given_up ? GIVEN_UP : RUNS;
}

static void watch(struct rocket_node *node, struct rknpu_pending *p, uint64_t until_ns)
{
	struct rknpu_state *state = node->priv;
	enum sight sight;
	bool failed;

	p->watched = true;
	pthread_mutex_unlock(&state->lock);
	sight = look(node, p, until_ns);
	failed = sight != SIGNALLED || !has_no_error(node, p->fence);
	if (sight == GIVEN_UP)
		reset_cores(node);
	pthread_mutex_lock(&state->lock);
	p->watched = false;
	if (sight == GIVEN_UP)
		state->to_retire = (1u << (node->cores ? node->cores : RKNPU_GANG_MAX)) - 1;
	if (sight != RUNS)
		finish(state, p, failed);
	pthread_cond_broadcast(&state->ended); /* for others to watch in our place */
}

/* 0: p, as it was at the call, has ended. */
static int settle(struct rocket_node *node, struct rknpu_pending *p, uint64_t until_ns)
{
	const uint64_t serial = p->serial;
	int r = 0;

	while (p->serial == serial && !r) {
		if (p->watched) {
			r = rknpu_wait_for_end(node->priv, until_ns);
			continue;
		}
		watch(node, p, until_ns);
		if (p->serial == serial && rocket_now_ns() >= until_ns)
			r = -ETIMEDOUT;
	}
	return p->serial == serial ? r : 0;
}

static struct rknpu_pending *oldest(struct rknpu_state *state)
{
	struct rknpu_pending *found = NULL;

	for (unsigned i = 0; i < RKNPU_PENDING_MAX; i++) {
		struct rknpu_pending *p = &state->pending[i];

		if (p->serial && (!found || p->serial < found->serial))
			found = p;
	}
	return found;
}

static struct rknpu_pending *one_that_names(struct rknpu_state *state, uint32_t handle)
{
	for (unsigned i = 0; i < RKNPU_PENDING_MAX; i++)
		if (state->pending[i].serial && rknpu_job_names(&state->pending[i].job, handle))
			return &state->pending[i];
	return NULL;
}

static struct rknpu_pending *one_before(struct rknpu_state *state,
					const struct rocket_provider_job *job)
{
	for (unsigned i = 0; i < RKNPU_PENDING_MAX; i++)
		if (state->pending[i].serial &&
		    !rknpu_jobs_are_independent(&state->pending[i].job, job))
			return &state->pending[i];
	return NULL;
}

static struct rknpu_pending *a_free_one(struct rknpu_state *state)
{
	for (unsigned i = 0; i < RKNPU_PENDING_MAX; i++)
		if (!state->pending[i].serial)
			return &state->pending[i];
	return NULL;
}

int rknpu_fence_await(struct rocket_node *node, uint32_t handle, uint64_t until_ns)
{
	struct rknpu_pending *p = one_that_names(node->priv, handle);

	return p ? settle(node, p, until_ns) : rknpu_wait_for_end(node->priv, until_ns);
}

void rknpu_fence_release(struct rocket_node *node, uint32_t handle)
{
	struct rknpu_state *state = node->priv;
	struct rknpu_pending *p;

	pthread_mutex_lock(&state->lock);
	while ((p = one_that_names(state, handle)))
		settle(node, p, UINT64_MAX);
	pthread_mutex_unlock(&state->lock);
}

void rknpu_fence_settle_all(struct rocket_node *node)
{
	struct rknpu_state *state = node->priv;
	struct rknpu_pending *p;

	pthread_mutex_lock(&state->lock);
	while ((p = oldest(state)))
		settle(node, p, UINT64_MAX);
	pthread_mutex_unlock(&state->lock);
}

void rknpu_fence_close(struct rocket_node *node)
{
	struct rknpu_state *state = node->priv;

	rknpu_fence_settle_all(node);
	for (unsigned i = 0; i < RKNPU_PENDING_MAX; i++)
		if (state->pending[i].tasks.handle)
			rknpu_object_free(node, &state->pending[i].tasks);
}

/* ---- submitting; submit_lock is held, and so nobody else adds jobs ---- */

/* A place for a job when it may go, and the core that it names: 0 is none. */
static struct rknpu_pending *claim(struct rocket_node *node, const struct rocket_provider_job *job,
				   uint32_t *core)
{
	struct rknpu_state *state = node->priv;
	struct rknpu_pending *p;

	pthread_mutex_lock(&state->lock);
	for (;;) {
		p = one_before(state, job);
		if (!p && (state->to_retire || !a_free_one(state)))
			p = oldest(state);
		if (!p)
			break;
		settle(node, p, UINT64_MAX);
	}
	p = a_free_one(state);
	*core = state->to_retire & -state->to_retire;
	pthread_mutex_unlock(&state->lock);
	return p;
}

/* The lists of a job are its caller's. */
static int keep_lists(struct rknpu_pending *p, const struct rocket_provider_job *job)
{
	const size_t n = (size_t)job->n_in + job->n_out;

	p->handles = malloc((n ? n : 1) * sizeof(*p->handles));
	if (!p->handles)
		return -ENOMEM;
	if (job->n_in)
		memcpy(p->handles, job->in_handles, job->n_in * sizeof(*p->handles));
	if (job->n_out)
		memcpy(p->handles + job->n_in, job->out_handles, job->n_out * sizeof(*p->handles));
	p->job = (struct rocket_provider_job){ .in_handles = p->handles,
					       .n_in = job->n_in,
					       .out_handles = p->handles + job->n_in,
					       .n_out = job->n_out };
	return 0;
}

static int refusal(struct rocket_node *node, int r)
{
	struct rknpu_state *state = node->priv;

	if (r != -EINVAL || state->fences_taken)
		return r;
	__atomic_store_n(&node->complaint,
			 "the driver is built without fences, which ROCKET_RKNPU_SUBMIT=fenced "
			 "needs",
			 __ATOMIC_RELEASE);
	return -EOPNOTSUPP;
}

/* A chip may have fewer cores than it is taken to have: those beyond are named no more. */
static int submit_naming(struct rocket_node *node, const struct rknpu_submit *args, uint32_t *core,
			 int *fence)
{
	const struct rknpu_state *state = node->priv;
	struct rknpu_submit named = *args, any = *args;
	int r;

	named.core_mask = *core;
	r = rknpu_kicks_submit(node, &named);
	*fence = named.fence_fd;
	if (r != -EINVAL || !*core || !state->fences_taken)
		return r;
	*core = ~(*core - 1);
	any.core_mask = RKNPU_CORE_AUTO_MASK;
	r = rknpu_kicks_submit(node, &any);
	*fence = any.fence_fd;
	return r;
}

static int start(struct rocket_node *node, struct rknpu_pending *p, const struct rknpu_kick *kick,
		 uint32_t core)
{
	struct rknpu_state *state = node->priv;
	struct rknpu_submit args = { .flags = RKNPU_JOB_PC | RKNPU_JOB_PINGPONG |
					      RKNPU_JOB_NONBLOCK | RKNPU_JOB_FENCE_OUT,
				     .timeout = LIMIT_US, /* the age at which it may be dropped */
				     .fence_fd = -1 };
	int r = rknpu_kicks_hand_over(node, &p->tasks, kick, 1, &args), fence;

	if (r)
		return r;
	r = submit_naming(node, &args, &core, &fence);
	if (r)
		return refusal(node, r);
	state->fences_taken = true;
	pthread_mutex_lock(&state->lock);
	p->fence = fence;
	p->deadline_ns = rocket_now_ns() + LIMIT_US * UINT64_C(1000);
	p->serial = ++state->serial;
	state->to_retire &= ~core;
	pthread_cond_broadcast(&state->ended); /* who waits for its buffers may watch it */
	pthread_mutex_unlock(&state->lock);
	return 0;
}

int rknpu_fence_submit(struct rocket_node *node, const struct rocket_provider_job *job,
		       const struct rknpu_kick *kick, bool partial)
{
	struct rknpu_state *state = node->priv;
	struct rknpu_pending *p;
	uint32_t core;
	int r;

	pthread_mutex_lock(&state->submit_lock);
	r = rknpu_job_begin(state, job);
	if (r)
		goto out;
	p = claim(node, job, &core);
	r = keep_lists(p, job);
	if (!r)
		r = start(node, p, kick, core);
	if (r) {
		free(p->handles);
		p->handles = NULL;
		rknpu_job_end(state, job, (struct rknpu_outcome){ .err = r, .partial = partial });
	}
out:
	pthread_mutex_unlock(&state->submit_lock);
	return r;
}

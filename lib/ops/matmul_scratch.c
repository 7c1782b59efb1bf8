// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_scratch.c - see matmul_scratch.h. */
#include <stdlib.h>
#include <string.h>

#include "../core/status.h"
#include "matmul_scratch.h"

/* ---- a set ---- */

static int ensure(int fd, rocket_bo *bo, uint64_t need)
{
	int ret;

	if (!need) {
		rocket_bo_free(fd, bo);
		return ROCKET_OK;
	}
	need += ROCKET_OVERREAD_BYTES;
	/* The kernel synchronises whole buffers, so one that is far too large costs more at
	 * every job than a new one does once [silicon]. */
	if (bo->size / 2 > need)
		rocket_bo_free(fd, bo);
	ret = rocket_bo_ensure32(fd, bo, (size_t)need);
	return ret < 0 ? ret : ROCKET_OK;
}

static void free_host_memory(struct rocket_matmul_scratch *s)
{
	rocket_matmul_plan_free(&s->plan);
	free(s->sums);
	free(s->tasks);
	free(s);
}

void rocket_matmul_scratch_free(int fd, struct rocket_matmul_scratch *s)
{
	rocket_bo_free(fd, &s->out[1]);
	rocket_bo_free(fd, &s->out[0]);
	rocket_bo_free(fd, &s->programs);
	rocket_bo_free(fd, &s->b);
	rocket_bo_free(fd, &s->a);
	free_host_memory(s);
}

uint64_t rocket_matmul_scratch_bytes(const struct rocket_matmul_scratch *s)
{
	return (uint64_t)s->a.size + s->b.size + s->out[0].size + s->out[1].size + s->programs.size;
}

static uint64_t host_bytes(const struct rocket_matmul_plan *p)
{
	return (uint64_t)p->n_steps * (sizeof(*p->steps) + sizeof(rocket_task_desc)) +
	       (uint64_t)p->n_jobs * sizeof(*p->jobs);
}

static uint64_t kept_bytes(const struct rocket_matmul_scratch *s)
{
	return rocket_matmul_scratch_bytes(s) + s->sums_bytes + host_bytes(&s->plan);
}

static bool keeps_programs(const struct rocket_matmul_plan *p)
{
	return p->n_steps <= ROCKET_PROGRAMS_KEPT;
}

static uint64_t program_bytes(const struct rocket_matmul_plan *p)
{
	if (keeps_programs(p))
		return (uint64_t)p->n_steps * ROCKET_PROGRAM_SLOT;
	return (p->pipelined ? 2 : 1) * ROCKET_PROGRAMS_BYTES;
}

/* What a set for a plan will take, about. */
static uint64_t needed_bytes(const struct rocket_matmul_plan *p, uint64_t sums_bytes)
{
	return p->in_bytes + p->wt_bytes + p->out_bytes[0] + p->out_bytes[1] + program_bytes(p) +
	       UINT64_C(5) * ROCKET_OVERREAD_BYTES + sums_bytes + host_bytes(p);
}

static int make_buffers(int fd, struct rocket_matmul_scratch *s)
{
	const struct rocket_matmul_plan *p = &s->plan;
	int ret = ensure(fd, &s->a, p->in_bytes);

	if (!ret)
		ret = ensure(fd, &s->b, p->wt_bytes);
	if (!ret)
		ret = ensure(fd, &s->programs, program_bytes(p));
	for (unsigned i = 0; i < 2 && !ret; i++)
		ret = ensure(fd, &s->out[i], p->out_bytes[i]);
	return ret;
}

static int make_host_memory(struct rocket_matmul_scratch *s, uint64_t sums_bytes)
{
	free(s->sums);
	free(s->tasks);
	s->sums = sums_bytes ? malloc(sums_bytes) : NULL;
	s->sums_bytes = s->sums ? sums_bytes : 0;
	s->n_tasks = keeps_programs(&s->plan) ? s->plan.n_steps : ROCKET_JOB_TASKS_MAX;
	s->tasks = malloc(s->n_tasks * sizeof(*s->tasks));
	if (s->tasks && s->sums_bytes == sums_bytes)
		return ROCKET_OK;
	return rocket_fail(ROCKET_E_NOMEM, "matmul: no memory for the sums of %dx%d results",
			   s->plan.M, s->plan.N);
}

/* ---- a shelf ---- */

/* Of kept sets, the lock held. */
static uint64_t sum_up(const struct rocket_keep *shelf, unsigned *count)
{
	uint64_t bytes = 0;

	*count = 0;
	for (const struct rocket_matmul_scratch *s = shelf->kept; s; s = s->next) {
		bytes += kept_bytes(s);
		++*count;
	}
	return bytes;
}

/* Unlink the sets that have to go so that `more` sets of so many bytes have room: a list. */
static struct rocket_matmul_scratch *make_room(struct rocket_keep *shelf,
					       const struct rocket_matmul_bounds *bounds,
					       unsigned more, uint64_t bytes)
{
	struct rocket_matmul_scratch *gone = NULL, **last;
	unsigned count;

	pthread_mutex_lock(&shelf->lock);
	while (sum_up(shelf, &count) + bytes > bounds->bytes || count + more > bounds->sets) {
		if (!shelf->kept)
			break;
		for (last = (struct rocket_matmul_scratch **)&shelf->kept; (*last)->next;
		     last = &(*last)->next)
			;
		(*last)->next = gone;
		gone = *last;
		*last = NULL;
	}
	pthread_mutex_unlock(&shelf->lock);
	return gone;
}

static void free_list(int fd, struct rocket_matmul_scratch *s)
{
	while (s) {
		struct rocket_matmul_scratch *next = s->next;

		rocket_matmul_scratch_free(fd, s);
		s = next;
	}
}

static void free_kept(void *kept)
{
	for (struct rocket_matmul_scratch *s = kept, *next; s; s = next) {
		next = s->next;
		free_host_memory(s);
	}
}

struct rocket_matmul_scratch *rocket_matmul_scratch_find(struct rocket_keep *shelf,
							 const struct rocket_matmul_key *key)
{
	struct rocket_matmul_scratch *found = NULL;

	pthread_mutex_lock(&shelf->lock);
	for (struct rocket_matmul_scratch **at = (struct rocket_matmul_scratch **)&shelf->kept; *at;
	     at = &(*at)->next)
		if (!memcmp(&(*at)->key, key, sizeof(*key))) {
			found = *at;
			*at = found->next;
			break;
		}
	pthread_mutex_unlock(&shelf->lock);
	return found;
}

/* One of those that had to go, or a new one. */
static struct rocket_matmul_scratch *reuse_or_new(int fd, struct rocket_matmul_scratch *gone)
{
	struct rocket_matmul_scratch *s = gone;

	if (s) {
		free_list(fd, s->next);
		rocket_matmul_plan_free(&s->plan);
		return s;
	}
	s = calloc(1, sizeof(*s) + rocket_submit_scratch_size(ROCKET_JOB_TASKS_MAX));
	if (!s)
		rocket_fail(ROCKET_E_NOMEM, "matmul: no memory for a job");
	return s;
}

struct rocket_matmul_scratch *rocket_matmul_scratch_make(int fd, struct rocket_keep *shelf,
							 const struct rocket_matmul_bounds *bounds,
							 const struct rocket_matmul_key *key,
							 struct rocket_matmul_plan *plan,
							 uint64_t sums_bytes, int *status)
{
	struct rocket_matmul_scratch *s =
		reuse_or_new(fd, make_room(shelf, bounds, 1, needed_bytes(plan, sums_bytes)));

	if (!s) {
		rocket_matmul_plan_free(plan);
		*status = ROCKET_E_NOMEM;
		return NULL;
	}
	s->next = NULL;
	s->key = *key;
	s->plan = *plan;
	s->encoded = false;
	s->all_programs = keeps_programs(plan);
	*status = make_buffers(fd, s);
	if (!*status)
		*status = make_host_memory(s, sums_bytes);
	if (!*status)
		return s;
	rocket_matmul_scratch_free(fd, s);
	return NULL;
}

void rocket_matmul_scratch_put(int fd, struct rocket_keep *shelf,
			       const struct rocket_matmul_bounds *bounds,
			       struct rocket_matmul_scratch *s)
{
	if (kept_bytes(s) > bounds->bytes) {
		rocket_matmul_scratch_free(fd, s);
		return;
	}
	pthread_mutex_lock(&shelf->lock);
	s->next = shelf->kept;
	shelf->kept = s;
	shelf->free_kept = free_kept;
	pthread_mutex_unlock(&shelf->lock);
	free_list(fd, make_room(shelf, bounds, 0, 0));
}

void rocket_matmul_scratch_clear(int fd, struct rocket_keep *shelf)
{
	static const struct rocket_matmul_bounds nothing = { 0 };

	free_list(fd, make_room(shelf, &nothing, 0, 0));
}

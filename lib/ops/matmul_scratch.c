// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_scratch.c - see matmul_scratch.h. */
#include <stdatomic.h>
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

void rocket_matmul_scratch_free(struct rocket_device *dev, struct rocket_matmul_scratch *s)
{
	rocket_device_bo_free(dev, &s->out[1]);
	rocket_device_bo_free(dev, &s->out[0]);
	rocket_device_bo_free(dev, &s->programs);
	rocket_device_bo_free(dev, &s->b);
	rocket_device_bo_free(dev, &s->a);
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

/* A shelf has the last set that came first. */
static struct rocket_matmul_scratch **sets_of(struct rocket_keep *shelf)
{
	return (struct rocket_matmul_scratch **)&shelf->kept;
}

/* What others want to know of a shelf, whose lock is held. */
static void sum_up(struct rocket_keep *shelf)
{
	uint64_t bytes = 0, oldest = 0;

	for (const struct rocket_matmul_scratch *s = *sets_of(shelf); s; s = s->next) {
		bytes += kept_bytes(s);
		oldest = s->since;
	}
	atomic_store(&shelf->oldest, oldest);
	atomic_store(&shelf->bytes, bytes);
}

/* Unlink the oldest set of a shelf that has more than so many; NULL: it has not. */
static struct rocket_matmul_scratch *take_oldest(struct rocket_keep *shelf, unsigned sets)
{
	struct rocket_matmul_scratch **last = NULL, *oldest = NULL;
	unsigned count = 0;

	pthread_mutex_lock(&shelf->lock);
	for (struct rocket_matmul_scratch **at = sets_of(shelf); *at; at = &(*at)->next) {
		last = at;
		count++;
	}
	if (count > sets) {
		oldest = *last;
		*last = NULL;
		sum_up(shelf);
	}
	pthread_mutex_unlock(&shelf->lock);
	return oldest;
}

/* Put a set that was unlinked before a list of those. */
static void prepend(struct rocket_matmul_scratch **list, struct rocket_matmul_scratch *s)
{
	s->next = *list;
	*list = s;
}

/* Have the fds of the process keep no more than so many bytes. Sets of dev, which may serve it
 * again, go to the list. */
static void make_room_among_fds(struct rocket_device *dev, uint64_t bytes,
				struct rocket_matmul_scratch **gone)
{
	struct rocket_device *from;

	while ((from = rocket_device_keeping_over(bytes))) {
		struct rocket_matmul_scratch *s = take_oldest(&from->matmuls, 0);

		if (s && from == dev)
			prepend(gone, s);
		else if (s)
			rocket_matmul_scratch_free(from, s);
		rocket_device_put(from);
	}
}

/* Unlink the sets that have to go so that `more` sets of so many bytes have room: a list. What will
 * not be kept in any case takes no room of other fds. */
static struct rocket_matmul_scratch *make_room(struct rocket_device *dev, struct rocket_keep *shelf,
					       const struct rocket_matmul_bounds *bounds,
					       unsigned more, uint64_t bytes)
{
	const bool fits = bytes <= bounds->bytes && more <= bounds->sets;
	struct rocket_matmul_scratch *gone = NULL, *s;

	while ((s = take_oldest(shelf, fits ? bounds->sets - more : 0)))
		prepend(&gone, s);
	if (fits && bounds->bytes != ROCKET_SHELF_APART)
		make_room_among_fds(dev, bounds->bytes - bytes, &gone);
	return gone;
}

static void free_list(struct rocket_device *dev, struct rocket_matmul_scratch *s)
{
	while (s) {
		struct rocket_matmul_scratch *next = s->next;

		rocket_matmul_scratch_free(dev, s);
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
	for (struct rocket_matmul_scratch **at = sets_of(shelf); *at; at = &(*at)->next)
		if (!memcmp(&(*at)->key, key, sizeof(*key))) {
			found = *at;
			*at = found->next;
			sum_up(shelf);
			break;
		}
	pthread_mutex_unlock(&shelf->lock);
	return found;
}

/* One of those that had to go, or a new one. */
static struct rocket_matmul_scratch *reuse_or_new(struct rocket_device *dev,
						  struct rocket_matmul_scratch *gone)
{
	struct rocket_matmul_scratch *s = gone;

	if (s) {
		free_list(dev, s->next);
		rocket_matmul_plan_free(&s->plan);
		return s;
	}
	s = calloc(1, sizeof(*s) + rocket_submit_scratch_size(ROCKET_JOB_TASKS_MAX));
	if (!s)
		rocket_fail(ROCKET_E_NOMEM, "matmul: no memory for a job");
	return s;
}

struct rocket_matmul_scratch *rocket_matmul_scratch_make(struct rocket_device *dev,
							 struct rocket_keep *shelf,
							 const struct rocket_matmul_bounds *bounds,
							 const struct rocket_matmul_key *key,
							 struct rocket_matmul_plan *plan,
							 uint64_t sums_bytes, int *status)
{
	struct rocket_matmul_scratch *s =
		reuse_or_new(dev, make_room(dev, shelf, bounds, 1, needed_bytes(plan, sums_bytes)));

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
	*status = make_buffers(dev->node.fd, s);
	if (!*status)
		*status = make_host_memory(s, sums_bytes);
	if (!*status)
		return s;
	rocket_matmul_scratch_free(dev, s);
	return NULL;
}

void rocket_matmul_scratch_put(struct rocket_device *dev, struct rocket_keep *shelf,
			       const struct rocket_matmul_bounds *bounds,
			       struct rocket_matmul_scratch *s)
{
	static _Atomic uint64_t count;

	if (kept_bytes(s) > bounds->bytes) {
		rocket_matmul_scratch_free(dev, s);
		return;
	}
	pthread_mutex_lock(&shelf->lock);
	s->since = atomic_fetch_add(&count, 1);
	prepend(sets_of(shelf), s);
	shelf->free_kept = free_kept;
	sum_up(shelf);
	pthread_mutex_unlock(&shelf->lock);
	free_list(dev, make_room(dev, shelf, bounds, 0, 0));
}

void rocket_matmul_scratch_clear(struct rocket_device *dev, struct rocket_keep *shelf)
{
	struct rocket_matmul_scratch *s;

	while ((s = take_oldest(shelf, 0)))
		rocket_matmul_scratch_free(dev, s);
}

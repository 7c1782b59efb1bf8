// SPDX-License-Identifier: LGPL-2.1-or-later
/* core_sched.c - see core_sched.h. */
#include <errno.h>
#include <string.h>

#include "core_sched.h"

#define NONE ((int16_t)-1)

enum { IDLE, HARVEST, DISPATCH }; /* what the worker is at */

int core_sched_init(struct core_sched *s, const struct core_sched_options *options,
		    struct core_sched_job *jobs, unsigned n)
{
	if (!options->cores || options->cores > CORE_SCHED_CORES || !n || n > INT16_MAX)
		return -EINVAL;
	memset(s, 0, sizeof(*s));
	memset(jobs, 0, n * sizeof(*jobs));
	s->options = *options;
	s->jobs = jobs;
	s->n_jobs = n;
	for (unsigned b = 0; b < CORE_SCHED_BUCKETS; b++)
		s->head[b] = NONE;
	return 0;
}

/* ---- buckets ---- */

static void leave(struct core_sched *s, int16_t id)
{
	int16_t *p = &s->head[s->jobs[id].bucket];

	while (*p != NONE && *p != id)
		p = &s->jobs[*p].next;
	if (*p == id)
		*p = s->jobs[id].next;
}

/* Behind all of the same or a higher priority. */
static void enter(struct core_sched *s, int16_t id, enum core_sched_bucket bucket)
{
	struct core_sched_job *job = &s->jobs[id];
	int16_t *p = &s->head[bucket];

	while (*p != NONE && s->jobs[*p].request.priority >= job->request.priority)
		p = &s->jobs[*p].next;
	job->bucket = (uint8_t)bucket;
	job->next = *p;
	*p = id;
}

static bool all_done(const struct core_sched_job *job)
{
	for (unsigned l = 0; l < CORE_SCHED_LANES; l++)
		if (job->cursor[l] < job->request.lanes[l].count)
			return false;
	return true;
}

static bool has_begun(const struct core_sched_job *job)
{
	for (unsigned l = 0; l < CORE_SCHED_LANES; l++)
		if (job->cursor[l])
			return true;
	return job->in_flight != 0;
}

/* The bucket that the state of its lanes puts a submit in. */
static enum core_sched_bucket bucket_of(const struct core_sched_job *job)
{
	if (!job->in_flight && (job->error || all_done(job)))
		return CORE_SCHED_COMPLETE;
	return has_begun(job) ? CORE_SCHED_RUNNING : CORE_SCHED_READY;
}

static void reclassify(struct core_sched *s, int16_t id)
{
	enum core_sched_bucket bucket = bucket_of(&s->jobs[id]);

	if (bucket == s->jobs[id].bucket)
		return;
	leave(s, id);
	enter(s, id, bucket);
}

/* ---- submits ---- */

uint32_t core_sched_tasks(const struct core_sched_job *job)
{
	uint32_t n = 0;

	for (unsigned l = 0; l < CORE_SCHED_LANES; l++)
		n += job->request.lanes[l].count;
	return n;
}

/* Fill in the default lane and the cores of lanes. False when that cannot run. */
static bool normalise(struct core_sched_request *r, unsigned cores)
{
	uint64_t tasks = 0;

	for (unsigned l = 0; l < CORE_SCHED_LANES; l++)
		tasks += r->lanes[l].count;
	if (!tasks) {
		r->lanes[0] = r->tasks;
		tasks = r->tasks.count;
	}
	if (!tasks || tasks > UINT32_MAX || !r->core_mask || r->core_mask >> cores)
		return false;
	if (!r->run)
		r->run = 1;
	for (unsigned l = 0; l < CORE_SCHED_LANES; l++) {
		r->lane_cores[l] =
			(uint8_t)((r->lane_cores[l] ? r->lane_cores[l] : 0xff) & r->core_mask);
		if (!r->lanes[l].count)
			continue;
		if (!r->lane_cores[l] || r->lanes[l].count - 1 > UINT32_MAX - r->lanes[l].first)
			return false;
	}
	return true;
}

int core_sched_submit(struct core_sched *s, const struct core_sched_request *request)
{
	struct core_sched_request r = *request;
	int16_t id = 0;

	if (!normalise(&r, s->options.cores))
		return -EINVAL;
	while ((unsigned)id < s->n_jobs && s->jobs[id].bucket != CORE_SCHED_FREE)
		id++;
	if ((unsigned)id == s->n_jobs)
		return -EAGAIN;
	memset(&s->jobs[id], 0, sizeof(s->jobs[id]));
	s->jobs[id].request = r;
	s->jobs[id].round = s->round - 1;
	enter(s, id, CORE_SCHED_READY);
	s->kicked = true;
	return id;
}

void core_sched_abort(struct core_sched *s, int id, int error)
{
	struct core_sched_job *job = &s->jobs[id];

	if (job->bucket != CORE_SCHED_READY && job->bucket != CORE_SCHED_RUNNING)
		return;
	if (!job->error)
		job->error = error;
	reclassify(s, (int16_t)id);
	s->kicked = true;
}

bool core_sched_take(struct core_sched *s, int id, struct core_sched_result *result)
{
	struct core_sched_job *job = &s->jobs[id];

	if (job->bucket != CORE_SCHED_COMPLETE || !job->woken)
		return false;
	*result = (struct core_sched_result){ .error = job->error,
					      .tasks = core_sched_tasks(job),
					      .completed = job->partial };
	for (unsigned l = 0; l < CORE_SCHED_LANES; l++)
		result->completed += job->cursor[l];
	leave(s, (int16_t)id);
	job->bucket = CORE_SCHED_FREE;
	return true;
}

/* ---- harvest ---- */

void core_sched_publish(struct core_sched *s, unsigned core, uint32_t status, uint32_t done,
			int error)
{
	struct core_sched_core *c = &s->cores[core];

	if (!c->bound || c->raw) {
		s->strays++;
		return;
	}
	c->raw = true;
	c->status = status;
	c->done = done;
	c->error = error;
	s->kicked = true;
}

/* What a core was bound to says whose completion it is. */
static bool harvest(struct core_sched *s, struct core_sched_action *a)
{
	for (unsigned i = 0; i < s->options.cores; i++) {
		struct core_sched_core *c = &s->cores[i];
		struct core_sched_job *job = &s->jobs[c->id];

		if (!c->raw)
			continue;
		*a = (struct core_sched_action){ CORE_SCHED_DONE, c->id,    i,         c->lane,
						 c->task,         c->count, c->status, c->error };
		job->in_flight &= (uint8_t) ~(1u << c->lane);
		if (!c->error)
			job->cursor[c->lane] += c->count;
		else
			job->partial += c->done < c->count ? c->done : c->count;
		if (c->error && !job->error)
			job->error = c->error;
		*c = (struct core_sched_core){ 0 };
		reclassify(s, (int16_t)a->id);
		return true;
	}
	return false;
}

/* A terminal submit is made visible to its caller, who is then woken, in this order. */
static bool wake(struct core_sched *s, struct core_sched_action *a)
{
	for (int16_t id = s->head[CORE_SCHED_COMPLETE]; id != NONE; id = s->jobs[id].next) {
		struct core_sched_job *job = &s->jobs[id];

		if (job->woken)
			continue;
		*a = (struct core_sched_action){ .verb = job->synced ? CORE_SCHED_WAKE
								     : CORE_SCHED_READ,
						 .id = id };
		job->woken = job->synced;
		job->synced = true;
		return true;
	}
	return false;
}

/* ---- dispatch ---- */

/* The first lane of job that could go to core, or NONE. */
static int lane_for(const struct core_sched_job *job, unsigned core)
{
	if (job->error)
		return NONE;
	for (unsigned l = 0; l < CORE_SCHED_LANES; l++)
		if (job->cursor[l] < job->request.lanes[l].count && !(job->in_flight >> l & 1) &&
		    job->request.lane_cores[l] >> core & 1)
			return (int)l;
	return NONE;
}

static int16_t first_for(const struct core_sched *s, enum core_sched_bucket bucket, unsigned core)
{
	int16_t id = s->head[bucket];

	while (id != NONE && lane_for(&s->jobs[id], core) == NONE)
		id = s->jobs[id].next;
	return id;
}

/*
 * Running before ready: cores that stay with a submit leave no gaps in it. The options say when a
 * ready one goes first all the same.
 */
static int16_t choose(const struct core_sched *s, unsigned core, int16_t *passed)
{
	int16_t running = first_for(s, CORE_SCHED_RUNNING, core);
	int16_t ready = first_for(s, CORE_SCHED_READY, core);
	const struct core_sched_job *waiting;

	*passed = NONE;
	if (running == NONE || ready == NONE)
		return running == NONE ? ready : running;
	waiting = &s->jobs[ready];
	if (s->options.urgent_first &&
	    waiting->request.priority > s->jobs[running].request.priority)
		return ready;
	if (s->options.most_bypasses && waiting->bypasses >= s->options.most_bypasses)
		return ready;
	*passed = ready;
	return running;
}

static void start(struct core_sched *s, unsigned core, int16_t id, struct core_sched_action *a)
{
	struct core_sched_job *job = &s->jobs[id];
	unsigned lane = (unsigned)lane_for(job, core);
	const struct core_sched_range *range = &job->request.lanes[lane];
	uint32_t left = range->count - job->cursor[lane];
	uint32_t count = left < job->request.run ? left : job->request.run;

	*a = (struct core_sched_action){ .verb = CORE_SCHED_START,
					 .id = id,
					 .core = core,
					 .lane = lane,
					 .task = range->first + job->cursor[lane],
					 .count = count };
	s->cores[core] = (struct core_sched_core){
		.bound = true, .id = id, .lane = (uint8_t)lane, .task = a->task, .count = count
	};
	job->in_flight |= (uint8_t)(1u << lane);
	s->started = true;
	reclassify(s, id);
}

static bool dispatch(struct core_sched *s, struct core_sched_action *a)
{
	for (unsigned core = 0; core < s->options.cores; core++) {
		int16_t id, passed;

		if (s->cores[core].bound)
			continue;
		id = choose(s, core, &passed);
		if (id == NONE)
			continue;
		if (s->jobs[id].round != s->round) {
			s->jobs[id].round = s->round;
			*a = (struct core_sched_action){ .verb = CORE_SCHED_WRITE, .id = id };
			return true;
		}
		if (passed != NONE)
			s->jobs[passed].bypasses++;
		start(s, core, id, a);
		return true;
	}
	return false;
}

bool core_sched_next(struct core_sched *s, struct core_sched_action *action)
{
	for (;;) {
		switch (s->phase) {
		case IDLE:
			if (!s->kicked)
				return false;
			s->kicked = false;
			s->phase = HARVEST;
			break;
		case HARVEST:
			if (harvest(s, action) || wake(s, action))
				return true;
			s->phase = DISPATCH;
			s->started = false;
			s->round++;
			break;
		case DISPATCH:
			if (dispatch(s, action))
				return true;
			s->phase = s->started ? HARVEST : IDLE;
			break;
		}
	}
}

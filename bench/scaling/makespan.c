// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "makespan.h"

/* Shorter than anything that is modelled: what rounding leaves of a phase that is over. */
#define NOTHING 1e-9
/* Longer than anything: of what does not end. */
#define NEVER 1e300

/* ---- from the cost model ---- */

struct makespan_model makespan_model_of(const struct npu_cost_set *set, enum npu_cost_type type,
					double mhz)
{
	const struct npu_counters traffic = { .write = 1000000 };

	return (struct makespan_model){
		.rate = (double)traffic.write / npu_cost_us(set, type, mhz, &traffic),
		.overlap = set->overlap,
		.kick_us = set->kick_us,
		.task_us = set->task_us,
	};
}

struct makespan_task makespan_task_of(const struct npu_cost_set *set, enum npu_cost_type type,
				      double mhz, const struct npu_counters *n)
{
	const struct npu_counters compute = { .macs = n->macs };

	return (struct makespan_task){
		.compute_us = npu_cost_us(set, type, mhz, &compute),
		.bytes = (double)(n->read_feature + n->read_weight + n->read_operand + n->write),
	};
}

/* ---- cores ---- */

/* What is left of a kick. */
struct kick {
	bool running;
	uint32_t count;
	double fixed_us, compute_us, bytes;
};

struct state {
	const struct makespan_model *model;
	const struct makespan_task *tasks;
	unsigned n_cores;
	struct core_sched sched;
	struct core_sched_job job;
	struct kick cores[CORE_SCHED_CORES];
	double now, worker_until;
};

static bool moves_data(const struct state *s, const struct kick *k)
{
	return k->running && k->fixed_us <= NOTHING && k->bytes > NOTHING &&
	       (s->model->overlap || k->compute_us <= NOTHING);
}

static bool computes(const struct kick *k)
{
	return k->fixed_us <= NOTHING && k->compute_us > NOTHING;
}

static double rate_each(const struct state *s)
{
	unsigned movers = 0;

	for (unsigned c = 0; c < s->n_cores; c++)
		movers += moves_data(s, &s->cores[c]);
	if (movers && s->model->rate_all / movers < s->model->rate)
		return s->model->rate_all / movers;
	return s->model->rate;
}

static double sooner(double a, double b)
{
	return a < b ? a : b;
}

/* Until a core's phase ends, or until the worker is free. */
static double next_change(const struct state *s, double rate)
{
	double dt = s->worker_until > s->now ? s->worker_until - s->now : NEVER;

	for (unsigned c = 0; c < s->n_cores; c++) {
		const struct kick *k = &s->cores[c];

		if (!k->running)
			continue;
		if (k->fixed_us > NOTHING)
			dt = sooner(dt, k->fixed_us);
		if (computes(k))
			dt = sooner(dt, k->compute_us);
		if (moves_data(s, k))
			dt = sooner(dt, k->bytes / rate);
	}
	return dt;
}

/* False: nothing would ever change. */
static bool advance(struct state *s)
{
	const double rate = rate_each(s), dt = next_change(s, rate);

	if (!(dt < NEVER))
		return false;
	for (unsigned c = 0; c < s->n_cores; c++) {
		struct kick *k = &s->cores[c];
		bool moves = moves_data(s, k);

		if (!k->running)
			continue;
		if (k->fixed_us > NOTHING) {
			k->fixed_us -= dt;
			continue;
		}
		if (computes(k))
			k->compute_us -= dt;
		if (moves)
			k->bytes -= dt * rate;
	}
	s->now += dt;
	return true;
}

static void publish_finished(struct state *s)
{
	for (unsigned c = 0; c < s->n_cores; c++) {
		struct kick *k = &s->cores[c];

		if (!k->running || k->fixed_us > NOTHING || k->compute_us > NOTHING ||
		    k->bytes > NOTHING)
			continue;
		k->running = false;
		core_sched_publish(&s->sched, c, 0, k->count, 0);
	}
}

/* ---- the worker ---- */

static void start(struct state *s, const struct core_sched_action *a)
{
	struct kick k = { .running = true, .count = a->count };

	k.fixed_us =
		s->model->kick_us - s->model->worker_us / 2 + s->model->task_us * (a->count - 1);
	for (uint32_t i = a->task; i < a->task + a->count; i++) {
		k.compute_us += s->tasks[i].compute_us;
		k.bytes += s->tasks[i].bytes;
	}
	s->cores[a->core] = k;
}

/* True when the submit is done. */
static bool work(struct state *s)
{
	struct core_sched_action a;

	while (s->worker_until <= s->now && core_sched_next(&s->sched, &a)) {
		if (a.verb == CORE_SCHED_WAKE)
			return true;
		if (a.verb == CORE_SCHED_START)
			start(s, &a);
		if (a.verb == CORE_SCHED_START || a.verb == CORE_SCHED_DONE)
			s->worker_until = s->now + s->model->worker_us / 2;
	}
	return false;
}

double makespan_us(const struct makespan_model *model, const struct makespan_task *tasks,
		   const struct core_sched_request *request, unsigned cores)
{
	const struct core_sched_options options = { .cores = cores };
	struct state s = { .model = model, .tasks = tasks, .n_cores = cores };

	if (core_sched_init(&s.sched, &options, &s.job, 1) ||
	    core_sched_submit(&s.sched, request) < 0)
		return -1;
	while (!work(&s)) {
		if (!advance(&s))
			return -1;
		publish_finished(&s);
	}
	return s.now;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* world.c - see world.h; the numbers are those of the invariants listed there. */
#include <string.h>

#include "world.h"

static void require(struct world *w, bool holds, const char *what)
{
	if (!holds && !w->broken)
		w->broken = what;
}

void world_init(struct world *w, const struct core_sched_options *options, unsigned slots)
{
	memset(w, 0, sizeof(*w));
	w->n_slots = slots;
	w->asleep = true;
	require(w, core_sched_init(&w->s, options, w->slots, slots) == 0, "the scheduler starts");
}

void world_copy(struct world *to, const struct world *from)
{
	*to = *from;
	to->s.jobs = to->slots;
}

unsigned world_add(struct world *w, const struct core_sched_request *request)
{
	w->requests[w->n_submits] = *request;
	return w->n_submits++;
}

/* ---- the tests' own view of a submit ---- */

static struct core_sched_range lane_of(const struct world *w, unsigned i, unsigned lane)
{
	const struct core_sched_request *r = &w->requests[i];

	for (unsigned l = 0; l < CORE_SCHED_LANES; l++)
		if (r->lanes[l].count)
			return r->lanes[lane];
	return lane ? (struct core_sched_range){ 0, 0 } : r->tasks;
}

static uint32_t run_of(const struct world *w, unsigned i)
{
	return w->requests[i].run ? w->requests[i].run : 1;
}

static bool may_use(const struct world *w, unsigned i, unsigned lane, unsigned core)
{
	const struct core_sched_request *r = &w->requests[i];

	return r->core_mask >> core & 1 &&
	       (!r->lane_cores[lane] || r->lane_cores[lane] >> core & 1);
}

static bool begun(const struct world_submit *u)
{
	for (unsigned l = 0; l < CORE_SCHED_LANES; l++)
		if (u->started[l])
			return true;
	return false;
}

static bool over(const struct world *w, unsigned i)
{
	const struct world_submit *u = &w->submits[i];

	for (unsigned l = 0; l < CORE_SCHED_LANES; l++)
		if (u->done[l] < lane_of(w, i, l).count)
			return u->error && !u->in_flight;
	return !u->in_flight;
}

/* Some lane of i could start on core now. */
static bool could_start(const struct world *w, unsigned i, unsigned core)
{
	const struct world_submit *u = &w->submits[i];

	if (u->state != WORLD_WAITING || u->error)
		return false;
	for (unsigned l = 0; l < CORE_SCHED_LANES; l++)
		if (u->done[l] < lane_of(w, i, l).count && !(u->in_flight >> l & 1) &&
		    may_use(w, i, l, core))
			return true;
	return false;
}

static unsigned submit_of(struct world *w, int id)
{
	for (unsigned i = 0; i < w->n_submits; i++)
		if (w->submits[i].state == WORLD_WAITING && w->submits[i].id == id)
			return i;
	require(w, false, "an action names a submit that is there");
	return 0;
}

/* ---- what the scheduler's own records must say (1, 3) ---- */

static void check_buckets(struct world *w)
{
	unsigned seen[WORLD_SLOTS] = { 0 }, live = 0;

	for (unsigned b = CORE_SCHED_READY; b < CORE_SCHED_BUCKETS; b++)
		for (int16_t id = w->s.head[b]; id >= 0; id = w->slots[id].next) {
			require(w, seen[id]++ == 0, "3: an id is in exactly one bucket");
			require(w, w->slots[id].bucket == b, "3: a submit knows its bucket");
			if (w->broken)
				return;
		}
	for (unsigned i = 0; i < w->n_submits; i++)
		if (w->submits[i].state == WORLD_WAITING) {
			live++;
			require(w, seen[w->submits[i].id] == 1, "3: a live submit is in a bucket");
		}
	for (unsigned id = 0; id < w->n_slots; id++)
		live -= seen[id];
	require(w, live == 0, "3: no bucket holds what nobody waits for");
}

static void check_bindings(struct world *w)
{
	uint8_t bound[WORLD_SLOTS] = { 0 };

	for (unsigned c = 0; c < w->s.options.cores; c++) {
		const struct core_sched_core *k = &w->s.cores[c];

		require(w, k->bound == w->cores[c].programmed,
			"1: a bound core has been programmed");
		if (!k->bound)
			continue;
		require(w, !(bound[k->id] >> k->lane & 1), "1: no lane is on two cores");
		bound[k->id] |= (uint8_t)(1u << k->lane);
	}
	for (unsigned id = 0; id < w->n_slots; id++)
		if (w->slots[id].bucket != CORE_SCHED_FREE)
			require(w, w->slots[id].in_flight == bound[id],
				"1: a lane runs if and only if a core is bound to it");
}

static void check_records(struct world *w)
{
	check_buckets(w);
	check_bindings(w);
}

/* ---- steps ---- */

int world_submit(struct world *w, unsigned i)
{
	struct world_submit *u = &w->submits[i];
	int id = core_sched_submit(&w->s, &w->requests[i]);

	if (id >= 0) {
		*u = (struct world_submit){ .state = WORLD_WAITING,
					    .id = (int16_t)id,
					    .arrival = ++w->arrivals };
		require(w, w->s.kicked, "7: a submit kicks the worker");
	}
	check_records(w);
	return id;
}

/* 7, last part: a worker that sleeps has left nothing that could run, harvest or wake. */
static void check_sleep(struct world *w)
{
	for (unsigned c = 0; c < w->s.options.cores; c++) {
		require(w, !w->cores[c].published,
			"7: no completion waits while the worker sleeps");
		for (unsigned i = 0; i < w->n_submits && !w->cores[c].programmed; i++)
			require(w, !could_start(w, i, c),
				"7: no lane that an idle core could take waits while the worker "
				"sleeps");
	}
	for (unsigned i = 0; i < w->n_submits; i++)
		require(w,
			w->submits[i].state != WORLD_WAITING || !over(w, i) || w->submits[i].wakes,
			"7: nobody whose submit is over is left asleep");
}

static void check_order(struct world *w, unsigned i, unsigned core)
{
	const struct world_submit *u = &w->submits[i], *v;
	const struct core_sched_options *o = &w->s.options;
	bool bound_reached = o->most_bypasses && u->waited >= o->most_bypasses;

	if (begun(u))
		return;
	for (unsigned k = 0; k < w->n_submits; k++) {
		v = &w->submits[k];
		if (k == i || !could_start(w, k, core) ||
		    w->requests[k].priority != w->requests[i].priority)
			continue;
		require(w, begun(v) || v->arrival > u->arrival,
			"6: within a priority, ready submits start in the order they came");
		require(w, !begun(v) || bound_reached,
			"5: no ready submit starts where a running one of its priority could");
	}
}

/* Others that could have had the core that i got. */
static void count_waits(struct world *w, unsigned i, unsigned core)
{
	for (unsigned k = 0; k < w->n_submits; k++)
		if (k != i && !begun(&w->submits[k]) && could_start(w, k, core))
			w->submits[k].waited++;
}

static void started(struct world *w, const struct core_sched_action *a)
{
	unsigned i = submit_of(w, a->id);
	struct world_submit *u = &w->submits[i];
	struct world_core *c = &w->cores[a->core];
	struct core_sched_range range = lane_of(w, i, a->lane);

	require(w, !c->programmed, "1: a core has one thing at a time");
	require(w, may_use(w, i, a->lane, a->core), "4: no core outside its mask runs a submit");
	require(w, !(u->in_flight >> a->lane & 1), "1: a lane is on one core at a time");
	require(w,
		a->task == range.first + u->started[a->lane] && a->count &&
			a->count <= run_of(w, i) && u->started[a->lane] + a->count <= range.count,
		"2: the tasks of a lane run in order, each once");
	require(w, u->started[a->lane] == u->done[a->lane], "2: a lane goes on when it has ended");
	require(w, !u->error, "10: nothing of a submit starts after its error");
	require(w, u->written, "8: what the CPU wrote is made visible before a submit starts");
	check_order(w, i, a->core);
	count_waits(w, i, a->core);
	u->started[a->lane] += a->count;
	u->in_flight |= (uint8_t)(1u << a->lane);
	*c = (struct world_core){ .programmed = true,
				  .submit = (uint8_t)i,
				  .lane = (uint8_t)a->lane,
				  .task = a->task,
				  .count = a->count };
}

static void ended(struct world *w, const struct core_sched_action *a)
{
	unsigned i = submit_of(w, a->id);
	struct world_submit *u = &w->submits[i];
	struct world_core *c = &w->cores[a->core];

	require(w, c->programmed && c->published, "9: what is harvested was published");
	require(w,
		c->submit == i && c->lane == a->lane && c->task == a->task &&
			c->count == a->count && c->error == a->error &&
			a->status == 0x100 + a->core,
		"9: a completion is that of the tasks its core was bound to");
	u->in_flight &= (uint8_t) ~(1u << a->lane);
	if (!a->error)
		u->done[a->lane] += a->count;
	else
		u->started[a->lane] = u->done[a->lane];
	if (a->error && !u->error)
		u->error = a->error;
	*c = (struct world_core){ 0 };
}

static void woken(struct world *w, unsigned i)
{
	struct world_submit *u = &w->submits[i];

	require(w, over(w, i), "7: only who is done is woken");
	require(w, u->reads == 1, "8: what the cores wrote is made visible before the wake");
	require(w, w->slots[u->id].bucket == CORE_SCHED_COMPLETE, "7: who is woken is complete");
	require(w, ++u->wakes == 1, "7: a waiter is woken once");
}

static void take_action(struct world *w, const struct core_sched_action *a)
{
	if (w->round != w->s.round) { /* another dispatch round */
		w->round = w->s.round;
		for (unsigned i = 0; i < w->n_submits; i++)
			w->submits[i].written = false;
	}
	switch (a->verb) {
	case CORE_SCHED_DONE:
		ended(w, a);
		break;
	case CORE_SCHED_WRITE:
		w->submits[submit_of(w, a->id)].written = true;
		break;
	case CORE_SCHED_START:
		started(w, a);
		break;
	case CORE_SCHED_READ:
		require(w, over(w, submit_of(w, a->id)), "8: results are read when all are there");
		w->submits[submit_of(w, a->id)].reads++;
		break;
	case CORE_SCHED_WAKE:
		woken(w, submit_of(w, a->id));
		break;
	}
}

bool world_worker_can(const struct world *w)
{
	return !w->asleep || w->s.kicked;
}

bool world_worker(struct world *w)
{
	w->asleep = !core_sched_next(&w->s, &w->action);
	if (w->asleep)
		check_sleep(w);
	else
		take_action(w, &w->action);
	check_records(w);
	return !w->asleep;
}

unsigned world_settle(struct world *w)
{
	unsigned n = 0;

	while (world_worker_can(w) && !w->broken)
		n += world_worker(w);
	return n;
}

bool world_finish_can(const struct world *w, unsigned core)
{
	return w->cores[core].programmed && !w->cores[core].published;
}

void world_finish(struct world *w, unsigned core, int error)
{
	struct world_core *c = &w->cores[core];

	c->published = true;
	c->error = error;
	if (error)
		w->submits[c->submit].partial += c->count - 1;
	core_sched_publish(&w->s, core, 0x100 + core, error ? c->count - 1 : c->count, error);
	require(w, w->s.kicked, "7: a completion kicks the worker");
	check_records(w);
}

void world_abort(struct world *w, unsigned i, int error)
{
	struct world_submit *u = &w->submits[i];
	bool late = over(w, i);

	core_sched_abort(&w->s, u->id, error);
	if (!late && !u->error)
		u->error = error;
	check_records(w);
}

bool world_take_can(const struct world *w, unsigned i)
{
	return w->submits[i].state == WORLD_WAITING && w->submits[i].wakes;
}

void world_take(struct world *w, unsigned i)
{
	struct world_submit *u = &w->submits[i];
	struct core_sched_result result = { 0 };
	uint32_t tasks = 0, done = u->partial;

	for (unsigned l = 0; l < CORE_SCHED_LANES; l++) {
		tasks += lane_of(w, i, l).count;
		done += u->done[l];
	}
	require(w, core_sched_take(&w->s, u->id, &result), "7: who was woken has a result");
	require(w, result.error == u->error, "10: the first error is the submit's");
	require(w, result.tasks == tasks && result.completed == done && (u->error || done == tasks),
		"2: on success all tasks are counted as done");
	u->state = WORLD_TAKEN;
	check_records(w);
}

void world_run_out(struct world *w)
{
	bool moved = true;

	while (moved && !w->broken) {
		moved = world_settle(w) > 0;
		for (unsigned i = 0; i < w->n_submits; i++)
			if (world_take_can(w, i))
				world_take(w, i);
		for (unsigned c = 0; c < w->s.options.cores; c++)
			if (world_finish_can(w, c)) {
				world_finish(w, c, 0);
				moved = true;
			}
	}
}

bool world_all_taken(const struct world *w)
{
	for (unsigned i = 0; i < w->n_submits; i++)
		if (w->submits[i].state == WORLD_WAITING)
			return false;
	return true;
}

bool world_succeeded(const struct world *w, unsigned i)
{
	return !w->broken && w->submits[i].state == WORLD_TAKEN && !w->submits[i].error;
}

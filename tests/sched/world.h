/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * world.h - everything around the scheduler of cores: callers, a worker, cores that finish when a
 * test says so; and what must hold after every step, kept apart from the scheduler's own records:
 *
 *   1  a core is bound to one thing at most, a lane is on one core at most and knows it
 *   2  the tasks of a lane run in order, each once; on success all of them are counted
 *   3  a submit is in one bucket, and only what somebody waits for is
 *   4  no core outside its mask runs a submit
 *   5  where a running submit could go on, no ready one of its priority starts
 *   6  within a priority, ready submits start in the order they came
 *   7  a waiter is woken once, when its submit is complete; no kick is lost
 *   8  a write sync before the first start in a dispatch round, a read sync before the wake
 *   9  a completion belongs to what its core was bound to, in whatever order cores finish
 *  10  nothing starts after an error; what runs ends first; others go on
 *  11  empty lanes, more lanes than cores, more cores than lanes, long lanes: all complete
 *  12  no tasks, no core: refused, and nothing is left behind
 *  13  whatever happens in whatever order, 1 to 10 hold and everybody gets a result
 */
#ifndef TESTS_SCHED_WORLD_H
#define TESTS_SCHED_WORLD_H

#include "sim/dev/sched/core_sched.h"

#define WORLD_SUBMITS 16
#define WORLD_SLOTS   16

enum world_state { WORLD_ABSENT, WORLD_WAITING, WORLD_TAKEN };

/* A caller with one submit, as the caller and the cores see it. */
struct world_submit {
	uint8_t state, wakes, reads;
	bool written; /* in the dispatch round under way */
	int16_t id;
	int error;
	uint32_t started[CORE_SCHED_LANES], done[CORE_SCHED_LANES];
	uint32_t partial, arrival;
	uint8_t in_flight;
	uint32_t waited; /* dispatches since it came that were not its own, before its first */
};

struct world_core {
	bool programmed, published;
	uint8_t submit, lane;
	uint32_t task, count;
	int error;
};

struct world {
	struct core_sched s;
	struct core_sched_job slots[WORLD_SLOTS];
	struct core_sched_request requests[WORLD_SUBMITS];
	struct world_submit submits[WORLD_SUBMITS];
	struct world_core cores[CORE_SCHED_CORES];
	unsigned n_submits, n_slots;
	bool asleep; /* the worker has nothing to do until a kick */
	uint32_t arrivals, round;
	const char *broken; /* the invariant that does not hold, NULL */
	/* of the step before: */
	struct core_sched_action action;
};

void world_init(struct world *w, const struct core_sched_options *options, unsigned slots);
/* A copy that stands on its own. */
void world_copy(struct world *to, const struct world *from);
/* Add a caller that has not submitted yet: its index. */
unsigned world_add(struct world *w, const struct core_sched_request *request);

/* The caller submits: what core_sched_submit() said. */
int world_submit(struct world *w, unsigned i);
bool world_worker_can(const struct world *w);
/* One action of the worker; false: it went to sleep. */
bool world_worker(struct world *w);
/* The worker until it sleeps: how many actions. */
unsigned world_settle(struct world *w);
bool world_finish_can(const struct world *w, unsigned core);
void world_finish(struct world *w, unsigned core, int error);
void world_abort(struct world *w, unsigned i, int error);
bool world_take_can(const struct world *w, unsigned i);
void world_take(struct world *w, unsigned i);

/* Finish cores in order and settle until nothing moves. */
void world_run_out(struct world *w);
bool world_all_taken(const struct world *w);
bool world_succeeded(const struct world *w, unsigned i);

#endif

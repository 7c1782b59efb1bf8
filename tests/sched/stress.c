// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stress.c - the scheduler of cores under a million random events: submits of any shape, cores that
 * finish in any order, errors, callers that give up. TEST_LONG=1 makes it a hundred million.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/tap.h"
#include "world.h"

static uint64_t state;

static uint32_t draw(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((state >> 33) % n);
}

static struct core_sched_request any_request(unsigned cores)
{
	struct core_sched_request r = { .core_mask = 1 + draw((1u << cores) - 1),
					.run = draw(4),
					.priority = draw(8) ? 0 : (int32_t)draw(5) - 2 };
	uint32_t at = 0;

	r.tasks = (struct core_sched_range){ draw(100), 1 + draw(9) };
	for (unsigned l = 0; l < CORE_SCHED_LANES && draw(4); l++) {
		r.lanes[l] = (struct core_sched_range){ at, draw(3) ? draw(6) : 0 };
		at += r.lanes[l].count;
		if (draw(4) == 0) /* one core of the mask */
			for (unsigned c = draw(cores); !r.lane_cores[l]; c = (c + 1) % cores)
				r.lane_cores[l] = (uint8_t)(r.core_mask & 1u << c);
	}
	return r;
}

struct tally {
	unsigned long submits, put_off, failed, events;
	uint32_t longest_wait;
};

static bool submit_some(struct world *w, unsigned i, struct tally *n)
{
	int id;

	if (w->submits[i].state == WORLD_WAITING)
		return false;
	w->submits[i] = (struct world_submit){ .state = WORLD_ABSENT };
	w->requests[i] = any_request(w->s.options.cores);
	id = world_submit(w, i);
	n->submits += id >= 0;
	n->put_off += id == -EAGAIN;
	if (id < 0 && id != -EAGAIN)
		w->broken = "12: a sound submit is taken";
	return id >= 0;
}

static bool take_some(struct world *w, unsigned i, struct tally *n)
{
	if (!world_take_can(w, i))
		return false;
	n->failed += w->submits[i].error != 0;
	if (w->submits[i].waited > n->longest_wait)
		n->longest_wait = w->submits[i].waited;
	world_take(w, i);
	return true;
}

static bool abort_some(struct world *w, unsigned i)
{
	if (draw(20) || w->submits[i].state != WORLD_WAITING)
		return false;
	world_abort(w, i, -EINTR);
	return true;
}

/* True when what was drawn could happen. */
static bool event(struct world *w, struct tally *n)
{
	unsigned i = draw(w->n_submits), core = draw(w->s.options.cores), what = draw(16);

	if (what < 3)
		return submit_some(w, i, n);
	if (what < 6)
		return take_some(w, i, n);
	if (what == 6)
		return abort_some(w, i);
	if (what < 11) {
		bool can = world_finish_can(w, core);

		if (can)
			world_finish(w, core, draw(60) ? 0 : -(int)(1 + draw(3)));
		return can;
	}
	if (!world_worker_can(w))
		return false;
	world_worker(w);
	return true;
}

static void stress(struct tap *tap, const struct core_sched_options *o, unsigned long events)
{
	struct tally n = { 0 };
	struct world w;

	world_init(&w, o, 12);
	for (unsigned i = 0; i < WORLD_SUBMITS; i++)
		world_add(&w, &(struct core_sched_request){ .core_mask = 1 });
	while (n.events < events && !w.broken)
		n.events += event(&w, &n);
	world_run_out(&w);
	tap_ok(tap, !w.broken && world_all_taken(&w) && n.submits > events / 100 && n.failed,
	       "%lu_events_on_%u_cores_bypasses_%u%s", events, o->cores, o->most_bypasses,
	       o->urgent_first ? "_urgent_first" : "");
	if (w.broken)
		tap_note("%s, after %lu events", w.broken, n.events);
	tap_note("%lu submits, %lu failed or were given up, %lu had no room; one waited for %u "
		 "dispatches",
		 n.submits, n.failed, n.put_off, n.longest_wait);
}

int main(void)
{
	static const struct core_sched_options options[] = {
		{ .cores = 3 },
		{ .cores = 3, .most_bypasses = 3 },
		{ .cores = 2, .urgent_first = true },
		{ .cores = 8, .most_bypasses = 1, .urgent_first = true },
	};
	unsigned long events = getenv("TEST_LONG") ? 100000000 : 1000000;
	struct tap tap = { 0 };

	for (unsigned i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		state = 20 + i;
		stress(&tap, &options[i], events);
	}
	return tap_end(&tap);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * explore.c - every order in which a few submits can come, run, fail, be given up and be collected.
 *
 * An explicit search through all states that callers, the worker and the cores can reach, one
 * action of the worker at a time; the invariants of world.h are checked at every step, and a state
 * in which nothing can move has to be one where everybody has their result. States are told apart
 * by 64 bits of hash: two that share one would hide the second. TEST_LONG=1 searches larger cases.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/model/tap.h"
#include "world.h"

#define DEPTH_MAX 512

struct hunt {
	struct world w;
	uint8_t failures, aborts; /* that may still happen */
};

struct table {
	uint64_t *slots;
	size_t mask, used;
};

struct search {
	struct table seen;
	uint64_t steps, ends;
	unsigned depth;
	const char *broken;
	char path[DEPTH_MAX + 1];
	char found[DEPTH_MAX + 1]; /* the path to what is broken */
};

/* ---- the set of states ---- */

static void table_init(struct table *t, size_t size)
{
	t->slots = calloc(size, sizeof(*t->slots));
	t->mask = size - 1;
	t->used = 0;
}

static void insert(struct table *t, uint64_t key)
{
	size_t i = key & t->mask;

	while (t->slots[i])
		i = (i + 1) & t->mask;
	t->slots[i] = key;
	t->used++;
}

static bool lookup(const struct table *t, uint64_t key)
{
	for (size_t i = key & t->mask; t->slots[i]; i = (i + 1) & t->mask)
		if (t->slots[i] == key)
			return true;
	return false;
}

/* True when key is new. */
static bool add(struct table *t, uint64_t key)
{
	if (lookup(t, key))
		return false;
	if (t->used * 2 > t->mask) {
		struct table larger;

		table_init(&larger, 2 * (t->mask + 1));
		for (size_t i = 0; i <= t->mask; i++)
			if (t->slots[i])
				insert(&larger, t->slots[i]);
		free(t->slots);
		*t = larger;
	}
	insert(t, key);
	return true;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h ^= v;
	h *= UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint64_t hash_job(uint64_t h, const struct core_sched_job *j)
{
	h = mix(h, j->bucket | (uint64_t)j->in_flight << 8 | (uint64_t)j->synced << 16 |
			   (uint64_t)j->woken << 17 | (uint64_t)(uint16_t)j->next << 32);
	h = mix(h, (uint64_t)(uint32_t)j->error << 32 | j->partial);
	h = mix(h, j->round | (uint64_t)j->bypasses << 32);
	for (unsigned l = 0; l < CORE_SCHED_LANES; l++)
		h = mix(h, j->cursor[l]);
	return h;
}

static uint64_t hash_submit(uint64_t h, const struct world_submit *u)
{
	h = mix(h, u->state | (uint64_t)u->wakes << 8 | (uint64_t)u->reads << 16 |
			   (uint64_t)u->written << 24 | (uint64_t)(uint16_t)u->id << 32 |
			   (uint64_t)u->in_flight << 48);
	h = mix(h, (uint64_t)(uint32_t)u->error << 32 | u->arrival);
	return mix(h, (uint64_t)u->partial << 32 | u->waited);
}

/* What only counts up, and decides nothing, is taken out of a state. */
static void normalise(struct world *w)
{
	for (unsigned i = 0; i < w->n_slots; i++) {
		w->slots[i].round = w->slots[i].round == w->s.round;
		if (!w->s.options.most_bypasses)
			w->slots[i].bypasses = 0;
		if (w->slots[i].bucket == CORE_SCHED_FREE)
			memset(&w->slots[i], 0, sizeof(w->slots[i]));
	}
	w->s.round = w->round = 1;
	w->s.strays = 0;
	for (unsigned i = 0; i < w->n_submits; i++) {
		if (!w->s.options.most_bypasses)
			w->submits[i].waited = 0;
		if (w->submits[i].state == WORLD_TAKEN)
			w->submits[i] = (struct world_submit){ .state = WORLD_TAKEN };
	}
	memset(&w->action, 0, sizeof(w->action));
}

static uint64_t hash(const struct hunt *t)
{
	const struct world *w = &t->w;
	uint64_t h = mix(1, w->s.kicked | w->s.phase << 1 | w->s.started << 4 | w->asleep << 5 |
				    (uint64_t)t->failures << 8 | (uint64_t)t->aborts << 16);

	for (unsigned b = 0; b < CORE_SCHED_BUCKETS; b++)
		h = mix(h, (uint16_t)w->s.head[b]);
	for (unsigned i = 0; i < w->n_slots; i++)
		h = hash_job(h, &w->slots[i]);
	for (unsigned i = 0; i < w->n_submits; i++)
		h = hash_submit(h, &w->submits[i]);
	for (unsigned c = 0; c < w->s.options.cores; c++)
		h = mix(h, w->cores[c].programmed | w->cores[c].published << 1 |
				   (uint64_t)w->cores[c].submit << 8 |
				   (uint64_t)w->cores[c].lane << 16 |
				   (uint64_t)w->cores[c].task << 24 |
				   (uint64_t)(uint32_t)w->cores[c].error << 32);
	return h ? h : 1;
}

/* ---- the search ---- */

static void search_from(struct search *f, const struct hunt *from);

static void visit(struct search *f, struct hunt *to, char step)
{
	f->path[f->depth] = step;
	f->steps++;
	if (to->w.broken && !f->broken) {
		f->broken = to->w.broken;
		memcpy(f->found, f->path, f->depth + 1);
	}
	normalise(&to->w);
	if (f->broken || !add(&f->seen, hash(to)))
		return;
	f->depth++;
	if (f->depth < DEPTH_MAX)
		search_from(f, to);
	else
		f->broken = "the search goes on too long";
	f->depth--;
}

static struct hunt branch(const struct hunt *from)
{
	struct hunt to = *from;

	to.w.s.jobs = NULL; /* set by whoever has the copy in its place */
	return to;
}

#define BRANCH(to, from)                                                                           \
	struct hunt to = branch(from);                                                             \
	to.w.s.jobs = to.w.slots

/* Callers come in their order: which submit comes when is still free. */
static unsigned by_callers(struct search *f, const struct hunt *from)
{
	unsigned moves = 0;
	bool came = false;

	for (unsigned i = 0; i < from->w.n_submits && !f->broken; i++) {
		if (from->w.submits[i].state == WORLD_ABSENT && !came) {
			BRANCH(to, from);

			came = true;
			moves++;
			if (world_submit(&to.w, i) < 0)
				to.w.broken = "a submit was not taken";
			visit(f, &to, (char)('a' + i));
		}
		if (from->w.submits[i].state == WORLD_WAITING && from->aborts) {
			BRANCH(to, from);

			to.aborts--;
			world_abort(&to.w, i, -EINTR);
			visit(f, &to, (char)('p' + i));
		}
		if (world_take_can(&from->w, i)) {
			BRANCH(to, from);

			moves++;
			world_take(&to.w, i);
			visit(f, &to, (char)('A' + i));
		}
	}
	return moves;
}

static unsigned by_cores(struct search *f, const struct hunt *from)
{
	unsigned moves = 0;

	for (unsigned c = 0; c < from->w.s.options.cores && !f->broken; c++) {
		if (!world_finish_can(&from->w, c))
			continue;
		moves++;
		{
			BRANCH(to, from);

			world_finish(&to.w, c, 0);
			visit(f, &to, (char)('0' + c));
		}
		if (from->failures && !f->broken) {
			BRANCH(to, from);

			to.failures--;
			world_finish(&to.w, c, -EIO);
			visit(f, &to, (char)('5' + c));
		}
	}
	return moves;
}

static void search_from(struct search *f, const struct hunt *from)
{
	unsigned moves = 0;

	if (world_worker_can(&from->w)) {
		BRANCH(to, from);

		moves++;
		world_worker(&to.w);
		visit(f, &to, '.');
	}
	moves += by_callers(f, from);
	moves += by_cores(f, from);
	if (moves)
		return;
	f->ends++;
	if (!world_all_taken(&from->w) && !f->broken) {
		f->broken = "7: nothing can move and somebody still waits";
		memcpy(f->found, f->path, f->depth);
	}
}

/* ---- cases ---- */

struct scene {
	const char *name;
	unsigned n;
	struct core_sched_request submits[4];
	uint8_t failures, aborts;
	struct core_sched_options options;
	bool large; /* in the long run only */
};

#define LANES1(m, a)                                                                               \
	{                                                                                          \
		.core_mask = m, .tasks = { 0, a }                                                  \
	}
#define LANES2(m, a, b)                                                                            \
	{                                                                                          \
		.core_mask = m, .lanes = { { 0, a }, { a, b } }                                    \
	}
#define LANES3(m, a, b, c)                                                                         \
	{                                                                                          \
		.core_mask = m, .lanes = { { 0, a }, { a, b }, { (a) + (b), c } }                  \
	}

static const struct scene scenes[] = {
	{ "one_submit_of_three_lanes_with_errors_and_aborts",
	  1,
	  { LANES3(7, 3, 2, 1) },
	  2,
	  2,
	  { .cores = 3 },
	  false },
	{ "two_submits_of_two_lanes_with_an_error",
	  2,
	  { LANES2(7, 1, 2), LANES2(7, 1, 1) },
	  1,
	  0,
	  { .cores = 3 },
	  false },
	{ "two_submits_of_three_lanes",
	  2,
	  { LANES3(7, 1, 1, 1), LANES3(7, 1, 1, 1) },
	  0,
	  0,
	  { .cores = 3 },
	  false },
	{ "two_submits_with_an_abort",
	  2,
	  { LANES2(3, 1, 1), LANES1(7, 2) },
	  0,
	  1,
	  { .cores = 3 },
	  false },
	{ "three_submits_of_different_cores",
	  3,
	  { LANES2(3, 1, 1), LANES1(6, 1), LANES1(4, 1) },
	  0,
	  0,
	  { .cores = 3 },
	  false },
	{ "three_submits_on_one_core_that_bounds_bypasses",
	  3,
	  { LANES1(1, 3), LANES1(1, 2), LANES1(1, 1) },
	  0,
	  1,
	  { .cores = 1, .most_bypasses = 1 },
	  false },
	{ "four_submits_of_a_task_each",
	  4,
	  { LANES1(7, 1), LANES1(7, 1), LANES1(3, 1), LANES1(4, 1) },
	  0,
	  0,
	  { .cores = 3 },
	  false },
	{ "two_submits_of_three_lanes_with_an_error_and_an_abort",
	  2,
	  { LANES3(7, 2, 1, 1), LANES3(7, 1, 1, 1) },
	  1,
	  1,
	  { .cores = 3 },
	  false },
	{ "three_submits_of_two_lanes_with_an_error",
	  3,
	  { LANES2(7, 1, 1), LANES2(7, 1, 1), LANES2(6, 1, 1) },
	  1,
	  0,
	  { .cores = 3 },
	  false },
	{ "three_submits_that_bound_bypasses_with_an_abort",
	  3,
	  { LANES2(7, 2, 1), LANES1(7, 2), LANES1(3, 2) },
	  0,
	  1,
	  { .cores = 3, .most_bypasses = 2 },
	  false },
	{ "four_submits_with_an_abort",
	  4,
	  { LANES2(7, 1, 1), LANES1(7, 1), LANES1(3, 1), LANES1(4, 1) },
	  0,
	  1,
	  { .cores = 3 },
	  false },
	{ "four_submits_of_up_to_three_lanes",
	  4,
	  { LANES3(7, 1, 1, 1), LANES3(7, 1, 1, 1), LANES2(7, 1, 1), LANES1(7, 1) },
	  0,
	  0,
	  { .cores = 3 },
	  false },
	{ "priorities_with_urgent_ones_first",
	  4,
	  { LANES2(7, 2, 1),
	    { .priority = 1, .core_mask = 3, .tasks = { 0, 2 } },
	    { .priority = 2, .core_mask = 7, .tasks = { 0, 1 } },
	    LANES1(1, 1) },
	  0,
	  1,
	  { .cores = 3, .urgent_first = true },
	  false },
	{ "three_submits_of_three_lanes_with_two_errors_and_an_abort",
	  3,
	  { LANES3(7, 2, 1, 1), LANES3(7, 1, 1, 1), LANES3(7, 1, 2, 1) },
	  2,
	  1,
	  { .cores = 3 },
	  true },
	{ "four_submits_of_three_lanes_with_an_error",
	  4,
	  { LANES3(7, 2, 1, 1), LANES3(7, 1, 1, 1), LANES3(3, 1, 1, 1), LANES3(7, 1, 1, 1) },
	  1,
	  0,
	  { .cores = 3 },
	  true },
	{ "four_submits_that_bound_bypasses_with_an_error_and_an_abort",
	  4,
	  { LANES2(7, 2, 1), LANES1(7, 2), LANES2(3, 1, 1), LANES1(5, 2) },
	  1,
	  1,
	  { .cores = 3, .most_bypasses = 2 },
	  true },
};

static void explore(struct tap *tap, const struct scene *scene)
{
	struct hunt start = { .failures = scene->failures, .aborts = scene->aborts };
	struct search f = { 0 };
	clock_t began = clock();

	world_init(&start.w, &scene->options, scene->n);
	for (unsigned i = 0; i < scene->n; i++)
		world_add(&start.w, &scene->submits[i]);
	table_init(&f.seen, (size_t)1 << 16);
	search_from(&f, &start);
	tap_ok(tap, !f.broken && f.ends, "%s", scene->name);
	if (f.broken)
		tap_note("%s, by way of %s", f.broken, f.found);
	tap_note("%zu states, %llu steps, %llu ends, %.1f s", f.seen.used,
		 (unsigned long long)f.steps, (unsigned long long)f.ends,
		 (double)(clock() - began) / CLOCKS_PER_SEC);
	free(f.seen.slots);
}

int main(void)
{
	bool all = getenv("TEST_LONG") != NULL;
	struct tap tap = { 0 };

	for (unsigned i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
		if (all || !scenes[i].large)
			explore(&tap, &scenes[i]);
	return tap_end(&tap);
}

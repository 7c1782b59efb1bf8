// SPDX-License-Identifier: LGPL-2.1-or-later
/* rules.c - the scheduler of cores, one invariant or refusal at a time. */
#include <errno.h>
#include <string.h>

#include "tests/model/tap.h"
#include "world.h"

static struct tap tap;

static const struct core_sched_options three = { .cores = 3 };

static void verdict(const struct world *w, bool ok, const char *name)
{
	tap_ok(&tap, ok && !w->broken, "%s", name);
	if (w->broken)
		tap_note("%s", w->broken);
}

static struct core_sched_request lanes(uint32_t mask, uint32_t a, uint32_t b, uint32_t c)
{
	return (struct core_sched_request){ .core_mask = mask,
					    .lanes = { { 0, a }, { a, b }, { a + b, c } } };
}

static struct core_sched_request one_lane(uint32_t mask, uint32_t tasks)
{
	return (struct core_sched_request){ .core_mask = mask, .tasks = { 0, tasks } };
}

#define BEGIN(w, options)                                                                          \
	struct world w;                                                                            \
	world_init(&w, options, WORLD_SLOTS)

static unsigned add_and_submit(struct world *w, struct core_sched_request r)
{
	unsigned i = world_add(w, &r);

	if (world_submit(w, i) < 0 && !w->broken)
		w->broken = "the submit is taken";
	return i;
}

static unsigned on_core(const struct world *w, unsigned core)
{
	return w->cores[core].programmed ? w->cores[core].submit : ~0u;
}

static void completes(const struct core_sched_request *r, const char *name)
{
	BEGIN(w, &three);
	unsigned i = add_and_submit(&w, *r);

	world_run_out(&w);
	verdict(&w, world_succeeded(&w, i), name);
}

/* ---- 1, 2, 4: cores and lanes ---- */

static void cores_and_lanes(void)
{
	BEGIN(w, &three);
	unsigned i = add_and_submit(&w, lanes(7, 2, 2, 2));
	bool spread;

	world_settle(&w);
	spread = on_core(&w, 0) == i && on_core(&w, 1) == i && on_core(&w, 2) == i;
	verdict(&w, spread, "each_idle_core_takes_a_lane_of_its_own");
	world_run_out(&w);
	verdict(&w, world_succeeded(&w, i), "tasks_of_a_lane_run_in_order_each_once");
}

static void masks(void)
{
	for (uint32_t mask = 1; mask < 8; mask++) {
		BEGIN(w, &three);
		unsigned i = add_and_submit(&w, lanes(mask, 3, 3, 3));
		char name[64];
		bool inside = true;

		world_settle(&w);
		for (unsigned c = 0; c < 3; c++)
			inside &= (on_core(&w, c) == i) == (mask >> c & 1);
		world_run_out(&w);
		snprintf(name, sizeof(name), "mask_%u_uses_its_cores_and_no_others", mask);
		verdict(&w, inside && world_succeeded(&w, i), name);
	}
}

static void bound_lanes(void)
{
	BEGIN(w, &three);
	struct core_sched_request r = lanes(7, 2, 2, 2);
	bool held = true;
	unsigned i;

	memcpy(r.lane_cores, (uint8_t[]){ 4, 1, 2 }, 3);
	i = add_and_submit(&w, r);
	world_settle(&w);
	held = w.cores[2].lane == 0 && w.cores[0].lane == 1 && w.cores[1].lane == 2;
	world_finish(&w, 0, 0); /* its lane alone may come back to core 0 */
	world_settle(&w);
	held &= w.cores[0].lane == 1;
	world_run_out(&w);
	verdict(&w, held && world_succeeded(&w, i), "lane_with_a_core_of_its_own_stays_there");
}

static void runs(void)
{
	BEGIN(w, &three);
	struct core_sched_request r = one_lane(1, 10);
	uint32_t first, second, third;
	unsigned i;

	r.run = 4;
	i = add_and_submit(&w, r);
	world_settle(&w);
	first = w.cores[0].count;
	world_finish(&w, 0, 0);
	world_settle(&w);
	second = w.cores[0].count;
	world_finish(&w, 0, 0);
	world_settle(&w);
	third = w.cores[0].count;
	world_run_out(&w);
	verdict(&w, world_succeeded(&w, i) && first == 4 && second == 4 && third == 2,
		"dispatch_takes_as_many_tasks_as_may_run_together");
}

/* ---- 5, 6: who goes first ---- */

static void running_before_ready(void)
{
	BEGIN(w, &three);
	unsigned a = add_and_submit(&w, one_lane(7, 2)), b;
	struct core_sched_request wide = lanes(7, 4, 4, 4);

	world_run_out(&w);
	a = add_and_submit(&w, wide);
	b = add_and_submit(&w, one_lane(7, 1));
	world_settle(&w);
	world_finish(&w, 1, 0);
	world_settle(&w);
	verdict(&w, on_core(&w, 1) == a && w.submits[b].waited > 0,
		"running_submit_goes_on_before_a_ready_one_starts");
	world_run_out(&w);
	verdict(&w, world_succeeded(&w, b), "ready_submit_runs_when_the_running_one_is_through");
}

static void leftover_cores(void)
{
	BEGIN(w, &three);
	unsigned a = add_and_submit(&w, one_lane(7, 5)), b = add_and_submit(&w, one_lane(7, 5));

	world_settle(&w);
	verdict(&w, on_core(&w, 0) == a && on_core(&w, 1) == b && on_core(&w, 2) == ~0u,
		"cores_that_a_running_submit_cannot_use_go_to_ready_ones");
	world_run_out(&w);
	verdict(&w, world_all_taken(&w), "two_submits_share_the_cores_to_their_ends");
}

static void fifo(void)
{
	BEGIN(w, &three);
	unsigned first = add_and_submit(&w, one_lane(1, 1)), order[4];

	for (unsigned k = 0; k < 4; k++)
		order[k] = add_and_submit(&w, one_lane(1, 1));
	world_settle(&w);
	for (unsigned k = 0, at = first; k < 4; k++) {
		if (on_core(&w, 0) != at)
			w.broken = "6: the one that came first runs";
		world_finish(&w, 0, 0);
		world_settle(&w);
		at = order[k];
	}
	world_run_out(&w);
	verdict(&w, world_all_taken(&w),
		"ready_submits_of_a_priority_start_in_the_order_they_came");
}

static void passing_a_mask(void)
{
	BEGIN(w, &three);
	unsigned a = add_and_submit(&w, one_lane(1, 3)), b = add_and_submit(&w, one_lane(1, 1)),
		 c = add_and_submit(&w, one_lane(2, 1));

	world_settle(&w);
	verdict(&w, on_core(&w, 0) == a && on_core(&w, 1) == c && on_core(&w, 2) == ~0u,
		"ready_submit_that_may_not_use_a_core_does_not_block_it");
	world_run_out(&w);
	verdict(&w, world_succeeded(&w, b), "ready_submit_waits_for_a_core_of_its_mask");
}

static unsigned second_turn(bool urgent_first)
{
	struct core_sched_options o = { .cores = 1, .urgent_first = urgent_first };
	struct core_sched_request low = one_lane(1, 3), high = one_lane(1, 1);
	BEGIN(w, &o);
	unsigned turn;

	high.priority = 5;
	add_and_submit(&w, low);
	world_settle(&w);
	add_and_submit(&w, high);
	world_finish(&w, 0, 0);
	world_settle(&w);
	turn = on_core(&w, 0);
	world_run_out(&w);
	return w.broken || !world_all_taken(&w) ? ~0u : turn;
}

static void priorities(void)
{
	BEGIN(w, &three);
	struct core_sched_request low = one_lane(1, 1), high = one_lane(1, 1);
	unsigned l, h;

	high.priority = 1;
	low.priority = -1;
	add_and_submit(&w, one_lane(1, 1));
	world_settle(&w);
	l = add_and_submit(&w, low);
	h = add_and_submit(&w, high);
	world_finish(&w, 0, 0);
	world_settle(&w);
	verdict(&w, on_core(&w, 0) == h, "of_ready_submits_the_higher_priority_starts");
	world_run_out(&w);
	verdict(&w, world_succeeded(&w, l), "lower_priority_runs_after_it");
	tap_ok(&tap, second_turn(false) == 0, "running_low_priority_goes_before_ready_high");
	tap_ok(&tap, second_turn(true) == 1,
	       "with_urgent_first_ready_high_goes_before_running_low");
}

/* ---- fairness ---- */

/* Dispatches that one ready submit waits behind a running one of 3 x tasks. */
static uint32_t starved_for(struct world *w, uint32_t most_bypasses, uint32_t tasks)
{
	struct core_sched_options o = { .cores = 3, .most_bypasses = most_bypasses };
	unsigned late;

	world_init(w, &o, WORLD_SLOTS);
	add_and_submit(w, lanes(7, tasks, tasks, tasks));
	world_settle(w);
	late = add_and_submit(w, one_lane(7, 1));
	world_run_out(w);
	return w->submits[late].waited;
}

static void fairness(void)
{
	BEGIN(w, &three);
	char name[80];
	uint32_t n = starved_for(&w, 0, 1000);

	tap_note("a ready submit waits for %u dispatches of a submit of 3 x 1000 tasks", n);
	verdict(&w, n == 3 * 999, "unbounded_a_ready_submit_waits_for_all_tasks_of_a_running_one");
	for (uint32_t bound = 1; bound <= 16; bound *= 4) {
		n = starved_for(&w, bound, 1000);
		tap_note("with a bound of %u it waits for %u", bound, n);
		snprintf(name, sizeof(name), "bound_of_%u_is_kept", bound);
		verdict(&w, n == bound, name);
	}
}

/* Short submits that come for ever, three at a time, while a wide one waits for its turn. */
static void stream_of_short_ones(void)
{
	struct core_sched_options o = { .cores = 1, .most_bypasses = 2 };
	BEGIN(w, &o);
	unsigned wide, rounds = 0;

	add_and_submit(&w, one_lane(1, 5));
	world_settle(&w);
	wide = add_and_submit(&w, one_lane(1, 2));
	while (on_core(&w, 0) != wide && rounds++ < 10) {
		add_and_submit(&w, one_lane(1, 5));
		world_finish(&w, 0, 0);
		world_settle(&w);
	}
	tap_note("started after %u dispatches", rounds);
	world_run_out(&w);
	verdict(&w, rounds == 3 && world_all_taken(&w),
		"stream_of_submits_starves_nobody_when_bounded");
}

/* ---- 7, 8: kicks, wakes, syncs ---- */

static void kicks(void)
{
	BEGIN(w, &three);
	struct core_sched_action a;

	tap_ok(&tap, !core_sched_next(&w.s, &a), "worker_without_a_kick_has_nothing_to_do");
	add_and_submit(&w, one_lane(1, 1));
	world_worker(&w); /* the write sync: the worker is awake */
	add_and_submit(&w, one_lane(2, 1));
	world_settle(&w);
	verdict(&w, w.cores[0].programmed && w.cores[1].programmed,
		"kick_while_the_worker_works_is_not_lost");
	world_finish(&w, 0, 0);
	world_worker(&w); /* harvests core 0 */
	world_finish(&w, 1, 0);
	world_run_out(&w);
	verdict(&w, world_all_taken(&w), "completion_while_the_worker_harvests_is_not_lost");
}

static void wakes(void)
{
	BEGIN(w, &three);
	unsigned a = add_and_submit(&w, one_lane(1, 1)), b = add_and_submit(&w, one_lane(2, 1));
	struct core_sched_result result;

	world_settle(&w);
	world_finish(&w, 1, 0);
	verdict(&w, !core_sched_take(&w.s, w.submits[b].id, &result),
		"result_cannot_be_taken_before_the_wake");
	world_settle(&w);
	verdict(&w, w.submits[b].wakes == 1 && !w.submits[a].wakes,
		"completed_submit_wakes_its_own_waiter_alone");
	world_take(&w, b);
	verdict(&w, !core_sched_take(&w.s, w.submits[b].id, &result), "result_is_taken_once");
	world_run_out(&w);
	verdict(&w, w.submits[a].wakes == 1 && world_all_taken(&w), "waiter_is_woken_once");
}

static void syncs(void)
{
	static const enum core_sched_verb expected[] = { CORE_SCHED_WRITE, CORE_SCHED_START,
							 CORE_SCHED_START, CORE_SCHED_WRITE,
							 CORE_SCHED_START };
	BEGIN(w, &three);
	bool same = true;

	add_and_submit(&w, lanes(3, 1, 1, 0));
	add_and_submit(&w, one_lane(4, 1));
	for (unsigned k = 0; k < 5; k++) {
		world_worker(&w);
		same &= w.action.verb == expected[k];
	}
	verdict(&w, same, "write_sync_once_per_submit_before_its_first_start_of_a_round");
	world_settle(&w);
	world_finish(&w, 2, 0);
	world_worker(&w);
	same = w.action.verb == CORE_SCHED_DONE;
	world_worker(&w);
	same &= w.action.verb == CORE_SCHED_READ;
	world_worker(&w);
	same &= w.action.verb == CORE_SCHED_WAKE;
	verdict(&w, same, "harvest_then_read_sync_then_wake");
	world_run_out(&w);
	verdict(&w, world_all_taken(&w), "syncs_do_not_hold_anything_up");
}

static void harvest_first(void)
{
	BEGIN(w, &three);
	bool first;

	add_and_submit(&w, one_lane(1, 2));
	world_settle(&w);
	world_finish(&w, 0, 0);
	add_and_submit(&w, one_lane(7, 1));
	world_worker(&w);
	first = w.action.verb == CORE_SCHED_DONE;
	world_run_out(&w);
	verdict(&w, first && world_all_taken(&w), "finished_cores_are_harvested_before_dispatch");
}

/* ---- 9: whose completion ---- */

static void attribution(void)
{
	BEGIN(w, &three);
	unsigned a = add_and_submit(&w, lanes(7, 2, 2, 2));

	world_settle(&w);
	world_finish(&w, 2, 0);
	world_finish(&w, 0, 0); /* in reverse, both before a harvest */
	world_settle(&w);
	verdict(&w,
		w.submits[a].done[0] == 1 && w.submits[a].done[1] == 0 && w.submits[a].done[2] == 1,
		"cores_that_finish_in_reverse_count_for_their_own_lanes");
	core_sched_publish(&w.s, 1, 0x101, 1, 0);
	core_sched_publish(&w.s, 1, 0x101, 1, 0);
	w.cores[1].published = true;
	verdict(&w, w.s.strays == 1, "second_completion_before_the_harvest_is_dropped_and_counted");
	world_run_out(&w);
	verdict(&w, world_succeeded(&w, a), "each_task_counts_once_after_it");
	core_sched_publish(&w.s, 0, 0x300, 1, 0);
	world_settle(&w);
	verdict(&w, w.s.strays == 2, "completion_of_an_unbound_core_is_dropped_and_counted");
}

/* ---- 10: errors ---- */

static void errors(void)
{
	BEGIN(w, &three);
	unsigned a = add_and_submit(&w, lanes(7, 5, 5, 5)), b = add_and_submit(&w, one_lane(7, 2));

	world_settle(&w);
	world_finish(&w, 1, -EIO);
	world_settle(&w);
	verdict(&w, !w.submits[a].wakes && on_core(&w, 1) == b,
		"lanes_in_flight_end_before_a_failed_submit_completes");
	world_finish(&w, 0, -EFAULT);
	world_finish(&w, 2, 0);
	world_settle(&w);
	verdict(&w, w.submits[a].wakes == 1 && w.submits[a].error == -EIO,
		"first_error_is_the_submits");
	world_run_out(&w);
	verdict(&w, world_all_taken(&w) && !w.submits[b].error, "others_go_on_after_an_error");
	a = add_and_submit(&w, lanes(7, 1, 1, 1));
	world_run_out(&w);
	verdict(&w, world_succeeded(&w, a), "later_submits_succeed");
}

static void partial_runs(void)
{
	BEGIN(w, &three);
	struct core_sched_request r = one_lane(1, 6);
	unsigned i;

	r.run = 6;
	i = add_and_submit(&w, r);
	world_settle(&w);
	world_finish(&w, 0, -ETIMEDOUT);
	world_run_out(&w);
	verdict(&w, w.submits[i].error == -ETIMEDOUT && w.submits[i].partial == 5,
		"tasks_done_before_a_failure_are_counted");
}

static void aborts(void)
{
	BEGIN(w, &three);
	unsigned a = add_and_submit(&w, one_lane(1, 3)), b = add_and_submit(&w, one_lane(1, 1)), c;

	world_settle(&w);
	world_abort(&w, b, -EINTR);
	world_settle(&w);
	verdict(&w, w.submits[b].wakes == 1, "aborted_ready_submit_completes_at_once");
	world_abort(&w, a, -ETIMEDOUT);
	world_settle(&w);
	verdict(&w, !w.submits[a].wakes, "aborted_running_submit_waits_for_its_cores");
	world_finish(&w, 0, -EINVAL);
	world_settle(&w);
	verdict(&w, w.submits[a].wakes == 1 && w.submits[a].error == -ETIMEDOUT,
		"error_of_the_abort_comes_first");
	world_abort(&w, a, -EIO);
	verdict(&w, w.submits[a].error == -ETIMEDOUT, "abort_of_a_complete_submit_does_nothing");
	world_run_out(&w);
	c = add_and_submit(&w, one_lane(1, 1));
	world_run_out(&w);
	verdict(&w, world_succeeded(&w, c), "submit_after_an_abort_succeeds");
}

/* ---- 11: shapes ---- */

static void shapes(void)
{
	struct core_sched_request r = { .core_mask = 7,
					.lanes = { [1] = { 4, 3 }, [4] = { 0, 2 } } };

	completes(&r, "empty_lanes_are_skipped");
	r = (struct core_sched_request){
		.core_mask = 7, .lanes = { { 0, 3 }, { 3, 1 }, { 4, 2 }, { 6, 5 }, { 11, 1 } }
	};
	completes(&r, "five_lanes_on_three_cores");
	r = one_lane(7, 9);
	completes(&r, "no_lane_given_is_one_lane_of_all_tasks");
	r = lanes(7, 5000, 4095, 1);
	completes(&r, "more_tasks_than_a_kick_can_count");
	r.run = 4095;
	completes(&r, "more_tasks_than_a_kick_can_count_in_kicks_of_4095");
}

static void one_core_for_one_lane(void)
{
	BEGIN(w, &three);
	unsigned i = add_and_submit(&w, one_lane(7, 4));

	world_settle(&w);
	verdict(&w, on_core(&w, 0) == i && on_core(&w, 1) == ~0u && on_core(&w, 2) == ~0u,
		"one_lane_uses_one_core");
	world_run_out(&w);
	verdict(&w, world_succeeded(&w, i), "one_lane_on_three_cores_completes");
}

/* ---- 12: refusals ---- */

static void refusals(void)
{
	static const struct {
		const char *name;
		struct core_sched_request r;
	} rows[] = {
		{ "no_tasks_is_refused", { .core_mask = 7 } },
		{ "no_core_is_refused", { .tasks = { 0, 1 } } },
		{ "core_that_is_not_there_is_refused", { .core_mask = 8, .tasks = { 0, 1 } } },
		{ "lane_without_a_core_is_refused",
		  { .core_mask = 1, .lanes = { { 0, 1 } }, .lane_cores = { 2 } } },
		{ "lane_past_the_last_index_is_refused",
		  { .core_mask = 1, .tasks = { UINT32_MAX, 2 } } },
		{ "more_tasks_than_can_be_counted_is_refused",
		  { .core_mask = 1, .lanes = { { 0, UINT32_MAX }, { 0, 1 } } } },
	};
	static const struct core_sched_options none = { .cores = 0 }, many = { .cores = 9 };
	struct core_sched_job job;
	struct core_sched s;

	for (unsigned k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		BEGIN(w, &three);
		unsigned i = world_add(&w, &rows[k].r);
		int r = world_submit(&w, i);

		verdict(&w, r == -EINVAL && !w.s.kicked && w.slots[0].bucket == CORE_SCHED_FREE,
			rows[k].name);
	}
	tap_ok(&tap,
	       core_sched_init(&s, &none, &job, 1) == -EINVAL &&
		       core_sched_init(&s, &many, &job, 1) == -EINVAL &&
		       core_sched_init(&s, &three, &job, 0) == -EINVAL,
	       "scheduler_without_cores_or_room_is_refused");
}

static void room(void)
{
	struct world w;
	struct core_sched_request r = one_lane(1, 1);
	unsigned i;

	world_init(&w, &three, 2);
	add_and_submit(&w, r);
	add_and_submit(&w, r);
	i = world_add(&w, &r);
	verdict(&w, world_submit(&w, i) == -EAGAIN, "submit_without_room_is_put_off");
	world_run_out(&w);
	verdict(&w, world_submit(&w, i) >= 0, "room_is_there_again_when_a_result_is_taken");
	world_run_out(&w);
	verdict(&w, world_succeeded(&w, i), "and_that_submit_completes");
}

int main(void)
{
	cores_and_lanes();
	masks();
	bound_lanes();
	runs();
	running_before_ready();
	leftover_cores();
	fifo();
	passing_a_mask();
	priorities();
	fairness();
	stream_of_short_ones();
	kicks();
	wakes();
	syncs();
	harvest_first();
	attribution();
	errors();
	partial_runs();
	aborts();
	shapes();
	one_core_for_one_lane();
	refusals();
	room();
	return tap_end(&tap);
}

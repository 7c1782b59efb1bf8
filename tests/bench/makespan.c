// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * makespan.c - the estimate of tasks on several cores against times reckoned by hand.
 */
#include <math.h>

#include "bench/scaling/makespan.h"
#include "tests/model/tap.h"

#define TASKS 12

/* 10 us of computing and 1000 bytes each. */
static struct makespan_task tasks[TASKS];

static const struct makespan_model plain = {
	.rate = 100, .rate_all = 1e12, .kick_us = 30, .task_us = 3
};

static struct core_sched_request lanes(unsigned cores, const uint32_t *counts, uint32_t run)
{
	struct core_sched_request q = { .core_mask = (1u << cores) - 1, .run = run };
	uint32_t first = 0;

	for (unsigned c = 0; c < cores; c++) {
		q.lanes[c] = (struct core_sched_range){ first, counts[c] };
		q.lane_cores[c] = (uint8_t)(1u << c);
		first += counts[c];
	}
	return q;
}

static double one(const struct makespan_model *m, uint32_t run)
{
	const uint32_t counts[] = { TASKS };
	const struct core_sched_request q = lanes(1, counts, run);

	return makespan_us(m, tasks, &q, 3);
}

static double three(const struct makespan_model *m, uint32_t a, uint32_t b, uint32_t c,
		    uint32_t run)
{
	const uint32_t counts[] = { a, b, c };
	const struct core_sched_request q = lanes(3, counts, run);

	return makespan_us(m, tasks, &q, 3);
}

static void is(struct tap *t, double got, double want, const char *name)
{
	if (!tap_ok(t, fabs(got - want) < 1e-6 * want, "%s", name))
		tap_note("%.9g, not %.9g", got, want);
}

static void test_kicks(struct tap *t)
{
	struct makespan_model overlapping = plain;

	overlapping.overlap = true;
	is(t, one(&plain, UINT32_MAX), 30 + 11 * 3 + 12 * 20, "a_chain_costs_one_kick");
	is(t, one(&plain, 1), 12 * (30 + 20), "tasks_apart_cost_a_kick_each");
	is(t, one(&plain, 5), 3 * 30 + 9 * 3 + 12 * 20, "kicks_of_five_five_and_two");
	is(t, one(&overlapping, 1), 12 * (30 + 10), "overlapping_takes_the_longer_of_the_two");
	is(t, three(&plain, 4, 4, 4, UINT32_MAX), 30 + 3 * 3 + 4 * 20, "even_lanes_end_together");
	is(t, three(&plain, 6, 3, 3, UINT32_MAX), 30 + 5 * 3 + 6 * 20, "the_longest_lane_decides");
}

static void test_memory(struct tap *t)
{
	struct makespan_model m = plain;

	m.rate_all = 150; /* of three that would take 300 */
	is(t, one(&m, UINT32_MAX), 30 + 11 * 3 + 12 * 20, "one_core_has_its_own_rate");
	is(t, three(&m, 4, 4, 4, UINT32_MAX), 30 + 3 * 3 + 4 * (10 + 20),
	   "three_cores_share_what_there_is");
	/* Lanes of 4 and 8: the first has its traffic from 79 to 119, while the second computes,
	 * which has its own from 131 on. */
	m.rate_all = 100;
	{
		const uint32_t counts[] = { 4, 8 };
		const struct core_sched_request q = lanes(2, counts, UINT32_MAX);

		is(t, makespan_us(&m, tasks, &q, 3), 30 + 7 * 3 + 80 + 80,
		   "who_comes_later_has_memory_alone");
	}
	/* Lanes of 5 and 7: traffic from 92 and from 118 on; the first has 2400 of its 5000 left
	 * then, which take 48 us at half the rate, and the other has 4600 left and all the rate. */
	{
		const uint32_t counts[] = { 5, 7 };
		const struct core_sched_request q = lanes(2, counts, UINT32_MAX);

		is(t, makespan_us(&m, tasks, &q, 3), 118 + 48 + 46, "shares_change_when_one_ends");
	}
}

static void test_worker(struct tap *t)
{
	struct makespan_model m = plain;

	m.worker_us = 10;
	is(t, one(&m, 1), 12 * (30 + 20), "the_worker_is_a_part_of_the_kick");
	/* Started 5 us apart, each ends 45 us later (25 of the kick, 20 of the task), and its end
	 * takes 5 us: the third is through at 10 + 45 + 5. */
	is(t, three(&m, 1, 1, 1, 1), 60, "one_worker_starts_one_core_at_a_time");
	/* Nothing but dispatches: the worker's time alone, once it is never idle. */
	for (unsigned i = 0; i < TASKS; i++)
		tasks[i] = (struct makespan_task){ 0, 0 };
	m.worker_us = 30;
	tap_ok(t, three(&m, 4, 4, 4, 1) >= 12 * 30 - 1e-6, "a_busy_worker_bounds_all_cores");
	is(t, three(&plain, 4, 4, 4, 1), 4 * 30, "without_one_they_do_not_wait");
}

static void test_sets(struct tap *t)
{
	const struct npu_counters n = { .kicks = 1,
					.tasks = 1,
					.macs = 128ull * 1024 * 1024,
					.read_feature = 262144,
					.read_weight = 2097152,
					.write = 524288 };
	const struct npu_cost_set *const sets[] = { &npu_cost_set_m, &npu_cost_set_v };
	const uint32_t counts[] = { 1 };
	const struct core_sched_request q = lanes(1, counts, 1);

	for (unsigned i = 0; i < 2; i++) {
		struct makespan_model m = makespan_model_of(sets[i], NPU_COST_16BIT, 200);
		const struct makespan_task task =
			makespan_task_of(sets[i], NPU_COST_16BIT, 200, &n);
		const double want = npu_cost_us(sets[i], NPU_COST_16BIT, 200, &n);

		m.rate_all = 1e12;
		tap_ok(t, fabs(makespan_us(&m, &task, &q, 3) - want) < 1e-6 * want,
		       "one_task_takes_what_set_%s_says", sets[i]->name);
	}
}

static void test_refusals(struct tap *t)
{
	const struct core_sched_request none = { .core_mask = 7 }, nowhere = { .core_mask = 8 };

	static const struct {
		double rate, kick_us, compute_us;
		const char *name;
	} endless[] = {
		{ 0, 30, 10, "memory_that_stands_still_never_ends" },
		{ (double)NAN, 30, 10, "a_rate_that_is_no_number_never_ends" },
		{ 100, (double)INFINITY, 10, "a_kick_without_end_never_ends" },
		{ 100, 30, (double)INFINITY, "a_task_without_end_never_ends" },
	};

	for (unsigned i = 0; i < sizeof(endless) / sizeof(endless[0]); i++) {
		const struct makespan_model m = { .rate = endless[i].rate,
						  .rate_all = 1e12,
						  .kick_us = endless[i].kick_us };
		const struct makespan_task task = { endless[i].compute_us, 1000 };
		const struct core_sched_request q = { .core_mask = 1, .tasks = { 0, 1 } };

		tap_ok(t, makespan_us(&m, &task, &q, 1) < 0, "%s", endless[i].name);
	}
	tap_ok(t, makespan_us(&plain, tasks, &none, 3) < 0, "no_tasks_are_refused");
	tap_ok(t, makespan_us(&plain, tasks, &nowhere, 3) < 0, "a_core_that_is_not_there");
}

int main(void)
{
	struct tap t = { 0 };

	for (unsigned i = 0; i < TASKS; i++)
		tasks[i] = (struct makespan_task){ 10, 1000 };
	test_kicks(&t);
	test_memory(&t);
	test_sets(&t);
	test_refusals(&t);
	test_worker(&t);
	return tap_end(&t);
}

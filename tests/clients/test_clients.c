// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * test_clients.c - many users of one NPU at once: every result is right, every completion is told.
 *
 * More clients than cores, as threads with files of their own, as threads of one file and as
 * processes, which on the simulated NPU have a device each. A client that is not woken stops
 * completing jobs, and the whole process is ended by what watches over all of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "bench/crowd.h"
#include "tests/children.h"
#include "tests/driver.h"
#include "tests/model/effort.h"

#define CLIENTS   16u
#define STALL_NS  UINT64_C(120000000000)
#define SUBMITS   100000u /* in all */
#define SMALL_JOB 4, 32, 16, 1

static struct crowd_member *members;

static int setup(void **state)
{
	(void)state;
	setenv("ROCKET_DEVICE", test_device(), 1);
	members = crowd_members(CROWD_MAX);
	return members ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	crowd_members_free(members, CROWD_MAX);
	return 0;
}

/* Of all: what a sanitizer or an emulator can do in the same time. */
static unsigned submits(void)
{
	return effort(SUBMITS) / (test_child_may_start_threads() ? 1 : 10);
}

static struct crowd crowd_of(enum crowd_kind kind, uint64_t jobs)
{
	return (struct crowd){ .kind = kind,
			       .members = CLIENTS,
			       .job = { SMALL_JOB },
			       .jobs = jobs,
			       .stall_ns = STALL_NS,
			       .timeout_ns = STALL_NS };
}

/* Threads that are stuck cannot be ended, nor waited for. */
static void give_up(const struct crowd *c)
{
	for (unsigned i = 0; i < c->members; i++)
		printf("# client %u completed %lu jobs\n", i, atomic_load(&members[i].completed));
	printf("Bail out! no job was completed for %llu s\n",
	       (unsigned long long)(c->stall_ns / 1000000000u));
	fflush(stdout);
	_exit(1);
}

/* Each member completes its jobs, and each with its own result. */
static void run(const struct crowd *c)
{
	const enum crowd_end how = crowd_run(c, members);

	if (how == CROWD_STALLED)
		give_up(c);
	for (unsigned i = 0; i < c->members; i++) {
		const unsigned long done = atomic_load(&members[i].completed);

		if (how != CROWD_DONE || done != c->jobs || members[i].wrong)
			fail_msg("client %u: %lu jobs of %llu, %lu wrong: %s", i, done,
				 (unsigned long long)c->jobs, members[i].wrong, members[i].why);
	}
}

static void threads_with_a_file_each_get_their_own_results(void **state)
{
	struct crowd c = crowd_of(CROWD_FILES, effort(100));

	(void)state;
	c.job = (struct client_job){ 32, 256, 64, 1 };
	run(&c);
}

static void threads_of_one_file_get_their_own_results(void **state)
{
	struct crowd c = crowd_of(CROWD_FILE, effort(100));

	(void)state;
	c.job = (struct client_job){ 32, 256, 64, 1 };
	run(&c);
}

static void chains_beside_single_tasks_get_their_own_results(void **state)
{
	struct crowd c = crowd_of(CROWD_FILES, effort(50));

	(void)state;
	c.job = (struct client_job){ 16, 128, 48, 1 };
	c.heavy = CLIENTS / 2;
	c.heavy_job = (struct client_job){ 8, 64, 32, 11 };
	run(&c);
}

static void processes_get_their_own_results(void **state)
{
	struct crowd c = crowd_of(CROWD_PROCESSES, effort(100));

	(void)state;
	c.members = 6;
	c.job = (struct client_job){ 32, 256, 64, 1 };
	run(&c);
}

/* As many clients as have a core never wait for another, many do, one has nothing to race with. */
static void no_wake_up_is_lost(void **state)
{
	static const struct {
		enum crowd_kind kind;
		unsigned members, share; /* percent of all submits */
	} rows[] = {
		{ CROWD_FILES, 16, 50 },
		{ CROWD_FILES, 3, 15 },
		{ CROWD_FILES, 1, 5 },
		{ CROWD_FILE, 16, 30 },
	};
	uint64_t completions = 0, made = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct crowd c = crowd_of(rows[i].kind,
					  submits() * rows[i].share / 100 / rows[i].members + 1);

		c.members = rows[i].members;
		run(&c);
		made += c.members * c.jobs;
		for (unsigned m = 0; m < c.members; m++)
			completions += members[m].latency.total;
	}
	print_message("# %llu submits, %llu completions\n", (unsigned long long)made,
		      (unsigned long long)completions);
	assert_int_equal(completions, made);
	assert_true(made >= submits());
}

/* ---- the instrument ---- */

/* What half and so on of 1 to n took at most is that part of n. */
static void percentiles_are_within_a_step(void **state)
{
	static const double percents[] = { 1, 50, 95, 99, 100 };
	static struct latency l, halves[2];

	(void)state;
	for (unsigned n = 1; n <= 1000000; n *= 10) {
		l = halves[0] = halves[1] = (struct latency){ 0 };
		for (unsigned i = 1; i <= n; i++)
			latency_add(&halves[i % 2], i);
		latency_merge(&l, &halves[0]);
		latency_merge(&l, &halves[1]);
		assert_int_equal(l.total, n);
		assert_int_equal(l.max_ns, n);
		for (unsigned p = 0; p < 5; p++) {
			const double want = n * percents[p] / 100 < 1 ? 1 : n * percents[p] / 100;
			const double got = (double)latency_percentile(&l, percents[p]);

			if (got < want - 1 || got > want * (1 + 1.0 / LATENCY_STEPS) + 1)
				fail_msg("%g%% of 1 to %u: %g", percents[p], n, got);
		}
	}
}

static void extremes_have_a_bucket(void **state)
{
	static struct latency l;

	(void)state;
	latency_add(&l, 0);
	assert_int_equal(latency_percentile(&l, 100), 0);
	latency_add(&l, UINT64_MAX);
	assert_int_equal(latency_percentile(&l, 100), UINT64_MAX);
	assert_int_equal(latency_percentile(&l, 50), 0);
}

/* A reference that one element of a result does not match is found out. */
static void wrong_result_is_counted(void **state)
{
	const struct client_job job = { SMALL_JOB };
	struct client client;
	uint64_t took;

	(void)state;
	assert_true(client_open(&client, -1, &job, 1));
	assert_int_equal(client_run(&client, STALL_NS, &took), CLIENT_RIGHT);
	for (unsigned v = 0; v < CLIENT_VARIANTS; v++)
		client.expected[v][5]++;
	assert_int_equal(client_run(&client, STALL_NS, &took), CLIENT_WRONG);
	client_close(&client);
}

/* Of which a result that went to another, or was left by an earlier job, is none. */
static void clients_expect_what_no_other_does(void **state)
{
	enum { CLIENTS_BESIDE = 8, RESULTS = CLIENTS_BESIDE * CLIENT_VARIANTS };
	const struct client_job job = { SMALL_JOB };
	const size_t bytes = (size_t)job.m * job.n * sizeof(int32_t);
	struct client clients[CLIENTS_BESIDE];

	(void)state;
	for (unsigned i = 0; i < CLIENTS_BESIDE; i++)
		assert_true(client_open(&clients[i], -1, &job, CROWD_SEED(i)));
	for (unsigned x = 0; x < RESULTS; x++)
		for (unsigned y = 0; y < x; y++)
			assert_memory_not_equal(
				clients[x / CLIENT_VARIANTS].expected[x % CLIENT_VARIANTS],
				clients[y / CLIENT_VARIANTS].expected[y % CLIENT_VARIANTS], bytes);
	for (unsigned i = 0; i < CLIENTS_BESIDE; i++)
		client_close(&clients[i]);
}

static void fairness_is_one_for_equals(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		members[i] = (struct crowd_member){ .start_ns = 0, .end_ns = 1000000000 };
		atomic_store(&members[i].completed, 100);
	}
	assert_true(crowd_fairness(members, 4) > 0.9999);
	for (unsigned i = 1; i < 4; i++)
		atomic_store(&members[i].completed, 0);
	assert_true(crowd_fairness(members, 4) < 0.2501);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	struct CMUnitTest tests[] = {
		T(percentiles_are_within_a_step),
		T(extremes_have_a_bucket),
		T(fairness_is_one_for_equals),
		T(wrong_result_is_counted),
		T(clients_expect_what_no_other_does),
		T(threads_with_a_file_each_get_their_own_results),
		T(threads_of_one_file_get_their_own_results),
		T(chains_beside_single_tasks_get_their_own_results),
		T(no_wake_up_is_lost),
		T(processes_get_their_own_results),
	};
	size_t n = sizeof(tests) / sizeof(tests[0]);

	if (!test_child_may_start_threads()) { /* the processes come last */
		printf("# processes_get_their_own_results is left out: a child may not start "
		       "threads here\n");
		n--;
	}
	return test_run_cases(tests, n);
}

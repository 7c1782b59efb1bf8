// SPDX-License-Identifier: LGPL-2.1-or-later
/* Many clients at once. The driver has no priorities. */
#include "concurrency.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "crew.h"

/* More clients than cores, of several shapes. */
static void clients_16_with_a_file_each(struct test *t)
{
	static const struct matmul shapes[] = {
		{ .type = FP16_TO_FP16, .m = 4, .k = 64, .n = 32 },
		{ .type = INT8_TO_INT32, .m = 8, .k = 64, .n = 32 },
		{ .type = FP16_TO_FP32, .m = 16, .k = 32, .n = 16 },
	};
	const struct crew crew = { .members = 16,
				   .shapes = shapes,
				   .n_shapes = sizeof(shapes) / sizeof(shapes[0]),
				   .rounds = test_rounds(t, 15, 2000) };

	crew_run(t, &crew);
}

static void threads_with_one_file(struct test *t)
{
	struct crew crew = { .members = 5,
			     .shapes = &small_matmul,
			     .n_shapes = 1,
			     .rounds = test_rounds(t, 40, 2000),
			     .shared = test_file(t) };

	REQUIRE(t, crew.shared, "no file");
	crew_run(t, &crew);
}

/* Buffers come and go in other threads while jobs run. */
struct churn {
	pthread_t thread;
	const struct file *f;
	int failed;
};

static void *churn_buffers(void *arg)
{
	struct churn *c = arg;

	for (int i = 0; i < 300; i++) {
		struct drm_rocket_create_bo args = { .size = PAGE * (1 + (uint32_t)i % 7) };

		if (file_create_bo(c->f, &args) || file_gem_close(c->f, args.handle))
			c->failed++;
	}
	return NULL;
}

static void buffers_made_and_freed_while_jobs_run(struct test *t)
{
	struct file *f = test_file(t);
	struct churn c = { .f = f };
	struct load l;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 8, LOAD_INTEGERS), "no job");
	REQUIRE(t, !pthread_create(&c.thread, NULL, churn_buffers, &c), "no thread");
	for (int i = 0; i < 60 && load_run_right(&l); i++)
		load_stamp(&l);
	pthread_join(c.thread, NULL);
	CHECK(t, !c.failed, "%d of 300 buffers", c.failed);
}

/* ---- fairness ---- */

#define CLIENTS 6
#define DEPTH   4 /* jobs of each that are queued, so that being passed over shows */

struct client {
	pthread_t thread;
	struct load load[DEPTH];
	int64_t end;
	unsigned rounds;
};

static void *work_until_the_end(void *arg)
{
	struct client *c = arg;

	for (unsigned i = 0; now_ns() < c->end; i++) {
		if (i >= DEPTH && load_wait(&c->load[i % DEPTH], 10 * SECOND))
			break;
		if (load_submit(&c->load[i % DEPTH]))
			break;
		c->rounds++;
	}
	for (unsigned i = 0; i < DEPTH; i++)
		load_wait(&c->load[i], 10 * SECOND);
	return NULL;
}

/* Equal clients, twice as many as cores: nobody is left behind. */
static void equal_clients_get_on_equally(struct test *t)
{
	struct client *c = test_alloc(t, CLIENTS * sizeof(*c));
	int64_t length = test_rounds(t, 1000, 20000) * MS;
	unsigned least = ~0u, most = 0, n;

	REQUIRE(t, c, "no memory");
	for (n = 0; n < CLIENTS; n++) {
		struct file *f = test_file(t);

		for (int i = 0; i < DEPTH; i++)
			REQUIRE(t, load_make(&c[n].load[i], t, f, &small_matmul, 8, LOAD_INTEGERS),
				"no job");
	}
	for (n = 0; n < CLIENTS; n++) {
		c[n].end = now_ns() + length;
		if (!CHECK(t, !pthread_create(&c[n].thread, NULL, work_until_the_end, &c[n]),
			   "no thread"))
			break;
	}
	for (unsigned i = 0; i < n; i++) {
		pthread_join(c[i].thread, NULL);
		least = c[i].rounds < least ? c[i].rounds : least;
		most = c[i].rounds > most ? c[i].rounds : most;
		for (int k = 0; k < DEPTH; k++)
			CHECK(t, load_judge(&c[i].load[k], 8), "client %u: wrong result", i);
	}
	tap_note("%u to %u jobs each", least, most);
	CHECK(t, least > 0 && most <= 3 * least, "%u to %u jobs", least, most);
}

static const struct test_case cases[] = {
	{ .name = "clients_16_with_a_file_each",
	  .run = clients_16_with_a_file_each,
	  .seconds = 120 },
	{ .name = "threads_with_one_file", .run = threads_with_one_file, .seconds = 120 },
	{ .name = "buffers_made_and_freed_while_jobs_run",
	  .run = buffers_made_and_freed_while_jobs_run },
	{ .name = "equal_clients_get_on_equally",
	  .run = equal_clients_get_on_equally,
	  .seconds = 60 },
};

struct test_table client_cases(void)
{
	return TEST_TABLE(cases);
}

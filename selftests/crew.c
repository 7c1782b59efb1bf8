// SPDX-License-Identifier: LGPL-2.1-or-later
#include "crew.h"

#include <pthread.h>
#include <stdatomic.h>

#define TASKS 5

struct member {
	pthread_t thread;
	const struct crew *crew;
	const atomic_bool *over;
	const struct matmul *shape;
	struct load load;
	struct test verdict; /* a test of its own: no verdict is shared between threads */
};

static bool goes_on(const struct member *m, unsigned done)
{
	return m->crew->meanwhile ? !atomic_load(m->over) : done < m->crew->rounds;
}

static void work(struct member *m)
{
	m->load.t = &m->verdict;
	for (unsigned i = 0; goes_on(m, i) && load_run_right(&m->load); i++)
		load_stamp(&m->load);
}

static void *work_with_shared_file(void *arg)
{
	work(arg);
	return NULL;
}

static void *work_with_own_file(void *arg)
{
	struct member *m = arg;
	struct test *t = &m->verdict;

	test_files_begin(t);
	if (load_make(&m->load, t, test_file(t), m->shape, TASKS, m->crew->values))
		work(m);
	test_files_end(t);
	return NULL;
}

void crew_run(struct test *t, const struct crew *crew)
{
	void *(*start)(void *) = crew->shared ? work_with_shared_file : work_with_own_file;
	struct member *m = test_alloc(t, CREW_MAX * sizeof(*m));
	atomic_bool over = false;
	unsigned n;

	REQUIRE(t, m, "no memory");
	for (n = 0; n < crew->members; n++) {
		m[n].crew = crew;
		m[n].over = &over;
		m[n].shape = &crew->shapes[n % crew->n_shapes];
		m[n].verdict = (struct test){ .node = t->node, .options = t->options, .as = t->as };
		/* A struct file is filled by one thread only. */
		if (crew->shared)
			REQUIRE(t,
				load_make(&m[n].load, t, crew->shared, m[n].shape, TASKS,
					  crew->values),
				"no job");
	}
	for (n = 0; n < crew->members; n++)
		if (!CHECK(t, !pthread_create(&m[n].thread, NULL, start, &m[n]), "no thread"))
			break;
	if (crew->meanwhile)
		crew->meanwhile(t);
	atomic_store(&over, true);
	while (n--) {
		pthread_join(m[n].thread, NULL);
		CHECK(t, !test_failed(&m[n].verdict), "thread %u", n);
	}
}

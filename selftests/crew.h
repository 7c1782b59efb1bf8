/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* crew.h - threads that each run a job of their own again and again. */
#ifndef SELFTESTS_CREW_H
#define SELFTESTS_CREW_H

#include "load.h"

#define CREW_MAX 16

struct crew {
	unsigned members; /* at most CREW_MAX */
	const struct matmul *shapes;
	unsigned n_shapes; /* member i runs shape i % n_shapes */
	enum load_values values;
	unsigned rounds;
	/* Called while they work, in place of rounds: they go on until it is back. */
	void (*meanwhile)(struct test *t);
	struct file *shared; /* NULL: each opens a file of its own */
};

/* Fails t when any result of any member is wrong. */
void crew_run(struct test *t, const struct crew *crew);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_steps.c - unaligned shapes, padded: one dimension from 1 to 414, the others at a few. */
#include "form.h"
#include "long.h"
#include "tests/model/effort.h"

#define LAST 414

static const int others[] = { 1, 33, 65, LAST };
#define N_OTHERS 4
#define N_PAIRS  (N_OTHERS * N_OTHERS)

static void check(int fd, struct test_rng *rng, int axis, int value, int pair)
{
	static const char *const names[] = { "fp16", "int8" };
	int d[3] = { others[pair / N_OTHERS], others[pair % N_OTHERS], 0 };

	d[2] = d[axis];
	d[axis] = value;
	form_check_padded(form_named(names[(value + pair) % 2]), fd, rng,
			  (struct test_shape){ d[0], d[2], d[1] });
}

/* Whether some see this pair of the others at this value: each pair at values of every kind. */
static bool is_turn(int pair, int value)
{
	return pair == (value + 5 * (value / 32)) % N_PAIRS;
}

static void each_dimension_in_steps_of_one(void **state)
{
	const enum test_extent extent = test_extent();
	const bool light = effort(100) < 100;
	const int step = extent != TEST_PART ? 1 : light ? 207 : 83;
	const int count = extent != TEST_PART ? N_OTHERS : light ? 2 : 3;
	struct test_rng rng = { 920 };
	int fd = test_open("");

	(void)state;
	for (int axis = 0; axis < 3; axis++)
		for (int pair = 0; pair < N_PAIRS; pair++)
			for (int v = 1; v <= LAST; v += step)
				if (pair / N_OTHERS < count && pair % N_OTHERS < count &&
				    (extent != TEST_SOME || is_turn(pair, v)))
					check(fd, &rng, axis, v, pair);
	rocket_close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_dimension_in_steps_of_one),
	};

	return test_run_group("steps", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_steps.c - unaligned shapes, padded: one dimension from 1 to 414, the others at a few. */
#include "form.h"
#include "long.h"
#include "tests/model/effort.h"

#define LAST 414

static const int others[] = { 1, 33, 65, LAST };
#define N_OTHERS 4
#define N_PAIRS  (N_OTHERS * N_OTHERS)

static const char *const types[] = { "fp16", "fp16-f32", "bf16", "tf32", "int8", "int16", "int4" };
#define N_TYPES ((int)(sizeof(types) / sizeof(types[0])))

static bool is_equal_pair(int pair)
{
	return pair / N_OTHERS == pair % N_OTHERS;
}

/* A part: a few steps, and each case in one type. */
static bool is_in_part(int type, int axis, int pair, int step)
{
	const bool light = effort(100) < 100;
	const int count = light ? 2 : 3, stride = light ? 207 : 83;

	return pair / N_OTHERS < count && pair % N_OTHERS < count && (step - 1) % stride == 0 &&
	       (axis + pair + step / stride) % N_TYPES == type;
}

static void check(int fd, struct test_rng *rng, int type, int axis, int pair, int step)
{
	int d[3] = { others[pair / N_OTHERS], others[pair % N_OTHERS], 0 };

	d[2] = d[axis];
	d[axis] = step;
	form_check_padded(form_named(types[type]), fd, rng,
			  (struct test_shape){ d[0], d[2], d[1] });
}

/* In steps of one where all of it runs. */
static void step_each_dimension(int type, bool equals)
{
	const bool whole = test_extent() != TEST_PART;
	struct test_rng rng = { 920 + (unsigned)type };
	int fd = test_open("");

	for (int axis = 0; axis < 3; axis++)
		for (int pair = 0; pair < N_PAIRS; pair++)
			for (int step = 1; step <= LAST; step++)
				if (is_equal_pair(pair) == equals &&
				    (whole || is_in_part(type, axis, pair, step)))
					check(fd, &rng, type, axis, pair, step);
	rocket_close(fd);
}

static void steps_beside_two_alike(void **state)
{
	step_each_dimension(*(const int *)*state, true);
}

static void steps_beside_two_others(void **state)
{
	step_each_dimension(*(const int *)*state, false);
}

int main(void)
{
	struct CMUnitTest tests[2 * N_TYPES];
	char names[2 * N_TYPES][64];
	int numbers[N_TYPES];

	for (int i = 0; i < 2 * N_TYPES; i++) {
		const int type = i % N_TYPES;
		const bool alike = i < N_TYPES;

		numbers[type] = type;
		snprintf(names[i], sizeof(names[i]), "steps_beside_two_%s_%s",
			 alike ? "alike" : "others", types[type]);
		tests[i] = (struct CMUnitTest){
			.name = names[i],
			.test_func = alike ? steps_beside_two_alike : steps_beside_two_others,
			.initial_state = &numbers[type],
		};
	}
	return test_run_group("steps", tests, 2 * N_TYPES, 0);
}

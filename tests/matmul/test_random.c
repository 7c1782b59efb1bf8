// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_random.c - random shapes in every way to multiply, under every setting that cuts them. */
#include "form.h"
#include "long.h"
#include "tests/model/effort.h"

static void random_shapes_in_every_form_are_right(void **state)
{
	static const char *const envs[] = {
		"",
		"ROCKET_KACC=0",
		"ROCKET_MM_STREAM=0",
		"ROCKET_MM_KT=96 ROCKET_MM_MT=24",
		"ROCKET_BATCH_SUBMIT=1",
		"ROCKET_KACC_CHAIN=2 ROCKET_MM_KT=64",
		"ROCKET_REUSE=1 ROCKET_MM_NT=64",
		"ROCKET_REUSE=2",
		"ROCKET_MM_ASYM=0",
		"ROCKET_KACC=0 ROCKET_MM_PIPE=1 ROCKET_MM_KT=32 ROCKET_MM_NT=64 ROCKET_MM_MT=8",
	};
	const unsigned n_envs = sizeof(envs) / sizeof(envs[0]);
	const unsigned count = test_extent() != TEST_PART ? 2000 : effort(200);
	struct test_rng rng = { 930 };

	(void)state;
	for (unsigned e = 0; e < n_envs; e++) {
		int fd = test_open(envs[e]);

		/* Every form under every environment, where there are that many. */
		for (unsigned i = e; i < count; i += n_envs) {
			const struct form *form = form_at(i / n_envs % n_forms);

			form_check(form, fd, &rng, form_shape(form, &rng));
		}
		rocket_close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_shapes_in_every_form_are_right),
	};

	return test_run_group("random", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_parts.c - plans of operands in two parts, as int16 has them. */
#include "lib/plan/matmul_plan.h"
#include "support.h"

/* As recorded of one tile: HH, HL, LH, LL, a job each; parts lie one after the other. */
static void products_of_parts_are_jobs_of_the_same_tiles(void **state)
{
	const struct rocket_settings set = test_settings();
	const int M = 256, K = 1024, N = 1024;
	struct rocket_matmul_tiles tiles;
	struct rocket_matmul_plan once, p;

	(void)state;
	assert_true(rocket_matmul_tile(ROCKET_MM_INT8_INT32, &test_rk3588, &set, M, K, N, &tiles,
				       NULL, 0) > 0);
	tiles = (struct rocket_matmul_tiles){ 64, 256, 64, 4, 4, 16, false };
	assert_int_equal(rocket_matmul_plan_tiles(ROCKET_MM_INT8_INT32, &set, 0, 1, M, K, N, &tiles,
						  &once, NULL, 0),
			 0);
	assert_int_equal(rocket_matmul_plan_parts(ROCKET_MM_INT8_INT32, &set, 0, 1, 2, M, K, N,
						  &tiles, &p, NULL, 0),
			 0);
	assert_int_equal(p.n_steps, 4 * once.n_steps);
	assert_int_equal(p.in_bytes, 2 * once.in_bytes);
	assert_int_equal(p.wt_bytes, 2 * once.wt_bytes);
	assert_int_equal(p.n_jobs % 4, 0);
	for (uint32_t j = 0, tile = 0; j < p.n_jobs; j++) {
		const uint32_t product = j % 4;

		assert_int_equal(p.jobs[j].count, p.jobs[j - product].count);
		for (uint32_t i = 0; i < p.jobs[j].count; i++) {
			const struct rocket_matmul_step *s = &p.steps[p.jobs[j].first + i];
			const struct rocket_matmul_step *o = &once.steps[tile + i];

			assert_int_equal(s->a_part, product / 2);
			assert_int_equal(s->b_part, product % 2);
			assert_true(s->m0 == o->m0 && s->n0 == o->n0 && s->k0 == o->k0);
			assert_int_equal(s->in_off, o->in_off + s->a_part * once.in_bytes);
			assert_int_equal(s->wt_off, o->wt_off + s->b_part * once.wt_bytes);
			/* Four results of a tile at once, apart. */
			assert_int_equal(s->out_off, (product * p.jobs[0].count + i) * p.out_slot);
			assert_true(s->out_off + p.out_slot <= p.out_bytes[0]);
		}
		tile += product == 3 ? p.jobs[j].count : 0;
	}
	rocket_matmul_plan_free(&once);
	rocket_matmul_plan_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_of_parts_are_jobs_of_the_same_tiles),
	};

	return test_run_group("parts", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

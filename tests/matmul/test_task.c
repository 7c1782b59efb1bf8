// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * test_task.c - single programs whose K no tile of a plan has: the encoder takes a kernel as long
 * as a bank, and weights stream through banks that hold less than one group of kernels.
 */
#include <string.h>

#include "device.h"
#include "lib/encode/matmul.h"
#include "lib/layout/matmul_layout.h"
#include "reference.h"

struct task {
	int fd;
	struct test_shape s;
	rocket_bo a, b, c, program;
};

static rocket_bo buffer(int fd, size_t bytes)
{
	rocket_bo bo;

	assert_int_equal(rocket_bo_alloc32(fd, bytes + 32768, &bo), ROCKET_OK);
	memset(bo.ptr, 0, bytes + 32768);
	return bo;
}

static void run(struct task *t, enum rocket_matmul_type type)
{
	const struct rocket_matmul_task task = {
		.type = type,
		.m = (uint32_t)t->s.M,
		.k = (uint32_t)t->s.K,
		.n = (uint32_t)t->s.N,
		.input = (uint32_t)t->a.dma_address,
		.weights = (uint32_t)t->b.dma_address,
		.output = (uint32_t)t->c.dma_address,
	};
	const uint32_t in[] = { t->a.handle, t->b.handle, t->program.handle };
	char why[160] = "";
	int words = rocket_rk3588_matmul(&task, t->program.ptr, ROCKET_RK3588_MATMUL_WORDS, why,
					 sizeof(why));

	if (words < 0)
		fail_msg("%dx%dx%d: %s", t->s.M, t->s.K, t->s.N, why);
	assert_int_equal(rocket_bo_fini(t->fd, &t->a), ROCKET_OK);
	assert_int_equal(rocket_bo_fini(t->fd, &t->b), ROCKET_OK);
	assert_int_equal(rocket_bo_fini(t->fd, &t->c), ROCKET_OK);
	assert_int_equal(rocket_bo_fini(t->fd, &t->program), ROCKET_OK);
	assert_int_equal(rocket_submit_matmul(t->fd, &t->program, (uint32_t)words, in, 3,
					      &t->c.handle, 1, 8000),
			 ROCKET_OK);
	assert_int_equal(rocket_bo_prep(t->fd, &t->c, 0, UINT64_C(8000000000)), ROCKET_OK);
}

static void require(const struct task *t, enum rocket_matmul_type type, const _Float16 *a,
		    const _Float16 *b)
{
	const unsigned es = rocket_matmul_traits(type)->out_bytes;
	struct reference_fp16 *ref = reference_fp16_create(t->s.M, t->s.K, t->s.N, a, b);

	for (int m = 0; m < t->s.M; m++)
		for (int n = 0; n < t->s.N; n++) {
			size_t at =
				rocket_output_index((size_t)t->s.M, 16 / es, (size_t)m, (size_t)n);
			float wide = reference_partial(ref, m, n, 0, t->s.K);
			_Float16 half = (_Float16)wide;

			if (memcmp((uint8_t *)t->c.ptr + at * es,
				   es == 2 ? (const void *)&half : (const void *)&wide, es))
				fail_msg("%dx%dx%d: C[%d][%d] differs", t->s.M, t->s.K, t->s.N, m,
					 n);
		}
	reference_fp16_free(ref);
}

static void fp16_takes_k_of_10240_in_one_pass(void **state)
{
	static const struct test_shape shapes[] = { { 4, 10240, 16 },
						    { 12, 10240, 48 },
						    { 4, 16384, 32 } };
	struct test_rng rng = { 850 };
	int fd = test_open("");

	(void)state;
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const struct test_shape s = shapes[i];
		struct test_fp16 p = test_fp16_begin(&rng, s, TEST_FILL_UNIFORM);
		struct task t = { .fd = fd, .s = s };

		t.a = buffer(fd, (size_t)s.M * s.K * 2);
		t.b = buffer(fd, (size_t)s.N * s.K * 2);
		t.c = buffer(fd, (size_t)s.M * s.N * 4);
		t.program = buffer(fd, ROCKET_RK3588_MATMUL_WORDS * sizeof(uint64_t));
		rocket_pack_feature(t.a.ptr, p.a, 2, s.M, s.M, s.K, s.K);
		rocket_pack_weight(t.b.ptr, p.b, 2, s.N, s.K, s.K, 16, 32);
		run(&t, ROCKET_MM_FP16_FP32);
		require(&t, ROCKET_MM_FP16_FP32, p.a, p.b);
		run(&t, ROCKET_MM_FP16_FP16);
		require(&t, ROCKET_MM_FP16_FP16, p.a, p.b);
		rocket_bo_free(fd, &t.program);
		rocket_bo_free(fd, &t.c);
		rocket_bo_free(fd, &t.b);
		rocket_bo_free(fd, &t.a);
		test_fp16_end(&p);
	}
	rocket_close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fp16_takes_k_of_10240_in_one_pass),
	};

	return test_run_group("task", tests, sizeof(tests) / sizeof(tests[0]), 0);
}

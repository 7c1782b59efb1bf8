/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test_selftest_program.c - the programs that the selftests write are those of the encoder.
 *
 * selftests/program.c has its own tables, so that it depends on nothing but the kernel
 * interface. The encoder is compared with programs that ran on silicon; this compares the two.
 */
#include "tap.h"

#include <stdlib.h>

#include "lib/encode/matmul.h"
#include "selftests/program.h"

#define WORDS   ROCKET_RK3588_MATMUL_WORDS
#define TRAILER 4

static const enum rocket_matmul_type type_of[MATMUL_TYPES] = {
	[FP16_TO_FP16] = ROCKET_MM_FP16_FP16,     [FP16_TO_FP32] = ROCKET_MM_FP16_FP32,
	[BF16_TO_FP32] = ROCKET_MM_BF16_FP32,     [TF32_TO_FP32] = ROCKET_MM_TF32_FP32,
	[INT16_TO_INT32] = ROCKET_MM_INT16_INT32, [INT8_TO_INT32] = ROCKET_MM_INT8_INT32,
	[INT4_TO_INT16] = ROCKET_MM_INT4_INT16,
};

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* A block takes its registers in any order; the trailer has one. */
static void same_program(const struct matmul *mm)
{
	const struct rocket_matmul_task task = {
		.type = type_of[mm->type],
		.m = mm->m,
		.k = mm->k,
		.n = mm->n,
		.input = mm->in,
		.weights = mm->wt,
		.output = mm->out,
		.accumulate = mm->accumulate,
		.add = mm->add,
		.weight_reuse = mm->weight_reuse,
		.data_reuse = mm->data_reuse,
		.a_row = mm->a_row,
		.c_row = mm->c_row,
	};
	uint64_t theirs[WORDS], ours[MATMUL_WORDS];
	char why[200];

	assert_int_equal(MATMUL_WORDS, WORDS);
	if (rocket_rk3588_matmul(&task, theirs, WORDS, why, sizeof(why)) != WORDS)
		fail_msg("%s %ux%ux%u: %s", matmul_formats[mm->type].name, mm->m, mm->k, mm->n,
			 why);
	matmul_program(mm, ours);
	qsort(theirs, WORDS - TRAILER, sizeof(*theirs), ascending);
	qsort(ours, WORDS - TRAILER, sizeof(*ours), ascending);
	for (size_t i = 0; i < WORDS; i++)
		if (theirs[i] != ours[i])
			fail_msg("%s %ux%ux%u: %016llx, the encoder has %016llx",
				 matmul_formats[mm->type].name, mm->m, mm->k, mm->n,
				 (unsigned long long)ours[i], (unsigned long long)theirs[i]);
}

static struct matmul of(unsigned type, unsigned m, unsigned k, unsigned n)
{
	return (struct matmul){ .type = (enum matmul_type)type,
				.m = m,
				.k = k,
				.n = n,
				.in = 0x10000000,
				.wt = 0x20000000,
				.out = 0x30000000 };
}

static void every_type_and_shape(void **state)
{
	static const unsigned ms[] = { 4, 12, 100, 256 }, ks[] = { 32, 96, 480, 1024 },
			      ns[] = { 64, 192, 256 };

	(void)state;
	for (unsigned type = 0; type < MATMUL_TYPES; type++)
		for (unsigned i = 0; i < 4 * 4 * 3; i++) {
			struct matmul mm = of(type, ms[i % 4], ks[i / 4 % 4], ns[i / 16]);

			/* A feature cube that leaves no bank to the weights is refused. */
			if (mm.m * mm.k * matmul_formats[type].in_bits / 8 <= 10 * 32768)
				same_program(&mm);
		}
}

static void every_form(void **state)
{
	struct matmul mm = of(FP16_TO_FP16, 64, 192, 96);

	(void)state;
	mm.accumulate = true;
	mm.add = 0x40000000;
	same_program(&mm);
	mm.accumulate = false;
	mm.weight_reuse = true;
	same_program(&mm);
	mm.weight_reuse = false;
	mm.data_reuse = true;
	same_program(&mm);
	for (unsigned type = FP16_TO_FP32; type <= INT8_TO_INT32; type++) {
		if (type != FP16_TO_FP32 && type != INT8_TO_INT32)
			continue;
		mm = of(type, 64, 128, 96);
		mm.a_row = 512;
		same_program(&mm);
		mm.c_row = 128;
		same_program(&mm);
	}
}

/* The layouts of the two agree as their traits do. */
static void every_layout(void **state)
{
	(void)state;
	for (unsigned type = 0; type < MATMUL_TYPES; type++) {
		const struct rocket_matmul_traits *traits = rocket_matmul_traits(type_of[type]);
		const struct matmul_format *f = &matmul_formats[type];

		assert_string_equal(f->name, type == FP16_TO_FP32 ? "fp16_f32out" : traits->name);
		assert_int_equal(f->in_bits, traits->in_bits);
		assert_int_equal(f->out_bytes, traits->out_bytes);
		assert_int_equal(f->c2, traits->c2);
		assert_int_equal(f->ngroup, traits->ngroup);
		assert_int_equal(f->kgroup, traits->kgroup);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_and_shape),
		cmocka_unit_test(every_form),
		cmocka_unit_test(every_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

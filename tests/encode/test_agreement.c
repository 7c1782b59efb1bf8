/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test_agreement.c - what hangs the model is reported by the validator.
 *
 * Both hold the rules of the hardware, written apart from each other. Damaged programs
 * run on the model; a hang that the validator is silent about is a rule it lacks. What
 * the model declines to model is no hang.
 */
#include "support.h"

#include "tests/model/board.h"

#define PROGRAM_AT 0x50000000

static struct board board;

static int start(void **state)
{
	static const uint32_t regions[] = { 0x10000000, 0x20000000, 0x30000000, 0x40000000 };

	(void)state;
	board_init(&board, NULL);
	for (size_t i = 0; i < COUNT(regions); i++)
		board_map(&board, regions[i], 1 << 16);
	board_map(&board, PROGRAM_AT, 4096);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	board_free(&board);
	return 0;
}

static struct rocket_matmul_task small(enum rocket_matmul_type type)
{
	struct rocket_matmul_task t = plain_task();

	t.type = type;
	t.m = 16;
	t.k = 64;
	t.n = 32;
	return t;
}

static bool hangs(char *why, size_t size)
{
	struct npu_result result;

	npu_core_reset(board.core);
	board_run(&board, PROGRAM_AT, prog, count, (unsigned)count, 1, &result);
	snprintf(why, size, "%s: %s", result.block, result.reason);
	return result.verdict == NPU_HUNG && !strstr(result.reason, "not modelled");
}

static void must_be_reported(const char *what)
{
	char why[200];

	if (hangs(why, sizeof(why)) && !check())
		fail_msg("%s: %s", what, why);
}

static void flip_every_bit(struct rocket_matmul_task t)
{
	char name[64], why[200];

	use_task(t);
	assert_false(hangs(why, sizeof(why)));
	for (size_t i = 0; i < WORDS - 4; i++) {
		register_name(prog[i], name, sizeof(name));
		for (unsigned bit = 0; bit < 32; bit++) {
			prog[i] ^= (uint64_t)1 << (16 + bit);
			must_be_reported(name);
			prog[i] ^= (uint64_t)1 << (16 + bit);
		}
	}
}

/* The words that decide about reads, operands and starting, and a few values for each. */
static void combine_modes(struct rocket_matmul_task t, unsigned least)
{
	static const uint32_t rdma[] = { 0x7810, 0x7818, 0x7808, 0x17d40, 0x17c40, 0x7d10, 0x7819 };
	static const uint32_t erdma[] = { 1, 0, 0x40000008, 0x40000009 };
	static const uint32_t ew[] = { 0x383, 0x108202c0, 0x10820240, 0x303 };
	static const uint32_t enable[] = { 0x1d, 0x0d, 0x18, 0x15, 0x1c, 0x60, 0 };
	unsigned hung = 0;
	char why[200];

	use_task(t);
	for (size_t i = 0; i < COUNT(rdma) * COUNT(erdma) * COUNT(ew) * COUNT(enable); i++) {
		size_t k = i / COUNT(rdma), l = k / COUNT(erdma), m = l / COUNT(ew);

		set(0x5044, rdma[i % COUNT(rdma)]);
		set(0x5034, erdma[k % COUNT(erdma)]);
		set(0x4070, ew[l % COUNT(ew)]);
		prog[count - 1] = rocket_word(ROCKET_TARGET_ENABLE, enable[m], 8);
		hung += hangs(why, sizeof(why));
		must_be_reported("modes");
	}
	assert_true(hung >= least);
}

/* Words lost from the front, the back and between. */
static void lose_words(struct rocket_matmul_task t)
{
	unsigned hung = 0;
	char why[200];

	for (size_t i = 0; i < WORDS; i++) {
		use_task(t);
		drop(i);
		hung += hangs(why, sizeof(why));
		must_be_reported("a lost word");
	}
	assert_true(hung >= 1); /* without fence, without enable */
}

static void fp16_hang_is_reported(void **state)
{
	(void)state;
	flip_every_bit(small(ROCKET_MM_FP16_FP16));
	combine_modes(small(ROCKET_MM_FP16_FP16), 50);
	lose_words(small(ROCKET_MM_FP16_FP16));
}

static void int8_hang_is_reported(void **state)
{
	(void)state;
	flip_every_bit(small(ROCKET_MM_INT8_INT32));
	combine_modes(small(ROCKET_MM_INT8_INT32), 50);
}

static void accumulation_hang_is_reported(void **state)
{
	struct rocket_matmul_task t = small(ROCKET_MM_FP16_FP16);

	(void)state;
	t.accumulate = true;
	t.add = 0x40000000;
	flip_every_bit(t);
	combine_modes(t, 50);
}

static void row_major_hang_is_reported(void **state)
{
	struct rocket_matmul_task t = small(ROCKET_MM_FP16_FP32);

	(void)state;
	t.a_row = 128;
	t.c_row = 96;
	flip_every_bit(t);
	combine_modes(t, 50);
}

static void transposed_hang_is_reported(void **state)
{
	struct rocket_matmul_task t = small(ROCKET_MM_INT16_INT32);

	(void)state;
	t.transposed = true;
	flip_every_bit(t);
	combine_modes(t, 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(fp16_hang_is_reported, start, stop),
		cmocka_unit_test_setup_teardown(int8_hang_is_reported, start, stop),
		cmocka_unit_test_setup_teardown(accumulation_hang_is_reported, start, stop),
		cmocka_unit_test_setup_teardown(row_major_hang_is_reported, start, stop),
		cmocka_unit_test_setup_teardown(transposed_hang_is_reported, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

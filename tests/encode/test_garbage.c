// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * test_garbage.c - random words and damaged programs through validator and disassembler.
 *
 * There is nothing to expect but that they return, say so, and touch no memory that is
 * not theirs: run under the sanitizers.
 */
#include "tap.h"

#include <stdlib.h>

#include "lib/encode/matmul.h"
#include "lib/encode/program.h"

#define MAX 4

static uint64_t state_ = 0x9e3779b97f4a7c15;

static uint64_t rnd(void)
{
	state_ ^= state_ << 13;
	state_ ^= state_ >> 7;
	state_ ^= state_ << 17;
	return state_;
}

static bool mapped(void *ctx, uint32_t iova, uint64_t size, bool write)
{
	(void)ctx;
	/* A range that wraps or is empty is never asked for. */
	assert_true(size > 0 && iova + size <= UINT64_C(1) << 32);
	return (iova ^ size ^ write) & 1;
}

static void look_at(const uint64_t *words, size_t count, struct rocket_program_check how)
{
	static const struct rocket_program_space space = { mapped, NULL };
	struct rocket_program_fault faults[MAX];
	/* Exactly as long as the program: reading past it is an error the sanitizer sees. */
	uint64_t *copy = malloc(count ? count * sizeof(*copy) : 1);
	size_t n;

	assert_non_null(copy);
	memcpy(copy, words, count * sizeof(*copy));
	if (rnd() & 1)
		how.space = &space;
	n = rocket_program_validate(copy, count, &how, faults, MAX);
	for (size_t i = 0; i < n && i < MAX; i++) {
		assert_true(faults[i].reason[0]);
		assert_true(memchr(faults[i].reason, 0, sizeof(faults[i].reason)));
		assert_true(faults[i].word == (size_t)-1 || faults[i].word < count);
	}
	free(copy);
}

static struct rocket_program_check any_check(void)
{
	return (struct rocket_program_check){
		.chip = "rk3588",
		.first_of_job = rnd() & 1,
		.chained = rnd() & 1,
		.last_of_chain = rnd() & 1,
	};
}

static void random_words_are_survived(void **state)
{
	uint64_t words[64];

	(void)state;
	for (int round = 0; round < 4000; round++) {
		size_t count = rnd() % 64;
		char line[40];

		for (size_t i = 0; i < count; i++)
			words[i] = rnd();
		look_at(words, count, any_check());
		if (count) {
			int n = rocket_disassemble("rk3588", words[0], line, rnd() % sizeof(line));

			assert_true(n > 0);
		}
	}
}

/* Writes to real registers with random values, with a real trailer. */
static void random_registers_are_survived(void **state)
{
	static const uint16_t targets[] = { 0x0201, 0x0801, 0x1001, 0x2001, 0x4001, 0x8001 };
	static const uint32_t enables[] = { 0x1d, 0x18, 0x60, 0x0d, 0x7f };
	uint64_t words[400];

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct rocket_program p;
		size_t n = rnd() % 380;

		rocket_program_init(&p, words, COUNT(words));
		for (size_t i = 0; i < n; i++) {
			unsigned t = rnd() % COUNT(targets);
			unsigned page = targets[t] == 0x0201 ? 0x1000 : 0;

			while (!page || !(targets[t] & 1 << (8 + (page >> 12))))
				page += 0x1000;
			rocket_program_write(&p, targets[t], page | (rnd() % 0x190 & ~3u),
					     (uint32_t)rnd());
		}
		rocket_program_end(&p, enables[rnd() % COUNT(enables)]);
		look_at(words, rocket_program_count(&p), any_check());
	}
}

/* A complete program with a few random values: every rule sees extreme numbers. */
static void set(uint64_t *words, unsigned offset, uint32_t value)
{
	for (int i = 0; i < ROCKET_RK3588_MATMUL_WORDS; i++)
		if (rocket_word_offset(words[i]) == offset && rocket_word_target(words[i]) > 1)
			words[i] = rocket_word(rocket_word_target(words[i]), value, offset);
}

/* All blocks agree on a precision, also on those only some of them know. */
static void set_precision(uint64_t *words, uint32_t code)
{
	set(words, 0x100c, code << 7 | code << 4 | (rnd() & 1 ? 3 : 0));
	set(words, 0x3010, code << 8 | (rnd() & 3));
	set(words, 0x4010, (uint32_t)(rnd() % 8) << 29 | code << 26 | code);
}

static void damaged_programs_are_survived(void **state)
{
	uint64_t words[ROCKET_RK3588_MATMUL_WORDS + 1];
	char line[200];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct rocket_matmul_task t = {
			.type = (enum rocket_matmul_type)(rnd() % ROCKET_MM_TYPES),
			.m = 16,
			.k = 64,
			.n = 128,
			.input = 0x10000000,
			.weights = 0x20000000,
			.output = 0x30000000,
			.add = 0x40000000,
		};
		unsigned damage = rnd() % 12;

		t.accumulate = t.type == ROCKET_MM_FP16_FP16;
		assert_int_equal(rocket_rk3588_matmul(&t, words, COUNT(words), NULL, 0),
				 ROCKET_RK3588_MATMUL_WORDS);
		if (rnd() & 1)
			set_precision(words, rnd() % 8);
		while (damage--) {
			uint64_t *w = &words[rnd() % ROCKET_RK3588_MATMUL_WORDS];
			uint64_t mask = rnd() & 1 ? 0xffffffffull << 16 : ~0ull;

			*w = (*w & ~mask) | (rnd() & (rnd() & 1 ? mask : mask & rnd()));
			rocket_disassemble("rk3588", *w, line, sizeof(line));
			assert_true(memchr(line, 0, sizeof(line)));
		}
		look_at(words, ROCKET_RK3588_MATMUL_WORDS - rnd() % 3, any_check());
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_words_are_survived),
		cmocka_unit_test(random_registers_are_survived),
		cmocka_unit_test(damaged_programs_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

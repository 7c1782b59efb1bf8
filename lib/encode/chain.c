// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * chain.c - several programs in one kick.
 *
 * The first two trailer words of a program tell the PC where the next one is and how
 * long it is. Both are needed: with only one of them the PC stalls after the first task.
 */
#include "program.h"

#include "regs/rk3588.h"

/* The four words from the end; the layout is the same on every chip. */
enum { LINK, AMOUNT, FENCE, ENABLE };

static bool is_write(uint64_t word, unsigned target, unsigned offset)
{
	return rocket_word_target(word) == target && rocket_word_offset(word) == offset;
}

static uint64_t *trailer(uint64_t *prog, size_t count)
{
	uint64_t *t = prog + count - ROCKET_TRAILER_WORDS;

	if (count < ROCKET_TRAILER_WORDS)
		return NULL;
	if (t[LINK] && !is_write(t[LINK], ROCKET_TARGET_PC, RK3588_PC_BASE_ADDRESS))
		return NULL;
	if (!is_write(t[AMOUNT], ROCKET_TARGET_PC, RK3588_PC_REGISTER_AMOUNTS) ||
	    !is_write(t[FENCE], ROCKET_TARGET_FENCE, 0) ||
	    !is_write(t[ENABLE], ROCKET_TARGET_ENABLE, RK3588_PC_OPERATION_ENABLE))
		return NULL;
	return t;
}

static bool amount_fits(size_t count)
{
	return count && count <= 2 * ((size_t)RK3588_PC_REGISTER_AMOUNTS_PC_DATA_AMOUNT__MASK + 1);
}

bool rocket_chain_link(uint64_t *prog, size_t count, uint32_t next_iova, uint32_t next_count)
{
	uint64_t *t = trailer(prog, count);

	/* A link of 0 reads as no link: a chained program cannot start at IOVA 0. */
	if (!t || !next_iova || next_iova % 16 || !amount_fits(next_count))
		return false;
	t[LINK] = rocket_word(ROCKET_TARGET_PC, next_iova, RK3588_PC_BASE_ADDRESS);
	t[AMOUNT] = rocket_word(ROCKET_TARGET_PC, rocket_pc_amount(next_count),
				RK3588_PC_REGISTER_AMOUNTS);
	return true;
}

bool rocket_chain_seal(uint64_t *prog, size_t count)
{
	uint64_t *t = trailer(prog, count);

	if (!t || !amount_fits(count))
		return false;
	t[LINK] = rocket_word(ROCKET_TARGET_NONE, 0, 0);
	/* Never read; the program's own amount is what known encoders leave here. */
	t[AMOUNT] = rocket_word(ROCKET_TARGET_PC, rocket_pc_amount((uint32_t)count),
				RK3588_PC_REGISTER_AMOUNTS);
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * check.h - what the validator's rules share: the program as a register file, and the
 * list of faults. Private to lib/encode.
 */
#ifndef ROCKET_ENCODE_CHECK_H
#define ROCKET_ENCODE_CHECK_H

#include "program.h"
#include "regs/names.h"

/* Registers lie every 4 bytes below 0x8000, where programs reach. */
#define ROCKET_CHECK_REGISTERS (0x8000 / 4)
#define ROCKET_WHOLE_PROGRAM   ((size_t)-1)

struct rocket_check {
	const struct rocket_program_check *how;
	const struct rocket_chip_names *names;
	const uint64_t *words;
	size_t count;
	struct rocket_program_fault *faults;
	size_t max, found;

	/* By offset / 4: 1 + index of the last word that writes the register, 0 = none. */
	uint32_t written[ROCKET_CHECK_REGISTERS];
	uint32_t configured; /* enum rocket_enable bits of blocks with more than a pointer */
	uint32_t enable;     /* value of the enable word */
	size_t blamed;       /* 1 + index of the last word with a fault of its own */
};

/* Record a fault of the register at offset (0 = none); word by itself may be whole. */
void rocket_check_fault(struct rocket_check *c, size_t word, unsigned offset, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void rocket_check_warn(struct rocket_check *c, size_t word, unsigned offset, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static inline bool rocket_check_has(const struct rocket_check *c, unsigned offset)
{
	return c->written[offset / 4] != 0;
}

/* Word that wrote the register, or the whole program. */
static inline size_t rocket_check_word(const struct rocket_check *c, unsigned offset)
{
	return rocket_check_has(c, offset) ? c->written[offset / 4] - 1u : ROCKET_WHOLE_PROGRAM;
}

/* Value a register ends up with; 0 when it is not written. */
static inline uint32_t rocket_check_value(const struct rocket_check *c, unsigned offset)
{
	return rocket_check_has(c, offset) ? rocket_word_value(c->words[c->written[offset / 4] - 1])
					   : 0;
}

/*
 * Several registers say the same thing. The majority (the first at a tie) is believed
 * and returned; every other register gets a fault. Soft witnesses only help to decide.
 */
struct rocket_witness {
	unsigned offset;
	int64_t value;
	bool soft;
};
int64_t rocket_check_vote(struct rocket_check *c, const char *what, const struct rocket_witness *w,
			  size_t n);

/* [iova, iova + size) must be mapped, when the caller gave a space. */
void rocket_check_mapped(struct rocket_check *c, unsigned offset, const char *what, uint32_t iova,
			 uint64_t size, bool write);

/* Rules of one chip, for a program whose words are sound and whose blocks are complete. */
void rocket_rk3588_check(struct rocket_check *c);

#endif

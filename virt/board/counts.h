/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* counts.h - the test page's registers that hold numbers, by their offset. */
#ifndef VIRT_BOARD_COUNTS_H
#define VIRT_BOARD_COUNTS_H

#include <stdint.h>

#include "virt/board/registers.h"

#define KNOBS_START 0x020u
#define KNOBS_END   0x080u
#define COUNT_START 0x100u
#define LAST_START  0x180u
#define LAST_END    0x1b0u

struct board_counts {
	uint32_t knob[(KNOBS_END - KNOBS_START) / 4];
	uint32_t count[(TEST_COUNTERS_END - COUNT_START) / 4];
	uint32_t last[(LAST_END - LAST_START) / 4];
};

static inline uint32_t *knob(struct board_counts *c, uint32_t offset)
{
	return &c->knob[(offset - KNOBS_START) / 4];
}

static inline void count(struct board_counts *c, uint32_t offset)
{
	c->count[(offset - COUNT_START) / 4]++;
}

static inline uint32_t *last(struct board_counts *c, uint32_t offset)
{
	return &c->last[(offset - LAST_START) / 4];
}

/* A knob that counts down to 0: whether it had not got there. */
static inline int knob_use(struct board_counts *c, uint32_t offset)
{
	uint32_t *n = knob(c, offset);

	return *n ? (*n)--, 1 : 0;
}

/* A knob that names the n-th event from now: whether this is the one. */
static inline int knob_hits(struct board_counts *c, uint32_t offset)
{
	uint32_t *n = knob(c, offset);

	return *n && !--*n;
}

void board_counts_clear(struct board_counts *c);
void board_counts_defaults(struct board_counts *c); /* knobs */

#endif

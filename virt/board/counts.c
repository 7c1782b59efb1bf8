// SPDX-License-Identifier: LGPL-2.1-or-later
#include "virt/board/counts.h"

#include <string.h>

/* A watchdog of half a second should not see the cost model. */
#define DELAY_MOST_US 200000u

void board_counts_clear(struct board_counts *c)
{
	memset(c->count, 0, sizeof(c->count));
	memset(c->last, 0, sizeof(c->last));
}

void board_counts_defaults(struct board_counts *c)
{
	memset(c->knob, 0, sizeof(c->knob));
	*knob(c, TEST_DELAY) = TEST_DELAY_COST;
	*knob(c, TEST_DELAY_MOST) = DELAY_MOST_US;
	*knob(c, TEST_REFUSE) = TEST_REFUSE_FAULT | TEST_REFUSE_STUCK;
	*knob(c, TEST_LATER) = 1000;
}

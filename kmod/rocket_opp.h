/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __ROCKET_OPP_H__
#define __ROCKET_OPP_H__

#include <linux/types.h>

struct rocket_core;

/* The rate at which the clock does not need the NPU's power domain. */
#define ROCKET_PARK_HZ 200000000UL

/**
 * struct rocket_opp - an operating point
 * @hz: the rate to ask the firmware for
 * @uv: the least rail voltage for it
 * @proven: ran on a board with exact results
 */
struct rocket_opp {
	unsigned long hz;
	unsigned int uv;
	bool proven;
};

const struct rocket_opp *rocket_opp_find(unsigned long hz);

/* Get the rails of a core; without them the clock is used alone. */
int rocket_opp_init(struct rocket_core *core);

/*
 * Vote for the voltage that @hz needs. The rail follows the highest vote of all cores. An error
 * means that the rate must not be set: it needs more than the rail has.
 */
int rocket_opp_vote(struct rocket_core *core, unsigned long hz);

#endif

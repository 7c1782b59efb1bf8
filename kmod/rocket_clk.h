/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __ROCKET_CLK_H__
#define __ROCKET_CLK_H__

#include <linux/list.h>

struct clk;
struct regulator;
struct rocket_core;

/**
 * struct rocket_power - what a core has to do with the clock that all share
 * @clk: the shared clock
 * @npu: the logic's rail, or NULL
 * @sram: the memory's rail where it is another one, or NULL
 * @uv: the core's vote for both
 * @active: in the list of the cores that run
 */
struct rocket_power {
	struct clk *clk;
	struct regulator *npu;
	struct regulator *sram;
	unsigned int uv;
	struct list_head active;
};

/*
 * The NPU clock is one for all cores. It is raised only while a core is resumed, with its power
 * domain up, and parked before the last one suspends: a domain that goes off at a raised rate
 * does not come back, and the bus access that raises it never ends with the domain off.
 */
int rocket_clk_init(struct rocket_core *core);

/* Set the time a core stays up after its last job. */
void rocket_clk_set_autosuspend(struct rocket_core *core);

/* From the runtime PM callbacks, with the clocks of the core enabled. */
int rocket_clk_resume(struct rocket_core *core);
int rocket_clk_suspend(struct rocket_core *core);

/* No core raises the clock any more: the module is about to go. */
void rocket_clk_leave(void);

/* Park the clock now, whatever runs: the machine goes down. */
void rocket_clk_shutdown(struct rocket_core *core);

/* The rate that was last programmed, 0 while parked. */
unsigned long rocket_clk_raised(void);

#endif

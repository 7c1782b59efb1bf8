/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kick.h - one kick of a core: its PC registers as a driver writes them, and how it ended. */
#ifndef SIM_DEV_KICK_H
#define SIM_DEV_KICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../npu/npu.h"

struct sim_kick {
	uint32_t base;   /* the first program */
	uint32_t amount; /* its length as PC_REGISTER_AMOUNTS has it */
	uint32_t mask;   /* interrupt bits that end the kick */
	uint32_t clear;  /* interrupt bits cleared before */
	uint32_t tasks;  /* in the chain */
	uint32_t flags;  /* above TASK_NUMBER */
	uint32_t dma_base;
};

/*
 * Program core, which is number index of chip, and run it. True when the interrupt came, whose
 * STATUS *status then is; it is acknowledged. False: it did not come, and why says what happened.
 */
bool sim_kick_run(struct npu_core *core, const struct npu_chip *chip, unsigned index,
		  const struct sim_kick *kick, struct npu_result *res, uint32_t *status, char *why,
		  size_t why_size);

#endif

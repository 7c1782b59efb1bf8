// SPDX-License-Identifier: LGPL-2.1-or-later
/* kick.c - see kick.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kick.h"

/* Offsets in a core's window, by CPU [source: rocket_job.c]. */
enum {
	PC_OPERATION_ENABLE = 0x0008,
	PC_BASE_ADDRESS = 0x0010,
	PC_REGISTER_AMOUNTS = 0x0014,
	PC_INTERRUPT_MASK = 0x0020,
	PC_INTERRUPT_CLEAR = 0x0024,
	PC_INTERRUPT_STATUS = 0x0028,
	PC_TASK_CON = 0x0030,
	PC_TASK_DMA_BASE_ADDR = 0x0034,
	CNA_S_POINTER = 0x1004,
	CORE_S_POINTER = 0x3004,
};

#define CLEAR_ALL 0x1ffffu
#define S_POINTER 0xeu /* both ping-pong enables, mode */

static void program(struct npu_core *core, const struct npu_chip *chip, unsigned index,
		    const struct sim_kick *k)
{
	uint32_t pointer = S_POINTER | index << 28;
	const struct {
		uint32_t offset, value;
	} writes[] = {
		{ PC_BASE_ADDRESS, 1 }, /* slave mode, so that the next two reach their blocks */
		{ CNA_S_POINTER, pointer },
		{ CORE_S_POINTER, pointer },
		{ PC_BASE_ADDRESS, k->base },
		{ PC_REGISTER_AMOUNTS, k->amount },
		{ PC_INTERRUPT_MASK, k->mask },
		{ PC_INTERRUPT_CLEAR, k->clear },
		{ PC_TASK_CON, k->flags << chip->task_number_bits | k->tasks },
		{ PC_TASK_DMA_BASE_ADDR, k->dma_base },
		{ PC_OPERATION_ENABLE, 1 },
	};

	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++)
		npu_core_write(core, writes[i].offset, writes[i].value);
}

static void acknowledge(struct npu_core *core)
{
	npu_core_write(core, PC_INTERRUPT_MASK, 0);
	npu_core_write(core, PC_OPERATION_ENABLE, 0);
	npu_core_write(core, PC_INTERRUPT_CLEAR, CLEAR_ALL);
}

bool sim_kick_run(struct npu_core *core, const struct npu_chip *chip, unsigned index,
		  const struct sim_kick *kick, struct npu_result *res, uint32_t *status, char *why,
		  size_t why_size)
{
	program(core, chip, index, kick);
	memset(res, 0, sizeof(*res));
	npu_core_run(core, res);
	if (res->verdict == NPU_DONE && npu_core_irq(core)) {
		*status = npu_core_read(core, PC_INTERRUPT_STATUS);
		acknowledge(core);
		return true;
	}
	if (res->verdict == NPU_DONE)
		snprintf(why, why_size,
			 "it ended with status %#" PRIx32 ", outside the interrupt mask %#" PRIx32,
			 res->raw_status, kick->mask);
	else
		snprintf(why, why_size, "%s: %s", res->block,
			 res->verdict == NPU_IDLE ? "nothing started" : res->reason);
	return false;
}

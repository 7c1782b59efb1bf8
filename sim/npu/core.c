// SPDX-License-Identifier: LGPL-2.1-or-later
/* core.c - life of a core, what the CPU sees of it, and what it has to say. */
#include "sim/npu/core.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regs/rk3588.h"
#include "sim/npu/chip.h"
#include "sim/npu/narrow.h"

/* Every interrupt source is enabled after power-on [source: manual]. */
#define MASK_RESET 0x1ffffu

struct npu_core *npu_core_new(const struct npu_chip *chip, unsigned index,
			      const struct npu_memory *memory,
			      const struct npu_core_options *options)
{
	struct npu_core *core = calloc(1, sizeof(*core));
	const struct chip_field *fields;
	size_t n;

	if (!core)
		return NULL;
	core->chip = chip;
	core->index = index;
	core->memory.host = *memory;
	core->memory.block = "PC";
	if (options)
		core->options = *options;
	for (unsigned k = 0; k < MAC_KINDS; k++)
		core->mac[k] = mac_choose((enum mac_kind)k, core->options.force_portable);
	core->narrow = narrow_choose(core->options.force_portable);
	fields = chip_fields(chip, &n);
	for (size_t i = 0; i < n; i++)
		if (fields[i].offset >> 12 < BLOCKS)
			core->writable[fields[i].offset >> 12][fields[i].offset % 4096 / 4] |=
				fields[i].mask;
	npu_core_reset(core);
	return core;
}

void npu_core_free(struct npu_core *core)
{
	if (!core)
		return;
	scratch_free(&core->feature.data);
	scratch_free(&core->feature.spreads);
	scratch_free(&core->feature.ranges);
	scratch_free(&core->feature.sums);
	scratch_free(&core->weights.data);
	scratch_free(&core->weights.spreads);
	scratch_free(&core->rows);
	scratch_free(&core->spreads);
	scratch_free(&core->acc);
	scratch_free(&core->window_sums);
	scratch_free(&core->operand);
	scratch_free(&core->coefficients);
	scratch_free(&core->wide);
	scratch_free(&core->bytes);
	residue_free(&core->residue);
	free(core);
}

void npu_core_reset(struct npu_core *core)
{
	regfile_reset(&core->regs);
	core->pc = (struct pc){ .mask = MASK_RESET };
	core->armed = false;
	npu_core_new_job(core);
}

void npu_core_new_job(struct npu_core *core)
{
	core->feature.valid = false;
	core->weights.valid = false;
}

void npu_core_set_memory(struct npu_core *core, const struct npu_memory *memory)
{
	core->memory.host = *memory;
}

bool npu_core_armed(const struct npu_core *core)
{
	return core->armed;
}

bool npu_core_irq(const struct npu_core *core)
{
	return core->pc.raw & core->pc.mask;
}

static uint32_t pc_read(const struct npu_core *core, uint32_t offset)
{
	const struct pc *pc = &core->pc;

	switch (offset) {
	case RK3588_PC_VERSION:
		return core->chip->version;
	case RK3588_PC_VERSION_NUM:
		return core->chip->version_num;
	case RK3588_PC_OPERATION_ENABLE:
		return pc->enabled;
	case RK3588_PC_BASE_ADDRESS:
		return pc->base;
	case RK3588_PC_REGISTER_AMOUNTS:
		return pc->amounts;
	case RK3588_PC_INTERRUPT_MASK:
		return pc->mask;
	case RK3588_PC_INTERRUPT_STATUS:
		return pc->raw & pc->mask;
	case RK3588_PC_INTERRUPT_RAW_STATUS:
		return pc->raw;
	case RK3588_PC_TASK_CON:
		return pc->task_con;
	case RK3588_PC_TASK_DMA_BASE_ADDR:
		return pc->dma_base;
	case RK3588_PC_TASK_STATUS:
		return pc->task_status;
	default:
		return 0;
	}
}

static void pc_write(struct npu_core *core, uint32_t offset, uint32_t value)
{
	struct pc *pc = &core->pc;

	switch (offset) {
	case RK3588_PC_OPERATION_ENABLE:
		pc->enabled = value & 1;
		core->armed = pc->enabled;
		break;
	case RK3588_PC_BASE_ADDRESS:
		pc->base = value;
		break;
	case RK3588_PC_REGISTER_AMOUNTS:
		pc->amounts = value & 0xffff;
		break;
	case RK3588_PC_INTERRUPT_MASK:
		pc->mask = value & MASK_RESET;
		break;
	case RK3588_PC_INTERRUPT_CLEAR:
	case RK3588_PC_INTERRUPT_STATUS:
	case RK3588_PC_INTERRUPT_RAW_STATUS:
		pc->raw &= ~value;
		break;
	case RK3588_PC_TASK_CON:
		pc->task_con = value;
		break;
	case RK3588_PC_TASK_DMA_BASE_ADDR:
		pc->dma_base = value;
		break;
	default:
		break;
	}
}

static bool cpu_page(uint32_t offset)
{
	return offset >> 12 == BLOCK_CNA || offset >> 12 == BLOCK_CORE;
}

uint32_t npu_core_read(struct npu_core *core, uint32_t offset)
{
	if (offset >> 12 == BLOCK_PC)
		return pc_read(core, offset);
	return cpu_page(offset) ? regfile_read(&core->regs, (uint16_t)offset) : 0;
}

void npu_core_write(struct npu_core *core, uint32_t offset, uint32_t value)
{
	if (offset >> 12 == BLOCK_PC)
		pc_write(core, offset, value);
	else if (cpu_page(offset))
		regfile_write(&core->regs, (uint16_t)offset, value, 0);
}

void core_report(struct npu_core *core, const char *format, ...)
{
	char line[256];
	int n;
	va_list args;

	core->result->warnings++;
	if (!core->options.report)
		return;
	n = snprintf(line, sizeof(line), "%s core %u task %u: ", core->chip->name, core->index,
		     core->result->task);
	va_start(args, format);
	vsnprintf(line + n, sizeof(line) - (size_t)n, format, args);
	va_end(args);
	core->options.report(core->options.ctx, line);
}

void core_hang(struct npu_core *core, const char *block, const char *format, ...)
{
	struct npu_result *r = core->result;
	va_list args;

	if (core->failed)
		return;
	core->failed = true;
	r->verdict = NPU_HUNG;
	snprintf(r->block, sizeof(r->block), "%s", block);
	va_start(args, format);
	vsnprintf(r->reason, sizeof(r->reason), format, args);
	va_end(args);
}

void core_trace(struct npu_core *core, const char *format, ...)
{
	char line[256];
	va_list args;

	if (!core->options.trace)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	core->options.trace(core->options.ctx, line);
}

bool core_spend(struct npu_core *core, uint64_t macs)
{
	if (macs <= core->budget) {
		core->budget -= macs;
		return true;
	}
	core_hang(core, "PC", "%llu products in a kick: the watchdog retires it unfinished",
		  (unsigned long long)macs);
	return false;
}

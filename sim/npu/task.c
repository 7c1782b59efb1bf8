// SPDX-License-Identifier: LGPL-2.1-or-later
/* task.c - which blocks an ENABLE starts, and whether they can finish. */
#include "sim/npu/task.h"

#include "sim/npu/conv.h"
#include "sim/npu/core.h"
#include "sim/npu/decode_regs.h"
#include "sim/npu/dpu.h"
#include "sim/npu/lint.h"

#define CONVOLUTION (ENABLE_CNA | ENABLE_CORE | ENABLE_DPU)

/* Enable bit, block, and the completion bit of its group 0. */
static const struct {
	uint32_t enable;
	enum block block;
	uint32_t raw;
} blocks[] = {
	{ ENABLE_CNA, BLOCK_CNA, 0x15 },  { ENABLE_CORE, BLOCK_CORE, 0x40 },
	{ ENABLE_DPU, BLOCK_DPU, 0x100 }, { ENABLE_DPU_RDMA, BLOCK_DPU_RDMA, 0 },
	{ ENABLE_PPU, BLOCK_PPU, 0x400 }, { ENABLE_PPU_RDMA, BLOCK_PPU_RDMA, 0 },
};

#define N_BLOCKS (sizeof(blocks) / sizeof(blocks[0]))

static bool configured(const struct npu_core *core, enum block b)
{
	return core->regs.block[b].configured == core->program;
}

/* Offsets of another chip, or none of the enabled writers': completes and writes nothing. */
static const char *nothing_to_write(const struct npu_core *core, uint32_t enable)
{
	const struct regfile_block *dpu = &core->regs.block[BLOCK_DPU];
	unsigned i = 0x018 / 4;

	if (dpu->program[0][i] == core->program || dpu->program[1][i] == core->program)
		return "the program is written for another chip";
	if ((enable & ENABLE_DPU) && !configured(core, BLOCK_DPU) &&
	    (configured(core, BLOCK_PPU) || !configured(core, BLOCK_CNA)))
		return "the enabled blocks were not configured";
	return NULL;
}

static void trace_registers(const struct task_regs *t)
{
	struct npu_core *core = t->core;

	if (!core->options.trace)
		return;
	core_trace(core, "task %u enable 0x%02x", core->result->task, t->enable);
	for (unsigned b = 0; b < N_BLOCKS; b++) {
		const struct regfile_block *r = &core->regs.block[blocks[b].block];
		unsigned g = t->group[blocks[b].block];

		if (!(t->enable & blocks[b].enable))
			continue;
		for (unsigned i = 0; i < PAGE_REGISTERS; i++)
			if (r->program[g][i] == core->program)
				core_trace(core, "%s 0x%04x 0x%08x", block_name(blocks[b].block),
					   blocks[b].block << 12 | i * 4, r->value[g][i]);
	}
}

static void run_flying(const struct task_regs *t)
{
	struct npu_core *core = t->core;
	struct dpu_job dpu;

	if (!GET(t, DPU, FEATURE_MODE_CFG, FLYING_MODE)) {
		core_hang(core, "DPU", "nothing feeds the DPU: no convolution and FLYING_MODE 0");
		return;
	}
	if (!(t->enable & ENABLE_DPU_RDMA)) {
		core_hang(core, "DPU", "memory-fed task without DPU_RDMA");
		return;
	}
	if (!decode_dpu(t, NULL, &dpu) || !decode_operand(t, &dpu))
		return;
	lint_dpu(t, &dpu);
	flying_run(core, &dpu);
}

static void run_convolution(const struct task_regs *t)
{
	struct npu_core *core = t->core;
	struct conv_job conv;
	struct dpu_job dpu;

	if (!(t->enable & ENABLE_DPU_RDMA) && !core_quirk(core, NPU_QUIRK_BSP_ENABLE)) {
		core_hang(core, "DPU_RDMA",
			  "ENABLE 0x%02x leaves DPU_RDMA out: the DPU waits for it", t->enable);
		return;
	}
	if (GET(t, DPU, FEATURE_MODE_CFG, FLYING_MODE)) {
		core_hang(core, "DPU", NOT_MODELLED "FLYING_MODE with a convolution");
		return;
	}
	if (!decode_conv(t, &conv) || !decode_dpu(t, &conv, &dpu) || !decode_operand(t, &dpu))
		return;
	lint_task(t, &conv, &dpu);
	conv_run(core, &conv, &dpu);
}

uint32_t task_run(struct npu_core *core, uint32_t enable)
{
	struct task_regs t = { .core = core, .enable = enable };
	const char *nothing = nothing_to_write(core, enable);
	uint32_t bits = 0;

	for (unsigned i = 0; i < N_BLOCKS; i++)
		if (enable & blocks[i].enable) {
			t.group[blocks[i].block] =
				(uint8_t)regfile_enable(&core->regs, blocks[i].block);
			bits |= blocks[i].raw << t.group[blocks[i].block];
		}
	trace_registers(&t);
	if (nothing)
		core_report(core, "ENABLE 0x%02x writes nothing: %s", enable, nothing);
	else if ((enable & CONVOLUTION) == CONVOLUTION)
		run_convolution(&t);
	else if ((enable & (CONVOLUTION | ENABLE_PPU)) == ENABLE_DPU)
		run_flying(&t);
	else if (enable & (ENABLE_PPU | ENABLE_PPU_RDMA))
		core_hang(core, "PPU", NOT_MODELLED "pooling");
	else
		core_hang(core, "PC", NOT_MODELLED "ENABLE 0x%02x", enable);
	return core->failed || core->memory.faulted ? 0 : bits;
}

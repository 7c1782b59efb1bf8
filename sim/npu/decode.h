/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* decode.h - register groups into jobs. False: the kick hangs, and why has been said. */
#ifndef SIM_NPU_DECODE_H
#define SIM_NPU_DECODE_H

#include "sim/npu/job.h"
#include "sim/npu/regfile.h"

struct npu_core;

/* The groups one ENABLE handed to the executers. */
struct task_regs {
	struct npu_core *core;
	uint32_t enable;
	uint8_t group[BLOCKS];
};

/* A register the task needs; one this program did not write is reported. */
uint32_t task_reg(const struct task_regs *t, uint16_t offset);

bool decode_conv(const struct task_regs *t, struct conv_job *job);
/* conv: what feeds the DPU; NULL: memory does. */
bool decode_dpu(const struct task_regs *t, const struct conv_job *conv, struct dpu_job *job);
bool decode_operand(const struct task_regs *t, struct dpu_job *job);

/* Wordings of one kind: a limit of this model, not of the silicon. */
#define NOT_MODELLED "not modelled: "

#endif

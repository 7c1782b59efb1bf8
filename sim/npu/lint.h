/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lint.h - strict reports: what completes on silicon and is wrong, or soon will be. */
#ifndef SIM_NPU_LINT_H
#define SIM_NPU_LINT_H

#include "sim/npu/job.h"

struct task_regs;

/* A memory-fed task, and the DPU's part of any other. */
void lint_dpu(const struct task_regs *t, const struct dpu_job *dpu);
void lint_task(const struct task_regs *t, const struct conv_job *conv, const struct dpu_job *dpu);

#endif

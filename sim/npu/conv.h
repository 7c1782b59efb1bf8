/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* conv.h - a convolution from operands in memory to results in memory. */
#ifndef SIM_NPU_CONV_H
#define SIM_NPU_CONV_H

#include "sim/npu/job.h"

struct npu_core;

/* Hangs and faults are left in the core. */
void conv_run(struct npu_core *core, const struct conv_job *conv, const struct dpu_job *dpu);

#endif

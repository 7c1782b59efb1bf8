/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* task.h - one ENABLE, executed. */
#ifndef SIM_NPU_TASK_H
#define SIM_NPU_TASK_H

#include <stdint.h>

struct npu_core;

/* The blocks of an ENABLE word. */
#define ENABLE_CNA      0x01u
#define ENABLE_CORE     0x04u
#define ENABLE_DPU      0x08u
#define ENABLE_DPU_RDMA 0x10u
#define ENABLE_PPU      0x20u
#define ENABLE_PPU_RDMA 0x40u

/* Run the enabled blocks; returns the completion bits they raise. */
uint32_t task_run(struct npu_core *core, uint32_t enable);

#endif

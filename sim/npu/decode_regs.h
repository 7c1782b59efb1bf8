/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* decode_regs.h - a field of a task's registers by its name in the table. */
#ifndef SIM_NPU_DECODE_REGS_H
#define SIM_NPU_DECODE_REGS_H

#include "regs/rk3588.h"
#include "sim/npu/decode.h"

#define GET(t, block, reg, field)                                                                  \
	rk3588_get_##block##_##reg##_##field(task_reg(t, RK3588_##block##_##reg))

#endif

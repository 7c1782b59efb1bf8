/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mac_int8.h - what the portable and the vector code for int8 share. */
#ifndef SIM_NPU_MAC_INT8_H
#define SIM_NPU_MAC_INT8_H

#include "sim/npu/operand.h"

/* Operands are widened to 16 bits; a tile holds pairs of channels side by side. */
#define INT8_GROUP 32u
#define INT8_PANEL 16u
#define INT8_ROWS  6u
#define INT8_TILE  (INT8_GROUP * INT8_PANEL * sizeof(int16_t))

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* chip.h - what a program may write on a chip. */
#ifndef SIM_NPU_CHIP_H
#define SIM_NPU_CHIP_H

#include <stddef.h>
#include <stdint.h>

#include "sim/npu/npu.h"

/* One field a program may set; a register has one row per field. */
struct chip_field {
	const char *reg; /* "CNA.CONV_CON1" */
	uint16_t offset;
	uint32_t mask;
};

const struct chip_field *chip_fields(const struct npu_chip *chip, size_t *n);
/* "CNA.CONV_CON1", NULL when no such register is known. */
const char *chip_register_name(const struct npu_chip *chip, uint16_t offset);
/* Bits a program may set, 0 when no such register is known. */
uint32_t chip_register_mask(const struct npu_chip *chip, uint16_t offset);

#endif

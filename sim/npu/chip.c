// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/npu/chip.h"

#include <string.h>

#include "regs/rk3588.h"

#define FIELD(block, reg, field, encoding, msb, lsb, ...)                                          \
	{ #block "." #reg, RK3588_##block##_##reg, (0xffffffffu >> (31 - (msb) + (lsb))) << (lsb) },
static const struct chip_field rk3588_fields[] = {
#include "regs/rk3588_fields.h"
};
#undef FIELD

static const struct npu_chip chips[] = {
	/* VERSION + (VERSION_NUM & 0xffff) = 1179210309, as the kernel logs it [silicon]. */
	{ .name = "rk3588",
	  .cores = 3,
	  .version = 0x46495245,
	  .version_num = 0,
	  .task_number_bits = 12 },
};

const struct npu_chip *npu_chip_by_name(const char *name)
{
	for (size_t i = 0; name && i < sizeof(chips) / sizeof(chips[0]); i++)
		if (!strcmp(chips[i].name, name))
			return &chips[i];
	return NULL;
}

const struct chip_field *chip_fields(const struct npu_chip *chip, size_t *n)
{
	(void)chip; /* one chip so far */
	*n = sizeof(rk3588_fields) / sizeof(rk3588_fields[0]);
	return rk3588_fields;
}

const char *chip_register_name(const struct npu_chip *chip, uint16_t offset)
{
	size_t n;
	const struct chip_field *f = chip_fields(chip, &n);

	for (size_t i = 0; i < n; i++)
		if (f[i].offset == offset)
			return f[i].reg;
	return NULL;
}

uint32_t chip_register_mask(const struct npu_chip *chip, uint16_t offset)
{
	uint32_t mask = 0;
	size_t n;
	const struct chip_field *f = chip_fields(chip, &n);

	for (size_t i = 0; i < n; i++)
		if (f[i].offset == offset)
			mask |= f[i].mask;
	return mask;
}

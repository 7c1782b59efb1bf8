// SPDX-License-Identifier: LGPL-2.1-or-later
#include "names.h"

#include <stddef.h>
#include <string.h>

static const struct rocket_chip_names *const chips[] = { &rocket_rk3588_names };

const struct rocket_chip_names *rocket_chip_names(const char *chip)
{
	for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++)
		if (chip && strcmp(chips[i]->chip, chip) == 0)
			return chips[i];
	return NULL;
}

const struct rocket_block_name *rocket_block_by_offset(const struct rocket_chip_names *chip,
						       unsigned offset)
{
	for (unsigned i = 0; i < chip->n_blocks; i++)
		if (chip->blocks[i].base == (offset & ~0xfffu))
			return &chip->blocks[i];
	return NULL;
}

const struct rocket_block_name *rocket_block_by_target(const struct rocket_chip_names *chip,
						       unsigned target)
{
	for (unsigned i = 0; i < chip->n_blocks; i++)
		if (target && chip->blocks[i].target == target)
			return &chip->blocks[i];
	return NULL;
}

const struct rocket_register_name *rocket_register_by_offset(const struct rocket_chip_names *chip,
							     unsigned offset)
{
	const struct rocket_block_name *block = rocket_block_by_offset(chip, offset);
	unsigned low = 0, high = block ? block->n_registers : 0;

	while (low < high) {
		unsigned mid = (low + high) / 2;

		if (block->registers[mid].offset < offset)
			low = mid + 1;
		else
			high = mid;
	}
	if (!block || low == block->n_registers || block->registers[low].offset != offset)
		return NULL;
	return &block->registers[low];
}

int64_t rocket_field_value(const struct rocket_field_name *field, uint32_t word)
{
	unsigned width = field->msb - field->lsb + 1u;
	uint32_t raw = (uint32_t)((word >> field->lsb) & (UINT64_MAX >> (64 - width)));

	switch (field->encoding) {
	case ROCKET_ENCODING_INT:
		return (int64_t)raw - (int64_t)(raw >> (width - 1)) * ((int64_t)1 << width);
	case ROCKET_ENCODING_MINUS1:
		return (int64_t)raw + 1;
	case ROCKET_ENCODING_ADDR:
		return (int64_t)raw << field->lsb;
	default:
		return raw;
	}
}

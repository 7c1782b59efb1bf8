/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * names.h - what the registers and fields of a chip are called.
 *
 * Read by the disassembler, the validator and the model. The tables are made from
 * regs/<chip>.csv. Pure and free of dependences.
 */
#ifndef ROCKET_REGS_NAMES_H
#define ROCKET_REGS_NAMES_H

#include <stdint.h>

enum rocket_access {
	ROCKET_ACCESS_RO,
	ROCKET_ACCESS_RW,
	ROCKET_ACCESS_W1C, /* write 1 to clear */
};

enum rocket_encoding {
	ROCKET_ENCODING_RESERVED,
	ROCKET_ENCODING_UINT,
	ROCKET_ENCODING_INT,    /* two's complement */
	ROCKET_ENCODING_MINUS1, /* holds the value minus one */
	ROCKET_ENCODING_ADDR,   /* 16-byte aligned device address */
};

struct rocket_field_name {
	const char *name;
	uint8_t msb, lsb;
	uint8_t access;   /* enum rocket_access */
	uint8_t encoding; /* enum rocket_encoding */
};

struct rocket_register_name {
	const char *name;
	uint16_t offset;   /* absolute in the core's window */
	uint32_t writable; /* bits a program may set */
	unsigned n_fields;
	const struct rocket_field_name *fields;
};

struct rocket_block_name {
	const char *name;
	uint16_t base;
	uint16_t target; /* of command words; 0: programs cannot reach it */
	unsigned n_registers;
	const struct rocket_register_name *registers;
};

struct rocket_chip_names {
	const char *chip;
	unsigned n_blocks;
	const struct rocket_block_name *blocks;
};

extern const struct rocket_chip_names rocket_rk3588_names;

/* NULL when nothing is known of the chip, block or register. */
const struct rocket_chip_names *rocket_chip_names(const char *chip);
const struct rocket_block_name *rocket_block_by_offset(const struct rocket_chip_names *chip,
						       unsigned offset);
const struct rocket_block_name *rocket_block_by_target(const struct rocket_chip_names *chip,
						       unsigned target);
const struct rocket_register_name *rocket_register_by_offset(const struct rocket_chip_names *chip,
							     unsigned offset);

/* Natural value of a field in its register's word. */
int64_t rocket_field_value(const struct rocket_field_name *field, uint32_t word);

#endif

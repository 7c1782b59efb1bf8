/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* regfile.h - the registers of the blocks, two groups of each. */
#ifndef SIM_NPU_REGFILE_H
#define SIM_NPU_REGFILE_H

#include <stdbool.h>
#include <stdint.h>

/* A block owns the page of its number in the core's window. */
enum block {
	BLOCK_PC = 0,
	BLOCK_CNA = 1,
	BLOCK_CORE = 3,
	BLOCK_DPU = 4,
	BLOCK_DPU_RDMA = 5,
	BLOCK_PPU = 6,
	BLOCK_PPU_RDMA = 7,
	BLOCKS = 8,
};

#define PAGE_REGISTERS 1024

/* Offsets inside a block's page, the same in every block with two groups. */
#define REG_S_STATUS  0x000u
#define REG_S_POINTER 0x004u
#define REG_OP_ENABLE 0x008u

struct regfile_block {
	uint32_t value[2][PAGE_REGISTERS];
	uint32_t program[2][PAGE_REGISTERS]; /* number of the program that wrote it, 0 none */
	uint8_t pointer, executer;           /* groups */
	bool pointer_pp, executer_pp;
	uint32_t configured; /* last program that wrote a banked register */
};

struct regfile {
	struct regfile_block block[BLOCKS];
};

const char *block_name(enum block b);
/* The block of a command word's target bits [15:8], BLOCKS when they name none or several. */
enum block block_of_target(unsigned bits);

void regfile_reset(struct regfile *r);
/* A write at an absolute offset; program 0 is the CPU. */
void regfile_write(struct regfile *r, uint16_t offset, uint32_t value, uint32_t program);
uint32_t regfile_read(const struct regfile *r, uint16_t offset);
/* Hand the group under the pointer to the executer; returns its number. */
unsigned regfile_enable(struct regfile *r, enum block b);

#endif

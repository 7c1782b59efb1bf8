// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/npu/regfile.h"

#include <string.h>

/* S_POINTER */
#define POINTER        (1u << 0)
#define POINTER_PP_EN  (1u << 1)
#define EXECUTER_PP_EN (1u << 2)
#define POINTER_CLEAR  (1u << 4)
#define EXECUTER_CLEAR (1u << 5)
#define EXECUTER_SHIFT 16

static const char *const names[BLOCKS] = {
	[BLOCK_PC] = "PC",     [BLOCK_CNA] = "CNA",           [2] = "(gap)",
	[BLOCK_CORE] = "CORE", [BLOCK_DPU] = "DPU",           [BLOCK_DPU_RDMA] = "DPU_RDMA",
	[BLOCK_PPU] = "PPU",   [BLOCK_PPU_RDMA] = "PPU_RDMA",
};

const char *block_name(enum block b)
{
	return names[b];
}

enum block block_of_target(unsigned bits)
{
	for (unsigned b = 0; b < BLOCKS; b++)
		if (bits == 1u << b && b != 2)
			return (enum block)b;
	return BLOCKS;
}

void regfile_reset(struct regfile *r)
{
	memset(r, 0, sizeof(*r));
}

static void point(struct regfile_block *b, uint32_t value)
{
	if (value & POINTER_CLEAR)
		b->pointer = 0;
	if (value & EXECUTER_CLEAR)
		b->executer = 0;
	b->pointer_pp = value & POINTER_PP_EN;
	b->executer_pp = value & EXECUTER_PP_EN;
	/* With ping-pong on the written bit does not move the pointer: the 0xE that starts
	 * every program would select group 0 again. */
	if (!b->pointer_pp && !(value & POINTER_CLEAR))
		b->pointer = value & POINTER;
}

void regfile_write(struct regfile *r, uint16_t offset, uint32_t value, uint32_t program)
{
	struct regfile_block *b = &r->block[offset >> 12 & 7];
	unsigned i = (offset & 0xfff) / 4;

	if ((offset & 0xfff) == REG_S_POINTER) {
		point(b, value);
		return;
	}
	b->value[b->pointer][i] = value;
	b->program[b->pointer][i] = program;
	b->configured = program;
}

uint32_t regfile_read(const struct regfile *r, uint16_t offset)
{
	const struct regfile_block *b = &r->block[offset >> 12 & 7];

	switch (offset & 0xfff) {
	case REG_S_STATUS:
		return 0;
	case REG_S_POINTER:
		return (b->pointer ? POINTER : 0) | (b->pointer_pp ? POINTER_PP_EN : 0) |
		       (b->executer_pp ? EXECUTER_PP_EN : 0) |
		       (uint32_t)b->executer << EXECUTER_SHIFT;
	default:
		return b->value[b->pointer][(offset & 0xfff) / 4];
	}
}

unsigned regfile_enable(struct regfile *r, enum block b)
{
	struct regfile_block *f = &r->block[b];
	unsigned group = f->pointer;

	f->executer = (uint8_t)group;
	if (f->executer_pp)
		f->executer ^= 1;
	if (f->pointer_pp)
		f->pointer ^= 1;
	return group;
}

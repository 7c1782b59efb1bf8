// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * validate.c - find what the hardware would hang on or silently get wrong.
 *
 * Three passes, each on what the one before left sound: the words by themselves, the
 * end of the program and its completeness, then the rules of the chip. A mistake is reported
 * once: later passes do not judge what an earlier one has already blamed.
 */
#include "program.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "regs/rk3588.h"

/* ---- faults ---- */

__attribute__((format(printf, 5, 0))) static void record(struct rocket_check *c, size_t word,
							 unsigned offset, bool warning,
							 const char *fmt, va_list ap)
{
	const struct rocket_block_name *block = rocket_block_by_offset(c->names, offset);
	const struct rocket_register_name *reg = rocket_register_by_offset(c->names, offset);
	struct rocket_program_fault *f;

	if (c->found++ >= c->max)
		return;
	f = &c->faults[c->found - 1];
	memset(f, 0, sizeof(*f));
	f->word = word;
	f->warning = warning;
	if (offset && block)
		snprintf(f->block, sizeof(f->block), "%s", block->name);
	if (offset && reg)
		snprintf(f->reg, sizeof(f->reg), "%s", reg->name);
	vsnprintf(f->reason, sizeof(f->reason), fmt, ap);
}

void rocket_check_fault(struct rocket_check *c, size_t word, unsigned offset, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	record(c, word, offset, false, fmt, ap);
	va_end(ap);
}

void rocket_check_warn(struct rocket_check *c, size_t word, unsigned offset, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	record(c, word, offset, true, fmt, ap);
	va_end(ap);
}

int64_t rocket_check_vote(struct rocket_check *c, const char *what, const struct rocket_witness *w,
			  size_t n)
{
	size_t best = 0, best_votes = 0;

	for (size_t i = 0; i < n; i++) {
		size_t votes = 0;

		for (size_t j = 0; j < n; j++)
			votes += w[j].value == w[i].value;
		if (votes > best_votes && !w[i].soft) {
			best = i;
			best_votes = votes;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (!w[i].soft && w[i].value != w[best].value)
			rocket_check_fault(c, rocket_check_word(c, w[i].offset), w[i].offset,
					   "%s is %" PRId64 " here, %" PRId64 " elsewhere", what,
					   w[i].value, w[best].value);
	return w[best].value;
}

void rocket_check_mapped(struct rocket_check *c, unsigned offset, const char *what, uint32_t iova,
			 uint64_t size, bool write)
{
	const struct rocket_program_space *space = c->how->space;

	if (!space || !space->mapped || !size || space->mapped(space->ctx, iova, size, write))
		return;
	rocket_check_fault(c, rocket_check_word(c, offset), offset,
			   "%s: %" PRIu64 " bytes at 0x%08" PRIx32 " are not mapped%s", what, size,
			   iova, write ? " for writing" : "");
}

/* ---- first pass: words by themselves ---- */

/* Bit of the enable word that starts the block of this offset, 0 for the PC. */
static uint32_t enable_bit(unsigned offset)
{
	static const uint8_t bits[8] = {
		[1] = ROCKET_ENABLE_CNA, [3] = ROCKET_ENABLE_CORE,
		[4] = ROCKET_ENABLE_DPU, [5] = ROCKET_ENABLE_DPU_RDMA,
		[6] = ROCKET_ENABLE_PPU, [7] = ROCKET_ENABLE_PPU_RDMA,
	};

	return bits[offset >> 12 & 7];
}

/* LUT uploads write the same two registers hundreds of times. */
static bool is_stream(unsigned offset)
{
	return offset == RK3588_DPU_LUT_ACCESS_CFG || offset == RK3588_DPU_LUT_ACCESS_DATA;
}

static void check_value(struct rocket_check *c, size_t i, const struct rocket_register_name *reg)
{
	uint32_t value = rocket_word_value(c->words[i]);
	const struct rocket_field_name *f = reg->fields;
	bool address = f[0].encoding == ROCKET_ENCODING_ADDR;

	/* Low address bits are reserved in some registers and ignored in the others. */
	if (address && value % 16)
		rocket_check_fault(c, i, reg->offset,
				   "address 0x%08" PRIx32 " is not 16-byte aligned", value);
	else if (!reg->writable)
		rocket_check_fault(c, i, reg->offset, "register is read-only");
	else if (value & ~reg->writable)
		rocket_check_fault(c, i, reg->offset, "bits 0x%08" PRIx32 " are outside its fields",
				   value & ~reg->writable);
}

static void check_write(struct rocket_check *c, size_t i)
{
	unsigned target = rocket_word_target(c->words[i]);
	unsigned offset = rocket_word_offset(c->words[i]);
	const struct rocket_block_name *block = rocket_block_by_target(c->names, target);
	const struct rocket_register_name *reg = rocket_register_by_offset(c->names, offset);
	uint32_t *written;

	if (!block) {
		rocket_check_fault(c, i, 0, "unknown target 0x%04x (offset 0x%04x)", target,
				   offset);
		/* Most likely meant for the block of its offset: not missing there as well. */
		block = reg && offset < 0x8000 ? rocket_block_by_offset(c->names, offset) : NULL;
		if (!block)
			return;
	}
	if (offset >= 0x8000 || offset % 4) {
		rocket_check_fault(c, i, 0, "no register at offset 0x%04x", offset);
		return;
	}
	written = &c->written[offset / 4];
	if ((offset & 0xf000) != block->base) {
		rocket_check_fault(c, i, reg ? offset : block->base | 0xfff,
				   "offset 0x%04x is outside block %s of the target", offset,
				   block->name);
	} else if (!reg) {
		rocket_check_fault(c, i, block->base | 0xfff, "unknown register 0x%04x", offset);
		return;
	} else {
		check_value(c, i, reg);
	}
	if (*written && !is_stream(offset) &&
	    rocket_word_value(c->words[*written - 1]) != rocket_word_value(c->words[i]))
		rocket_check_warn(c, i, offset, "written twice: 0x%08" PRIx32 ", then 0x%08" PRIx32,
				  rocket_word_value(c->words[*written - 1]),
				  rocket_word_value(c->words[i]));
	*written = (uint32_t)i + 1;
	if (reg && offset > (reg->offset & 0xf000) + 8u)
		c->configured |= enable_bit(offset);
}

/* Index of the enable word, or count. Words behind it are never executed. */
static size_t check_words(struct rocket_check *c)
{
	for (size_t i = 0; i < c->count; i++) {
		size_t before = c->found;

		switch (rocket_word_target(c->words[i])) {
		case ROCKET_TARGET_NONE:
		case ROCKET_TARGET_NOP:
		case ROCKET_TARGET_FENCE:
			break;
		case ROCKET_TARGET_ENABLE:
			return i;
		default:
			check_write(c, i);
		}
		if (c->found > before)
			c->blamed = i + 1;
	}
	return c->count;
}

/* ---- second pass: the end of the program ---- */

static bool is_write(uint64_t word, unsigned offset)
{
	return rocket_word_target(word) == ROCKET_TARGET_PC && rocket_word_offset(word) == offset;
}

/* Where the link belongs, relative to the enable word. */
#define LINK_BACK   3
#define AMOUNT_BACK 2

static void check_link(struct rocket_check *c, size_t link)
{
	uint32_t iova = rocket_word_value(c->words[link]);
	uint32_t amount = rocket_word_value(c->words[link + 1]);
	bool linked = is_write(c->words[link], RK3588_PC_BASE_ADDRESS);
	bool wanted = c->how->chained && !c->how->last_of_chain;

	if (linked && !wanted)
		rocket_check_fault(c, link, RK3588_PC_BASE_ADDRESS,
				   c->how->chained ? "last program of a chain is not sealed"
						   : "link in a program that is not chained");
	else if (!linked && wanted)
		rocket_check_fault(c, link, RK3588_PC_BASE_ADDRESS,
				   "no link to the next program of the chain");

	else if (linked && !iova)
		rocket_check_fault(c, link, RK3588_PC_BASE_ADDRESS, "link to address 0 is no link");
	else if (linked && (amount < 1 || amount > 0xffff))
		/* A program has at least its four trailer words: two fetches. */
		rocket_check_fault(c, link + 1, RK3588_PC_REGISTER_AMOUNTS,
				   "amount %" PRIu32 " is no program's length", amount);
	else if (linked)
		rocket_check_mapped(c, RK3588_PC_BASE_ADDRESS, "next program", iova,
				    16 * ((uint64_t)amount + 1), false);
}

/* The words the PC would take for something else than what they are meant to be. */
static void check_stray_pc_writes(struct rocket_check *c, size_t link)
{
	for (size_t i = 0; i < link; i++)
		if (rocket_word_target(c->words[i]) == ROCKET_TARGET_PC)
			rocket_check_fault(c, i, rocket_word_offset(c->words[i]),
					   "PC register written before the trailer");
}

static void check_trailer(struct rocket_check *c, size_t enable)
{
	size_t link;

	if (enable == c->count) {
		if (c->blamed < c->count)
			rocket_check_fault(c, ROCKET_WHOLE_PROGRAM, RK3588_PC_OPERATION_ENABLE,
					   "no enable word: nothing starts");
		return;
	}
	c->enable = rocket_word_value(c->words[enable]);
	if (rocket_word_offset(c->words[enable]) != RK3588_PC_OPERATION_ENABLE)
		rocket_check_fault(c, enable, RK3588_PC_OPERATION_ENABLE,
				   "enable word carries offset 0x%04x",
				   rocket_word_offset(c->words[enable]));
	/* One word of padding makes the length even. */
	for (size_t i = enable + 1; i < c->count; i++) {
		if (c->words[i] == 0 && i == enable + 1 && c->count % 2 == 0)
			continue;
		rocket_check_fault(c, i, 0, "words after the enable word are never executed");
		break;
	}
	/* A trailer word that is wrong by itself has been blamed. */
	if (c->blamed + LINK_BACK > enable)
		return;
	if (enable < 1 || rocket_word_target(c->words[enable - 1]) != ROCKET_TARGET_FENCE) {
		rocket_check_fault(c, enable, RK3588_PC_OPERATION_ENABLE,
				   "enable word without the fence word before it");
		return;
	}
	link = enable - LINK_BACK;
	if (enable < LINK_BACK ||
	    !is_write(c->words[enable - AMOUNT_BACK], RK3588_PC_REGISTER_AMOUNTS) ||
	    !(c->words[link] == 0 || rocket_word_target(c->words[link]) == ROCKET_TARGET_NOP ||
	      is_write(c->words[link], RK3588_PC_BASE_ADDRESS))) {
		rocket_check_fault(c, enable, RK3588_PC_REGISTER_AMOUNTS,
				   "trailer is not link, amount, fence, enable");
		return;
	}
	check_stray_pc_writes(c, link);
	check_link(c, link);
}

/* ---- second pass: which blocks, and all of their registers ---- */

static const struct {
	uint32_t bit;
	uint16_t base;
	const char *name;
} blocks[] = {
	{ ROCKET_ENABLE_CNA, RK3588_CNA, "CNA" },
	{ ROCKET_ENABLE_CORE, RK3588_CORE, "CORE" },
	{ ROCKET_ENABLE_DPU, RK3588_DPU, "DPU" },
	{ ROCKET_ENABLE_DPU_RDMA, RK3588_DPU_RDMA, "DPU_RDMA" },
	{ ROCKET_ENABLE_PPU, RK3588_PPU, "PPU" },
	{ ROCKET_ENABLE_PPU_RDMA, RK3588_PPU_RDMA, "PPU_RDMA" },
};
#define N_BLOCKS (sizeof(blocks) / sizeof(blocks[0]))

static const char *block_list(uint32_t bits, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < N_BLOCKS; i++)
		if (bits & blocks[i].bit && used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? "+" : "",
						 blocks[i].name);
	return buf[0] ? buf : "nothing";
}

/* The sets of blocks known programs start together. */
static bool is_known_set(uint32_t bits)
{
	return bits == ROCKET_ENABLE_CONV || bits == ROCKET_ENABLE_FLYING ||
	       bits == ROCKET_ENABLE_POOL;
}

static bool check_blocks(struct rocket_check *c, size_t enable)
{
	char started[48], configured[48];

	/* Bit 1 starts nothing; the manual's example sets it. */
	if (c->enable & ~(uint32_t)0x7f)
		rocket_check_fault(c, enable, RK3588_PC_OPERATION_ENABLE,
				   "enable word 0x%08" PRIx32 " has unknown bits", c->enable);
	else if ((c->enable | c->configured) == (ROCKET_ENABLE_CONV & ~ROCKET_ENABLE_DPU_RDMA))
		/* The vendor kernel runs this; the mainline one hangs [silicon]. */
		rocket_check_fault(c, ROCKET_WHOLE_PROGRAM, RK3588_DPU_RDMA | 0xfff,
				   "missing: the DPU waits for its main read DMA for ever");
	else if ((c->enable & ~2u) != c->configured)
		rocket_check_fault(c, enable, RK3588_PC_OPERATION_ENABLE,
				   "starts %s, configured are %s",
				   block_list(c->enable, started, sizeof(started)),
				   block_list(c->configured, configured, sizeof(configured)));
	else if (!is_known_set(c->configured))
		rocket_check_fault(c, enable, RK3588_PC_OPERATION_ENABLE,
				   "no program starts %s together",
				   block_list(c->enable, started, sizeof(started)));
	else
		return true;
	return false;
}

/* Debug and clock controls are left alone by every program. */
static bool is_optional(unsigned offset)
{
	return (offset & 0xfff) == 0 || (offset & 0xfff) == 8 || offset == RK3588_CNA_CLK_GATE ||
	       offset == RK3588_CORE_MAC_GATING || offset == RK3588_CNA_S_POINTER ||
	       offset == RK3588_CORE_S_POINTER;
}

/* Registers a program without convolution can do without: the stages they feed are off. */
static bool is_optional_flying(unsigned offset)
{
	return offset == RK3588_DPU_OFFSET_PEND || offset == RK3588_DPU_DATA_CUBE_NOTCH_ADDR ||
	       (offset >= RK3588_DPU_BS_ALU_CFG && offset <= RK3588_DPU_BS_RELUX_CMP_VALUE) ||
	       offset == RK3588_DPU_BS_OW_OP ||
	       (offset >= RK3588_DPU_BN_ALU_CFG && offset <= RK3588_DPU_BN_RELUX_CMP_VALUE) ||
	       offset == RK3588_DPU_EW_CVT_OFFSET_VALUE ||
	       offset == RK3588_DPU_EW_RELUX_CMP_VALUE ||
	       (offset >= RK3588_DPU_EW_OP_VALUE_0 && offset <= RK3588_DPU_EW_OP_VALUE_7) ||
	       (offset >= RK3588_DPU_LUT_ACCESS_CFG && offset <= RK3588_DPU_LUT_LO_SLOPE_SHIFT) ||
	       (offset >= RK3588_DPU_RDMA_RDMA_BRDMA_CFG &&
		offset <= RK3588_DPU_RDMA_RDMA_BN_BASE_ADDR) ||
	       (offset >= RK3588_DPU_RDMA_RDMA_EW_BASE_ADDR &&
		offset <= RK3588_DPU_RDMA_RDMA_EW_SURF_STRIDE) ||
	       (offset >= RK3588_DPU_RDMA_RDMA_SRC_DMA_CFG &&
		offset <= RK3588_DPU_RDMA_RDMA_PAD_CFG) ||
	       offset == RK3588_DPU_RDMA_RDMA_EW_SURF_NOTCH;
}

/* The register file is not cleared: what a program leaves out keeps an older value. */
static bool check_complete(struct rocket_check *c)
{
	size_t before = c->found;

	for (size_t b = 0; b < N_BLOCKS; b++) {
		const struct rocket_block_name *block =
			rocket_block_by_offset(c->names, blocks[b].base);

		if (!(c->enable & blocks[b].bit))
			continue;
		for (unsigned r = 0; r < block->n_registers; r++) {
			unsigned offset = block->registers[r].offset;

			if (rocket_check_has(c, offset) || is_optional(offset) ||
			    (c->enable == ROCKET_ENABLE_FLYING && is_optional_flying(offset)))
				continue;
			rocket_check_fault(c, ROCKET_WHOLE_PROGRAM, offset,
					   "not written: an earlier program's value stays");
		}
	}
	return c->found == before;
}

/* ---- entry ---- */

static void run_checks(struct rocket_check *c)
{
	size_t enable = check_words(c);

	check_trailer(c, enable);
	if (enable < c->count && check_blocks(c, enable) && check_complete(c))
		rocket_rk3588_check(c);
}

size_t rocket_program_validate(const uint64_t *words, size_t count,
			       const struct rocket_program_check *how,
			       struct rocket_program_fault *faults, size_t max)
{
	struct rocket_check c = { 0 };

	c.how = how;
	c.words = words;
	c.count = count;
	c.faults = faults;
	c.max = faults ? max : 0;
	c.names = rocket_chip_names(how->chip);
	if (!c.names) {
		c.names = &rocket_rk3588_names;
		rocket_check_fault(&c, ROCKET_WHOLE_PROGRAM, 0, "no register table for chip \"%s\"",
				   how->chip ? how->chip : "");
		return c.found;
	}
	if (!count || count > 2 * 65536) {
		rocket_check_fault(&c, ROCKET_WHOLE_PROGRAM, 0,
				   "%zu words: a program has 1 to 131072", count);
		return c.found;
	}
	run_checks(&c);
	return c.found;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * program.h - building, reading and checking register programs.
 *
 * A program is an array of 64-bit words: target[63:48] value[47:16] offset[15:0].
 * It ends with a trailer of four words: link, amount, fence, enable. All functions
 * here are pure.
 */
#ifndef ROCKET_ENCODE_PROGRAM_H
#define ROCKET_ENCODE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Word targets. */
enum rocket_target {
	ROCKET_TARGET_NONE = 0x0000,
	ROCKET_TARGET_NOP = 0x0001,
	ROCKET_TARGET_PC = 0x0101,
	ROCKET_TARGET_CNA = 0x0201,
	ROCKET_TARGET_CORE = 0x0801,
	ROCKET_TARGET_DPU = 0x1001,
	ROCKET_TARGET_DPU_RDMA = 0x2001,
	ROCKET_TARGET_PPU = 0x4001,
	ROCKET_TARGET_PPU_RDMA = 0x8001,
	ROCKET_TARGET_FENCE = 0x0041,
	ROCKET_TARGET_ENABLE = 0x0081,
};

/* Value of the enable word: which blocks start. */
enum rocket_enable {
	ROCKET_ENABLE_CNA = 1u << 0,
	ROCKET_ENABLE_CORE = 1u << 2,
	ROCKET_ENABLE_DPU = 1u << 3,
	ROCKET_ENABLE_DPU_RDMA = 1u << 4,
	ROCKET_ENABLE_PPU = 1u << 5,
	ROCKET_ENABLE_PPU_RDMA = 1u << 6,
	ROCKET_ENABLE_CONV = 0x1d,   /* CNA, CORE, DPU, DPU_RDMA */
	ROCKET_ENABLE_FLYING = 0x18, /* DPU, DPU_RDMA */
	ROCKET_ENABLE_POOL = 0x60,   /* PPU, PPU_RDMA */
};

#define ROCKET_TRAILER_WORDS 4

static inline uint64_t rocket_word(unsigned target, uint32_t value, unsigned offset)
{
	return (uint64_t)target << 48 | (uint64_t)value << 16 | (offset & 0xffff);
}

static inline unsigned rocket_word_target(uint64_t w)
{
	return (unsigned)(w >> 48);
}
static inline uint32_t rocket_word_value(uint64_t w)
{
	return (uint32_t)(w >> 16);
}
static inline unsigned rocket_word_offset(uint64_t w)
{
	return (unsigned)(w & 0xffff);
}

/* 128-bit fetches minus one for a program of count words: PC_REGISTER_AMOUNTS. */
static inline uint32_t rocket_pc_amount(uint32_t count)
{
	return (count + 1) / 2 - 1;
}

/* Words a program occupies in a chain: count rounded up to even. */
static inline uint32_t rocket_program_stride(uint32_t count)
{
	return (count + 1) & ~1u;
}

/*
 * A program under construction in caller memory. The first fault sticks: later writes
 * do nothing and fault says which block, register, field and value was wrong.
 */
struct rocket_program {
	uint64_t *words;
	size_t capacity;
	size_t count;
	char fault[160]; /* "" = none */
};

void rocket_program_init(struct rocket_program *p, uint64_t *words, size_t capacity);
/* Append one register write. The target must match the block the offset lies in. */
void rocket_program_write(struct rocket_program *p, unsigned target, unsigned offset,
			  uint32_t value);
/* Append the trailer: no link, given amount word, fence, enable. */
void rocket_program_end(struct rocket_program *p, uint32_t enable);
/* Words written, or 0 when the program is faulty or does not fit. */
size_t rocket_program_count(const struct rocket_program *p);

/* ---- chaining (one kick for several programs), in place ---- */

/* Link a finished program to the next one: next_iova is its address, next_count its words.
 * false when prog has no trailer or next_iova is not 16-byte aligned. */
bool rocket_chain_link(uint64_t *prog, size_t count, uint32_t next_iova, uint32_t next_count);
/* Make a program the last of its chain. */
bool rocket_chain_seal(uint64_t *prog, size_t count);

/* ---- disassembler ---- */

/*
 * One line for one word, no newline, e.g.
 *   "CNA.CONV_CON2 (1010) = 0x00000410  FEATURE_GRAINS=65"
 * chip is "rk3588". Returns the length it needs, like snprintf.
 */
int rocket_disassemble(const char *chip, uint64_t word, char *buf, size_t size);

/* ---- validator ---- */

struct rocket_program_fault {
	size_t word;    /* index of the word, or (size_t)-1 for the whole program */
	char block[16]; /* "CNA", or "" */
	char reg[32];   /* "CBUF_CON0", or "" */
	char reason[128];
	bool warning; /* suspicious, runs anyway */
};

/* What a program's addresses may touch. */
struct rocket_program_space {
	/* True when [iova, iova + size) is mapped (writable when write). NULL: not checked. */
	bool (*mapped)(void *ctx, uint32_t iova, uint64_t size, bool write);
	void *ctx;
};

struct rocket_program_check {
	const char *chip;                         /* "rk3588" */
	const struct rocket_program_space *space; /* NULL: addresses are not checked */
	bool first_of_job;                        /* reuse bits are illegal here */
	bool chained;                             /* a link is required unless last_of_chain */
	bool last_of_chain;
};

/*
 * Check one program of count words. Up to max faults go to faults, each naming block,
 * register and reason. Returns how many there are in all (0 = clean).
 */
size_t rocket_program_validate(const uint64_t *words, size_t count,
			       const struct rocket_program_check *how,
			       struct rocket_program_fault *faults, size_t max);

#endif

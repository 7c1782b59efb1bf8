/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * support.h - a sound program, ways to break it, and what is then reported.
 *
 * Each test program holds one register program at a time.
 */
#ifndef TESTS_ENCODE_SUPPORT_H
#define TESTS_ENCODE_SUPPORT_H

#include "tap.h"

#include "lib/encode/matmul.h"
#include "lib/encode/program.h"

#define WORDS      ROCKET_RK3588_MATMUL_WORDS
#define PROG_MAX   2048
#define FAULTS_MAX 8

extern uint64_t prog[PROG_MAX];
extern size_t count;
extern struct rocket_program_fault faults[FAULTS_MAX];
extern struct rocket_program_check how;

/* Take a program: 64 x 384 x 96 of the encoder, or the first one of a golden file. */
struct rocket_matmul_task plain_task(void);
void use_task(struct rocket_matmul_task t);
void use_plain(void);
void use_accumulating(void);
void use_int8(void);
void use_rows(void);
void use_golden(const char *name);
void use_fly(void);
void use_fly_mul(void);
void use_pool(void);
void use_depthwise(void);

/* Change it. */
size_t find(unsigned offset);
void set(unsigned offset, uint32_t value);
void drop(size_t i);

/* Look at it: how many faults, none, or exactly this one. */
size_t check(void);
void is_clean(void);
void reports(const char *block, const char *reg, const char *words);
/* "CONV_CON2" for a word that writes it. */
void register_name(uint64_t word, char *name, size_t size);

/* Break one register of the program `use` makes, expect one fault. */
struct mistake {
	void (*use)(void);
	unsigned offset;
	uint32_t value;
	const char *block, *reg, *words;
};
void each_is_reported_once(const struct mistake *m, size_t n);

#endif

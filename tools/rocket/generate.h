/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * generate.h - operands that are the same on every machine and in every run.
 */
#ifndef TOOLS_ROCKET_GENERATE_H
#define TOOLS_ROCKET_GENERATE_H

#include <stddef.h>
#include <stdint.h>

enum generate_data {
	GENERATE_UNIFORM, /* fp16: [-0.5, 0.5]; int8: the full range */
	GENERATE_INTS,    /* -2, -1, 0, 1, 2 */
};

/* One step of the splitmix64 sequence. */
uint64_t generate_next(uint64_t *state);

/* IEEE binary16 bits. */
void generate_fp16(uint16_t *out, size_t count, enum generate_data data, uint64_t seed);
void generate_int8(int8_t *out, size_t count, enum generate_data data, uint64_t seed);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * generate.h - operands that are the same on every machine and in every run.
 */
#ifndef TOOLS_ROCKET_GENERATE_H
#define TOOLS_ROCKET_GENERATE_H

#include <stddef.h>
#include <stdint.h>

#include "operand.h"

enum generate_data {
	GENERATE_UNIFORM, /* floating point: [-0.5, 0.5]; integers: all that their entry takes */
	GENERATE_INTS,    /* -2, -1, 0, 1, 2 */
};

/* One step of the splitmix64 sequence. */
uint64_t generate_next(uint64_t *state);

/* `count` elements as they lie in memory. */
void generate(enum operand_type type, void *out, size_t count, enum generate_data data,
	      uint64_t seed);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * source.h - what operands look like in host memory, and how they become cube elements.
 */
#ifndef ROCKET_LAYOUT_SOURCE_H
#define ROCKET_LAYOUT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

/* Most parts that an operand becomes, each a cube of its own. */
#define ROCKET_SOURCE_PARTS 2

struct rocket_source {
	const char *range;   /* the values that fit, for messages; NULL: all do */
	unsigned host_bytes; /* per element, row-major */
	unsigned cube_bits;  /* per element, packed */
	unsigned parts;
	/* `count` elements, whole bytes of them, into each part. False when one did not fit. NULL:
	 * a copy. */
	bool (*convert)(void *const dst[ROCKET_SOURCE_PARTS], const void *src, size_t count);
};

extern const struct rocket_source rocket_source_8, rocket_source_16, rocket_source_32;
/* The upper half of an fp32; a NaN stays one. */
extern const struct rocket_source rocket_source_bf16;
/* One int8 each in host memory, two to a byte in the cube, the first in the low half. */
extern const struct rocket_source rocket_source_int4;
/*
 * int16 as 256 * high + low, both int8, in parts, high first. The largest value that has these is
 * 32639; those above are taken for it.
 */
extern const struct rocket_source rocket_source_int16;

#endif

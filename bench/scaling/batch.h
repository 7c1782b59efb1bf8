/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * batch.h - the tasks of a scenario: operands, register programs, and what must come out.
 *
 * Operands are small integers in fp16, so that products and their sums are exact in fp32 and every
 * element of every result is compared for equality with one of integer arithmetic.
 */
#ifndef BENCH_SCALING_BATCH_H
#define BENCH_SCALING_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "rocket_npu.h"
#include "scenario.h"

struct scaling_batch {
	const struct scaling_scenario *scenario;
	enum scaling_mode mode;
	uint32_t tasks;
	uint32_t sets; /* of operands: 1, or as many as tasks */
	uint32_t rows; /* of A in a program: M, padded */
	int8_t *a, *b; /* sets of M x K, of N x K, row-major */
	int32_t *c;    /* sets of M x N: the products */
};

/* False: no memory. tasks: not more than the scenario has. */
bool scaling_batch_make(struct scaling_batch *b, const struct scaling_scenario *scenario,
			enum scaling_mode mode, uint32_t tasks);
void scaling_batch_free(struct scaling_batch *b);

/* A task's programs: by itself, and linked to those after it in the lanes of one and of three
 * cores. */
enum scaling_program {
	SCALING_ALONE,
	SCALING_ONE_LANE,
	SCALING_THREE_LANES,
	SCALING_PROGRAMS,
};

/* The batch in the memory of an fd. */
struct scaling_image {
	int fd;
	uint32_t words; /* of a program */
	uint32_t stride;
	rocket_bo a, b, c, programs;
	rocket_bo done; /* written by no program: a job that names it is waited for by it */
};

/* 0 or an enum rocket_status, said. */
int scaling_image_make(struct scaling_image *image, const struct scaling_batch *b, int fd);
void scaling_image_free(struct scaling_image *image);
uint32_t scaling_program_address(const struct scaling_image *image, const struct scaling_batch *b,
				 enum scaling_program which, uint32_t task);

/* Fill all results with what no product is, and hand them to the NPU. */
int scaling_image_clear(struct scaling_image *image);
/* Take them back. */
int scaling_image_take(struct scaling_image *image);

struct scaling_wrong {
	uint64_t elements; /* 0: all is right */
	uint32_t task, m, n;
	float got, want; /* of the first */
};
/* Add the wrong elements of tasks [first, first + count), every one of which is looked at. */
void scaling_image_check(const struct scaling_image *image, const struct scaling_batch *b,
			 uint32_t first, uint32_t count, struct scaling_wrong *wrong);

#endif

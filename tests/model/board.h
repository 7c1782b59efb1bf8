/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* board.h - a core and device memory to run programs on, the way the kernel does. */
#ifndef TESTS_MODEL_BOARD_H
#define TESTS_MODEL_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/npu/npu.h"

#define BOARD_PAGE    4096u
#define BOARD_REGIONS 32
#define BOARD_LINES   16

struct board_region {
	uint32_t iova, pages;
	bool read_only;
	uint8_t **page;
};

struct board {
	struct npu_core *core;
	struct board_region region[BOARD_REGIONS];
	unsigned n_regions;
	bool scattered;   /* pages do not follow each other in host memory */
	uint32_t longest; /* bytes given out at once, 0 no limit */
	uint64_t seed;
	unsigned reports;
	char line[BOARD_LINES][256]; /* the first reports */
};

/* Whole board; ends the program when there is no memory. */
void board_init(struct board *b, const struct npu_core_options *options);
void board_free(struct board *b);
/* The board's memory, for another board's core. */
struct npu_memory board_memory(struct board *b);

/* Map zeroed memory, rounded to pages; what is mapped already is left as it is. */
void board_map(struct board *b, uint32_t iova, size_t size);
void board_read_only(struct board *b, uint32_t iova);
uint8_t *board_byte(struct board *b, uint32_t iova);
void board_put(struct board *b, uint32_t iova, const void *data, size_t size);
void board_get(struct board *b, uint32_t iova, void *data, size_t size);
void board_fill(struct board *b, uint32_t iova, uint8_t value, size_t size);

/* Store words at iova (mapped) and run tasks programs from there. */
void board_run(struct board *b, uint32_t iova, const uint64_t *words, size_t n,
	       unsigned first_words, unsigned tasks, struct npu_result *result);
/* Run what lies at iova already. */
void board_kick(struct board *b, uint32_t iova, unsigned words, unsigned tasks,
		struct npu_result *result);
/* A report that contains the text came. */
bool board_reported(const struct board *b, const char *text);

uint64_t board_random(struct board *b);
int board_random_int(struct board *b, int low, int high);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/model/board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *p)
{
	if (!p) {
		printf("Bail out! no memory\n");
		exit(1);
	}
	return p;
}

static struct board_region *find(struct board *b, uint32_t iova)
{
	for (unsigned i = 0; i < b->n_regions; i++)
		if (iova - b->region[i].iova < b->region[i].pages * (uint64_t)BOARD_PAGE)
			return &b->region[i];
	return NULL;
}

uint8_t *board_byte(struct board *b, uint32_t iova)
{
	struct board_region *r = find(b, iova);

	if (!r)
		return NULL;
	return r->page[(iova - r->iova) / BOARD_PAGE] + iova % BOARD_PAGE;
}

static void *map(void *ctx, uint32_t iova, uint32_t *len, bool write)
{
	struct board *b = ctx;
	struct board_region *r = find(b, iova);
	uint32_t left;

	if (!r || (write && r->read_only))
		return NULL;
	left = BOARD_PAGE - iova % BOARD_PAGE;
	if (!b->scattered)
		left = r->pages * BOARD_PAGE - (iova - r->iova);
	if (b->longest && left > b->longest)
		left = 1 + (uint32_t)(board_random(b) % b->longest);
	*len = left;
	return board_byte(b, iova);
}

static void report(void *ctx, const char *line)
{
	struct board *b = ctx;

	if (b->reports < BOARD_LINES)
		snprintf(b->line[b->reports], sizeof(b->line[0]), "%s", line);
	b->reports++;
}

struct npu_memory board_memory(struct board *b)
{
	return (struct npu_memory){ map, b };
}

void board_init(struct board *b, const struct npu_core_options *options)
{
	struct npu_core_options o = options ? *options : (struct npu_core_options){ 0 };
	struct npu_memory memory = board_memory(b);

	memset(b, 0, sizeof(*b));
	b->seed = 88172645463325252ull;
	o.report = report;
	o.ctx = b;
	b->core = must(npu_core_new(npu_chip_by_name("rk3588"), 0, &memory, &o));
}

void board_free(struct board *b)
{
	npu_core_free(b->core);
	for (unsigned i = 0; i < b->n_regions; i++) {
		for (unsigned p = 0; p < b->region[i].pages; p++)
			if (b->scattered || !p)
				free(b->region[i].page[p]);
		free(b->region[i].page);
	}
	memset(b, 0, sizeof(*b));
}

void board_map(struct board *b, uint32_t iova, size_t size)
{
	struct board_region *r = &b->region[b->n_regions];
	uint8_t *whole = NULL;

	if (find(b, iova))
		return;
	if (b->n_regions == BOARD_REGIONS) {
		printf("Bail out! too many regions\n");
		exit(1);
	}
	b->n_regions++;
	r->iova = iova / BOARD_PAGE * BOARD_PAGE;
	r->pages = (uint32_t)((size + iova % BOARD_PAGE + BOARD_PAGE - 1) / BOARD_PAGE);
	r->page = must(calloc(r->pages, sizeof(*r->page)));
	if (!b->scattered)
		whole = must(calloc(r->pages, BOARD_PAGE));
	/* Backwards, so that neighbours in device memory are none in the host's. */
	for (unsigned p = r->pages; p-- > 0;)
		r->page[p] = whole ? whole + (size_t)p * BOARD_PAGE : must(calloc(1, BOARD_PAGE));
}

void board_read_only(struct board *b, uint32_t iova)
{
	find(b, iova)->read_only = true;
}

void board_put(struct board *b, uint32_t iova, const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		*board_byte(b, iova + (uint32_t)i) = ((const uint8_t *)data)[i];
}

void board_get(struct board *b, uint32_t iova, void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)data)[i] = *board_byte(b, iova + (uint32_t)i);
}

void board_fill(struct board *b, uint32_t iova, uint8_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		*board_byte(b, iova + (uint32_t)i) = value;
}

/* The register writes of the mainline driver, in its order. */
void board_kick(struct board *b, uint32_t iova, unsigned words, unsigned tasks,
		struct npu_result *result)
{
	struct npu_core *c = b->core;

	b->reports = 0;
	npu_core_write(c, 0x0010, 1);
	npu_core_write(c, 0x1004, 0xe);
	npu_core_write(c, 0x3004, 0xe);
	npu_core_write(c, 0x0010, iova);
	npu_core_write(c, 0x0014, (words + 1) / 2 - 1);
	npu_core_write(c, 0x0020, 0x300);
	npu_core_write(c, 0x0024, 0x1ffff);
	npu_core_write(c, 0x0030, 0x7000 | tasks);
	npu_core_write(c, 0x0034, 0);
	npu_core_write(c, 0x0008, 1);
	npu_core_run(c, result);
	npu_core_write(c, 0x0008, 0);
}

void board_run(struct board *b, uint32_t iova, const uint64_t *words, size_t n,
	       unsigned first_words, unsigned tasks, struct npu_result *result)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t bytes[8];

		for (unsigned k = 0; k < 8; k++)
			bytes[k] = (uint8_t)(words[i] >> 8 * k);
		board_put(b, iova + (uint32_t)(8 * i), bytes, sizeof(bytes));
	}
	board_kick(b, iova, first_words, tasks, result);
}

bool board_reported(const struct board *b, const char *text)
{
	for (unsigned i = 0; i < b->reports && i < BOARD_LINES; i++)
		if (strstr(b->line[i], text))
			return true;
	return false;
}

uint64_t board_random(struct board *b)
{
	b->seed ^= b->seed << 13;
	b->seed ^= b->seed >> 7;
	b->seed ^= b->seed << 17;
	return b->seed;
}

int board_random_int(struct board *b, int low, int high)
{
	return low + (int)(board_random(b) % (uint64_t)(high - low + 1));
}

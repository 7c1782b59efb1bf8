/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memory.h - the core's view of device memory: runs, gathering, first fault. */
#ifndef SIM_NPU_MEMORY_H
#define SIM_NPU_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/npu/npu.h"

#define MEMORY_WINDOWS 64

/* A run the host has given out, remembered for as long as the kick lasts. */
struct memory_window {
	uint8_t *host;
	uint32_t iova, len; /* len 0: empty */
};

struct memory {
	struct npu_memory host;
	struct memory_window windows[2][MEMORY_WINDOWS]; /* [write] */
	const char *block;                               /* who is asking, for the report */
	bool faulted, fault_write;
	uint32_t fault_iova;
	char fault_block[16];
};

/* A kick begins: pointers of the one before are no longer valid. */
void memory_begin(struct memory *m);

/*
 * Host bytes of iova, *len of them contiguous, at most want. NULL: a fault (recorded), and
 * *len bytes up to the end of the page are concerned.
 */
const uint8_t *memory_run(struct memory *m, uint32_t iova, uint32_t want, uint32_t *len);

/* Unmapped bytes read as 0. */
void memory_read(struct memory *m, uint32_t iova, void *dst, uint32_t len);
/* len bytes in one piece: the host's own, or gathered in bounce. */
const uint8_t *memory_view(struct memory *m, uint32_t iova, uint32_t len, void *bounce);
/* Bytes to unmapped places are dropped. */
void memory_write(struct memory *m, uint32_t iova, const void *src, uint32_t len);

#endif

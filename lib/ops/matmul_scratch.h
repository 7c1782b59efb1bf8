/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * matmul_scratch.h - the buffers of a matmul, kept by the fd between calls.
 *
 * One set on a shelf, which is the fd's or a caller's: whoever runs takes it out and puts it back,
 * so that calls that run at the same time against the rules still do not share a buffer.
 */
#ifndef ROCKET_OPS_MATMUL_SCRATCH_H
#define ROCKET_OPS_MATMUL_SCRATCH_H

#include "../core/device.h"
#include "../plan/matmul_plan.h"

/* The feature DMA may read past the end of a tile. */
#define ROCKET_OVERREAD_BYTES 32768

struct rocket_matmul_scratch {
	rocket_bo a, b, out[2];
	rocket_bo programs; /* one job's register programs, or two jobs' */
	uint64_t submit[];  /* what rocket_submit_tasks_pre() needs for a full job */
};

/* Room for one program of a job whose tasks are started one by one. */
#define ROCKET_PROGRAM_SLOT 1024
/* Room for those of one job. */
#define ROCKET_PROGRAMS_BYTES (ROCKET_JOB_TASKS_MAX * ROCKET_PROGRAM_SLOT)

/* What an idle fd may hold: room for a 512 x 4096 x 4096 fp16 matmul. */
#define ROCKET_SHELF_BYTES (UINT64_C(64) << 20)

/* Buffers for a plan. NULL with the reason logged and *status set. */
struct rocket_matmul_scratch *rocket_matmul_scratch_take(int fd, void **shelf,
							 const struct rocket_matmul_plan *plan,
							 int *status);
/* Give them back after a good run: kept when they take no more than this, else freed. */
void rocket_matmul_scratch_put(int fd, void **shelf, uint64_t keep_bytes,
			       struct rocket_matmul_scratch *s);
/* Free them, as after a failed run that may still be writing to them. */
void rocket_matmul_scratch_free(int fd, struct rocket_matmul_scratch *s);

/* Bytes the NPU sees. */
uint64_t rocket_matmul_scratch_bytes(const struct rocket_matmul_scratch *s);

#endif

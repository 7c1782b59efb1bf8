/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * matmul_scratch.h - what a matmul needs beside its matrices, kept for the next one like it.
 *
 * A set is the plan of a call, its buffers and its register programs: a call that finds the set of
 * an earlier one allocates and encodes nothing. Sets lie on a shelf, which is the fd's or a
 * caller's: whoever runs takes one out and puts it back, so that calls that run at the same time
 * against the rules still do not share a buffer. A shelf is bounded, and so are all shelves of fds
 * together; the set that was used least recently makes room, and its buffers serve a new one of its
 * fd as far as they do.
 */
#ifndef ROCKET_OPS_MATMUL_SCRATCH_H
#define ROCKET_OPS_MATMUL_SCRATCH_H

#include "../core/device.h"
#include "../plan/matmul_plan.h"
#include "matmul_kind.h"

/* The feature DMA may read past the end of a tile. */
#define ROCKET_OVERREAD_BYTES 32768

/* Of a call, what its plan depends on, beside the settings of the fd. */
struct rocket_matmul_key {
	enum rocket_matmul_type type;
	size_t sum_bytes;      /* of the kind */
	int rows, K, N, items; /* rows: as planned */
	int parts;             /* of an operand */
	int kt_cap, group;     /* group 0: no groups */
	int mt, kt, nt;        /* 0: the planner's choice */
	bool packed_weights;   /* B lies elsewhere */
};

/* Result buffers, those of a caller among them. */
#define ROCKET_OUT_BUFFERS 3

struct rocket_matmul_scratch {
	struct rocket_matmul_scratch *next; /* on a shelf: the one used before */
	uint64_t since;                     /* on a shelf: when it came there */
	struct rocket_matmul_key key;
	struct rocket_matmul_plan plan;
	rocket_bo a, b, out[2];
	void *sums; /* of tiles of C, between jobs */
	uint64_t sums_bytes;

	/* Register programs, and where they are: of every step, or of one job or two at a time. */
	rocket_bo programs;
	rocket_task_desc *tasks;
	uint32_t n_tasks;
	bool all_programs;
	bool encoded; /* all of them, for these addresses of A, B and the results */
	uint32_t addresses[2 + ROCKET_OUT_BUFFERS];

	uint64_t submit[]; /* what rocket_submit_tasks_pre() needs for a full job */
};

/* Room for one program of a job whose tasks are started one by one. */
#define ROCKET_PROGRAM_SLOT 1024
/* Room for those of one job. */
#define ROCKET_PROGRAMS_BYTES (ROCKET_JOB_TASKS_MAX * ROCKET_PROGRAM_SLOT)
/* Plans of more steps are encoded anew each time. */
#define ROCKET_PROGRAMS_KEPT 4096

/* What a shelf may hold. */
struct rocket_matmul_bounds {
	unsigned sets;
	/* Of buffers, sums, programs and plans, on the shelves of all open fds; of a caller's shelf
	 * ROCKET_SHELF_APART: it does not count. */
	uint64_t bytes;
};
#define ROCKET_SHELF_SETS  16
#define ROCKET_SHELF_APART UINT64_MAX

/* The set of a key, taken from the shelf; NULL: there is none. */
struct rocket_matmul_scratch *rocket_matmul_scratch_find(struct rocket_keep *shelf,
							 const struct rocket_matmul_key *key);
/* A set for a plan, which becomes its own whatever comes of it. NULL with the reason logged and
 * *status set. */
struct rocket_matmul_scratch *rocket_matmul_scratch_make(struct rocket_device *dev,
							 struct rocket_keep *shelf,
							 const struct rocket_matmul_bounds *bounds,
							 const struct rocket_matmul_key *key,
							 struct rocket_matmul_plan *plan,
							 uint64_t sums_bytes, int *status);
/* Give it back after a good run. */
void rocket_matmul_scratch_put(struct rocket_device *dev, struct rocket_keep *shelf,
			       const struct rocket_matmul_bounds *bounds,
			       struct rocket_matmul_scratch *s);
/* Free it, as after a failed run that may still be writing to it. */
void rocket_matmul_scratch_free(struct rocket_device *dev, struct rocket_matmul_scratch *s);
/* Free what lies on a shelf. */
void rocket_matmul_scratch_clear(struct rocket_device *dev, struct rocket_keep *shelf);

/* Bytes the NPU sees. */
uint64_t rocket_matmul_scratch_bytes(const struct rocket_matmul_scratch *s);

#endif

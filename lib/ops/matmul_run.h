/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * matmul_run.h - what the matmul entries are made of.
 *
 *   matmul_call.c  what a call is refused for before a device is looked at
 *   matmul_run.c   a call on a device: plan, buffers, one job after the other
 *   matmul_pack.c  operands into the NPU's buffers
 *   matmul_job.c   programs, submission, waiting
 *   matmul_take.c  results into C
 */
#ifndef ROCKET_OPS_MATMUL_RUN_H
#define ROCKET_OPS_MATMUL_RUN_H

#include <stddef.h>

#include "../core/device.h"
#include "../plan/matmul_plan.h"
#include "matmul_kind.h"
#include "matmul_scratch.h"
#include "matmul_stats.h"

#define ROCKET_SEGMENTS_MAX 8

/* B in parts, one below the other. */
struct rocket_matmul_segments {
	const void *const *bs;
	const int *ns; /* rows of each */
	int count;
};

/* Products of one shape, their matrices listed. */
struct rocket_matmul_items {
	int count;
	const void *const *a, *const *b;
	void *const *c;
};

struct rocket_matmul_call {
	const char *who; /* the public function, for messages */
	const struct rocket_matmul_kind *kind;
	int M, K, N;
	const void *a, *b;
	void *c;
	size_t c_row;    /* elements from one row of C to the next */
	bool whole_rows; /* M = 1 is not padded but refused */
	bool pack_only;  /* there is no A and no C */
	struct rocket_matmul_limits limits;
	const float *a_scale, *b_scale;         /* [M or N][K / limits.group] */
	struct rocket_matmul_segments segments; /* count > 0: in place of b, */
	int first_row;                          /* from this row on */
	/* NULL: the planner's choice, and B packed for this call. */
	const struct rocket_matmul_tiles *tiles;
	int plan_rows;                    /* with tiles: rows that they are for, M or more */
	const rocket_bo *weights;         /* B packed for these tiles; b is not looked at */
	struct rocket_matmul_items items; /* count > 0: in place of a, b and c */
	const void *packed_a;             /* A packed for these tiles; a is not looked at */
	struct rocket_keep *shelf;        /* of a holder, where one set is kept; NULL: the fd's */
};

int rocket_matmul_item_count(const struct rocket_matmul_call *call);
/* The call of one item alone. */
struct rocket_matmul_call rocket_matmul_item(const struct rocket_matmul_call *call, int item);

/* Refuse what needs no device to see: NULL, misaligned or overlapping matrices, sizes that
 * overflow. Shapes are left to the planner. */
int rocket_matmul_check(const struct rocket_matmul_call *call);

/* Refuse a chip that has no encoder. */
int rocket_matmul_check_chip(const struct rocket_device *dev, const char *who);
/* With ROCKET_REUSE_DEBUG: which operand stays on chip. */
void rocket_matmul_say_reuse(const char *who, const struct rocket_settings *set,
			     const struct rocket_matmul_plan *p);
/* M as it is planned: the hardware needs 4 rows, a single one is padded. */
int rocket_matmul_padded_rows(const struct rocket_matmul_call *call);

/* Check, take the device of fd, run, and keep the statistics. */
int rocket_matmul_on_fd(int fd, const struct rocket_matmul_call *call);
/* Plan and run a checked call. Adds to *stats. Returns a status, its reason logged. */
int rocket_matmul_run(int fd, struct rocket_device *dev, const struct rocket_matmul_call *call,
		      struct rocket_matmul_stats *stats);

/* ---- between the parts of a run ---- */

struct rocket_matmul_run {
	int fd;
	struct rocket_device *dev;
	const struct rocket_matmul_call *call;
	struct rocket_matmul_call item; /* of the call, whose results are being taken */
	const struct rocket_matmul_traits *tr;
	const struct rocket_matmul_kind *kind;
	struct rocket_matmul_stats *stats;
	struct rocket_matmul_plan plan; /* of bufs, or of a product in rows */
	struct rocket_matmul_scratch *bufs;
	const rocket_bo *a; /* packed A, of bufs, or A in rows */
	const rocket_bo *b; /* packed B: one of bufs, or resident */
	rocket_bo *out[3];  /* results: of bufs, and C in rows */
	bool cpu_owns[3];   /* out[i] was handed to the CPU since it was last submitted */
	bool encoded;       /* bufs has the programs already */
	uint64_t phase_start;
	uint64_t submitted_ns[3]; /* when the job that writes out[i] was */
};

/* What job functions read, of a set. */
void rocket_matmul_use_scratch(struct rocket_matmul_run *r, struct rocket_matmul_scratch *bufs);
/* Before the first job, when r has all its buffers: whether the set's programs are for them. After
 * the last: they are. */
void rocket_matmul_check_programs(struct rocket_matmul_run *r);
void rocket_matmul_keep_programs(struct rocket_matmul_run *r);
/* Charge the time since the last call to a phase. */
void rocket_matmul_phase_done(struct rocket_matmul_run *r, enum rocket_matmul_phase phase);
/* Rows of a tile that exist in A and C. */
size_t rocket_matmul_live_rows(const struct rocket_matmul_call *call, int m0, int mt);

int rocket_matmul_pack(struct rocket_matmul_run *r);
/* Tiles share, share + shares, ... of A of a call alone, which has its tiles, into dst. False: a
 * value is outside what the cube holds. */
bool rocket_matmul_pack_a(const struct rocket_matmul_call *call, int share, int shares, void *dst);
/* That, said as the call's kind wants it. */
int rocket_matmul_outside(const struct rocket_matmul_call *call, const char *name,
			  const struct rocket_source *from);
/* B of a call alone, tile after tile, slot_bytes apart. */
int rocket_matmul_pack_b(const struct rocket_matmul_call *call,
			 const struct rocket_matmul_tiles *tiles, uint64_t slot_bytes, void *dst);
/* Encode and submit. */
int rocket_matmul_start_job(struct rocket_matmul_run *r, const struct rocket_matmul_job *job);
/* Wait; the results are then in the result buffers. */
int rocket_matmul_end_job(struct rocket_matmul_run *r, const struct rocket_matmul_job *job);
/* Both. */
int rocket_matmul_do_job(struct rocket_matmul_run *r, const struct rocket_matmul_job *job);

/* Results of an ended job into C. */
void rocket_matmul_take_job(struct rocket_matmul_run *r, const struct rocket_matmul_job *job);
/* Room that it needs for sums of tiles whose K is not in one job. */
uint64_t rocket_matmul_sums_bytes(const struct rocket_matmul_plan *plan,
				  const struct rocket_matmul_kind *kind);

/* What rocket_matmul_last_stats() gives this thread from now on. profiled: it counts for what is
 * printed at exit. */
void rocket_matmul_set_last_stats(const struct rocket_matmul_stats *stats, bool profiled);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * matmul_plan.h - how a large matmul becomes tiles, tasks and jobs.
 *
 * Pure: geometry, profile and settings in; a value out that can be printed, compared
 * and costed. All offsets are bytes inside the packed operand and result buffers.
 */
#ifndef ROCKET_PLAN_MATMUL_PLAN_H
#define ROCKET_PLAN_MATMUL_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../core/settings.h"
#include "../encode/matmul.h"
#include "rocket_hw_profile.h"

/* Registers hold 32-bit addresses: an fd's buffers share one window of this size. */
#define ROCKET_IOVA_WINDOW (UINT64_C(1) << 32)
/* The NPU accumulate program addresses its operand for 12 rows or more [silicon]. */
#define ROCKET_ACCUMULATE_ROWS_MIN 12
/* Most tasks one job carries. */
#define ROCKET_JOB_TASKS_MAX 64
/* Largest M, K and N. */
#define ROCKET_MATMUL_DIM_MAX (1 << 24)
/* Most workers a matmul is split over. */
#define ROCKET_SPLIT_MAX 8

struct rocket_matmul_tiles {
	int mt, kt, nt; /* tile extents */
	int nm, nk, nn; /* tile counts */
	bool streamed;  /* a tile of B is larger than the banks that it passes through */
};

/* Tile extents for M x K x N. Returns the tile count (> 0) or ROCKET_E_SHAPE with the
 * reason in why (may be NULL). */
int rocket_matmul_tile(enum rocket_matmul_type type, const struct rocket_hw_profile *hw,
		       const struct rocket_settings *set, int M, int K, int N,
		       struct rocket_matmul_tiles *out, char *why, size_t why_size);

/*
 * Canonical tiles are those of so many rows, whatever M is, so that no K or N of a tile depends on
 * it. From here on the planner's tiles stay the same, unless ROCKET_MM_MT asks for taller ones.
 */
#define ROCKET_CANONICAL_ROWS 256
/* Have tiles made for other rows cover these: none taller, and as many as it takes. */
void rocket_matmul_fit_rows(struct rocket_matmul_tiles *tiles, int rows);

/* What an entry asks of its tiles beyond what the planner finds best. */
struct rocket_matmul_limits {
	int kt_cap; /* longest K tile; below the K alignment: no limit */
	bool grouped;
	int group; /* grouped: consecutive k that share a scale; no K tile leaves its group */
};
/* The same within limits (NULL: none), which win over ROCKET_MM_KT. Groups are for int8 and
 * int4; those of int4 must keep their sums below int16, which clamps: 49 * group < 32767. */
int rocket_matmul_tile_within(enum rocket_matmul_type type, const struct rocket_hw_profile *hw,
			      const struct rocket_settings *set,
			      const struct rocket_matmul_limits *limits, int M, int K, int N,
			      struct rocket_matmul_tiles *out, char *why, size_t why_size);

/* Bytes from one packed tile of A to the next, and of all of them; the same of B. */
uint64_t rocket_matmul_input_slot(enum rocket_matmul_type type,
				  const struct rocket_matmul_tiles *tiles);
uint64_t rocket_matmul_input_bytes(enum rocket_matmul_type type,
				   const struct rocket_matmul_tiles *tiles);
uint64_t rocket_matmul_weight_slot(enum rocket_matmul_type type,
				   const struct rocket_matmul_tiles *tiles);
uint64_t rocket_matmul_weight_bytes(enum rocket_matmul_type type,
				    const struct rocket_matmul_tiles *tiles);

/* The result buffer that is C itself, in rows. */
#define ROCKET_OUT_ROWS 2

struct rocket_matmul_step {
	int item;                   /* of a batch */
	int m0, mt, n0, nt, k0, kt; /* tile origin and extent, elements */
	uint8_t a_part, b_part;     /* of the operands */
	uint8_t weight_reuse, data_reuse, accumulate;
	uint8_t out_bo, add_bo; /* result buffer 0 or 1, or ROCKET_OUT_ROWS */
	uint64_t in_off, wt_off, out_off, add_off;
};

struct rocket_matmul_job {
	uint32_t first, count; /* steps */
	uint8_t chained;       /* one kick */
};

struct rocket_matmul_plan {
	enum rocket_matmul_type type;
	int M, K, N;
	int items; /* products of this shape, one after the other in every buffer */
	/* Parts of A, and of B, one after the other in the buffer of an item. The products of each
	 * of A with each of B are jobs that follow each other, of the same tiles. */
	int parts;
	struct rocket_matmul_tiles tiles;
	int a_row, c_row; /* A and C are rows of so many elements; 0: packed tiles */
	uint64_t in_slot, wt_slot, out_slot;       /* bytes per packed tile */
	uint64_t in_bytes, wt_bytes, out_bytes[2]; /* whole buffers, without the over-read tail */
	uint8_t device_accumulates; /* K partials are added on the NPU; else the host adds each step
				     */
	bool pipelined; /* a job may run while the results of the one before are taken */
	int reuse;      /* enum rocket_reuse_setting, of what the steps mark */
	uint32_t n_steps, n_jobs;
	struct rocket_matmul_step *steps;
	struct rocket_matmul_job *jobs;
	/* With device_accumulates: steps whose output is a finished tile are those with
	 * k0 + kt == K. Otherwise every step's output is added to the host accumulator, in
	 * order, after its job. */
};

/*
 * Whole plan. batched: the device can run a chain in one kick. M must already be
 * padded (M = 1 is planned as 4). Free with rocket_matmul_plan_free(). Returns 0, or
 * with the reason in why and *plan empty:
 *   ROCKET_E_SHAPE  as rocket_matmul_tile()
 *   ROCKET_E_NOMEM  no host memory, or the buffers exceed the 4 GiB window of one fd
 *
 * What it reads of the settings, by the variable that sets it:
 *   ROCKET_KACC=0, ROCKET_NO_KACC  kacc 0: fp16 partials are added on the host
 *   ROCKET_REUSE=0|1|2             reuse OFF, WEIGHT or DATA; unset is AUTO, which picks
 *                                  an operand for NPU accumulation and is OFF otherwise
 *   ROCKET_KACC_BATCHOUT=1         kacc_batchout: buffers of partials for 64 tiles, not for those
 *                                  there are
 *   ROCKET_MM_PIPE=1               mm_pipe: where the host adds, jobs take turns with two result
 *                                  buffers
 *   ROCKET_BATCH_SUBMIT=1          batch_submit: jobs are chained (needs batched; fp16 and
 *                                  int8, of which it is known to be exact)
 *   ROCKET_KACC_CHAIN=1|2          kacc_chain: all K steps in one kick (needs batched)
 *   ROCKET_MM_ASYM=0               mm_asym 0: keep square tiles
 *   ROCKET_MM_STREAM=1             mm_stream: fp16 operands take streamed tiles where they are
 *                                  fewer, unless one of the next three is set. Nothing of a
 *                                  streamed tile stays on chip, so reuse WEIGHT is OFF then
 *   ROCKET_MM_MT, _NT, _KT         mm_mt, mm_nt, mm_kt
 * and, of the driver, tasks_apart: reuse is OFF where jobs are not chained.
 * The defaults, with nothing set: kacc 1, reuse AUTO, mm_asym 1, the rest 0; a batch_submit that is
 * not set is not 1.
 */
int rocket_matmul_plan_make(enum rocket_matmul_type type, const struct rocket_hw_profile *hw,
			    const struct rocket_settings *set, int batched, int M, int K, int N,
			    struct rocket_matmul_plan *plan, char *why, size_t why_size);
/* The same for given tiles, and for `items` products of one shape. More than one are summed on the
 * host, and keep no operand on chip. The products of operands in parts (_parts) are summed there,
 * too, after the last of them: their jobs do not run while results are taken. */
int rocket_matmul_plan_tiles(enum rocket_matmul_type type, const struct rocket_settings *set,
			     int batched, int items, int M, int K, int N,
			     const struct rocket_matmul_tiles *tiles,
			     struct rocket_matmul_plan *plan, char *why, size_t why_size);
int rocket_matmul_plan_parts(enum rocket_matmul_type type, const struct rocket_settings *set,
			     int batched, int items, int parts, int M, int K, int N,
			     const struct rocket_matmul_tiles *tiles,
			     struct rocket_matmul_plan *plan, char *why, size_t why_size);
/*
 * The same for A and C in plain rows, offsets inside A and C. Types that are not known to be exact
 * in that form are ROCKET_E_UNSUPPORTED. K takes one tile, but for fp16 results, of which partials
 * are added on the NPU as long as no tile has fewer than 12 rows. A row of C has 128 KiB at most.
 */
int rocket_matmul_plan_rows(enum rocket_matmul_type type, const struct rocket_hw_profile *hw,
			    const struct rocket_settings *set, int batched, int M, int K, int N,
			    struct rocket_matmul_plan *plan, char *why, size_t why_size);
void rocket_matmul_plan_free(struct rocket_matmul_plan *plan);

/* One step per line, columns as in the golden plans. */
void rocket_matmul_plan_print(const struct rocket_matmul_plan *plan, FILE *out);

/* Column split: worker t owns [*n0, *n0 + *nsub); nsub 0 = no such worker. */
void rocket_matmul_split(int N, int threads, int align, int worker, int *n0, int *nsub);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * matmul_stats.h - where the host time of a matmul went, and what it asked of the NPU.
 */
#ifndef ROCKET_OPS_MATMUL_STATS_H
#define ROCKET_OPS_MATMUL_STATS_H

#include <stdint.h>

enum rocket_matmul_phase {
	ROCKET_PHASE_PREPARE, /* the plan, and buffers allocated or given back */
	ROCKET_PHASE_PACK,    /* operands into cubes, and handing them to the NPU */
	ROCKET_PHASE_ENCODE,  /* register programs */
	ROCKET_PHASE_SUBMIT,  /* kernel calls that queue jobs */
	ROCKET_PHASE_WAIT,    /* until results may be read */
	ROCKET_PHASE_UNPACK,  /* results into rows, host accumulation */
	ROCKET_PHASES,
};

/* "prepare", "pack", "encode", "submit", "wait", "unpack" */
const char *rocket_matmul_phase_name(enum rocket_matmul_phase phase);

/* A multi-worker call adds its workers up: phases are then thread time, not wall time. */
struct rocket_matmul_stats {
	uint64_t ns[ROCKET_PHASES];
	uint64_t total_ns;       /* whole call, wall clock */
	uint64_t packed_bytes;   /* written to operand buffers */
	uint64_t unpacked_bytes; /* read from result buffers */
	uint64_t device_bytes;   /* buffers allocated for the NPU */
	uint32_t tiles;          /* nm * nk * nn */
	uint32_t tasks, submits, kicks;
	int mt, kt, nt; /* tile extents (of the first worker) */
	int device_accumulates;
};

/* Of the last matmul this thread called that got as far as a plan; zero before. */
void rocket_matmul_last_stats(struct rocket_matmul_stats *out);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * workload.h - a product with its operands, run through the public interface and measured.
 */
#ifndef TOOLS_ROCKET_WORKLOAD_H
#define TOOLS_ROCKET_WORKLOAD_H

#include "lib/ops/matmul_stats.h"

#include "check.h"
#include "device.h"
#include "dtype.h"
#include "form.h"
#include "generate.h"
#include "tiling.h"

struct workload {
	const struct dtype *dtype;
	struct extent extent;
	const struct form *form;
	int threads; /* 0: the entry of one fd; else the one that opens its own */
	int group;   /* 0: no scales */
	void *A, *B, *C;
	float *a_scale, *b_scale; /* with a group */
	struct tiling tiling;
};

/* What one run did and took. */
struct measurement {
	double wall_us; /* the fastest of the runs */
	double mean_us;
	int runs;
	bool repeatable;                  /* every run gave the same bits */
	uint64_t submits, tasks;          /* of one run */
	struct rocket_matmul_stats stats; /* of the fastest run */
	bool counted;
	struct npu_counters counters; /* of one run; valid when counted */
};

/* Operands of the seed. The extents have been planned already. 0, or -1: no memory. */
int workload_make(struct workload *w, enum generate_data data, uint64_t seed);
void workload_free(struct workload *w);

/* Run it `repeat` times. A status of the library. */
int workload_run(struct workload *w, const struct device *device, int repeat,
		 struct measurement *m);
/* Every element against the reference. 0, or -1: no memory. */
int workload_check(const struct workload *w, struct check_result *result);

/* Floating point operations of the product. */
double workload_flop(const struct workload *w);

#endif

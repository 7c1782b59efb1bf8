/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tiling.h - how the library cuts one product, worker by worker.
 */
#ifndef TOOLS_ROCKET_TILING_H
#define TOOLS_ROCKET_TILING_H

#include "lib/plan/matmul_plan.h"

#include "check.h"
#include "dtype.h"
#include "form.h"
#include "report.h"

/* What is cut: form NULL is one call, group 0 no scales. */
struct tiling_request {
	const struct dtype *dtype;
	const struct form *form;
	struct extent extent;
	int threads, group; /* threads 0 and 1: one worker */
	int batched;
};

struct tiling {
	const struct dtype *dtype;
	struct extent extent;
	int workers;
	struct rocket_matmul_plan plans[CHECK_COLUMNS_MAX]; /* one per worker */
	struct check_columns columns[CHECK_COLUMNS_MAX];    /* what each of them computes */
};

/* 0, or a negative enum rocket_status with the reason in why. */
int tiling_make(struct tiling *t, const struct tiling_request *request,
		const struct rocket_hw_profile *hw, char *why, size_t why_size);
void tiling_free(struct tiling *t);

uint64_t tiling_tiles(const struct tiling *t);
uint64_t tiling_jobs(const struct tiling *t);
/* What the device will count when it carries the plans out. */
void tiling_counters(const struct tiling *t, struct npu_counters *counters);
/* Key "tiles". */
void tiling_report(struct report *r, const struct tiling *t);

#endif

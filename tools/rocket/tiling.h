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

/* What the driver makes of jobs. */
struct tiling_driver {
	bool batched;     /* can run a chain of tasks in one kick */
	bool native;      /* and does so unless ROCKET_BATCH_SUBMIT says otherwise */
	bool tasks_apart; /* tasks that are not chained are a SUBMIT each */
};
/* That of the device opened last. */
struct tiling_driver tiling_driver_open(void);
/* Of a name, "rocket" or "rknpu", as the package's newest; false: no such driver. */
bool tiling_driver_named(const char *name, struct tiling_driver *driver);

/* What is cut: form NULL is one call, group 0 no scales. */
struct tiling_request {
	const struct dtype *dtype;
	const struct form *form;
	struct extent extent;
	int threads, group; /* threads 0 and 1: one worker */
	struct tiling_driver driver;
};

struct tiling {
	const struct dtype *dtype;
	struct extent extent;
	struct tiling_driver driver;
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
/* SUBMIT calls. */
uint64_t tiling_submits(const struct tiling *t);
/* What the device will count when it carries the plans out. */
void tiling_counters(const struct tiling *t, struct npu_counters *counters);
/* Key "tiles". */
void tiling_report(struct report *r, const struct tiling *t);

#endif

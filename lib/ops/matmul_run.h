/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * matmul_run.h - what the matmul entries are made of.
 */
#ifndef ROCKET_OPS_MATMUL_RUN_H
#define ROCKET_OPS_MATMUL_RUN_H

#include <stddef.h>

#include "../core/device.h"
#include "../encode/matmul.h"
#include "matmul_stats.h"

struct rocket_matmul_call {
	const char *who; /* the public function, for messages */
	enum rocket_matmul_type type;
	int M, K, N;
	const void *a, *b;
	void *c;
	size_t c_row; /* elements from one row of C to the next */
};

/* Refuse what needs no device to see: NULL, misaligned or overlapping matrices, sizes that
 * overflow. Shapes are left to the planner. */
int rocket_matmul_check(const struct rocket_matmul_call *call);

/* Plan and run a checked call. Adds to *stats. Returns a status, its reason logged. */
int rocket_matmul_run(int fd, struct rocket_device *dev, const struct rocket_matmul_call *call,
		      struct rocket_matmul_stats *stats);

/* Host bytes of one element of C. */
size_t rocket_matmul_c_bytes(enum rocket_matmul_type type);

/* M as it is planned: the hardware needs 4 rows, a single one is padded. */
static inline int rocket_matmul_padded_rows(int M)
{
	return M == 1 ? 4 : M;
}

uint64_t rocket_matmul_now_ns(void);
/* What rocket_matmul_last_stats() gives this thread from now on. */
void rocket_matmul_set_last_stats(const struct rocket_matmul_stats *stats);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * published.h - products whose speed on a board is published: what the estimates can be held to.
 */
#ifndef TOOLS_ROCKET_PUBLISHED_H
#define TOOLS_ROCKET_PUBLISHED_H

#include "estimate.h"

struct published {
	const char *dtype;
	enum rocket_matmul_type type;
	int M, K, N, workers;
	double gops; /* of wall time */
};

/* The figure for a type, or NULL: there is none. */
const struct published *published_of(const char *dtype);
double published_wall_us(const struct published *p);
/* The device time of its plan, by this estimate. False: it cannot be made. */
bool published_estimate(const struct published *p, enum npu_cost_type cost, struct estimate *e);

/* How far the estimates of a type are from its figure. Key "published". */
void published_report(struct report *r, const struct dtype *dtype);

#endif

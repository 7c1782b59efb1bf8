/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * latency.h - how long many things took: counts in buckets, each 1/32 wider than the last.
 *
 * A fixed size and no pointer, so one may lie in memory that processes share.
 */
#ifndef BENCH_LATENCY_H
#define BENCH_LATENCY_H

#include <stdint.h>

#define LATENCY_STEPS   32u /* from a power of two to the next */
#define LATENCY_BUCKETS (60u * LATENCY_STEPS)

struct latency {
	uint64_t count[LATENCY_BUCKETS];
	uint64_t total, max_ns, sum_ns;
};

void latency_add(struct latency *l, uint64_t ns);
void latency_merge(struct latency *to, const struct latency *from);
/* What percent of all took at most: at most 1/32 too much. 0 when there are none. */
uint64_t latency_percentile(const struct latency *l, double percent);

#endif

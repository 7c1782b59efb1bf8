// SPDX-License-Identifier: LGPL-2.1-or-later
/* latency.c - see latency.h. */
#include "latency.h"

#include <math.h>

#define STEP_BITS 5

/* Below LATENCY_STEPS every value has a bucket of its own. */
static unsigned bucket_of(uint64_t ns)
{
	unsigned shift;

	if (ns < LATENCY_STEPS)
		return (unsigned)ns;
	shift = 63u - (unsigned)__builtin_clzll(ns) - STEP_BITS;
	return (shift + 1) * LATENCY_STEPS + (unsigned)(ns >> shift) % LATENCY_STEPS;
}

static uint64_t last_of(unsigned bucket)
{
	unsigned shift = bucket / LATENCY_STEPS - 1;

	if (bucket < LATENCY_STEPS)
		return bucket;
	return ((uint64_t)(LATENCY_STEPS + bucket % LATENCY_STEPS + 1) << shift) - 1;
}

void latency_add(struct latency *l, uint64_t ns)
{
	l->count[bucket_of(ns)]++;
	l->total++;
	l->sum_ns += ns;
	if (ns > l->max_ns)
		l->max_ns = ns;
}

void latency_merge(struct latency *to, const struct latency *from)
{
	for (unsigned i = 0; i < LATENCY_BUCKETS; i++)
		to->count[i] += from->count[i];
	to->total += from->total;
	to->sum_ns += from->sum_ns;
	if (from->max_ns > to->max_ns)
		to->max_ns = from->max_ns;
}

uint64_t latency_percentile(const struct latency *l, double percent)
{
	const uint64_t rank = (uint64_t)ceil((double)l->total * percent / 100);
	uint64_t seen = 0;

	for (unsigned i = 0; i < LATENCY_BUCKETS && l->total; i++) {
		seen += l->count[i];
		if (seen >= rank && l->count[i])
			return last_of(i) < l->max_ns ? last_of(i) : l->max_ns;
	}
	return l->max_ns;
}

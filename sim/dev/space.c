// SPDX-License-Identifier: LGPL-2.1-or-later
/* space.c - an IOVA window of 4 GiB. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

#define WINDOW ((uint64_t)1 << 32)

int sim_space_init(struct sim_space *s)
{
	memset(s, 0, sizeof(*s));
	return -pthread_rwlock_init(&s->lock, NULL);
}

void sim_space_fini(struct sim_space *s)
{
	pthread_rwlock_destroy(&s->lock);
	free(s->extents);
}

static int reserve(struct sim_space *s)
{
	size_t capacity = s->capacity ? 2 * s->capacity : 16;
	struct sim_extent *e;

	if (s->n < s->capacity)
		return 0;
	e = realloc(s->extents, capacity * sizeof(*e));
	if (!e)
		return -ENOMEM;
	s->extents = e;
	s->capacity = capacity;
	return 0;
}

/* Index to insert at, and *start; -1 when no hole is large enough. */
static ssize_t best_hole(const struct sim_space *s, uint64_t size, uint64_t *start)
{
	uint64_t best = WINDOW + 1;
	ssize_t at = -1;

	for (size_t i = 0; i <= s->n; i++) {
		uint64_t from = i ? s->extents[i - 1].end : 0;
		uint64_t to = i < s->n ? s->extents[i].start : WINDOW;

		if (to - from < size || (!s->top_down && to - from >= best))
			continue;
		best = to - from;
		at = (ssize_t)i;
		*start = s->top_down ? to - size : from;
	}
	return at;
}

int sim_space_insert(struct sim_space *s, struct sim_bo *bo)
{
	uint64_t start = 0;
	ssize_t at;
	int r;

	pthread_rwlock_wrlock(&s->lock);
	r = reserve(s);
	if (r)
		goto out;
	at = best_hole(s, bo->size, &start);
	if (at < 0) {
		r = -ENOSPC;
		goto out;
	}
	memmove(s->extents + at + 1, s->extents + at, (s->n - (size_t)at) * sizeof(*s->extents));
	s->extents[at] = (struct sim_extent){ start, start + bo->size, bo };
	s->n++;
	bo->iova = (uint32_t)start;
out:
	pthread_rwlock_unlock(&s->lock);
	return r;
}

/* Index of the first extent that ends above iova. */
static size_t find(const struct sim_space *s, uint64_t iova)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->extents[mid].end > iova)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

void sim_space_remove(struct sim_space *s, const struct sim_bo *bo)
{
	size_t i;

	pthread_rwlock_wrlock(&s->lock);
	i = find(s, bo->iova);
	if (i < s->n && s->extents[i].bo == bo) {
		s->n--;
		memmove(s->extents + i, s->extents + i + 1, (s->n - i) * sizeof(*s->extents));
	}
	pthread_rwlock_unlock(&s->lock);
}

void *sim_space_map(void *ctx, uint32_t iova, uint32_t *len, bool write)
{
	struct sim_space *s = ctx;
	void *p = NULL;
	size_t i;

	(void)write; /* the driver maps every buffer for both */
	pthread_rwlock_rdlock(&s->lock);
	i = find(s, iova);
	if (i < s->n && s->extents[i].start <= iova) {
		uint64_t left = s->extents[i].end - iova;

		p = s->extents[i].bo->mem + (iova - s->extents[i].start);
		*len = left > UINT32_MAX ? UINT32_MAX : (uint32_t)left;
	}
	pthread_rwlock_unlock(&s->lock);
	return p;
}

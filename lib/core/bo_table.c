// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bo_table.h"

struct rocket_bo_table {
	pthread_mutex_t lock;
	rocket_bo *bos; /* ascending dma_address, not overlapping */
	size_t n, capacity;
};

struct rocket_bo_table *rocket_bo_table_new(void)
{
	struct rocket_bo_table *t = calloc(1, sizeof(*t));

	if (t)
		pthread_mutex_init(&t->lock, NULL);
	return t;
}

void rocket_bo_table_free(struct rocket_bo_table *t)
{
	if (!t)
		return;
	pthread_mutex_destroy(&t->lock);
	free(t->bos);
	free(t);
}

/* Index of the first buffer that ends above iova. */
static size_t find(const struct rocket_bo_table *t, uint64_t iova)
{
	size_t lo = 0, hi = t->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->bos[mid].dma_address + t->bos[mid].size > iova)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static int reserve(struct rocket_bo_table *t)
{
	size_t capacity = t->capacity ? 2 * t->capacity : 16;
	rocket_bo *bos;

	if (t->n < t->capacity)
		return 0;
	bos = realloc(t->bos, capacity * sizeof(*bos));
	if (!bos)
		return -ENOMEM;
	t->bos = bos;
	t->capacity = capacity;
	return 0;
}

int rocket_bo_table_add(struct rocket_bo_table *t, const rocket_bo *bo)
{
	int r;

	pthread_mutex_lock(&t->lock);
	r = reserve(t);
	if (!r) {
		size_t i = find(t, bo->dma_address);

		memmove(t->bos + i + 1, t->bos + i, (t->n - i) * sizeof(*bo));
		t->bos[i] = *bo;
		t->n++;
	}
	pthread_mutex_unlock(&t->lock);
	return r;
}

bool rocket_bo_table_remove(struct rocket_bo_table *t, const rocket_bo *bo)
{
	bool found;
	size_t i;

	pthread_mutex_lock(&t->lock);
	i = find(t, bo->dma_address);
	found = i < t->n && t->bos[i].handle == bo->handle && t->bos[i].ptr == bo->ptr &&
		t->bos[i].dma_address == bo->dma_address && t->bos[i].size == bo->size;
	if (found) {
		t->n--;
		memmove(t->bos + i, t->bos + i + 1, (t->n - i) * sizeof(*bo));
	}
	pthread_mutex_unlock(&t->lock);
	return found;
}

bool rocket_bo_table_pop(struct rocket_bo_table *t, rocket_bo *out)
{
	bool found;

	pthread_mutex_lock(&t->lock);
	found = t->n > 0;
	if (found)
		*out = t->bos[--t->n];
	pthread_mutex_unlock(&t->lock);
	return found;
}

void rocket_bo_table_lock(struct rocket_bo_table *t)
{
	pthread_mutex_lock(&t->lock);
}

void rocket_bo_table_unlock(struct rocket_bo_table *t)
{
	pthread_mutex_unlock(&t->lock);
}

const void *rocket_bo_table_ptr(const struct rocket_bo_table *t, uint64_t iova, uint64_t size)
{
	size_t i = find(t, iova);
	const rocket_bo *bo = &t->bos[i];

	if (i == t->n || iova < bo->dma_address || size > bo->dma_address + bo->size - iova)
		return NULL;
	return (const char *)bo->ptr + (iova - bo->dma_address);
}

bool rocket_bo_table_mapped(const struct rocket_bo_table *t, uint64_t iova, uint64_t size)
{
	for (size_t i = find(t, iova); size; i++) {
		uint64_t here;

		if (i == t->n || iova < t->bos[i].dma_address)
			return false;
		here = t->bos[i].dma_address + t->bos[i].size - iova;
		if (size <= here)
			break;
		iova += here;
		size -= here;
	}
	return true;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* count.c - see count.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "count.h"

/* What is smaller is a variable being initialised. */
#define SMALLEST_CLEARED 512

static _Thread_local struct counts counted;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_memset(void *p, int value, size_t size);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_memset(void *p, int value, size_t size);

void *__wrap_malloc(size_t size)
{
	counted.allocations++;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	counted.allocations++;
	return __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	counted.allocations++;
	return __real_realloc(p, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	counted.allocations++;
	return __real_aligned_alloc(alignment, size);
}

void *__wrap_memset(void *p, int value, size_t size)
{
	if (!value && size >= SMALLEST_CLEARED)
		counted.zeroed += size;
	return __real_memset(p, value, size);
}

struct counts counts_now(void)
{
	struct counts now = counted;
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	now.faults = (unsigned long)(usage.ru_minflt + usage.ru_majflt);
	return now;
}

struct counts counts_since(const struct counts *then)
{
	struct counts now = counts_now();

	now.allocations -= then->allocations;
	now.zeroed -= then->zeroed;
	now.faults -= then->faults;
	return now;
}

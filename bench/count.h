/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * count.h - what a stretch of a program asked of its allocator and its kernel.
 *
 * Allocations and clearing are seen by the linker's --wrap (bench_count_flags of bench/files.mk),
 * so those of the objects of the program itself are: the library's, not libc's own.
 */
#ifndef BENCH_COUNT_H
#define BENCH_COUNT_H

#include <stddef.h>

struct counts {
	unsigned long allocations; /* malloc, calloc, realloc, aligned_alloc of this thread */
	unsigned long
		zeroed; /* bytes that memset() cleared on this thread, but for small structs */
	unsigned long faults; /* pages, of the process */
};

/* Since the program began. */
struct counts counts_now(void);
struct counts counts_since(const struct counts *then);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pool.h - worker threads that stay, for operations that use several fds.
 *
 * The first use creates them; a later call creates only what is missing. A child of
 * fork() starts with an empty pool of its own.
 */
#ifndef ROCKET_CORE_POOL_H
#define ROCKET_CORE_POOL_H

#define ROCKET_POOL_MAX 64

/*
 * Call fn(arg, i) once for every i in 0..n-1, each on a worker pinned as worker i
 * (rocket_npu.h, worker placement, with the base of the calling thread), and wait for all.
 * An item that finds no thread runs in the caller after the others were started.
 * Items must not wait for each other. n is at most ROCKET_POOL_MAX.
 *
 * Returns the result of the last item (highest i) that was not 0, else 0.
 * Any number of threads may call this at once.
 */
int rocket_pool_run(unsigned n, int (*fn)(void *arg, unsigned i), void *arg);

/* Threads alive now. */
unsigned rocket_pool_threads(void);

/* End and join every idle thread; a later call starts anew. Runs when the library is unloaded. */
void rocket_pool_shutdown(void);

#endif

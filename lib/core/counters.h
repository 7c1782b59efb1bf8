/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* counters.h - process-wide counts behind the public counter functions. */
#ifndef ROCKET_CORE_COUNTERS_H
#define ROCKET_CORE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

/* So many SUBMIT calls, of n_tasks tasks, reached the kernel. */
void rocket_count_submit(uint64_t calls, uint64_t n_tasks);
/* One wait with a timeout took us microseconds. */
void rocket_count_wait(uint64_t us, bool slow);

#endif

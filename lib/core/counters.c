// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdatomic.h>
#include <stddef.h>

#include "counters.h"
#include "rocket_npu.h"

static _Atomic uint64_t submits, tasks, waits, slow_waits, longest_us;

void rocket_count_submit(uint64_t calls, uint64_t n_tasks)
{
	atomic_fetch_add(&submits, calls);
	atomic_fetch_add(&tasks, n_tasks);
}

void rocket_count_wait(uint64_t us, bool slow)
{
	uint64_t seen = atomic_load(&longest_us);

	atomic_fetch_add(&waits, 1);
	if (slow)
		atomic_fetch_add(&slow_waits, 1);
	while (us > seen && !atomic_compare_exchange_weak(&longest_us, &seen, us))
		;
}

uint64_t rocket_submit_ioctl_count(void)
{
	return atomic_load(&submits);
}

uint64_t rocket_submit_task_count(void)
{
	return atomic_load(&tasks);
}

void rocket_submit_counters_reset(void)
{
	atomic_store(&submits, 0);
	atomic_store(&tasks, 0);
}

uint64_t rocket_fence_wait_count(void)
{
	return atomic_load(&waits);
}

uint64_t rocket_fence_wait_slow_count(void)
{
	return atomic_load(&slow_waits);
}

uint64_t rocket_fence_wait_max_us(void)
{
	return atomic_load(&longest_us);
}

void rocket_fence_wait_counters_reset(void)
{
	atomic_store(&waits, 0);
	atomic_store(&slow_waits, 0);
	atomic_store(&longest_us, 0);
}

/* The RK3576 write guard has no encoder to guard in this tree, so nothing ever retires. */
void rocket_rk3576_retired_counts(uint64_t *unwritten, uint64_t *written)
{
	if (unwritten)
		*unwritten = 0;
	if (written)
		*written = 0;
}

void rocket_rk3576_retired_counts_reset(void)
{
}

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __ROCKET_STATS_H__
#define __ROCKET_STATS_H__

#include <linux/atomic.h>
#include <linux/types.h>

struct drm_device;
struct drm_file;
struct drm_printer;
struct rocket_core;
struct rocket_job;

#define ROCKET_STATS_CORES 3

/**
 * struct rocket_stats - what a core did; under its job_lock
 * @kicks: programs, or chains of programs, that were started
 * @jobs: jobs that ended well
 * @failed: jobs that did not, each with a reset of the core
 * @busy_ns: time with a job in flight
 */
struct rocket_stats {
	u64 kicks;
	u64 jobs;
	u64 failed;
	u64 busy_ns;
};

/**
 * struct rocket_usage - what a file used
 * @busy_ns: time of its jobs, by number of the core
 */
struct rocket_usage {
	atomic64_t busy_ns[ROCKET_STATS_CORES];
};

/* A job goes to the hardware, gets a kick, leaves the hardware; all under job_lock. */
void rocket_stats_start(struct rocket_core *core, struct rocket_job *job);
void rocket_stats_kick(struct rocket_core *core, struct rocket_job *job, u32 tasks);
void rocket_stats_end(struct rocket_core *core, struct rocket_job *job, int error);

void rocket_show_fdinfo(struct drm_printer *p, struct drm_file *file);
void rocket_stats_debugfs(struct drm_device *dev);

#endif

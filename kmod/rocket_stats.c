// SPDX-License-Identifier: GPL-2.0-only
/* What the cores do, for those who look. */

#include <drm/drm_debugfs.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>
#include <linux/array_size.h>
#include <linux/cleanup.h>
#include <linux/clk.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/pm_runtime.h>
#include <linux/regulator/consumer.h>
#include <linux/seq_file.h>

#include "rocket_clk.h"
#include "rocket_device.h"
#include "rocket_drv.h"
#include "rocket_job.h"
#include "rocket_stats.h"
#include "rocket_trace.h"

void rocket_stats_start(struct rocket_core *core, struct rocket_job *job)
{
	job->started = ktime_get();
}

void rocket_stats_kick(struct rocket_core *core, struct rocket_job *job, u32 tasks)
{
	core->stats.kicks++;
	trace_rocket_kick(core->index, job->inference_done_fence, core->kick_regcmd, tasks);
}

void rocket_stats_end(struct rocket_core *core, struct rocket_job *job, int error)
{
	s64 ns = ktime_to_ns(ktime_sub(ktime_get(), job->started));

	core->stats.busy_ns += ns;
	if (core->index < ROCKET_STATS_CORES)
		atomic64_add(ns, &job->domain->usage.busy_ns[core->index]);

	if (error)
		core->stats.failed++;
	else
		core->stats.jobs++;

	trace_rocket_job_end(core->index, job->inference_done_fence, ns, error);
}

void rocket_show_fdinfo(struct drm_printer *p, struct drm_file *file)
{
	struct rocket_file_priv *priv = file->driver_priv;

	for (unsigned int i = 0; i < ROCKET_STATS_CORES; i++)
		drm_printf(p, "drm-engine-npu%u:\t%lld ns\n", i,
			   atomic64_read(&priv->domain->usage.busy_ns[i]));

	drm_show_memory_stats(p, file);
}

static void rocket_stats_show_core(struct seq_file *m, struct rocket_core *core)
{
	struct rocket_stats stats;

	scoped_guard(mutex, &core->job_lock)
		stats = core->stats;

	seq_printf(m, "core%u: %s kicks=%llu jobs=%llu failed=%llu busy_ns=%llu\n", core->index,
		   pm_runtime_suspended(core->dev) ? "suspended" : "active", stats.kicks,
		   stats.jobs, stats.failed, stats.busy_ns);
}

/*
 * The clock is what was asked for last. What the ring oscillator makes of it depends on the
 * rail, the temperature and the chip, and nothing the CPU can read tells.
 */
static int rocket_stats_show(struct seq_file *m, void *unused)
{
	struct drm_debugfs_entry *entry = m->private;
	struct rocket_device *rdev = to_rocket_device(entry->dev);
	struct rocket_core *first;

	guard(mutex)(&rdev->sched_lock);

	first = rocket_device_ready_core(rdev);
	if (!first)
		return 0;

	seq_printf(m, "clock_request_hz: %lu\n", clk_get_rate(first->power.clk));
	seq_printf(m, "clock_raised_hz: %lu\n", rocket_clk_raised());
	if (first->power.npu)
		seq_printf(m, "rail_uv: %d\n", regulator_get_voltage(first->power.npu));

	for (unsigned int i = 0; i < rdev->max_cores; i++) {
		if (rdev->cores[i].ready)
			rocket_stats_show_core(m, &rdev->cores[i]);
	}

	return 0;
}

static const struct drm_debugfs_info rocket_stats_files[] = {
	{ "npu", rocket_stats_show, 0 },
};

void rocket_stats_debugfs(struct drm_device *dev)
{
	drm_debugfs_add_files(dev, rocket_stats_files, ARRAY_SIZE(rocket_stats_files));
}

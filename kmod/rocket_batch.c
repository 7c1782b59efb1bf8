// SPDX-License-Identifier: GPL-2.0-only
/*
 * Batched jobs: their programs are chained to one another, and one kick runs them all. The PC
 * counts the ends of tasks and raises one interrupt after the last.
 */

#include <drm/drm_print.h>
#include <drm/rocket_accel.h>
#include <linux/compiler.h>
#include <linux/moduleparam.h>

#include "rocket_batch.h"
#include "rocket_job.h"
#include "rocket_registers.h"

/* The field of TASK_CON that counts tasks. */
#define ROCKET_MAX_BATCH (PC_TASK_CON_TASK_NUMBER__MASK >> PC_TASK_CON_TASK_NUMBER__SHIFT)

/* An int, since clients read it as a number. */
static int rocket_batch_submit = 1;
module_param(rocket_batch_submit, int, 0644);
MODULE_PARM_DESC(rocket_batch_submit, "Accept batched jobs (default: 1)");

/*
 * A job that cannot be batched is refused: run task by task, a chained program would stall or
 * run into its successor.
 */
int rocket_batch_check(struct drm_device *dev, const struct drm_rocket_job *job)
{
	if (!(job->flags & DRM_ROCKET_JOB_BATCHED) || job->task_count == 1)
		return 0;

	if (!READ_ONCE(rocket_batch_submit)) {
		drm_dbg(dev, "Batched jobs are switched off by rocket_batch_submit.\n");
		return -EOPNOTSUPP;
	}

	if (job->task_count > ROCKET_MAX_BATCH) {
		drm_dbg(dev, "A batched job has %u tasks, more than %u.\n", job->task_count,
			ROCKET_MAX_BATCH);
		return -EINVAL;
	}

	return 0;
}

u32 rocket_batch_kick_tasks(const struct rocket_job *job)
{
	return job->flags & DRM_ROCKET_JOB_BATCHED ? job->task_count : 1;
}

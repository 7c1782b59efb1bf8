/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __ROCKET_BATCH_H__
#define __ROCKET_BATCH_H__

#include <linux/types.h>

struct drm_device;
struct drm_rocket_job;
struct rocket_job;

/* Whether the hardware can run a job the way its flags ask for; an error otherwise. */
int rocket_batch_check(struct drm_device *dev, const struct drm_rocket_job *job);

/* How many of the job's tasks one kick runs. */
u32 rocket_batch_kick_tasks(const struct rocket_job *job);

#endif

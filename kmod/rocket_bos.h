/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __ROCKET_BOS_H__
#define __ROCKET_BOS_H__

#include <linux/types.h>

struct drm_gem_object;
struct rocket_job;

/*
 * Every buffer of a job once: first the written ones, then those that are only read. A buffer
 * named as both is written. @bos has room for all handles of the job. Returns how many there
 * are; @writes of them are written.
 */
u32 rocket_bos_collect(const struct rocket_job *job, struct drm_gem_object **bos, u32 *writes);

#endif

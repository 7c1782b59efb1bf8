/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __ROCKET_ERROR_H__
#define __ROCKET_ERROR_H__

#include <linux/types.h>

struct drm_gem_object;
struct rocket_job;

/*
 * Whether a buffer holds what the jobs that write it should have left there. A buffer's error
 * is set before the fence of the job that failed signals, and lasts until what it holds is
 * somebody else's doing.
 */

/* A new job that writes these buffers is about to be queued, or the CPU has written them. */
void rocket_error_clear(struct drm_gem_object **bos, u32 count);

/* The job ends with an error: what it was to write is not valid. Counts once. */
void rocket_error_mark(struct rocket_job *job);

/* The job is about to run: what it makes of invalid inputs is not valid either. */
void rocket_error_inherit(struct rocket_job *job);

/* 0, or -EIO for a buffer that is not valid. */
int rocket_error_of(struct drm_gem_object *obj);

#endif

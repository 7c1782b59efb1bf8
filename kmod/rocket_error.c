// SPDX-License-Identifier: GPL-2.0-only
/* Failed jobs, as the users of their buffers see them. */

#include <linux/compiler.h>

#include "rocket_error.h"
#include "rocket_gem.h"
#include "rocket_job.h"

/*
 * The fences in a reservation are no place for this: one that has signalled is dropped or
 * replaced at any time.
 */
void rocket_error_clear(struct drm_gem_object **bos, u32 count)
{
	for (u32 i = 0; i < count; i++)
		WRITE_ONCE(to_rocket_bo(bos[i])->invalid, false);
}

void rocket_error_mark(struct rocket_job *job)
{
	if (job->outputs_invalid)
		return;

	job->outputs_invalid = true;
	for (u32 i = 0; i < job->out_bo_count; i++)
		WRITE_ONCE(to_rocket_bo(job->out_bos[i])->invalid, true);
}

void rocket_error_inherit(struct rocket_job *job)
{
	for (u32 i = 0; i < job->in_bo_count; i++) {
		if (READ_ONCE(to_rocket_bo(job->in_bos[i])->invalid)) {
			rocket_error_mark(job);
			return;
		}
	}
}

int rocket_error_of(struct drm_gem_object *obj)
{
	return READ_ONCE(to_rocket_bo(obj)->invalid) ? -EIO : 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* The set of buffers that a job names. */

#include <linux/bsearch.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "rocket_bos.h"
#include "rocket_job.h"

static int rocket_bo_cmp(const void *a, const void *b)
{
	const struct drm_gem_object *x = *(struct drm_gem_object *const *)a;
	const struct drm_gem_object *y = *(struct drm_gem_object *const *)b;

	return x < y ? -1 : x > y;
}

/* Sort @bos, and drop repeated ones and those in the sorted array @known. */
static u32 rocket_bos_unique(struct drm_gem_object **bos, u32 count, struct drm_gem_object **known,
			     u32 known_count)
{
	u32 kept = 0;

	sort(bos, count, sizeof(*bos), rocket_bo_cmp, NULL);

	for (u32 i = 0; i < count; i++) {
		if (kept && bos[kept - 1] == bos[i])
			continue;
		if (bsearch(&bos[i], known, known_count, sizeof(*known), rocket_bo_cmp))
			continue;
		bos[kept++] = bos[i];
	}

	return kept;
}

u32 rocket_bos_collect(const struct rocket_job *job, struct drm_gem_object **bos, u32 *writes)
{
	u32 reads;

	memcpy(bos, job->out_bos, job->out_bo_count * sizeof(*bos));
	*writes = rocket_bos_unique(bos, job->out_bo_count, bos, 0);

	memcpy(bos + *writes, job->in_bos, job->in_bo_count * sizeof(*bos));
	reads = rocket_bos_unique(bos + *writes, job->in_bo_count, bos, *writes);

	return *writes + reads;
}

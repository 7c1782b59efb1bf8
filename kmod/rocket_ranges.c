// SPDX-License-Identifier: GPL-2.0-only
/* Cache maintenance for parts of a buffer. */

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>
#include <drm/rocket_accel.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "rocket_error.h"
#include "rocket_gem.h"
#include "rocket_ranges.h"

#define ROCKET_MAX_RANGES 1024

typedef void (*rocket_sync_fn)(struct device *dev, dma_addr_t addr, size_t size,
			       enum dma_data_direction dir);

/* Ascending, apart, inside the buffer. */
static bool rocket_ranges_are_valid(const struct drm_rocket_bo_range *ranges, u32 count, u64 size)
{
	u64 end = 0;

	for (u32 i = 0; i < count; i++) {
		if (ranges[i].size == 0 || ranges[i].offset < end ||
		    check_add_overflow(ranges[i].offset, ranges[i].size, &end) || end > size)
			return false;
	}

	return true;
}

/* NULL for no ranges, which is the whole buffer. To be freed with kfree(). */
static struct drm_rocket_bo_range *rocket_ranges_get(struct drm_device *dev, u64 user, u32 count,
						     const struct drm_gem_object *obj)
{
	struct drm_rocket_bo_range *ranges;

	if (count == 0)
		return NULL;

	if (count > ROCKET_MAX_RANGES) {
		drm_dbg(dev, "%u ranges are more than %u.\n", count, ROCKET_MAX_RANGES);
		return ERR_PTR(-EINVAL);
	}

	ranges = memdup_array_user(u64_to_user_ptr(user), count, sizeof(*ranges));
	if (IS_ERR(ranges))
		return ranges;

	if (!rocket_ranges_are_valid(ranges, count, obj->size)) {
		drm_dbg(dev, "Ranges should ascend inside the buffer and not overlap.\n");
		kfree(ranges);
		return ERR_PTR(-EINVAL);
	}

	return ranges;
}

/* What is contiguous for the device need not be for the CPU, except within a page. */
static void rocket_sync_span(struct device *dev, dma_addr_t addr, u64 size, rocket_sync_fn sync)
{
	while (size) {
		size_t part = min_t(u64, size, PAGE_SIZE - offset_in_page(addr));

		sync(dev, addr, part, DMA_BIDIRECTIONAL);
		addr += part;
		size -= part;
	}
}

/* One pass: ranges and segments both ascend. */
static void rocket_ranges_sync(struct device *dev, struct sg_table *sgt,
			       const struct drm_rocket_bo_range *ranges, u32 count,
			       rocket_sync_fn sync)
{
	const struct drm_rocket_bo_range *r = ranges, *last = ranges + count;
	struct scatterlist *sg;
	u64 start = 0;
	int i;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		u64 end = start + sg_dma_len(sg);

		for (; r < last && r->offset < end; r++) {
			u64 from = max(r->offset, start);
			u64 to = min(r->offset + r->size, end);

			rocket_sync_span(dev, sg_dma_address(sg) + (from - start), to - from, sync);

			/* Goes on in the next segment. */
			if (r->offset + r->size > end)
				break;
		}

		if (r == last)
			return;
		start = end;
	}
}

/* To the CPU when its jobs are done, or at the time given; without one, back to the NPU. */
static int rocket_ranges_move(struct drm_device *dev, struct drm_file *file, u32 handle, u64 user,
			      u32 count, const s64 *timeout_ns)
{
	rocket_sync_fn sync = timeout_ns ? dma_sync_single_for_cpu : dma_sync_single_for_device;
	struct drm_rocket_bo_range *ranges;
	struct drm_gem_object *obj;
	struct sg_table *sgt;
	int ret = 0;

	obj = drm_gem_object_lookup(file, handle);
	if (!obj)
		return -ENOENT;

	ranges = rocket_ranges_get(dev, user, count, obj);
	if (IS_ERR(ranges)) {
		ret = PTR_ERR(ranges);
		goto out_put;
	}

	if (timeout_ns)
		ret = rocket_gem_wait(obj, *timeout_ns);

	sgt = to_rocket_bo(obj)->base.sgt;
	if (ranges)
		rocket_ranges_sync(dev->dev, sgt, ranges, count, sync);
	else if (timeout_ns)
		dma_sync_sgtable_for_cpu(dev->dev, sgt, DMA_BIDIRECTIONAL);
	else
		dma_sync_sgtable_for_device(dev->dev, sgt, DMA_BIDIRECTIONAL);

	/* What it holds is the caller's from now on. */
	if (!timeout_ns)
		rocket_error_clear(&obj, 1);

	kfree(ranges);
out_put:
	drm_gem_object_put(obj);

	return ret;
}

int rocket_ioctl_prep_bo_ranges(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct drm_rocket_prep_bo_ranges *args = data;

	if (args->reserved != 0)
		return -EINVAL;

	return rocket_ranges_move(dev, file, args->handle, args->ranges, args->range_count,
				  &args->timeout_ns);
}

int rocket_ioctl_fini_bo_ranges(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct drm_rocket_fini_bo_ranges *args = data;

	if (args->reserved != 0)
		return -EINVAL;

	return rocket_ranges_move(dev, file, args->handle, args->ranges, args->range_count, NULL);
}

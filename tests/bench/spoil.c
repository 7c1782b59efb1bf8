// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Stands between core_scaling and the device and spoils what SPOIL names: "result", the last
 * element of a batch, or "status", what the driver stores for the last task that it is given.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/scaling/device.h"
#include "drm/rknpu_ioctl.h"

int __real_scaling_image_take(struct scaling_image *image);
int __wrap_scaling_image_take(struct scaling_image *image);
int __real_scaling_device_open(struct scaling_device *dev, const enum scaling_dispatch *wanted);
int __wrap_scaling_device_open(struct scaling_device *dev, const enum scaling_dispatch *wanted);

static const struct rocket_kernel *real;
static struct rknpu_task *mapped_last; /* the tasks: they are mapped after every buffer */

static bool spoils(const char *what)
{
	const char *spoil = getenv("SPOIL");

	return spoil && !strcmp(spoil, what);
}

/* The last float of the pages; a batch of tiny_dispatch ends there. */
int __wrap_scaling_image_take(struct scaling_image *image)
{
	int r = __real_scaling_image_take(image);

	if (!r && spoils("result"))
		((unsigned char *)image->c.ptr)[image->c.size - 2] ^= 1;
	return r;
}

static void *map(int fd, size_t length, uint64_t offset)
{
	mapped_last = real->mmap(fd, length, offset);
	return mapped_last;
}

static uint32_t last_of_first_range(const struct rknpu_submit *s)
{
	const struct rknpu_subcore_task *range = s->subcore_task;

	while (!range->task_number)
		range++;
	return range->task_start + range->task_number - 1;
}

static int call(int fd, unsigned long request, void *arg)
{
	int r = real->ioctl(fd, request, arg);

	if (!r && request == DRM_IOCTL_RKNPU_SUBMIT)
		mapped_last[last_of_first_range(arg)].int_status = 0x3;
	return r;
}

int __wrap_scaling_device_open(struct scaling_device *dev, const enum scaling_dispatch *wanted)
{
	static struct rocket_kernel spoiling;
	int r = __real_scaling_device_open(dev, wanted);

	if (r || !spoils("status"))
		return r;
	real = dev->state[0]->node.kernel;
	spoiling = *real;
	spoiling.mmap = map;
	spoiling.ioctl = call;
	dev->state[0]->node.kernel = &spoiling;
	return 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <string.h>

#include "bo_table.h"
#include "device.h"
#include "rocket_log.h"
#include "status.h"

#define WINDOW ((uint64_t)1 << 32)

static int alloc(struct rocket_device *dev, size_t size, rocket_bo *bo, const char *who)
{
	int r = dev->provider->bo_alloc(&dev->node, size, bo);

	if (r) {
		memset(bo, 0, sizeof(*bo));
		return rocket_fail(rocket_status_of_errno(r), "%s: no buffer of %zu bytes: %s", who,
				   size, strerror(-r));
	}
	r = rocket_bo_table_add(dev->bos, bo);
	if (r) {
		dev->provider->bo_free(&dev->node, bo);
		memset(bo, 0, sizeof(*bo));
		return rocket_fail(ROCKET_E_NOMEM, "%s: no memory to keep track of a buffer", who);
	}
	return ROCKET_OK;
}

static int alloc_checked(int fd, size_t size, rocket_bo *bo, const char *who)
{
	struct rocket_device *dev;
	int r;

	if (!bo)
		return rocket_fail(ROCKET_E_SHAPE, "%s: bo is NULL", who);
	memset(bo, 0, sizeof(*bo));
	if (!size)
		return rocket_fail(ROCKET_E_SHAPE, "%s: size is 0", who);
	dev = rocket_device_get(fd, who);
	if (!dev)
		return ROCKET_E_SHAPE;
	r = alloc(dev, size, bo, who);
	rocket_device_put(dev);
	return r;
}

int rocket_bo_alloc(int fd, size_t size, rocket_bo *bo)
{
	return alloc_checked(fd, size, bo, "rocket_bo_alloc");
}

int rocket_bo_alloc32(int fd, size_t size, rocket_bo *bo)
{
	int r = alloc_checked(fd, size, bo, "rocket_bo_alloc32");

	if (!r && bo->dma_address + bo->size > WINDOW) {
		uint64_t iova = bo->dma_address;

		rocket_bo_free(fd, bo);
		r = rocket_fail(
			ROCKET_E_DEVICE,
			"rocket_bo_alloc32: the buffer of %zu bytes at %#llx ends above 4 GiB",
			size, (unsigned long long)iova);
	}
	return r;
}

int rocket_bo_ensure32(int fd, rocket_bo *bo, size_t need)
{
	int r;

	if (!bo)
		return rocket_fail(ROCKET_E_SHAPE, "rocket_bo_ensure32: bo is NULL");
	if (bo->handle && bo->size >= need)
		return 0;
	if (!need)
		return rocket_fail(ROCKET_E_SHAPE, "rocket_bo_ensure32: need is 0");
	rocket_bo_free(fd, bo);
	r = rocket_bo_alloc32(fd, need, bo);
	return r ? r : 1;
}

void rocket_device_bo_free(struct rocket_device *dev, rocket_bo *bo)
{
	rocket_bo gone = *bo;
	int r;

	if (!gone.handle)
		return;
	memset(bo, 0, sizeof(*bo));
	if (!rocket_bo_table_remove(dev->bos, &gone)) {
		rocket_log(ROCKET_LOG_ERROR,
			   "rocket_bo_free: fd %d has no buffer %u at %#llx: freed twice?",
			   dev->node.fd, gone.handle, (unsigned long long)gone.dma_address);
		return;
	}
	r = dev->provider->bo_free(&dev->node, &gone);
	if (r)
		rocket_log(ROCKET_LOG_ERROR, "rocket_bo_free: buffer %u: %s", gone.handle,
			   strerror(-r));
}

void rocket_bo_free(int fd, rocket_bo *bo)
{
	struct rocket_device *dev;

	if (!bo || !bo->handle)
		return;
	dev = rocket_device_get(fd, "rocket_bo_free");
	if (!dev) { /* the buffer died with its fd */
		memset(bo, 0, sizeof(*bo));
		return;
	}
	rocket_device_bo_free(dev, bo);
	rocket_device_put(dev);
}

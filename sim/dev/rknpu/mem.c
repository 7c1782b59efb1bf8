// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * mem.c - objects of the vendor's driver.
 *
 * Where the real one would follow a wrong kernel address, and crash, this one says so in the log
 * and answers EFAULT.
 */
#include <errno.h>
#include <inttypes.h>

#include "rknpu.h"

#define OBJECT_BYTES 0x200u /* from one address of an object to the next */

struct sim_bo *rknpu_object(struct sim_device *dev, uint64_t address)
{
	for (struct sim_file *f = dev->files; f; f = f->next_sched)
		for (struct sim_bo *bo = f->bos; bo; bo = bo->next)
			if (bo->object == address && bo->handle)
				return bo;
	sim_log(dev, "no object is at %#" PRIx64 ": the kernel would crash", address);
	return NULL;
}

/* Of an object that is there or new. */
static void describe(const struct sim_bo *bo, struct rknpu_mem_create *args)
{
	args->handle = bo->handle;
	args->size = bo->size;
	args->obj_addr = bo->object;
	args->dma_addr = bo->iova;
	args->sram_size = 0;
}

static int describe_handle(struct sim_file *file, struct rknpu_mem_create *args)
{
	struct sim_bo *bo;

	pthread_mutex_lock(&file->dev->lock);
	bo = sim_bo_lookup(file, args->handle);
	if (bo)
		describe(bo, args);
	pthread_mutex_unlock(&file->dev->lock);
	return bo ? 0 : -EINVAL;
}

int rknpu_mem_create(struct sim_file *file, void *arg)
{
	struct sim_rknpu *rknpu = file->dev->rknpu;
	struct rknpu_mem_create *args = arg;
	struct sim_bo *bo;
	int r;

	if (args->handle)
		return describe_handle(file, args);
	if (!args->size || args->flags & ~RKNPU_MEM_MASK || args->iommu_domain_id)
		return -EINVAL;
	if (args->size > UINT64_C(1) << 32) /* more than there are addresses */
		return -ENOMEM;
	r = sim_gem_create(file, args->size, &bo);
	if (r)
		return r == -ENOSPC ? -ENOMEM : r;
	pthread_mutex_lock(&file->dev->lock);
	bo->object = rknpu->next_object;
	rknpu->next_object += OBJECT_BYTES;
	bo->flags = args->flags;
	describe(bo, args);
	sim_bo_put(bo);
	pthread_mutex_unlock(&file->dev->lock);
	return 0;
}

int rknpu_mem_map(struct sim_file *file, void *arg)
{
	struct rknpu_mem_map *args = arg;
	struct sim_bo *bo;

	pthread_mutex_lock(&file->dev->lock);
	bo = sim_bo_lookup(file, args->handle);
	if (bo)
		args->offset = bo->offset;
	pthread_mutex_unlock(&file->dev->lock);
	return bo ? 0 : -EINVAL;
}

int rknpu_mem_destroy(struct sim_file *file, void *arg)
{
	const struct rknpu_mem_destroy *args = arg;

	return sim_gem_close(file, args->handle); /* the address is not looked at */
}

/* Memory is coherent here, so a sync is only checked; the real one does not look at the range. */
int rknpu_mem_sync(struct sim_file *file, void *arg)
{
	const struct rknpu_mem_sync *args = arg;
	const struct sim_bo *bo;
	int r = 0;

	if (!args->obj_addr)
		return -EINVAL;
	pthread_mutex_lock(&file->dev->lock);
	bo = rknpu_object(file->dev, args->obj_addr);
	if (!bo)
		r = -EFAULT;
	else if (!(bo->flags & RKNPU_MEM_CACHEABLE))
		r = -EINVAL;
	pthread_mutex_unlock(&file->dev->lock);
	return r;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * gem.c - buffers.
 *
 * A buffer is a stretch of its file's memory, at an offset that is never used again, and
 * the device's own mapping of it. The first mmap() of a whole buffer gets that same
 * mapping, so that a page counts once in the process; further ones are real aliases.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <drm.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device.h"
#include "drm/rocket_accel.h"

#define MAX_RANGES 1024u

/* ---- life of a buffer, dev->lock held ---- */

static void unmap_and_free(struct sim_bo *bo)
{
	/* The pages go at once; their offset is never handed out again. */
	madvise(bo->mem, bo->size, MADV_REMOVE);
	munmap(bo->mem, bo->size);
	free(bo);
}

static void unlink_bo(struct sim_bo *bo)
{
	*bo->link = bo->next;
	if (bo->next)
		bo->next->link = bo->link;
}

void sim_bo_put(struct sim_bo *bo)
{
	struct sim_file *file = bo->file;

	if (--bo->refs)
		return;
	sim_space_remove(file->space, bo);
	unlink_bo(bo);
	sim_job_put(bo->user);
	if (file->reaper->running) { /* a kick may hold a pointer into it until it ends */
		bo->next_dead = file->reaper->dead;
		file->reaper->dead = bo;
	} else {
		unmap_and_free(bo);
	}
}

void sim_gem_reap(struct sim_reaper *reaper)
{
	struct sim_bo *bo;

	while (!reaper->running && (bo = reaper->dead)) {
		reaper->dead = bo->next_dead;
		unmap_and_free(bo);
	}
}

struct sim_bo *sim_bo_lookup(struct sim_file *file, uint32_t handle)
{
	return handle && handle <= file->n_handles ? file->handles[handle - 1] : NULL;
}

/* The lowest free handle, as the kernel's. */
static int assign_handle(struct sim_file *file, struct sim_bo *bo)
{
	uint32_t i, n;
	struct sim_bo **h;

	for (i = 0; i < file->n_handles && file->handles[i]; i++)
		;
	if (i == file->n_handles) {
		n = file->n_handles ? 2 * file->n_handles : 16;
		h = realloc(file->handles, n * sizeof(*h));
		if (!h)
			return -ENOMEM;
		memset(h + file->n_handles, 0, (n - file->n_handles) * sizeof(*h));
		file->handles = h;
		file->n_handles = n;
	}
	file->handles[i] = bo;
	bo->handle = i + 1;
	return 0;
}

void sim_gem_release(struct sim_file *file)
{
	struct sim_mapping *m;
	struct sim_bo *bo;

	while ((m = file->mappings)) {
		file->mappings = m->next;
		free(m);
	}
	while ((bo = file->bos)) {
		unlink_bo(bo);
		sim_space_remove(file->space, bo);
		sim_job_put(bo->user);
		if (bo->lent) { /* a CPU mapping outlives its file */
			free(bo);
		} else if (file->reaper
				   ->running) { /* of another file, in a window that all share */
			bo->next_dead = file->reaper->dead;
			file->reaper->dead = bo;
		} else {
			munmap(bo->mem, bo->size);
			free(bo);
		}
	}
	free(file->handles);
	file->handles = NULL;
	file->n_handles = 0;
}

/* ---- requests ---- */

/* Give bo, which has memory and an address, a handle. dev->lock is held. */
static int enter_bo(struct sim_file *file, struct sim_bo *bo)
{
	int r = assign_handle(file, bo);

	if (r)
		return r;
	bo->next = file->bos;
	bo->link = &file->bos;
	if (bo->next)
		bo->next->link = &bo->next;
	file->bos = bo;
	return 0;
}

int sim_gem_create(struct sim_file *file, uint64_t size, struct sim_bo **out)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct sim_device *dev = file->dev;
	struct sim_bo *bo;
	int r;

	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	bo->file = file;
	bo->refs = 2; /* the handle's and the caller's */
	bo->size = (size + page - 1) & ~(page - 1);
	pthread_mutex_lock(&dev->lock);
	bo->offset = file->next_offset;
	file->next_offset += bo->size;
	pthread_mutex_unlock(&dev->lock);
	bo->mem = sim_file_map(file, bo->size, bo->offset);
	if (bo->mem == MAP_FAILED) {
		r = -errno;
		goto err_free;
	}
	r = sim_space_insert(file->space, bo);
	if (r)
		goto err_unmap;
	pthread_mutex_lock(&dev->lock);
	r = enter_bo(file, bo);
	pthread_mutex_unlock(&dev->lock);
	*out = bo;
	if (!r)
		return 0;
	sim_space_remove(file->space, bo);
err_unmap:
	munmap(bo->mem, bo->size);
err_free:
	free(bo);
	return r;
}

int sim_create_bo(struct sim_file *file, struct drm_rocket_create_bo *args)
{
	struct sim_bo *bo;
	int r;

	if (!args->size)
		return -EINVAL;
	r = sim_gem_create(file, args->size, &bo);
	if (r)
		return r;
	pthread_mutex_lock(&file->dev->lock);
	args->handle = bo->handle;
	args->dma_address = bo->iova;
	args->offset = bo->offset;
	sim_bo_put(bo);
	pthread_mutex_unlock(&file->dev->lock);
	return 0;
}

int sim_gem_close(struct sim_file *file, uint32_t handle)
{
	struct sim_device *dev = file->dev;
	struct sim_bo *bo;

	pthread_mutex_lock(&dev->lock);
	bo = sim_bo_lookup(file, handle);
	if (bo) {
		file->handles[handle - 1] = NULL;
		bo->handle = 0;
		sim_bo_put(bo);
	}
	pthread_mutex_unlock(&dev->lock);
	return bo ? 0 : -EINVAL;
}

/* Wait for the jobs of bo, whose reference the caller holds. */
static int wait_for(struct sim_bo *bo, int64_t timeout_ns)
{
	struct sim_device *dev = bo->file->dev;
	struct sim_job *user = NULL;
	int r = 0;

	/* Readers too: the caller may be about to write. The jobs of a file end in order. */
	pthread_mutex_lock(&dev->lock);
	if (bo->user)
		user = sim_job_get(bo->user);
	pthread_mutex_unlock(&dev->lock);
	if (user)
		r = sim_sched_wait(user, timeout_ns);
	pthread_mutex_lock(&dev->lock);
	if (!r && bo->invalid && dev->driver >= SIM_DRIVER_JOB_ERRORS)
		r = -EIO;
	sim_job_put(user);
	pthread_mutex_unlock(&dev->lock);
	return r;
}

/* With a reference, or NULL. */
static struct sim_bo *get_bo(struct sim_file *file, uint32_t handle)
{
	struct sim_bo *bo;

	pthread_mutex_lock(&file->dev->lock);
	bo = sim_bo_lookup(file, handle);
	if (bo)
		bo->refs++;
	pthread_mutex_unlock(&file->dev->lock);
	return bo;
}

static void put_bo(struct sim_bo *bo)
{
	pthread_mutex_t *lock = &bo->file->dev->lock;

	pthread_mutex_lock(lock);
	sim_bo_put(bo);
	pthread_mutex_unlock(lock);
}

/* What it holds is the caller's from now on. */
static void hand_back(struct sim_bo *bo)
{
	pthread_mutex_lock(&bo->file->dev->lock);
	bo->invalid = false;
	pthread_mutex_unlock(&bo->file->dev->lock);
}

int sim_prep_bo(struct sim_file *file, struct drm_rocket_prep_bo *args)
{
	struct sim_bo *bo;
	int r;

	if (args->reserved)
		return -EINVAL;
	bo = get_bo(file, args->handle);
	if (!bo)
		return -ENOENT;
	r = wait_for(bo, args->timeout_ns);
	put_bo(bo);
	return r;
}

int sim_fini_bo(struct sim_file *file, struct drm_rocket_fini_bo *args)
{
	struct sim_bo *bo;

	if (args->reserved)
		return -EINVAL;
	bo = get_bo(file, args->handle);
	if (!bo)
		return -ENOENT;
	hand_back(bo);
	put_bo(bo);
	return 0;
}

/* ---- the same for parts; memory is coherent here, so they are only checked ---- */

static int check_ranges(uint64_t user, uint32_t count, uint64_t size)
{
	struct drm_rocket_bo_range ranges[MAX_RANGES];
	uint64_t end = 0;

	if (count > MAX_RANGES)
		return -EINVAL;
	if (sim_copy_from_user(ranges, user, count * sizeof(*ranges)) != count * sizeof(*ranges))
		return -EFAULT;
	for (uint32_t i = 0; i < count; i++) {
		if (!ranges[i].size || ranges[i].offset < end || ranges[i].size > size ||
		    ranges[i].offset > size - ranges[i].size)
			return -EINVAL;
		end = ranges[i].offset + ranges[i].size;
	}
	return 0;
}

/* The buffer of a call on ranges, taken, or why there is none. */
static int get_ranged_bo(struct sim_file *file, uint32_t handle, uint64_t reserved, uint64_t ranges,
			 uint32_t count, struct sim_bo **bo)
{
	int r;

	if (reserved)
		return -EINVAL;
	*bo = get_bo(file, handle);
	if (!*bo)
		return -ENOENT;
	r = check_ranges(ranges, count, (*bo)->size);
	if (r)
		put_bo(*bo);
	return r;
}

int sim_prep_bo_ranges(struct sim_file *file, struct drm_rocket_prep_bo_ranges *args)
{
	struct sim_bo *bo;
	int r = get_ranged_bo(file, args->handle, args->reserved, args->ranges, args->range_count,
			      &bo);

	if (r)
		return r;
	r = wait_for(bo, args->timeout_ns);
	put_bo(bo);
	return r;
}

int sim_fini_bo_ranges(struct sim_file *file, struct drm_rocket_fini_bo_ranges *args)
{
	struct sim_bo *bo;
	int r = get_ranged_bo(file, args->handle, args->reserved, args->ranges, args->range_count,
			      &bo);

	if (r)
		return r;
	hand_back(bo);
	put_bo(bo);
	return 0;
}

/* ---- CPU mappings ---- */

/* The buffer whose mapping starts at offset, with one more reference. */
static struct sim_bo *bo_at(struct sim_file *file, size_t length, uint64_t offset, bool *lend)
{
	struct sim_bo *bo;

	pthread_mutex_lock(&file->dev->lock);
	for (bo = file->bos; bo; bo = bo->next)
		if (bo->handle && bo->offset == offset && length && length <= bo->size)
			break;
	if (bo) {
		bo->refs++;
		*lend = !bo->lent && length > bo->size - (uint64_t)sysconf(_SC_PAGESIZE);
		if (*lend)
			bo->lent = true;
	}
	pthread_mutex_unlock(&file->dev->lock);
	return bo;
}

void *sim_gem_mmap(struct sim_file *file, size_t length, uint64_t offset)
{
	struct sim_device *dev = file->dev;
	struct sim_mapping *m;
	struct sim_bo *bo;
	bool lend = false;

	bo = bo_at(file, length, offset, &lend);
	if (!bo) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	if (lend)
		return bo->mem;
	m = malloc(sizeof(*m));
	if (!m) {
		errno = ENOMEM;
		goto err;
	}
	*m = (struct sim_mapping){ .bo = bo, .length = length };
	m->addr = sim_file_map(file, length, offset);
	if (m->addr == MAP_FAILED)
		goto err;
	pthread_mutex_lock(&dev->lock);
	m->next = file->mappings;
	file->mappings = m;
	pthread_mutex_unlock(&dev->lock);
	return m->addr;

err:
	free(m);
	pthread_mutex_lock(&dev->lock);
	sim_bo_put(bo);
	pthread_mutex_unlock(&dev->lock);
	return MAP_FAILED;
}

static bool forget_alias(struct sim_file *file, void *addr, size_t length)
{
	for (struct sim_mapping **p = &file->mappings; *p; p = &(*p)->next) {
		struct sim_mapping *m = *p;

		if (m->addr != addr || m->length != length)
			continue;
		*p = m->next;
		sim_bo_put(m->bo);
		free(m);
		return true;
	}
	return false;
}

bool sim_gem_munmap(struct sim_file *file, void *addr, size_t length)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint8_t *a = addr;
	bool stays = false;

	pthread_mutex_lock(&file->dev->lock);
	if (!forget_alias(file, addr, length))
		for (struct sim_bo *bo = file->bos; bo; bo = bo->next) {
			if (!bo->lent || a < bo->mem || a >= bo->mem + bo->size)
				continue;
			stays = true; /* a part, too: the device still needs its view */
			if (a == bo->mem && length <= bo->size && length > bo->size - page) {
				bo->lent = false;
				sim_bo_put(bo);
			}
			break;
		}
	pthread_mutex_unlock(&file->dev->lock);
	return stays;
}

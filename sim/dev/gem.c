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
	sim_space_remove(&file->space, bo);
	unlink_bo(bo);
	sim_job_put(bo->writer);
	sim_job_put(bo->user);
	if (file->running) { /* the kick may hold a pointer into it until it ends */
		bo->next_dead = file->dead;
		file->dead = bo;
	} else {
		unmap_and_free(bo);
	}
}

void sim_gem_reap(struct sim_file *file)
{
	struct sim_bo *bo;

	while ((bo = file->dead)) {
		file->dead = bo->next_dead;
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
		sim_job_put(bo->writer);
		sim_job_put(bo->user);
		if (!bo->lent) /* a CPU mapping outlives its file */
			munmap(bo->mem, bo->size);
		free(bo);
	}
	free(file->handles);
	file->handles = NULL;
	file->n_handles = 0;
}

/* ---- requests ---- */

int sim_create_bo(struct sim_file *file, struct drm_rocket_create_bo *args)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct sim_device *dev = file->dev;
	struct sim_bo *bo;
	int r;

	if (!args->size)
		return -EINVAL;
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	bo->file = file;
	bo->refs = 1;
	bo->size = (args->size + page - 1) & ~(page - 1);
	pthread_mutex_lock(&dev->lock);
	bo->offset = file->next_offset;
	file->next_offset += bo->size;
	pthread_mutex_unlock(&dev->lock);
	bo->mem = sim_file_map(file, bo->size, bo->offset);
	if (bo->mem == MAP_FAILED) {
		r = -errno;
		goto err_free;
	}
	r = sim_space_insert(&file->space, bo);
	if (r)
		goto err_unmap;
	pthread_mutex_lock(&dev->lock);
	r = assign_handle(file, bo);
	if (!r) {
		bo->next = file->bos;
		bo->link = &file->bos;
		if (bo->next)
			bo->next->link = &bo->next;
		file->bos = bo;
		args->handle = bo->handle;
		args->dma_address = bo->iova;
		args->offset = bo->offset;
	}
	pthread_mutex_unlock(&dev->lock);
	if (!r)
		return 0;
	sim_space_remove(&file->space, bo);
err_unmap:
	munmap(bo->mem, bo->size);
err_free:
	free(bo);
	return r;
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

/*
 * Waits for readers, too: the caller may be about to write (L-14 of the kernel document). The
 * jobs of a file end in order, so the last user is the one to wait for. The error of the
 * job that wrote the buffer last stays until a later one succeeds: -ECANCELED when it hung
 * or was cancelled, -EIO when it faulted.
 */
int sim_prep_bo(struct sim_file *file, struct drm_rocket_prep_bo *args)
{
	struct sim_device *dev = file->dev;
	struct sim_job *user = NULL, *writer = NULL;
	struct sim_bo *bo;
	int r = 0;

	if (args->reserved)
		return -EINVAL;
	pthread_mutex_lock(&dev->lock);
	bo = sim_bo_lookup(file, args->handle);
	if (bo && bo->user)
		user = sim_job_get(bo->user);
	if (bo && bo->writer)
		writer = sim_job_get(bo->writer);
	pthread_mutex_unlock(&dev->lock);
	if (!bo)
		return -ENOENT;
	if (!user)
		return 0;
	r = sim_sched_wait(user, args->timeout_ns);
	pthread_mutex_lock(&dev->lock);
	if (!r && writer && sim_param("rocket_report_errors", 1))
		r = writer->error;
	sim_job_put(user);
	sim_job_put(writer);
	pthread_mutex_unlock(&dev->lock);
	return r;
}

int sim_fini_bo(struct sim_file *file, struct drm_rocket_fini_bo *args)
{
	struct sim_bo *bo;

	if (args->reserved)
		return -EINVAL;
	pthread_mutex_lock(&file->dev->lock);
	bo = sim_bo_lookup(file, args->handle);
	pthread_mutex_unlock(&file->dev->lock);
	return bo ? 0 : -ENOENT;
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

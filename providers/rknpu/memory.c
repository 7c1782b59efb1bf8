// SPDX-License-Identifier: LGPL-2.1-or-later
/* memory.c - buffers of the rknpu provider. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib/core/clock.h"
#include "node.h"

/* ---- objects ---- */

static int destroy(struct rocket_node *node, uint32_t handle, uint64_t address)
{
	struct rknpu_mem_destroy args = { .handle = handle, .obj_addr = address };

	return rknpu_call(node, DRM_IOCTL_RKNPU_MEM_DESTROY, &args);
}

static int map(struct rocket_node *node, struct rknpu_object *o)
{
	struct rknpu_mem_map args = { .handle = o->handle };
	int r = rknpu_call(node, DRM_IOCTL_RKNPU_MEM_MAP, &args);

	if (r)
		return r;
	o->offset = args.offset;
	o->ptr = node->kernel->mmap(node->fd, o->size, o->offset);
	return o->ptr == MAP_FAILED ? -errno : 0;
}

int rknpu_object_sync(struct rocket_node *node, const struct rknpu_object *o, uint32_t flags,
		      uint64_t offset, uint64_t size)
{
	struct rknpu_mem_sync args = {
		.flags = flags, .obj_addr = o->address, .offset = offset, .size = size
	};

	return rknpu_call(node, DRM_IOCTL_RKNPU_MEM_SYNC, &args);
}

int rknpu_object_new(struct rocket_node *node, size_t size, uint32_t flags, struct rknpu_object *o)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), rounded = (size + page - 1) & ~(page - 1);
	struct rknpu_mem_create args = { .flags = flags, .size = rounded };
	int r;

	if (!size)
		return -EINVAL;
	if (rounded < size)
		return -ENOMEM;
	r = rknpu_call(node, DRM_IOCTL_RKNPU_MEM_CREATE, &args);
	if (r) /* EFAULT, with arguments that are there, is how it says that memory ran out */
		return r == -EFAULT ? -ENOMEM : r;
	*o = (struct rknpu_object){ .handle = args.handle,
				    .address = args.obj_addr,
				    .dma_address = args.dma_addr,
				    .size = rounded };
	r = map(node, o);
	if (r)
		goto err_destroy;
	/* Zeroes that only the kernel wrote are not seen by the NPU [silicon]. */
	memset(o->ptr, 0, o->size);
	r = rknpu_object_sync(node, o, RKNPU_MEM_SYNC_TO_DEVICE, 0, o->size);
	if (!r)
		return 0;
	node->kernel->munmap(node->fd, o->ptr, o->size);
err_destroy:
	destroy(node, o->handle, o->address);
	return r;
}

int rknpu_object_free(struct rocket_node *node, const struct rknpu_object *o)
{
	int unmapped = node->kernel->munmap(node->fd, o->ptr, o->size) ? -errno : 0;
	int destroyed = destroy(node, o->handle, o->address);

	return destroyed ? destroyed : unmapped;
}

/* ---- the node's objects ---- */

struct rknpu_object *rknpu_object_of(struct rknpu_state *state, uint32_t handle)
{
	if (!handle || handle > state->n_objects || !state->objects[handle - 1].handle)
		return NULL;
	return &state->objects[handle - 1];
}

static int enter(struct rknpu_state *state, const struct rknpu_object *o)
{
	struct rknpu_object *objects;
	size_t n;
	int r = 0;

	pthread_mutex_lock(&state->lock);
	objects = state->objects;
	n = state->n_objects ? state->n_objects : 32;
	while (n < o->handle)
		n *= 2;
	if (n > state->n_objects) {
		objects = realloc(state->objects, n * sizeof(*objects));
		if (objects) {
			memset(objects + state->n_objects, 0,
			       (n - state->n_objects) * sizeof(*objects));
			state->objects = objects;
			state->n_objects = n;
		}
	}
	if (objects)
		objects[o->handle - 1] = *o;
	else
		r = -ENOMEM;
	pthread_mutex_unlock(&state->lock);
	return r;
}

/* Take the object of bo out. False: there is none. */
static bool leave(struct rknpu_state *state, const rocket_bo *bo, struct rknpu_object *out)
{
	struct rknpu_object *o;

	pthread_mutex_lock(&state->lock);
	o = rknpu_object_of(state, bo->handle);
	if (o) {
		*out = *o;
		memset(o, 0, sizeof(*o));
	}
	pthread_mutex_unlock(&state->lock);
	return o != NULL;
}

int rknpu_bo_alloc(struct rocket_node *node, size_t size, rocket_bo *bo)
{
	struct rknpu_state *state = node->priv;
	struct rknpu_object o;
	int r = rknpu_object_new(node, size, state->memory_flags, &o);

	if (r)
		return r;
	r = enter(state, &o);
	if (r) {
		rknpu_object_free(node, &o);
		return r;
	}
	*bo = (rocket_bo){ .handle = o.handle,
			   .dma_address = o.dma_address,
			   .mmap_offset = o.offset,
			   .size = o.size,
			   .ptr = o.ptr };
	return 0;
}

int rknpu_bo_free(struct rocket_node *node, rocket_bo *bo)
{
	struct rknpu_object o;
	int r;

	rknpu_fence_release(node, bo->handle);
	r = leave(node->priv, bo, &o) ? rknpu_object_free(node, &o) : -ENOENT;
	memset(bo, 0, sizeof(*bo));
	return r;
}

/* ---- between the CPU and the NPU ---- */

int rknpu_wait_for_end(struct rknpu_state *state, uint64_t until_ns)
{
	const uint64_t s = until_ns / 1000000000u;
	const struct timespec until = { (time_t)(s > INT32_MAX ? INT32_MAX : s),
					(long)(until_ns % 1000000000u) };

	return -pthread_cond_timedwait(&state->ended, &state->lock, &until);
}

/*
 * Wait until no job of this node names bo, and find its object. Where SUBMIT waits for its job,
 * only a job of another thread can be under way.
 */
static int await(struct rocket_node *node, const rocket_bo *bo, uint64_t timeout_ns,
		 struct rknpu_object *out)
{
	struct rknpu_state *state = node->priv;
	const uint64_t now = rocket_now_ns();
	const uint64_t until = timeout_ns < UINT64_MAX - now ? now + timeout_ns : UINT64_MAX;
	struct rknpu_object *o;
	int r = 0;

	pthread_mutex_lock(&state->lock);
	while ((o = rknpu_object_of(state, bo->handle)) && o->jobs && !r)
		r = rknpu_fence_await(node, bo->handle, until);
	if (r == -ETIMEDOUT && !timeout_ns)
		r = -EBUSY;
	if (!o)
		r = -ENOENT;
	else if (!r)
		r = o->failed;
	if (o)
		*out = *o;
	pthread_mutex_unlock(&state->lock);
	return r;
}

static int sync_ranges(struct rocket_node *node, const struct rknpu_object *o, uint32_t flags,
		       const rocket_bo_range *ranges, unsigned n)
{
	uint64_t end = 0;
	int r = 0;

	/* The driver looks at none of this. */
	for (unsigned i = 0; i < n; i++) {
		if (!ranges[i].size || ranges[i].offset < end || ranges[i].offset >= o->size ||
		    ranges[i].size > o->size - ranges[i].offset)
			return -EINVAL;
		end = ranges[i].offset + ranges[i].size;
	}
	for (unsigned i = 0; i < n && !r; i++)
		r = rknpu_object_sync(node, o, flags, ranges[i].offset, ranges[i].size);
	return r;
}

int rknpu_bo_prep_ranges(struct rocket_node *node, const rocket_bo *bo, const rocket_bo_range *r,
			 unsigned n, uint64_t timeout_ns)
{
	struct rknpu_object o;
	int ret = await(node, bo, timeout_ns, &o);

	return ret ? ret : sync_ranges(node, &o, RKNPU_MEM_SYNC_FROM_DEVICE, r, n);
}

int rknpu_bo_prep(struct rocket_node *node, const rocket_bo *bo, uint64_t timeout_ns)
{
	const rocket_bo_range whole = { 0, bo->size };

	return rknpu_bo_prep_ranges(node, bo, &whole, 1, timeout_ns);
}

/* What it holds is the caller's from now on, whatever became of a job. */
static int hand_back(struct rknpu_state *state, const rocket_bo *bo, struct rknpu_object *out)
{
	struct rknpu_object *o;

	pthread_mutex_lock(&state->lock);
	o = rknpu_object_of(state, bo->handle);
	if (o) {
		o->failed = 0;
		*out = *o;
	}
	pthread_mutex_unlock(&state->lock);
	return o ? 0 : -ENOENT;
}

int rknpu_bo_fini_ranges(struct rocket_node *node, const rocket_bo *bo, const rocket_bo_range *r,
			 unsigned n)
{
	struct rknpu_object o;
	int ret = hand_back(node->priv, bo, &o);

	return ret ? ret : sync_ranges(node, &o, RKNPU_MEM_SYNC_TO_DEVICE, r, n);
}

int rknpu_bo_fini(struct rocket_node *node, const rocket_bo *bo)
{
	const rocket_bo_range whole = { 0, bo->size };

	return rknpu_bo_fini_ranges(node, bo, &whole, 1);
}

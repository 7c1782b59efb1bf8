/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node.h - what the rknpu provider keeps for an open node. */
#ifndef PROVIDERS_RKNPU_NODE_H
#define PROVIDERS_RKNPU_NODE_H

#include <pthread.h>

#include "drm/rknpu_ioctl.h"
#include "rknpu_provider.h"

/* The kernel's names of a buffer: MEM_SYNC, MEM_DESTROY and SUBMIT want its address there. */
struct rknpu_object {
	uint32_t handle; /* 0: no object */
	uint64_t address;
	uint64_t dma_address;
	uint64_t offset;
	size_t size; /* page rounded */
	void *ptr;
	unsigned jobs; /* that name it and have not ended */
	int failed;    /* -errno of the job that was to write it, until somebody else does */
};

struct rknpu_state {
	uint32_t memory_flags; /* of every buffer */

	pthread_mutex_t lock;         /* what follows */
	pthread_cond_t ended;         /* a job; CLOCK_MONOTONIC */
	struct rknpu_object *objects; /* by handle - 1 */
	size_t n_objects;

	pthread_mutex_t submit_lock; /* the object with the tasks, from filling it to its end */
	struct rknpu_object tasks;
	uint32_t mask_taken; /* the largest mask of cores that SUBMIT did not refuse */
	bool one_core;       /* it refused one that it never took */
};

int rknpu_call(const struct rocket_node *node, unsigned long request, void *arg);

/* ---- memory.c ---- */

/* 0 or -errno; the object is not entered among the node's. */
int rknpu_object_new(struct rocket_node *node, size_t size, uint32_t flags,
		     struct rknpu_object *object);
int rknpu_object_free(struct rocket_node *node, const struct rknpu_object *object);
int rknpu_object_sync(struct rocket_node *node, const struct rknpu_object *object, uint32_t flags,
		      uint64_t offset, uint64_t size);

/* With state->lock held: the object of a handle, or NULL. */
struct rknpu_object *rknpu_object_of(struct rknpu_state *state, uint32_t handle);

int rknpu_bo_alloc(struct rocket_node *node, size_t size, rocket_bo *bo);
int rknpu_bo_free(struct rocket_node *node, rocket_bo *bo);
int rknpu_bo_prep(struct rocket_node *node, const rocket_bo *bo, uint64_t timeout_ns);
int rknpu_bo_fini(struct rocket_node *node, const rocket_bo *bo);
int rknpu_bo_prep_ranges(struct rocket_node *node, const rocket_bo *bo, const rocket_bo_range *r,
			 unsigned n, uint64_t timeout_ns);
int rknpu_bo_fini_ranges(struct rocket_node *node, const rocket_bo *bo, const rocket_bo_range *r,
			 unsigned n);

/* ---- job.c ---- */

size_t rknpu_scratch_size(uint32_t max_tasks);
int rknpu_submit_jobs(struct rocket_node *node, const struct rocket_provider_job *jobs,
		      uint32_t n_jobs, void *scratch);

#endif

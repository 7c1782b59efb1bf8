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

/* Programs that one core runs in one go. */
struct rknpu_kick {
	const rocket_task_desc *tasks;
	uint32_t n;
	uint32_t int_mask; /* of the last */
};
#define RKNPU_GANG_MAX   3u /* kicks of a SUBMIT */
#define RKNPU_TIMEOUT_MS 2000u
#define RKNPU_NO_STATUS  0xffffffffu /* int_status that the driver has not written */

/* What became of a job. */
struct rknpu_outcome {
	int err;      /* 0, -errno of the call that was refused, or of the SUBMIT that failed */
	bool failed;  /* the job was the kernel's, and its results are not there */
	bool partial; /* the call was refused when some of the job had run */
};

/* A job that SUBMIT did not wait for and that has not been seen to end. */
struct rknpu_pending {
	uint64_t serial;                /* in the order of their submits; 0: there is none */
	struct rocket_provider_job job; /* without tasks */
	uint32_t *handles;              /* its lists */
	int fence;                      /* or -1 */
	uint64_t deadline_ns;
	bool watched;              /* by a thread, which tells the others by `ended` */
	struct rknpu_object tasks; /* kept for the next job in this place */
};
#define RKNPU_PENDING_MAX 16u

struct rknpu_state {
	uint32_t memory_flags; /* of every buffer */
	bool fenced;           /* SUBMIT does not wait (fence.c) */

	pthread_mutex_t lock;         /* what follows */
	pthread_cond_t ended;         /* a job; CLOCK_MONOTONIC */
	struct rknpu_object *objects; /* by handle - 1 */
	size_t n_objects;
	struct rknpu_pending pending[RKNPU_PENDING_MAX];
	uint64_t serial;
	uint32_t to_retire; /* cores that may have a job that hung, to be named by the next jobs */

	pthread_mutex_t submit_lock; /* the object with the tasks, from filling it to its end */
	struct rknpu_object tasks;
	uint32_t mask_taken; /* the largest mask of cores that SUBMIT did not refuse */
	bool one_core;       /* it refused one that it never took */
	bool fences_taken;   /* it has taken a job with a fence */
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

/* With state->lock held: until a job ends, or another thread has to look. 0 or -ETIMEDOUT. */
int rknpu_wait_for_end(struct rknpu_state *state, uint64_t until_ns);

/* ---- record.c ---- */

/* -ENOENT: it names a buffer that is none. */
int rknpu_job_begin(struct rknpu_state *state, const struct rocket_provider_job *job);
/* What began ends. A refusal leaves buffers as they were, when nothing of the job has run. */
void rknpu_job_end(struct rknpu_state *state, const struct rocket_provider_job *job,
		   struct rknpu_outcome outcome);
/* The same with state->lock held. */
void rknpu_job_ended(struct rknpu_state *state, const struct rocket_provider_job *job,
		     struct rknpu_outcome outcome);
/* The failure that is recorded with what it writes, or 0. */
int rknpu_job_failure(struct rknpu_state *state, const struct rocket_provider_job *job);
bool rknpu_job_names(const struct rocket_provider_job *job, uint32_t handle);
/* Neither writes what the other names. */
bool rknpu_jobs_are_independent(const struct rocket_provider_job *a,
				const struct rocket_provider_job *b);

/* ---- kick.c ---- */

/* Make kicks the tasks in object, which grows to hold them, and the driver's; args names them. */
int rknpu_kicks_hand_over(struct rocket_node *node, struct rknpu_object *object,
			  const struct rknpu_kick *kicks, uint32_t n, struct rknpu_submit *args);
int rknpu_kicks_submit(struct rocket_node *node, struct rknpu_submit *args);
/*
 * Whether a SUBMIT has written the status of one of them. It does so with the CPU and through a
 * mapping of its own, so there is nothing to sync.
 */
bool rknpu_kicks_began(const struct rknpu_object *object, const struct rknpu_kick *kicks,
		       uint32_t n);

/* ---- fence.c ---- */

/* Submit a job that is one kick, when those it depends on have ended; partial: some of it ran. */
int rknpu_fence_submit(struct rocket_node *node, const struct rocket_provider_job *job,
		       const struct rknpu_kick *kick, bool partial);
/* With state->lock held, which is dropped meanwhile: until something of a buffer's jobs changes. */
int rknpu_fence_await(struct rocket_node *node, uint32_t handle, uint64_t until_ns);
/* Until no pending job names a buffer, or there is none at all. Each ends, if only by its limit. */
void rknpu_fence_release(struct rocket_node *node, uint32_t handle);
void rknpu_fence_settle_all(struct rocket_node *node);
void rknpu_fence_close(struct rocket_node *node);

/* ---- job.c ---- */

size_t rknpu_scratch_size(uint32_t max_tasks);
int rknpu_submit_jobs(struct rocket_node *node, const struct rocket_provider_job *jobs,
		      uint32_t n_jobs, void *scratch);

#endif

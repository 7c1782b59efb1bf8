/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rknpu.h - the vendor's driver over the simulated device: objects, jobs, the scheduler's worker.
 *
 * Everything here is under dev->lock. One worker thread asks the scheduler what to do, a thread
 * for each core runs what it is given, the callers of SUBMIT wait for their own jobs.
 */
#ifndef SIM_DEV_RKNPU_RKNPU_H
#define SIM_DEV_RKNPU_RKNPU_H

#include "../device.h"
#include "../sched/core_sched.h"
#include "drm/rknpu_ioctl.h"

/* Versions as GET_DRV_VERSION counts them: the one that is simulated, and where forms changed. */
#define RKNPU_VERSION_NEWEST 908u
#define RKNPU_VERSION_TIGHT  907u /* RKNPU_MEM_IOMMU_LIMIT_IOVA_ALIGNMENT */
#define RKNPU_VERSION_DOMAIN 906u /* MEM_CREATE has 48 bytes */

#define RKNPU_JOBS_MAX 1024u

/* A SUBMIT. */
struct rknpu_job {
	struct sim_file *file;
	struct sim_bo *tasks; /* the object with the array */
	struct rknpu_submit args;
	int id;              /* in the scheduler */
	unsigned wait_core;  /* whose status is handed back */
	int fence;           /* to signal, or -1 */
	bool detached;       /* nobody waits */
	bool woken;          /* done: result */
	pthread_cond_t wake; /* CLOCK_MONOTONIC */
	struct core_sched_result result;
	int64_t queued_ns;          /* its age is from here */
	int64_t began_ns, ended_ns; /* first start, last end; 0: none */
	int64_t stuck_ns;           /* since when a core makes no progress with it; 0: none does */
	char why[280];              /* it is stuck */
};

/* What a core was given. */
struct rknpu_order {
	struct rknpu_job *job; /* NULL: nothing */
	uint32_t task, count;
	bool killed; /* by a reset of the cores: the job leaves its core */
	bool reset;  /* the same, but nobody waits for the job and it stays */
	bool stuck;
};

struct sim_rknpu {
	struct sim_device *dev;
	struct core_sched sched;
	struct core_sched_job slots[RKNPU_JOBS_MAX];
	struct rknpu_job *jobs[RKNPU_JOBS_MAX]; /* by id */
	struct rknpu_order orders[SIM_MAX_CORES];
	bool lanes; /* scheduler of lanes instead of the vendor's (ROCKET_SIM_SCHED) */
	pthread_t worker;
	pthread_cond_t kick;
	bool stop;
	struct sim_space space; /* of all files */
	struct npu_memory memory;
	struct sim_reaper reaper;
	uint64_t next_object;
};

/* ---- requests: 0 or -errno ---- */

int rknpu_ioctl(struct sim_file *file, unsigned long request, void *arg);
int rknpu_action(struct sim_file *file, void *arg);
int rknpu_mem_create(struct sim_file *file, void *arg);
int rknpu_mem_map(struct sim_file *file, void *arg);
int rknpu_mem_destroy(struct sim_file *file, void *arg);
int rknpu_mem_sync(struct sim_file *file, void *arg);
int rknpu_submit(struct sim_file *file, void *arg);

/* The object at a kernel address, of any file, or NULL. */
struct sim_bo *rknpu_object(struct sim_device *dev, uint64_t address);

/* ---- fences (fence.c) ---- */

/* The caller's fd, and the job's own of the same fence: 0 or -errno. */
int rknpu_fence_new(struct rknpu_job *job, int *fd);
/* Once. */
void rknpu_fence_signal(struct rknpu_job *job);
bool rknpu_is_fence(int fd);

/* ---- jobs that do not end (hang.c) ---- */

/* Until job is done. Its time runs from when a core is stuck: simulating may take long. */
void rknpu_await(struct sim_rknpu *r, struct rknpu_job *job);
/* For what never starts, and so occupies nothing but its caller: -ETIMEDOUT. */
int rknpu_await_never(struct sim_rknpu *r, const struct rknpu_job *job);
/* That with the tasks in an object, when nobody waits for it: see struct rocket_kernel. */
bool rknpu_is_hung(struct sim_file *file, uint64_t tasks);
/* A core is, with job, from now on. */
void rknpu_stuck(struct sim_rknpu *r, struct rknpu_job *job);
/*
 * Before a job that nobody waits for is queued, the driver drops older ones that seem to hang on
 * the cores it names, with all that is queued behind them: it compares their age in microseconds
 * with a timeout in milliseconds. Here only those that do hang or were reset are, for simulating
 * takes long, and the timeout is cut as elsewhere.
 */
void rknpu_drop_stuck(struct sim_rknpu *r, uint32_t mask);

/* ---- jobs (worker.c) ---- */

void *rknpu_worker(void *rknpu);
void rknpu_core_main(struct sim_core *core);
/* Tell the worker that the scheduler was told something. */
void rknpu_kick(struct sim_rknpu *r);
/*
 * A reset of all cores: every job that somebody waits for ends with EINVAL, that of id (or -1) with
 * error. Nobody takes others off their core, or out of its queue [source: 0.9.8].
 */
void rknpu_reset(struct sim_rknpu *r, int id, int error);
/* Drop what core has before it and nobody waits for. */
void rknpu_drop_queue(struct sim_rknpu *r, unsigned core);
/* Give up the jobs of file and wait until they are gone. */
void rknpu_detach(struct sim_file *file);
/* What a result means to a caller; frees job. */
void rknpu_job_free(struct rknpu_job *job);

int64_t rknpu_now_ns(void);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * device.h - the simulated device from inside: files, buffers, jobs, cores.
 *
 * Locks, in the order they are taken:
 *   registry lock (sim_dev.c)  the list of files, and the coming and going of the device
 *   sim_device.lock            queues, jobs, fences, handles and the references of buffers
 *   sim_space.lock             the IOVA map of one file, read by the core that runs its job
 */
#ifndef SIM_DEV_DEVICE_H
#define SIM_DEV_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

#include "sim_dev.h"

#define SIM_MAX_CORES 8

/* Interface versions of the driver, ten times the major number plus the minor. */
enum sim_driver {
	SIM_DRIVER_STOCK = 0,
	SIM_DRIVER_GROWING = 10,   /* structs of a submit may grow, errors of its jobs */
	SIM_DRIVER_FLAGS = 11,     /* BATCHED */
	SIM_DRIVER_NO_DPU = 12,    /* NO_DPU_DONE */
	SIM_DRIVER_PPU = 13,       /* PPU_DONE */
	SIM_DRIVER_RANGES = 15,    /* PREP_BO_RANGES, FINI_BO_RANGES */
	SIM_DRIVER_JOB_ERRORS = 17 /* PREP_BO tells of failed jobs */
};
#define SIM_DRIVER_NEWEST SIM_DRIVER_JOB_ERRORS

#define SIM_REASON_MAX 160

struct sim_device;
struct sim_core;
struct sim_file;
struct sim_job;
struct sim_rknpu;

/* ---- a driver's interface ---- */

struct sim_abi {
	const char *driver;
	const char *versions; /* that ROCKET_SIM_DRIVER may name, for people */
	unsigned newest;
	bool (*parse_version)(const char *text, unsigned *version);
	/* Before the cores have threads, after them. 0 or an errno, EINVAL with a reason. */
	int (*start)(struct sim_device *dev, char *reason);
	void (*stop)(struct sim_device *dev);
	/* What a core's thread does until dev->stop. Called with the lock held. */
	void (*core_main)(struct sim_core *core);
	void (*attach)(struct sim_device *dev, struct sim_file *file);
	/* Nothing of file runs any more, nor will. */
	void (*detach)(struct sim_file *file);
	int (*ioctl)(struct sim_file *file, unsigned long request, void *arg); /* or -errno */
	bool (*is_hung)(struct sim_file *file, uint64_t tasks); /* or NULL: no job has tasks */
};

extern const struct sim_abi sim_abi_rocket, sim_abi_rknpu;

/* ---- buffers (gem.c) ---- */

struct sim_bo {
	struct sim_file *file;
	unsigned refs;   /* handle, jobs, mappings */
	uint32_t handle; /* 0 once closed */
	uint64_t offset; /* into the file's memory, as mmap() takes it */
	uint64_t size;   /* page rounded */
	uint32_t iova;
	uint8_t *mem;                /* the device's view */
	bool lent;                   /* that view is also the CPU's mapping */
	struct sim_job *user;        /* the job queued last that reads or writes it */
	bool invalid;                /* what a failed job was to write */
	uint64_t object;             /* rknpu: where the kernel would have it */
	uint32_t flags;              /* rknpu: RKNPU_MEM_* */
	struct sim_bo *next, **link; /* all buffers of the file */
	struct sim_bo *next_dead;
};

/* Buffers freed while a kick may hold a pointer into them; under dev->lock. */
struct sim_reaper {
	unsigned running; /* kicks */
	struct sim_bo *dead;
};

/* A CPU mapping other than the lent view. */
struct sim_mapping {
	struct sim_mapping *next;
	struct sim_bo *bo;
	void *addr;
	size_t length;
};

/* ---- an IOVA window (space.c): of a file, or of the device ---- */

struct sim_extent {
	uint64_t start, end;
	struct sim_bo *bo;
};

struct sim_space {
	pthread_rwlock_t lock;
	struct sim_extent *extents; /* ascending */
	size_t n, capacity;
	bool top_down;
};

int sim_space_init(struct sim_space *s);
void sim_space_fini(struct sim_space *s);
/* Best fit for size bytes, lowest address of the smallest hole; top-down the highest address of
 * the highest hole. 0, -ENOSPC or -ENOMEM. */
int sim_space_insert(struct sim_space *s, struct sim_bo *bo);
void sim_space_remove(struct sim_space *s, const struct sim_bo *bo);
/* struct npu_memory.map; ctx is the space. */
void *sim_space_map(void *ctx, uint32_t iova, uint32_t *len, bool write);

/* ---- jobs and cores (queue.c, core.c) ---- */

struct sim_task {
	uint32_t regcmd, regcmd_count;
};

/* A job, and the fence it signals. Fields from state on are under the device's lock. */
struct sim_job {
	struct sim_job *next; /* in its file's queue */
	struct sim_file *file;
	uint64_t id;
	struct sim_task *tasks;
	uint32_t n_tasks;
	uint32_t flags;
	struct sim_bo **bos; /* in, then out; each once */
	uint32_t n_in, n_out;

	unsigned refs;
	bool done;
};

struct sim_core {
	struct sim_device *dev;
	unsigned index;
	pthread_t thread;
	pthread_cond_t wake; /* CLOCK_MONOTONIC */
	struct npu_core *npu;
	struct sim_file *running;
};

struct sim_device {
	const struct sim_abi *abi;
	const struct npu_chip *chip;
	pthread_mutex_t lock;
	pthread_cond_t idle; /* a core finished a job */
	struct sim_core cores[SIM_MAX_CORES];
	unsigned n_cores;
	bool stop;
	unsigned driver; /* its version, as the abi counts: enum sim_driver */
	struct sim_rknpu *rknpu;
	struct sim_file *files; /* that may have jobs, by next_sched */
	uint64_t next_job;
	unsigned timeout_ms;
	uint32_t quirks;
	FILE *trace; /* NULL: only failures, to stderr */
	bool close_trace;
	pthread_mutex_t trace_lock;
	unsigned users; /* under the registry lock */
};

struct sim_file {
	struct sim_file *next; /* registry */
	struct sim_file *next_sched;
	struct sim_device *dev;
	unsigned refs; /* registry lock */
	int opened_as; /* the fd it was opened under, for the log */
	int fd;        /* one it is open under now; registry lock */
	dev_t st_dev;
	ino_t st_ino;

	/* buffers, under dev->lock */
	struct sim_bo **handles; /* by handle - 1 */
	uint32_t n_handles;
	uint64_t next_offset;
	struct sim_bo *bos;
	struct sim_mapping *mappings;
	struct sim_reaper *reaper, own_reaper;
	struct sim_space *space, own_space;
	struct npu_memory memory;

	/* the scheduling entity, under dev->lock */
	struct sim_job *queue, **queue_tail;
	unsigned n_queued;
	unsigned unfinished;   /* jobs taken and not done, those of a SUBMIT under way included */
	struct sim_core *core; /* bound to, NULL before the first job */
	bool running, dying;
	struct npu_counters counters;

	atomic_uint events; /* bumped when a job ends; the futex of waiters */
};

/* A device with its cores' threads (device.c). NULL and errno; EINVAL: the variable that reason
 * then tells of. */
struct sim_device *sim_device_new(const struct sim_abi *abi, const struct npu_chip *chip,
				  char reason[SIM_REASON_MAX]);
/* No file may be left. */
void sim_device_free(struct sim_device *dev);

void sim_sched_attach(struct sim_device *dev, struct sim_file *file);
/* Cancel what is queued, wait for the kick that runs, and leave the scheduler. */
void sim_sched_detach(struct sim_file *file);
/* Queue a job; takes over the caller's reference. */
void sim_sched_push(struct sim_job *job);
/*
 * Wait until job is done or deadline_ns (CLOCK_MONOTONIC) has passed. 0 when done, -EBUSY when
 * the deadline was past at the call, -ETIMEDOUT, -EINTR.
 */
int sim_sched_wait(struct sim_job *job, int64_t deadline_ns);

/* With dev->lock held: take the next job of core out of its queue, or NULL. */
struct sim_job *sim_sched_next(struct sim_core *core);
/*
 * With dev->lock held: what a failed job was to write is invalid, and so is what a job writes that
 * reads it; that job runs all the same.
 */
void sim_job_mark(struct sim_job *job);
void sim_job_inherit(struct sim_job *job);
/* With dev->lock held: signal the job's fence and drop its reference. */
void sim_sched_finish(struct sim_job *job, bool failed);

/* With dev->lock held. */
struct sim_job *sim_job_get(struct sim_job *job);
/* NULL is nothing to drop. */
void sim_job_put(struct sim_job *job);

/* ---- requests (ioctl.c, submit.c, gem.c) ---- */

/* A request's number, what runs it, and the version it is there from. */
struct sim_request {
	unsigned long request;
	int (*run)(struct sim_file *file, void *arg);
	unsigned since;
};
/*
 * Find request in rows by its number and run it as the DRM core does: a caller's struct that is
 * shorter or longer than the driver's is zero-extended or its tail handed back untouched.
 */
int sim_request_run(struct sim_file *file, const struct sim_request *rows, size_t n,
		    unsigned long request, void *arg);
/* DRM_IOCTL_VERSION, DRM_IOCTL_GEM_CLOSE and what else any DRM driver answers. */
int sim_do_version(struct sim_file *file, void *arg, const int version[3], const char *name,
		   const char *date);
int sim_do_gem_close(struct sim_file *file, void *arg);
int sim_do_not_simulated(struct sim_file *file, void *arg);

int sim_ioctl(struct sim_file *file, unsigned long request, void *arg);
/* Of an fd that is no device's: 0 or -errno, EBADF when it is no fence either (rknpu/fence.c). */
int sim_fence_ioctl(int fd, unsigned long request, void *arg);
/* In a child of fork(). */
void sim_fence_forked(void);

struct drm_rocket_create_bo;
struct drm_rocket_prep_bo;
struct drm_rocket_fini_bo;
struct drm_rocket_prep_bo_ranges;
struct drm_rocket_fini_bo_ranges;
struct drm_rocket_submit;
/* Each returns 0 or -errno. */
int sim_create_bo(struct sim_file *file, struct drm_rocket_create_bo *args);
int sim_prep_bo(struct sim_file *file, struct drm_rocket_prep_bo *args);
int sim_fini_bo(struct sim_file *file, struct drm_rocket_fini_bo *args);
int sim_prep_bo_ranges(struct sim_file *file, struct drm_rocket_prep_bo_ranges *args);
int sim_fini_bo_ranges(struct sim_file *file, struct drm_rocket_fini_bo_ranges *args);
int sim_gem_close(struct sim_file *file, uint32_t handle);
/* A buffer of size bytes, page rounded, with a handle and an address, and a reference of it for
 * the caller: 0 or -errno. */
int sim_gem_create(struct sim_file *file, uint64_t size, struct sim_bo **out);
int sim_submit(struct sim_file *file, struct drm_rocket_submit *args);

/* mmap() of a buffer: MAP_FAILED and errno. */
void *sim_gem_mmap(struct sim_file *file, size_t length, uint64_t offset);
/* Forget a mapping of file's buffers; true when the pages stay with the device. */
bool sim_gem_munmap(struct sim_file *file, void *addr, size_t length);
/* Free everything; nothing runs any more. */
void sim_gem_release(struct sim_file *file);

/* With dev->lock held. */
struct sim_bo *sim_bo_lookup(struct sim_file *file, uint32_t handle);
void sim_bo_put(struct sim_bo *bo);
/* Unmap what was freed during kicks that are over. */
void sim_gem_reap(struct sim_reaper *reaper);

/* ---- the file behind the fd, and what outlives the device (sim_dev.c) ---- */

/* With dev->lock held: counters of a kick of file. */
void sim_count(struct sim_file *file, const struct npu_counters *c);
void sim_counters_add(struct npu_counters *to, const struct npu_counters *c);

/* mmap() of its memory, shared: MAP_FAILED and errno. */
void *sim_file_map(struct sim_file *file, size_t length, uint64_t offset);

/* ---- user memory (uaccess.c) ---- */

/* Copy from or to memory that may not be there: bytes copied before the first fault. */
size_t sim_copy_from_user(void *dst, uint64_t src, size_t n);
size_t sim_copy_to_user(uint64_t dst, const void *src, size_t n);

/* ---- parameters and log (log.c) ---- */

/* One line about a failure, to the trace file or stderr. */
void sim_log(struct sim_device *dev, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* npu_core_options.report and .trace. */
void sim_trace_line(void *dev, const char *line);

long sim_param(const char *name, long fallback);
/* Of a parameter that there is. */
void sim_param_store(const char *name, long value);

#endif

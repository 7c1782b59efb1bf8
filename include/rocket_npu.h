/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rocket_npu.h - devices, buffers and submission.
 *
 * An fd is the context: one IOVA window of 4 GiB and one scheduling entity, which
 * stays on one NPU core while it has work. Use several fds for several cores. With the vendor's
 * driver all fds of all processes share one window, and a job goes to whichever core is free.
 *
 * Which device rocket_open() takes is decided by ROCKET_DEVICE:
 *   unset                    the first device node that a built-in provider accepts
 *   /dev/accel/accel0        that node; of the vendor's driver, /dev/dri/renderD129 or card1
 *   sim, sim:rk3588          the simulated NPU inside this process
 *   sim:rk3588:rocket        the same, naming the kernel ABI it answers; or
 *   sim:rk3588:rknpu         that of the vendor's driver
 * The simulator is never chosen unless asked for.
 *
 * Return values: int functions give ROCKET_OK (0) or a positive count on success
 * and a negative enum rocket_status on failure, with one line of reason on the log
 * channel (rocket_log.h). rocket_open() alone gives a file descriptor or -errno.
 *
 * Thread safety: different fds may be used from different threads at once. One fd
 * may be used from several threads for buffer and submit calls; one struct
 * rocket_bo must not be freed while another thread uses it.
 *
 * fork(): allowed at any time. In the child the fds of the parent are refused like any
 * fd that is not open here (the simulated NPU, its cores being threads of the parent, cannot
 * answer there; a real one would share the parent's window); rocket_open() gives the
 * child fds of its own. After exec nothing is left: every fd is close-on-exec.
 */
#ifndef ROCKET_NPU_H
#define ROCKET_NPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

enum rocket_status {
	ROCKET_OK = 0,
	ROCKET_E_SHAPE = -1,       /* a size, alignment or pointer the operation cannot take */
	ROCKET_E_TILING = -2,      /* packed for another tiling: pack again */
	ROCKET_E_NOMEM = -3,       /* host memory or NPU address space exhausted */
	ROCKET_E_DEVICE = -4,      /* the device refused, failed, faulted or timed out */
	ROCKET_E_UNSUPPORTED = -5, /* not available on this chip, driver or build */
};

/* Job flags, same bits as the kernel interface. */
#define ROCKET_JOB_BATCHED     (1u << 0) /* programs are self-chained: one kick (driver >= 1.1) */
#define ROCKET_JOB_NO_DPU_DONE (1u << 1) /* RK3576: do not wait for the writer's bit (>= 1.2) */
#define ROCKET_JOB_PPU_DONE    (1u << 2) /* the last program is a pool (>= 1.3) */

/* A buffer that both the CPU (ptr) and the NPU (dma_address) see. */
struct rocket_bo {
	uint32_t handle;      /* kernel handle, per fd; 0 = no buffer */
	uint64_t dma_address; /* IOVA in this fd's window; 0 is a legal address */
	uint64_t mmap_offset; /* file offset of the mapping */
	size_t size;          /* bytes, rounded up to the page size */
	void *ptr;            /* CPU mapping, cached, page aligned */
};
typedef struct rocket_bo rocket_bo;

/* A byte range of a buffer; size 0 is refused. */
struct rocket_bo_range {
	uint64_t offset;
	uint64_t size;
};
typedef struct rocket_bo_range rocket_bo_range;

/* One register program: its IOVA (16-byte aligned) and its length in 64-bit words. */
struct rocket_task_desc {
	uint32_t regcmd;
	uint32_t regcmd_count;
};
typedef struct rocket_task_desc rocket_task_desc;

/* Tasks that run in order on one core, and the buffers they read and write. */
struct rocket_job_desc {
	const rocket_task_desc *tasks;
	uint32_t n_tasks;
	const uint32_t *in_handles;
	uint32_t n_in;
	const uint32_t *out_handles;
	uint32_t n_out;
};
typedef struct rocket_job_desc rocket_job_desc;

/* ---- device ---- */

/* Open the device ROCKET_DEVICE names. Returns an fd >= 0, or -errno with a log line. */
int rocket_open(void);

/* Close an fd of rocket_open(); its buffers and their mappings die with it. Jobs that have
 * not started may be cancelled: wait for what is wanted first. The call does not wait
 * for results, but a driver may let queued jobs start and a simulated core ends the
 * program it is in. With ROCKET_RKNPU_SUBMIT=fenced it waits until every job has ended or
 * is given up, as does whatever else closes an fd. A negative or foreign fd is ignored with a log
 * line. */
void rocket_close(int fd);

/* "rocket" or "rknpu": the kernel driver behind the device opened last ("" before any). */
const char *rocket_driver_name(void);

/* ---- worker placement ----
 * Worker i of a multi-threaded call is pinned to the (base + i) modulo n-th of the n
 * fastest CPUs (those whose cpuinfo_max_freq is the machine's highest). With equal or
 * unknown frequencies nothing is pinned. ROCKET_CPU_AFFINITY overrides: a CPU list
 * ("4-7", "4,5") or off/none/0/empty. base is per thread and inherited by workers. */
void rocket_affinity_set_base(int base);
int rocket_affinity_get_base(void);
/* Pin the calling thread as worker worker_idx. */
void rocket_pin_worker(int worker_idx);
/* Number of CPUs that workers are pinned to; 0 = no pinning. */
int rocket_num_big_cores(void);

/* ---- buffers ----
 * ROCKET_E_SHAPE a NULL pointer, size 0, an empty rocket_bo or an fd that is not open;
 * ROCKET_E_NOMEM no host memory, or no room in the fd's window; ROCKET_E_DEVICE the kernel
 * refused. */

/* Allocate and map size bytes (zeroed). On failure *bo is all zero. */
int rocket_bo_alloc(int fd, size_t size, rocket_bo *bo);
/* The same, and refuse (ROCKET_E_DEVICE) a buffer that ends above 4 GiB, where
 * register programs cannot reach. */
int rocket_bo_alloc32(int fd, size_t size, rocket_bo *bo);
/* Make *bo hold at least need bytes. 1 = reallocated (old contents gone), 0 = reused,
 * negative = error, *bo then being empty. */
int rocket_bo_ensure32(int fd, rocket_bo *bo, size_t need);
/* Unmap and free; *bo becomes all zero. An empty *bo is ignored. Does not wait: jobs that
 * name the buffer keep its pages and its IOVA until they are done, but their results
 * in it are lost. With ROCKET_RKNPU_SUBMIT=fenced it waits until they have ended or are
 * given up. A buffer that fd does not have (freed twice) is logged and left alone. */
void rocket_bo_free(int fd, rocket_bo *bo);

/* Make the buffer visible to the CPU: waits until no job writes it, then synchronises
 * caches. dir is accepted for compatibility and ignored (both directions are synced).
 * timeout_ns is relative; 0 polls. ROCKET_E_DEVICE when the wait ran out, and when the
 * job that wrote this buffer last timed out, faulted or was cancelled.
 *
 * Only drivers that report errors (the simulated NPU; the rocket driver from 1.7 on; the
 * vendor's) can say the latter. The stock driver, version 0.0, completes a job it had to retire
 * like any other: ROCKET_OK over old data, about 500 ms late. There a wait of slow_wait_ms or more
 * is logged as suspect and counted (rocket_fence_wait_slow_count); it may also just have been a
 * long queue. On the simulated NPU, whose jobs take the host's time, it is counted and logged at
 * debug level only. */
int rocket_bo_prep(int fd, rocket_bo *bo, int dir, uint64_t timeout_ns);
/* Hand the buffer back to the NPU after CPU writes. Never waits. */
int rocket_bo_fini(int fd, rocket_bo *bo);
/* The same for parts of a buffer, n >= 1 ranges, ascending and apart. ROCKET_E_UNSUPPORTED
 * without rocket_bo_ranges_supported(). */
int rocket_bo_prep_ranges(int fd, rocket_bo *bo, const rocket_bo_range *r, unsigned n,
			  uint64_t timeout_ns);
int rocket_bo_fini_ranges(int fd, rocket_bo *bo, const rocket_bo_range *r, unsigned n);

/* ---- capabilities of the device opened last (0 or 1; 0 before any open) ---- */
int rocket_bo_ranges_supported(void);      /* driver >= 1.5 */
int rocket_batched_submit_supported(void); /* driver >= 1.1 and its switch is on */
int rocket_batched_submit_native(void);    /* chains are the driver's way, and the default */
int rocket_ppu_done_supported(void);       /* driver >= 1.3 */
int rocket_no_dpu_done_supported(void);    /* driver >= 1.2 */
int rocket_batch_completion_tracked(void); /* a batched job's fence means every task is done */
int rocket_submit_batch_atomic(void);      /* no foreign task can run between two of one job */

/* Spin for us microseconds before a blocking wait (default ROCKET_BUSY_POLL, 0). */
void rocket_busy_poll_set_us(long us);

/* ---- submission ----
 * in_handles: buffers the job reads; out_handles: buffers it writes, or both reads and
 * writes. A handle in both lists, or twice in one, is refused: the kernel would complete
 * such a job without running it. Each call is one SUBMIT; it returns when the job is
 * queued, with the vendor's driver when it has ended; there with ROCKET_RKNPU_SUBMIT=fenced
 * when it is queued, before which the jobs it depends on end. ROCKET_E_SHAPE bad arguments, or with
 * ROCKET_VALIDATE=1 a faulty program; ROCKET_E_UNSUPPORTED a flag this driver lacks;
 * ROCKET_E_DEVICE the kernel refused. */

/* One program of regcmd_count words at the start of regcmd_bo. timeout_ms is accepted
 * for compatibility; the kernel's own watchdog applies. */
int rocket_submit_matmul(int fd, const rocket_bo *regcmd_bo, uint32_t regcmd_count,
			 const uint32_t *in_handles, uint32_t n_in, const uint32_t *out_handles,
			 uint32_t n_out, uint32_t timeout_ms);
int rocket_submit_matmul_flags(int fd, const rocket_bo *regcmd_bo, uint32_t regcmd_count,
			       const uint32_t *in_handles, uint32_t n_in,
			       const uint32_t *out_handles, uint32_t n_out, uint32_t job_flags);

/* One job of n_tasks programs. */
int rocket_submit_tasks(int fd, const rocket_task_desc *tasks, uint32_t n_tasks,
			const uint32_t *in_handles, uint32_t n_in, const uint32_t *out_handles,
			uint32_t n_out);
int rocket_submit_tasks_flags(int fd, const rocket_task_desc *tasks, uint32_t n_tasks,
			      const uint32_t *in_handles, uint32_t n_in,
			      const uint32_t *out_handles, uint32_t n_out, uint32_t job_flags);

/* The same without allocation: scratch holds rocket_submit_scratch_size(n_tasks) bytes,
 * 8-byte aligned, and may be reused when the call returns. */
size_t rocket_submit_scratch_size(uint32_t max_tasks);
int rocket_submit_tasks_pre(int fd, void *scratch, const rocket_task_desc *tasks, uint32_t n_tasks,
			    const uint32_t *in_handles, uint32_t n_in, const uint32_t *out_handles,
			    uint32_t n_out, uint32_t job_flags);

/* Several jobs in one SUBMIT, queued in order. On failure none, or the first few, may
 * have been queued. */
int rocket_submit_jobs(int fd, const rocket_job_desc *jobs, uint32_t n_jobs);

/* ---- counters, process-wide ---- */
/* SUBMIT calls that the kernel got. The vendor's driver takes one for each task of a job whose
 * tasks are not chained; with the others a submission is one call. */
uint64_t rocket_submit_ioctl_count(void);
uint64_t rocket_submit_task_count(void); /* tasks in them */
void rocket_submit_counters_reset(void);

/* Waits with a timeout > 0, those longer than slow_wait_ms (ROCKET_SLOW_WAIT_MS), the longest. */
uint64_t rocket_fence_wait_count(void);
uint64_t rocket_fence_wait_slow_count(void);
uint64_t rocket_fence_wait_max_us(void);
void rocket_fence_wait_counters_reset(void);

/* RK3576 write guard: jobs retired by the backstop, split by whether they had written.
 * Always 0 until that chip has an encoder here. */
void rocket_rk3576_retired_counts(uint64_t *unwritten, uint64_t *written);
void rocket_rk3576_retired_counts_reset(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif

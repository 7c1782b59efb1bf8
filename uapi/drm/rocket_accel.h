/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rocket_accel.h - the ioctl interface of the rocket driver, versions 0.0 to 1.5.
 *
 * Written for this project from the interface's layout; names follow the kernel so that
 * one source builds against either. Sizes and offsets are asserted below. What each
 * version adds:
 *   0.0  CREATE_BO, SUBMIT, PREP_BO, FINI_BO; a job that failed looks like a success
 *   1.0  descriptors may grow (job_struct_size, task_struct_size); SUBMIT reports errors
 *   1.1  drm_rocket_job.flags, DRM_ROCKET_JOB_BATCHED
 *   1.2  DRM_ROCKET_JOB_NO_DPU_DONE     1.3  DRM_ROCKET_JOB_PPU_DONE
 *   1.5  PREP_BO_RANGES, FINI_BO_RANGES
 */
#ifndef ROCKET_UAPI_ROCKET_ACCEL_H
#define ROCKET_UAPI_ROCKET_ACCEL_H

#include "drm.h"
#include <stddef.h>

#define DRM_ROCKET_CREATE_BO      0x00
#define DRM_ROCKET_SUBMIT         0x01
#define DRM_ROCKET_PREP_BO        0x02
#define DRM_ROCKET_FINI_BO        0x03
#define DRM_ROCKET_PREP_BO_RANGES 0x04
#define DRM_ROCKET_FINI_BO_RANGES 0x05

/* Allocate a buffer and map it for the NPU. */
struct drm_rocket_create_bo {
	__u32 size;        /* in: bytes */
	__u32 handle;      /* out */
	__u64 dma_address; /* out: IOVA, 32 bits used; 0 is legal */
	__u64 offset;      /* out: for mmap() on the node */
};

/* Wait for the jobs that use the buffer, then make it visible to the CPU. */
struct drm_rocket_prep_bo {
	__u32 handle;
	__u32 reserved;   /* 0 */
	__s64 timeout_ns; /* absolute CLOCK_MONOTONIC; in the past: EBUSY instead of waiting */
};

/* Hand the buffer back to the NPU. */
struct drm_rocket_fini_bo {
	__u32 handle;
	__u32 reserved; /* 0 */
};

/* One register program. */
struct drm_rocket_task {
	__u32 regcmd;       /* IOVA, 16-byte aligned */
	__u32 regcmd_count; /* 64-bit words, > 0 */
};

#define DRM_ROCKET_JOB_BATCHED     (1u << 0) /* the programs are chained: one kick */
#define DRM_ROCKET_JOB_NO_DPU_DONE (1u << 1)
#define DRM_ROCKET_JOB_PPU_DONE    (1u << 2)

/* Tasks that run in order on one core. */
struct drm_rocket_job {
	__u64 tasks;          /* user pointer, task_count elements task_struct_size apart */
	__u64 in_bo_handles;  /* user pointer to __u32: buffers that are read */
	__u64 out_bo_handles; /* user pointer to __u32: buffers that are written */
	__u32 task_count;
	__u32 task_struct_size;
	__u32 in_bo_handle_count;
	__u32 out_bo_handle_count;
	__u32 flags;    /* since 1.1 */
	__u32 reserved; /* since 1.1; 0 */
};
#define DRM_ROCKET_JOB_SIZE_V1 40 /* without flags */

struct drm_rocket_submit {
	__u64 jobs; /* user pointer, job_count elements job_struct_size apart */
	__u32 job_count;
	__u32 job_struct_size;
	__u64 reserved; /* 0 */
};

struct drm_rocket_bo_range {
	__u64 offset;
	__u64 size; /* > 0 */
};

struct drm_rocket_prep_bo_ranges {
	__u32 handle;
	__u32 range_count;
	__u64 ranges;
	__s64 timeout_ns;
	__u64 reserved;
};

struct drm_rocket_fini_bo_ranges {
	__u32 handle;
	__u32 range_count;
	__u64 ranges;
	__u64 reserved;
};

#define DRM_IOCTL_ROCKET_CREATE_BO                                                                 \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_ROCKET_CREATE_BO, struct drm_rocket_create_bo)
#define DRM_IOCTL_ROCKET_SUBMIT                                                                    \
	DRM_IOW(DRM_COMMAND_BASE + DRM_ROCKET_SUBMIT, struct drm_rocket_submit)
#define DRM_IOCTL_ROCKET_PREP_BO                                                                   \
	DRM_IOW(DRM_COMMAND_BASE + DRM_ROCKET_PREP_BO, struct drm_rocket_prep_bo)
#define DRM_IOCTL_ROCKET_FINI_BO                                                                   \
	DRM_IOW(DRM_COMMAND_BASE + DRM_ROCKET_FINI_BO, struct drm_rocket_fini_bo)
#define DRM_IOCTL_ROCKET_PREP_BO_RANGES                                                            \
	DRM_IOW(DRM_COMMAND_BASE + DRM_ROCKET_PREP_BO_RANGES, struct drm_rocket_prep_bo_ranges)
#define DRM_IOCTL_ROCKET_FINI_BO_RANGES                                                            \
	DRM_IOW(DRM_COMMAND_BASE + DRM_ROCKET_FINI_BO_RANGES, struct drm_rocket_fini_bo_ranges)

_Static_assert(DRM_IOCTL_ROCKET_CREATE_BO == 0xc0186440, "CREATE_BO number");
_Static_assert(DRM_IOCTL_ROCKET_SUBMIT == 0x40186441, "SUBMIT number");
_Static_assert(DRM_IOCTL_ROCKET_PREP_BO == 0x40106442, "PREP_BO number");
_Static_assert(DRM_IOCTL_ROCKET_FINI_BO == 0x40086443, "FINI_BO number");
_Static_assert(DRM_IOCTL_ROCKET_PREP_BO_RANGES == 0x40206444, "PREP_BO_RANGES number");
_Static_assert(DRM_IOCTL_ROCKET_FINI_BO_RANGES == 0x40186445, "FINI_BO_RANGES number");
_Static_assert(sizeof(struct drm_rocket_task) == 8, "task size");
_Static_assert(sizeof(struct drm_rocket_job) == 48, "job size");
_Static_assert(offsetof(struct drm_rocket_job, flags) == DRM_ROCKET_JOB_SIZE_V1, "job v1 size");

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rknpu_ioctl.h - the ioctl interface of the vendor's rknpu driver, versions 0.9.6 to 0.9.8.
 *
 * Written for this project from the interface's layout; names follow the vendor's kernel so that
 * one source builds against either. Sizes and offsets are asserted below. The driver is built as a
 * DRM driver (requests of type 'd' from DRM_COMMAND_BASE on) or as a misc device over dma-buf heaps
 * (type 'r'); the structs are the same.
 */
#ifndef ROCKET_UAPI_RKNPU_IOCTL_H
#define ROCKET_UAPI_RKNPU_IOCTL_H

#include "drm.h"
#include <stddef.h>

#define RKNPU_ACTION      0x00
#define RKNPU_SUBMIT      0x01
#define RKNPU_MEM_CREATE  0x02
#define RKNPU_MEM_MAP     0x03
#define RKNPU_MEM_DESTROY 0x04
#define RKNPU_MEM_SYNC    0x05

/* ---- memory ---- */

#define RKNPU_MEM_NON_CONTIGUOUS             (1u << 0)
#define RKNPU_MEM_CACHEABLE                  (1u << 1)
#define RKNPU_MEM_WRITE_COMBINE              (1u << 2)
#define RKNPU_MEM_KERNEL_MAPPING             (1u << 3) /* the driver itself reads or writes it */
#define RKNPU_MEM_IOMMU                      (1u << 4)
#define RKNPU_MEM_ZEROING                    (1u << 5)
#define RKNPU_MEM_SECURE                     (1u << 6)
#define RKNPU_MEM_DMA32                      (1u << 7)
#define RKNPU_MEM_TRY_ALLOC_SRAM             (1u << 8)
#define RKNPU_MEM_TRY_ALLOC_NBUF             (1u << 9)
#define RKNPU_MEM_IOMMU_LIMIT_IOVA_ALIGNMENT (1u << 10) /* since 0.9.7; before it is ignored */
#define RKNPU_MEM_MASK                       0x7ffu

struct rknpu_mem_create {
	__u32 handle; /* in: 0, or an object to describe; out */
	__u32 flags;
	__u64 size;     /* in: bytes; out: page rounded */
	__u64 obj_addr; /* out: names the object in MEM_SYNC, MEM_DESTROY and SUBMIT */
	__u64 dma_addr; /* out: address for the NPU */
	__u64 sram_size;
	__s32 iommu_domain_id; /* 0 */
	__u32 core_mask;
};
#define RKNPU_MEM_CREATE_SIZE_V1 40 /* before 0.9.6: without the last two */

struct rknpu_mem_map {
	__u32 handle;
	__u32 reserved;
	__u64 offset; /* out: for mmap() */
};

struct rknpu_mem_destroy {
	__u32 handle;
	__u32 reserved;
	__u64 obj_addr;
};

#define RKNPU_MEM_SYNC_TO_DEVICE   (1u << 0)
#define RKNPU_MEM_SYNC_FROM_DEVICE (1u << 1)

struct rknpu_mem_sync {
	__u32 flags;
	__u32 reserved;
	__u64 obj_addr;
	__u64 offset;
	__u64 size;
};

/* ---- work ---- */

/* One register program. The driver reads it through its own mapping of the task object. */
struct rknpu_task {
	__u32 flags; /* this and the next two: not read */
	__u32 op_idx;
	__u32 enable_mask;
	__u32 int_mask;      /* of the last: what ends the job; of the first: what is cleared */
	__u32 int_clear;     /* not read */
	__u32 int_status;    /* out, of the last */
	__u32 regcfg_amount; /* words less the trailer's four; of the first */
	__u32 regcfg_offset; /* not read */
	__u64 regcmd_addr;   /* of the first: the others follow by their links */
} __attribute__((packed));

#define RKNPU_TRAILER_WORDS 4
#define RKNPU_INT_DPU       0x300u
#define RKNPU_INT_PPU       0xc00u

struct rknpu_subcore_task {
	__u32 task_start;
	__u32 task_number;
};
#define RKNPU_SUBCORES 5

#define RKNPU_JOB_PC        (1u << 0) /* without it: EINVAL */
#define RKNPU_JOB_NONBLOCK  (1u << 1)
#define RKNPU_JOB_PINGPONG  (1u << 2)
#define RKNPU_JOB_FENCE_IN  (1u << 3)
#define RKNPU_JOB_FENCE_OUT (1u << 4)

#define RKNPU_CORE_AUTO_MASK 0u

struct rknpu_submit {
	__u32 flags;
	__u32 timeout; /* ms */
	__u32 task_start;
	__u32 task_number;
	__u32 task_counter; /* out: tasks done */
	__s32 priority;     /* not read */
	__u64 task_obj_addr;
	__u32 iommu_domain_id;
	__u32 reserved;
	__u64 task_base_addr; /* 0 */
	__s64 hw_elapse_time; /* out: ns */
	__u32 core_mask;
	__s32 fence_fd; /* in or out */
	/* By core; with three cores named, core c has entry c + 2. */
	struct rknpu_subcore_task subcore_task[RKNPU_SUBCORES];
};

/* ---- queries ---- */

enum rknpu_action_number {
	RKNPU_GET_HW_VERSION = 0,
	RKNPU_GET_DRV_VERSION = 1, /* major * 10000 + minor * 100 + patch */
	RKNPU_GET_FREQ = 2,        /* Hz */
	RKNPU_SET_FREQ = 3,        /* EINVAL */
	RKNPU_GET_VOLT = 4,        /* uV */
	RKNPU_SET_VOLT = 5,        /* EINVAL */
	RKNPU_ACT_RESET = 6,       /* every core */
	RKNPU_GET_BW_PRIORITY = 7,
	RKNPU_SET_BW_PRIORITY = 8,
	RKNPU_GET_BW_EXPECT = 9,
	RKNPU_SET_BW_EXPECT = 10,
	RKNPU_GET_BW_TW = 11,
	RKNPU_SET_BW_TW = 12,
	RKNPU_ACT_CLR_TOTAL_RW_AMOUNT = 13,
	RKNPU_GET_DT_WR_AMOUNT = 14,
	RKNPU_GET_DT_RD_AMOUNT = 15,
	RKNPU_GET_WT_RD_AMOUNT = 16,
	RKNPU_GET_TOTAL_RW_AMOUNT = 17,
	RKNPU_GET_IOMMU_EN = 18,
	RKNPU_SET_PROC_NICE = 19,
	RKNPU_POWER_ON = 20,  /* EINVAL: every call powers on */
	RKNPU_POWER_OFF = 21, /* EINVAL */
	RKNPU_GET_TOTAL_SRAM_SIZE = 22,
	RKNPU_GET_FREE_SRAM_SIZE = 23,
	RKNPU_GET_IOMMU_DOMAIN_ID = 24,
	RKNPU_SET_IOMMU_DOMAIN_ID = 25,
};

struct rknpu_action {
	__u32 flags; /* enum rknpu_action_number */
	__u32 value;
};

/* ---- requests ---- */

#define DRM_IOCTL_RKNPU_ACTION DRM_IOWR(DRM_COMMAND_BASE + RKNPU_ACTION, struct rknpu_action)
#define DRM_IOCTL_RKNPU_SUBMIT DRM_IOWR(DRM_COMMAND_BASE + RKNPU_SUBMIT, struct rknpu_submit)
#define DRM_IOCTL_RKNPU_MEM_CREATE                                                                 \
	DRM_IOWR(DRM_COMMAND_BASE + RKNPU_MEM_CREATE, struct rknpu_mem_create)
#define DRM_IOCTL_RKNPU_MEM_MAP DRM_IOWR(DRM_COMMAND_BASE + RKNPU_MEM_MAP, struct rknpu_mem_map)
#define DRM_IOCTL_RKNPU_MEM_DESTROY                                                                \
	DRM_IOWR(DRM_COMMAND_BASE + RKNPU_MEM_DESTROY, struct rknpu_mem_destroy)
#define DRM_IOCTL_RKNPU_MEM_SYNC DRM_IOWR(DRM_COMMAND_BASE + RKNPU_MEM_SYNC, struct rknpu_mem_sync)

/* Of the misc device. */
#define RKNPU_IOC_MAGIC         'r'
#define IOCTL_RKNPU_ACTION      _IOWR(RKNPU_IOC_MAGIC, RKNPU_ACTION, struct rknpu_action)
#define IOCTL_RKNPU_SUBMIT      _IOWR(RKNPU_IOC_MAGIC, RKNPU_SUBMIT, struct rknpu_submit)
#define IOCTL_RKNPU_MEM_CREATE  _IOWR(RKNPU_IOC_MAGIC, RKNPU_MEM_CREATE, struct rknpu_mem_create)
#define IOCTL_RKNPU_MEM_MAP     _IOWR(RKNPU_IOC_MAGIC, RKNPU_MEM_MAP, struct rknpu_mem_map)
#define IOCTL_RKNPU_MEM_DESTROY _IOWR(RKNPU_IOC_MAGIC, RKNPU_MEM_DESTROY, struct rknpu_mem_destroy)
#define IOCTL_RKNPU_MEM_SYNC    _IOWR(RKNPU_IOC_MAGIC, RKNPU_MEM_SYNC, struct rknpu_mem_sync)

_Static_assert(DRM_IOCTL_RKNPU_ACTION == 0xc0086440, "ACTION number");
_Static_assert(DRM_IOCTL_RKNPU_SUBMIT == 0xc0686441, "SUBMIT number");
_Static_assert(DRM_IOCTL_RKNPU_MEM_CREATE == 0xc0306442, "MEM_CREATE number");
_Static_assert(DRM_IOCTL_RKNPU_MEM_MAP == 0xc0106443, "MEM_MAP number");
_Static_assert(DRM_IOCTL_RKNPU_MEM_DESTROY == 0xc0106444, "MEM_DESTROY number");
_Static_assert(DRM_IOCTL_RKNPU_MEM_SYNC == 0xc0206445, "MEM_SYNC number");
_Static_assert(IOCTL_RKNPU_ACTION == 0xc0087200, "misc ACTION number");
_Static_assert(IOCTL_RKNPU_SUBMIT == 0xc0687201, "misc SUBMIT number");
_Static_assert(IOCTL_RKNPU_MEM_CREATE == 0xc0307202, "misc MEM_CREATE number");
_Static_assert(IOCTL_RKNPU_MEM_MAP == 0xc0107203, "misc MEM_MAP number");
_Static_assert(IOCTL_RKNPU_MEM_DESTROY == 0xc0107204, "misc MEM_DESTROY number");
_Static_assert(IOCTL_RKNPU_MEM_SYNC == 0xc0207205, "misc MEM_SYNC number");

#define RKNPU_AT(type, field, at)                                                                  \
	_Static_assert(offsetof(struct type, field) == (at), "offset of " #type "." #field)
RKNPU_AT(rknpu_action, value, 4);
RKNPU_AT(rknpu_mem_create, flags, 4);
RKNPU_AT(rknpu_mem_create, size, 8);
RKNPU_AT(rknpu_mem_create, obj_addr, 16);
RKNPU_AT(rknpu_mem_create, dma_addr, 24);
RKNPU_AT(rknpu_mem_create, sram_size, 32);
RKNPU_AT(rknpu_mem_create, iommu_domain_id, RKNPU_MEM_CREATE_SIZE_V1);
RKNPU_AT(rknpu_mem_create, core_mask, 44);
RKNPU_AT(rknpu_mem_map, offset, 8);
RKNPU_AT(rknpu_mem_destroy, obj_addr, 8);
RKNPU_AT(rknpu_mem_sync, obj_addr, 8);
RKNPU_AT(rknpu_mem_sync, offset, 16);
RKNPU_AT(rknpu_mem_sync, size, 24);
RKNPU_AT(rknpu_task, op_idx, 4);
RKNPU_AT(rknpu_task, enable_mask, 8);
RKNPU_AT(rknpu_task, int_mask, 12);
RKNPU_AT(rknpu_task, int_clear, 16);
RKNPU_AT(rknpu_task, int_status, 20);
RKNPU_AT(rknpu_task, regcfg_amount, 24);
RKNPU_AT(rknpu_task, regcfg_offset, 28);
RKNPU_AT(rknpu_task, regcmd_addr, 32);
RKNPU_AT(rknpu_submit, timeout, 4);
RKNPU_AT(rknpu_submit, task_start, 8);
RKNPU_AT(rknpu_submit, task_number, 12);
RKNPU_AT(rknpu_submit, task_counter, 16);
RKNPU_AT(rknpu_submit, priority, 20);
RKNPU_AT(rknpu_submit, task_obj_addr, 24);
RKNPU_AT(rknpu_submit, iommu_domain_id, 32);
RKNPU_AT(rknpu_submit, task_base_addr, 40);
RKNPU_AT(rknpu_submit, hw_elapse_time, 48);
RKNPU_AT(rknpu_submit, core_mask, 56);
RKNPU_AT(rknpu_submit, fence_fd, 60);
RKNPU_AT(rknpu_submit, subcore_task, 64);
#undef RKNPU_AT
_Static_assert(sizeof(struct rknpu_action) == 8, "action size");
_Static_assert(sizeof(struct rknpu_mem_create) == 48, "mem_create size");
_Static_assert(sizeof(struct rknpu_mem_map) == 16, "mem_map size");
_Static_assert(sizeof(struct rknpu_mem_destroy) == 16, "mem_destroy size");
_Static_assert(sizeof(struct rknpu_mem_sync) == 32, "mem_sync size");
_Static_assert(sizeof(struct rknpu_task) == 40, "task size");
_Static_assert(sizeof(struct rknpu_submit) == 104, "submit size");

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * vendor.h - objects and jobs of the vendor's rknpu driver, for struct load and its judges.
 *
 * A job is a chain of tasks: the driver starts the first and the links of the programs lead on.
 * SUBMIT waits for it. Calls return 0 or -errno of one ioctl, which the driver does not interrupt.
 */
#ifndef SELFTESTS_VENDOR_H
#define SELFTESTS_VENDOR_H

#include "drm/rknpu_ioctl.h"
#include "load.h"

#define VENDOR_CORES 3u /* of an RK3588 */
#define VENDOR_FLAGS                                                                               \
	(RKNPU_MEM_NON_CONTIGUOUS | RKNPU_MEM_CACHEABLE | RKNPU_MEM_IOMMU | RKNPU_MEM_ZEROING |    \
	 RKNPU_MEM_IOMMU_LIMIT_IOVA_ALIGNMENT)

/* ---- single calls ---- */
int vendor_create(const struct file *f, struct rknpu_mem_create *args);
int vendor_map(const struct file *f, uint32_t handle, uint64_t *offset);
int vendor_destroy(const struct file *f, uint32_t handle, uint64_t object);
int vendor_sync(const struct file *f, uint64_t object, uint32_t flags, uint64_t offset,
		uint64_t size);
int vendor_action(const struct file *f, uint32_t number, uint32_t *value);

/* ---- with release at the end of the test ---- */

/* Allocate, map, clear and hand over. NULL: recorded. */
struct bo *vendor_object(struct test *t, struct file *f, uint32_t size, uint32_t more_flags);
/* Unmap and destroy it now. */
int vendor_object_free(struct file *f, struct bo *bo);

struct vendor_job {
	struct load load;
	struct bo *tasks; /* the array */
	struct rknpu_submit submit;
};

/* A chain on whichever core; its first task has task_start 0. false: recorded. */
bool vendor_job_make(struct vendor_job *j, struct test *t, struct file *f,
		     const struct matmul *shape, unsigned tasks, enum load_values values);
struct rknpu_task *vendor_task(const struct vendor_job *j, unsigned i);
/* The tasks from first on are a chain of their own. */
void vendor_job_cut(struct vendor_job *j, unsigned first);
/* Make a task hang its core. */
void vendor_job_hang(struct vendor_job *j, unsigned task);
/* Hand the tasks over and submit. */
int vendor_submit(struct vendor_job *j);
/* Slots [first, end) are right; false: recorded. */
bool vendor_right(struct vendor_job *j, unsigned first, unsigned end);
bool vendor_untouched(struct vendor_job *j, unsigned first, unsigned end);
/* Submit all, judge all. */
bool vendor_run_right(struct vendor_job *j);

#endif

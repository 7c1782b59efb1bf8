/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rknpu_kit.h - raw calls of the vendor's interface on the simulated device, and jobs for it. */
#ifndef TESTS_DEVICE_RKNPU_KIT_H
#define TESTS_DEVICE_RKNPU_KIT_H

#include "drm/rknpu_ioctl.h"
#include "support.h"

#define VENDOR_FLAGS                                                                               \
	(RKNPU_MEM_NON_CONTIGUOUS | RKNPU_MEM_CACHEABLE | RKNPU_MEM_IOMMU | RKNPU_MEM_ZEROING |    \
	 RKNPU_MEM_IOMMU_LIMIT_IOVA_ALIGNMENT)

struct vendor_object {
	uint32_t handle;
	uint64_t object, iova, size;
	void *ptr;
};

int vendor_open(void);
/* Fails the test on an error. */
struct vendor_object vendor_new(int fd, uint64_t size, uint32_t more_flags);
int vendor_destroy(int fd, const struct vendor_object *o);
int vendor_sync(int fd, uint64_t object, uint32_t flags);
int vendor_action(int fd, uint32_t number, uint32_t *value);

/* Programs of C[4,16] = A[4,32] . B[16,32]^T, chained from one to the next, each with a C of its
 * own, and a task array over them. */
#define VENDOR_TASKS_MAX 64
struct vendor_kit {
	int fd;
	unsigned n;
	struct vendor_object prog, a, b, c, tasks;
	struct rknpu_submit submit; /* all tasks, on the core the driver likes */
	double expected[KIT_M][KIT_N];
};

void vendor_kit_init(struct vendor_kit *kit, int fd, unsigned n, unsigned seed);
void vendor_kit_fini(struct vendor_kit *kit);
/* Take the links out: each program is a kick of its own. */
void vendor_kit_unchain(struct vendor_kit *kit);
/* Task i hangs, or its output lies nowhere. */
void vendor_kit_hang(struct vendor_kit *kit, unsigned i);
void vendor_kit_fault(struct vendor_kit *kit, unsigned i);
int vendor_run(struct vendor_kit *kit);
bool vendor_is_right(const struct vendor_kit *kit, unsigned i);
bool vendor_is_untouched(const struct vendor_kit *kit, unsigned i);
/* Every C as before any job. */
void vendor_stamp(struct vendor_kit *kit);
struct rknpu_task *vendor_task(struct vendor_kit *kit, unsigned i);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_rknpu_provider.c - the rknpu provider on drivers of every version, and on failing ones. */
#include <sys/mman.h>

#include "drm/rknpu_ioctl.h"
#include "fake_kernel.h"
#include "providers/rknpu/rknpu_provider.h"
#include "support.h"

#define OBJECTS_MAX 64

/* A driver that keeps its objects in a table and its SUBMITs in a list, and fails on demand. */
static struct {
	struct fake_node node;
	bool misc;
	uint32_t version;
	struct {
		uint32_t flags;
		uint64_t size, to_device, from_device; /* bytes synced */
		void *mem;
		bool live, mapped;
	} objects[OBJECTS_MAX];
	unsigned live, mapped;
	unsigned long fail_request; /* fails with fail_errno, fail_after of them later */
	unsigned fail_after;
	int fail_errno;
	bool fail_mmap;
	int submit_errno;
	unsigned from, until; /* SUBMITs that fail so: from these on, before those; 0, 0: all */
	bool began;           /* what fails so has run */
	unsigned submits;
	struct rknpu_submit submit[8];
	struct rknpu_task tasks[8][256];
} fake;

static uint64_t address_of(uint32_t handle)
{
	return 0xffffff8100000000u + handle * 0x200u;
}

static int fake_create(struct rknpu_mem_create *args)
{
	uint32_t h = 1;

	while (h < OBJECTS_MAX && fake.objects[h].live)
		h++;
	assert_true(h < OBJECTS_MAX && args->size % 4096 == 0);
	memset(&fake.objects[h], 0, sizeof(fake.objects[h]));
	fake.objects[h].live = true;
	fake.objects[h].flags = args->flags;
	fake.objects[h].size = args->size;
	fake.live++;
	args->handle = h;
	args->obj_addr = address_of(h);
	args->dma_addr = 0xfff00000u - h * 0x10000u;
	return 0;
}

static uint32_t handle_at(uint64_t address)
{
	uint32_t h = (uint32_t)((address - address_of(0)) / 0x200u);

	assert_true(h && h < OBJECTS_MAX && address == address_of(h));
	return h;
}

static int fake_destroy(const struct rknpu_mem_destroy *args)
{
	/* Each by its own: some releases look at one of them, some at the other. */
	assert_int_equal(handle_at(args->obj_addr), args->handle);
	assert_true(fake.objects[args->handle].live);
	fake.objects[args->handle].live = false;
	fake.live--;
	return 0;
}

static int fake_sync(const struct rknpu_mem_sync *args)
{
	uint32_t h = handle_at(args->obj_addr);

	assert_true(fake.objects[h].live && args->offset + args->size <= fake.objects[h].size);
	if (args->flags & RKNPU_MEM_SYNC_TO_DEVICE)
		fake.objects[h].to_device += args->size;
	if (args->flags & RKNPU_MEM_SYNC_FROM_DEVICE)
		fake.objects[h].from_device += args->size;
	return 0;
}

static int fake_submit(const struct rknpu_submit *args)
{
	uint32_t h = handle_at(args->task_obj_addr);

	assert_true(fake.objects[h].live && fake.objects[h].flags & RKNPU_MEM_KERNEL_MAPPING);
	assert_true(fake.submits < 8 && args->task_number <= 256);
	assert_true(args->task_number * sizeof(struct rknpu_task) <= fake.objects[h].size);
	/* They were handed over since they were made: its zeroes, then the tasks. */
	assert_true(fake.objects[h].to_device > fake.objects[h].size);
	fake.submit[fake.submits] = *args;
	memcpy(fake.tasks[fake.submits], fake.objects[h].mem,
	       args->task_number * sizeof(struct rknpu_task));
	fake.submits++;
	if (!fake.submit_errno || fake.submits <= fake.from ||
	    (fake.until && fake.submits > fake.until))
		return 0;
	if (fake.began)
		((struct rknpu_task *)fake.objects[h].mem)[args->task_number - 1].int_status = 0;
	return fake_fail(fake.submit_errno);
}

static int fake_ioctl(int fd, unsigned long request, void *arg)
{
	(void)fd;
	if (request == fake.fail_request && !fake.fail_after--) {
		fake.fail_request = 0;
		fake.fail_after = 0;
		return fake_fail(fake.fail_errno);
	}
	if (request == DRM_IOCTL_VERSION)
		return fake_version(&fake.node, arg);
	if (request == IOCTL_RKNPU_ACTION && fake.misc) {
		((struct rknpu_action *)arg)->value = fake.version;
		return 0;
	}
	if (!fake.node.name)
		return fake_fail(ENOTTY);
	switch (request) {
	case DRM_IOCTL_RKNPU_ACTION:
		assert_int_equal(((struct rknpu_action *)arg)->flags, RKNPU_GET_DRV_VERSION);
		((struct rknpu_action *)arg)->value = fake.version;
		return 0;
	case DRM_IOCTL_RKNPU_MEM_CREATE:
		return fake_create(arg);
	case DRM_IOCTL_RKNPU_MEM_MAP:
		((struct rknpu_mem_map *)arg)->offset = ((struct rknpu_mem_map *)arg)->handle << 20;
		return 0;
	case DRM_IOCTL_RKNPU_MEM_DESTROY:
		return fake_destroy(arg);
	case DRM_IOCTL_RKNPU_MEM_SYNC:
		return fake_sync(arg);
	case DRM_IOCTL_RKNPU_SUBMIT:
		return fake_submit(arg);
	}
	return fake_fail(EINVAL);
}

static void *fake_mmap(int fd, size_t length, uint64_t offset)
{
	uint32_t h = (uint32_t)(offset >> 20);

	(void)fd;
	assert_true(fake.objects[h].live && length == fake.objects[h].size);
	if (fake.fail_mmap) {
		errno = ENXIO;
		return MAP_FAILED;
	}
	fake.objects[h].mem = aligned_alloc(4096, length);
	memset(fake.objects[h].mem, 0xee, length); /* zeroes must not be relied on */
	fake.mapped++;
	return fake.objects[h].mem;
}

static int fake_munmap(int fd, void *addr, size_t length)
{
	(void)fd;
	assert_int_equal(length % 4096, 0);
	free(addr);
	fake.mapped--;
	return 0;
}

static const struct rocket_kernel kernel = {
	.name = "fake",
	.ioctl = fake_ioctl,
	.mmap = fake_mmap,
	.munmap = fake_munmap,
	.identify = fake_identify,
};
static const struct rocket_provider *const p = &rocket_provider_rknpu;
static struct rocket_node node;

static int open_version(uint32_t version)
{
	memset(&fake, 0, sizeof(fake));
	fake.node.name = "rknpu";
	fake.version = version;
	return fake_open(p, &kernel, &node);
}

static int setup(void **state)
{
	(void)state;
	return open_version(908);
}

static int teardown(void **state)
{
	(void)state;
	if (node.priv)
		p->close(&node);
	assert_int_equal(fake.mapped, 0);
	return fake.live != 0;
}

/* ---- finding and opening ---- */

static void match_goes_by_the_drivers_name(void **state)
{
	static const char *const others[] = { "rknpu2", "rockchip", "rknp", "" };

	(void)state;
	assert_int_equal(p->match(&kernel, 7), 0);
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		fake.node.name = others[i];
		assert_int_equal(p->match(&kernel, 7), -ENODEV);
	}
	fake.node.name = NULL;
	assert_int_equal(p->match(&kernel, 7), -ENODEV);
	fake.misc = true;
	assert_int_equal(p->match(&kernel, 7), 0);
	fake.misc = false;
	fake.node.name = "rknpu";
}

static void driver_on_heaps_is_refused_with_a_reason(void **state)
{
	(void)state;
	p->close(&node);
	fake.node.name = NULL;
	fake.misc = true;
	assert_int_equal(p->open(&node), -EOPNOTSUPP);
	assert_non_null(strstr(node.refusal, "dma-buf heaps"));
	assert_null(node.priv);
}

static void versions_decide_what_is_asked_of_the_driver(void **state)
{
	static const struct {
		uint32_t version;
		const char *text;
		bool taken, tight;
	} rows[] = {
		{ 802, "0.8.2", false, false }, { 905, "0.9.5", false, false },
		{ 906, "0.9.6", true, false },  { 907, "0.9.7", true, true },
		{ 908, "0.9.8", true, true },   { 10000, "1.0.0", true, true },
	};
	rocket_bo bo;

	(void)state;
	p->close(&node);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int r = open_version(rows[i].version);

		assert_string_equal(node.driver_version, rows[i].text);
		assert_int_equal(r, rows[i].taken ? 0 : -EOPNOTSUPP);
		assert_true(rows[i].taken || strstr(node.refusal, "0.9.6 or later"));
		if (!rows[i].taken)
			continue;
		assert_int_equal(p->bo_alloc(&node, 100, &bo), 0);
		assert_int_equal(
			!!(fake.objects[bo.handle].flags & RKNPU_MEM_IOMMU_LIMIT_IOVA_ALIGNMENT),
			rows[i].tight);
		assert_int_equal(fake.objects[bo.handle].flags &
					 ~RKNPU_MEM_IOMMU_LIMIT_IOVA_ALIGNMENT,
				 RKNPU_MEM_NON_CONTIGUOUS | RKNPU_MEM_CACHEABLE | RKNPU_MEM_IOMMU |
					 RKNPU_MEM_ZEROING);
		assert_int_equal(p->bo_free(&node, &bo), 0);
		p->close(&node);
	}
}

static void capabilities_are_those_of_the_interface(void **state)
{
	(void)state;
	assert_int_equal(node.caps.batched, 1);
	assert_int_equal(node.caps.batched_native, 1);
	assert_int_equal(node.caps.batch_atomic, 0);
	assert_int_equal(node.caps.ranges, 1);
	assert_int_equal(node.caps.ppu_done, 1);
	assert_int_equal(node.caps.no_dpu_done, 0);
	assert_int_equal(node.caps.completion_tracked, 1);
	assert_int_equal(node.caps.errors_reported, 1);
	assert_int_equal(rocket_provider_check(p, NULL, NULL), 0);
}

/* ---- buffers ---- */

static void buffer_is_zeroed_for_both_and_given_back_whole(void **state)
{
	rocket_bo bo;

	(void)state;
	assert_int_equal(p->bo_alloc(&node, 5000, &bo), 0);
	assert_int_equal(bo.size, 8192);
	for (size_t i = 0; i < bo.size; i++)
		assert_int_equal(((uint8_t *)bo.ptr)[i], 0);
	assert_int_equal(fake.objects[bo.handle].to_device, 8192);
	assert_int_equal(p->bo_prep(&node, &bo, 1000), 0);
	assert_int_equal(fake.objects[bo.handle].from_device, 8192);
	assert_int_equal(p->bo_fini(&node, &bo), 0);
	assert_int_equal(fake.objects[bo.handle].to_device, 2 * 8192);
	assert_int_equal(p->bo_free(&node, &bo), 0);
	assert_int_equal(fake.live, 0);
	assert_int_equal(p->bo_alloc(&node, 0, &bo), -EINVAL);
	assert_int_equal(p->bo_alloc(&node, SIZE_MAX, &bo), -ENOMEM);
}

static void ten_thousand_buffers_leave_nothing(void **state)
{
	rocket_bo bo[3];

	(void)state;
	for (unsigned i = 0; i < 10000; i++) {
		assert_int_equal(p->bo_alloc(&node, 4096 + i % 3 * 4096, &bo[i % 3]), 0);
		if (i >= 2) /* not in the order they came */
			assert_int_equal(p->bo_free(&node, &bo[(i + 1) % 3]), 0);
	}
	assert_int_equal(fake.live, 2);
	assert_int_equal(fake.mapped, 2);
	p->bo_free(&node, &bo[9998 % 3]);
	p->bo_free(&node, &bo[9999 % 3]);
	assert_int_equal(fake.live + fake.mapped, 0);
}

static void ranges_are_checked_before_any_is_synced(void **state)
{
	static const struct {
		rocket_bo_range r[2];
		int result;
	} rows[] = {
		{ { { 0, 64 }, { 4096, 4096 } }, 0 },
		{ { { 0, 64 }, { 64, 64 } }, 0 },
		{ { { 64, 64 }, { 0, 64 } }, -EINVAL },
		{ { { 0, 65 }, { 64, 64 } }, -EINVAL },
		{ { { 0, 64 }, { 128, 0 } }, -EINVAL },
		{ { { 0, 64 }, { 8192, 1 } }, -EINVAL },
		{ { { 0, 64 }, { 8191, 2 } }, -EINVAL },
		{ { { 0, 64 }, { 1, UINT64_MAX } }, -EINVAL },
	};
	rocket_bo bo;

	(void)state;
	assert_int_equal(p->bo_alloc(&node, 8192, &bo), 0);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t want = rows[i].result ? 0 : rows[i].r[0].size + rows[i].r[1].size;

		fake.objects[bo.handle].to_device = fake.objects[bo.handle].from_device = 0;
		assert_int_equal(p->bo_fini_ranges(&node, &bo, rows[i].r, 2), rows[i].result);
		assert_int_equal(p->bo_prep_ranges(&node, &bo, rows[i].r, 2, 0), rows[i].result);
		assert_int_equal(fake.objects[bo.handle].to_device, want);
		assert_int_equal(fake.objects[bo.handle].from_device, want);
	}
	p->bo_free(&node, &bo);
}

static void failed_step_of_an_allocation_leaves_nothing(void **state)
{
	static const unsigned long requests[] = { DRM_IOCTL_RKNPU_MEM_CREATE,
						  DRM_IOCTL_RKNPU_MEM_MAP,
						  DRM_IOCTL_RKNPU_MEM_SYNC };
	rocket_bo bo;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		fake.fail_request = requests[i];
		fake.fail_errno = ENODEV;
		assert_int_equal(p->bo_alloc(&node, 4096, &bo), -ENODEV);
		assert_int_equal(fake.live + fake.mapped, 0);
	}
	fake.fail_mmap = true;
	assert_int_equal(p->bo_alloc(&node, 4096, &bo), -ENXIO);
	assert_int_equal(fake.live, 0);
	fake.fail_mmap = false;
	fake.fail_request = DRM_IOCTL_RKNPU_MEM_CREATE;
	fake.fail_errno = EFAULT; /* memory ran out */
	assert_int_equal(p->bo_alloc(&node, 4096, &bo), -ENOMEM);
}

static void buffer_unknown_is_refused(void **state)
{
	rocket_bo bo = { .handle = 9, .size = 4096 };

	(void)state;
	assert_int_equal(p->bo_prep(&node, &bo, 0), -ENOENT);
	assert_int_equal(p->bo_fini(&node, &bo), -ENOENT);
	assert_int_equal(p->bo_free(&node, &bo), -ENOENT);
}

/* ---- jobs ---- */

static rocket_bo in, out[3];

static void alloc_bos(void)
{
	assert_int_equal(p->bo_alloc(&node, 4096, &in), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(p->bo_alloc(&node, 4096, &out[i]), 0);
}

static void free_bos(void)
{
	p->bo_free(&node, &in);
	for (unsigned i = 0; i < 3; i++)
		p->bo_free(&node, &out[i]);
}

static const rocket_task_desc programs[5] = {
	{ 0x1000, 126 }, { 0x2000, 127 }, { 0x3000, 30 }, { 0x4000, 5 }, { 0x5000, 126 }
};

static struct rocket_provider_job job_of(unsigned first, uint32_t n, unsigned o, uint32_t flags)
{
	return (struct rocket_provider_job){ .tasks = programs + first,
					     .n_tasks = n,
					     .in_handles = &in.handle,
					     .n_in = 1,
					     .out_handles = &out[o].handle,
					     .n_out = 1,
					     .flags = flags };
}

/* Three that share no output: a core each. */
static void gang_of(struct rocket_provider_job jobs[3])
{
	for (unsigned i = 0; i < 3; i++)
		jobs[i] = job_of(i, 1, i, 0);
}

static void outputs_tell(int status)
{
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(p->bo_prep(&node, &out[i], 1000), status);
}

static void same_range(const struct rknpu_submit *s, unsigned entry, uint32_t start, uint32_t n)
{
	assert_int_equal(s->subcore_task[entry].task_start, start);
	assert_int_equal(s->subcore_task[entry].task_number, n);
}

static void chain_is_one_submit_to_whichever_core(void **state)
{
	struct rocket_provider_job job;
	const struct rknpu_submit *s = &fake.submit[0];

	(void)state;
	alloc_bos();
	job = job_of(0, 5, 0, ROCKET_JOB_BATCHED);
	assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
	assert_int_equal(fake.submits, 1);
	assert_int_equal(s->flags, RKNPU_JOB_PC | RKNPU_JOB_PINGPONG);
	assert_int_equal(s->task_number, 5);
	assert_int_equal(s->core_mask, RKNPU_CORE_AUTO_MASK);
	for (unsigned c = 0; c < 3; c++)
		same_range(s, c, 0, 5);
	for (unsigned i = 0; i < 5; i++) {
		const struct rknpu_task *t = &fake.tasks[0][i];

		assert_int_equal(t->regcmd_addr, programs[i].regcmd);
		assert_int_equal(t->regcfg_amount, programs[i].regcmd_count - 4);
		assert_int_equal(t->int_mask, RKNPU_INT_DPU);
		assert_int_equal(t->int_clear, 0x1ffff);
	}
	free_bos();
}

static void tasks_apart_are_a_submit_each(void **state)
{
	struct rocket_provider_job job;

	(void)state;
	alloc_bos();
	job = job_of(0, 3, 0, 0);
	assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
	assert_int_equal(fake.submits, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(fake.submit[i].task_number, 1);
		assert_int_equal(fake.tasks[i][0].regcmd_addr, programs[i].regcmd);
	}
	free_bos();
}

static void pool_ends_with_its_own_interrupt(void **state)
{
	struct rocket_provider_job job;

	(void)state;
	alloc_bos();
	job = job_of(0, 2, 0, ROCKET_JOB_BATCHED | ROCKET_JOB_PPU_DONE);
	assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
	assert_int_equal(fake.tasks[0][0].int_mask, RKNPU_INT_DPU);
	assert_int_equal(fake.tasks[0][1].int_mask, RKNPU_INT_PPU);
	free_bos();
}

static void independent_jobs_have_a_core_each(void **state)
{
	struct rocket_provider_job jobs[4];

	(void)state;
	alloc_bos();
	jobs[0] = job_of(0, 2, 0, ROCKET_JOB_BATCHED);
	jobs[1] = job_of(2, 1, 1, 0);
	jobs[2] = job_of(3, 2, 2, ROCKET_JOB_BATCHED);
	jobs[3] = job_of(0, 1, 0, 0);
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	assert_int_equal(fake.submits, 1);
	assert_int_equal(fake.submit[0].core_mask, 7);
	same_range(&fake.submit[0], 2, 0, 2); /* three cores: two entries further */
	same_range(&fake.submit[0], 3, 2, 1);
	same_range(&fake.submit[0], 4, 3, 2);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(fake.tasks[0][i].regcmd_addr, programs[i].regcmd);
	assert_int_equal(p->submit(&node, jobs, 2, NULL), 0);
	assert_int_equal(fake.submit[1].core_mask, 3);
	same_range(&fake.submit[1], 0, 0, 2);
	same_range(&fake.submit[1], 1, 2, 1);
	assert_int_equal(p->submit(&node, jobs, 4, NULL), 0); /* three, then the one that is left */
	assert_int_equal(fake.submits, 4);
	assert_int_equal(fake.submit[3].core_mask, RKNPU_CORE_AUTO_MASK);
	free_bos();
}

static void dependent_jobs_run_one_after_the_other(void **state)
{
	struct rocket_provider_job jobs[2];

	(void)state;
	alloc_bos();
	jobs[0] = job_of(0, 1, 0, 0);
	jobs[1] = job_of(1, 1, 1, 0);
	jobs[1].in_handles = &out[0].handle; /* reads what the first writes */
	assert_int_equal(p->submit(&node, jobs, 2, NULL), 0);
	assert_int_equal(fake.submits, 2);
	jobs[1] = job_of(1, 1, 0, 0); /* writes the same */
	assert_int_equal(p->submit(&node, jobs, 2, NULL), 0);
	assert_int_equal(fake.submits, 4);
	jobs[1] = job_of(1, 1, 1, 0);
	jobs[1].out_handles = &in.handle; /* writes what the first reads */
	jobs[1].in_handles = &out[2].handle;
	assert_int_equal(p->submit(&node, jobs, 2, NULL), 0);
	assert_int_equal(fake.submits, 6);
	free_bos();
}

static void task_object_grows(void **state)
{
	static rocket_task_desc many[200];
	struct rocket_provider_job job;

	(void)state;
	alloc_bos();
	for (unsigned i = 0; i < 200; i++)
		many[i] = (rocket_task_desc){ 0x10000 + i * 0x400, 126 };
	job = job_of(0, 1, 0, 0);
	assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
	assert_int_equal(fake.live, 5);
	job = job_of(0, 1, 0, ROCKET_JOB_BATCHED);
	job.tasks = many;
	job.n_tasks = 200;
	assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
	assert_int_equal(fake.live, 5); /* the smaller one is gone */
	assert_int_equal(fake.tasks[1][199].regcmd_addr, many[199].regcmd);
	free_bos();
}

static void jobs_that_are_wrong_are_refused(void **state)
{
	static const rocket_task_desc trailer = { 0x1000, 4 };
	uint32_t nobody = 60;
	struct rocket_provider_job job;

	(void)state;
	alloc_bos();
	job = job_of(0, 1, 0, ROCKET_JOB_NO_DPU_DONE);
	assert_int_equal(p->submit(&node, &job, 1, NULL), -EOPNOTSUPP);
	job = job_of(0, 0, 0, 0);
	assert_int_equal(p->submit(&node, &job, 1, NULL), -EINVAL);
	job = job_of(0, 1, 0, 0);
	job.tasks = &trailer;
	assert_int_equal(p->submit(&node, &job, 1, NULL), -EINVAL);
	job = job_of(0, 1, 0, 0);
	job.in_handles = &nobody;
	assert_int_equal(p->submit(&node, &job, 1, NULL), -ENOENT);
	assert_int_equal(fake.submits, 0);
	free_bos();
}

/* ---- failures ---- */

static void failed_job_is_told_with_its_buffers(void **state)
{
	static const int errors[] = { ETIMEDOUT, EINVAL };
	struct rocket_provider_job job, next;

	(void)state;
	alloc_bos();
	job = job_of(0, 1, 0, 0);
	next = job_of(1, 1, 1, 0);
	next.in_handles = &out[0].handle;
	for (unsigned i = 0; i < 2; i++) {
		fake.submits = 0;
		fake.submit_errno = errors[i];
		assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
		assert_int_equal(p->bo_prep(&node, &out[0], 1000), -EIO);
		assert_int_equal(p->bo_prep(&node, &in, 1000), 0);
		fake.submit_errno = 0;
		/* What is made of it is no better, until it is written anew. */
		assert_int_equal(p->submit(&node, &next, 1, NULL), 0);
		assert_int_equal(p->bo_prep(&node, &out[1], 1000), -EIO);
		assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
		assert_int_equal(p->bo_prep(&node, &out[0], 1000), 0);
		assert_int_equal(p->submit(&node, &next, 1, NULL), 0);
		assert_int_equal(p->bo_prep(&node, &out[1], 1000), 0);
	}
	fake.submit_errno = ETIMEDOUT;
	assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
	assert_int_equal(p->bo_fini(&node, &out[0]), 0); /* the caller's again */
	assert_int_equal(p->bo_prep(&node, &out[0], 1000), 0);
	fake.submit_errno = 0;
	free_bos();
}

static void refusal_of_the_kernel_is_the_calls(void **state)
{
	struct rocket_provider_job job;

	(void)state;
	alloc_bos();
	job = job_of(0, 1, 0, 0);
	fake.submit_errno = ENOMEM;
	assert_int_equal(p->submit(&node, &job, 1, NULL), -ENOMEM);
	assert_int_equal(p->bo_prep(&node, &out[0], 1000), 0);
	fake.fail_request = DRM_IOCTL_RKNPU_MEM_SYNC; /* of the tasks */
	fake.fail_errno = EIO;
	assert_int_equal(p->submit(&node, &job, 1, NULL), -EIO);
	fake.submit_errno = 0;
	free_bos();
}

/* EINVAL is what an argument of the call gets as well as a job whose cores were reset. */
static void step_before_the_submit_that_is_refused_is_no_failed_job(void **state)
{
	struct rocket_provider_job job;

	(void)state;
	alloc_bos();
	job = job_of(0, 1, 0, 0);
	assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
	fake.fail_request = DRM_IOCTL_RKNPU_MEM_SYNC; /* of the tasks */
	fake.fail_errno = EINVAL;
	assert_int_equal(p->submit(&node, &job, 1, NULL), -EINVAL);
	assert_int_equal(fake.submits, 1);
	assert_int_equal(p->bo_prep(&node, &out[0], 1000), 0);
	free_bos();
}

static void cores_that_were_never_taken_are_refused_and_named_no_more(void **state)
{
	struct rocket_provider_job jobs[3];

	(void)state;
	alloc_bos();
	gang_of(jobs);
	fake.submit_errno = EINVAL;
	assert_int_equal(p->submit(&node, jobs, 3, NULL), -EINVAL);
	assert_int_equal(fake.submits, 2); /* asked twice */
	assert_int_equal(fake.submit[0].core_mask, 7);
	assert_int_equal(fake.submit[1].core_mask, 7);
	outputs_tell(0);
	fake.submit_errno = 0;
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	assert_int_equal(fake.submits, 5);
	for (unsigned i = 2; i < 5; i++)
		assert_int_equal(fake.submit[i].core_mask, RKNPU_CORE_AUTO_MASK);
	free_bos();
}

/* Another client's job hung: its reset is no refusal of the cores. */
static void jobs_that_a_reset_takes_out_of_the_queue_are_submitted_again(void **state)
{
	struct rocket_provider_job jobs[3];

	(void)state;
	alloc_bos();
	gang_of(jobs);
	fake.submit_errno = EINVAL;
	fake.until = 1;
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	assert_int_equal(fake.submits, 2);
	assert_int_equal(fake.submit[1].core_mask, 7);
	outputs_tell(0);
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	assert_int_equal(fake.submit[2].core_mask, 7);
	free_bos();
}

/* What has run may have changed what it works on, and is not run again. */
static void jobs_that_a_reset_interrupts_have_failed(void **state)
{
	struct rocket_provider_job jobs[3];

	(void)state;
	alloc_bos();
	gang_of(jobs);
	fake.submit_errno = EINVAL;
	fake.began = true;
	fake.until = 1;
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	assert_int_equal(fake.submits, 1);
	outputs_tell(-EIO);
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	assert_int_equal(fake.submit[1].core_mask, 7);
	assert_int_equal(p->bo_prep(&node, &out[2], 1000), 0);
	free_bos();
}

static void refusal_of_a_later_task_leaves_no_result(void **state)
{
	struct rocket_provider_job job;

	(void)state;
	alloc_bos();
	job = job_of(0, 3, 0, 0);
	fake.submit_errno = ENOMEM;
	fake.from = 2;
	assert_int_equal(p->submit(&node, &job, 1, NULL), -ENOMEM);
	assert_int_equal(fake.submits, 3);
	assert_int_equal(p->bo_prep(&node, &out[0], 1000), -EIO);
	assert_int_equal(p->bo_prep(&node, &in, 1000), 0);
	fake.submit_errno = 0;
	assert_int_equal(p->submit(&node, &job, 1, NULL), 0);
	assert_int_equal(p->bo_prep(&node, &out[0], 1000), 0);
	free_bos();
}

static void cores_that_were_taken_once_were_reset(void **state)
{
	struct rocket_provider_job jobs[3];

	(void)state;
	alloc_bos();
	gang_of(jobs);
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	fake.submit_errno = EINVAL;
	assert_int_equal(p->submit(&node, jobs, 2, NULL), 0);
	assert_int_equal(p->bo_prep(&node, &out[0], 1000), -EIO);
	assert_int_equal(p->bo_prep(&node, &out[1], 1000), -EIO);
	fake.submit_errno = 0;
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	assert_int_equal(fake.submit[2].core_mask, 7);
	free_bos();
}

static void every_call_is_counted(void **state)
{
	struct rocket_provider_job jobs[3];

	(void)state;
	alloc_bos();
	assert_true(node.counts_calls);
	assert_int_equal(node.submit_calls, 0);
	jobs[0] = job_of(0, 5, 0, ROCKET_JOB_BATCHED);
	assert_int_equal(p->submit(&node, jobs, 1, NULL), 0);
	assert_int_equal(node.submit_calls, 1);
	jobs[0] = job_of(0, 3, 0, 0);
	assert_int_equal(p->submit(&node, jobs, 1, NULL), 0);
	assert_int_equal(node.submit_calls, 1 + 3);
	gang_of(jobs);
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0); /* a core each */
	assert_int_equal(node.submit_calls, 1 + 3 + 1);
	assert_int_equal(node.submit_tasks, 5 + 3 + 3);
	jobs[0] = job_of(0, 0, 0, 0);
	assert_int_equal(p->submit(&node, jobs, 1, NULL), -EINVAL);
	jobs[0] = job_of(0, 3, 0, 0);
	jobs[0].in_handles = &(uint32_t){ 60 };
	assert_int_equal(p->submit(&node, jobs, 1, NULL), -ENOENT);
	assert_int_equal(node.submit_calls, 1 + 3 + 1);
	assert_int_equal(node.submit_tasks, 5 + 3 + 3);
	free_bos();
}

static void gang_that_fails_fails_each_of_its_jobs(void **state)
{
	struct rocket_provider_job jobs[3];

	(void)state;
	alloc_bos();
	gang_of(jobs);
	fake.submit_errno = ETIMEDOUT;
	assert_int_equal(p->submit(&node, jobs, 3, NULL), 0);
	outputs_tell(-EIO);
	fake.submit_errno = 0;
	free_bos();
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(match_goes_by_the_drivers_name),
		T(driver_on_heaps_is_refused_with_a_reason),
		T(versions_decide_what_is_asked_of_the_driver),
		T(capabilities_are_those_of_the_interface),
		T(buffer_is_zeroed_for_both_and_given_back_whole),
		T(ten_thousand_buffers_leave_nothing),
		T(ranges_are_checked_before_any_is_synced),
		T(failed_step_of_an_allocation_leaves_nothing),
		T(buffer_unknown_is_refused),
		T(chain_is_one_submit_to_whichever_core),
		T(tasks_apart_are_a_submit_each),
		T(pool_ends_with_its_own_interrupt),
		T(independent_jobs_have_a_core_each),
		T(dependent_jobs_run_one_after_the_other),
		T(task_object_grows),
		T(jobs_that_are_wrong_are_refused),
		T(failed_job_is_told_with_its_buffers),
		T(refusal_of_the_kernel_is_the_calls),
		T(gang_that_fails_fails_each_of_its_jobs),
		T(step_before_the_submit_that_is_refused_is_no_failed_job),
		T(cores_that_were_never_taken_are_refused_and_named_no_more),
		T(cores_that_were_taken_once_were_reset),
		T(jobs_that_a_reset_takes_out_of_the_queue_are_submitted_again),
		T(jobs_that_a_reset_interrupts_have_failed),
		T(refusal_of_a_later_task_leaves_no_result),
		T(every_call_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

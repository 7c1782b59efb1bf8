// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vendor.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define TIMEOUT_MS 10000u

int vendor_create(const struct file *f, struct rknpu_mem_create *args)
{
	return file_ioctl(f, DRM_IOCTL_RKNPU_MEM_CREATE, args);
}

int vendor_map(const struct file *f, uint32_t handle, uint64_t *offset)
{
	struct rknpu_mem_map args = { .handle = handle };
	int ret = file_ioctl(f, DRM_IOCTL_RKNPU_MEM_MAP, &args);

	*offset = args.offset;
	return ret;
}

int vendor_destroy(const struct file *f, uint32_t handle, uint64_t object)
{
	struct rknpu_mem_destroy args = { .handle = handle, .obj_addr = object };

	return file_ioctl(f, DRM_IOCTL_RKNPU_MEM_DESTROY, &args);
}

int vendor_sync(const struct file *f, uint64_t object, uint32_t flags, uint64_t offset,
		uint64_t size)
{
	struct rknpu_mem_sync args = {
		.flags = flags, .obj_addr = object, .offset = offset, .size = size
	};

	return file_ioctl(f, DRM_IOCTL_RKNPU_MEM_SYNC, &args);
}

int vendor_action(const struct file *f, uint32_t number, uint32_t *value)
{
	struct rknpu_action args = { .flags = number, .value = *value };
	int ret = file_ioctl(f, DRM_IOCTL_RKNPU_ACTION, &args);

	*value = args.value;
	return ret;
}

/* ---- objects ---- */

static int hand_over(const struct file *f, const struct bo *bo)
{
	return vendor_sync(f, bo->object, RKNPU_MEM_SYNC_TO_DEVICE, 0, bo->size);
}

struct bo *vendor_object(struct test *t, struct file *f, uint32_t size, uint32_t more_flags)
{
	struct rknpu_mem_create args = { .flags = VENDOR_FLAGS | more_flags,
					 .size = (size + PAGE - 1) / PAGE * PAGE };
	struct bo *bo = &f->bos[f->n_bos];
	int ret;

	if (!CHECK(t, f->n_bos < FILE_BOS, "too many objects in one file"))
		return NULL;
	ret = vendor_create(f, &args);
	if (!CHECK(t, !ret, "MEM_CREATE of %u bytes: %s", size, strerror(-ret)))
		return NULL;
	*bo = (struct bo){ .handle = args.handle,
			   .size = (uint32_t)args.size,
			   .dma = (uint32_t)args.dma_addr,
			   .object = args.obj_addr };
	ret = vendor_map(f, bo->handle, &bo->offset);
	bo->map = ret ? MAP_FAILED : f->node->calls->mmap(f->fd, bo->size, bo->offset);
	if (!CHECK(t, bo->map != MAP_FAILED, "%u bytes cannot be mapped: %s", size,
		   strerror(ret ? -ret : errno))) {
		vendor_destroy(f, bo->handle, bo->object);
		return NULL;
	}
	f->n_bos++;
	/* Zeroes that only the kernel wrote are not seen by the NPU. */
	memset(bo->map, 0, bo->size);
	hand_over(f, bo);
	return bo;
}

int vendor_object_free(struct file *f, struct bo *bo)
{
	bo_unmap(f, bo);
	return vendor_destroy(f, bo->handle, bo->object);
}

static struct bo *allocate(struct test *t, struct file *f, uint32_t size)
{
	return vendor_object(t, f, size, 0);
}

static const struct load_memory vendor_memory = { allocate, hand_over };

/* ---- jobs ---- */

struct rknpu_task *vendor_task(const struct vendor_job *j, unsigned i)
{
	return (struct rknpu_task *)j->tasks->map + i;
}

static void list_tasks(struct vendor_job *j)
{
	for (unsigned i = 0; i < j->load.tasks; i++)
		*vendor_task(j, i) = (struct rknpu_task){
			.int_mask = RKNPU_INT_DPU,
			.int_clear = 0x1ffff,
			.regcfg_amount = MATMUL_WORDS - RKNPU_TRAILER_WORDS,
			.regcmd_addr = j->load.task[i].regcmd,
		};
}

bool vendor_job_make(struct vendor_job *j, struct test *t, struct file *f,
		     const struct matmul *shape, unsigned tasks, enum load_values values)
{
	memset(j, 0, sizeof(*j));
	if (!load_make_in(&vendor_memory, &j->load, t, f, shape, tasks, values))
		return false;
	load_chain(&j->load);
	j->tasks = vendor_object(t, f, tasks * (uint32_t)sizeof(struct rknpu_task),
				 RKNPU_MEM_KERNEL_MAPPING);
	if (!j->tasks)
		return false;
	list_tasks(j);
	j->submit = (struct rknpu_submit){ .flags = RKNPU_JOB_PC | RKNPU_JOB_PINGPONG,
					   .timeout = TIMEOUT_MS,
					   .task_number = tasks,
					   .task_obj_addr = j->tasks->object,
					   .core_mask = RKNPU_CORE_AUTO_MASK,
					   .fence_fd = -1 };
	for (unsigned c = 0; c < VENDOR_CORES; c++)
		j->submit.subcore_task[c] = (struct rknpu_subcore_task){ 0, tasks };
	return true;
}

void vendor_job_cut(struct vendor_job *j, unsigned first)
{
	struct matmul mm = load_matmul(&j->load, first - 1);

	matmul_program(&mm, load_words(&j->load, first - 1)); /* without a link */
	hand_over(j->load.f, j->load.prog);
}

void vendor_job_hang(struct vendor_job *j, unsigned task)
{
	load_hang(&j->load, task);
	vendor_task(j, task)->regcfg_amount = HANG_WORDS - RKNPU_TRAILER_WORDS;
}

int vendor_submit(struct vendor_job *j)
{
	hand_over(j->load.f, j->tasks);
	return file_ioctl(j->load.f, DRM_IOCTL_RKNPU_SUBMIT, &j->submit);
}

static void take_back(const struct vendor_job *j)
{
	vendor_sync(j->load.f, j->load.out->object, RKNPU_MEM_SYNC_FROM_DEVICE, 0,
		    j->load.out->size);
}

bool vendor_right(struct vendor_job *j, unsigned first, unsigned end)
{
	take_back(j);
	for (unsigned i = first; i < end; i++)
		if (!CHECK(j->load.t, load_slot_right(&j->load, i), "task %u is wrong", i))
			return false;
	return true;
}

bool vendor_untouched(struct vendor_job *j, unsigned first, unsigned end)
{
	take_back(j);
	for (unsigned i = first; i < end; i++)
		if (!CHECK(j->load.t, load_slot_untouched(&j->load, i), "task %u ran", i))
			return false;
	return true;
}

bool vendor_run_right(struct vendor_job *j)
{
	int ret = vendor_submit(j);

	return CHECK(j->load.t, !ret, "SUBMIT: %s", strerror(-ret)) &&
	       vendor_right(j, 0, j->load.tasks);
}

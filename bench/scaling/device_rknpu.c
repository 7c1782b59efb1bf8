// SPDX-License-Identifier: LGPL-2.1-or-later
/* device_rknpu.c - the whole batch in one SUBMIT of the vendor's interface. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device.h"
#include "drm/rknpu_ioctl.h"
#include "lib/core/clock.h"

#define TIMEOUT_MS 60000u

/* Contiguous memory is scarce, and the driver reads tasks through its own mapping. */
#define TASK_FLAGS                                                                                 \
	(RKNPU_MEM_NON_CONTIGUOUS | RKNPU_MEM_CACHEABLE | RKNPU_MEM_KERNEL_MAPPING |               \
	 RKNPU_MEM_IOMMU | RKNPU_MEM_ZEROING | RKNPU_MEM_IOMMU_LIMIT_IOVA_ALIGNMENT)

/* The object with the tasks. */
struct object {
	struct rknpu_mem_create mem;
	struct rknpu_task *tasks;
};

static int call(const struct scaling_work *w, unsigned long request, void *arg, const char *what)
{
	const struct rocket_node *node = &w->device->state[0]->node;

	if (node->kernel->ioctl(node->fd, request, arg) >= 0)
		return 0;
	fprintf(stderr, "core_scaling: %s: %s\n", what, strerror(errno));
	return -errno;
}

static int sync_tasks(const struct scaling_work *w, uint32_t flags)
{
	const struct object *o = w->priv;
	struct rknpu_mem_sync args = { .flags = flags,
				       .obj_addr = o->mem.obj_addr,
				       .size = o->mem.size };

	return call(w, DRM_IOCTL_RKNPU_MEM_SYNC, &args, "MEM_SYNC of the tasks");
}

static int map(struct scaling_work *w, struct object *o)
{
	const struct rocket_node *node = &w->device->state[0]->node;
	struct rknpu_mem_map args = { .handle = o->mem.handle };
	int r = call(w, DRM_IOCTL_RKNPU_MEM_MAP, &args, "MEM_MAP of the tasks");
	void *p = r ? MAP_FAILED : node->kernel->mmap(node->fd, o->mem.size, args.offset);

	if (r)
		return r;
	if (p == MAP_FAILED) {
		fprintf(stderr, "core_scaling: mapping the tasks: %s\n", strerror(errno));
		return -errno;
	}
	o->tasks = p;
	return 0;
}

static void release(struct scaling_work *w)
{
	const struct rocket_node *node = &w->device->state[0]->node;
	struct object *o = w->priv;
	struct rknpu_mem_destroy args = { .handle = o->mem.handle, .obj_addr = o->mem.obj_addr };

	if (o->tasks)
		node->kernel->munmap(node->fd, o->tasks, o->mem.size);
	if (o->mem.handle)
		call(w, DRM_IOCTL_RKNPU_MEM_DESTROY, &args, "MEM_DESTROY of the tasks");
	free(o);
	w->priv = NULL;
}

static int prepare(struct scaling_work *w)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t bytes = w->batch->tasks * sizeof(struct rknpu_task);
	struct object *o = calloc(1, sizeof(*o));
	int r;

	if (!o)
		return ROCKET_E_NOMEM;
	w->priv = o;
	o->mem = (struct rknpu_mem_create){ .flags = TASK_FLAGS,
					    .size = (bytes + page - 1) / page * page };
	r = call(w, DRM_IOCTL_RKNPU_MEM_CREATE, &o->mem, "MEM_CREATE of the tasks");
	return r ? r : map(w, o);
}

static void fill_tasks(struct scaling_work *w, enum scaling_program which)
{
	const struct scaling_image *image = &w->images[0];
	struct object *o = w->priv;

	for (uint32_t i = 0; i < w->batch->tasks; i++)
		o->tasks[i] = (struct rknpu_task){
			.int_mask = RKNPU_INT_DPU,
			.int_clear = 0x1ffff,
			.regcfg_amount = image->words - RKNPU_TRAILER_WORDS,
			.regcmd_addr = scaling_program_address(image, w->batch, which, i),
		};
}

/* Submit args, which is timed, and have the statuses for the CPU. */
static int submit(struct scaling_work *w, enum scaling_program which, struct rknpu_submit *args,
		  uint64_t *ns)
{
	const struct object *o = w->priv;
	uint64_t start;
	int r;

	args->flags = RKNPU_JOB_PC | RKNPU_JOB_PINGPONG;
	args->timeout = TIMEOUT_MS;
	args->task_obj_addr = o->mem.obj_addr;
	args->fence_fd = -1;
	fill_tasks(w, which);
	r = sync_tasks(w, RKNPU_MEM_SYNC_TO_DEVICE);
	if (r)
		return r;
	start = rocket_now_ns();
	r = call(w, DRM_IOCTL_RKNPU_SUBMIT, args, "SUBMIT");
	*ns = rocket_now_ns() - start;
	return r ? r : sync_tasks(w, RKNPU_MEM_SYNC_FROM_DEVICE);
}

/* The vendor's driver has the ranges of three cores in the last three entries, one of lanes takes
 * them from any. */
static int run(struct scaling_work *w, unsigned cores, uint64_t *ns)
{
	const bool chain = w->device->dispatch == SCALING_CHAIN;
	const unsigned shift = chain && cores == SCALING_CORES ? 2 : 0;
	struct rknpu_submit args = { .task_number = w->batch->tasks,
				     .core_mask = (1u << cores) - 1 };

	for (unsigned c = 0; c < cores; c++) {
		const struct scaling_range r = scaling_part(w->batch->tasks, cores, c);

		args.subcore_task[c + shift] = (struct rknpu_subcore_task){ r.first, r.count };
	}
	return submit(w, scaling_programs_of(w->device, cores), &args, ns);
}

static int run_alone(struct scaling_work *w, uint32_t task)
{
	struct rknpu_submit args = { .task_start = task,
				     .task_number = 1,
				     .core_mask = 1,
				     .subcore_task = { { task, 1 } } };
	uint64_t ns;

	return submit(w, SCALING_ALONE, &args, &ns);
}

static uint32_t status(const struct scaling_work *w, uint32_t task)
{
	const struct object *o = w->priv;

	return o->tasks[task].int_status;
}

static const struct scaling_image *result(const struct scaling_work *w, unsigned cores,
					  uint32_t task)
{
	(void)cores;
	(void)task;
	return &w->images[0];
}

const struct scaling_driver scaling_rknpu = {
	.name = "rknpu",
	.fds = 1,
	.per_task = true,
	.prepare = prepare,
	.release = release,
	.run = run,
	.run_alone = run_alone,
	.status = status,
	.result = result,
};

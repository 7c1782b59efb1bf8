// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * provider.c - submission through the mainline rocket driver, versions 0.0 to 1.6 and on.
 *
 * Driver 0.0 (stock Linux 7.2, 7.3) completes a job that hung or faulted like any other:
 * bo_prep then says 0 over stale data. caps.errors_reported tells the library whether
 * the driver is better than that; where it is not, only a slow wait gives a hint.
 */
#include <drm.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "drm/rocket_accel.h"
#include "rocket_provider.h"

/* A task is handed over in place. */
_Static_assert(sizeof(rocket_task_desc) == sizeof(struct drm_rocket_task) &&
		       offsetof(rocket_task_desc, regcmd) ==
			       offsetof(struct drm_rocket_task, regcmd) &&
		       offsetof(rocket_task_desc, regcmd_count) ==
			       offsetof(struct drm_rocket_task, regcmd_count),
	       "rocket_task_desc is struct drm_rocket_task");
_Static_assert(sizeof(rocket_bo_range) == sizeof(struct drm_rocket_bo_range),
	       "rocket_bo_range is struct drm_rocket_bo_range");

static int call(const struct rocket_node *node, unsigned long request, void *arg)
{
	return node->kernel->ioctl(node->fd, request, arg) < 0 ? -errno : 0;
}

static int get_version(const struct rocket_kernel *kernel, int fd, struct drm_version *v,
		       char name[32])
{
	memset(v, 0, sizeof(*v));
	memset(name, 0, 32);
	v->name = name;
	v->name_len = 31;
	return kernel->ioctl(fd, DRM_IOCTL_VERSION, v) < 0 ? -errno : 0;
}

static int match(const struct rocket_kernel *kernel, int fd)
{
	struct drm_version v;
	char name[32];

	/* Whatever an alien file answers, it is not a node of this driver. */
	if (get_version(kernel, fd, &v, name))
		return -ENODEV;
	return strcmp(name, "rocket") ? -ENODEV : 0;
}

static struct rocket_caps caps_of(const struct rocket_kernel *kernel, unsigned major,
				  unsigned minor)
{
	struct rocket_caps c = { .version_major = major, .version_minor = minor };
	unsigned v = major * 1000 + (minor < 999 ? minor : 999);

	c.batched = v >= 1001 && kernel->param("rocket", "rocket_batch_submit", 0) != 0;
	c.no_dpu_done = v >= 1002;
	c.ppu_done = v >= 1003;
	c.ranges = v >= 1005;
	/* One interrupt after the last task of a kick on the RK3588 [silicon]. */
	c.completion_tracked = c.batched;
	c.batch_atomic = 1; /* a core holds a job across its tasks [source: rocket_job.c] */
	c.errors_reported = v >= 1007;
	return c;
}

static int open_node(struct rocket_node *node)
{
	struct drm_version v;
	char name[32];
	int r = get_version(node->kernel, node->fd, &v, name);

	if (r)
		return r;
	if (v.version_major < 0 || v.version_minor < 0)
		return -EPROTO;
	node->priv = NULL; /* the fd is all the state there is */
	node->caps = caps_of(node->kernel, (unsigned)v.version_major, (unsigned)v.version_minor);
	node->kernel->identify(node->fd, node->chip, &node->cores);
	snprintf(node->driver_version, sizeof(node->driver_version), "%d.%d.%d", v.version_major,
		 v.version_minor, v.version_patchlevel);
	return 0;
}

static void close_node(struct rocket_node *node)
{
	node->priv = NULL;
}

static int gem_close(struct rocket_node *node, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	return call(node, DRM_IOCTL_GEM_CLOSE, &args);
}

static int bo_alloc(struct rocket_node *node, size_t size, rocket_bo *bo)
{
	struct drm_rocket_create_bo args = { 0 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE), rounded = (size + page - 1) & ~(page - 1);
	void *ptr;
	int r;

	if (!size)
		return -EINVAL;
	if (size > UINT32_MAX || rounded < size)
		return -ENOSPC; /* the whole window is 4 GiB, the guard's page included */
	args.size = (uint32_t)size;
	r = call(node, DRM_IOCTL_ROCKET_CREATE_BO, &args);
	if (r)
		return r;
	ptr = node->kernel->mmap(node->fd, rounded, args.offset);
	if (ptr == MAP_FAILED) {
		r = -errno;
		gem_close(node, args.handle);
		return r;
	}
	*bo = (rocket_bo){ .handle = args.handle,
			   .dma_address = args.dma_address,
			   .mmap_offset = args.offset,
			   .size = rounded,
			   .ptr = ptr };
	return 0;
}

static int bo_free(struct rocket_node *node, rocket_bo *bo)
{
	int unmapped = node->kernel->munmap(node->fd, bo->ptr, bo->size) ? -errno : 0;
	int closed = gem_close(node, bo->handle);

	memset(bo, 0, sizeof(*bo));
	return closed ? closed : unmapped;
}

/* The kernel takes an absolute time; one in the past polls. */
static int64_t deadline(uint64_t timeout_ns)
{
	struct timespec t;
	uint64_t now;

	if (!timeout_ns)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &t);
	now = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	return timeout_ns > (uint64_t)INT64_MAX - now ? INT64_MAX : (int64_t)(now + timeout_ns);
}

/* A deadline that passed before the kernel looked at it reads as a poll: it still ran out. */
static int wait_result(int r, uint64_t timeout_ns)
{
	return r == -EBUSY && timeout_ns ? -ETIMEDOUT : r;
}

static int bo_prep(struct rocket_node *node, const rocket_bo *bo, uint64_t timeout_ns)
{
	struct drm_rocket_prep_bo args = { .handle = bo->handle,
					   .timeout_ns = deadline(timeout_ns) };

	return wait_result(call(node, DRM_IOCTL_ROCKET_PREP_BO, &args), timeout_ns);
}

static int bo_fini(struct rocket_node *node, const rocket_bo *bo)
{
	struct drm_rocket_fini_bo args = { .handle = bo->handle };

	return call(node, DRM_IOCTL_ROCKET_FINI_BO, &args);
}

static int bo_prep_ranges(struct rocket_node *node, const rocket_bo *bo, const rocket_bo_range *r,
			  unsigned n, uint64_t timeout_ns)
{
	struct drm_rocket_prep_bo_ranges args = { .handle = bo->handle,
						  .range_count = n,
						  .ranges = (uintptr_t)r,
						  .timeout_ns = deadline(timeout_ns) };

	if (!node->caps.ranges)
		return -EOPNOTSUPP;
	return wait_result(call(node, DRM_IOCTL_ROCKET_PREP_BO_RANGES, &args), timeout_ns);
}

static int bo_fini_ranges(struct rocket_node *node, const rocket_bo *bo, const rocket_bo_range *r,
			  unsigned n)
{
	struct drm_rocket_fini_bo_ranges args = { .handle = bo->handle,
						  .range_count = n,
						  .ranges = (uintptr_t)r };

	if (!node->caps.ranges)
		return -EOPNOTSUPP;
	return call(node, DRM_IOCTL_ROCKET_FINI_BO_RANGES, &args);
}

/* Tasks and handles are passed in place, whatever their number. */
static size_t scratch_size(uint32_t max_tasks)
{
	(void)max_tasks;
	return sizeof(struct drm_rocket_job);
}

static uint32_t job_size(const struct rocket_node *node)
{
	return node->caps.version_major * 1000 + node->caps.version_minor >= 1001
		       ? sizeof(struct drm_rocket_job)
		       : DRM_ROCKET_JOB_SIZE_V1;
}

static void fill_job(struct drm_rocket_job *out, const struct rocket_provider_job *job)
{
	out->tasks = (uintptr_t)job->tasks;
	out->in_bo_handles = (uintptr_t)job->in_handles;
	out->out_bo_handles = (uintptr_t)job->out_handles;
	out->task_count = job->n_tasks;
	out->task_struct_size = sizeof(struct drm_rocket_task);
	out->in_bo_handle_count = job->n_in;
	out->out_bo_handle_count = job->n_out;
}

/*
 * A file may only have so many unfinished jobs. Then none of these was queued, and since each job
 * ends, by the driver's timeout if need be, there will be room.
 */
static int submit_with_room(struct rocket_node *node, struct drm_rocket_submit *args)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	int r;

	while ((r = call(node, DRM_IOCTL_ROCKET_SUBMIT, args)) == -EAGAIN)
		nanosleep(&nap, NULL);
	return r;
}

static int submit(struct rocket_node *node, const struct rocket_provider_job *jobs, uint32_t n_jobs,
		  void *scratch)
{
	struct drm_rocket_submit args = { .job_count = n_jobs, .job_struct_size = job_size(node) };
	bool has_flags = args.job_struct_size == sizeof(struct drm_rocket_job);
	unsigned char few[8 * sizeof(struct drm_rocket_job)] __attribute__((aligned(8)));
	unsigned char *list = few;
	int r = 0;

	for (uint32_t i = 0; i < n_jobs; i++)
		if (jobs[i].flags && !has_flags)
			return -EOPNOTSUPP;
	if (scratch && n_jobs == 1)
		list = scratch;
	else if (n_jobs > 8)
		list = calloc(n_jobs, args.job_struct_size);
	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < n_jobs; i++) {
		struct drm_rocket_job job = { .flags = jobs[i].flags };

		fill_job(&job, &jobs[i]);
		memcpy(list + (size_t)i * args.job_struct_size, &job, args.job_struct_size);
	}
	args.jobs = (uintptr_t)list;
	r = submit_with_room(node, &args);
	if (list != few && list != scratch)
		free(list);
	return r;
}

static const char *const node_globs[] = { "/dev/accel/accel*", NULL };

const struct rocket_provider rocket_provider_rocket = {
	.abi_version = ROCKET_PROVIDER_ABI,
	.size = sizeof(struct rocket_provider),
	.name = "rocket",
	.node_globs = node_globs,
	.match = match,
	.open = open_node,
	.close = close_node,
	.bo_alloc = bo_alloc,
	.bo_free = bo_free,
	.bo_prep = bo_prep,
	.bo_fini = bo_fini,
	.bo_prep_ranges = bo_prep_ranges,
	.bo_fini_ranges = bo_fini_ranges,
	.scratch_size = scratch_size,
	.submit = submit,
};

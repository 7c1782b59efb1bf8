// SPDX-License-Identifier: LGPL-2.1-or-later
/* The calls. Each is made as a program would, then parts of it are made wrong. */
#include "fuzz.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TASKS_MOST   4
#define JOBS_MOST    3
#define LIST_MOST    4

struct prime {
	uint32_t handle, flags;
	int32_t fd;
};
#define PRIME_TO_FD     _IOWR('d', 0x2d, struct prime)
#define PRIME_TO_HANDLE _IOWR('d', 0x2e, struct prime)

/* What an ioctl of this driver may answer, beyond success. Anything else is a finding. */
static bool error_is_known(int e)
{
	static const int known[] = {
		EINVAL, EFAULT,     ENOENT, ENOMEM,    EBUSY,     ETIMEDOUT, ENOSPC,
		E2BIG,  EIO,        EAGAIN, EINTR,     EBADF,     ENOTTY,    EACCES,
		EPERM,  EOPNOTSUPP, ENODEV, EOVERFLOW, ECANCELED, ENOSYS,    EALREADY,
	};

	for (size_t i = 0; i < COUNT(known); i++)
		if (known[i] == e)
			return true;
	return false;
}

static int call(struct fuzz *f, int fd, unsigned long request, void *arg)
{
	int r = f->t->node->calls->ioctl(fd, request, arg) ? -errno : 0;

	f->ioctls++;
	if (r)
		CHECK(f->t, error_is_known(-r), "ioctl %#lx: %s", request, strerror(-r));
	return r;
}

static void file_open(struct fuzz *f, struct fuzz_file *file)
{
	file->n_bos = 0;
	file->fd = f->t->node->calls->open(f->t->node->path);
	CHECK(f->t, file->fd >= 0, "open: %s", strerror(errno));
}

static void file_close(struct fuzz *f, struct fuzz_file *file)
{
	if (file->fd >= 0)
		f->t->node->calls->close(file->fd);
	file->fd = -1;
	file->n_bos = 0;
}

static void reopen(struct fuzz *f, struct fuzz_file *file)
{
	file_close(f, file);
	file_open(f, file);
}

static bool overlaps(const struct fuzz_bo *a, const struct fuzz_bo *b)
{
	return a->dma < (uint64_t)b->dma + b->size && b->dma < (uint64_t)a->dma + a->size;
}

static void remember(struct fuzz *f, struct fuzz_file *file, const struct fuzz_bo *bo)
{
	CHECK(f->t, bo->handle, "a buffer has handle 0");
	CHECK(f->t, bo->dma % PAGE == 0, "address %#x", bo->dma);
	for (unsigned i = 0; i < file->n_bos; i++)
		CHECK(f->t, !overlaps(bo, &file->bos[i]), "%#x lies in another buffer", bo->dma);
	file->bos[file->n_bos++] = *bo;
}

static bool in_arena(const struct fuzz *f, const void *at, size_t bytes)
{
	return (const unsigned char *)at + bytes <= f->arena + FUZZ_ARENA;
}

/* What would hang over the end is left out; a place may lie at any byte. */
static void put(const struct fuzz *f, void *at, const void *from, size_t bytes)
{
	if (in_arena(f, at, bytes))
		memcpy(at, from, bytes);
}

static uint64_t put_list(struct fuzz *f, const void *list, size_t bytes)
{
	void *at = fuzz_room(f, bytes);

	put(f, at, list, bytes);
	return fuzz_pointer(f, at);
}

static void create(struct fuzz *f, struct fuzz_file *file)
{
	struct drm_rocket_create_bo args = { .size = fuzz_size(f) };
	uint32_t size = args.size;
	void *at = fuzz_room(f, sizeof(args));

	if (file->n_bos == FUZZ_BOS)
		return;
	put(f, at, &args, sizeof(args));
	if (call(f, file->fd, DRM_IOCTL_ROCKET_CREATE_BO, at) || !in_arena(f, at, sizeof(args)))
		return;
	memcpy(&args, at, sizeof(args));
	remember(f, file,
		 &(struct fuzz_bo){ args.handle, size, (uint32_t)args.dma_address, args.offset });
}

/* The handle is gone, whatever the answer: it was ours, or it was not a handle. */
static void forget(struct fuzz_file *file, uint32_t handle)
{
	for (unsigned i = 0; i < file->n_bos; i++)
		if (file->bos[i].handle == handle)
			file->bos[i--] = file->bos[--file->n_bos];
}

static void gem_close(struct fuzz *f, struct fuzz_file *file)
{
	struct drm_gem_close args = { .handle = fuzz_handle(f, file) };

	if (fuzz_once_in(f, 16))
		args.pad = fuzz_u32(f);
	call(f, file->fd, DRM_IOCTL_GEM_CLOSE, &args);
	forget(file, args.handle);
}

static void prep(struct fuzz *f, struct fuzz_file *file)
{
	struct drm_rocket_prep_bo args = { .handle = fuzz_handle(f, file),
					   .timeout_ns = fuzz_deadline(f) };

	/* Nothing here takes longer than the watchdog, but 600 years are no test either. */
	if (args.timeout_ns > now_ns() + SECOND)
		args.timeout_ns = now_ns() + SECOND;
	if (fuzz_once_in(f, 16))
		args.reserved = fuzz_u32(f);
	call(f, file->fd, DRM_IOCTL_ROCKET_PREP_BO, &args);
}

static void fini(struct fuzz *f, struct fuzz_file *file)
{
	struct drm_rocket_fini_bo args = { .handle = fuzz_handle(f, file) };

	if (fuzz_once_in(f, 16))
		args.reserved = fuzz_u32(f);
	call(f, file->fd, DRM_IOCTL_ROCKET_FINI_BO, &args);
}

static void ranges(struct fuzz *f, struct fuzz_file *file)
{
	uint32_t n = 1 + fuzz_below(f, LIST_MOST);
	struct drm_rocket_bo_range list[LIST_MOST];
	struct drm_rocket_prep_bo_ranges p = { .timeout_ns = now_ns() };
	struct drm_rocket_fini_bo_ranges e = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		list[i].offset = fuzz_once_in(f, 6) ? fuzz_u64(f) : fuzz_below(f, PAGE);
		list[i].size = fuzz_once_in(f, 6) ? fuzz_u64(f) : 1 + fuzz_below(f, PAGE);
	}
	p.handle = e.handle = fuzz_handle(f, file);
	p.range_count = e.range_count = fuzz_once_in(f, 10) ? fuzz_u32(f) : n;
	p.ranges = e.ranges = put_list(f, list, n * sizeof(list[0]));
	p.reserved = e.reserved = fuzz_once_in(f, 16) ? fuzz_u64(f) : 0;
	if (fuzz_once_in(f, 2))
		call(f, file->fd, DRM_IOCTL_ROCKET_PREP_BO_RANGES, &p);
	else
		call(f, file->fd, DRM_IOCTL_ROCKET_FINI_BO_RANGES, &e);
}

static uint32_t program_address(struct fuzz *f, struct fuzz_file *file)
{
	struct fuzz_bo *bo = fuzz_bo(f, file);

	if (!bo || fuzz_once_in(f, 10))
		return fuzz_u32(f);
	return bo->dma + (fuzz_once_in(f, 8) ? fuzz_below(f, bo->size) : 0);
}

/* Programs of buffers are zeros, so one that starts hangs: that is rare, and wanted. */
static uint64_t tasks(struct fuzz *f, struct fuzz_file *file, struct drm_rocket_job *job)
{
	uint32_t n = 1 + fuzz_below(f, TASKS_MOST);
	bool harmless = !fuzz_once_in(f, 400);
	struct drm_rocket_task list[TASKS_MOST];

	job->task_struct_size = fuzz_once_in(f, 16) ? fuzz_u32(f) : sizeof(list[0]);
	job->task_count = fuzz_once_in(f, 16) ? fuzz_count(f, TASKS_MOST) : n;
	for (uint32_t i = 0; i < n; i++) {
		list[i].regcmd = program_address(f, file);
		list[i].regcmd_count = fuzz_once_in(f, 8) ? fuzz_u32(f) : 1 + fuzz_below(f, 128);
	}
	if (harmless)
		list[fuzz_below(f, n)].regcmd_count = 0;
	return put_list(f, list, n * sizeof(list[0]));
}

static uint64_t handles(struct fuzz *f, struct fuzz_file *file, uint32_t *count)
{
	uint32_t n = fuzz_below(f, LIST_MOST + 1);
	uint32_t list[LIST_MOST];

	*count = fuzz_once_in(f, 16) ? fuzz_u32(f) : n;
	for (uint32_t i = 0; i < n; i++)
		list[i] = fuzz_handle(f, file);
	return put_list(f, list, n * sizeof(list[0]));
}

static void submit(struct fuzz *f, struct fuzz_file *file)
{
	uint32_t n = 1 + fuzz_below(f, JOBS_MOST);
	struct drm_rocket_job jobs[JOBS_MOST] = { 0 };
	struct drm_rocket_submit args = { .job_count = n, .job_struct_size = sizeof(jobs[0]) };

	for (uint32_t i = 0; i < n; i++) {
		jobs[i].tasks = tasks(f, file, &jobs[i]);
		jobs[i].in_bo_handles = handles(f, file, &jobs[i].in_bo_handle_count);
		jobs[i].out_bo_handles = handles(f, file, &jobs[i].out_bo_handle_count);
		if (fuzz_once_in(f, 4))
			jobs[i].flags = fuzz_once_in(f, 4) ? fuzz_u32(f) : fuzz_below(f, 16);
		if (fuzz_once_in(f, 16))
			jobs[i].reserved = fuzz_u32(f);
	}
	args.jobs = put_list(f, jobs, n * sizeof(jobs[0]));
	if (fuzz_once_in(f, 10))
		args.job_count = fuzz_u32(f);
	if (fuzz_once_in(f, 10))
		args.job_struct_size = fuzz_u32(f);
	if (fuzz_once_in(f, 16))
		args.reserved = fuzz_u64(f);
	call(f, file->fd, DRM_IOCTL_ROCKET_SUBMIT, &args);
}

/* Any number and size in the driver's range, with bytes as they come. */
static void garbage(struct fuzz *f, struct fuzz_file *file)
{
	uint32_t bytes[64];
	unsigned long request = _IOC(fuzz_below(f, 4), 'd', 0x40 + fuzz_below(f, 10),
				     fuzz_once_in(f, 2) ? fuzz_below(f, 64) : sizeof(bytes));

	for (size_t i = 0; i < COUNT(bytes); i++)
		bytes[i] = fuzz_u32(f);
	/* A size to allocate that the machine may have is no finding. */
	bytes[0] &= 0x01ffffff;
	call(f, file->fd, request, bytes);
}

static void share(struct fuzz *f, struct fuzz_file *file)
{
	int *dmabuf = &f->dmabufs[fuzz_below(f, FUZZ_DMABUFS)];
	struct prime args = { .fd = *dmabuf };

	if (*dmabuf < 0) {
		args.handle = fuzz_handle(f, file);
		args.flags = fuzz_once_in(f, 8) ? fuzz_u32(f) : 0;
		if (!call(f, file->fd, PRIME_TO_FD, &args))
			*dmabuf = args.fd;
		return;
	}
	if (fuzz_once_in(f, 2) && file->n_bos < FUZZ_BOS &&
	    !call(f, file->fd, PRIME_TO_HANDLE, &args))
		forget(file, args.handle); /* known already, or without an address of its own */
	if (fuzz_once_in(f, 2)) {
		close(*dmabuf);
		*dmabuf = -1;
	}
}

static void map(struct fuzz *f, struct fuzz_file *file)
{
	struct fuzz_bo *bo = fuzz_bo(f, file);
	const struct node_calls *calls = f->t->node->calls;
	uint64_t offset = !bo || fuzz_once_in(f, 8) ? fuzz_u64(f) & ~UINT64_C(4095) : bo->offset;
	size_t length = fuzz_once_in(f, 8) ? fuzz_size(f) : PAGE;
	unsigned char *at = calls->mmap(file->fd, length, offset);

	if (at == (void *)-1 || !at)
		return;
	at[0] = 0;
	calls->munmap(file->fd, at, length);
}

struct weighted {
	void (*call)(struct fuzz *f, struct fuzz_file *file);
	unsigned weight;
};

static const struct weighted weights[] = {
	{ submit, 40 }, { create, 14 }, { gem_close, 10 }, { prep, 12 }, { fini, 8 },
	{ ranges, 8 },  { garbage, 4 }, { share, 2 },      { map, 2 },   { reopen, 1 },
};

void fuzz_step(struct fuzz *f)
{
	struct fuzz_file *file = fuzz_file(f);
	uint32_t sum = 0, at;

	if (file->fd < 0)
		file_open(f, file);
	if (file->fd < 0)
		return;
	for (size_t i = 0; i < COUNT(weights); i++)
		sum += weights[i].weight;
	at = fuzz_below(f, sum);
	f->used = 0;
	for (size_t i = 0; i < COUNT(weights); i++) {
		if (at < weights[i].weight) {
			weights[i].call(f, file);
			return;
		}
		at -= weights[i].weight;
	}
}

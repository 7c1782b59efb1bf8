// SPDX-License-Identifier: LGPL-2.1-or-later
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Host memory of a test, in a list. */
struct memory {
	struct memory *next;
	max_align_t data[];
};

struct test_files {
	struct file file[TEST_FILES];
	unsigned n;
	struct memory *memory;
};

int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * SECOND + ts.tv_nsec;
}

void sleep_ms(unsigned ms)
{
	struct timespec rest = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * MS };

	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
}

int64_t job_timeout(const struct test *t)
{
	return t->node->calls->param("rocket", "job_timeout_ms", 500) * MS;
}

int file_export(const struct file *f, uint32_t handle, int *dmabuf)
{
	struct drm_prime_handle args = { .handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR };
	int ret = file_ioctl(f, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);

	*dmabuf = ret ? -1 : args.fd;
	return ret;
}

int file_import(const struct file *f, int dmabuf, uint32_t *handle)
{
	struct drm_prime_handle args = { .fd = dmabuf };
	int ret = file_ioctl(f, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);

	*handle = args.handle;
	return ret;
}

int file_ioctl(const struct file *f, unsigned long request, void *arg)
{
	return f->node->calls->ioctl(f->fd, request, arg) ? -errno : 0;
}

int file_create_bo(const struct file *f, struct drm_rocket_create_bo *args)
{
	return file_ioctl(f, DRM_IOCTL_ROCKET_CREATE_BO, args);
}

int file_gem_close(const struct file *f, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	return file_ioctl(f, DRM_IOCTL_GEM_CLOSE, &args);
}

int file_prep(const struct file *f, uint32_t handle, int64_t deadline)
{
	struct drm_rocket_prep_bo args = { .handle = handle, .timeout_ns = deadline };
	int ret;

	do {
		ret = file_ioctl(f, DRM_IOCTL_ROCKET_PREP_BO, &args);
	} while (ret == -EINTR);
	return ret;
}

int file_fini(const struct file *f, uint32_t handle)
{
	struct drm_rocket_fini_bo args = { .handle = handle };

	return file_ioctl(f, DRM_IOCTL_ROCKET_FINI_BO, &args);
}

int file_submit(const struct file *f, struct drm_rocket_submit *args)
{
	return file_ioctl(f, DRM_IOCTL_ROCKET_SUBMIT, args);
}

int file_submit_job(const struct file *f, struct drm_rocket_job *job)
{
	struct drm_rocket_submit args = {
		.jobs = (uintptr_t)job,
		.job_count = 1,
		.job_struct_size = sizeof(*job),
	};

	return file_submit(f, &args);
}

void test_files_begin(struct test *t)
{
	t->files = calloc(1, sizeof(*t->files));
	if (!t->files) {
		tap_bail_out("no memory");
		exit(TAP_FAIL);
	}
}

/* Let every job of the file end: before 1.0 a close with one in flight is an oops. */
static void quiesce(const struct file *f)
{
	const struct timespec nap = { .tv_nsec = 5 * MS };
	int64_t deadline = now_ns() + 5 * SECOND;

	for (unsigned i = 0; i < f->n_bos; i++)
		if (f->bos[i].handle)
			file_prep(f, f->bos[i].handle, deadline);
	/* The job drops its references a little after its fence. */
	nanosleep(&nap, NULL);
}

void test_files_end(struct test *t)
{
	if (t->node->major < 1)
		for (unsigned i = 0; i < t->files->n; i++)
			quiesce(&t->files->file[i]);
	for (unsigned i = 0; i < t->files->n; i++)
		test_file_close(&t->files->file[i]);
	while (t->files->memory) {
		struct memory *m = t->files->memory;

		t->files->memory = m->next;
		free(m);
	}
	free(t->files);
	t->files = NULL;
}

void *test_alloc(struct test *t, size_t size)
{
	struct memory *m = calloc(1, sizeof(*m) + size);

	if (!CHECK(t, m, "no memory for %zu bytes", size))
		return NULL;
	m->next = t->files->memory;
	t->files->memory = m;
	return m->data;
}

struct file *test_file(struct test *t)
{
	struct file *f = t->files->file;
	struct file *end = f + t->files->n;

	while (f < end && f->fd >= 0) /* one that was closed comes first */
		f++;
	if (!CHECK(t, f < t->files->file + TEST_FILES, "too many files in one test"))
		return NULL;
	f->node = t->node;
	f->fd = t->node->calls->open(t->node->path);
	if (!CHECK(t, f->fd >= 0, "%s: %s", t->node->path, strerror(errno)))
		return NULL;
	if (f == end)
		t->files->n++;
	return f;
}

int test_file_close(struct file *f)
{
	int ret = 0;

	for (unsigned i = 0; i < f->n_bos; i++)
		bo_unmap(f, &f->bos[i]);
	f->n_bos = 0;
	if (f->fd >= 0 && f->node->calls->close(f->fd))
		ret = -errno;
	f->fd = -1;
	return ret;
}

struct bo *test_bo(struct test *t, struct file *f, uint32_t size)
{
	struct drm_rocket_create_bo args = { .size = size };
	struct bo *bo;
	int ret;

	if (!CHECK(t, f->n_bos < FILE_BOS, "too many buffers in one file"))
		return NULL;
	ret = file_create_bo(f, &args);
	if (!CHECK(t, !ret, "CREATE_BO of %u bytes: %s", size, strerror(-ret)))
		return NULL;
	bo = &f->bos[f->n_bos];
	*bo = (struct bo){
		.handle = args.handle,
		.size = (size + PAGE - 1) / PAGE * PAGE,
		.dma = (uint32_t)args.dma_address,
		.offset = args.offset,
	};
	bo->map = f->node->calls->mmap(f->fd, bo->size, bo->offset);
	if (!CHECK(t, bo->map != MAP_FAILED, "mmap of %u bytes: %s", bo->size, strerror(errno))) {
		file_gem_close(f, bo->handle);
		return NULL;
	}
	f->n_bos++;
	return bo;
}

void bo_unmap(struct file *f, struct bo *bo)
{
	if (bo->map)
		f->node->calls->munmap(f->fd, bo->map, bo->size);
	bo->map = NULL;
}

int bo_close_handle(struct file *f, struct bo *bo)
{
	int ret = file_gem_close(f, bo->handle);

	bo->handle = 0;
	return ret;
}

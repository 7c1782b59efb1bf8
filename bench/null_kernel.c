// SPDX-License-Identifier: LGPL-2.1-or-later
/* null_kernel.c - see null_kernel.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "drm/rocket_accel.h"
#include "lib/core/device.h"
#include "null_kernel.h"
#include "rocket_log.h"
#include "rocket_npu.h"

#define WINDOW      (UINT64_C(1) << 32)
#define FILES_MAX   16
#define BUFFERS_MAX 256

/* A buffer's address is its offset in the file that holds its pages. size 0: a free place. */
struct buffer {
	uint64_t at, size;
};

static struct file {
	int number;                         /* fd + 1; 0: a free place */
	struct buffer buffers[BUFFERS_MAX]; /* by handle - 1 */
} files[FILES_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct file *file_of(int fd)
{
	for (unsigned i = 0; i < FILES_MAX; i++)
		if (files[i].number == fd + 1)
			return &files[i];
	return NULL;
}

static int fail(int err)
{
	errno = err;
	return -1;
}

static int null_open(const char *node)
{
	struct file *f;
	int fd;

	(void)node;
	fd = memfd_create("null-npu", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)WINDOW)) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	pthread_mutex_lock(&lock);
	f = file_of(-1);
	if (f) {
		memset(f, 0, sizeof(*f));
		f->number = fd + 1;
	}
	pthread_mutex_unlock(&lock);
	if (f)
		return fd;
	close(fd);
	return fail(EMFILE);
}

static int null_close(int fd)
{
	struct file *f;

	pthread_mutex_lock(&lock);
	f = file_of(fd);
	if (f)
		f->number = 0;
	pthread_mutex_unlock(&lock);
	return close(fd);
}

static int version(struct drm_version *v)
{
	v->version_major = 1;
	v->version_minor = 7;
	v->version_patchlevel = 0;
	if (v->name)
		snprintf(v->name, v->name_len, "rocket");
	v->name_len = strlen("rocket");
	return 0;
}

/* The lowest gap. */
static uint64_t find_room(const struct file *f, uint64_t size)
{
	uint64_t at = 0;
	bool moved;

	do {
		moved = false;
		for (unsigned i = 0; i < BUFFERS_MAX; i++) {
			const struct buffer *b = &f->buffers[i];

			if (b->size && at < b->at + b->size && b->at < at + size) {
				at = b->at + b->size;
				moved = true;
			}
		}
	} while (moved);
	return at;
}

static int create_bo(struct file *f, struct drm_rocket_create_bo *args)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t size = (args->size + page - 1) / page * page;
	const uint64_t at = find_room(f, size);
	unsigned i = 0;

	while (i < BUFFERS_MAX && f->buffers[i].size)
		i++;
	if (i == BUFFERS_MAX || at + size > WINDOW)
		return fail(ENOSPC);
	f->buffers[i] = (struct buffer){ at, size };
	args->handle = i + 1;
	args->dma_address = at;
	args->offset = at;
	return 0;
}

static int gem_close(struct file *f, uint32_t handle)
{
	struct buffer *b = &f->buffers[handle - 1];

	if (!handle || handle > BUFFERS_MAX || !b->size)
		return fail(EINVAL);
	fallocate(f->number - 1, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)b->at,
		  (off_t)b->size);
	b->size = 0;
	return 0;
}

static int answer(int fd, unsigned long request, void *arg)
{
	struct file *f = file_of(fd);

	if (!f)
		return fail(EBADF);
	switch (request) {
	case DRM_IOCTL_VERSION:
		return version(arg);
	case DRM_IOCTL_ROCKET_CREATE_BO:
		return create_bo(f, arg);
	case DRM_IOCTL_GEM_CLOSE:
		return gem_close(f, ((struct drm_gem_close *)arg)->handle);
	default:
		return fail(ENOTTY);
	}
}

static int null_ioctl(int fd, unsigned long request, void *arg)
{
	int r;

	/* What a product calls again and again costs nothing. */
	if (request == DRM_IOCTL_ROCKET_SUBMIT || request == DRM_IOCTL_ROCKET_PREP_BO ||
	    request == DRM_IOCTL_ROCKET_FINI_BO)
		return 0;
	pthread_mutex_lock(&lock);
	r = answer(fd, request, arg);
	pthread_mutex_unlock(&lock);
	return r;
}

static long null_param(const char *module, const char *name, long fallback)
{
	(void)module;
	return strcmp(name, "rocket_batch_submit") ? fallback : 1;
}

static void null_identify(int fd, char chip[16], unsigned *cores)
{
	(void)fd;
	snprintf(chip, 16, "rk3588");
	*cores = 3;
}

static const struct rocket_kernel null_kernel = {
	.name = "null",
	.open = null_open,
	.close = null_close,
	.ioctl = null_ioctl,
	.mmap = rocket_linux_mmap,
	.munmap = rocket_linux_munmap,
	.param = null_param,
	.identify = null_identify,
	.simulated = true,
};

int null_device_open(void)
{
	int fd = rocket_device_open_on(&null_kernel, "null device");

	if (fd >= 0)
		rocket_log(ROCKET_LOG_WARN,
			   "fd %d is a null device: nothing is computed, results are not products",
			   fd);
	return fd;
}

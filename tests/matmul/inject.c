// SPDX-License-Identifier: LGPL-2.1-or-later
/* inject.c - see inject.h. */
#include <drm.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "drm/rocket_accel.h"
#include "inject.h"

static _Thread_local enum inject_kind armed = INJECT_KINDS;
static _Thread_local unsigned countdown;
static _Thread_local int fired;
static atomic_int live_buffers, live_maps;
static atomic_uint handed_over, threads_started;

void inject_start(enum inject_kind kind, unsigned n)
{
	armed = kind;
	countdown = n;
	fired = 0;
}

int inject_stop(void)
{
	armed = INJECT_KINDS;
	return fired;
}

int inject_live_buffers(void)
{
	return atomic_load(&live_buffers);
}

int inject_live_maps(void)
{
	return atomic_load(&live_maps);
}

unsigned inject_handed_over(void)
{
	return atomic_load(&handed_over);
}

unsigned inject_threads_started(void)
{
	return atomic_load(&threads_started);
}

static int must_fail(enum inject_kind kind)
{
	if (armed != kind || fired || countdown--)
		return 0;
	fired = 1;
	return 1;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
			  void *arg);
int __real_sim_dev_ioctl(int fd, unsigned long request, void *arg);
void *__real_sim_dev_mmap(int fd, size_t length, uint64_t offset);
int __real_sim_dev_munmap(int fd, void *addr, size_t length);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
			  void *arg);
int __wrap_sim_dev_ioctl(int fd, unsigned long request, void *arg);
void *__wrap_sim_dev_mmap(int fd, size_t length, uint64_t offset);
int __wrap_sim_dev_munmap(int fd, void *addr, size_t length);

void *__wrap_malloc(size_t size)
{
	if (must_fail(INJECT_ALLOC)) {
		errno = ENOMEM;
		return NULL;
	}
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	if (must_fail(INJECT_ALLOC)) {
		errno = ENOMEM;
		return NULL;
	}
	return __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	if (must_fail(INJECT_ALLOC)) {
		errno = ENOMEM;
		return NULL;
	}
	return __real_realloc(p, size);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
			  void *arg)
{
	atomic_fetch_add(&threads_started, 1);
	return __real_pthread_create(thread, attr, start, arg);
}

static void lose_program(struct drm_rocket_submit *submit)
{
	struct drm_rocket_job *job = (struct drm_rocket_job *)(uintptr_t)submit->jobs;
	struct drm_rocket_task *task = (struct drm_rocket_task *)(uintptr_t)job->tasks;

	task->regcmd = 0xfff00000;
}

static void lose_flag(struct drm_rocket_submit *submit)
{
	struct drm_rocket_job *job = (struct drm_rocket_job *)(uintptr_t)submit->jobs;

	if ((job->flags & DRM_ROCKET_JOB_BATCHED) && must_fail(INJECT_UNFLAGGED))
		job->flags &= ~DRM_ROCKET_JOB_BATCHED;
}

/* Giving a buffer back is not made to fail: there is nothing a caller could do then. */
int __wrap_sim_dev_ioctl(int fd, unsigned long request, void *arg)
{
	int ret;

	if (request != DRM_IOCTL_GEM_CLOSE && must_fail(INJECT_IOCTL)) {
		errno = EIO;
		return -1;
	}
	if (request == DRM_IOCTL_ROCKET_SUBMIT &&
	    (must_fail(INJECT_FAULT) || must_fail(INJECT_BLIND)))
		lose_program(arg);
	if (request == DRM_IOCTL_ROCKET_SUBMIT)
		lose_flag(arg);
	ret = __real_sim_dev_ioctl(fd, request, arg);
	if (ret && armed == INJECT_BLIND && request == DRM_IOCTL_ROCKET_PREP_BO)
		ret = 0;
	if (!ret && request == DRM_IOCTL_ROCKET_CREATE_BO)
		atomic_fetch_add(&live_buffers, 1);
	if (!ret && request == DRM_IOCTL_ROCKET_FINI_BO)
		atomic_fetch_add(&handed_over, 1);
	if (!ret && request == DRM_IOCTL_GEM_CLOSE)
		atomic_fetch_sub(&live_buffers, 1);
	return ret;
}

void *__wrap_sim_dev_mmap(int fd, size_t length, uint64_t offset)
{
	void *p;

	if (must_fail(INJECT_MMAP)) {
		errno = ENOMEM;
		return (void *)-1;
	}
	p = __real_sim_dev_mmap(fd, length, offset);
	if (p != (void *)-1)
		atomic_fetch_add(&live_maps, 1);
	return p;
}

int __wrap_sim_dev_munmap(int fd, void *addr, size_t length)
{
	int ret = __real_sim_dev_munmap(fd, addr, length);

	if (!ret)
		atomic_fetch_sub(&live_maps, 1);
	return ret;
}

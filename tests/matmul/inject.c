// SPDX-License-Identifier: LGPL-2.1-or-later
/* inject.c - see inject.h. */
#include <drm.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drm/rknpu_ioctl.h"
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

/* ---- what a request is, in either driver's interface ---- */

enum meaning { OTHER, CREATE, DESTROY, SUBMIT, WAIT, HAND_OVER };

static enum meaning meaning_of(unsigned long request, const void *arg)
{
	switch (request) {
	case DRM_IOCTL_ROCKET_CREATE_BO:
		return CREATE;
	case DRM_IOCTL_RKNPU_MEM_CREATE: /* but the driver's own list of tasks is no buffer */
		return ((const struct rknpu_mem_create *)arg)->flags & RKNPU_MEM_KERNEL_MAPPING
			       ? OTHER
			       : CREATE;
	case DRM_IOCTL_GEM_CLOSE:
	case DRM_IOCTL_RKNPU_MEM_DESTROY:
		return DESTROY;
	case DRM_IOCTL_ROCKET_SUBMIT:
	case DRM_IOCTL_RKNPU_SUBMIT:
		return SUBMIT;
	case DRM_IOCTL_ROCKET_PREP_BO:
		return WAIT;
	case DRM_IOCTL_ROCKET_FINI_BO:
		return HAND_OVER;
	case DRM_IOCTL_RKNPU_MEM_SYNC:
		return ((const struct rknpu_mem_sync *)arg)->flags == RKNPU_MEM_SYNC_TO_DEVICE
			       ? HAND_OVER
			       : OTHER;
	}
	return OTHER;
}

/* The vendor's driver takes its tasks from objects that are not counted among the buffers. */
static struct task_list {
	int fd;
	uint32_t handle; /* 0: free */
	uint64_t object, offset;
	struct rknpu_task *tasks;
} lists[64];
static pthread_mutex_t lists_lock = PTHREAD_MUTEX_INITIALIZER;

/* The list of a handle of fd; handle 0: a free one. lists_lock is held. */
static struct task_list *list_of(int fd, uint32_t handle)
{
	for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (lists[i].handle == handle && (!handle || lists[i].fd == fd))
			return &lists[i];
	return NULL;
}

/* A call succeeded: true when it was about a list of tasks. */
static bool keep_list(int fd, unsigned long request, const void *arg)
{
	const struct rknpu_mem_create *create = arg;
	const struct rknpu_mem_map *map = arg; /* of MEM_DESTROY, too, the handle comes first */
	struct task_list *l = NULL;

	pthread_mutex_lock(&lists_lock);
	if (request == DRM_IOCTL_RKNPU_MEM_CREATE && create->flags & RKNPU_MEM_KERNEL_MAPPING) {
		l = list_of(fd, 0);
		*l = (struct task_list){ fd, create->handle, create->obj_addr, 0, NULL };
	} else if (request == DRM_IOCTL_RKNPU_MEM_MAP) {
		l = list_of(fd, map->handle);
		if (l)
			l->offset = map->offset;
	} else if (request == DRM_IOCTL_RKNPU_MEM_DESTROY) {
		l = list_of(fd, map->handle);
		if (l)
			l->handle = 0;
	}
	pthread_mutex_unlock(&lists_lock);
	return l != NULL;
}

/* p is mapped at offset: true when that is a list of tasks. */
static bool keep_mapping(int fd, uint64_t offset, void *p)
{
	bool found = false;

	pthread_mutex_lock(&lists_lock);
	for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (lists[i].handle && lists[i].fd == fd && lists[i].offset == offset) {
			lists[i].tasks = p;
			found = true;
		}
	pthread_mutex_unlock(&lists_lock);
	return found;
}

static bool is_list(const void *p)
{
	bool found = false;

	pthread_mutex_lock(&lists_lock);
	for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		found |= lists[i].handle && lists[i].tasks == p;
	pthread_mutex_unlock(&lists_lock);
	return found;
}

static void lose_program_of_vendor(const struct rknpu_submit *submit)
{
	pthread_mutex_lock(&lists_lock);
	for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (lists[i].handle && lists[i].object == submit->task_obj_addr)
			lists[i].tasks[0].regcmd_addr = 0x10000;
	pthread_mutex_unlock(&lists_lock);
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
	enum meaning meaning = meaning_of(request, arg);

	if (meaning != DESTROY && must_fail(INJECT_IOCTL)) {
		errno = EIO;
		return -1;
	}
	if (meaning == SUBMIT && (must_fail(INJECT_FAULT) || must_fail(INJECT_BLIND))) {
		if (request == DRM_IOCTL_ROCKET_SUBMIT)
			lose_program(arg);
		else
			lose_program_of_vendor(arg);
	}
	if (request == DRM_IOCTL_ROCKET_SUBMIT)
		lose_flag(arg);
	ret = __real_sim_dev_ioctl(fd, request, arg);
	if (ret && armed == INJECT_BLIND && meaning == WAIT)
		ret = 0;
	if (!ret && keep_list(fd, request, arg))
		return 0;
	if (!ret && meaning == CREATE)
		atomic_fetch_add(&live_buffers, 1);
	if (!ret && meaning == HAND_OVER)
		atomic_fetch_add(&handed_over, 1);
	if (!ret && meaning == DESTROY)
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
	if (p != (void *)-1 && !keep_mapping(fd, offset, p))
		atomic_fetch_add(&live_maps, 1);
	return p;
}

int __wrap_sim_dev_munmap(int fd, void *addr, size_t length)
{
	bool of_list = is_list(addr);
	int ret = __real_sim_dev_munmap(fd, addr, length);

	if (!ret && !of_list)
		atomic_fetch_sub(&live_maps, 1);
	return ret;
}

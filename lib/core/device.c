// SPDX-License-Identifier: LGPL-2.1-or-later
/* device.c - the table of open fds. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bo_table.h"
#include "device.h"
#include "profile.h"
#include "rocket_log.h"
#include "status.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rocket_device **table; /* by fd */
static size_t table_size;
static void (*last_closed)(void);
static struct rocket_caps last_caps;
static const char *last_driver = "";

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct rocket_device **parents_table; /* in a child of fork(): unusable, still reachable */

/*
 * A child shares the parent's open files but none of its threads, and a lock may have been
 * held by one of those. It starts with an empty table; fds of the parent are refused.
 */
static void forked(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	lock = fresh;
	parents_table = table;
	table = NULL;
	table_size = 0;
}

static void init(void)
{
	pthread_atfork(NULL, NULL, forked);
}

/* Make room for fd. Called with the lock held. */
static int reserve(int fd)
{
	size_t want = (size_t)fd + 1, size = table_size ? table_size : 64;
	struct rocket_device **t;

	if (want <= table_size)
		return 0;
	while (size < want)
		size *= 2;
	t = realloc(table, size * sizeof(*t));
	if (!t)
		return -ENOMEM;
	memset(t + table_size, 0, (size - table_size) * sizeof(*t));
	table = t;
	table_size = size;
	return 0;
}

/* Enter dev. *stale is an entry whose fd somebody closed behind our back, or NULL. */
static int enter(struct rocket_device *dev, struct rocket_device **stale)
{
	int r;

	*stale = NULL;
	pthread_mutex_lock(&lock);
	r = reserve(dev->node.fd);
	if (!r) {
		*stale = table[dev->node.fd];
		dev->refs = 1;
		table[dev->node.fd] = dev;
		last_caps = dev->node.caps;
		last_driver = dev->provider->name;
		rocket_hw_select(dev->profile);
	}
	pthread_mutex_unlock(&lock);
	return r;
}

/* On a kernel, or NULL: where settings say. */
static int open_on(const struct rocket_kernel *kernel, const char *path)
{
	struct rocket_settings settings = rocket_settings_read();
	struct rocket_device *dev, *stale;
	int err;

	rocket_log_get_level(); /* complains of ROCKET_LOG_LEVEL now, not at the first other line */
	pthread_once(&once, init);
	dev = kernel ? rocket_device_select_on(&settings, kernel, path, &err)
		     : rocket_device_select(&settings, &err);
	if (!dev)
		return err;
	err = enter(dev, &stale);
	if (err) {
		rocket_fail(ROCKET_E_NOMEM, "rocket_open: no memory for the table of devices");
		rocket_device_destroy(dev);
		return err;
	}
	if (stale) {
		rocket_log(ROCKET_LOG_WARN, "rocket_open: fd %d was closed without rocket_close()",
			   dev->node.fd);
		stale->node.fd = -1; /* the number is dev's now */
		rocket_device_put(stale);
	}
	return dev->node.fd;
}

int rocket_open(void)
{
	return open_on(NULL, NULL);
}

int rocket_device_open_on(const struct rocket_kernel *kernel, const char *path)
{
	return open_on(kernel, path);
}

static struct rocket_device *lookup(int fd)
{
	return fd >= 0 && (size_t)fd < table_size ? table[fd] : NULL;
}

struct rocket_device *rocket_device_get(int fd, const char *who)
{
	struct rocket_device *dev;

	pthread_mutex_lock(&lock);
	dev = lookup(fd);
	if (dev)
		dev->refs++;
	pthread_mutex_unlock(&lock);
	if (!dev)
		rocket_log(ROCKET_LOG_ERROR, "%s: fd %d is not open here (rocket_open)", who, fd);
	return dev;
}

void rocket_device_put(struct rocket_device *dev)
{
	bool last;

	pthread_mutex_lock(&lock);
	last = --dev->refs == 0;
	pthread_mutex_unlock(&lock);
	if (last)
		rocket_device_destroy(dev);
}

/* Take dev out of the table. Called with the lock held; returns what to call after it, or NULL. */
static void (*leave(const struct rocket_device *dev))(void)
{
	table[dev->node.fd] = NULL;
	for (size_t fd = 0; fd < table_size; fd++)
		if (table[fd] && !table[fd]->parked)
			return NULL;
	return last_closed;
}

void rocket_close(int fd)
{
	void (*then)(void) = NULL;
	struct rocket_device *dev;

	pthread_mutex_lock(&lock);
	dev = lookup(fd);
	if (dev)
		then = leave(dev);
	pthread_mutex_unlock(&lock);
	if (!dev) {
		rocket_log(ROCKET_LOG_ERROR, "rocket_close: fd %d is not open here (rocket_open)",
			   fd);
		return;
	}
	rocket_device_put(dev);
	if (then)
		then();
}

void rocket_device_close(struct rocket_device *dev)
{
	void (*then)(void) = NULL;
	bool open;

	pthread_mutex_lock(&lock);
	open = lookup(dev->node.fd) == dev;
	if (open)
		then = leave(dev);
	pthread_mutex_unlock(&lock);
	if (open)
		rocket_device_put(dev);
	rocket_device_put(dev);
	if (then)
		then();
}

void rocket_device_park(struct rocket_device *dev, bool parked)
{
	pthread_mutex_lock(&lock);
	dev->parked = parked;
	pthread_mutex_unlock(&lock);
}

void rocket_device_on_last_close(void (*fn)(void))
{
	pthread_mutex_lock(&lock);
	last_closed = fn;
	pthread_mutex_unlock(&lock);
}

/* What all keep; *oldest, which may be NULL, is the device of the oldest. The lock is held. */
static uint64_t sum_up(struct rocket_device **oldest)
{
	uint64_t sum = 0, since = UINT64_MAX;

	for (size_t fd = 0; fd < table_size; fd++) {
		struct rocket_device *dev = table[fd];
		uint64_t kept;

		if (!dev)
			continue;
		kept = atomic_load(&dev->matmuls.bytes);
		sum += kept + atomic_load(&dev->beside);
		if (kept && atomic_load(&dev->matmuls.oldest) < since) {
			since = atomic_load(&dev->matmuls.oldest);
			*oldest = dev;
		}
	}
	return sum;
}

uint64_t rocket_devices_kept(void)
{
	struct rocket_device *oldest = NULL;
	uint64_t sum;

	pthread_mutex_lock(&lock);
	sum = sum_up(&oldest);
	pthread_mutex_unlock(&lock);
	return sum;
}

struct rocket_device *rocket_device_keeping_over(uint64_t bytes)
{
	struct rocket_device *oldest = NULL;

	pthread_mutex_lock(&lock);
	if (sum_up(&oldest) <= bytes)
		oldest = NULL;
	if (oldest)
		oldest->refs++;
	pthread_mutex_unlock(&lock);
	return oldest;
}

struct rocket_caps rocket_device_last_caps(void)
{
	struct rocket_caps caps;

	pthread_mutex_lock(&lock);
	caps = last_caps;
	pthread_mutex_unlock(&lock);
	return caps;
}

const char *rocket_driver_name(void)
{
	const char *name;

	pthread_mutex_lock(&lock);
	name = last_driver;
	pthread_mutex_unlock(&lock);
	return name;
}

int rocket_device_info(int fd, struct rocket_device_info *out)
{
	struct rocket_device *dev = rocket_device_get(fd, "rocket_device_info");

	if (!dev)
		return ROCKET_E_SHAPE;
	memset(out, 0, sizeof(*out));
	snprintf(out->path, sizeof(out->path), "%s", dev->node.path);
	snprintf(out->chip, sizeof(out->chip), "%s", dev->profile->name);
	snprintf(out->provider, sizeof(out->provider), "%s", dev->provider->name);
	snprintf(out->kernel, sizeof(out->kernel), "%s", dev->node.kernel->name);
	snprintf(out->driver_version, sizeof(out->driver_version), "%s", dev->node.driver_version);
	out->cores = dev->node.cores;
	out->caps = dev->node.caps;
	rocket_device_put(dev);
	return ROCKET_OK;
}

int rocket_bo_ranges_supported(void)
{
	return rocket_device_last_caps().ranges;
}

int rocket_batched_submit_supported(void)
{
	return rocket_device_last_caps().batched;
}

int rocket_batched_submit_native(void)
{
	return rocket_device_last_caps().batched_native;
}

int rocket_ppu_done_supported(void)
{
	return rocket_device_last_caps().ppu_done;
}

int rocket_no_dpu_done_supported(void)
{
	return rocket_device_last_caps().no_dpu_done;
}

int rocket_batch_completion_tracked(void)
{
	return rocket_device_last_caps().completion_tracked;
}

int rocket_submit_batch_atomic(void)
{
	return rocket_device_last_caps().batch_atomic;
}

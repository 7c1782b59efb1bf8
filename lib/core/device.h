/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * device.h - the library's state for an open fd.
 *
 * One table maps fds of rocket_open() to a struct rocket_device. rocket_device_get()
 * takes a reference, so a concurrent rocket_close() cannot pull it away.
 */
#ifndef ROCKET_CORE_DEVICE_H
#define ROCKET_CORE_DEVICE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "provider.h"
#include "rocket_hw_profile.h"
#include "settings.h"

/* What an operation keeps between calls. Buffers among it die with their fd. */
struct rocket_keep {
	pthread_mutex_t lock;
	void *kept;
	_Atomic uint64_t bytes;        /* of all that is kept */
	_Atomic uint64_t oldest;       /* of what is kept: when it was, in any count that rises */
	void (*free_kept)(void *kept); /* the host's memory alone */
};
void rocket_keep_init(struct rocket_keep *keep);
/* Free it; its buffers are gone already, or go with their fd. */
void rocket_keep_fini(struct rocket_keep *keep);

struct rocket_device {
	struct rocket_node node;
	dev_t file_dev; /* of the file behind node.fd */
	ino_t file_ino;
	char path[256]; /* what node.path points to */
	const struct rocket_provider *provider;
	const struct rocket_hw_profile *profile;
	struct rocket_settings settings; /* as read at open */
	rocket_bo guard;             /* 4096 bytes at IOVA 0, so that no used buffer sits there */
	struct rocket_bo_table *bos; /* live buffers of this fd */
	struct rocket_keep matmuls;  /* sets of lib/ops/matmul_scratch.h */
	_Atomic uint64_t beside;     /* bytes that are kept beside them */
	bool parked;                 /* no caller's: see rocket_device_park() */
	unsigned refs;               /* both under the table's lock */
};

/* NULL (with a log line naming what was asked) when fd is not open here. */
struct rocket_device *rocket_device_get(int fd, const char *who);
void rocket_device_put(struct rocket_device *dev);

/* Free a buffer of dev. Unlike rocket_bo_free() it does not look for an fd, which may have been
 * closed while dev is held. */
void rocket_device_bo_free(struct rocket_device *dev, rocket_bo *bo);

/* rocket_close() and rocket_device_put() in one, which leaves the fd alone if it is another's now.
 */
void rocket_device_close(struct rocket_device *dev);
/* Whether the fd is the file that was opened. */
bool rocket_device_has_its_file(const struct rocket_device *dev);

/* Bytes that the open devices keep. */
uint64_t rocket_devices_kept(void);
/* If that is more than so many, the device that keeps the oldest, referenced; else NULL. */
struct rocket_device *rocket_device_keeping_over(uint64_t bytes);

/* Parked devices stay open for later calls of the library's own. */
void rocket_device_park(struct rocket_device *dev, bool parked);
/* Call fn whenever a device was closed and no others are open than parked ones. */
void rocket_device_on_last_close(void (*fn)(void));

/* The caps of the device opened last, all zero before any open. */
struct rocket_caps rocket_device_last_caps(void);

/* Open the node that settings name and take it over (open.c). NULL and *err = -errno, logged. */
struct rocket_device *rocket_device_select(const struct rocket_settings *settings, int *err);
/* The node `path` of a kernel that settings need not name. */
struct rocket_device *rocket_device_select_on(const struct rocket_settings *settings,
					      const struct rocket_kernel *kernel, const char *path,
					      int *err);
/* rocket_open() of such a node: for benchmarks and tests that bring a kernel of their own. */
int rocket_device_open_on(const struct rocket_kernel *kernel, const char *path);
/* Close the node and free dev and every buffer that is left. */
void rocket_device_destroy(struct rocket_device *dev);

/* Facts about the open device that `rocket info` and the demo print. */
struct rocket_device_info {
	char path[256];
	char chip[16];
	char provider[16];
	char kernel[16]; /* "linux" or "sim" */
	char driver_version[32];
	unsigned cores;
	struct rocket_caps caps;
};
int rocket_device_info(int fd, struct rocket_device_info *out);

#endif

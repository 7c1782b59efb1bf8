/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * node.h - the device node under test, and the calls that reach it.
 *
 * One table makes real system calls, the other (in this tree only) talks to the
 * in-process device. Every call behaves as its namesake: -1 and errno on failure.
 */
#ifndef SELFTESTS_NODE_H
#define SELFTESTS_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node_calls {
	bool in_process; /* no kernel: does not survive fork, has no kernel log */
	int (*open)(const char *path);
	int (*close)(int fd);
	int (*ioctl)(int fd, unsigned long request, void *arg); /* once: EINTR is seen */
	void *(*mmap)(int fd, size_t length, uint64_t offset);
	int (*munmap)(int fd, void *addr, size_t length);
	/* Module parameters of the driver. */
	long (*param)(const char *module, const char *name, long fallback);
	int (*param_set)(const char *module, const char *name, long value);
};

extern const struct node_calls node_calls_linux;
/* Only in builds with the in-process device. */
extern const struct node_calls node_calls_sim;

struct node {
	const struct node_calls *calls;
	const char *driver;
	char path[256];
	int major, minor; /* version of the driver's interface */
};

/*
 * The node of a driver, "rocket" or "rknpu", that argument names (NULL: ROCKET_DEVICE, else the
 * first there is). false: there is none, why says so in one line.
 */
bool node_find(struct node *node, const char *driver, const char *argument, char *why,
	       size_t why_size);

/* Driver name and version of an open node; false when it does not answer. */
bool node_version(const struct node_calls *calls, int fd, char *name, size_t name_size, int *major,
		  int *minor);

#endif

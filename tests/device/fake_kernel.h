/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fake_kernel.h - what the fake kernels share on which providers are tested: a DRM node of a name
 * and a version, an RK3588 with three cores. What else a driver does is its test's own.
 */
#ifndef TESTS_DEVICE_FAKE_KERNEL_H
#define TESTS_DEVICE_FAKE_KERNEL_H

#include <drm.h>

#include "lib/core/provider.h"

struct fake_node {
	const char *name; /* NULL: no DRM node */
	int major, minor;
};

/* As a system call that fails with err. */
int fake_fail(int err);
/* DRM_IOCTL_VERSION. */
int fake_version(const struct fake_node *fake, struct drm_version *v);
/* Of struct rocket_kernel. */
void fake_identify(int fd, char chip[16], unsigned *cores);
/* What the provider's open gives for a node of this kernel. */
int fake_open(const struct rocket_provider *p, const struct rocket_kernel *kernel,
	      struct rocket_node *node);

#endif

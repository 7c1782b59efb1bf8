/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * drm.h - for builds without the library's dependencies: the kernel's header where one is
 * installed, else the few definitions that these tests and our own header need.
 */
#ifndef SELFTESTS_COMPAT_DRM_H
#define SELFTESTS_COMPAT_DRM_H

#if __has_include(<drm/drm.h>)
#include <drm/drm.h>
#elif __has_include(<libdrm/drm.h>)
#include <libdrm/drm.h>
#else

#include <asm/ioctl.h>
#include <fcntl.h>
#include <linux/types.h>
#include <stddef.h>

#define DRM_IOCTL_BASE      'd'
#define DRM_IOW(nr, type)   _IOW(DRM_IOCTL_BASE, nr, type)
#define DRM_IOWR(nr, type)  _IOWR(DRM_IOCTL_BASE, nr, type)
#define DRM_COMMAND_BASE    0x40
#define DRM_IOCTL_VERSION   DRM_IOWR(0x00, struct drm_version)
#define DRM_IOCTL_GEM_CLOSE DRM_IOW(0x09, struct drm_gem_close)

#define DRM_IOCTL_PRIME_HANDLE_TO_FD DRM_IOWR(0x2d, struct drm_prime_handle)
#define DRM_IOCTL_PRIME_FD_TO_HANDLE DRM_IOWR(0x2e, struct drm_prime_handle)
#define DRM_CLOEXEC                  O_CLOEXEC
#define DRM_RDWR                     O_RDWR

struct drm_version {
	int version_major, version_minor, version_patchlevel;
	size_t name_len;
	char *name;
	size_t date_len;
	char *date;
	size_t desc_len;
	char *desc;
};

struct drm_gem_close {
	__u32 handle;
	__u32 pad;
};

struct drm_prime_handle {
	__u32 handle;
	__u32 flags;
	__s32 fd;
};

#endif
#endif

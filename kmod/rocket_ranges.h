/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __ROCKET_RANGES_H__
#define __ROCKET_RANGES_H__

struct drm_device;
struct drm_file;

int rocket_ioctl_prep_bo_ranges(struct drm_device *dev, void *data, struct drm_file *file);
int rocket_ioctl_fini_bo_ranges(struct drm_device *dev, void *data, struct drm_file *file);

#endif

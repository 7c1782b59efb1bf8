// SPDX-License-Identifier: LGPL-2.1-or-later
/* ioctl.c - the requests of the vendor's DRM driver. */
#include <string.h>

#include "rknpu.h"

static int do_version(struct sim_file *file, void *arg)
{
	const int version[3] = { (int)(file->dev->driver / 10000),
				 (int)(file->dev->driver / 100 % 100),
				 (int)(file->dev->driver % 100) };

	return sim_do_version(file, arg, version, "rknpu", "20240828");
}

static const struct sim_request requests[] = {
	{ DRM_IOCTL_VERSION, do_version, 0 },
	{ DRM_IOCTL_GEM_CLOSE, sim_do_gem_close, 0 },
	{ DRM_IOCTL_PRIME_HANDLE_TO_FD, sim_do_not_simulated, 0 },
	{ DRM_IOCTL_PRIME_FD_TO_HANDLE, sim_do_not_simulated, 0 },
	{ DRM_IOCTL_RKNPU_ACTION, rknpu_action, 0 },
	{ DRM_IOCTL_RKNPU_SUBMIT, rknpu_submit, 0 },
	{ DRM_IOCTL_RKNPU_MEM_CREATE, rknpu_mem_create, 0 },
	{ DRM_IOCTL_RKNPU_MEM_MAP, rknpu_mem_map, 0 },
	{ DRM_IOCTL_RKNPU_MEM_DESTROY, rknpu_mem_destroy, 0 },
	{ DRM_IOCTL_RKNPU_MEM_SYNC, rknpu_mem_sync, 0 },
};

int rknpu_ioctl(struct sim_file *file, unsigned long request, void *arg)
{
	return sim_request_run(file, requests, sizeof(requests) / sizeof(requests[0]), request,
			       arg);
}

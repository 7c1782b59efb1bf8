// SPDX-License-Identifier: LGPL-2.1-or-later
/* ioctl.c - request numbers and their arguments, as the DRM core takes them apart. */
#include <drm.h>
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "device.h"
#include "drm/rocket_accel.h"

#define MAX_ARG (1u << _IOC_SIZEBITS)

static int copy_name(uint64_t dst, __kernel_size_t *len, const char *text)
{
	size_t n = strlen(text), room = *len;

	*len = n;
	if (n > room)
		n = room;
	if (n && dst && sim_copy_to_user(dst, text, n) != n)
		return -EFAULT;
	return 0;
}

int sim_do_version(struct sim_file *file, void *arg, const int version[3], const char *name,
		   const char *date)
{
	struct drm_version *v = arg;
	int r;

	(void)file;
	v->version_major = version[0];
	v->version_minor = version[1];
	v->version_patchlevel = version[2];
	r = copy_name((uintptr_t)v->name, &v->name_len, name);
	if (!r)
		r = copy_name((uintptr_t)v->date, &v->date_len, date);
	if (!r)
		r = copy_name((uintptr_t)v->desc, &v->desc_len, "simulated rockchip NPU");
	return r;
}

int sim_do_gem_close(struct sim_file *file, void *arg)
{
	return sim_gem_close(file, ((struct drm_gem_close *)arg)->handle);
}

/* A request of the DRM core that this device does not simulate. */
int sim_do_not_simulated(struct sim_file *file, void *arg)
{
	(void)arg;
	sim_log(file->dev, "this request of the DRM core is not simulated");
	return -EOPNOTSUPP;
}

static int do_version(struct sim_file *file, void *arg)
{
	const int version[3] = { (int)(file->dev->driver / 10), (int)(file->dev->driver % 10), 0 };

	return sim_do_version(file, arg, version, "rocket", "0");
}

static int do_create_bo(struct sim_file *file, void *arg)
{
	return sim_create_bo(file, arg);
}

static int do_submit(struct sim_file *file, void *arg)
{
	return sim_submit(file, arg);
}

static int do_prep_bo(struct sim_file *file, void *arg)
{
	return sim_prep_bo(file, arg);
}

static int do_fini_bo(struct sim_file *file, void *arg)
{
	return sim_fini_bo(file, arg);
}

static int do_prep_bo_ranges(struct sim_file *file, void *arg)
{
	return sim_prep_bo_ranges(file, arg);
}

static int do_fini_bo_ranges(struct sim_file *file, void *arg)
{
	return sim_fini_bo_ranges(file, arg);
}

static const struct sim_request requests[] = {
	{ DRM_IOCTL_VERSION, do_version, 0 },
	{ DRM_IOCTL_GEM_CLOSE, sim_do_gem_close, 0 },
	{ DRM_IOCTL_PRIME_HANDLE_TO_FD, sim_do_not_simulated, 0 },
	{ DRM_IOCTL_PRIME_FD_TO_HANDLE, sim_do_not_simulated, 0 },
	{ DRM_IOCTL_ROCKET_CREATE_BO, do_create_bo, 0 },
	{ DRM_IOCTL_ROCKET_SUBMIT, do_submit, 0 },
	{ DRM_IOCTL_ROCKET_PREP_BO, do_prep_bo, 0 },
	{ DRM_IOCTL_ROCKET_FINI_BO, do_fini_bo, 0 },
	{ DRM_IOCTL_ROCKET_PREP_BO_RANGES, do_prep_bo_ranges, SIM_DRIVER_RANGES },
	{ DRM_IOCTL_ROCKET_FINI_BO_RANGES, do_fini_bo_ranges, SIM_DRIVER_RANGES },
};

static const struct sim_request *find(const struct sim_request *rows, size_t n,
				      unsigned long request)
{
	for (size_t i = 0; i < n; i++)
		if (_IOC_NR(request) == _IOC_NR(rows[i].request))
			return &rows[i];
	return NULL;
}

int sim_request_run(struct sim_file *file, const struct sim_request *rows, size_t n,
		    unsigned long request, void *arg)
{
	uint8_t data[MAX_ARG] __attribute__((aligned(8)));
	const struct sim_request *rq;
	size_t size, in, out;
	int r;

	if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
		return -ENOTTY;
	rq = find(rows, n, request);
	if (!rq || file->dev->driver < rq->since)
		return -EINVAL;
	size = _IOC_SIZE(request);
	in = _IOC_DIR(request) & _IOC_DIR(rq->request) & _IOC_WRITE ? size : 0;
	out = _IOC_DIR(request) & _IOC_DIR(rq->request) & _IOC_READ ? size : 0;
	memset(data, 0, size > 256 ? size : 256);
	if (in && sim_copy_from_user(data, (uintptr_t)arg, in) != in)
		return -EFAULT;
	r = rq->run(file, data);
	if (out && sim_copy_to_user((uintptr_t)arg, data, out) != out)
		r = -EFAULT;
	return r;
}

int sim_ioctl(struct sim_file *file, unsigned long request, void *arg)
{
	return sim_request_run(file, requests, sizeof(requests) / sizeof(requests[0]), request,
			       arg);
}

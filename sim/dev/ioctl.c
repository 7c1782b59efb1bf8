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

static int do_version(struct sim_file *file, void *arg)
{
	struct drm_version *v = arg;
	int r;

	v->version_major = (int)(file->dev->driver / 10);
	v->version_minor = (int)(file->dev->driver % 10);
	v->version_patchlevel = 0;
	r = copy_name((uintptr_t)v->name, &v->name_len, "rocket");
	if (!r)
		r = copy_name((uintptr_t)v->date, &v->date_len, "0");
	if (!r)
		r = copy_name((uintptr_t)v->desc, &v->desc_len, "simulated rockchip NPU");
	return r;
}

static int do_gem_close(struct sim_file *file, void *arg)
{
	return sim_gem_close(file, ((struct drm_gem_close *)arg)->handle);
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

/* A request of the DRM core that this device does not simulate. */
static int do_not_simulated(struct sim_file *file, void *arg)
{
	(void)arg;
	sim_log(file->dev, "this request of the DRM core is not simulated");
	return -EOPNOTSUPP;
}

static const struct request {
	unsigned long request;
	int (*run)(struct sim_file *file, void *arg);
	unsigned since; /* enum sim_driver */
} requests[] = {
	{ DRM_IOCTL_VERSION, do_version, 0 },
	{ DRM_IOCTL_GEM_CLOSE, do_gem_close, 0 },
	{ DRM_IOCTL_PRIME_HANDLE_TO_FD, do_not_simulated, 0 },
	{ DRM_IOCTL_PRIME_FD_TO_HANDLE, do_not_simulated, 0 },
	{ DRM_IOCTL_ROCKET_CREATE_BO, do_create_bo, 0 },
	{ DRM_IOCTL_ROCKET_SUBMIT, do_submit, 0 },
	{ DRM_IOCTL_ROCKET_PREP_BO, do_prep_bo, 0 },
	{ DRM_IOCTL_ROCKET_FINI_BO, do_fini_bo, 0 },
	{ DRM_IOCTL_ROCKET_PREP_BO_RANGES, do_prep_bo_ranges, SIM_DRIVER_RANGES },
	{ DRM_IOCTL_ROCKET_FINI_BO_RANGES, do_fini_bo_ranges, SIM_DRIVER_RANGES },
};

static const struct request *find(unsigned long request)
{
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		if (_IOC_NR(request) == _IOC_NR(requests[i].request))
			return &requests[i];
	return NULL;
}

/*
 * The DRM core goes by number: a caller's struct that is shorter or longer than the
 * driver's is zero-extended or its tail handed back untouched.
 */
int sim_ioctl(struct sim_file *file, unsigned long request, void *arg)
{
	uint8_t data[MAX_ARG] __attribute__((aligned(8)));
	const struct request *rq;
	size_t size, in, out;
	int r;

	if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
		return -ENOTTY;
	rq = find(request);
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

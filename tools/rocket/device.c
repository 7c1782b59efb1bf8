// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

#include "lib/core/provider.h"
#include "rocket_npu.h"
#if HAVE_SIM
#include "sim/dev/sim_dev.h"
#endif

#include "device.h"
#include "logline.h"

static bool is_absence(int err)
{
	static const int absences[] = { ENODEV, ENXIO,   ENOENT, EACCES,  EPERM, ENOTTY,
					EINVAL, ENOTSUP, EISDIR, ENOTDIR, ELOOP, ENAMETOOLONG };

	for (size_t i = 0; i < sizeof(absences) / sizeof(absences[0]); i++)
		if (err == absences[i])
			return true;
	return false;
}

int device_open(struct device *device, const struct command *command, bool json)
{
	int code = EXIT_DEVICE;

	memset(device, 0, sizeof(*device));
	device->fd = rocket_open();
	if (device->fd < 0) {
		int err = -device->fd;

		logline_take(device->why, sizeof(device->why), strerror(err));
		if (is_absence(err))
			code = EXIT_USAGE;
		goto err;
	}
	if (rocket_device_info(device->fd, &device->info) < 0) {
		logline_take(device->why, sizeof(device->why), "the device says nothing");
		goto err_close;
	}
	device->simulated = !strcmp(device->info.kernel, "sim");
	return EXIT_RIGHT;

err_close:
	device_close(device);
err:
	return command_failed(command, json, code, "%s", device->why);
}

void device_close(struct device *device)
{
	if (device->fd >= 0)
		rocket_close(device->fd);
	device->fd = -1;
}

/* Every file of the device counts, since a call with threads opens its own. */
void device_counters_reset(const struct device *device)
{
	(void)device;
#if HAVE_SIM
	if (device->simulated)
		sim_dev_counters_reset(-1);
#endif
}

bool device_counters(const struct device *device, struct npu_counters *counters)
{
	memset(counters, 0, sizeof(*counters));
#if HAVE_SIM
	return device->simulated && sim_dev_counters(-1, counters) == 0;
#else
	(void)device;
	return false;
#endif
}

int device_exit_code(int status)
{
	return status == ROCKET_E_SHAPE || status == ROCKET_E_UNSUPPORTED ? EXIT_USAGE
									  : EXIT_DEVICE;
}

#if HAVE_SIM
static bool has_provider(const char *name)
{
	for (const struct rocket_provider *const *p = rocket_providers(); *p; p++)
		if (!strcmp((*p)->name, name))
			return true;
	return false;
}
#endif

const char *device_simulated_name(unsigned i)
{
#if HAVE_SIM
	static const char *const names[] = { "sim", "sim:rk3588", "sim:rk3588:rocket",
					     "sim:rk3588:rknpu" };
	static const char *const providers[] = { NULL, NULL, "rocket", "rknpu" };

	for (unsigned k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		if ((!providers[k] || has_provider(providers[k])) && !i--)
			return names[k];
	return NULL;
#else
	(void)i;
	return NULL;
#endif
}

const char *device_driver_wanted(void)
{
	const char *wanted = getenv("ROCKET_DEVICE");
	const char *driver = wanted ? strrchr(wanted, ':') : NULL;

	return driver && !strcmp(driver, ":rknpu") ? "rknpu" : "rocket";
}

bool device_simulator_wanted(void)
{
	const char *wanted = getenv("ROCKET_DEVICE");

	return wanted && !strncmp(wanted, "sim", 3);
}

static const char *probe(const struct rocket_provider *provider, const char *node)
{
	const struct rocket_kernel *kernel = &rocket_kernel_linux;
	int fd = kernel->open(node);
	int rc;

	if (fd < 0)
		return strerror(errno);
	rc = provider->match(kernel, fd);
	kernel->close(fd);
	return rc == 0 ? "an NPU of this driver" : "another driver's device";
}

void device_probe_nodes(void (*found)(void *user, const char *provider, const char *node,
				      const char *outcome),
			void *user)
{
	for (const struct rocket_provider *const *p = rocket_providers(); *p; p++)
		for (const char *const *pattern = (*p)->node_globs; *pattern; pattern++) {
			glob_t nodes;

			if (glob(*pattern, 0, NULL, &nodes)) {
				found(user, (*p)->name, *pattern, "does not exist");
				continue;
			}
			for (size_t i = 0; i < nodes.gl_pathc; i++)
				found(user, (*p)->name, nodes.gl_pathv[i],
				      probe(*p, nodes.gl_pathv[i]));
			globfree(&nodes);
		}
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* kernel_linux.c - the real system calls behind struct rocket_kernel. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profile.h"
#include "provider.h"

static int linux_open(const char *node)
{
	return open(node, O_RDWR | O_CLOEXEC);
}

static int linux_ioctl(int fd, unsigned long request, void *arg)
{
	int r;

	do
		r = ioctl(fd, request, arg);
	while (r < 0 && errno == EINTR);
	return r;
}

void *rocket_linux_mmap(int fd, size_t length, uint64_t offset)
{
	return mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
}

int rocket_linux_munmap(int fd, void *addr, size_t length)
{
	(void)fd;
	return munmap(addr, length);
}

static long linux_param(const char *module, const char *name, long fallback)
{
	char path[192], text[32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s", module, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fallback;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return fallback;
	text[n] = 0;
	if (text[0] == 'Y' || text[0] == 'N') /* how the kernel prints a bool */
		return text[0] == 'Y';
	return strtol(text, NULL, 0);
}

/* The vendor's driver is bound to one node that has all cores. */
static void identify_vendor(char chip[16], unsigned *cores)
{
	unsigned nodes;

	rocket_sysfs_identify("", "RKNPU", chip, &nodes);
	if (nodes)
		*cores = !strcmp(chip, "rk3588") ? 3 : !strcmp(chip, "rk3576") ? 2 : 1;
}

static void linux_identify(int fd, char chip[16], unsigned *cores)
{
	(void)fd; /* the accel node hangs on a facade device without a device tree node */
	rocket_sysfs_identify("", "rocket", chip, cores);
	if (!*cores)
		identify_vendor(chip, cores);
}

const struct rocket_kernel rocket_kernel_linux = {
	.name = "linux",
	.open = linux_open,
	.close = close,
	.ioctl = linux_ioctl,
	.mmap = rocket_linux_mmap,
	.munmap = rocket_linux_munmap,
	.param = linux_param,
	.identify = linux_identify,
};

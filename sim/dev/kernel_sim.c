// SPDX-License-Identifier: LGPL-2.1-or-later
/* kernel_sim.c - the simulated device behind struct rocket_kernel. */
#include <errno.h>
#include <stdio.h>

#include "lib/core/provider.h"
#include "sim_dev.h"

static int sim_ioctl_restarting(int fd, unsigned long request, void *arg)
{
	int r;

	do
		r = sim_dev_ioctl(fd, request, arg);
	while (r < 0 && errno == EINTR);
	return r;
}

static void sim_identify(int fd, char chip[16], unsigned *cores)
{
	const struct npu_chip *c = sim_dev_chip(fd);

	snprintf(chip, 16, "%s", c ? c->name : "");
	*cores = c ? c->cores : 0;
}

const struct rocket_kernel rocket_kernel_sim = {
	.name = "sim",
	.open = sim_dev_open,
	.close = sim_dev_close,
	.ioctl = sim_ioctl_restarting,
	.mmap = sim_dev_mmap,
	.munmap = sim_dev_munmap,
	.param = sim_dev_param,
	.identify = sim_identify,
	.simulated = true,
	.is_hung = sim_dev_is_hung,
	.open_reason = sim_dev_open_reason,
};

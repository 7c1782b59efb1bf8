// SPDX-License-Identifier: LGPL-2.1-or-later
#include "node.h"

#include "sim/dev/sim_dev.h"

const struct node_calls node_calls_sim = {
	.in_process = true,
	.open = sim_dev_open,
	.close = sim_dev_close,
	.ioctl = sim_dev_ioctl,
	.mmap = sim_dev_mmap,
	.munmap = sim_dev_munmap,
	.param = sim_dev_param,
	.param_set = sim_dev_param_set,
};

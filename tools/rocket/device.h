/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * device.h - the device ROCKET_DEVICE names, or what there is to choose from.
 */
#ifndef TOOLS_ROCKET_DEVICE_H
#define TOOLS_ROCKET_DEVICE_H

#include <stdbool.h>

#include "lib/core/device.h"
#include "sim/npu/npu.h"

#include "command.h"

struct device {
	int fd;
	bool simulated;
	struct rocket_device_info info;
	char why[512]; /* it could not be opened */
};

/* EXIT_RIGHT, or said why not and the code to leave with. */
int device_open(struct device *device, const struct command *command, bool json);
void device_close(struct device *device);

/* What the simulated device has counted since the reset; false where nothing counts. */
void device_counters_reset(const struct device *device);
bool device_counters(const struct device *device, struct npu_counters *counters);

/* Exit code that stands for a negative enum rocket_status. */
int device_exit_code(int status);

/* The i-th value of ROCKET_DEVICE that asks for a simulated device; NULL past the last. */
const char *device_simulated_name(unsigned i);

/* The driver that ROCKET_DEVICE names; "rocket" where it names none. */
const char *device_driver_wanted(void);

/* ROCKET_DEVICE asks for the simulated device, well spelt or not. */
bool device_simulator_wanted(void);

/* Call back for every node that a provider would try, with what came of it. */
void device_probe_nodes(void (*found)(void *user, const char *provider, const char *node,
				      const char *outcome),
			void *user);

#endif

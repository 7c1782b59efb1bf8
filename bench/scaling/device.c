// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

const char *const scaling_dispatch_names[] = { "chain", "task" };

static const struct scaling_driver *const drivers[] = { &scaling_rocket, &scaling_rknpu };

enum scaling_program scaling_programs_of(const struct scaling_device *dev, unsigned cores)
{
	if (dev->dispatch == SCALING_TASK)
		return SCALING_ALONE;
	return cores == 1 ? SCALING_ONE_LANE : SCALING_THREE_LANES;
}

/* ---- which dispatch ---- */

/* The simulated driver of the vendor's interface has either scheduler; it is chosen at the open. */
static bool sim_has_lanes(void)
{
	const char *sched = getenv("ROCKET_SIM_SCHED");

	return sched && !strncmp(sched, "lanes", 5);
}

static void choose_sim_scheduler(const enum scaling_dispatch *wanted)
{
	if (wanted && (*wanted == SCALING_TASK) != sim_has_lanes())
		setenv("ROCKET_SIM_SCHED", *wanted == SCALING_TASK ? "lanes" : "vendor", 1);
}

static int choose_dispatch(struct scaling_device *dev, const enum scaling_dispatch *wanted)
{
	enum scaling_dispatch best = SCALING_CHAIN;

	if (dev->driver == &scaling_rocket && !dev->info.caps.batched)
		best = SCALING_TASK;
	if (dev->driver == &scaling_rknpu && dev->simulated && sim_has_lanes())
		best = SCALING_TASK;
	dev->dispatch = wanted ? *wanted : best;
	if (dev->dispatch == SCALING_CHAIN && best == SCALING_TASK) {
		fprintf(stderr, "core_scaling: driver %s has no chains\n",
			dev->info.driver_version);
		return ROCKET_E_UNSUPPORTED;
	}
	return 0;
}

/* ---- open ---- */

static int find_driver(struct scaling_device *dev)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (!strcmp(drivers[i]->name, dev->info.provider))
			dev->driver = drivers[i];
	if (!dev->driver)
		fprintf(stderr, "core_scaling: no way to submit with provider %s\n",
			dev->info.provider);
	return dev->driver ? 0 : ROCKET_E_UNSUPPORTED;
}

static int check_chip(const struct scaling_device *dev)
{
	if ((!*dev->info.chip || !strcmp(dev->info.chip, "rk3588")) &&
	    (!dev->info.cores || dev->info.cores >= SCALING_CORES))
		return 0;
	fprintf(stderr, "core_scaling: %s with %u cores: an RK3588 with its three is needed\n",
		dev->info.chip, dev->info.cores);
	return ROCKET_E_UNSUPPORTED;
}

static int open_one(struct scaling_device *dev)
{
	int fd = rocket_open();

	if (fd < 0)
		return ROCKET_E_DEVICE;
	dev->fds[dev->n_fds] = fd;
	dev->state[dev->n_fds] = rocket_device_get(fd, "core_scaling");
	dev->n_fds++;
	return dev->state[dev->n_fds - 1] ? 0 : ROCKET_E_DEVICE;
}

int scaling_device_open(struct scaling_device *dev, const enum scaling_dispatch *wanted)
{
	int r;

	memset(dev, 0, sizeof(*dev));
	choose_sim_scheduler(wanted);
	r = open_one(dev);
	if (!r)
		r = rocket_device_info(dev->fds[0], &dev->info);
	if (!r)
		r = find_driver(dev);
	if (!r)
		r = check_chip(dev);
	while (!r && dev->n_fds < dev->driver->fds)
		r = open_one(dev);
	if (!r) {
		dev->simulated = dev->state[0]->node.kernel->simulated;
		r = choose_dispatch(dev, wanted);
	}
	if (r)
		scaling_device_close(dev);
	return r;
}

void scaling_device_close(struct scaling_device *dev)
{
	for (unsigned i = 0; i < dev->n_fds; i++) {
		if (dev->state[i])
			rocket_device_put(dev->state[i]);
		rocket_close(dev->fds[i]);
	}
	dev->n_fds = 0;
}

/* ---- a batch ---- */

int scaling_work_make(struct scaling_work *w, const struct scaling_device *dev,
		      const struct scaling_batch *b)
{
	int r = 0;

	*w = (struct scaling_work){ .device = dev, .batch = b };
	while (w->n_images < dev->n_fds && !r) {
		r = scaling_image_make(&w->images[w->n_images], b, dev->fds[w->n_images]);
		w->n_images += !r;
	}
	if (!r)
		r = dev->driver->prepare(w);
	if (r)
		scaling_work_free(w);
	return r;
}

void scaling_work_free(struct scaling_work *w)
{
	if (w->priv)
		w->device->driver->release(w);
	while (w->n_images)
		scaling_image_free(&w->images[--w->n_images]);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * device.h - a batch on a device: what a blocking submit is with either driver.
 *
 *   rknpu   one SUBMIT of the whole batch: a core mask, and a range of tasks for each core
 *   rocket  it has no such call: a SUBMIT for each core, of an fd of its own, and the wait for all;
 *           each fd has its own copy of the batch, since memory is the fd's
 */
#ifndef BENCH_SCALING_DEVICE_H
#define BENCH_SCALING_DEVICE_H

#include "batch.h"
#include "lib/core/device.h"

/* What starts a task on its core. */
enum scaling_dispatch {
	SCALING_CHAIN, /* the program before it: one kick for the tasks of a core */
	SCALING_TASK,  /* the driver: a kick for each */
};
extern const char *const scaling_dispatch_names[]; /* "chain", "task" */

struct scaling_driver;

struct scaling_device {
	const struct scaling_driver *driver;
	struct rocket_device_info info;
	struct rocket_device *state[SCALING_CORES];
	int fds[SCALING_CORES];
	unsigned n_fds;
	bool simulated;
	enum scaling_dispatch dispatch;
};

/* A batch on it. */
struct scaling_work {
	const struct scaling_device *device;
	const struct scaling_batch *batch;
	struct scaling_image images[SCALING_CORES]; /* by fd */
	unsigned n_images;
	void *priv; /* the driver's */
};

struct scaling_driver {
	const char *name;
	unsigned fds;
	bool per_task; /* it can tell the interrupt status of tasks */
	/* 0 or a negative errno or status, said. */
	int (*prepare)(struct scaling_work *w);
	void (*release)(struct scaling_work *w);
	/* All tasks on so many cores; *ns is the blocking submit and nothing else. */
	int (*run)(struct scaling_work *w, unsigned cores, uint64_t *ns);
	int (*run_alone)(struct scaling_work *w, uint32_t task);
	/* The status that was stored for task by the run before; 0: none. */
	uint32_t (*status)(const struct scaling_work *w, uint32_t task);
	/* The image that holds the result of task after it ran on so many cores. */
	const struct scaling_image *(*result)(const struct scaling_work *w, unsigned cores,
					      uint32_t task);
};
extern const struct scaling_driver scaling_rocket, scaling_rknpu;

/* The device that ROCKET_DEVICE names; wanted NULL: the dispatch is the driver's best. 0, or what
 * was said. */
int scaling_device_open(struct scaling_device *dev, const enum scaling_dispatch *wanted);
void scaling_device_close(struct scaling_device *dev);

int scaling_work_make(struct scaling_work *w, const struct scaling_device *dev,
		      const struct scaling_batch *b);
void scaling_work_free(struct scaling_work *w);

/* The programs of a run on so many cores. */
enum scaling_program scaling_programs_of(const struct scaling_device *dev, unsigned cores);

#endif

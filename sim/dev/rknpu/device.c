// SPDX-License-Identifier: LGPL-2.1-or-later
/* device.c - the vendor's driver: its state, its worker, its files. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rknpu.h"

/* Where kernels of this architecture have their objects. */
#define FIRST_OBJECT 0xffffff8100000000ull

/* "0.9.6" is 906. */
static bool parse_version(const char *text, unsigned *version)
{
	unsigned major, minor, patch;
	char rest;

	if (sscanf(text, "%u.%u.%u%c", &major, &minor, &patch, &rest) != 3 || major || minor > 9 ||
	    patch > 9)
		return false;
	*version = minor * 100 + patch;
	return *version >= 800 && *version <= RKNPU_VERSION_NEWEST;
}

static int start_worker(struct sim_rknpu *r)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are for the application's threads */
	err = pthread_create(&r->worker, NULL, rknpu_worker, r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}

/* "vendor", "lanes", or "lanes:N" where a waiting job is passed over N times at most. */
static bool parse_sched(const char *text, bool *lanes, struct core_sched_options *options)
{
	char *end;
	unsigned long bound;

	*lanes = text && !strncmp(text, "lanes", 5);
	if (!text || !*text || !strcmp(text, "vendor") || !strcmp(text, "lanes"))
		return true;
	if (strncmp(text, "lanes:", 6) || text[6] < '0' || text[6] > '9')
		return false;
	bound = strtoul(text + 6, &end, 10);
	options->most_bypasses = (uint32_t)bound;
	return !*end && bound >= 1 && bound <= 1000000;
}

static int start(struct sim_device *dev, char *reason)
{
	struct core_sched_options options = { .cores = dev->chip->cores };
	const char *sched = getenv("ROCKET_SIM_SCHED");
	struct sim_rknpu *r;
	bool lanes;
	int err;

	if (!parse_sched(sched, &lanes, &options)) {
		snprintf(reason, SIM_REASON_MAX,
			 "ROCKET_SIM_SCHED=%.80s is not vendor, lanes or lanes:N", sched);
		return EINVAL;
	}
	r = calloc(1, sizeof(*r));
	if (!r)
		return ENOMEM;
	r->dev = dev;
	r->lanes = lanes;
	r->next_object = FIRST_OBJECT;
	err = -sim_space_init(&r->space);
	if (err)
		goto err_free;
	r->space.top_down = true;
	r->memory = (struct npu_memory){ .map = sim_space_map, .ctx = &r->space };
	err = -core_sched_init(&r->sched, &options, r->slots, RKNPU_JOBS_MAX);
	if (err)
		goto err_space;
	pthread_cond_init(&r->kick, NULL);
	dev->rknpu = r;
	err = start_worker(r);
	if (!err)
		return 0;
	dev->rknpu = NULL;
	pthread_cond_destroy(&r->kick);
err_space:
	sim_space_fini(&r->space);
err_free:
	free(r);
	return err;
}

static void stop(struct sim_device *dev)
{
	struct sim_rknpu *r = dev->rknpu;

	pthread_mutex_lock(&dev->lock);
	r->stop = true;
	pthread_cond_signal(&r->kick);
	pthread_mutex_unlock(&dev->lock);
	pthread_join(r->worker, NULL);
	pthread_cond_destroy(&r->kick);
	sim_space_fini(&r->space);
	free(r);
}

/* One window for all files, and so one list of what may not be unmapped yet. */
static void attach(struct sim_device *dev, struct sim_file *file)
{
	struct sim_rknpu *r = dev->rknpu;

	pthread_mutex_lock(&dev->lock);
	file->dev = dev;
	file->space = &r->space;
	file->reaper = &r->reaper;
	file->next_sched = dev->files;
	dev->files = file;
	pthread_mutex_unlock(&dev->lock);
}

static void detach(struct sim_file *file)
{
	struct sim_device *dev = file->dev;

	pthread_mutex_lock(&dev->lock);
	rknpu_detach(file);
	for (struct sim_file **p = &dev->files; *p; p = &(*p)->next_sched)
		if (*p == file) {
			*p = file->next_sched;
			break;
		}
	pthread_mutex_unlock(&dev->lock);
}

const struct sim_abi sim_abi_rknpu = {
	.driver = "rknpu",
	.versions = "0.8.0 to 0.9.8",
	.newest = RKNPU_VERSION_NEWEST,
	.parse_version = parse_version,
	.start = start,
	.stop = stop,
	.core_main = rknpu_core_main,
	.attach = attach,
	.detach = detach,
	.ioctl = rknpu_ioctl,
	.is_hung = rknpu_is_hung,
};

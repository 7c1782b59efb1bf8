// SPDX-License-Identifier: LGPL-2.1-or-later
/* device.c - the device behind any driver: its settings, its cores and their threads. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

#define TIMEOUT_MS 500 /* the rocket driver's job timeout [source: rocket_job.c] */

static void *no_memory(void *ctx, uint32_t iova, uint32_t *len, bool write)
{
	(void)ctx, (void)iova, (void)len, (void)write;
	return NULL;
}

static void *core_thread(void *arg)
{
	struct sim_core *core = arg;
	struct sim_device *dev = core->dev;

	pthread_mutex_lock(&dev->lock);
	dev->abi->core_main(core);
	pthread_mutex_unlock(&dev->lock);
	return NULL;
}

static int start_core(struct sim_device *dev, unsigned index)
{
	static const struct npu_memory nothing = { .map = no_memory };
	struct npu_core_options options = {
		.quirks = dev->quirks,
		.report = dev->trace ? sim_trace_line : NULL,
		.trace = dev->trace ? sim_trace_line : NULL,
		.ctx = dev,
	};
	struct sim_core *core = &dev->cores[index];
	pthread_condattr_t monotonic;
	int err;

	core->dev = dev;
	core->index = index;
	core->npu = npu_core_new(dev->chip, index, &nothing, &options);
	if (!core->npu)
		return ENOMEM;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&core->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	err = pthread_create(&core->thread, NULL, core_thread, core);
	if (err) {
		pthread_cond_destroy(&core->wake);
		npu_core_free(core->npu);
	}
	return err;
}

static int start_cores(struct sim_device *dev)
{
	sigset_t all, old;
	int err = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are for the application's threads */
	while (dev->n_cores < dev->chip->cores && dev->n_cores < SIM_MAX_CORES && !err) {
		err = start_core(dev, dev->n_cores);
		dev->n_cores += !err;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}

static int configure(struct sim_device *dev, char reason[SIM_REASON_MAX])
{
	const char *quirks = getenv("ROCKET_SIM_QUIRKS"),
		   *timeout = getenv("ROCKET_SIM_TIMEOUT_MS");
	const char *trace = getenv("ROCKET_SIM_TRACE"), *driver = getenv("ROCKET_SIM_DRIVER");
	char bad[64], *end;

	dev->timeout_ms = TIMEOUT_MS;
	dev->driver = dev->abi->newest;
	if (trace && !strcmp(trace, "-")) {
		dev->trace = stderr;
	} else if (trace && *trace) {
		dev->trace = fopen(trace, "ae");
		dev->close_trace = true;
		if (!dev->trace) {
			snprintf(reason, SIM_REASON_MAX, "ROCKET_SIM_TRACE=%.80s: %s", trace,
				 strerror(errno));
			return EINVAL;
		}
	}
	if (quirks && npu_quirks_parse(quirks, &dev->quirks, bad, sizeof(bad))) {
		snprintf(reason, SIM_REASON_MAX, "ROCKET_SIM_QUIRKS: there is no quirk \"%s\"",
			 bad);
		return EINVAL;
	}
	if (driver && *driver && !dev->abi->parse_version(driver, &dev->driver)) {
		snprintf(reason, SIM_REASON_MAX, "ROCKET_SIM_DRIVER=%.80s is not %s", driver,
			 dev->abi->versions);
		return EINVAL;
	}
	if (timeout && *timeout) {
		long v = strtol(timeout, &end, 10);

		if (*end || v < 1 || v > 60000) {
			snprintf(reason, SIM_REASON_MAX,
				 "ROCKET_SIM_TIMEOUT_MS=%.80s is not 1 to 60000", timeout);
			return EINVAL;
		}
		dev->timeout_ms = (unsigned)v;
	}
	return 0;
}

/* End the threads of the device. */
static void stop(struct sim_device *dev)
{
	pthread_mutex_lock(&dev->lock);
	dev->stop = true;
	for (unsigned i = 0; i < dev->n_cores; i++)
		pthread_cond_signal(&dev->cores[i].wake);
	pthread_mutex_unlock(&dev->lock);
	for (unsigned i = 0; i < dev->n_cores; i++) {
		pthread_join(dev->cores[i].thread, NULL);
		pthread_cond_destroy(&dev->cores[i].wake);
		npu_core_free(dev->cores[i].npu);
	}
	dev->abi->stop(dev);
}

static void destroy(struct sim_device *dev)
{
	if (dev->close_trace && dev->trace)
		fclose(dev->trace);
	pthread_cond_destroy(&dev->idle);
	pthread_mutex_destroy(&dev->trace_lock);
	pthread_mutex_destroy(&dev->lock);
	free(dev);
}

struct sim_device *sim_device_new(const struct sim_abi *abi, const struct npu_chip *chip,
				  char reason[SIM_REASON_MAX])
{
	struct sim_device *dev = calloc(1, sizeof(*dev));
	int err;

	if (!dev) {
		errno = ENOMEM;
		return NULL;
	}
	dev->abi = abi;
	dev->chip = chip;
	pthread_mutex_init(&dev->lock, NULL);
	pthread_mutex_init(&dev->trace_lock, NULL);
	pthread_cond_init(&dev->idle, NULL);
	err = configure(dev, reason);
	if (!err)
		err = abi->start(dev, reason);
	if (err)
		goto out;
	err = start_cores(dev);
	if (!err)
		return dev;
	stop(dev);
out:
	destroy(dev);
	errno = err;
	return NULL;
}

void sim_device_free(struct sim_device *dev)
{
	stop(dev);
	destroy(dev);
}

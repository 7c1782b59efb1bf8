// SPDX-License-Identifier: LGPL-2.1-or-later
/* log.c - what the simulated driver says, and its module parameters. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#include "device.h"

void sim_log(struct sim_device *dev, const char *fmt, ...)
{
	FILE *f = dev->trace ? dev->trace : stderr;
	va_list ap;

	pthread_mutex_lock(&dev->trace_lock);
	fputs("rocket-sim: ", f);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fputc('\n', f);
	fflush(f);
	pthread_mutex_unlock(&dev->trace_lock);
}

void sim_trace_line(void *ctx, const char *line)
{
	struct sim_device *dev = ctx;

	if (!dev->trace)
		return;
	pthread_mutex_lock(&dev->trace_lock);
	fprintf(dev->trace, "%s\n", line);
	fflush(dev->trace);
	pthread_mutex_unlock(&dev->trace_lock);
}

static struct param {
	const char *name;
	atomic_long value;
	long min, max; /* what the driver takes */
} params[] = {
	{ "rocket_batch_submit", 1, INT_MIN, INT_MAX }, /* 0: jobs flagged BATCHED are refused */
	{ "rocket_max_jobs", 1024, 1024, INT_MAX / 2 }, /* unfinished ones of a file */
	{ "job_timeout_ms", 500, 1, 0 },                /* cannot be set: the device's */
};

static struct param *find_param(const char *name)
{
	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++)
		if (!strcmp(name, params[i].name))
			return &params[i];
	return NULL;
}

long sim_param(const char *name, long fallback)
{
	struct param *p = find_param(name);

	return p ? atomic_load(&p->value) : fallback;
}

void sim_param_store(const char *name, long value)
{
	atomic_store(&find_param(name)->value, value);
}

long sim_dev_param(const char *module, const char *name, long fallback)
{
	return strcmp(module, "rocket") ? fallback : sim_param(name, fallback);
}

int sim_dev_param_set(const char *module, const char *name, long value)
{
	struct param *p = strcmp(module, "rocket") ? NULL : find_param(name);

	if (!p || value < p->min || value > p->max) {
		errno = p ? EINVAL : ENOENT;
		return -1;
	}
	atomic_store(&p->value, value);
	return 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* core.c - the cores: one thread each, and the driver's way of running a job on one. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "drm/rocket_accel.h"

#define TIMEOUT_MS 500 /* the driver's job timeout [source: rocket_job.c] */

/* Offsets in a core's window, by CPU [source: rocket_job.c]. */
enum {
	PC_OPERATION_ENABLE = 0x0008,
	PC_BASE_ADDRESS = 0x0010,
	PC_REGISTER_AMOUNTS = 0x0014,
	PC_INTERRUPT_MASK = 0x0020,
	PC_INTERRUPT_CLEAR = 0x0024,
	PC_TASK_CON = 0x0030,
	PC_TASK_DMA_BASE_ADDR = 0x0034,
	CNA_S_POINTER = 0x1004,
	CORE_S_POINTER = 0x3004,
};

#define MASK_DPU       0x300u
#define MASK_PPU       0xc00u
#define CLEAR_ALL      0x1ffffu
#define S_POINTER      0xeu /* both ping-pong enables, mode */
#define TASK_CON_FLAGS 0x7u /* reserved bit 0, COUNT_CLEAR, PP_EN above TASK_NUMBER */

/* ---- one kick ---- */

/* One kick: a task, or a chain of them; mask has the bits that end it. */
struct kick {
	const struct sim_task *task;
	uint32_t n_tasks, mask;
};

static void program_kick(const struct sim_core *core, const struct kick *k)
{
	uint32_t pointer = S_POINTER | core->index << 28;
	const struct {
		uint32_t offset, value;
	} writes[] = {
		{ PC_BASE_ADDRESS, 1 }, /* slave mode, so that the next two reach their blocks */
		{ CNA_S_POINTER, pointer },
		{ CORE_S_POINTER, pointer },
		{ PC_BASE_ADDRESS, k->task->regcmd },
		{ PC_REGISTER_AMOUNTS, ((k->task->regcmd_count + 1) / 2 - 1) & 0xffff },
		{ PC_INTERRUPT_MASK, k->mask },
		{ PC_INTERRUPT_CLEAR, k->mask },
		{ PC_TASK_CON, TASK_CON_FLAGS << core->dev->chip->task_number_bits | k->n_tasks },
		{ PC_TASK_DMA_BASE_ADDR, 0 },
		{ PC_OPERATION_ENABLE, 1 },
	};

	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++)
		npu_core_write(core->npu, writes[i].offset, writes[i].value);
}

static void acknowledge(const struct sim_core *core)
{
	npu_core_write(core->npu, PC_INTERRUPT_MASK, 0);
	npu_core_write(core->npu, PC_OPERATION_ENABLE, 0);
	npu_core_write(core->npu, PC_INTERRUPT_CLEAR, CLEAR_ALL);
}

/* Run one kick. False when its interrupt did not come: why says what happened. */
static bool run_kick(const struct sim_core *core, const struct kick *k, struct npu_result *res,
		     char *why, size_t why_size)
{
	program_kick(core, k);
	memset(res, 0, sizeof(*res));
	npu_core_run(core->npu, res);
	if (res->verdict == NPU_DONE && npu_core_irq(core->npu)) {
		acknowledge(core);
		return true;
	}
	if (res->verdict == NPU_DONE)
		snprintf(why, why_size,
			 "it ended with status %#" PRIx32 ", outside the interrupt mask %#x",
			 res->raw_status, k->mask);
	else
		snprintf(why, why_size, "%s: %s", res->block,
			 res->verdict == NPU_IDLE ? "nothing started" : res->reason);
	return false;
}

/* ---- one job ---- */

static void count(struct sim_file *file, const struct npu_counters *c)
{
	sim_counters_add(&file->counters, c);
	sim_count_device(c);
}

/*
 * The hardware says nothing about a job that hangs or faults: the scheduler's timeout
 * retires it. The wait ends early when its file goes away. Called with the lock held.
 */
static void wait_for_timeout(struct sim_core *core)
{
	struct sim_device *dev = core->dev;
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += dev->timeout_ms / 1000;
	until.tv_nsec += dev->timeout_ms % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_nsec -= 1000000000L;
		until.tv_sec++;
	}
	while (!core->running->dying &&
	       pthread_cond_timedwait(&core->wake, &dev->lock, &until) != ETIMEDOUT)
		;
}

/* Run job to its end. False when it failed. Called and returns with the lock held. */
static bool run_tasks(struct sim_core *core, const struct sim_job *job)
{
	struct sim_device *dev = core->dev;
	struct sim_file *file = job->file;
	bool batched = job->flags & DRM_ROCKET_JOB_BATCHED;
	uint32_t kicks = batched ? 1 : job->n_tasks;

	for (uint32_t i = 0; i < kicks; i++) {
		const struct kick kick = {
			.task = &job->tasks[i],
			.n_tasks = batched ? job->n_tasks : 1,
			.mask = job->flags & DRM_ROCKET_JOB_PPU_DONE ? MASK_PPU : MASK_DPU,
		};
		struct npu_result res;
		char why[224] = "";
		bool closed, done;

		if (file->dying)
			return false;
		pthread_mutex_unlock(&dev->lock);
		done = run_kick(core, &kick, &res, why, sizeof(why));
		pthread_mutex_lock(&dev->lock);
		count(file, &res.counters);
		if (done)
			continue;
		wait_for_timeout(core);
		closed = file->dying;
		pthread_mutex_unlock(&dev->lock);
		sim_log(dev,
			"NPU job timed out: job %" PRIu64 " of fd %d, core %u, task %" PRIu32
			" of %" PRIu32 ": %s; %s",
			job->id, file->opened_as, core->index, batched ? res.task : i, job->n_tasks,
			why, closed ? "its file was closed" : "core reset");
		npu_core_reset(core->npu);
		pthread_mutex_lock(&dev->lock);
		return false;
	}
	return true;
}

static void run_job(struct sim_core *core, struct sim_job *job)
{
	struct sim_file *file = job->file;
	bool done;

	core->running = file;
	file->running = true;
	npu_core_set_memory(core->npu, &file->memory);
	npu_core_new_job(core->npu);
	sim_job_inherit(job);
	done = run_tasks(core, job);
	file->running = false;
	core->running = NULL;
	sim_sched_finish(job, !done);
	sim_gem_reap(file);
	pthread_cond_broadcast(&core->dev->idle);
}

static void *core_thread(void *arg)
{
	struct sim_core *core = arg;
	struct sim_device *dev = core->dev;

	pthread_mutex_lock(&dev->lock);
	while (!dev->stop) {
		struct sim_job *job = sim_sched_next(core);

		if (job)
			run_job(core, job);
		else
			pthread_cond_wait(&core->wake, &dev->lock);
	}
	pthread_mutex_unlock(&dev->lock);
	return NULL;
}

/* ---- the device ---- */

static void *no_memory(void *ctx, uint32_t iova, uint32_t *len, bool write)
{
	(void)ctx, (void)iova, (void)len, (void)write;
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

/* "0.0", the stock driver's, or "1.0" to the newest. */
static bool parse_driver(const char *text, unsigned *driver)
{
	unsigned v = SIM_DRIVER_NEWEST + 1;

	if (strlen(text) == 3 && (text[0] == '0' || text[0] == '1') && text[1] == '.' &&
	    text[2] >= '0' && text[2] <= '9')
		v = (unsigned)(text[0] - '0') * 10 + (unsigned)(text[2] - '0');
	if (v > SIM_DRIVER_NEWEST || (v && v < SIM_DRIVER_GROWING))
		return false;
	*driver = v;
	return true;
}

static int configure(struct sim_device *dev, char reason[SIM_REASON_MAX])
{
	const char *quirks = getenv("ROCKET_SIM_QUIRKS"),
		   *timeout = getenv("ROCKET_SIM_TIMEOUT_MS");
	const char *trace = getenv("ROCKET_SIM_TRACE"), *driver = getenv("ROCKET_SIM_DRIVER");
	char bad[64], *end;

	dev->timeout_ms = TIMEOUT_MS;
	dev->driver = SIM_DRIVER_NEWEST;
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
	if (driver && *driver && !parse_driver(driver, &dev->driver)) {
		snprintf(reason, SIM_REASON_MAX,
			 "ROCKET_SIM_DRIVER=%.80s is not 0.0, or 1.0 to %d.%d", driver,
			 SIM_DRIVER_NEWEST / 10, SIM_DRIVER_NEWEST % 10);
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
	sim_param_store("job_timeout_ms", dev->timeout_ms);
	return 0;
}

struct sim_device *sim_device_new(const struct npu_chip *chip, char reason[SIM_REASON_MAX])
{
	struct sim_device *dev = calloc(1, sizeof(*dev));
	int err;

	if (!dev) {
		errno = ENOMEM;
		return NULL;
	}
	dev->chip = chip;
	pthread_mutex_init(&dev->lock, NULL);
	pthread_mutex_init(&dev->trace_lock, NULL);
	pthread_cond_init(&dev->idle, NULL);
	err = configure(dev, reason);
	if (!err)
		err = start_cores(dev);
	if (!err)
		return dev;
	sim_device_free(dev);
	errno = err;
	return NULL;
}

void sim_device_free(struct sim_device *dev)
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
	if (dev->close_trace && dev->trace)
		fclose(dev->trace);
	pthread_cond_destroy(&dev->idle);
	pthread_mutex_destroy(&dev->trace_lock);
	pthread_mutex_destroy(&dev->lock);
	free(dev);
}

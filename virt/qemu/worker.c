// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * worker.c - the thread that runs an engine, and the guest's clock while it does.
 *
 * A run that falls too far behind the guest's time holds the whole machine, so that the
 * guest sees a slow host as no time at all.
 */
#include "qemu/osdep.h"

#include "device.h"
#include "qemu/main-loop.h"
#include "qemu/rcu.h"
#include "system/runstate.h"

static void *work(void *opaque)
{
	RocketCore *rc = opaque;

	rcu_register_thread();
	qemu_mutex_lock(&rc->lock);
	for (;;) {
		while (rc->run != RUN_GOES)
			qemu_cond_wait(&rc->change, &rc->lock);
		qemu_mutex_unlock(&rc->lock);
		npu_core_run(rc->core.engine, &rc->result);
		dma_finish(rc);
		qemu_mutex_lock(&rc->lock);
		rc->run = RUN_ENDED;
		qemu_cond_broadcast(&rc->change);
		qemu_bh_schedule(rc->ended);
	}
	return NULL;
}

static void give_slack(RocketCore *rc)
{
	timer_mod(rc->slack, qemu_clock_get_us(QEMU_CLOCK_REALTIME) + rc->device->slack_us);
}

void worker_run(void *ctx, struct board_core *core)
{
	RocketCore *rc = container_of(core, RocketCore, core);

	rc->began = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
	rc->run = RUN_GOES;
	rc->past = false;
	give_slack(rc);
	qemu_cond_broadcast(&rc->change);
}

static bool is_held(const RocketDevice *d)
{
	for (unsigned i = 0; i < BOARD_CORES; i++)
		if (d->cores[i].holds)
			return true;
	return false;
}

static void release(RocketCore *rc)
{
	timer_del(rc->slack);
	if (!rc->holds)
		return;
	rc->holds = false;
	if (!is_held(rc->device))
		vm_start();
}

/* The CPU ends a kick: its memory may be taken away as soon as this returns. */
void worker_stop(void *ctx, struct board_core *core)
{
	RocketCore *rc = container_of(core, RocketCore, core);

	rc->stop = true;
	qemu_cond_broadcast(&rc->change);
	while (rc->run == RUN_GOES)
		qemu_cond_wait(&rc->change, &rc->lock);
	rc->stop = false;
	rc->run = RUN_NONE;
	timer_del(rc->slack);
}

static void report_past(RocketCore *rc)
{
	soc_violation(&rc->device->soc, SOC_KIND_UNTRANSLATED, rc->past_iova,
		      "core %u reaches 0x%08x past its IOMMU", rc->core.index, rc->past_iova);
	rc->result.verdict = NPU_HUNG;
	snprintf(rc->result.reason, sizeof(rc->result.reason), "0x%08x is past the IOMMU",
		 rc->past_iova);
}

static void take_result(RocketCore *rc)
{
	int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

	rc->run = RUN_NONE;
	if (rc->past)
		report_past(rc);
	core_ran(&rc->core, &rc->result, (now - rc->began) / SCALE_US);
}

/* In the main loop, some time after a run has ended; it may have been stopped since. */
static void ended(void *opaque)
{
	RocketCore *rc = opaque;
	bool goes;

	WITH_QEMU_LOCK_GUARD(&rc->lock)
	{
		if (rc->run == RUN_ENDED)
			take_result(rc);
		goes = rc->run == RUN_GOES;
	}
	if (!goes)
		release(rc);
}

/*
 * The timer is one of the host's clock, for two reasons: a timer of the guest's cannot stop that
 * clock, and when the main loop has been away for long the host's timers run before the guest's.
 * So the run that is behind is seen before the guest gets a tick, and with it the time that passed.
 */
static void out_of_slack(void *opaque)
{
	RocketCore *rc = opaque;
	bool running, waits;

	ended(rc);
	WITH_QEMU_LOCK_GUARD(&rc->lock)
	{
		if (rc->run != RUN_GOES)
			return;
		waits = rc->waits;
	}
	running = runstate_is_running();
	/* For the CPU, or somebody else has stopped the machine. */
	if (waits || !(running || is_held(rc->device))) {
		give_slack(rc);
		return;
	}
	rc->holds = true;
	if (running)
		vm_stop(RUN_STATE_PAUSED);
}

void worker_start(RocketCore *rc)
{
	g_autofree char *name = g_strdup_printf("npu core %u", rc->core.index);

	qemu_mutex_init(&rc->lock);
	qemu_cond_init(&rc->change);
	rc->ended = qemu_bh_new(ended, rc);
	rc->slack = timer_new_us(QEMU_CLOCK_REALTIME, out_of_slack, rc);
	qemu_thread_create(&rc->thread, name, work, rc, QEMU_THREAD_DETACHED);
}

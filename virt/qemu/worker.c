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

void worker_run(void *ctx, struct board_core *core)
{
	RocketCore *rc = container_of(core, RocketCore, core);

	rc->began = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
	rc->run = RUN_GOES;
	rc->past = false;
	timer_mod(rc->slack, rc->began / SCALE_US + rc->device->slack_us);
	qemu_cond_broadcast(&rc->change);
}

static void release(RocketCore *rc)
{
	RocketDevice *d = rc->device;

	timer_del(rc->slack);
	if (!rc->holds)
		return;
	rc->holds = false;
	for (unsigned i = 0; i < BOARD_CORES; i++)
		if (d->cores[i].holds)
			return;
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

static bool is_behind(RocketCore *rc)
{
	QEMU_LOCK_GUARD(&rc->lock);
	return rc->run == RUN_GOES && !rc->waits;
}

static void hold(void *opaque)
{
	RocketCore *rc = opaque;

	if (!is_behind(rc) || rc->holds)
		return;
	rc->holds = true;
	if (runstate_is_running())
		vm_stop(RUN_STATE_PAUSED);
}

/* A timer of the guest's clock cannot stop that clock itself. */
static void out_of_slack(void *opaque)
{
	RocketCore *rc = opaque;

	qemu_bh_schedule(rc->hold);
	timer_mod(rc->slack, qemu_clock_get_us(QEMU_CLOCK_VIRTUAL) + rc->device->slack_us);
}

void worker_start(RocketCore *rc)
{
	g_autofree char *name = g_strdup_printf("npu core %u", rc->core.index);

	qemu_mutex_init(&rc->lock);
	qemu_cond_init(&rc->change);
	rc->ended = qemu_bh_new(ended, rc);
	rc->hold = qemu_bh_new(hold, rc);
	rc->slack = timer_new_us(QEMU_CLOCK_VIRTUAL, out_of_slack, rc);
	qemu_thread_create(&rc->thread, name, work, rc, QEMU_THREAD_DETACHED);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* device.h - the board's device in QEMU: three cores and what feeds them. */
#ifndef VIRT_QEMU_DEVICE_H
#define VIRT_QEMU_DEVICE_H

#include "hw/sysbus.h"
#include "qemu/lockable.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "virt/board/core.h"
#include "virt/board/soc.h"

#define TYPE_ROCKET_DEVICE "rocket-board-npu"
OBJECT_DECLARE_SIMPLE_TYPE(RocketDevice, ROCKET_DEVICE)

/* Guest memory, all of it one piece of host memory. */
struct guest_memory {
	uint64_t base, size;
	uint8_t *host;
};

enum run { RUN_NONE, RUN_GOES, RUN_ENDED };

/*
 * One core and the thread of its engine. The lock is taken after QEMU's big one, never before;
 * the thread never takes the big one.
 */
typedef struct RocketCore {
	RocketDevice *device;
	struct board_core core;
	MemoryRegion window;
	qemu_irq irq;
	QEMUTimer *timers[TIMERS];

	QemuThread thread;
	QemuMutex lock;
	QemuCond change; /* of run, stop, or a bank's stall */
	enum run run;
	bool stop;  /* the run's memory is gone */
	bool waits; /* for a stall to end */
	bool past;  /* the run reached memory past the IOMMU, or where there is none */
	uint32_t past_iova;
	struct npu_result result;
	GArray *written; /* of this run, to be told to QEMU */
	int64_t began;   /* guest time */
	QEMUBH *ended;
	QEMUTimer *slack;
	bool holds; /* the guest's clock */
} RocketCore;

struct RocketDevice {
	SysBusDevice parent;
	RocketCore cores[BOARD_CORES];
	struct soc soc;
	MemoryRegion reset_window, soc_window;
	struct guest_memory memory;
	bool full, fatal, dead;
	uint32_t slack_us;
	char *quirks;
};

/* worker.c */
void worker_start(RocketCore *rc);
/* The core's host calls these, with the lock held. */
void worker_run(void *ctx, struct board_core *core);
void worker_stop(void *ctx, struct board_core *core);

/* dma.c */
void *dma_map(void *ctx, uint32_t iova, uint32_t *len, bool write);
bool dma_read32(void *ctx, uint64_t address, uint32_t *value);
/* Tell QEMU what a run wrote. */
void dma_finish(RocketCore *rc);

#endif

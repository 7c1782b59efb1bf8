// SPDX-License-Identifier: LGPL-2.1-or-later
/* device.c - the board's registers on QEMU's bus, and what the board asks of QEMU. */
#include "qemu/osdep.h"

#include "device.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "qapi/error.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "system/runstate.h"

#define EXIT_VIOLATION 3
#define NOBODY         0xffffffffu /* what a bus reads where nothing answers */

/* ---- what a core asks for ---- */

static void core_set_timer(void *ctx, struct board_core *core, enum board_timer timer, uint32_t us)
{
	RocketCore *rc = container_of(core, RocketCore, core);

	if (us)
		timer_mod(rc->timers[timer], qemu_clock_get_us(QEMU_CLOCK_VIRTUAL) + us);
	else
		timer_del(rc->timers[timer]);
}

static void core_set_line(void *ctx, struct board_core *core, bool up)
{
	qemu_set_irq(container_of(core, RocketCore, core)->irq, up);
}

static uint32_t core_rate(void *ctx)
{
	return soc_real_hz(&((RocketCore *)ctx)->device->soc);
}

static void core_report_line(void *ctx, struct board_core *core, const char *line)
{
	fprintf(stderr, "rocket-board: core %u: %s\n", core->index, line);
}

#define TIMER(name, which)                                                                         \
	static void name(void *opaque)                                                             \
	{                                                                                          \
		RocketCore *rc = opaque;                                                           \
                                                                                                   \
		QEMU_LOCK_GUARD(&rc->lock);                                                        \
		core_timer(&rc->core, which);                                                      \
	}
TIMER(timer_done, TIMER_DONE)
TIMER(timer_later, TIMER_LATER)
TIMER(timer_bare, TIMER_BARE)
#undef TIMER

static QEMUTimerCB *const timer_calls[TIMERS] = {
	[TIMER_DONE] = timer_done,
	[TIMER_LATER] = timer_later,
	[TIMER_BARE] = timer_bare,
};

/* ---- what the system controller asks for; no core's lock is held ---- */

static void soc_set_power(void *ctx, unsigned core, bool on)
{
	RocketCore *rc = &((RocketDevice *)ctx)->cores[core];

	QEMU_LOCK_GUARD(&rc->lock);
	core_power(&rc->core, on);
}

static void soc_set_reset(void *ctx, unsigned core, uint32_t lines)
{
	RocketCore *rc = &((RocketDevice *)ctx)->cores[core];

	QEMU_LOCK_GUARD(&rc->lock);
	core_reset_lines(&rc->core, lines);
}

/* The board is dead: whatever the CPU still does before QEMU ends changes nothing. */
static void soc_report(void *ctx, const char *what)
{
	RocketDevice *d = ctx;

	if (!d->fatal) {
		qemu_log_mask(LOG_GUEST_ERROR, "rocket-board: violation: %s\n", what);
		return;
	}
	if (!d->dead)
		fprintf(stderr, "rocket-board: violation: %s\n", what);
	d->dead = true;
	qemu_system_shutdown_request_with_code(SHUTDOWN_CAUSE_GUEST_PANIC, EXIT_VIOLATION);
}

/* ---- registers ---- */

/* Whether an access gets to the core. The test page has power of its own. */
static bool reaches(RocketCore *rc, hwaddr offset, bool write)
{
	RocketDevice *d = rc->device;
	unsigned index = rc->core.index;
	uint32_t address = BOARD_CORE_BASE(index) + offset;

	if (d->dead)
		return false;
	if (!soc_powered(&d->soc, index))
		count(&rc->core.counts, TEST_MMIO_OFF);
	if (!soc_access(&d->soc, index, address, write))
		return false;
	if (core_has(&rc->core, offset))
		return true;
	soc_violation(&d->soc, SOC_KIND_NO_REGISTER, address, "%s 0x%08x, where no block answers",
		      write ? "write to" : "read of", address);
	return false;
}

static bool is_test(hwaddr offset)
{
	return offset >= BOARD_TEST_PAGE;
}

static uint64_t core_window_read(void *opaque, hwaddr offset, unsigned size)
{
	RocketCore *rc = opaque;

	if (!is_test(offset) && !reaches(rc, offset, false))
		return NOBODY;
	QEMU_LOCK_GUARD(&rc->lock);
	return is_test(offset) ? core_test_read(&rc->core, offset - BOARD_TEST_PAGE)
			       : core_read(&rc->core, offset);
}

/* Plain boards have no power domain to switch off, so the page has a switch. */
static bool write_powered(RocketCore *rc, hwaddr offset, uint32_t value)
{
	if (offset != BOARD_TEST_PAGE + TEST_POWERED)
		return false;
	soc_switch(&rc->device->soc, rc->core.index, value & 1);
	return true;
}

static void core_window_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
	RocketCore *rc = opaque;

	if (write_powered(rc, offset, value) || (!is_test(offset) && !reaches(rc, offset, true)))
		return;
	QEMU_LOCK_GUARD(&rc->lock);
	if (is_test(offset))
		core_test_write(&rc->core, offset - BOARD_TEST_PAGE, value);
	else
		core_write(&rc->core, offset, value);
	qemu_cond_broadcast(&rc->change); /* a stall may have ended */
}

static uint64_t soc_window_read(void *opaque, hwaddr offset, unsigned size)
{
	return soc_read(&((RocketDevice *)opaque)->soc, offset);
}

static void soc_window_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
	RocketDevice *d = opaque;

	if (!d->dead)
		soc_write(&d->soc, offset, value);
}

static uint64_t reset_window_read(void *opaque, hwaddr offset, unsigned size)
{
	return offset ? 0 : soc_window_read(opaque, SOC_RESETS, size);
}

static void reset_window_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
	if (!offset)
		soc_window_write(opaque, SOC_RESETS, value, size);
}

#define OPS(what)                                                                                  \
	static const MemoryRegionOps what##_ops = {                                                \
		.read = what##_read,                                                               \
		.write = what##_write,                                                             \
		.endianness = DEVICE_LITTLE_ENDIAN,                                                \
		.valid = { .min_access_size = 4, .max_access_size = 4 },                           \
		.impl = { .min_access_size = 4, .max_access_size = 4 },                            \
	}
OPS(core_window);
OPS(soc_window);
OPS(reset_window);
#undef OPS

/* ---- life ---- */

static bool realize_core(RocketDevice *d, unsigned index, const struct npu_core_options *options)
{
	RocketCore *rc = &d->cores[index];
	const struct npu_memory memory = { .map = dma_map, .ctx = rc };
	const struct mmu_memory tables = { .read32 = dma_read32, .ctx = rc };
	const struct core_host host = { .start = worker_run,
					.stop = worker_stop,
					.timer = core_set_timer,
					.line = core_set_line,
					.rate = core_rate,
					.report = core_report_line,
					.ctx = rc };

	rc->device = d;
	if (!core_init(&rc->core, index, &memory, options, &tables, &host))
		return false;
	rc->written = g_array_new(false, false, 2 * sizeof(hwaddr));
	for (unsigned t = 0; t < TIMERS; t++)
		rc->timers[t] = timer_new_us(QEMU_CLOCK_VIRTUAL, timer_calls[t], rc);
	memory_region_init_io(&rc->window, OBJECT(d), &core_window_ops, rc, "npu core",
			      BOARD_CORE_SIZE);
	sysbus_init_mmio(SYS_BUS_DEVICE(d), &rc->window);
	sysbus_init_irq(SYS_BUS_DEVICE(d), &rc->irq);
	worker_start(rc);
	return true;
}

static void device_realize(DeviceState *dev, Error **errp)
{
	RocketDevice *d = ROCKET_DEVICE(dev);
	const struct soc_host host = { soc_set_power, soc_set_reset, soc_report, d };
	struct npu_core_options options = { 0 };
	char bad[64];

	if (d->quirks && npu_quirks_parse(d->quirks, &options.quirks, bad, sizeof(bad))) {
		error_setg(errp, "quirks: there is no quirk \"%s\"", bad);
		return;
	}
	soc_init(&d->soc, d->full, d->fatal, &host);
	for (unsigned i = 0; i < BOARD_CORES; i++)
		if (!realize_core(d, i, &options)) {
			error_setg(errp, "no memory for an NPU core");
			return;
		}
	memory_region_init_io(&d->reset_window, OBJECT(d), &reset_window_ops, d, "npu resets",
			      BOARD_PAGE_SIZE);
	memory_region_init_io(&d->soc_window, OBJECT(d), &soc_window_ops, d, "npu soc",
			      BOARD_PAGE_SIZE);
	sysbus_init_mmio(SYS_BUS_DEVICE(d), &d->reset_window);
	sysbus_init_mmio(SYS_BUS_DEVICE(d), &d->soc_window);
}

static void device_reset(DeviceState *dev)
{
	RocketDevice *d = ROCKET_DEVICE(dev);

	soc_reset(&d->soc);
	for (unsigned i = 0; i < BOARD_CORES; i++) {
		QEMU_LOCK_GUARD(&d->cores[i].lock);
		core_restart(&d->cores[i].core, !d->full);
	}
}

static const Property device_properties[] = {
	DEFINE_PROP_BOOL("full", RocketDevice, full, false),
	DEFINE_PROP_BOOL("fatal", RocketDevice, fatal, true),
	DEFINE_PROP_UINT32("slack-us", RocketDevice, slack_us, 10000),
	DEFINE_PROP_STRING("quirks", RocketDevice, quirks),
};

static void device_class_init(ObjectClass *oc, void *data)
{
	DeviceClass *dc = DEVICE_CLASS(oc);

	dc->realize = device_realize;
	dc->user_creatable = false;
	dc->desc = "three NPU cores with their IOMMUs, and what feeds them";
	device_class_set_legacy_reset(dc, device_reset);
	device_class_set_props(dc, device_properties);
}

static const TypeInfo device_info = {
	.name = TYPE_ROCKET_DEVICE,
	.parent = TYPE_SYS_BUS_DEVICE,
	.instance_size = sizeof(RocketDevice),
	.class_init = device_class_init,
};

static void register_types(void)
{
	type_register_static(&device_info);
}

type_init(register_types)

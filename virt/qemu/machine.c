// SPDX-License-Identifier: LGPL-2.1-or-later
/* machine.c - the machine "rocket-board": virt, and the NPU. */
#include "qemu/osdep.h"

#include "device.h"
#include "exec/address-spaces.h"
#include "hw/arm/virt.h"
#include "hw/boards.h"
#include "hw/qdev-properties.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/module.h"
#include "target/arm/cpu-qom.h"
#include "tree.h"

#define TYPE_ROCKET_BOARD MACHINE_TYPE_NAME("rocket-board")
OBJECT_DECLARE_SIMPLE_TYPE(RocketBoard, ROCKET_BOARD)

struct RocketBoard {
	VirtMachineState parent;
	bool full, count;
	uint32_t slack_us;
	uint32_t cores, bare; /* in the device tree; the one that has no IOMMU there */
	char *quirks;
};

static void (*virt_init)(MachineState *machine);

static void add_device(RocketBoard *board)
{
	VirtMachineState *vms = VIRT_MACHINE(board);
	MachineState *machine = MACHINE(board);
	DeviceState *dev = qdev_new(TYPE_ROCKET_DEVICE);
	SysBusDevice *bus = SYS_BUS_DEVICE(dev);
	RocketDevice *d = ROCKET_DEVICE(dev);

	qdev_prop_set_bit(dev, "full", board->full);
	qdev_prop_set_bit(dev, "fatal", !board->count);
	qdev_prop_set_uint32(dev, "slack-us", board->slack_us);
	qdev_prop_set_string(dev, "quirks", board->quirks);
	d->memory = (struct guest_memory){ .base = vms->memmap[VIRT_MEM].base,
					   .size = machine->ram_size,
					   .host = memory_region_get_ram_ptr(machine->ram) };
	sysbus_realize_and_unref(bus, &error_fatal);
	for (unsigned i = 0; i < BOARD_CORES; i++) {
		sysbus_mmio_map(bus, i, BOARD_CORE_BASE(i));
		sysbus_connect_irq(bus, i, qdev_get_gpio_in(vms->gic, BOARD_CORE_SPI(i)));
	}
	sysbus_mmio_map(bus, BOARD_CORES, BOARD_RESET_BASE);
	sysbus_mmio_map(bus, BOARD_CORES + 1, BOARD_SOC_BASE);
}

static void board_init(MachineState *machine)
{
	RocketBoard *board = ROCKET_BOARD(machine);

	if (machine->ram_size > BOARD_MEMORY_MOST) {
		error_report("rocket-board takes at most %u MiB of memory: the NPU lies above",
			     BOARD_MEMORY_MOST >> 20);
		exit(1);
	}
	virt_init(machine);
	add_device(board);
	tree_add(machine->fdt, board->full, MIN(board->cores, BOARD_CORES), board->bare);
}

/* ---- options ---- */

/* An option of two words. */
static bool choose(const char *option, const char *value, const char *no, const char *yes,
		   Error **errp)
{
	if (!strcmp(value, yes))
		return true;
	if (strcmp(value, no))
		error_setg(errp, "%s is %s or %s, not \"%s\"", option, no, yes, value);
	return false;
}

static char *get_soc(Object *obj, Error **errp)
{
	return g_strdup(ROCKET_BOARD(obj)->full ? "full" : "plain");
}

static void set_soc(Object *obj, const char *value, Error **errp)
{
	ROCKET_BOARD(obj)->full = choose("soc", value, "plain", "full", errp);
}

static char *get_violations(Object *obj, Error **errp)
{
	return g_strdup(ROCKET_BOARD(obj)->count ? "count" : "fatal");
}

static void set_violations(Object *obj, const char *value, Error **errp)
{
	ROCKET_BOARD(obj)->count = choose("violations", value, "fatal", "count", errp);
}

static char *get_quirks(Object *obj, Error **errp)
{
	return g_strdup(ROCKET_BOARD(obj)->quirks);
}

static void set_quirks(Object *obj, const char *value, Error **errp)
{
	RocketBoard *board = ROCKET_BOARD(obj);

	g_free(board->quirks);
	/* A comma ends an option of -machine, so a list has other marks between its words. */
	board->quirks = g_strdelimit(g_strdup(value), "+:", ',');
}

static void board_instance_init(Object *obj)
{
	RocketBoard *board = ROCKET_BOARD(obj);

	board->slack_us = 10000;
	board->cores = BOARD_CORES;
	board->bare = BOARD_CORES;
	board->quirks = g_strdup("none");
	object_property_add_uint32_ptr(obj, "slack-us", &board->slack_us, OBJ_PROP_FLAG_READWRITE);
	object_property_add_uint32_ptr(obj, "cores", &board->cores, OBJ_PROP_FLAG_READWRITE);
	object_property_add_uint32_ptr(obj, "bare", &board->bare, OBJ_PROP_FLAG_READWRITE);
}

static void board_instance_finalize(Object *obj)
{
	g_free(ROCKET_BOARD(obj)->quirks);
}

static void board_class_init(ObjectClass *oc, void *data)
{
	MachineClass *mc = MACHINE_CLASS(oc);

	mc->desc = "ARM virtual machine with the NPU of an RK3588";
	mc->default_cpu_type = ARM_CPU_TYPE_NAME("cortex-a76");
	mc->default_nic = NULL; /* its boot ROM is not in the archive's source */
	virt_init = mc->init;
	mc->init = board_init;
	object_class_property_add_str(oc, "soc", get_soc, set_soc);
	object_class_property_set_description(oc, "soc", "plain or full: who feeds the NPU");
	object_class_property_add_str(oc, "violations", get_violations, set_violations);
	object_class_property_set_description(oc, "violations",
					      "fatal or count: what hangs a real board");
	object_class_property_add_str(oc, "quirks", get_quirks, set_quirks);
	object_class_property_set_description(oc, "quirks", "behaviours of the silicon");
}

static const TypeInfo board_info = {
	.name = TYPE_ROCKET_BOARD,
	.parent = TYPE_VIRT_MACHINE,
	.instance_size = sizeof(RocketBoard),
	.instance_init = board_instance_init,
	.instance_finalize = board_instance_finalize,
	.class_init = board_class_init,
};

static void register_types(void)
{
	type_register_static(&board_info);
}

type_init(register_types)

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rail of the NPU on boards whose power domain has no domain-supply. The boot loader leaves
 * it on and the kernel switches it off about 30 s later, as nobody uses it. A module that comes
 * after that finds a domain that cannot be powered, before its probe is even called.
 */

#include <linux/cleanup.h>
#include <linux/device.h>
#include <linux/device/bus.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/of.h>
#include <linux/of_platform.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>
#include <linux/regulator/consumer.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "rocket_rail.h"

struct rocket_rail {
	struct list_head node;
	struct device *dev;
	struct regulator *supply;
};

static const struct device_driver *rocket_rail_driver;
static DEFINE_MUTEX(rocket_rail_lock);
static LIST_HEAD(rocket_rails);

/* Whether the domain @id below @parent, or one that it is part of, has a supply. */
static bool rocket_domain_has_supply(struct device_node *parent, u32 id, bool above)
{
	for_each_child_of_node_scoped(parent, child) {
		bool here = above || of_property_present(child, "domain-supply");
		u32 reg;

		if (!of_property_read_u32(child, "reg", &reg) && reg == id)
			return here;
		if (rocket_domain_has_supply(child, id, here))
			return true;
	}

	return false;
}

static bool rocket_rail_is_the_domains(struct device *dev)
{
	struct of_phandle_args args;
	bool found;

	if (of_parse_phandle_with_args(dev->of_node, "power-domains", "#power-domain-cells", 0,
				       &args))
		return false;

	found = args.args_count == 1 && rocket_domain_has_supply(args.np, args.args[0], false);
	of_node_put(args.np);

	return found;
}

static struct rocket_rail *rocket_rail_find(struct device *dev)
{
	struct rocket_rail *rail;

	list_for_each_entry(rail, &rocket_rails, node) {
		if (rail->dev == dev)
			return rail;
	}

	return NULL;
}

static int rocket_rail_enable(struct device *dev)
{
	struct rocket_rail *rail;
	int err;

	rail = kzalloc_obj(*rail);
	if (!rail)
		return -ENOMEM;

	rail->supply = regulator_get_optional(dev, "npu");
	if (IS_ERR(rail->supply)) {
		err = PTR_ERR(rail->supply);
		goto err_free;
	}

	err = regulator_enable(rail->supply);
	if (err)
		goto err_put;

	rail->dev = get_device(dev);
	list_add(&rail->node, &rocket_rails);
	dev_info(dev, "its power domain has no domain-supply, keeping npu-supply on for it\n");

	return 0;

err_put:
	regulator_put(rail->supply);
err_free:
	kfree(rail);
	return err;
}

static void rocket_rail_take(struct device *dev)
{
	int err;

	guard(mutex)(&rocket_rail_lock);

	if (rocket_rail_find(dev) || rocket_rail_is_the_domains(dev))
		return;

	err = rocket_rail_enable(dev);
	if (err == -ENODEV)
		dev_info(dev, "no supply here or in its power domain, it needs the rail on\n");
	else if (err && err != -EPROBE_DEFER)
		dev_warn(dev, "cannot switch the NPU's rail on: %d\n", err);
}

static int rocket_rail_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	struct device *dev = data;

	if (action != BUS_NOTIFY_BIND_DRIVER || dev->driver != rocket_rail_driver)
		return NOTIFY_DONE;

	rocket_rail_take(dev);

	return NOTIFY_OK;
}

static struct notifier_block rocket_rail_nb = {
	.notifier_call = rocket_rail_notify,
};

/*
 * The driver core resumes a core's IOMMU, which is in the same domain, before it tells anyone
 * that it is about to bind the core. So what is there already is served first; the notifier is
 * for cores, and for rails, that come later.
 */
int rocket_rail_init(const struct device_driver *driver)
{
	struct platform_device *pdev;
	struct device_node *np;
	int err;

	rocket_rail_driver = driver;
	err = bus_register_notifier(&platform_bus_type, &rocket_rail_nb);
	if (err)
		return err;

	for_each_matching_node(np, driver->of_match_table) {
		pdev = of_find_device_by_node(np);
		if (!pdev)
			continue;
		rocket_rail_take(&pdev->dev);
		put_device(&pdev->dev);
	}

	return 0;
}

void rocket_rail_exit(void)
{
	struct rocket_rail *rail, *next;

	bus_unregister_notifier(&platform_bus_type, &rocket_rail_nb);

	/* Domains go off behind the drivers' backs, and need the rail for that. */
	flush_workqueue(pm_wq);

	list_for_each_entry_safe(rail, next, &rocket_rails, node) {
		list_del(&rail->node);
		regulator_disable(rail->supply);
		regulator_put(rail->supply);
		put_device(rail->dev);
		kfree(rail);
	}
}

// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/regulator/driver.h>

#include "soc.h"

#define RAIL_STEP_UV 6250

static int soc_rail_enable(struct regulator_dev *rdev)
{
	struct soc *soc = rdev_get_drvdata(rdev);

	soc_write(soc, SOC_RAIL_ON, 1);
	soc_log(soc, "rail-on", 0, 0);
	return 0;
}

static int soc_rail_disable(struct regulator_dev *rdev)
{
	struct soc *soc = rdev_get_drvdata(rdev);

	soc_log(soc, "rail-off", 0, 0);
	soc_write(soc, SOC_RAIL_ON, 0);
	return 0;
}

static int soc_rail_is_enabled(struct regulator_dev *rdev)
{
	return soc_read(rdev_get_drvdata(rdev), SOC_RAIL_ON) & 1;
}

static int soc_rail_get(struct regulator_dev *rdev)
{
	return (soc_read(rdev_get_drvdata(rdev), SOC_RAIL_UV) - SOC_RAIL_UV_LEAST) / RAIL_STEP_UV;
}

static int soc_rail_set(struct regulator_dev *rdev, unsigned int selector)
{
	struct soc *soc = rdev_get_drvdata(rdev);
	u32 uv = SOC_RAIL_UV_LEAST + selector * RAIL_STEP_UV;

	if (soc_take(&soc->knobs.fail_voltages)) {
		soc_log(soc, "uv-failed", 0, uv);
		return -EIO;
	}
	soc_log(soc, "uv", 0, uv);
	soc_write(soc, SOC_RAIL_UV, uv);
	return 0;
}

static const struct regulator_ops soc_rail_ops = {
	.enable = soc_rail_enable,
	.disable = soc_rail_disable,
	.is_enabled = soc_rail_is_enabled,
	.list_voltage = regulator_list_voltage_linear,
	.map_voltage = regulator_map_voltage_linear,
	.get_voltage_sel = soc_rail_get,
	.set_voltage_sel = soc_rail_set,
};

static const struct regulator_desc soc_rail = {
	.name = "vdd_npu",
	.of_match = "vdd-npu",
	.type = REGULATOR_VOLTAGE,
	.owner = THIS_MODULE,
	.ops = &soc_rail_ops,
	.min_uV = SOC_RAIL_UV_LEAST,
	.uV_step = RAIL_STEP_UV,
	.n_voltages = (SOC_RAIL_UV_MOST - SOC_RAIL_UV_LEAST) / RAIL_STEP_UV + 1,
};

int soc_rail_init(struct soc *soc)
{
	struct regulator_config config = { .dev = soc->dev, .driver_data = soc };

	return PTR_ERR_OR_ZERO(devm_regulator_register(soc->dev, &soc_rail, &config));
}

// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/of.h>

#include "soc.h"

static struct soc *to_soc(struct reset_controller_dev *rcdev)
{
	return container_of(rcdev, struct soc, resets);
}

static int soc_reset_assert(struct reset_controller_dev *rcdev, unsigned long id)
{
	soc_log(to_soc(rcdev), "reset", id, 1);
	soc_change(to_soc(rcdev), SOC_RESETS, 0, BIT(id));
	return 0;
}

static int soc_reset_deassert(struct reset_controller_dev *rcdev, unsigned long id)
{
	soc_change(to_soc(rcdev), SOC_RESETS, BIT(id), 0);
	soc_log(to_soc(rcdev), "reset", id, 0);
	return 0;
}

static int soc_reset_status(struct reset_controller_dev *rcdev, unsigned long id)
{
	return !!(soc_read(to_soc(rcdev), SOC_RESETS) & BIT(id));
}

static const struct reset_control_ops soc_reset_ops = {
	.assert = soc_reset_assert,
	.deassert = soc_reset_deassert,
	.status = soc_reset_status,
};

int soc_reset_init(struct soc *soc)
{
	soc->resets.owner = THIS_MODULE;
	soc->resets.ops = &soc_reset_ops;
	soc->resets.of_node = soc->dev->of_node;
	soc->resets.nr_resets = fls(SOC_RESETS_ALL);
	return devm_reset_controller_register(soc->dev, &soc->resets);
}

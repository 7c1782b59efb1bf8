// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/of.h>

#include "soc.h"

void soc_change(struct soc *soc, u32 reg, u32 clear, u32 set)
{
	unsigned long flags;

	spin_lock_irqsave(&soc->lock, flags);
	soc_write(soc, reg, (soc_read(soc, reg) & ~clear) | set);
	spin_unlock_irqrestore(&soc->lock, flags);
}

bool soc_take(u32 *knob)
{
	if (!READ_ONCE(*knob))
		return false;
	WRITE_ONCE(*knob, *knob - 1);
	return true;
}

static int soc_probe(struct platform_device *pdev)
{
	struct soc *soc = devm_kzalloc(&pdev->dev, sizeof(*soc), GFP_KERNEL);
	int ret;

	if (!soc)
		return -ENOMEM;
	soc->dev = &pdev->dev;
	spin_lock_init(&soc->lock);
	spin_lock_init(&soc->log_lock);
	soc->regs = devm_platform_ioremap_resource(pdev, 0);
	if (IS_ERR(soc->regs))
		return PTR_ERR(soc->regs);
	if (soc_read(soc, SOC_ID) != SOC_ID_VALUE)
		return dev_err_probe(soc->dev, -ENODEV, "no system controller\n");

	ret = soc_clk_init(soc);
	if (ret)
		return dev_err_probe(soc->dev, ret, "clocks\n");
	ret = soc_reset_init(soc);
	if (ret)
		return dev_err_probe(soc->dev, ret, "resets\n");
	ret = soc_rail_init(soc);
	if (ret)
		return dev_err_probe(soc->dev, ret, "rail\n");
	ret = soc_power_init(soc);
	if (ret)
		return dev_err_probe(soc->dev, ret, "power domains\n");
	soc_log_init(soc);
	return 0;
}

static const struct of_device_id soc_match[] = { { .compatible = "rocket-npu,board-soc" }, {} };
MODULE_DEVICE_TABLE(of, soc_match);

/* Its consumers hold no reference on the power domains, so it stays once it is there. */
static struct platform_driver soc_driver = {
	.probe = soc_probe,
	.driver = {
		.name = "rocket-soc",
		.of_match_table = soc_match,
		.suppress_bind_attrs = true,
	},
};
builtin_platform_driver(soc_driver);

MODULE_DESCRIPTION("Surroundings of the NPU on the virtual board of rocket-npu");
MODULE_LICENSE("GPL");

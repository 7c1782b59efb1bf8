// SPDX-License-Identifier: GPL-2.0-only
#include <linux/of.h>

#include "soc.h"

/* The bus clocks are fixed; the one that computes is the firmware's to set. */
#define SOC_BUS_HZ  198000000UL
#define SOC_PCLK_HZ 100000000UL

static const char *const soc_clk_names[SOC_CLKS] = {
	"soc_npu",   "soc_aclk0", "soc_aclk1", "soc_aclk2",
	"soc_hclk0", "soc_hclk1", "soc_hclk2", "soc_pclk",
};

static struct soc_clk *to_clk(struct clk_hw *hw)
{
	return container_of(hw, struct soc_clk, hw);
}

static int soc_clk_enable(struct clk_hw *hw)
{
	struct soc_clk *clk = to_clk(hw);

	soc_change(clk->soc, SOC_CLK_GATES, 0, BIT(clk->index));
	soc_log(clk->soc, "clk-on", clk->index, 0);
	return 0;
}

static void soc_clk_disable(struct clk_hw *hw)
{
	struct soc_clk *clk = to_clk(hw);

	soc_change(clk->soc, SOC_CLK_GATES, BIT(clk->index), 0);
	soc_log(clk->soc, "clk-off", clk->index, 0);
}

static int soc_clk_is_enabled(struct clk_hw *hw)
{
	struct soc_clk *clk = to_clk(hw);

	return !!(soc_read(clk->soc, SOC_CLK_GATES) & BIT(clk->index));
}

static unsigned long soc_bus_rate(struct clk_hw *hw, unsigned long parent)
{
	return to_clk(hw)->index == SOC_CLKS - 1 ? SOC_PCLK_HZ : SOC_BUS_HZ;
}

/* As the firmware's protocol has it: what was asked for last, not what the oscillator does. */
static unsigned long soc_npu_rate(struct clk_hw *hw, unsigned long parent)
{
	struct soc *soc = to_clk(hw)->soc;
	u32 told = READ_ONCE(soc->knobs.report_rate);

	return told ? told : soc_read(soc, SOC_CLK_REQUEST);
}

static int soc_npu_determine(struct clk_hw *hw, struct clk_rate_request *req)
{
	return 0;
}

static int soc_npu_set(struct clk_hw *hw, unsigned long rate, unsigned long parent)
{
	struct soc *soc = to_clk(hw)->soc;

	if (soc_take(&soc->knobs.fail_rates)) {
		soc_log(soc, "rate-failed", SOC_CLK_NPU, rate);
		return -EIO;
	}
	soc_write(soc, SOC_CLK_REQUEST, rate);
	if (!soc_read(soc, SOC_CLK_ACCEPTED)) {
		soc_log(soc, "rate-refused", SOC_CLK_NPU, rate);
		return -EINVAL;
	}
	soc_log(soc, "rate", SOC_CLK_NPU, rate);
	return 0;
}

static const struct clk_ops soc_bus_ops = {
	.enable = soc_clk_enable,
	.disable = soc_clk_disable,
	.is_enabled = soc_clk_is_enabled,
	.recalc_rate = soc_bus_rate,
};

static const struct clk_ops soc_npu_ops = {
	.enable = soc_clk_enable,
	.disable = soc_clk_disable,
	.is_enabled = soc_clk_is_enabled,
	.recalc_rate = soc_npu_rate,
	.determine_rate = soc_npu_determine,
	.set_rate = soc_npu_set,
};

int soc_clk_init(struct soc *soc)
{
	struct clk_hw_onecell_data *all;
	int ret;

	all = devm_kzalloc(soc->dev, struct_size(all, hws, SOC_CLKS), GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	all->num = SOC_CLKS;
	for (unsigned int i = 0; i < SOC_CLKS; i++) {
		struct clk_init_data init = {
			.name = soc_clk_names[i],
			.ops = i == SOC_CLK_NPU ? &soc_npu_ops : &soc_bus_ops,
			.flags = CLK_GET_RATE_NOCACHE,
		};

		soc->clks[i].soc = soc;
		soc->clks[i].index = i;
		soc->clks[i].hw.init = &init;
		ret = devm_clk_hw_register(soc->dev, &soc->clks[i].hw);
		if (ret)
			return ret;
		all->hws[i] = &soc->clks[i].hw;
	}
	return devm_of_clk_add_hw_provider(soc->dev, of_clk_hw_onecell_get, all);
}

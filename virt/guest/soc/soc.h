/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an RK3588 has around its NPU, for the virtual board: clocks, power domains, the rail and
 * the resets, all in one system controller whose registers the machine watches. Each does what
 * it is asked, writes it down, and leaves the judgement to the machine.
 */
#ifndef ROCKET_SOC_H
#define ROCKET_SOC_H

#include <linux/clk-provider.h>
#include <linux/io.h>
#include <linux/platform_device.h>
#include <linux/pm_domain.h>
#include <linux/reset-controller.h>
#include <linux/spinlock.h>

#include "registers.h"

#define SOC_CLKS    8
#define SOC_CLK_NPU 0
#define SOC_DOMAINS 4
#define SOC_EVENTS  4096

struct soc;

struct soc_clk {
	struct clk_hw hw;
	struct soc *soc;
	unsigned int index;
};

struct soc_domain {
	struct generic_pm_domain genpd;
	struct soc *soc;
	unsigned int index;
};

struct soc_event {
	u64 ns;
	const char *what;
	u32 id;
	u32 value;
	u16 cpu;
};

/* What tests set through debugfs; all 0 at first. */
struct soc_knobs {
	u32 fail_rates;    /* the next so many changes of the rate fail */
	u32 report_rate;   /* Hz the clock says it has, in place of the true request */
	u32 fail_voltages; /* the next so many changes of the voltage fail */
	u32 domain_us;     /* time a domain takes to come and to go */
};

struct soc {
	struct device *dev;
	void __iomem *regs;
	spinlock_t lock; /* registers that are read, changed and written */
	struct soc_clk clks[SOC_CLKS];
	struct soc_domain domains[SOC_DOMAINS];
	struct reset_controller_dev resets;
	struct soc_knobs knobs;
	spinlock_t log_lock;
	struct soc_event events[SOC_EVENTS];
	u64 logged;
	u32 late_clocks; /* clocks of a core that ran when its domain went off */
};

static inline u32 soc_read(struct soc *soc, u32 reg)
{
	return readl(soc->regs + reg);
}

static inline void soc_write(struct soc *soc, u32 reg, u32 value)
{
	writel(value, soc->regs + reg);
}

void soc_change(struct soc *soc, u32 reg, u32 clear, u32 set);
/* True while there is one to take; takes it. */
bool soc_take(u32 *knob);

void soc_log(struct soc *soc, const char *what, u32 id, u32 value);
void soc_log_init(struct soc *soc);

int soc_clk_init(struct soc *soc);
int soc_power_init(struct soc *soc);
int soc_rail_init(struct soc *soc);
int soc_reset_init(struct soc *soc);

#endif

// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/of.h>

#include "soc.h"

static const char *const soc_domain_names[SOC_DOMAINS] = { "npu", "nputop", "npu1", "npu2" };
/* Which domain each is in; the outermost is in none. */
static const int soc_domain_outer[SOC_DOMAINS] = { -1, 0, 1, 1 };

static struct soc_domain *to_domain(struct generic_pm_domain *genpd)
{
	return container_of(genpd, struct soc_domain, genpd);
}

static void soc_domain_wait(struct soc *soc)
{
	u32 us = READ_ONCE(soc->knobs.domain_us);

	if (us)
		fsleep(us);
}

static int soc_domain_on(struct generic_pm_domain *genpd)
{
	struct soc_domain *d = to_domain(genpd);

	soc_log(d->soc, "domain-on", d->index, 0);
	soc_change(d->soc, SOC_POWER, 0, BIT(d->index));
	soc_domain_wait(d->soc);
	return 0;
}

/* Clocks of the core in a domain; the outermost has no core. */
static u32 soc_domain_gates(unsigned int index)
{
	return index ? SOC_GATE_ACLK(index - 1) | SOC_GATE_HCLK(index - 1) : 0;
}

static int soc_domain_off(struct generic_pm_domain *genpd)
{
	struct soc_domain *d = to_domain(genpd);
	u32 late = soc_read(d->soc, SOC_CLK_GATES) & soc_domain_gates(d->index);

	if (late) {
		d->soc->late_clocks++;
		soc_log(d->soc, "late-clocks", d->index, late);
	}
	soc_log(d->soc, "domain-off", d->index, 0);
	soc_change(d->soc, SOC_POWER, BIT(d->index), 0);
	soc_domain_wait(d->soc);
	return 0;
}

int soc_power_init(struct soc *soc)
{
	struct genpd_onecell_data *all = devm_kzalloc(soc->dev, sizeof(*all), GFP_KERNEL);
	u32 on = soc_read(soc, SOC_POWER);
	int ret;

	if (!all)
		return -ENOMEM;
	all->num_domains = SOC_DOMAINS;
	all->domains = devm_kcalloc(soc->dev, SOC_DOMAINS, sizeof(*all->domains), GFP_KERNEL);
	if (!all->domains)
		return -ENOMEM;
	for (int i = 0; i < SOC_DOMAINS; i++) {
		struct soc_domain *d = &soc->domains[i];

		d->soc = soc;
		d->index = i;
		d->genpd.name = soc_domain_names[i];
		d->genpd.power_on = soc_domain_on;
		d->genpd.power_off = soc_domain_off;
		ret = pm_genpd_init(&d->genpd, NULL, !(on & BIT(i)));
		if (ret)
			return ret;
		all->domains[i] = &d->genpd;
		if (soc_domain_outer[i] < 0)
			continue;
		ret = pm_genpd_add_subdomain(&soc->domains[soc_domain_outer[i]].genpd, &d->genpd);
		if (ret)
			return ret;
	}
	return of_genpd_add_provider_onecell(soc->dev->of_node, all);
}

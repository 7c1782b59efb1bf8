// SPDX-License-Identifier: GPL-2.0-only
/* Which address space a core's MMU translates. */

#include <linux/iommu.h>
#include <linux/kref.h>

#include "rocket_core.h"
#include "rocket_drv.h"
#include "rocket_iommu.h"

int rocket_iommu_attach(struct rocket_core *core, struct rocket_iommu_domain *domain)
{
	int err;

	if (core->attached_domain == domain)
		return 0;

	rocket_iommu_detach(core);

	err = iommu_attach_group(domain->domain, core->iommu_group);
	if (err)
		return err;

	kref_get(&domain->kref);
	core->attached_domain = domain;

	return 0;
}

void rocket_iommu_detach(struct rocket_core *core)
{
	struct rocket_iommu_domain *domain = core->attached_domain;

	if (!domain)
		return;

	iommu_detach_group(domain->domain, core->iommu_group);
	core->attached_domain = NULL;
	rocket_iommu_domain_put(domain);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __ROCKET_IOMMU_H__
#define __ROCKET_IOMMU_H__

struct rocket_core;
struct rocket_iommu_domain;

/*
 * A core stays attached to the address space of the last job it ran. It holds one reference on
 * it for exactly as long.
 *
 * Called from run_job, from a reset, which stops the scheduler first, and from teardown, after
 * the scheduler is gone: the scheduler is what serialises them.
 */
int rocket_iommu_attach(struct rocket_core *core, struct rocket_iommu_domain *domain);
void rocket_iommu_detach(struct rocket_core *core);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/* action.c - what the vendor's driver can be asked, as it answers for an RK3588. */
#include <errno.h>

#include "rknpu.h"

/* The model has neither clock nor supply: the values of a board at its highest operating point. */
#define FREQUENCY_HZ 1000000000u
#define VOLTAGE_UV   800000u

static int reset(struct sim_file *file)
{
	pthread_mutex_lock(&file->dev->lock);
	rknpu_reset(file->dev->rknpu, -1, 0);
	pthread_mutex_unlock(&file->dev->lock);
	return 0;
}

int rknpu_action(struct sim_file *file, void *arg)
{
	const struct npu_chip *chip = file->dev->chip;
	struct rknpu_action *a = arg;

	switch (a->flags) {
	case RKNPU_GET_HW_VERSION:
		a->value = chip->version + (chip->version_num & 0xffff);
		return 0;
	case RKNPU_GET_DRV_VERSION:
		a->value = file->dev->driver;
		return 0;
	case RKNPU_GET_FREQ:
		a->value = FREQUENCY_HZ;
		return 0;
	case RKNPU_GET_VOLT:
		a->value = VOLTAGE_UV;
		return 0;
	case RKNPU_ACT_RESET:
		return reset(file);
	case RKNPU_ACT_CLR_TOTAL_RW_AMOUNT:
	case RKNPU_GET_DT_WR_AMOUNT:
	case RKNPU_GET_DT_RD_AMOUNT:
	case RKNPU_GET_WT_RD_AMOUNT:
	case RKNPU_GET_TOTAL_RW_AMOUNT: /* not wired on the RK3588: the value stays */
	case RKNPU_SET_PROC_NICE:
		return 0;
	case RKNPU_GET_IOMMU_EN:
		a->value = 1;
		return 0;
	case RKNPU_GET_TOTAL_SRAM_SIZE:
	case RKNPU_GET_FREE_SRAM_SIZE:
	case RKNPU_GET_IOMMU_DOMAIN_ID:
		a->value = 0;
		return 0;
	case RKNPU_SET_IOMMU_DOMAIN_ID: /* one is simulated */
		return a->value ? -EINVAL : 0;
	default: /* set frequency and voltage, power, bandwidth, what is unknown */
		return -EINVAL;
	}
}

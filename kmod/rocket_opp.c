// SPDX-License-Identifier: GPL-2.0-only
/* Operating points of the NPU: what voltage a rate needs. */

#include <linux/array_size.h>
#include <linux/dev_printk.h>
#include <linux/err.h>
#include <linux/kstrtox.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/regulator/consumer.h>

#include "rocket_core.h"
#include "rocket_opp.h"

/*
 * The rates the firmware of the RK3588 accepts for the NPU clock, with the vendor's voltages.
 * From 300 MHz up it is a ring oscillator whose real frequency follows the rail: at 0.80 V a
 * request for 600 MHz was measured to give about 816 MHz, one for 900 MHz 922 to 928 MHz.
 */
/* clang-format off */
static const struct rocket_opp rocket_opps[] = {
	{  200000000, 700000, true },
	{  300000000, 700000, false },
	{  400000000, 700000, false },
	{  500000000, 700000, false },
	{  600000000, 700000, true },
	{  700000000, 700000, false },
	{  800000000, 750000, false },
	{  900000000, 800000, true },
	{ 1000000000, 850000, false },
};

/* clang-format on */

#define ROCKET_UV_MIN 550000
/* What the boot loader leaves; no rate goes below it. */
#define ROCKET_UV_FLOOR 800000
#define ROCKET_UV_MAX   950000

/* Up to this rate the floor is more than enough, so a failing vote does no harm. */
#define ROCKET_EASY_HZ 600000000UL

static unsigned int rocket_npu_uv;

static int rocket_npu_uv_set(const char *val, const struct kernel_param *kp)
{
	unsigned int uv;
	int err;

	err = kstrtouint(val, 0, &uv);
	if (err)
		return err;

	*(unsigned int *)kp->arg = uv ? clamp(uv, ROCKET_UV_MIN, ROCKET_UV_MAX) : 0;

	return 0;
}

static const struct kernel_param_ops rocket_npu_uv_ops = {
	.set = rocket_npu_uv_set,
	.get = param_get_uint,
};
module_param_cb(rocket_npu_uv, &rocket_npu_uv_ops, &rocket_npu_uv, 0644);
MODULE_PARM_DESC(rocket_npu_uv,
		 "Least rail voltage in uV at a raised clock; 0: by the rate (default: 0)");

const struct rocket_opp *rocket_opp_find(unsigned long hz)
{
	for (size_t i = 0; i < ARRAY_SIZE(rocket_opps); i++) {
		if (rocket_opps[i].hz == hz)
			return &rocket_opps[i];
	}

	return NULL;
}

/* A rate that is not in the table is taken for the next higher one. */
static unsigned int rocket_opp_uv(unsigned long hz)
{
	for (size_t i = 0; i < ARRAY_SIZE(rocket_opps); i++) {
		if (hz <= rocket_opps[i].hz)
			return rocket_opps[i].uv;
	}

	return ROCKET_UV_MAX;
}

static int rocket_opp_supply(struct rocket_core *core, const char *name, struct regulator **supply)
{
	struct regulator *reg = devm_regulator_get_optional(core->dev, name);

	if (reg == ERR_PTR(-ENODEV))
		reg = NULL;
	if (IS_ERR(reg))
		return dev_err_probe(core->dev, PTR_ERR(reg), "no %s supply\n", name);

	*supply = reg;

	return 0;
}

/* Never enabled here: the power domain's own supply switches the rail. */
int rocket_opp_init(struct rocket_core *core)
{
	struct rocket_power *power = &core->power;
	int err;

	err = rocket_opp_supply(core, "npu", &power->npu);
	if (err)
		return err;
	if (!power->npu)
		dev_info(core->dev,
			 "no npu-supply in the device tree, the voltage stays as it is\n");

	err = rocket_opp_supply(core, "sram", &power->sram);
	if (err)
		return err;

	/* One rail for both on every known board: then there is one vote. */
	if (power->npu && power->sram && regulator_is_equal(power->npu, power->sram))
		power->sram = NULL;

	return 0;
}

static int rocket_opp_set(struct regulator *supply, unsigned int uv)
{
	int err, now;

	if (!supply)
		return 0;

	err = regulator_set_voltage(supply, uv, ROCKET_UV_MAX);
	if (err)
		return err;

	now = regulator_get_voltage(supply);
	if (now < 0)
		return now;

	return now < uv ? -ERANGE : 0;
}

int rocket_opp_vote(struct rocket_core *core, unsigned long hz)
{
	struct rocket_power *power = &core->power;
	unsigned int uv = max(rocket_opp_uv(hz), ROCKET_UV_FLOOR);
	struct regulator *first, *second;
	int err;

	/* The override is for running fast, a resting core asks for no more than it needs. */
	if (hz > ROCKET_PARK_HZ)
		uv = max(uv, READ_ONCE(rocket_npu_uv));

	if (uv == power->uv)
		return 0;

	/* The memory's voltage is never below the logic's. */
	first = uv > power->uv ? power->sram : power->npu;
	second = uv > power->uv ? power->npu : power->sram;

	err = rocket_opp_set(first, uv);
	if (!err)
		err = rocket_opp_set(second, uv);
	if (!err) {
		power->uv = uv;
		return 0;
	}

	dev_err_ratelimited(core->dev, "rail does not go to %u uV for %lu Hz: %d\n", uv, hz, err);

	return hz > ROCKET_EASY_HZ ? err : 0;
}

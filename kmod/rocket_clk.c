// SPDX-License-Identifier: GPL-2.0-only
/* The rate of the clock that all NPU cores share. */

#include <linux/cleanup.h>
#include <linux/clk.h>
#include <linux/dev_printk.h>
#include <linux/kstrtox.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/pm_runtime.h>
#include <linux/string.h>

#include "rocket_clk.h"
#include "rocket_core.h"
#include "rocket_opp.h"

static unsigned long rocket_npu_clk_hz;
static bool rocket_npu_clk_force;
static unsigned int rocket_autosuspend_ms = 1000;

/* Protects everything below, the rate and the voltages. */
static DEFINE_MUTEX(rocket_clk_lock);
static LIST_HEAD(rocket_clk_active);
/* The rate in force if it is above the parked one. Then the module is held too. */
static unsigned long rocket_clk_raised_hz;
static bool rocket_clk_leaving;

static int rocket_npu_clk_hz_set(const char *val, const struct kernel_param *kp)
{
	const struct rocket_opp *opp;
	unsigned long hz;
	int err;

	err = kstrtoul(val, 0, &hz);
	if (err)
		return err;

	opp = rocket_opp_find(hz);
	if (hz && !opp) {
		pr_err("rocket: the NPU clock has no rate of %lu Hz, only whole 100 MHz from 200 to 1000 MHz\n",
		       hz);
		return -EINVAL;
	}
	if (opp && !opp->proven && !rocket_npu_clk_force) {
		pr_err("rocket: %lu Hz is not proven on a board (200, 600 and 900 MHz are), rocket_npu_clk_force=1 allows it\n",
		       hz);
		return -EINVAL;
	}

	WRITE_ONCE(*(unsigned long *)kp->arg, hz);

	return 0;
}

static const struct kernel_param_ops rocket_npu_clk_hz_ops = {
	.set = rocket_npu_clk_hz_set,
	.get = param_get_ulong,
};

module_param(rocket_npu_clk_force, bool, 0644);
MODULE_PARM_DESC(rocket_npu_clk_force,
		 "Allow rates not proven on a board; goes before the rate (default: N)");
module_param_cb(rocket_npu_clk_hz, &rocket_npu_clk_hz_ops, &rocket_npu_clk_hz, 0644);
MODULE_PARM_DESC(rocket_npu_clk_hz,
		 "NPU clock request in Hz; 0: as the device tree has it (default: 0)");
module_param(rocket_autosuspend_ms, uint, 0644);
MODULE_PARM_DESC(rocket_autosuspend_ms,
		 "Time a core stays up after its last job; 0: at once (default: 1000)");

int rocket_clk_init(struct rocket_core *core)
{
	struct rocket_power *power = &core->power;

	INIT_LIST_HEAD(&power->active);
	power->uv = 0;

	for (size_t i = 0; i < ARRAY_SIZE(core->clks); i++) {
		if (!strcmp(core->clks[i].id, "npu"))
			power->clk = core->clks[i].clk;
	}

	return rocket_opp_init(core);
}

void rocket_clk_set_autosuspend(struct rocket_core *core)
{
	if (rocket_autosuspend_ms)
		pm_runtime_set_autosuspend_delay(core->dev, min(rocket_autosuspend_ms, INT_MAX));
}

/* Set and look: an error of the firmware does not reach the result of clk_set_rate(). */
static int rocket_clk_set(struct rocket_core *core, unsigned long hz)
{
	unsigned long now;
	int err;

	err = clk_set_rate(core->power.clk, hz);
	if (err)
		return err;

	now = clk_get_rate(core->power.clk);
	if (now != hz && hz > ROCKET_PARK_HZ)
		dev_warn_once(core->dev, "asked for an NPU clock of %lu Hz, it says %lu Hz\n", hz,
			      now);
	else if (now != rocket_clk_raised_hz)
		dev_dbg(core->dev, "NPU clock request is %lu Hz\n", now);

	rocket_clk_raised_hz = now > ROCKET_PARK_HZ ? now : 0;

	return 0;
}

/* Every core that runs needs the voltage, and @core, which is about to. */
static int rocket_clk_vote_all(struct rocket_core *core, unsigned long hz)
{
	struct rocket_core *other;
	int err;

	err = rocket_opp_vote(core, hz);
	list_for_each_entry(other, &rocket_clk_active, power.active) {
		if (!err)
			err = rocket_opp_vote(other, hz);
	}

	return err;
}

/* Voltage up, rate, voltage down to what the rate needs. */
static int rocket_clk_raise(struct rocket_core *core, unsigned long hz)
{
	unsigned long before = rocket_clk_raised_hz;
	int err;

	/* While the clock is up, the module must not be unloaded. */
	if (!before && !try_module_get(THIS_MODULE))
		return rocket_opp_vote(core, ROCKET_PARK_HZ);

	err = rocket_clk_vote_all(core, max(hz, before));
	if (!err)
		err = rocket_clk_set(core, hz);

	rocket_clk_vote_all(core, max(rocket_clk_raised_hz, ROCKET_PARK_HZ));

	if (!rocket_clk_raised_hz)
		module_put(THIS_MODULE);

	return err;
}

int rocket_clk_resume(struct rocket_core *core)
{
	unsigned long hz = READ_ONCE(rocket_npu_clk_hz);
	int err;

	guard(mutex)(&rocket_clk_lock);

	/*
	 * Set the rate even if it is the one in force: a core that probes has it lowered to
	 * the device tree's. With nothing to ask for, an other core's rate may be in force.
	 */
	if (hz && !rocket_clk_leaving)
		err = rocket_clk_raise(core, hz);
	else
		err = rocket_opp_vote(core, max(rocket_clk_raised_hz, ROCKET_PARK_HZ));
	if (err) {
		dev_err_ratelimited(core->dev, "cannot run at %lu Hz: %d\n", hz, err);
		return err;
	}

	list_add(&core->power.active, &rocket_clk_active);

	return 0;
}

/* Follows what was raised, not what the parameter says by now. */
static int rocket_clk_park(struct rocket_core *core)
{
	int err;

	if (!rocket_clk_raised_hz)
		return 0;

	err = rocket_clk_set(core, ROCKET_PARK_HZ);
	if (!err && rocket_clk_raised_hz)
		err = -EIO;
	if (err) {
		dev_err_ratelimited(core->dev, "NPU clock cannot be parked: %d\n", err);
		return err;
	}

	module_put(THIS_MODULE);

	return 0;
}

int rocket_clk_suspend(struct rocket_core *core)
{
	guard(mutex)(&rocket_clk_lock);

	/* Not counted, so it cannot be the last one. */
	if (list_empty(&core->power.active))
		return 0;

	if (list_is_singular(&rocket_clk_active) && rocket_clk_park(core))
		return -EBUSY;

	list_del_init(&core->power.active);
	rocket_opp_vote(core, ROCKET_PARK_HZ);

	return 0;
}

void rocket_clk_leave(void)
{
	guard(mutex)(&rocket_clk_lock);

	rocket_clk_leaving = true;
}

void rocket_clk_shutdown(struct rocket_core *core)
{
	guard(mutex)(&rocket_clk_lock);

	rocket_clk_leaving = true;
	rocket_clk_park(core);
}

unsigned long rocket_clk_raised(void)
{
	guard(mutex)(&rocket_clk_lock);

	return rocket_clk_raised_hz;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* soc.c - clock, rail, power and resets, and what a board does not survive. */
#include <string.h>

#include "tests/model/tap.h"
#include "virt/board/soc.h"

#define MHZ 1000000u

static struct tap tap;
static struct soc soc;
static char said[160];
static unsigned powers, resets;
static uint32_t lines[BOARD_CORES];
static bool on[BOARD_CORES];

static void power(void *ctx, unsigned core, bool is_on)
{
	(void)ctx;
	powers++;
	on[core] = is_on;
}

static void reset(void *ctx, unsigned core, uint32_t l)
{
	(void)ctx;
	resets++;
	lines[core] = l;
}

static void violation(void *ctx, const char *what)
{
	(void)ctx;
	snprintf(said, sizeof(said), "%s", what);
}

static void begin(bool full)
{
	const struct soc_host host = { power, reset, violation, NULL };

	soc_init(&soc, full, true, &host);
	powers = resets = 0;
	memset(on, 0, sizeof(on));
	said[0] = '\0';
}

/* As a driver that does it right. */
static void bring_up(void)
{
	begin(true);
	soc_write(&soc, SOC_POWER, SOC_DOMAIN_NPU);
	soc_write(&soc, SOC_POWER, SOC_DOMAIN_NPU | SOC_DOMAIN_NPUTOP);
	soc_write(&soc, SOC_POWER, SOC_DOMAIN_ALL);
	soc_write(&soc, SOC_CLK_GATES, SOC_GATE_ALL);
}

static bool broke(enum soc_violation kind, const char *words)
{
	bool right = soc.violations == 1 && soc_read(&soc, SOC_LAST_KIND) == kind &&
		     soc_read(&soc, SOC_KIND_COUNT(kind)) == 1 && strstr(said, words);

	if (!right)
		tap_note("%u violations, kind %u: %s", soc.violations, soc.last_kind, said);
	return right;
}

static void start(void)
{
	begin(false);
	tap_ok(&tap,
	       soc_access(&soc, 2, 0xfdad0000, false) && soc_read(&soc, SOC_POWER) == 0xf &&
		       soc_read(&soc, SOC_MODE) == SOC_MODE_FATAL && !soc.violations,
	       "a_plain_board_has_power");
	soc_switch(&soc, 1, false);
	tap_ok(&tap,
	       powers == 1 && !soc_access(&soc, 1, 0xfdac0000, false) &&
		       soc_access(&soc, 0, 0xfdab0000, false),
	       "a_plain_board_can_lose_one_core");
	begin(true);
	tap_ok(&tap,
	       soc_read(&soc, SOC_POWER) == 0 && soc_read(&soc, SOC_CLK_REQUEST) == 200 * MHZ &&
		       soc_read(&soc, SOC_RAIL_UV) == 800000 && soc_read(&soc, SOC_RAIL_ON) == 1,
	       "a_full_board_starts_as_the_firmware_leaves_it");
	soc_switch(&soc, 1, true);
	tap_ok(&tap, !powers, "and_has_no_such_switch");
	bring_up();
	tap_ok(&tap, powers == 3 && on[0] && on[1] && on[2] && !soc.violations,
	       "domains_come_up_in_order");
}

/* The firmware's table, and the measured 816 and 928 MHz at 0.80 V. */
static void rates(void)
{
	bring_up();
	tap_ok(&tap, soc_read(&soc, SOC_CLK_REAL) == 198 * MHZ, "parked_rate");
	soc_write(&soc, SOC_CLK_REQUEST, 600 * MHZ);
	tap_ok(&tap,
	       soc_read(&soc, SOC_CLK_ACCEPTED) == 1 &&
		       soc_read(&soc, SOC_CLK_REQUEST) == 600 * MHZ &&
		       soc_read(&soc, SOC_CLK_REAL) / MHZ / 10 == 81,
	       "real_rate_of_600");
	soc_write(&soc, SOC_CLK_REQUEST, 900 * MHZ);
	tap_ok(&tap, soc_read(&soc, SOC_CLK_REAL) / MHZ / 10 == 92, "real_rate_of_900");
	soc_write(&soc, SOC_CLK_REQUEST, 650 * MHZ);
	tap_ok(&tap,
	       soc_read(&soc, SOC_CLK_ACCEPTED) == 0 &&
		       soc_read(&soc, SOC_CLK_REQUEST) == 900 * MHZ,
	       "a_rate_that_is_not_in_the_table_is_refused");
	soc_write(&soc, SOC_RAIL_UV, 900000);
	tap_ok(&tap, soc_read(&soc, SOC_CLK_REAL) / MHZ > 1000, "the_oscillator_follows_the_rail");
	soc_write(&soc, SOC_RAIL_UV, 1000000);
	tap_ok(&tap, soc_read(&soc, SOC_RAIL_UV) == 900000 && !soc.violations,
	       "the_rail_has_limits");
}

static void accesses(void)
{
	begin(true);
	tap_ok(&tap,
	       !soc_access(&soc, 0, 0xfdab002c, false) &&
		       broke(SOC_KIND_DOMAIN_OFF, "read of 0xfdab002c: core 0 has no power") &&
		       soc_read(&soc, SOC_LAST_ADDRESS) == 0xfdab002c,
	       "access_without_power");
	bring_up();
	soc_write(&soc, SOC_CLK_GATES, SOC_GATE_ALL & ~SOC_GATE_HCLK(1));
	tap_ok(&tap,
	       soc_access(&soc, 0, 0xfdab0008, true) && !soc_access(&soc, 1, 0xfdac0008, true) &&
		       broke(SOC_KIND_CLOCK_OFF, "write to 0xfdac0008"),
	       "access_without_clock");
	soc_write(&soc, SOC_VIOLATIONS, 0);
	tap_ok(&tap,
	       !soc_read(&soc, SOC_VIOLATIONS) &&
		       !soc_read(&soc, SOC_KIND_COUNT(SOC_KIND_CLOCK_OFF)),
	       "counts_are_cleared");
}

static void clock_and_power(void)
{
	begin(true);
	soc_write(&soc, SOC_CLK_REQUEST, 200 * MHZ);
	tap_ok(&tap, !soc.violations, "the_parked_rate_may_be_asked_for_at_any_time");
	soc_write(&soc, SOC_CLK_REQUEST, 300 * MHZ);
	tap_ok(&tap,
	       broke(SOC_KIND_COLD_RAISE, "300 MHz") &&
		       soc_read(&soc, SOC_CLK_REQUEST) == 200 * MHZ,
	       "raise_without_power");
	bring_up();
	soc_write(&soc, SOC_CLK_REQUEST, 600 * MHZ);
	soc_write(&soc, SOC_POWER, SOC_DOMAIN_NPU | SOC_DOMAIN_NPUTOP);
	tap_ok(&tap, !soc.violations, "the_other_domains_may_go_at_any_rate");
	soc_write(&soc, SOC_POWER, 0);
	tap_ok(&tap, broke(SOC_KIND_RAISED_OFF, "NPUTOP off at 600 MHz"), "power_off_while_raised");
	bring_up();
	soc_write(&soc, SOC_CLK_REQUEST, 600 * MHZ);
	soc_write(&soc, SOC_CLK_REQUEST, 200 * MHZ);
	soc_write(&soc, SOC_POWER, SOC_DOMAIN_NPU);
	tap_ok(&tap, !soc.violations && !on[0] && !on[1], "power_off_after_parking");
}

static void rail(void)
{
	static const struct {
		uint32_t mhz, mv;
	} need[] = { { 700, 700 }, { 800, 750 }, { 900, 800 }, { 1000, 850 } };

	for (unsigned i = 0; i < sizeof(need) / sizeof(need[0]); i++) {
		bring_up();
		soc_write(&soc, SOC_RAIL_UV, need[i].mv * 1000);
		soc_write(&soc, SOC_CLK_REQUEST, need[i].mhz * MHZ);
		tap_ok(&tap, !soc.violations, "rail_is_enough_for_%u", need[i].mhz);
		soc_write(&soc, SOC_RAIL_UV, need[i].mv * 1000 - 6250);
		tap_ok(&tap, broke(SOC_KIND_RAIL_LOW, "which needs"), "and_not_a_step_less_for_%u",
		       need[i].mhz);
	}
	bring_up();
	soc_write(&soc, SOC_CLK_REQUEST, 1000 * MHZ);
	tap_ok(&tap, broke(SOC_KIND_RAIL_LOW, "1000 MHz at 800 mV"), "clock_before_rail");
	bring_up();
	soc_write(&soc, SOC_RAIL_ON, 0);
	tap_ok(&tap, broke(SOC_KIND_RAIL_OFF, "rail off"), "rail_off_under_a_domain");
	begin(true);
	soc_write(&soc, SOC_RAIL_ON, 0);
	tap_ok(&tap, !soc.violations, "rail_off_without_one");
	soc_write(&soc, SOC_POWER, SOC_DOMAIN_NPU);
	tap_ok(&tap, broke(SOC_KIND_RAIL_OFF, "domain on"), "domain_on_without_the_rail");
}

static void order(void)
{
	begin(true);
	soc_write(&soc, SOC_POWER, SOC_DOMAIN_NPU | SOC_DOMAIN_NPU1);
	tap_ok(&tap, broke(SOC_KIND_DOMAIN_ORDER, "NPU1"), "domain_without_the_one_around_it");
}

static void reset_lines(void)
{
	begin(true);
	soc_write(&soc, SOC_RESETS, 1u << 2);
	tap_ok(&tap, broke(SOC_KIND_RESET_OFF, "core 1"), "reset_without_power");
	bring_up();
	soc_write(&soc, SOC_RESETS, 0x30);
	tap_ok(&tap, resets == 1 && lines[2] == 3 && !soc.violations, "both_lines_of_a_core");
	soc_write(&soc, SOC_RESETS, 0x10);
	tap_ok(&tap, resets == 2 && lines[2] == 1, "one_line_left");
	tap_ok(&tap, soc_read(&soc, SOC_RESETS) == 0x10, "lines_read_back");
}

int main(void)
{
	start();
	rates();
	accesses();
	clock_and_power();
	rail();
	order();
	reset_lines();
	return tap_end(&tap);
}

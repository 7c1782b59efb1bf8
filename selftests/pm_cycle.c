// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pm-cycle - power, clocks, system sleep, and the module's coming and going. Needs root, a kernel,
 * and nobody else who uses the NPU.
 *
 *   pm-cycle [options] [NODE]    see --help
 */
#include "pm_cycle.h"

int main(int argc, char **argv)
{
	const struct test_table tables[] = { power_cases(), clock_cases(), stats_cases(),
					     sleep_cases(), module_cases() };

	return test_main(argc, argv, tables, sizeof(tables) / sizeof(tables[0]));
}

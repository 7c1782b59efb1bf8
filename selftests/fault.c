// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fault - jobs that hang or fault: is the right client told, is everybody else unharmed, is the
 * core usable afterwards?
 *
 *   fault [options] [NODE]    see --help
 */
#include "fault.h"

int main(int argc, char **argv)
{
	const struct test_table tables[] = { job_fault_cases(), core_fault_cases(),
					     device_fault_cases() };

	return test_main(argc, argv, tables, sizeof(tables) / sizeof(tables[0]));
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rknpu - does the vendor's driver do what its users rely on? One behaviour per test.
 *
 *   rknpu [options] [NODE]    see --help; NODE is one of the vendor's driver
 *
 * What it would crash on, since it looks at no address that it is given, is tested on the device in
 * the process alone.
 */
#include "rknpu.h"

int main(int argc, char **argv)
{
	const struct test_table tables[] = {
		rknpu_memory_cases(),
		rknpu_submit_cases(),
		rknpu_core_cases(),
		rknpu_action_cases(),
	};

	return test_main_of("rknpu", argc, argv, tables, sizeof(tables) / sizeof(tables[0]));
}

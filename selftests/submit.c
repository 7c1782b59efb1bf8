// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * submit - does the driver keep the contract of its ioctls? One behaviour per test.
 *
 *   submit [options] [NODE]    see --help
 */
#include "submit.h"

int main(int argc, char **argv)
{
	const struct test_table tables[] = {
		node_cases(), bo_cases(),      wait_cases(),  ranges_cases(),
		args_cases(), pointer_cases(), count_cases(), order_cases(),
	};

	return test_main(argc, argv, tables, sizeof(tables) / sizeof(tables[0]));
}

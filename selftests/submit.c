// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * submit - does the driver keep the contract of its ioctls? One behaviour per test.
 *
 *   submit [NODE]    NODE: a path; "sim" where the in-process device is built in
 */
#include "submit.h"

int main(int argc, char **argv)
{
	const struct test_table tables[] = {
		node_cases(),  bo_cases(),    wait_cases(),  args_cases(),  pointer_cases(),
		count_cases(), order_cases(), fault_cases(), batch_cases(),
	};

	return test_main(argc, argv, tables, sizeof(tables) / sizeof(tables[0]));
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * batch - jobs with flags: chains of programs in one kick, and how a kick ends.
 *
 *   batch [options] [NODE]    see --help
 */
#include "batch.h"

int main(int argc, char **argv)
{
	const struct test_table tables[] = { chain_cases(), end_cases() };

	return test_main(argc, argv, tables, sizeof(tables) / sizeof(tables[0]));
}

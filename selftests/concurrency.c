// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * concurrency - many clients at once: are all results right, are all cores used, is it fair?
 *
 *   concurrency [options] [NODE]    see --help
 */
#include "concurrency.h"

int main(int argc, char **argv)
{
	const struct test_table tables[] = { client_cases(), core_cases() };

	return test_main(argc, argv, tables, sizeof(tables) / sizeof(tables[0]));
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * numerics - does the NPU behind the driver multiply matrices? Every element is compared
 * with an independent scalar reference.
 *
 *   numerics [NODE]    NODE: a path; "sim" where the in-process device is built in
 */
#include "numerics.h"

int main(int argc, char **argv)
{
	const struct test_table tables[] = { shape_cases(), form_cases(), files_cases() };

	return test_main(argc, argv, tables, sizeof(tables) / sizeof(tables[0]));
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * lifetime - files, buffers and processes that end while the NPU works for them.
 *
 *   lifetime [options] [NODE]    see --help
 */
#include "lifetime.h"

int main(int argc, char **argv)
{
	const struct test_table tables[] = { file_cases(), process_cases(), dmabuf_cases(),
					     leak_cases() };

	return test_main(argc, argv, tables, sizeof(tables) / sizeof(tables[0]));
}

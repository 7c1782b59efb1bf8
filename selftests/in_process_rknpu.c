// SPDX-License-Identifier: LGPL-2.1-or-later
/* Linked into the programs of "make check": their node is the vendor's driver in the process. */
#include <stdlib.h>

__attribute__((constructor)) static void choose_node(void)
{
	setenv("ROCKET_DEVICE", "sim:rk3588:rknpu", 1);
	setenv("ROCKET_SIM_TIMEOUT_MS", "250", 1);
	setenv("SELFTESTS_TIME_FACTOR", "5", 0);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Linked into the programs of "make check": their node is the in-process device. */
#include <stdlib.h>

__attribute__((constructor)) static void choose_node(void)
{
	setenv("ROCKET_DEVICE", "sim", 1);
	setenv("ROCKET_SIM_TIMEOUT_MS", "250", 1); /* hung jobs are most of the time spent */
	/* Under a sanitizer, and beside other work, what is not stuck may take its time. */
	setenv("SELFTESTS_TIME_FACTOR", "5", 0);
}

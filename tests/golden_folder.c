// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/golden_folder.h"

const char *golden_folder(void)
{
	static char path[4096];
	const char *named = getenv("ROCKET_GOLDEN"), *top = getenv("top_srcdir");

	if (named && *named)
		return named;
	snprintf(path, sizeof(path), "%s/../shared/golden", top ? top : ".");
	if (access(path, R_OK))
		snprintf(path, sizeof(path), "%s/tests/model/data", top ? top : ".");
	return path;
}

const char *golden_file(char path[GOLDEN_PATH_MAX], const char *name)
{
	snprintf(path, GOLDEN_PATH_MAX, "%s/matmul-rk3588/%s", golden_folder(), name);
	return path;
}

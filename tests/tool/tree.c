// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Stands between the rocket command and the kernel's files: they are looked for below
 * TREE_ROOT, writes go to a log as well (TREE_WRITES) and can be made to fail, and the
 * simulated device passes for one of the kernel where TREE_DEVICE is set.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/core/device.h"
#include "tools/rocket/sysfile.h"

const char *__wrap_sysfile_root(void);
int __wrap_sysfile_write(const char *root, const char *path, const char *text);
int __real_rocket_device_info(int fd, struct rocket_device_info *out);
int __wrap_rocket_device_info(int fd, struct rocket_device_info *out);

const char *__wrap_sysfile_root(void)
{
	const char *root = getenv("TREE_ROOT");

	/* Never the real files. */
	return root ? root : "/nonexistent";
}

/* How TREE_FAIL, "PARAMETER=VALUE:HOW", meets a write. */
static const char *fault_of(const char *name, const char *text)
{
	const char *fail = getenv("TREE_FAIL");
	char wanted[128];
	int length;

	if (!fail)
		return "";
	length = snprintf(wanted, sizeof(wanted), "%s=%s:", name, text);
	return !strncmp(fail, wanted, (size_t)length) ? fail + length : "";
}

static void put(const char *file, const char *mode, const char *before, const char *text)
{
	FILE *out = fopen(file, mode);

	if (!out || fprintf(out, "%s%s\n", before, text) < 0 || fclose(out))
		abort();
}

int __wrap_sysfile_write(const char *root, const char *path, const char *text)
{
	const char *name = strrchr(path, '/') + 1, *fault = fault_of(name, text);
	char full[PATH_MAX], entry[128];

	snprintf(entry, sizeof(entry), "%s=", name);
	put(getenv("TREE_WRITES"), "a", entry, text);
	if (!strcmp(fault, "refused"))
		return -EINVAL;
	snprintf(full, sizeof(full), "%s%s", root, path);
	/* A kernel that clamps, or a second writer. */
	put(full, "w", "", strcmp(fault, "other") ? text : "777");
	return 0;
}

int __wrap_rocket_device_info(int fd, struct rocket_device_info *out)
{
	int rc = __real_rocket_device_info(fd, out);

	if (getenv("TREE_DEVICE"))
		snprintf(out->kernel, sizeof(out->kernel), "linux");
	return rc;
}

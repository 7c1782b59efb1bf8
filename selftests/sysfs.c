// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool sysfs_read(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "r");
	bool ok = f && fgets(text, (int)size, f);

	if (f)
		fclose(f);
	if (ok)
		text[strcspn(text, "\n")] = '\0';
	return ok;
}

long long sysfs_number(const char *path, long long fallback)
{
	char text[64], *end;
	long long value;

	if (!sysfs_read(path, text, sizeof(text)))
		return fallback;
	value = strtoll(text, &end, 0);
	return end == text ? fallback : value;
}

int sysfs_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

long long table_number(const char *path, const char *key, long long fallback)
{
	size_t n = strlen(key);
	char line[512];
	FILE *f = fopen(path, "r");
	long long value = fallback;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, n) && strchr(" \t:", line[n])) {
			value = strtoll(line + n + strspn(line + n, " \t:"), NULL, 0);
			break;
		}
	if (f)
		fclose(f);
	return value;
}

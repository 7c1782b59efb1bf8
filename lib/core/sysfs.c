// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profile.h"

static ssize_t read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, buf, size);
	close(fd);
	return n;
}

static void chip_of_file(const char *path, char chip[16])
{
	char list[512];
	ssize_t n = read_file(path, list, sizeof(list));

	chip[0] = 0;
	if (n > 0)
		rocket_chip_of_compatible(list, (size_t)n, chip);
}

void rocket_sysfs_identify(const char *root, const char *driver, char chip[16], unsigned *cores)
{
	char dir[256], path[512 + 64];
	DIR *d;

	chip[0] = 0;
	*cores = 0;
	snprintf(dir, sizeof(dir), "%s/sys/bus/platform/drivers/%s", root, driver);
	d = opendir(dir);
	for (struct dirent *e; d && (e = readdir(d));) {
		char found[16];

		if (e->d_name[0] == '.')
			continue;
		/* Only bound devices have an of_node; bind, unbind and uevent lie beside them. */
		snprintf(path, sizeof(path), "%s/%s/of_node/compatible", dir, e->d_name);
		chip_of_file(path, found);
		if (!found[0])
			continue;
		memcpy(chip, found, 16);
		++*cores;
	}
	if (d)
		closedir(d);
	if (chip[0])
		return;
	snprintf(path, sizeof(path), "%s/proc/device-tree/compatible", root);
	chip_of_file(path, chip);
}

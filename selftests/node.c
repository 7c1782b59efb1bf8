// SPDX-License-Identifier: LGPL-2.1-or-later
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "node.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "drm/rocket_accel.h"

/* Where the node of a driver may be, in the order in which they are tried. */
struct place {
	const char *driver, *dir, *prefix;
};

static const struct place places[] = {
	{ "rocket", "/dev/accel", "accel" },
	{ "rknpu", "/dev/dri", "renderD" }, /* first: who opens a card may become its master */
	{ "rknpu", "/dev/dri", "card" },
};

static int linux_open(const char *path)
{
	return open(path, O_RDWR | O_CLOEXEC);
}

static int linux_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg);
}

static void *linux_mmap(int fd, size_t length, uint64_t offset)
{
	return mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
}

static int linux_munmap(int fd, void *addr, size_t length)
{
	(void)fd;
	return munmap(addr, length);
}

static FILE *parameter_file(const char *module, const char *name, const char *mode)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s", module, name);
	return fopen(path, mode);
}

static long linux_param(const char *module, const char *name, long fallback)
{
	FILE *f = parameter_file(module, name, "r");
	char text[32] = "";
	char *end;
	long value;

	if (!f)
		return fallback;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	if (text[0] == 'Y' || text[0] == 'N')
		return text[0] == 'Y';
	value = strtol(text, &end, 0);
	return end == text ? fallback : value;
}

static int linux_param_set(const char *module, const char *name, long value)
{
	FILE *f = parameter_file(module, name, "w");
	int written;

	if (!f)
		return -1;
	written = fprintf(f, "%ld\n", value);
	return fclose(f) || written < 0 ? -1 : 0;
}

const struct node_calls node_calls_linux = {
	.open = linux_open,
	.close = close,
	.ioctl = linux_ioctl,
	.mmap = linux_mmap,
	.munmap = linux_munmap,
	.param = linux_param,
	.param_set = linux_param_set,
};

bool node_version(const struct node_calls *calls, int fd, char *name, size_t name_size, int *major,
		  int *minor)
{
	struct drm_version v = { .name = name, .name_len = name_size - 1 };

	memset(name, 0, name_size);
	if (calls->ioctl(fd, DRM_IOCTL_VERSION, &v))
		return false;
	*major = v.version_major;
	*minor = v.version_minor;
	return true;
}

static bool is_sim(const char *path)
{
	return !strcmp(path, "sim") || !strncmp(path, "sim:", 4);
}

static const struct node_calls *calls_for(const char *path)
{
	if (!is_sim(path))
		return &node_calls_linux;
#ifdef HAVE_SIM
	return &node_calls_sim;
#else
	return NULL;
#endif
}

/* True when path can be opened and belongs to the driver. */
static bool node_try(struct node *node, const char *path, char *why, size_t why_size)
{
	char name[32];
	bool ok = false;
	int fd;

	node->calls = calls_for(path);
	if (!node->calls) {
		snprintf(why, why_size, "%s: built without the in-process device", path);
		return false;
	}
	fd = node->calls->open(path);
	if (fd < 0) {
		snprintf(why, why_size, "%s: %s", path, strerror(errno));
		return false;
	}
	if (!node_version(node->calls, fd, name, sizeof(name), &node->major, &node->minor))
		snprintf(why, why_size, "%s: not a DRM node", path);
	else if (strcmp(name, node->driver))
		snprintf(why, why_size, "%s: driver is \"%s\", not \"%s\"", path, name,
			 node->driver);
	else
		ok = true;
	node->calls->close(fd);
	snprintf(node->path, sizeof(node->path), "%s", path);
	return ok;
}

static bool find_in(struct node *node, const struct place *place, char *why, size_t why_size)
{
	const size_t length = strlen(place->prefix);
	struct dirent **entries;
	bool found = false;
	int n = scandir(place->dir, &entries, NULL, versionsort);

	for (int i = 0; i < n; i++) {
		char path[300];

		snprintf(path, sizeof(path), "%s/%s", place->dir, entries[i]->d_name);
		if (!found && !strncmp(entries[i]->d_name, place->prefix, length))
			found = node_try(node, path, why, why_size);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return found;
}

bool node_find(struct node *node, const char *driver, const char *argument, char *why,
	       size_t why_size)
{
	const char *wanted = argument ? argument : getenv("ROCKET_DEVICE");

	node->driver = driver;
	if (wanted && *wanted)
		return node_try(node, wanted, why, why_size);
	snprintf(why, why_size, "no node: no NPU driver is loaded (or name a node)");
	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!strcmp(places[i].driver, driver) && find_in(node, &places[i], why, why_size))
			return true;
	return false;
}

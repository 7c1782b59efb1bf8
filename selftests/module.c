// SPDX-License-Identifier: LGPL-2.1-or-later
#include "module.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sysfs.h"

#define MODULE     "/sys/module/rocket"
#define PARAMETERS MODULE "/parameters"

bool module_is_loaded(void)
{
	return !access(MODULE "/refcnt", F_OK);
}

static void add_parameter(struct module_state *m, const char *name)
{
	char path[300], value[64];
	size_t n = strlen(m->options);

	snprintf(path, sizeof(path), PARAMETERS "/%.200s", name);
	if (sysfs_read(path, value, sizeof(value)) && value[0])
		snprintf(m->options + n, sizeof(m->options) - n, "%s%.100s=%s", n ? " " : "", name,
			 value);
}

static int by_name_force_first(const struct dirent **a, const struct dirent **b)
{
	bool x = strstr((*a)->d_name, "_force"), y = strstr((*b)->d_name, "_force");

	return x != y ? y - x : strcmp((*a)->d_name, (*b)->d_name);
}

static int not_hidden(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void remember_parameters(struct module_state *m)
{
	struct dirent **entries;
	int n = scandir(PARAMETERS, &entries, not_hidden, by_name_force_first);

	m->options[0] = '\0';
	for (int i = 0; i < n; i++) {
		add_parameter(m, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

/* Runs modprobe with words of arguments; its status, or -1. */
static int modprobe(const char *arguments)
{
	char command[1200];
	int status;

	snprintf(command, sizeof(command), "exec modprobe %s >/dev/null 2>&1", arguments);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* In the list that depmod made; busybox's modprobe has no way to ask. */
static bool modprobe_knows(void)
{
	char path[256], line[512];
	struct utsname system;
	bool found = false;
	FILE *f;

	uname(&system);
	snprintf(path, sizeof(path), "/lib/modules/%.64s/modules.dep", system.release);
	f = fopen(path, "r");
	while (f && !found && fgets(line, sizeof(line), f)) {
		const char *at = strstr(line, "/rocket.ko");

		found = at && at < strchr(line, ':');
	}
	if (f)
		fclose(f);
	return found;
}

bool module_begin(struct test *t, struct module_state *m)
{
	const char *file = getenv("ROCKET_MODULE");

	if (!module_is_loaded()) {
		test_skip(t, "the driver is not a module");
		return false;
	}
	if (file ? access(file, R_OK) : !modprobe_knows()) {
		test_skip(t, "%s: modprobe does not find it, name its file in ROCKET_MODULE",
			  file ? file : "rocket");
		return false;
	}
	remember_parameters(m);
	return true;
}

int module_unload(void)
{
	return syscall(SYS_delete_module, "rocket", O_NONBLOCK) ? -errno : 0;
}

int module_unload_within(int64_t within)
{
	int64_t end = now_ns() + within;
	int ret;

	while ((ret = module_unload()) == -EWOULDBLOCK || ret == -EBUSY) {
		if (now_ns() > end)
			break;
		sleep_ms(20);
	}
	return ret;
}

static int load_file(const char *path, const char *options)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, options, 0))
		ret = -errno;
	close(fd);
	return ret;
}

int module_load(const struct module_state *m, const char *more)
{
	const char *file = getenv("ROCKET_MODULE");
	char options[1100], arguments[1150];

	snprintf(options, sizeof(options), "%s %.60s", m->options, more ? more : "");
	if (file)
		return load_file(file, options);
	snprintf(arguments, sizeof(arguments), "rocket %s", options);
	return modprobe(arguments) ? -ENOEXEC : 0;
}

bool node_appears(const struct test *t, int64_t within)
{
	int64_t end = now_ns() + within;
	int fd;

	while ((fd = t->node->calls->open(t->node->path)) < 0) {
		if (now_ns() > end)
			return false;
		sleep_ms(20);
	}
	t->node->calls->close(fd);
	return true;
}

bool module_end(struct test *t, const struct module_state *m)
{
	int ret = module_is_loaded() ? 0 : module_load(m, NULL);

	return CHECK(t, !ret, "loading it again: %s", strerror(-ret)) &&
	       CHECK(t, node_appears(t, 10 * SECOND), "%s does not come back", t->node->path);
}

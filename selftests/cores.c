// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cores.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sysfs.h"

#define DRIVER  "/sys/bus/platform/drivers/rocket"
#define DEVICES "/sys/bus/platform/devices"
#define CLOCKS  "/sys/kernel/debug/clk"

/* Devices are named by their address. */
static int is_device(const struct dirent *e)
{
	return strchr("0123456789abcdef", e->d_name[0]) && strchr(e->d_name, '.');
}

bool cores_find(struct test *t, struct cores *c)
{
	struct dirent **entries;
	int n = scandir(DRIVER, &entries, is_device, alphasort);

	c->n = 0;
	for (int i = 0; i < n; i++) {
		if (c->n < CORES_MAX)
			snprintf(c->name[c->n++], sizeof(c->name[0]), "%.63s", entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	if (!c->n)
		test_skip(t, "no device is bound in " DRIVER);
	return c->n;
}

static void path_of(const struct cores *c, unsigned i, const char *file, char *path, size_t size)
{
	snprintf(path, size, DEVICES "/%s/%s", c->name[i], file);
}

bool core_read(const struct cores *c, unsigned i, const char *file, char *text, size_t size)
{
	char path[256];

	path_of(c, i, file, path, sizeof(path));
	return sysfs_read(path, text, size);
}

int core_write(const struct cores *c, unsigned i, const char *file, const char *text)
{
	char path[256];

	path_of(c, i, file, path, sizeof(path));
	return sysfs_write(path, text);
}

int cores_write(const struct cores *c, const char *file, const char *text)
{
	int ret = 0;

	for (unsigned i = 0; i < c->n; i++) {
		int err = core_write(c, i, file, text);

		if (!ret)
			ret = err;
	}
	return ret;
}

bool cores_are(const struct cores *c, const char *status)
{
	char text[32];

	for (unsigned i = 0; i < c->n; i++)
		if (!core_read(c, i, "power/runtime_status", text, sizeof(text)) ||
		    strcmp(text, status))
			return false;
	return true;
}

bool cores_sleep(const struct cores *c, int64_t within)
{
	int64_t end = now_ns() + within;

	while (!cores_are(c, "suspended")) {
		if (now_ns() > end)
			return false;
		sleep_ms(20);
	}
	return true;
}

/*
 * clk_summary: a line for each clock, its name at the left; behind it, and in lines of their
 * own below it, each consumer's device and the name by which it asked.
 */
struct consumer {
	char clock[64], device[64], connection[64];
};

static bool is_table_end(const char *word)
{
	return word[0] == '-' || !strcmp(word, "clock");
}

/* Call visit for each consumer; false when there is no such file. */
static bool each_consumer(void (*visit)(const struct consumer *c, void *ctx), void *ctx)
{
	FILE *f = fopen(CLOCKS "/clk_summary", "r");
	struct consumer c = { 0 };
	char line[512];

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		char first[64] = "", *words[16], *save = NULL;
		int n = 0;

		for (char *w = strtok_r(line, " \t\n", &save); w && n < 16;
		     w = strtok_r(NULL, " \t\n", &save))
			words[n++] = w;
		if (n < 2 || is_table_end(words[0]))
			continue;
		snprintf(first, sizeof(first), "%.63s", words[0]);
		if (n > 3) /* a clock's own line: counts, rate and so on in between */
			snprintf(c.clock, sizeof(c.clock), "%s", first);
		snprintf(c.device, sizeof(c.device), "%.63s", words[n - 2]);
		snprintf(c.connection, sizeof(c.connection), "%.63s", words[n - 1]);
		visit(&c, ctx);
	}
	fclose(f);
	return true;
}

struct search {
	const char *device, *connection;
	char found[64], last[64];
	int clocks, lines;
};

static void search_visit(const struct consumer *c, void *ctx)
{
	struct search *s = ctx;

	if (strcmp(c->device, s->device))
		return;
	s->lines++;
	if (strcmp(c->clock, s->last))
		s->clocks++;
	memcpy(s->last, c->clock, sizeof(s->last));
	if (s->connection && !strcmp(c->connection, s->connection))
		memcpy(s->found, c->clock, sizeof(s->found));
}

bool core_clock(const struct cores *c, unsigned i, const char *connection, struct core_clock *out)
{
	struct search s = { .device = c->name[i], .connection = connection };
	char path[256];

	if (!each_consumer(search_visit, &s) || !s.found[0])
		return false;
	memcpy(out->name, s.found, sizeof(out->name));
	snprintf(path, sizeof(path), CLOCKS "/%s/clk_rate", s.found);
	out->rate = sysfs_number(path, -1);
	snprintf(path, sizeof(path), CLOCKS "/%s/clk_enable_count", s.found);
	out->enabled = sysfs_number(path, -1);
	return out->rate >= 0 && out->enabled >= 0;
}

int core_clocks(const struct cores *c, unsigned i, int *lines)
{
	struct search s = { .device = c->name[i] };

	if (!each_consumer(search_visit, &s))
		return -1;
	*lines = s.lines;
	return s.clocks;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cores.h - the NPU cores as devices in sysfs: power, names, clocks. */
#ifndef SELFTESTS_CORES_H
#define SELFTESTS_CORES_H

#include "file.h"

#define CORES_MAX 8

struct cores {
	unsigned n;
	char name[CORES_MAX][64]; /* "fdab0000.npu", ascending */
};

/* The devices bound to the driver. false: the test is skipped, there are none. */
bool cores_find(struct test *t, struct cores *c);
/* A file of core i's folder, "power/control". */
bool core_read(const struct cores *c, unsigned i, const char *file, char *text, size_t size);
int core_write(const struct cores *c, unsigned i, const char *file, const char *text);
/* The same to all; the first error. */
int cores_write(const struct cores *c, const char *file, const char *text);
/* Have all this runtime_status? */
bool cores_are(const struct cores *c, const char *status);
/* Wait until all are suspended. */
bool cores_sleep(const struct cores *c, int64_t within);

/* What debugfs says of the clock that core i knows as connection. */
struct core_clock {
	char name[64]; /* in debugfs */
	long long rate, enabled;
};
/* false: it has none of that name, or debugfs cannot be read. */
bool core_clock(const struct cores *c, unsigned i, const char *connection, struct core_clock *out);
/* How many clocks list core i as a consumer, -1: cannot be told; lines: times it is listed. */
int core_clocks(const struct cores *c, unsigned i, int *lines);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* module.h - loading and unloading the driver's module. */
#ifndef SELFTESTS_MODULE_H
#define SELFTESTS_MODULE_H

#include "file.h"

/* Its parameters as they were, to load it the same way again. */
struct module_state {
	char options[1024];
};

/*
 * Can it be unloaded and loaded here? false: the test is skipped. It can when it is a module and
 * ROCKET_MODULE names its file, or modprobe finds it.
 */
bool module_begin(struct test *t, struct module_state *m);
/* -EBUSY or -EWOULDBLOCK while somebody uses it. */
int module_unload(void);
/* The same, tried again while it is in use, at most until the time is up. */
int module_unload_within(int64_t within);
/* With the parameters of before, and more. 0 or -errno. */
int module_load(const struct module_state *m, const char *more);
bool module_is_loaded(void);
/* Load it if a test left it out, and wait for the node: the tests behind need one. */
bool module_end(struct test *t, const struct module_state *m);
/* Wait until the node can be opened. */
bool node_appears(const struct test *t, int64_t within);

#endif

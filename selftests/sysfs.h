/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sysfs.h - small text files of the kernel. */
#ifndef SELFTESTS_SYSFS_H
#define SELFTESTS_SYSFS_H

#include <stdbool.h>
#include <stddef.h>

/* The first line, without its end. */
bool sysfs_read(const char *path, char *text, size_t size);
/* fallback when it cannot be read. */
long long sysfs_number(const char *path, long long fallback);
/* 0 or -errno. */
int sysfs_write(const char *path, const char *text);
/* The number behind key in lines of "key number"; fallback: there is none. */
long long table_number(const char *path, const char *key, long long fallback);

#endif

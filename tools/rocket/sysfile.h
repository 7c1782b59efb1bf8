/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sysfile.h - the small files in which a kernel says what it knows, and folders of them.
 *
 * Paths are given printf style, start with a slash and are taken below a root, "" on a
 * machine. Nothing waits: a
 * file that would block counts as one that cannot be read.
 */
#ifndef TOOLS_ROCKET_SYSFILE_H
#define TOOLS_ROCKET_SYSFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum known {
	NOT_THERE,  /* no such file */
	NOT_OURS,   /* no permission */
	NOT_USABLE, /* it cannot be read, or what it says makes no sense */
	KNOWN,
};

#define TEXT_MAX 128

struct text_fact {
	enum known known;
	char text[TEXT_MAX]; /* printable; "" unless known */
};

struct number_fact {
	enum known known;
	long long value; /* 0 unless known */
};

/* Where the tree of this machine starts. The tests put another function in its place. */
const char *sysfile_root(void);

/* Up to size - 1 bytes and a zero behind them; *length (may be NULL) without it. */
enum known sysfile_bytes(const char *root, char *buf, size_t size, size_t *length, const char *fmt,
			 ...) __attribute__((format(printf, 5, 6)));
/* The first line, without control characters. */
struct text_fact sysfile_text(const char *root, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A decimal number and nothing else. */
struct number_fact sysfile_number(const char *root, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The same of a text that was read. */
struct number_fact sysfile_number_of(const struct text_fact *text);
/* The last part of where a symbolic link leads. */
struct text_fact sysfile_link(const char *root, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* May this process do that (R_OK, W_OK, F_OK) with it? */
bool sysfile_allows(const char *root, int mode, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A stream of a longer file; NULL and *known. */
FILE *sysfile_stream(const char *root, enum known *known, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Call back for every name of a folder, sorted, until it returns false. */
enum known sysfile_each(const char *root, bool (*entry)(void *user, const char *name), void *user,
			const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* 0, or -errno. A file of the kernel's, whose meaning is one write of the whole text. */
int sysfile_write(const char *root, const char *path, const char *text);

/* Cut what does not fit in, and the line's end; control characters become question marks. */
void sysfile_printable(char *out, size_t size, const char *text);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * modprobe_file.h - the line with which modprobe sets the clock when the module is loaded.
 *
 * The file may have lines of others. Ours is the one behind our mark; the rest is kept as
 * it is.
 */
#ifndef TOOLS_ROCKET_MODPROBE_FILE_H
#define TOOLS_ROCKET_MODPROBE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define MODPROBE_FOLDER "/etc/modprobe.d"
#define MODPROBE_NAME   "rocket-npu.conf"
#define MODPROBE_FILE   MODPROBE_FOLDER "/" MODPROBE_NAME
#define MODPROBE_WHY    320

/*
 * Pure. The text with our line set to options, or without it when options is "". NULL with
 * why: it sets the clock by a line that is not ours, or memory ran out. Free the result.
 */
char *modprobe_edit(const char *text, const char *options, char why[MODPROBE_WHY]);

struct modprobe_change {
	char *text;  /* of the new file; "" removes it */
	bool exists; /* there is a file to replace */
	bool same;   /* nothing to do */
	unsigned mode, uid, gid;
};

/* Read, edit, look for lines of others in all of modprobe's folders. False: why. */
bool modprobe_prepare(struct modprobe_change *change, const char *root, const char *options,
		      char why[MODPROBE_WHY]);
/* Put the new file in place of the old one, whole or not at all. False: why. */
bool modprobe_commit(const struct modprobe_change *change, const char *root,
		     char why[MODPROBE_WHY]);
void modprobe_free(struct modprobe_change *change);

#endif

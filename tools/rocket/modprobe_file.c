// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "modprobe_file.h"
#include "sysfile.h"

#define MARK     "# The next line is of 'rocket clock --persist', which also removes it."
#define FILE_MAX 65536

/* ---- the text ---- */

/* A line and those that it continues in; behind its end. */
static const char *logical_end(const char *line)
{
	for (;;) {
		const char *end = strchr(line, '\n');

		if (!end)
			return line + strlen(line);
		if (end == line || end[-1] != '\\')
			return end + 1;
		line = end + 1;
	}
}

/* "options rocket ..." with one of the parameters that ours sets. */
static bool sets_the_clock(const char *line, const char *end)
{
	static const char *const parameters[] = { "rocket_npu_clk_hz", "rocket_npu_clk_force",
						  "rocket_npu_uv" };
	size_t length = (size_t)(end - line);
	char *copy = strndup(line, length), *save, *word;
	bool ours = false, found = false;

	if (!copy)
		return true;
	for (char *c = copy; *c; c++)
		if (*c == '\\' && c[1] == '\n')
			*c = ' ';
	word = strtok_r(copy, " \t\n", &save);
	if (word && !strcmp(word, "options")) {
		word = strtok_r(NULL, " \t\n", &save);
		ours = word && !strcmp(word, "rocket");
	}
	while (ours && (word = strtok_r(NULL, " \t\n", &save)))
		for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++)
			found |= !strncmp(word, parameters[i], strlen(parameters[i])) &&
				 word[strlen(parameters[i])] == '=';
	free(copy);
	return found;
}

/* The number of a line of others' that sets the clock, 0 when there is none. */
static unsigned line_of_others(const char *text)
{
	unsigned number = 1;
	bool ours = false;

	for (const char *line = text, *end; *line; line = end) {
		end = logical_end(line);
		if (!ours && sets_the_clock(line, end))
			return number;
		ours = !strncmp(line, MARK "\n", sizeof(MARK));
		for (const char *c = line; c < end; c++)
			number += *c == '\n';
	}
	return 0;
}

char *modprobe_edit(const char *text, const char *options, char why[MODPROBE_WHY])
{
	size_t size = strlen(text) + sizeof(MARK) + strlen(options) + 8;
	unsigned other = line_of_others(text);
	char *out, *at;
	bool put = !options[0];

	if (other) {
		snprintf(why, MODPROBE_WHY,
			 MODPROBE_FILE ": line %u sets the clock and is not ours: edit it by hand",
			 other);
		return NULL;
	}
	out = at = malloc(size);
	if (!out) {
		snprintf(why, MODPROBE_WHY, "no memory");
		return NULL;
	}
	for (const char *line = text, *end; *line; line = end) {
		end = logical_end(line);
		if (strncmp(line, MARK "\n", sizeof(MARK))) {
			memcpy(at, line, (size_t)(end - line));
			at += end - line;
			continue;
		}
		/* Ours is what the mark says, if it still is that. */
		if (*end && sets_the_clock(end, logical_end(end)))
			end = logical_end(end);
		if (!put)
			at += sprintf(at, MARK "\n%s\n", options);
		put = true;
	}
	if (!put) {
		if (at != out && at[-1] != '\n')
			*at++ = '\n';
		at += sprintf(at, MARK "\n%s\n", options);
	}
	*at = '\0';
	return out;
}

/* ---- the files ---- */

static bool fails(char why[MODPROBE_WHY], const char *path, const char *text)
{
	snprintf(why, MODPROBE_WHY, "%.200s: %s", path, text);
	return false;
}

/* A file whole, as a string to be freed. NULL with errno, 0 when it is no text. */
static char *read_whole(const char *root, const char *folder, const char *name)
{
	char *text = malloc(FILE_MAX + 1);
	enum known known;
	size_t length;

	if (!text)
		return NULL;
	known = sysfile_bytes(root, text, FILE_MAX + 1, &length, "%s/%s", folder, name);
	if (known == KNOWN && length < FILE_MAX && strlen(text) == length)
		return text;
	free(text);
	errno = known == NOT_THERE ? ENOENT : known == NOT_OURS ? EACCES : 0;
	return NULL;
}

struct conflict {
	const char *root, *folder;
	char *why;
};

static bool look_for_conflict(void *user, const char *name)
{
	struct conflict *c = user;
	size_t length = strlen(name);
	char *text;
	unsigned line;

	if (length < 5 || strcmp(name + length - 5, ".conf") ||
	    (!strcmp(c->folder, MODPROBE_FOLDER) && !strcmp(name, MODPROBE_NAME)))
		return true;
	text = read_whole(c->root, c->folder, name);
	line = text ? line_of_others(text) : 0;
	if (line)
		snprintf(c->why, MODPROBE_WHY,
			 "%s/%.160s: line %u sets the clock too: remove it first", c->folder, name,
			 line);
	free(text);
	return !line;
}

static bool has_conflict(const char *root, char why[MODPROBE_WHY])
{
	static const char *const folders[] = { "/etc/modprobe.d", "/run/modprobe.d",
					       "/usr/lib/modprobe.d", "/lib/modprobe.d" };

	why[0] = '\0';
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && !why[0]; i++)
		sysfile_each(root, look_for_conflict, &(struct conflict){ root, folders[i], why },
			     "%s", folders[i]);
	return why[0];
}

bool modprobe_prepare(struct modprobe_change *change, const char *root, const char *options,
		      char why[MODPROBE_WHY])
{
	char full[PATH_MAX], *old = NULL;
	struct stat st;

	memset(change, 0, sizeof(*change));
	change->mode = 0644;
	change->uid = (unsigned)geteuid();
	change->gid = (unsigned)getegid();
	if ((size_t)snprintf(full, sizeof(full), "%s%s", root, MODPROBE_FILE) >= sizeof(full))
		return fails(why, MODPROBE_FILE, strerror(ENAMETOOLONG));
	if (!lstat(full, &st)) {
		if (!S_ISREG(st.st_mode))
			return fails(why, MODPROBE_FILE, "not a plain file, left alone");
		change->exists = true;
		change->mode = st.st_mode & 07777;
		change->uid = st.st_uid;
		change->gid = st.st_gid;
		old = read_whole(root, MODPROBE_FOLDER, MODPROBE_NAME);
		if (!old)
			return fails(why, MODPROBE_FILE,
				     errno ? strerror(errno) : "too long or no text, left alone");
	} else if (errno != ENOENT) {
		return fails(why, MODPROBE_FILE, strerror(errno));
	}
	if (options[0] && has_conflict(root, why)) {
		free(old);
		return false;
	}
	change->text = modprobe_edit(old ? old : "", options, why);
	if (change->text)
		change->same = !strcmp(change->text, old ? old : "");
	free(old);
	return change->text;
}

static bool write_beside(const struct modprobe_change *change, char *name)
{
	size_t length = strlen(change->text);
	int fd = mkstemp(name);
	bool done;

	if (fd < 0)
		return false;
	/* A new file belongs to whoever writes it; an old one keeps its owner. */
	done = (!change->exists || !fchown(fd, change->uid, change->gid)) &&
	       !fchmod(fd, change->mode) && write(fd, change->text, length) == (ssize_t)length &&
	       !fsync(fd);
	if (close(fd))
		done = false;
	if (!done) {
		int err = errno;

		unlink(name);
		errno = err;
	}
	return done;
}

bool modprobe_commit(const struct modprobe_change *change, const char *root, char why[MODPROBE_WHY])
{
	char full[PATH_MAX], beside[PATH_MAX + 8];
	int folder;

	if (change->same)
		return true;
	snprintf(full, sizeof(full), "%s%s", root, MODPROBE_FILE);
	/* modprobe reads names in .conf only, so it never meets this one. */
	snprintf(beside, sizeof(beside), "%s.XXXXXX", full);
	errno = EIO;
	if (!change->text[0]) {
		if (unlink(full))
			return fails(why, MODPROBE_FILE, strerror(errno));
	} else if (!write_beside(change, beside)) {
		return fails(why, MODPROBE_FILE, strerror(errno));
	} else if (rename(beside, full)) {
		int err = errno;

		unlink(beside);
		return fails(why, MODPROBE_FILE, strerror(err));
	}
	*strrchr(full, '/') = '\0';
	folder = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder >= 0) {
		fsync(folder);
		close(folder);
	}
	return true;
}

void modprobe_free(struct modprobe_change *change)
{
	free(change->text);
	change->text = NULL;
}

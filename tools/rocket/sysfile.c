// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sysfile.h"

const char *sysfile_root(void)
{
	return "";
}

/* The whole path; false, with errno, when it is too long. */
static bool below(char full[PATH_MAX], const char *root, const char *fmt, va_list ap)
{
	int start = snprintf(full, PATH_MAX, "%s", root);

	if (start < PATH_MAX &&
	    vsnprintf(full + start, PATH_MAX - (size_t)start, fmt, ap) < PATH_MAX - start)
		return true;
	errno = ENAMETOOLONG;
	return false;
}

static enum known known_of(int err)
{
	switch (err) {
	case ENOENT:
	case ENOTDIR:
	case ESRCH: /* of a process that has ended */
	case ENODEV:
		return NOT_THERE;
	case EACCES:
	case EPERM:
		return NOT_OURS;
	default:
		return NOT_USABLE;
	}
}

static int open_file(const char *root, int flags, const char *fmt, va_list ap)
{
	char full[PATH_MAX];

	if (!below(full, root, fmt, ap))
		return -1;
	return open(full, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static enum known read_bytes(int fd, char *buf, size_t size, size_t *length)
{
	enum known known = KNOWN;
	size_t filled = 0;

	buf[0] = '\0';
	if (length)
		*length = 0;
	if (fd < 0)
		return known_of(errno);
	while (filled < size - 1) {
		ssize_t got = read(fd, buf + filled, size - 1 - filled);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			known = known_of(errno);
		if (got <= 0)
			break;
		filled += (size_t)got;
	}
	close(fd);
	if (known != KNOWN)
		filled = 0;
	buf[filled] = '\0';
	if (length)
		*length = filled;
	return known;
}

enum known sysfile_bytes(const char *root, char *buf, size_t size, size_t *length, const char *fmt,
			 ...)
{
	va_list ap;
	int fd;

	va_start(ap, fmt);
	fd = open_file(root, O_RDONLY, fmt, ap);
	va_end(ap);
	return read_bytes(fd, buf, size, length);
}

void sysfile_printable(char *out, size_t size, const char *text)
{
	size_t i;

	for (i = 0; i + 1 < size && text[i] && text[i] != '\n'; i++)
		out[i] = text[i] >= 0x20 && text[i] < 0x7f ? text[i] : '?';
	out[i] = '\0';
}

static struct text_fact read_text(const char *root, const char *fmt, va_list ap)
{
	struct text_fact fact = { 0 };
	char buf[512];

	fact.known = read_bytes(open_file(root, O_RDONLY, fmt, ap), buf, sizeof(buf), NULL);
	if (fact.known == KNOWN)
		sysfile_printable(fact.text, sizeof(fact.text), buf);
	return fact;
}

struct text_fact sysfile_text(const char *root, const char *fmt, ...)
{
	struct text_fact fact;
	va_list ap;

	va_start(ap, fmt);
	fact = read_text(root, fmt, ap);
	va_end(ap);
	return fact;
}

struct number_fact sysfile_number_of(const struct text_fact *text)
{
	struct number_fact fact = { text->known, 0 };
	char *end;

	if (fact.known != KNOWN)
		return fact;
	errno = 0;
	fact.value = strtoll(text->text, &end, 10);
	if (errno || end == text->text || *end || text->text[0] == ' ') {
		fact.known = NOT_USABLE;
		fact.value = 0;
	}
	return fact;
}

struct number_fact sysfile_number(const char *root, const char *fmt, ...)
{
	struct text_fact text;
	va_list ap;

	va_start(ap, fmt);
	text = read_text(root, fmt, ap);
	va_end(ap);
	return sysfile_number_of(&text);
}

struct text_fact sysfile_link(const char *root, const char *fmt, ...)
{
	struct text_fact fact = { 0 };
	char full[PATH_MAX], target[PATH_MAX];
	const char *slash;
	ssize_t length;
	va_list ap;
	bool fits;

	va_start(ap, fmt);
	fits = below(full, root, fmt, ap);
	va_end(ap);
	length = fits ? readlink(full, target, sizeof(target) - 1) : -1;
	if (length < 0) {
		fact.known = known_of(errno);
		return fact;
	}
	target[length] = '\0';
	slash = strrchr(target, '/');
	fact.known = KNOWN;
	sysfile_printable(fact.text, sizeof(fact.text), slash ? slash + 1 : target);
	return fact;
}

bool sysfile_allows(const char *root, int mode, const char *fmt, ...)
{
	char full[PATH_MAX];
	va_list ap;
	bool fits;

	va_start(ap, fmt);
	fits = below(full, root, fmt, ap);
	va_end(ap);
	return fits && !faccessat(AT_FDCWD, full, mode, AT_EACCESS);
}

FILE *sysfile_stream(const char *root, enum known *known, const char *fmt, ...)
{
	FILE *stream;
	va_list ap;
	int fd;

	va_start(ap, fmt);
	fd = open_file(root, O_RDONLY, fmt, ap);
	va_end(ap);
	stream = fd < 0 ? NULL : fdopen(fd, "r");
	*known = stream ? KNOWN : known_of(errno);
	if (!stream && fd >= 0)
		close(fd);
	return stream;
}

enum known sysfile_each(const char *root, bool (*entry)(void *user, const char *name), void *user,
			const char *fmt, ...)
{
	struct dirent **names;
	char full[PATH_MAX];
	bool go_on = true;
	va_list ap;
	int count;

	va_start(ap, fmt);
	count = below(full, root, fmt, ap) ? 0 : -1;
	va_end(ap);
	if (!count)
		count = scandir(full, &names, NULL, alphasort);
	if (count < 0)
		return known_of(errno);
	for (int i = 0; i < count; i++) {
		if (go_on && names[i]->d_name[0] != '.')
			go_on = entry(user, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return KNOWN;
}

static int open_to_write(const char *root, const char *fmt, ...)
{
	va_list ap;
	int fd;

	va_start(ap, fmt);
	fd = open_file(root, O_WRONLY, fmt, ap);
	va_end(ap);
	return fd;
}

int sysfile_write(const char *root, const char *path, const char *text)
{
	int fd = open_to_write(root, "%s", path);
	size_t length = strlen(text);
	ssize_t put;
	int err = 0;

	if (fd < 0)
		return -errno;
	do {
		put = write(fd, text, length);
	} while (put < 0 && errno == EINTR);
	if (put < 0)
		err = -errno;
	else if ((size_t)put != length)
		err = -EIO;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

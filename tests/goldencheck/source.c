// SPDX-License-Identifier: LGPL-2.1-or-later
#include "source.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_BYTES (256u << 20)

/* The whole file, zero-terminated; NULL with the reason. */
static char *slurp(const char *path, size_t *size, char *why, size_t why_size)
{
	/* A fifo or device must not be waited for. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char *text = NULL;
	size_t used = 0;
	ssize_t n = 0;

	if (fd < 0 || fstat(fd, &st) < 0) {
		snprintf(why, why_size, "cannot be read: %s", strerror(errno));
		goto out;
	}
	if (!S_ISREG(st.st_mode) || st.st_size > MAX_BYTES) {
		snprintf(why, why_size, "%s",
			 S_ISREG(st.st_mode) ? "too large" : "not a regular file");
		goto out;
	}
	text = malloc((size_t)st.st_size + 1);
	if (!text) {
		snprintf(why, why_size, "out of memory");
		goto out;
	}
	while (used < (size_t)st.st_size &&
	       (n = read(fd, text + used, (size_t)st.st_size - used)) > 0)
		used += (size_t)n;
	if (n < 0) {
		snprintf(why, why_size, "cannot be read: %s", strerror(errno));
		free(text);
		text = NULL;
		goto out;
	}
	text[used] = '\0';
	*size = used;
out:
	if (fd >= 0)
		close(fd);
	return text;
}

/* Control characters other than tab and line ends do not occur in text. */
static bool is_text(const char *text, size_t size, unsigned *line)
{
	*line = 1;
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < ' ' && c != '\t' && c != '\n' && c != '\r')
			return false;
		*line += c == '\n';
	}
	return true;
}

static bool named_text(const char *path)
{
	static const char *const endings[] = { ".txt", ".csv", ".md", ".json", ".hex" };
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (!strcmp(dot, endings[i]))
			return true;
	return false;
}

static void add_line(struct source *s, char *text, unsigned number)
{
	size_t length = strlen(text);

	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	if (!length)
		return;
	if (*text != '#') {
		s->data[s->n_data++] = (struct line){ text, number };
		return;
	}
	text++;
	text += *text == ' ';
	s->header[s->n_header++] = (struct line){ text, number };
}

bool source_read(struct source *s, const char *path, char *why, size_t why_size)
{
	size_t size = 0, lines = 1;
	unsigned number = 0;
	char *next;

	memset(s, 0, sizeof(*s));
	s->text = slurp(path, &size, why, why_size);
	if (!s->text)
		return false;
	if (!is_text(s->text, size, &number)) {
		if (named_text(path))
			snprintf(why, why_size, "line %u: not text", number);
		else
			snprintf(why, why_size, SOURCE_BINARY);
		goto err;
	}
	for (size_t i = 0; i < size; i++)
		lines += s->text[i] == '\n';
	s->header = calloc(lines, sizeof(*s->header));
	s->data = calloc(lines, sizeof(*s->data));
	if (!s->header || !s->data) {
		snprintf(why, why_size, "out of memory");
		goto err;
	}
	number = 0;
	for (char *text = s->text; text; text = next) {
		next = strchr(text, '\n');
		if (next)
			*next++ = '\0';
		add_line(s, text, ++number);
	}
	return true;
err:
	source_free(s);
	return false;
}

void source_free(struct source *s)
{
	free(s->header);
	free(s->data);
	free(s->text);
	memset(s, 0, sizeof(*s));
}

const char *source_key(const struct source *s, const char *key)
{
	size_t length = strlen(key);

	for (size_t i = 0; i < s->n_header; i++)
		if (!strncmp(s->header[i].text, key, length) && s->header[i].text[length] == '=')
			return s->header[i].text + length + 1;
	return NULL;
}

bool parse_number(const char *text, int64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)text[*text == '-']))
		return false;
	errno = 0;
	*value = strtoll(text, &end, 0);
	return !*end && !errno;
}

bool parse_hex(const char *text, uint64_t *value)
{
	size_t digits = strspn(text, "0123456789abcdefABCDEF");

	if (!digits || digits > 16 || text[digits])
		return false;
	*value = strtoull(text, NULL, 16);
	return true;
}

bool source_number(const struct source *s, const char *key, uint32_t *value)
{
	const char *text = source_key(s, key);
	int64_t number;

	if (!text || !parse_number(text, &number) || number < 0 || number > UINT32_MAX)
		return false;
	*value = (uint32_t)number;
	return true;
}

size_t split(char *text, char sep, char **fields, size_t max)
{
	size_t n = 0;

	for (;;) {
		char *end = strchr(text, sep);

		if (n == max)
			return max + 1;
		fields[n++] = text;
		if (!end)
			return n;
		*end = '\0';
		text = end + 1;
	}
}

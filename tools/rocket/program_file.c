// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/encode/program.h"

#include "program_file.h"

struct reason {
	char *text;
	size_t size;
};

static int refuse(const struct reason *why, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(const struct reason *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why->text, why->size, fmt, ap);
	va_end(ap);
	return -1;
}

/* ---- bytes ---- */

/* The whole stream, with a zero byte after it. NULL: why says so. */
static unsigned char *slurp(FILE *in, size_t *size, const struct reason *why)
{
	size_t capacity = 1 << 16, filled = 0;
	unsigned char *bytes = malloc(capacity);

	while (bytes) {
		size_t got = fread(bytes + filled, 1, capacity - 1 - filled, in);
		unsigned char *larger;

		filled += got;
		if (filled < capacity - 1)
			break;
		if (filled > PROGRAM_FILE_MAX) {
			refuse(why, "is larger than %u MiB: not a register program",
			       PROGRAM_FILE_MAX >> 20);
			free(bytes);
			return NULL;
		}
		capacity *= 2;
		larger = realloc(bytes, capacity);
		if (!larger)
			free(bytes);
		bytes = larger;
	}
	if (!bytes) {
		refuse(why, "does not fit in memory");
		return NULL;
	}
	if (ferror(in)) {
		refuse(why, "cannot be read: %s", strerror(errno));
		free(bytes);
		return NULL;
	}
	bytes[filled] = '\0';
	*size = filled;
	return bytes;
}

static bool looks_like_text(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] >= 0x7f || (bytes[i] < 0x20 && !isspace(bytes[i])))
			return false;
	return true;
}

/* ---- words ---- */

static int parse_raw(struct program_file *file, const unsigned char *bytes, size_t size,
		     const struct reason *why)
{
	if (size % 8)
		return refuse(why,
			      "has %zu bytes, not a whole number of 8-byte words: cut short, or "
			      "not a register program",
			      size);
	file->words = calloc(size / 8, sizeof(*file->words));
	if (!file->words)
		return refuse(why, "does not fit in memory");
	file->count = size / 8;
	for (size_t i = 0; i < size; i++)
		file->words[i / 8] |= (uint64_t)bytes[i] << 8 * (i % 8);
	return 0;
}

/* A hexadecimal number of at most max, up to one of the characters in ends. */
static bool hex_number(char **text, uint64_t max, const char *ends, uint64_t *value)
{
	char *end;

	while (isblank((unsigned char)**text))
		(*text)++;
	if (!isxdigit((unsigned char)**text))
		return false;
	errno = 0;
	*value = strtoull(*text, &end, 16);
	while (isblank((unsigned char)*end))
		end++;
	if (errno || *value > max || !strchr(ends, *end))
		return false;
	*text = *end ? end + 1 : end;
	return true;
}

static bool parse_word(char *line, uint64_t *word)
{
	uint64_t target, offset, value;

	if (!strchr(line, ','))
		return hex_number(&line, UINT64_MAX, "", word);
	if (!hex_number(&line, 0xffff, ",", &target) || !hex_number(&line, 0xffff, ",", &offset) ||
	    !hex_number(&line, 0xffffffff, "", &value))
		return false;
	*word = rocket_word((unsigned)target, (uint32_t)value, (unsigned)offset);
	return true;
}

static void parse_comment(struct program_file *file, const char *text)
{
	static const char *const keys[] = { "regcmd_base=", "regcmd=" };

	text += strspn(text, "# \t");
	sscanf(text, "soc=%15s", file->soc);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strncmp(text, keys[i], strlen(keys[i])))
			continue;
		file->base = (uint32_t)strtoul(text + strlen(keys[i]), NULL, 16);
		file->has_base = true;
	}
}

static char *trim(char *line)
{
	char *end;

	line += strspn(line, " \t\r\v\f");
	end = line + strlen(line);
	while (end > line && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return line;
}

static int parse_text(struct program_file *file, char *text, size_t size, const struct reason *why)
{
	/* A word takes two bytes at the least: a digit and the end of its line. */
	file->words = calloc(size / 2 + 1, sizeof(*file->words));
	if (!file->words)
		return refuse(why, "does not fit in memory");
	for (unsigned number = 1; *text; number++) {
		char *end = text + strcspn(text, "\n");
		char *next = *end ? end + 1 : end;
		char *comment, *line;

		*end = '\0';
		comment = strchr(text, '#');
		if (comment) {
			parse_comment(file, comment);
			*comment = '\0';
		}
		line = trim(text);
		if (*line && !parse_word(line, &file->words[file->count]))
			return refuse(why,
				      "line %u: '%.40s' is not a word: target,offset,value in hex "
				      "is expected",
				      number, line);
		file->count += *line != '\0';
		text = next;
	}
	return 0;
}

static int parse(struct program_file *file, unsigned char *bytes, size_t size,
		 enum program_form form, const struct reason *why)
{
	if (!size)
		return refuse(why, "is empty");
	if (form == PROGRAM_FORM_ANY)
		form = looks_like_text(bytes, size) ? PROGRAM_FORM_TEXT : PROGRAM_FORM_RAW;
	if (form == PROGRAM_FORM_RAW)
		return parse_raw(file, bytes, size, why);
	if (memchr(bytes, '\0', size))
		return refuse(why, "has zero bytes: not text");
	if (parse_text(file, (char *)bytes, size, why) < 0)
		return -1;
	return file->count ? 0 : refuse(why, "has no words in it");
}

int program_file_read(struct program_file *file, const char *name, enum program_form form,
		      char *why, size_t why_size)
{
	const struct reason reason = { why, why_size };
	unsigned char *bytes;
	size_t size;
	FILE *in;
	int rc;

	memset(file, 0, sizeof(*file));
	in = strcmp(name, "-") ? fopen(name, "rb") : stdin;
	if (!in)
		return refuse(&reason, "cannot be opened: %s", strerror(errno));
	bytes = slurp(in, &size, &reason);
	if (in != stdin)
		fclose(in);
	if (!bytes)
		return -1;
	rc = parse(file, bytes, size, form, &reason);
	free(bytes);
	if (rc < 0)
		program_file_free(file);
	return rc;
}

void program_file_free(struct program_file *file)
{
	free(file->words);
	free(file->spans);
	memset(file, 0, sizeof(*file));
}

/* ---- programs ---- */

static struct program_span take_span(const struct program_file *file, size_t first)
{
	struct program_span span = { .first = first, .next = -1 };
	size_t end = first;

	while (end < file->count && rocket_word_target(file->words[end]) != ROCKET_TARGET_ENABLE)
		end++;
	span.complete = end < file->count;
	span.count = end - first + span.complete;
	if (span.complete && span.count >= ROCKET_TRAILER_WORDS) {
		uint64_t link = file->words[end + 1 - ROCKET_TRAILER_WORDS];

		span.links = rocket_word_target(link) == ROCKET_TARGET_PC &&
			     rocket_word_offset(link) == 0x0010;
		span.link = rocket_word_value(link);
	}
	return span;
}

static long span_at(const struct program_file *file, uint64_t iova)
{
	for (size_t i = 0; i < file->n_spans; i++)
		if (file->base + 8 * (uint64_t)file->spans[i].first == iova)
			return (long)i;
	return -1;
}

/* Without a stated base, the first link is taken to lead to the program right behind it. */
static void guess_base(struct program_file *file)
{
	for (size_t i = 0; i + 1 < file->n_spans && !file->has_base; i++) {
		uint64_t behind = 8 * (uint64_t)file->spans[i + 1].first;

		if (!file->spans[i].links || file->spans[i].link < behind)
			continue;
		file->base = (uint32_t)(file->spans[i].link - behind);
		file->has_base = true;
	}
}

int program_file_split(struct program_file *file)
{
	size_t capacity = 0, at = 0;

	while (at < file->count) {
		struct program_span *larger;

		/* Filler between programs: padding to even, slots of fixed size. */
		if (file->words[at] == 0) {
			at++;
			continue;
		}
		if (file->n_spans == capacity) {
			capacity = capacity ? 2 * capacity : 16;
			larger = realloc(file->spans, capacity * sizeof(*larger));
			if (!larger)
				return -1;
			file->spans = larger;
		}
		file->spans[file->n_spans] = take_span(file, at);
		at += file->spans[file->n_spans++].count;
	}
	guess_base(file);
	for (size_t i = 0; i < file->n_spans && file->has_base; i++) {
		if (!file->spans[i].links)
			continue;
		file->spans[i].next = span_at(file, file->spans[i].link);
		if (file->spans[i].next >= 0)
			file->spans[file->spans[i].next].follows = true;
	}
	return 0;
}

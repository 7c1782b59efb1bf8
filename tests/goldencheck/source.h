/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * source.h - a golden file as lines: "# key=value" headers and data.
 *
 * Nothing in a file is trusted: every parser here says no to what it does not know.
 */
#ifndef TESTS_GOLDENCHECK_SOURCE_H
#define TESTS_GOLDENCHECK_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line {
	char *text;
	unsigned number; /* from 1 */
};

struct source {
	char *text;
	struct line *header; /* lines that start with '#', without it and the blank after it */
	struct line *data;   /* the others, without empty ones */
	size_t n_header, n_data;
};

/* Reason for a file that is not text and is not named like one either. */
#define SOURCE_BINARY "binary data"

/* False with a reason, and the line number where there is one, when it is not text. */
bool source_read(struct source *s, const char *path, char *why, size_t why_size);
void source_free(struct source *s);

/* Value of the first "key=value" header, or NULL. */
const char *source_key(const struct source *s, const char *key);
/* The same where a number has to be; false when it is missing or none. */
bool source_number(const struct source *s, const char *key, uint32_t *value);

/* The whole text is a number: decimal with sign, hexadecimal with 0x. */
bool parse_number(const char *text, int64_t *value);
/* Hexadecimal digits only, at most 16 of them. */
bool parse_hex(const char *text, uint64_t *value);
/* Cut text at sep in place. Returns the number of fields, or max + 1 when there are more. */
size_t split(char *text, char sep, char **fields, size_t max);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "json.h"

/* Bytes of the UTF-8 sequence at s, 0 when there is no well-formed one. */
static size_t utf8_length(const unsigned char *s)
{
	static const struct {
		unsigned char mask, lead;
		size_t length;
		unsigned least;
	} forms[] = {
		{ 0x80, 0x00, 1, 0 },
		{ 0xe0, 0xc0, 2, 0x80 },
		{ 0xf0, 0xe0, 3, 0x800 },
		{ 0xf8, 0xf0, 4, 0x10000 },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		unsigned code = s[0] & (unsigned)(unsigned char)~forms[i].mask;

		if ((s[0] & forms[i].mask) != forms[i].lead)
			continue;
		for (size_t k = 1; k < forms[i].length; k++) {
			if ((s[k] & 0xc0) != 0x80)
				return 0;
			code = code << 6 | (s[k] & 0x3f);
		}
		if (code < forms[i].least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
			return 0;
		return forms[i].length;
	}
	return 0;
}

static void write_string(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	fputc('"', out);
	while (*s) {
		size_t length = utf8_length(s);

		if (!length) {
			fputs("\\ufffd", out);
			s++;
			continue;
		}
		if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else if (*s < 0x20 || *s == 0x7f)
			fprintf(out, "\\u%04x", *s);
		else
			fwrite(s, 1, length, out);
		s += length;
	}
	fputc('"', out);
}

/* Everything that comes before a value: comma, new line, indentation, key. */
static void lead_in(struct json *j, const char *key)
{
	unsigned top = j->depth - 1;

	if (j->filled[top])
		fputc(',', j->out);
	j->filled[top] = true;
	fprintf(j->out, "\n%*s", (int)(2 * j->depth), "");
	if (j->array[top])
		return;
	write_string(j->out, key);
	fputs(": ", j->out);
}

static void open_level(struct json *j, bool array)
{
	j->array[j->depth] = array;
	j->filled[j->depth] = false;
	j->depth++;
	fputc(array ? '[' : '{', j->out);
}

void json_begin(struct json *j, FILE *out)
{
	memset(j, 0, sizeof(*j));
	j->out = out;
	open_level(j, false);
}

void json_end(struct json *j)
{
	j->depth--;
	if (j->filled[j->depth])
		fprintf(j->out, "\n%*s", (int)(2 * j->depth), "");
	fputc(j->array[j->depth] ? ']' : '}', j->out);
}

void json_finish(struct json *j)
{
	while (j->depth)
		json_end(j);
	fputc('\n', j->out);
}

void json_object(struct json *j, const char *key)
{
	lead_in(j, key);
	open_level(j, false);
}

void json_array(struct json *j, const char *key)
{
	lead_in(j, key);
	open_level(j, true);
}

void json_string(struct json *j, const char *key, const char *value)
{
	lead_in(j, key);
	if (value)
		write_string(j->out, value);
	else
		fputs("null", j->out);
}

void json_count(struct json *j, const char *key, unsigned long long value)
{
	lead_in(j, key);
	fprintf(j->out, "%llu", value);
}

void json_integer(struct json *j, const char *key, long long value)
{
	lead_in(j, key);
	fprintf(j->out, "%lld", value);
}

void json_real(struct json *j, const char *key, double value)
{
	lead_in(j, key);
	if (isfinite(value))
		fprintf(j->out, "%.10g", value);
	else
		fputs("null", j->out);
}

void json_bool(struct json *j, const char *key, bool value)
{
	lead_in(j, key);
	fputs(value ? "true" : "false", j->out);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdarg.h>
#include <string.h>

#include "report.h"
#include "units.h"

void report_begin(struct report *r, bool as_json, const char *command)
{
	memset(r, 0, sizeof(*r));
	r->as_json = as_json;
	r->label_width = 18;
	if (!as_json)
		return;
	json_begin(&r->json, stdout);
	json_string(&r->json, "command", command);
}

void report_finish(struct report *r)
{
	if (r->as_json)
		json_finish(&r->json);
}

void report_open(struct report *r, const char *key, const char *title)
{
	if (r->as_json) {
		json_object(&r->json, key);
		return;
	}
	if (title)
		printf("%*s%s\n", r->indent, "", title);
	r->indent += 2;
}

void report_close(struct report *r)
{
	if (r->as_json)
		json_end(&r->json);
	else
		r->indent -= 2;
}

static void print_fact(const struct report *r, const char *label, const char *value)
{
	if (label)
		printf("%*s%-*s %s\n", r->indent, "", r->label_width - r->indent, label, value);
}

void report_line(struct report *r, const char *label, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (r->as_json)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	print_fact(r, label, text);
}

void report_string(struct report *r, const char *key, const char *label, const char *value)
{
	if (!r->as_json)
		print_fact(r, label, value);
	else if (key)
		json_string(&r->json, key, value);
}

void report_count(struct report *r, const char *key, const char *label, uint64_t value)
{
	char buf[UNITS_SIZE];

	if (!r->as_json)
		print_fact(r, label, units_count(buf, value));
	else if (key)
		json_count(&r->json, key, value);
}

void report_bytes(struct report *r, const char *key, const char *label, uint64_t value)
{
	char scaled[UNITS_SIZE], exact[UNITS_SIZE];

	if (r->as_json && key)
		json_count(&r->json, key, value);
	else if (value < 1024)
		report_line(r, label, "%s", units_bytes(scaled, value));
	else
		report_line(r, label, "%s (%s bytes)", units_bytes(scaled, value),
			    units_count(exact, value));
}

void report_time(struct report *r, const char *key, const char *label, double us)
{
	char buf[UNITS_SIZE];

	if (!r->as_json)
		print_fact(r, label, units_time(buf, us));
	else if (key)
		json_real(&r->json, key, us);
}

void report_real(struct report *r, const char *key, const char *label, double value)
{
	if (r->as_json && key)
		json_real(&r->json, key, value);
	else
		report_line(r, label, "%.4g", value);
}

void report_bool(struct report *r, const char *key, const char *label, bool value)
{
	if (!r->as_json)
		print_fact(r, label, value ? "yes" : "no");
	else if (key)
		json_bool(&r->json, key, value);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * report.h - one list of facts, printed for people or as JSON.
 *
 * Each fact has a stable key (JSON) and a label (text). A NULL label: JSON only; a NULL
 * key: text only.
 */
#ifndef TOOLS_ROCKET_REPORT_H
#define TOOLS_ROCKET_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "json.h"

struct report {
	bool as_json;
	struct json json;
	int indent, label_width;
};

void report_begin(struct report *r, bool as_json, const char *command);
void report_finish(struct report *r);

/* A named group of facts; text shows the title, unless it is NULL, and indents. */
void report_open(struct report *r, const char *key, const char *title);
void report_close(struct report *r);

void report_string(struct report *r, const char *key, const char *label, const char *value);
/* A value for the text only, printf style. */
void report_line(struct report *r, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void report_count(struct report *r, const char *key, const char *label, uint64_t value);
void report_bytes(struct report *r, const char *key, const char *label, uint64_t value);
/* Microseconds; the key should end in _us. */
void report_time(struct report *r, const char *key, const char *label, double us);
void report_real(struct report *r, const char *key, const char *label, double value);
void report_bool(struct report *r, const char *key, const char *label, bool value);

#endif

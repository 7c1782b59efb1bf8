/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * json.h - writing one JSON document.
 *
 * A key is given inside an object and NULL inside an array. Strings that are not UTF-8
 * have their stray bytes replaced, numbers that JSON cannot hold become null.
 */
#ifndef TOOLS_ROCKET_JSON_H
#define TOOLS_ROCKET_JSON_H

#include <stdbool.h>
#include <stdio.h>

#define JSON_DEPTH_MAX 16

struct json {
	FILE *out;
	unsigned depth;
	bool array[JSON_DEPTH_MAX];
	bool filled[JSON_DEPTH_MAX]; /* has a member already */
};

/* Open the outermost object. */
void json_begin(struct json *j, FILE *out);
/* Close everything that is open, and the line. */
void json_finish(struct json *j);

void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
/* Close the innermost object or array. */
void json_end(struct json *j);

void json_string(struct json *j, const char *key, const char *value); /* NULL: null */
void json_count(struct json *j, const char *key, unsigned long long value);
void json_integer(struct json *j, const char *key, long long value);
void json_real(struct json *j, const char *key, double value);
void json_bool(struct json *j, const char *key, bool value);

#endif

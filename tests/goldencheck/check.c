// SPDX-License-Identifier: LGPL-2.1-or-later
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Differences kept for --verbose. */
#define SHOWN 16

static void set_verdict(struct check *c, enum verdict verdict, unsigned line, const char *fmt,
			va_list ap)
{
	int n = 0;

	if (c->verdict != PASSED)
		return;
	c->verdict = verdict;
	if (line)
		n = snprintf(c->reason, sizeof(c->reason), "line %u: ", line);
	vsnprintf(c->reason + n, sizeof(c->reason) - (size_t)n, fmt, ap);
}

void check_fail(struct check *c, unsigned line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_verdict(c, FAILED, line, fmt, ap);
	va_end(ap);
}

void check_skip(struct check *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_verdict(c, SKIPPED, 0, fmt, ap);
	va_end(ap);
}

void check_note(struct check *c, const char *fmt, ...)
{
	size_t used = strlen(c->reason);
	va_list ap;

	if (c->verdict != PASSED)
		return;
	if (used && used + 3 < sizeof(c->reason))
		used += (size_t)snprintf(c->reason + used, sizeof(c->reason) - used, "; ");
	va_start(ap, fmt);
	vsnprintf(c->reason + used, sizeof(c->reason) - used, fmt, ap);
	va_end(ap);
}

static void keep(struct check *c, const char *text)
{
	size_t add = strlen(text) + 1;
	char *more = realloc(c->detail, c->detail_size + add + 1);

	if (!more)
		return;
	c->detail = more;
	memcpy(more + c->detail_size, text, add - 1);
	c->detail_size += add;
	more[c->detail_size - 1] = '\n';
	more[c->detail_size] = '\0';
}

void check_differs(struct check *c, unsigned line, const char *fmt, ...)
{
	char text[256];
	int n = 0;
	va_list ap;

	if (line)
		n = snprintf(text, sizeof(text), "line %u: ", line);
	va_start(ap, fmt);
	vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, ap);
	va_end(ap);
	if (c->differences++ < SHOWN)
		keep(c, text);
	if (c->verdict == FAILED && c->differences > 1)
		return;
	c->verdict = FAILED;
	snprintf(c->reason, sizeof(c->reason), "%s", text);
}

bool matmul_form(const char *operands, const char *result, struct rocket_matmul_task *task)
{
	task->transposed = operands && result && !strcmp(operands, "int16") &&
			   !strcmp(result, "int16_transposed");
	if (task->transposed) {
		task->type = ROCKET_MM_INT16_INT32;
		return true;
	}
	for (int i = 0; operands && result && i < ROCKET_MM_TYPES; i++) {
		const struct rocket_matmul_traits *t =
			rocket_matmul_traits((enum rocket_matmul_type)i);

		task->type = (enum rocket_matmul_type)i;
		if (!strcmp(t->name, operands) && !strcmp(t->result, result))
			return true;
	}
	return false;
}

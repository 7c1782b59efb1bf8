// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

/* Stands in the first cell of a row that is a line. */
#define RULE "\001"

void table_init(struct table *t, unsigned columns)
{
	memset(t, 0, sizeof(*t));
	t->columns = columns;
}

static char *next_cell(struct table *t)
{
	if (t->failed)
		return NULL;
	if (t->rows == t->capacity) {
		unsigned capacity = t->capacity ? 2 * t->capacity : 16;
		void *cells = realloc(t->cells, (size_t)capacity * t->columns * TABLE_CELL_MAX);

		if (!cells) {
			t->failed = 1;
			return NULL;
		}
		t->cells = cells;
		t->capacity = capacity;
	}
	return t->cells[(size_t)t->rows * t->columns + t->filled];
}

static void cell_done(struct table *t)
{
	if (++t->filled == t->columns) {
		t->filled = 0;
		t->rows++;
	}
}

void table_cell(struct table *t, const char *fmt, ...)
{
	char *cell = next_cell(t);
	va_list ap;

	if (!cell)
		return;
	va_start(ap, fmt);
	vsnprintf(cell, TABLE_CELL_MAX, fmt, ap);
	va_end(ap);
	cell_done(t);
}

void table_rule(struct table *t)
{
	for (unsigned i = 0; i < t->columns; i++)
		table_cell(t, "%s", RULE);
}

static void print_rule(const unsigned *width, unsigned columns, FILE *out)
{
	unsigned total = 2 * (columns - 1);

	for (unsigned c = 0; c < columns; c++)
		total += width[c];
	while (total--)
		fputc('-', out);
	fputc('\n', out);
}

static void print_row(const struct table *t, unsigned row, const unsigned *width, FILE *out)
{
	for (unsigned c = 0; c < t->columns; c++) {
		const char *cell = t->cells[(size_t)row * t->columns + c];

		if (c == 0)
			fprintf(out, "%-*s", (int)width[c], cell);
		else
			fprintf(out, "  %*s", (int)width[c], cell);
	}
	fputc('\n', out);
}

void table_print(const struct table *t, FILE *out)
{
	unsigned width[TABLE_COLUMNS_MAX] = { 0 };

	if (t->failed) {
		fputs("(no memory for the table)\n", out);
		return;
	}
	for (unsigned r = 0; r < t->rows; r++)
		for (unsigned c = 0; c < t->columns; c++) {
			const char *cell = t->cells[(size_t)r * t->columns + c];
			unsigned length = (unsigned)strlen(cell);

			if (strcmp(cell, RULE) && length > width[c])
				width[c] = length;
		}
	for (unsigned r = 0; r < t->rows; r++)
		if (!strcmp(t->cells[(size_t)r * t->columns], RULE))
			print_rule(width, t->columns, out);
		else
			print_row(t, r, width, out);
}

void table_free(struct table *t)
{
	free(t->cells);
	table_init(t, t->columns);
}

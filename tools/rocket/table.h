/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * table.h - a plain text table whose columns are as wide as their widest cell.
 *
 * The first column is on the left of its cells, the others are aligned to the right.
 */
#ifndef TOOLS_ROCKET_TABLE_H
#define TOOLS_ROCKET_TABLE_H

#include <stddef.h>
#include <stdio.h>

#define TABLE_COLUMNS_MAX 16
#define TABLE_CELL_MAX    96

struct table {
	unsigned columns, rows, capacity;
	unsigned filled; /* cells of the row in the making */
	char (*cells)[TABLE_CELL_MAX];
	int failed; /* out of memory: nothing is printed but a word of it */
};

void table_init(struct table *t, unsigned columns);
/* Append a cell, printf style; a row is complete after as many as there are columns. */
void table_cell(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A horizontal line. Only between complete rows. */
void table_rule(struct table *t);
void table_print(const struct table *t, FILE *out);
void table_free(struct table *t);

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/* layouts.c - recorded packed operands and output maps against the layout functions. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/layout/matmul_layout.h"

/* ---- blocks of hex ---- */

struct block {
	uint8_t *bytes;
	size_t size;
	unsigned line;
};

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = strchr(digits, c | 0x20);

	return c && at ? (int)(at - digits) : -1;
}

/* Append the bytes of one line; false when it is not hex or too long for the block. */
static bool add_hex(struct block *b, size_t *used, const char *text)
{
	for (; *text; text += 2) {
		int high = hex_digit(text[0]), low = text[0] ? hex_digit(text[1]) : -1;

		if (high < 0 || low < 0 || *used == b->size)
			return false;
		b->bytes[(*used)++] = (uint8_t)(high << 4 | low);
	}
	return true;
}

/* "NAME byte_count", then that many bytes. *i is the line to go on from. */
static bool read_block(struct check *c, size_t *i, const char *name, struct block *b)
{
	const struct source *s = c->src;
	size_t used = 0, length = strlen(name);
	int64_t size;

	if (*i == s->n_data || strncmp(s->data[*i].text, name, length) ||
	    s->data[*i].text[length] != ' ' ||
	    !parse_number(s->data[*i].text + length + 1, &size) || size < 0 || size > 1 << 24) {
		check_fail(c, *i < s->n_data ? s->data[*i].number : 0, "block %s expected", name);
		return false;
	}
	b->size = (size_t)size;
	b->line = s->data[(*i)++].number;
	b->bytes = malloc(b->size + 1);
	for (; b->bytes && used < b->size && *i < s->n_data; ++*i)
		if (!add_hex(b, &used, s->data[*i].text)) {
			check_fail(c, s->data[*i].number, "not the hex bytes of %s", name);
			return false;
		}
	if (used == b->size)
		return true;
	check_fail(c, b->line, "%s has %zu of %zu bytes", name, used, b->size);
	return false;
}

/* ---- packed operands ---- */

static bool is_packing(const struct source *s)
{
	return source_key(s, "feature_C2") || source_key(s, "weight_N_group");
}

struct shape {
	uint32_t m, k, n, bits, c2, ngroup, kgroup;
	unsigned stored; /* bytes of a row-major element in the file */
};

enum { A, A_PACKED, B, B_PACKED, N_BLOCKS };

static bool shape_of_header(struct check *c, struct shape *h)
{
	const struct source *s = c->src;

	if (!source_number(s, "M", &h->m) || !source_number(s, "K", &h->k) ||
	    !source_number(s, "N", &h->n) || !source_number(s, "element_bits", &h->bits) ||
	    !source_number(s, "feature_C2", &h->c2) ||
	    !source_number(s, "weight_N_group", &h->ngroup) ||
	    !source_number(s, "weight_K_group", &h->kgroup) || !source_key(s, "dtype")) {
		check_fail(c, 0, "header without dtype, M, K, N or a group");
		return false;
	}
	if (!h->m || !h->k || !h->n || h->m > 4096 || h->k > 65536 || h->n > 65536 || !h->c2 ||
	    !h->ngroup || !h->kgroup || h->k % h->c2 || h->k % h->kgroup || h->n % h->ngroup ||
	    (h->bits != 4 && h->bits != 8 && h->bits != 16 && h->bits != 32)) {
		check_fail(c, 0, "extents are not multiples of the groups");
		return false;
	}
	h->stored = h->bits == 4 ? 1 : h->bits / 8;
	/* bf16 operands come as fp32, of which the upper half is taken. */
	if (!strcmp(source_key(s, "dtype"), "bf16"))
		h->stored = 4;
	return true;
}

static bool sizes_are_right(struct check *c, const struct shape *h, const struct block *b)
{
	const size_t want[N_BLOCKS] = {
		[A] = (size_t)h->m * h->k * h->stored,
		[A_PACKED] = (size_t)h->m * h->k * h->bits / 8,
		[B] = (size_t)h->n * h->k * h->stored,
		[B_PACKED] = (size_t)h->n * h->k * h->bits / 8,
	};

	for (int i = 0; i < N_BLOCKS; i++)
		if (b[i].size != want[i]) {
			check_fail(c, b[i].line, "%zu bytes, the shape needs %zu", b[i].size,
				   want[i]);
			return false;
		}
	return true;
}

/* The groups of the file's type are those of our traits. */
static void compare_traits(struct check *c, const struct shape *h)
{
	for (int i = 0; i < ROCKET_MM_TYPES; i++) {
		const struct rocket_matmul_traits *t =
			rocket_matmul_traits((enum rocket_matmul_type)i);

		if (strcmp(t->name, source_key(c->src, "dtype")))
			continue;
		if (t->in_bits != h->bits || t->c2 != h->c2 || t->ngroup != h->ngroup ||
		    t->kgroup != h->kgroup)
			check_differs(c, 0, "here %u bits, C2 %u, groups %u and %u", t->in_bits,
				      t->c2, t->ngroup, t->kgroup);
	}
}

/* Bytes of packed element `index`, taken from its row-major place. */
static bool same_element(const struct shape *h, const uint8_t *packed, size_t index,
			 const uint8_t *from)
{
	if (h->bits == 4)
		return (packed[index / 2] >> index % 2 * 4 & 15) == (*from & 15);
	return !memcmp(packed + index * h->bits / 8, from + h->stored - h->bits / 8, h->bits / 8);
}

static void compare_indices(struct check *c, const struct shape *h, const struct block *b)
{
	for (size_t m = 0; m < h->m; m++)
		for (size_t k = 0; k < h->k; k++)
			if (!same_element(h, b[A_PACKED].bytes,
					  rocket_feature_index(h->m, h->c2, m, k),
					  b[A].bytes + (m * h->k + k) * h->stored))
				check_differs(c, b[A_PACKED].line, "A(%zu,%zu) lies elsewhere", m,
					      k);
	for (size_t n = 0; n < h->n; n++)
		for (size_t k = 0; k < h->k; k++)
			if (!same_element(h, b[B_PACKED].bytes,
					  rocket_weight_index(h->k, h->ngroup, h->kgroup, n, k),
					  b[B].bytes + (n * h->k + k) * h->stored))
				check_differs(c, b[B_PACKED].line, "B(%zu,%zu) lies elsewhere", n,
					      k);
}

static void compare_bytes(struct check *c, const char *what, const struct block *want,
			  const uint8_t *got)
{
	for (size_t i = 0; i < want->size; i++)
		if (want->bytes[i] != got[i])
			check_differs(c, want->line, "%s byte %zu is %02x, here %02x", what, i,
				      want->bytes[i], got[i]);
}

/* How the file's row-major operands are stored. */
static const struct rocket_source *source_of(const char *dtype)
{
	static const struct {
		const char *dtype;
		const struct rocket_source *source;
	} sources[] = { { "fp16", &rocket_source_16 }, { "int16", &rocket_source_16 },
			{ "int8", &rocket_source_8 },  { "int4", &rocket_source_int4 },
			{ "tf32", &rocket_source_32 }, { "bf16", &rocket_source_bf16 } };

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (!strcmp(sources[i].dtype, dtype))
			return sources[i].source;
	return NULL;
}

static void compare_packers(struct check *c, const struct shape *h, const struct block *b,
			    const struct rocket_source *from)
{
	uint8_t *a = malloc(b[A_PACKED].size), *w = malloc(b[B_PACKED].size);

	if (a && w) {
		rocket_pack_feature_from(a, 0, b[A].bytes, from, h->m, h->m, h->k, h->k);
		rocket_pack_weight_from(w, 0, b[B].bytes, from, h->n, h->k, h->k, h->ngroup,
					h->kgroup);
		compare_bytes(c, "A_packed", &b[A_PACKED], a);
		compare_bytes(c, "B_packed", &b[B_PACKED], w);
	} else {
		check_fail(c, 0, "out of memory");
	}
	free(a);
	free(w);
}

static void check_packing(struct check *c)
{
	static const char *const names[N_BLOCKS] = { "A_rowmajor", "A_packed", "B_rowmajor",
						     "B_packed" };
	struct block b[N_BLOCKS] = { { 0 } };
	const struct rocket_source *from;
	struct shape h;
	bool whole = true;
	size_t i = 0;

	if (!shape_of_header(c, &h))
		return;
	for (int k = 0; whole && k < N_BLOCKS; k++)
		whole = read_block(c, &i, names[k], &b[k]);
	if (whole && i < c->src->n_data)
		check_fail(c, c->src->data[i].number, "more than the four blocks");
	else if (whole && sizes_are_right(c, &h, b)) {
		compare_traits(c, &h);
		compare_indices(c, &h, b);
		from = source_of(source_key(c->src, "dtype"));
		if (from && from->host_bytes == h.stored && from->cube_bits == h.bits)
			compare_packers(c, &h, b, from);
		else
			check_skip(c, "no packer for %s (the index formulas agree)",
				   source_key(c->src, "dtype"));
	}
	for (int k = 0; k < N_BLOCKS; k++)
		free(b[k].bytes);
}

const struct kind packing_kind = { is_packing, check_packing };

/* ---- output maps ---- */

#define COLUMNS "writer,out_bytes,M,N,m,n,byte_offset"
enum { WRITER, OUT_BYTES, ROWS, COLS, ROW, COL, OFFSET, N_COLUMNS };

static bool is_output_map(const struct source *s)
{
	return s->n_data && !strcmp(s->data[0].text, COLUMNS);
}

static bool map_row(struct check *c, unsigned line, char **field)
{
	int64_t v[N_COLUMNS];
	size_t offset;

	for (int i = OUT_BYTES; i < N_COLUMNS; i++)
		if (!parse_number(field[i], &v[i]) || v[i] < 0 || v[i] > INT32_MAX)
			return false;
	if (v[OUT_BYTES] < 1 || v[OUT_BYTES] > 16 || v[ROW] >= v[ROWS] || v[COL] >= v[COLS])
		return false;
	if (!strcmp(field[WRITER], "int16_transposed"))
		offset = rocket_transposed_index((size_t)v[ROWS], (size_t)v[ROW], (size_t)v[COL]);
	else
		offset = rocket_output_index((size_t)v[ROWS], (unsigned)(16 / v[OUT_BYTES]),
					     (size_t)v[ROW], (size_t)v[COL]);
	offset *= (size_t)v[OUT_BYTES];
	if (offset != (size_t)v[OFFSET])
		check_differs(c, line, "%s (%s,%s) at %s, here at %zu", field[WRITER], field[ROW],
			      field[COL], field[OFFSET], offset);
	return true;
}

static void check_output_map(struct check *c)
{
	for (size_t i = 1; i < c->src->n_data; i++) {
		const struct line *line = &c->src->data[i];
		char *copy = strdup(line->text), *field[N_COLUMNS];

		if (!copy || split(copy, ',', field, N_COLUMNS) != N_COLUMNS ||
		    !map_row(c, line->number, field))
			check_fail(c, line->number, "not a row of " COLUMNS);
		free(copy);
	}
	check_note(c, "%zu places", c->src->n_data - 1);
}

const struct kind output_map_kind = { is_output_map, check_output_map };

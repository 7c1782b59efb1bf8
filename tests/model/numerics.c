// SPDX-License-Identifier: LGPL-2.1-or-later
/* numerics.c - recorded result vectors, through whole tasks, by both kinds of code. */
#include <stdlib.h>
#include <string.h>

#include "tests/model/board.h"
#include "tests/model/emit.h"
#include "tests/model/golden.h"
#include "tests/model/layout.h"
#include "tests/model/tap.h"

#define PROGRAM 0x50000000u
#define ROWS    12u /* the least an accumulating task may have */
#define ROW     5u  /* of A that carries the vector */
#define COLUMN  7u  /* of B */
#define MOST    4096

static struct tap tap;
static bool portable;

struct vector {
	uint16_t a[MOST], b[MOST];
	unsigned k;
};

static unsigned parse(char *text, uint16_t *to, int base)
{
	unsigned n = 0;

	for (char *w = strtok(text, " \n"); w && n < MOST; w = strtok(NULL, " \n"))
		to[n++] = (uint16_t)strtol(w, NULL, base);
	return n;
}

static void board_with(struct board *b)
{
	struct npu_core_options o = { .force_portable = portable };

	board_init(b, &o);
	for (uint32_t space = 0x10000000; space <= 0x50000000; space += 0x10000000)
		board_map(b, space, 1 << 19);
}

static void put_element(struct board *b, unsigned bits, uint32_t base, size_t element, uint16_t v)
{
	uint8_t *at = board_byte(b, base + (uint32_t)(element * bits / 8));

	if (bits == 4)
		*at = element % 2 ? (uint8_t)((*at & 15) | v << 4)
				  : (uint8_t)((*at & 0xf0) | (v & 15));
	else
		board_put(b, base + (uint32_t)(element * bits / 8), &v, bits / 8);
}

/* One row of A, one column of B; all others stay 0. */
static void put(struct board *b, const struct emit_conv *c, const uint16_t *a, const uint16_t *w)
{
	const struct layout_type *t = layout_type(emit_in_name(c->type));

	board_fill(b, c->input, 0, (size_t)c->ic * c->ih * t->bits / 8);
	board_fill(b, c->weights, 0, (size_t)c->ic * c->oc * t->bits / 8);
	for (unsigned k = 0; k < c->ic; k++) {
		put_element(b, t->bits, c->input, layout_cube(t->bits, c->ih, ROW, k), a[k]);
		put_element(b, t->bits, c->weights, layout_weight(t, c->oc, c->ic, 1, COLUMN, k, 0),
			    w[k]);
	}
}

static uint32_t run(struct board *b, const struct emit_conv *c)
{
	unsigned bits = 8 * emit_out_bytes(c->type);
	struct emit_program p;
	struct npu_result r;
	uint32_t got = 0;

	emit_program(&p, c);
	board_run(b, PROGRAM, p.word, p.n, p.n, 1, &r);
	if (r.verdict != NPU_DONE)
		return 0xdeadbeef;
	board_get(b, c->output + (uint32_t)layout_cube(bits, c->oh, ROW, COLUMN) * bits / 8, &got,
		  bits / 8);
	return got;
}

static uint32_t product(enum emit_type type, const uint16_t *a, const uint16_t *w, unsigned k)
{
	struct emit_conv c = emit_matmul(type, ROWS, k, type == EMIT_INT4_INT16 ? 64 : 32);
	struct board b;
	uint32_t got;

	board_with(&b);
	put(&b, &c, a, w);
	got = run(&b, &c);
	board_free(&b);
	return got;
}

/* Partial sums over tiles of kt, accumulated by the tasks. */
static bool partials(const struct vector *v, unsigned kt, const uint16_t *want, unsigned n)
{
	struct board b;
	bool same = true;

	board_with(&b);
	for (unsigned i = 0; i < n; i++) {
		struct emit_conv c = emit_matmul(EMIT_FP16_FP16, ROWS, kt, 32);

		c.ew = i ? EMIT_ADD : EMIT_NO_EW;
		c.output = i % 2 ? 0x40000000 : 0x30000000;
		c.operand = i % 2 ? 0x30000000 : 0x40000000;
		put(&b, &c, v->a + i * kt, v->b + i * kt);
		same &= run(&b, &c) == want[i];
	}
	board_free(&b);
	return same;
}

static void base_line(struct vector *v, char *line, unsigned id, const char *path)
{
	uint32_t want = (uint32_t)strtoul(line + 5, NULL, 16);

	if (!strncmp(line, "fp32 ", 5))
		tap_ok(&tap, product(EMIT_FP16_FP32, v->a, v->b, v->k) == want,
		       "fp16_base_model case %u %s: fp32 %08x", id, path, want);
	else
		tap_ok(&tap, product(EMIT_FP16_FP16, v->a, v->b, v->k) == want,
		       "fp16_base_model case %u %s: fp16 %04x", id, path, want);
}

static void kacc_line(struct vector *v, char *line, unsigned kt, unsigned id, const char *path)
{
	uint16_t want[MOST];
	unsigned n = parse(line + 9, want, 16);

	tap_ok(&tap, partials(v, kt, want, n), "fp16_kacc_model case %u %s: %u partials", id, path,
	       n);
}

/* "case I K=..", "A ..", "B ..", then results. */
static void run_cases(const char *root, const char *file)
{
	static struct vector v;
	static char line[65536];
	const char *path = portable ? "portable" : "vector";
	unsigned id = 0, kt = 0;
	char name[4608];
	FILE *f;

	snprintf(name, sizeof(name), "%s/matmul-rk3588/numerics/%s", root, file);
	f = fopen(name, "r");
	if (!tap_ok(&tap, f, "%s opens", file))
		return;
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "case ", 5)) {
			id = (unsigned)strtoul(line + 5, NULL, 10);
			if (strstr(line, "Kt="))
				kt = (unsigned)strtoul(strstr(line, "Kt=") + 3, NULL, 10);
		} else if (!strncmp(line, "A ", 2)) {
			v.k = parse(line + 2, v.a, 16);
		} else if (!strncmp(line, "B ", 2)) {
			parse(line + 2, v.b, 16);
		} else if (!strncmp(line, "fp", 2)) {
			base_line(&v, line, id, path);
		} else if (!strncmp(line, "partials ", 9)) {
			kacc_line(&v, line, kt, id, path);
		}
	}
	fclose(f);
}

static const struct {
	const char *kind;
	enum emit_type type;
} kinds[] = {
	{ "int4 ", EMIT_INT4_INT16 },
	{ "int8 ", EMIT_INT8_INT32 },
	{ "int16 ", EMIT_INT16_INT32 },
};

/* "kind K A.. | B.. | expected" */
static void run_integers(const char *root, unsigned i)
{
	uint32_t mask = emit_out_bytes(kinds[i].type) == 2 ? 0xffff : 0xffffffff;
	static struct vector v;
	static char line[65536];
	unsigned n = 0, right = 0;
	char name[4608];
	FILE *f;

	snprintf(name, sizeof(name), "%s/matmul-rk3588/numerics/integer.txt", root);
	f = fopen(name, "r");
	if (!tap_ok(&tap, f, "integer.txt opens"))
		return;
	while (fgets(line, sizeof(line), f)) {
		char *a = strtok(line, "|"), *b = strtok(NULL, "|"), *want = strtok(NULL, "|");

		if (strncmp(line, kinds[i].kind, strlen(kinds[i].kind)) || !want)
			continue;
		v.k = (unsigned)strtoul(a + strlen(kinds[i].kind), &a, 10);
		parse(a, v.a, 10);
		parse(b, v.b, 10);
		n++;
		right += product(kinds[i].type, v.a, v.b, v.k) ==
			 ((uint32_t)strtol(want, NULL, 10) & mask);
	}
	fclose(f);
	tap_ok(&tap, n && right == n, "integer.txt %s: %u of %u %svectors",
	       portable ? "portable" : "vector", right, n, kinds[i].kind);
}

int main(void)
{
	const char *root = golden_folder();

	for (unsigned i = 0; i < 2; i++) {
		portable = i;
		run_cases(root, "fp16_base_model.txt");
		run_cases(root, "fp16_kacc_model.txt");
		for (unsigned k = 0; k < 3; k++)
			run_integers(root, k);
	}
	return tap_end(&tap);
}

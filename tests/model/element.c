// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * element.c - memory-fed operations on two tensors: recorded programs on recorded vectors and
 * random halves.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/model/board.h"
#include "tests/model/golden.h"
#include "tests/model/reference.h"
#include "tests/model/tap.h"

#define PROGRAM 0x50000000u
#define MOST    4096u

static struct tap tap;

/* Columns of the vectors after a and b. */
static const char *const ops[] = { "add", "minus", "max", "min", "mul" };

#define OPS 5u

struct vectors {
	long a[MOST], b[MOST], result[OPS][MOST];
	unsigned n;
};

static void load_vectors(struct vectors *v, const char *root, const char *type)
{
	char path[4608], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/eltwise-rk3588/numerics/%s.txt", root, type);
	f = fopen(path, "r");
	v->n = 0;
	while (f && v->n < MOST && fgets(line, sizeof(line), f)) {
		char *at = line;

		if (line[0] == '#')
			continue;
		v->a[v->n] = strtol(at, &at, 10);
		v->b[v->n] = strtol(at + 1, &at, 10);
		for (unsigned i = 0; i < OPS; i++)
			v->result[i][v->n] = strtol(at + 1, &at, 10);
		v->n++;
	}
	if (f)
		fclose(f);
}

static float apply(unsigned op, float a, float b)
{
	switch (op) {
	case 0:
		return a + b;
	case 1:
		return a - b;
	case 2:
		return a > b ? a : b;
	case 3:
		return a < b ? a : b;
	default:
		return a * b;
	}
}

/* Halves of all finite magnitudes, and the result of one rounding. */
static void draw_halves(struct vectors *v, struct board *b)
{
	for (v->n = 0; v->n < MOST; v->n++) {
		uint16_t x = (uint16_t)(board_random(b) & 0xbfff),
			 y = (uint16_t)(board_random(b) & 0xbfff);

		v->a[v->n] = x;
		v->b[v->n] = y;
		for (unsigned i = 0; i < OPS; i++)
			v->result[i][v->n] = ref_narrow(
				apply(i, (float)ref_half_value(x), (float)ref_half_value(y)));
	}
}

static void exec(const char *path, const char *name, void *ctx)
{
	static struct vectors v;
	struct npu_result r;
	struct golden g;
	struct board b;
	const char *type;
	unsigned bytes, op, wrong = 0;

	if (strncmp(name, "fly_", 4) || !golden_load(&g, path))
		return;
	type = golden_text(&g, "dtype");
	bytes = !strcmp(type, "int8") ? 1 : !strcmp(type, "int32") ? 4 : 2;
	for (op = 0; op < OPS - 1 && strcmp(golden_text(&g, "op") + 3, ops[op]); op++)
		;
	board_init(&b, NULL);
	for (uint32_t space = 0x10000000; space <= 0x50000000; space += 0x10000000)
		board_map(&b, space, 1 << 16);
	if (!strcmp(type, "fp16"))
		draw_halves(&v, &b);
	else
		load_vectors(&v, ctx, type);
	for (uint32_t i = 0; i < v.n; i++) {
		board_put(&b, 0x10000000 + i * bytes, &v.a[i], bytes);
		board_put(&b, 0x40000000 + i * bytes, &v.b[i], bytes);
	}
	board_run(&b, PROGRAM, g.words, g.n_words, (unsigned)g.n_words, 1, &r);
	for (uint32_t i = 0; i < v.n; i++) {
		uint32_t got = 0;

		board_get(&b, 0x30000000 + i * bytes, &got, bytes);
		wrong += memcmp(&got, &v.result[op][i], bytes) != 0;
	}
	tap_ok(&tap, r.verdict == NPU_DONE && v.n && !wrong && !r.warnings && r.raw_status == 0x100,
	       "%s: %u of %u differ%s%s%s", name, wrong, v.n, *r.reason ? ": " : "", r.reason,
	       b.reports ? b.line[0] : "");
	board_free(&b);
	golden_free(&g);
}

int main(void)
{
	const char *root = golden_folder();

	golden_each(root, "eltwise-rk3588", exec, (void *)root);
	return tap_end(&tap);
}

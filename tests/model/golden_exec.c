// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * golden_exec.c - recorded register programs, executed on packed random operands and compared
 * element by element with a plain evaluation of the operation their header names.
 */
#include <string.h>

#include "tests/model/board.h"
#include "tests/model/conv_case.h"
#include "tests/model/golden.h"
#include "tests/model/tap.h"

#define PROGRAM 0x50000000u

static struct tap tap;

/* ---- headers ---- */

static enum case_ew element_wise(const struct golden *g)
{
	static const char *const names[] = { "none", "add", "mul", "max", "min" };
	const char *name = golden_text(g, "eltwise"), *op = golden_text(g, "op");

	if (golden_number(g, "accumulate", 0))
		return EW_ADD;
	if (!strncmp(op, "ew_", 3))
		name = op + 3;
	for (unsigned i = EW_ADD; i <= EW_MIN; i++)
		if (!strcmp(names[i], name))
			return (enum case_ew)i;
	return EW_NONE;
}

static void matmul_shape(const struct golden *g, struct shape *s)
{
	s->ic = (unsigned)golden_number(g, "K", 0);
	s->ih = s->oh = (unsigned)golden_number(g, "M", 0);
	s->oc = (unsigned)golden_number(g, "N", 0);
	s->iw = s->ow = s->kh = s->kw = s->sy = s->sx = s->dy = s->dx = 1;
	s->add = (uint32_t)golden_number(
		g, "add", golden_number(g, "operand", golden_number(g, "operand_b", 0)));
	s->ew = element_wise(g);
	s->rowmajor_in = !strncmp(golden_text(g, "form"), "rowmajor", 8);
	s->rowmajor_out = !strcmp(golden_text(g, "form"), "rowmajor");
	s->row_k = (unsigned)golden_number(g, "A_full_K", s->ic);
	s->row_n = (unsigned)golden_number(g, "C_full_N", s->oc);
}

static void conv_shape(const struct golden *g, struct shape *s)
{
	s->ic = (unsigned)golden_number(g, "IC", 0);
	s->ih = (unsigned)golden_number(g, "IH", 0);
	s->iw = (unsigned)golden_number(g, "IW", 0);
	s->oc = (unsigned)golden_number(g, "OC", 0);
	s->oh = (unsigned)golden_number(g, "OH", 0);
	s->ow = (unsigned)golden_number(g, "OW", 0);
	s->kh = (unsigned)golden_number(g, "KH", 0);
	s->kw = (unsigned)golden_number(g, "KW", 0);
	s->sy = (unsigned)golden_number(g, "stride_y", 1);
	s->sx = (unsigned)golden_number(g, "stride_x", 1);
	s->dy = (unsigned)golden_number(g, "dil_y", 1);
	s->dx = (unsigned)golden_number(g, "dil_x", 1);
	s->pt = (unsigned)golden_number(g, "pad_top", 0);
	s->pl = (unsigned)golden_number(g, "pad_left", 0);
	s->transposed = !strcmp(golden_text(g, "op"), "conv_transpose2d_deconv");
}

/* What the operation of a header is; false and why when this test has no reference for it. */
static bool read_shape(const struct golden *g, struct shape *s, const char **why)
{
	const char *op = golden_text(g, "op"), *in = golden_text(g, "in_dtype");

	memset(s, 0, sizeof(*s));
	*why = "an operation the model has no block for";
	if (!strcmp(golden_text(g, "soc"), "rk3576")) {
		*why = "another chip";
		return false;
	}
	s->type = layout_type(*in ? in : golden_text(g, "dtype"));
	s->out = golden_text(g, "out_dtype");
	if (!*s->out)
		s->out = golden_text(g, "out");
	if (!*s->out && !strncmp(golden_text(g, "form"), "conv-main", 9))
		s->out = "fp16";
	s->input = (uint32_t)golden_number(g, "input", golden_number(g, "input_a", 0));
	s->weights = (uint32_t)golden_number(g, "weights", 0);
	s->output = (uint32_t)golden_number(g, "output", 0);
	s->transposed_out = !strcmp(s->out, "int16_transposed");
	if (!s->type)
		return false;
	*why = "a result this test has no reference for";
	if (!strcmp(s->out, "int8") || strstr(g->name, "tanh") || strstr(g->name, "gelu"))
		return false;
	*why = "an operation the model has no block for";
	if (!strcmp(op, "matmul") || !strcmp(op, "matmul+eltwise") || !strncmp(op, "ew_", 3))
		matmul_shape(g, s);
	else if (!strcmp(op, "conv2d") || !strcmp(op, "conv_transpose2d_deconv"))
		conv_shape(g, s);
	else
		return false;
	s->ih_programmed = (unsigned)golden_number(g, "IH_programmed", s->ih);
	return s->ic && s->ih && s->oc && s->oh;
}

/* int16 with the writer of older encoders, and the transposed writer of one kernel group. */
static bool hangs_on_silicon(const struct shape *s, const struct golden *g)
{
	if (strcmp(s->type->name, "int16"))
		return false;
	for (size_t i = 0; i < g->n_words; i++)
		if (g->words[i] == (0x1001ull << 48 | 0x7feull << 16 | 0x4050))
			return true;
	return s->transposed_out && s->oc == 16;
}

/* The first tile of the old writer, or all of the transposed one, is right; the rest untouched. */
static void check_hang(struct board *b, const struct golden *g, const struct shape *s,
		       const struct operands *o, const struct npu_result *r)
{
	size_t wrong = 0;

	for (size_t p = 0; p < s->oh; p++)
		for (size_t n = 0; n < s->oc; n++) {
			bool written = s->transposed_out || (!p && n < 16);
			uint32_t want = written ? shape_expected(s, o, p, n) : 0xa5a5a5a5;

			wrong += shape_result(b, s, p, n) != want;
		}
	tap_ok(&tap, r->verdict == NPU_HUNG && !wrong,
	       "%s hangs after what silicon writes: %zu differ", g->name, wrong);
}

static void run_single(const struct golden *g, const struct shape *s, enum fill fill,
		       bool scattered)
{
	struct operands o = { 0 };
	struct npu_result r;
	struct board b;
	size_t wrong, seen;

	board_init(&b, NULL);
	b.scattered = scattered;
	b.seed += g->n_words + s->ic;
	shape_map(&b, s);
	board_map(&b, PROGRAM, 16384);
	shape_put(&b, s, &o, fill);
	board_run(&b, PROGRAM, g->words, g->n_words, (unsigned)g->n_words, 1, &r);
	if (r.verdict == NPU_HUNG && !strncmp(r.reason, "not modelled", 12)) {
		tap_skip(&tap, g->name, "%s", r.reason);
	} else if (hangs_on_silicon(s, g)) {
		check_hang(&b, g, s, &o, &r);
	} else if (r.verdict != NPU_DONE) {
		tap_ok(&tap, false, "%s: %s %s", g->name, r.block, r.reason);
	} else {
		wrong = shape_compare(&b, s, &o, &seen);
		tap_ok(&tap, seen && !wrong && !shape_strays(&b, s),
		       "%s %s: %zu of %zu elements differ", g->name,
		       fill == SMALL_INTEGERS ? "integers" : "random", wrong, seen);
	}
	operands_free(&o);
	board_free(&b);
}

static void exec(const char *path, const char *name, void *ctx)
{
	struct golden g;
	struct shape s;
	const char *why;

	(void)ctx;
	/* Chains and memory-fed operations have tests of their own. */
	if (strstr(name, "chain") || !strncmp(name, "fly_", 4))
		return;
	if (!golden_load(&g, path)) {
		tap_ok(&tap, false, "%s cannot be read", name);
		return;
	}
	if (!read_shape(&g, &s, &why)) {
		tap_skip(&tap, name, "%s", why);
	} else {
		run_single(&g, &s, SMALL_INTEGERS, false);
		if (shape_is_float(&s))
			run_single(&g, &s, RANDOM_VALUES, true);
	}
	golden_free(&g);
}

int main(void)
{
	const char *root = golden_folder();

	tap_note("golden data of %s", root);
	golden_each(root, "matmul-rk3588/programs", exec, NULL);
	golden_each(root, "regcmd", exec, NULL);
	golden_each(root, "delta/deconv", exec, NULL);
	golden_each(root, "conv-rk3588", exec, NULL);
	golden_each(root, "eltwise-rk3588", exec, NULL);
	return tap_end(&tap);
}

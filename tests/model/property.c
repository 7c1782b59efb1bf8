// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * property.c - random valid shapes: every result is the reference's, the vector and the
 * portable code give the same bytes, and how memory is cut up does not show.
 */
#include <stdio.h>
#include <string.h>

#include "tests/model/board.h"
#include "tests/model/conv_case.h"
#include "tests/model/effort.h"
#include "tests/model/emit.h"
#include "tests/model/tap.h"

#define PROGRAM      0x50000000u
#define MATMULS      120
#define CONVS        60
#define SHORT_GROUPS 40

static struct tap tap;
static struct board dice; /* for random numbers only */

static unsigned pick(unsigned low, unsigned high)
{
	return (unsigned)board_random_int(&dice, (int)low, (int)high);
}

struct variant {
	const char *name;
	bool portable, scattered;
	uint32_t longest;
};

static const struct variant variants[] = {
	{ "vector", false, false, 0 },
	{ "portable", true, false, 0 },
	{ "vector, scattered pages", false, true, 0 },
	{ "portable, runs of 1 to 23 bytes", true, true, 23 },
};

#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

/* FNV-1a of everything the task may have written. */
static uint64_t digest(struct board *b, const struct shape *s)
{
	size_t rows = s->rowmajor_out ? s->row_n : s->oc;
	size_t n = (size_t)s->oh * s->ow * rows * shape_out_bytes(s) + 256;
	uint64_t h = 14695981039346656037ull;

	for (size_t i = 0; i < n; i++)
		h = (h ^ *board_byte(b, s->output + (uint32_t)i)) * 1099511628211ull;
	return h;
}

/* One variant; false when it did not complete. Operands depend on seed alone. */
static bool run_variant(const struct emit_program *p, const struct shape *s, enum fill fill,
			const struct variant *v, uint64_t seed, size_t *wrong, uint64_t *sum)
{
	struct npu_core_options o = { .force_portable = v->portable };
	struct operands operands;
	struct npu_result r;
	struct board b;
	size_t seen;
	bool done;

	board_init(&b, &o);
	b.scattered = v->scattered;
	b.longest = v->longest;
	b.seed = seed;
	shape_map(&b, s);
	board_map(&b, PROGRAM, 4096);
	shape_put(&b, s, &operands, fill);
	board_run(&b, PROGRAM, p->word, p->n, p->n, 1, &r);
	done = r.verdict == NPU_DONE && !r.warnings;
	if (!done)
		tap_note("%s: %s %s %s", v->name, r.block, r.reason, b.reports ? b.line[0] : "");
	*sum = digest(&b, s);
	if (v == variants) {
		*wrong = shape_compare(&b, s, &operands, &seen);
		done &= !shape_strays(&b, s);
	}
	operands_free(&operands);
	board_free(&b);
	return done;
}

static void check(const struct emit_program *p, const struct shape *s, enum fill fill,
		  const char *name)
{
	uint64_t sums[VARIANTS], seed = board_random(&dice);
	bool done = true, same = true;
	size_t wrong = 0;

	for (unsigned i = 0; i < VARIANTS; i++) {
		done &= run_variant(p, s, fill, &variants[i], seed, &wrong, &sums[i]);
		same &= sums[i] == sums[0];
	}
	tap_ok(&tap, done && same && !wrong, "%s: %zu elements differ%s%s", name, wrong,
	       done ? "" : ", incomplete", same ? "" : ", variants differ");
}

static void random_matmul(void)
{
	static const char *const fills[] = { "integers", "random", "cancelling", "special" };
	enum emit_type type = (enum emit_type)pick(0, EMIT_TYPES - 1);
	bool fp16 = type <= EMIT_FP16_FP32, row_major = pick(0, 3) == 0;
	struct emit_conv c = emit_matmul(type, pick(1, 40), 32 * pick(1, 12),
					 emit_kernel_group(type) * pick(1, 4));
	enum fill fill = (enum fill)pick(SMALL_INTEGERS, SPECIAL);
	struct emit_program p;
	struct shape s;
	char name[128];

	if (!fp16 && fill > RANDOM_VALUES)
		fill = RANDOM_VALUES;
	if (type == EMIT_FP16_FP16 && c.oh >= 12 && pick(0, 1))
		c.ew = (enum emit_ew)pick(EMIT_ADD, EMIT_MIN);
	if (row_major)
		c.ew = EMIT_NO_EW;
	emit_program(&p, &c);
	s = shape_of(&c);
	if (row_major) {
		s.rowmajor_in = s.rowmajor_out = true;
		s.row_k = c.ic + 32 * pick(0, 3);
		s.row_n = c.oc + 8 * pick(0, 3);
		emit_row_major(&p, &c, s.row_k, s.row_n);
	}
	snprintf(name, sizeof(name), "matmul %s to %s %ux%ux%u ew %d%s %s", s.type->name, s.out,
		 c.oh, c.ic, c.oc, (int)c.ew, row_major ? " row-major" : "", fills[fill]);
	check(&p, &s, fill, name);
}

/* Channel and kernel counts that leave the last group of either short. */
static void random_short_groups(void)
{
	enum emit_type type = (enum emit_type)pick(0, EMIT_TYPES - 1);
	struct emit_conv c = emit_matmul(type, pick(4, 20), 16 * (2 * pick(0, 4) + 1),
					 (emit_out_bytes(type) == 2 ? 8 : 4) * pick(1, 20));
	struct emit_program p;
	struct shape s;
	char name[128];

	if (pick(0, 1)) {
		c.iw = c.ow = pick(1, 5);
		c.kh = c.kw = 3;
		c.pt = c.pl = 1;
		c.pad = type == EMIT_INT8_INT32 ? (int)pick(0, 255) - 128 : 0;
	}
	emit_program(&p, &c);
	s = shape_of(&c);
	snprintf(name, sizeof(name), "short groups %s to %s %ux%ux%u kernel %u, %u kernels, pad %d",
		 s.type->name, s.out, c.ic, c.ih, c.iw, c.kh, c.oc, c.pad);
	check(&p, &s, RANDOM_VALUES, name);
}

static unsigned out_extent(unsigned in, unsigned pad, unsigned k, unsigned d, unsigned stride)
{
	int left = (int)(in + 2 * pad) - (int)(d * (k - 1) + 1);

	return left < 0 ? 0 : (unsigned)left / stride + 1;
}

static void random_conv(void)
{
	struct emit_conv c;
	struct emit_program p;
	struct shape s;
	char name[160];

	do {
		enum emit_type type = (enum emit_type)pick(0, EMIT_TYPES - 1);

		c = emit_matmul(type, pick(4, 12), 32 * pick(1, 3),
				emit_kernel_group(type) * pick(1, 3));
		c.iw = pick(1, 12);
		c.kh = pick(1, 4);
		c.kw = pick(1, 4);
		c.sy = pick(1, 3);
		c.sx = pick(1, 3);
		c.dy = pick(1, 2);
		c.dx = pick(1, 2);
		c.pt = pick(0, 3);
		c.pl = pick(0, 3);
		if (type == EMIT_INT8_INT32)
			c.pad = (int)pick(0, 255) - 128;
		c.oh = out_extent(c.ih, c.pt, c.kh, c.dy, c.sy);
		c.ow = out_extent(c.iw, c.pl, c.kw, c.dx, c.sx);
	} while (!c.oh || !c.ow);
	emit_program(&p, &c);
	s = shape_of(&c);
	snprintf(name, sizeof(name),
		 "conv %s to %s %ux%ux%u to %ux%ux%u kernel %ux%u stride %u,%u dilation %u,%u pad "
		 "%u,%u",
		 s.type->name, s.out, c.ic, c.ih, c.iw, c.oc, c.oh, c.ow, c.kh, c.kw, c.sy, c.sx,
		 c.dy, c.dx, c.pt, c.pl);
	check(&p, &s, RANDOM_VALUES, name);
}

/* Weights far beyond their banks, so that kernels are decoded in several slabs. */
static void streamed(void)
{
	struct emit_conv c = emit_matmul(EMIT_FP16_FP16, 12, 1024, 1024);
	struct emit_program p;
	struct shape s = shape_of(&c);

	emit_program(&p, &c);
	check(&p, &s, RANDOM_VALUES, "matmul of streamed weights 12x1024x1024");
}

int main(void)
{
	board_init(&dice, NULL);
	for (unsigned i = 0; i < effort(MATMULS); i++)
		random_matmul();
	for (unsigned i = 0; i < effort(CONVS); i++)
		random_conv();
	for (unsigned i = 0; i < effort(SHORT_GROUPS); i++)
		random_short_groups();
	streamed();
	board_free(&dice);
	return tap_end(&tap);
}

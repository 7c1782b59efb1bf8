// SPDX-License-Identifier: LGPL-2.1-or-later
/* rules.c - each numeric rule of the model's blocks against an evaluation in exact integers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/npu/dpu.h"
#include "sim/npu/half.h"
#include "sim/npu/mac_float.h"
#include "sim/npu/narrow.h"
#include "tests/model/reference.h"
#include "tests/model/tap.h"

static struct tap tap;
static uint64_t seed = 88172645463325252ull;

static uint64_t draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static bool same_float(float a, float b)
{
	return isnan(a) ? isnan(b) : float_bits(a) == float_bits(b);
}

static void halves(void)
{
	unsigned wrong = 0, back = 0;

	for (unsigned h = 0; h < 65536; h++) {
		float f = half_to_float((uint16_t)h);

		wrong += isnan(f) ? (h & 0x7fff) <= 0x7c00
				  : (double)f != ref_half_value((uint16_t)h);
		back += isnan(f) ? half_from_float(f) != HALF_NAN : half_from_float(f) != h;
	}
	tap_ok(&tap, !wrong, "half_to_float of every half");
	tap_ok(&tap, !back, "half_from_float returns every half");
}

static void narrow_one(narrow_fn *narrow, float f, unsigned *wrong)
{
	float row[9];
	uint16_t got[9];

	for (unsigned i = 0; i < 9; i++)
		row[i] = f;
	narrow(row, got, 9);
	*wrong += got[0] != ref_narrow(f) || got[8] != ref_narrow(f);
}

/* Every half and the ties beside it, overflow, subnormals, and random words. */
static void narrowing(narrow_fn *narrow, const char *path)
{
	unsigned wrong = 0;

	for (unsigned h = 0; h < 0x7c00; h++) {
		float low = half_to_float((uint16_t)h), high = half_to_float((uint16_t)(h + 1));
		float tie = h == 0x7bff ? 65520.0f : (low + high) / 2;

		narrow_one(narrow, tie, &wrong);
		narrow_one(narrow, -tie, &wrong);
		narrow_one(narrow, nextafterf(tie, 0), &wrong);
		narrow_one(narrow, nextafterf(tie, INFINITY), &wrong);
	}
	for (unsigned i = 0; i < 200000; i++)
		narrow_one(narrow, float_from_bits((uint32_t)draw()), &wrong);
	narrow_one(narrow, INFINITY, &wrong);
	narrow_one(narrow, -INFINITY, &wrong);
	narrow_one(narrow, -0.0f, &wrong);
	narrow_one(narrow, 0x1p-149f, &wrong);
	tap_ok(&tap, !wrong, "narrowing to fp16 %s: nearest even, overflow, subnormals", path);
}

static void shifts(void)
{
	unsigned even = 0, away = 0;

	for (unsigned i = 0; i < 200000; i++) {
		int64_t v = (int64_t)draw() >> (17 + draw() % 46);
		unsigned shift = draw() % 48;

		/* Half of them a tie. */
		if (shift && draw() % 2)
			v = (int64_t)(((uint64_t)(v >> shift) << shift) + (1ull << (shift - 1)));
		even += shift_half_even(v, shift) != ref_shift(v, shift, 0);
		away += shift_half_away(v, shift) != ref_shift(v, shift, 1);
	}
	tap_ok(&tap, !even, "right shift, ties to even");
	tap_ok(&tap, !away, "right shift, ties away from zero");
}

/* ---- sums of a group ---- */

enum range { NEAR, BORDER, FAR, TINY, CANCELLING, TIES, RANGES };

static const char *const range_names[RANGES] = {
	"exponents close together", "exponents about as far apart as a double can hold",
	"any finite bits",          "subnormals",
	"sums that cancel",         "sums at and beside a tie of fp32",
};

static uint16_t draw_half(enum range range)
{
	uint64_t r = draw();

	switch (range) {
	case NEAR:
		return (uint16_t)((r & 0x83ff) | (10 + r % 8) << 10);
	case TINY:
		return (uint16_t)(r & (r >> 20 & 1 ? 0x83ff : 0xfbff));
	default:
		r &= 0xffff;
		return (uint16_t)((r & 0x7c00) == 0x7c00 ? r & 0xbfff : r);
	}
}

struct group {
	uint16_t a[32], b[FLOAT_PANEL][32];
};

/*
 * 2^20 has a tie to the next fp32 at 2^-4: multiples of it, and perhaps 2^-48 more or less, which
 * a double beside 2^20 cannot hold.
 */
static void draw_ties(struct group *g)
{
	static const uint16_t big = 0x6400, tie = 0x3400, least = 1;

	memset(g, 0, sizeof(*g));
	g->a[3] = big;
	g->a[11] = tie;
	g->a[29] = least;
	for (unsigned c = 0; c < FLOAT_PANEL; c++) {
		uint16_t sign = draw() & 0x8000;

		g->b[c][3] = big | sign;
		/* 1, 2, 3 or 5 times 2^-2, and a sign of its own. */
		g->b[c][11] =
			(uint16_t)((draw() & 0x8000) | (const uint16_t[]){ 0x3400, 0x3800, 0x3a00,
									   0x3d00 }[draw() % 4]);
		g->b[c][29] = (uint16_t)(draw() % 3 ? 1 | (draw() & 0x8000) : 0);
	}
}

/*
 * Fifteen large products, one small, and the large ones taken away again: what is left
 * shows every bit that the sum could not hold on its way.
 */
static void draw_border(struct group *g)
{
	for (unsigned k = 0; k < 16; k++) {
		unsigned down = k == 15 ? 11 + draw() % 6 : 0;

		g->a[k] = (uint16_t)((draw() & 0x3ff) | (25 - down) << 10);
		g->a[k + 16] = k == 15 ? 0 : g->a[k] ^ 0x8000;
		for (unsigned c = 0; c < FLOAT_PANEL; c++) {
			g->b[c][k] = (uint16_t)((draw() & 0x3ff) | (25 - down) << 10);
			g->b[c][k + 16] = g->b[c][k];
		}
	}
}

static void draw_group(struct group *g, enum range range)
{
	for (unsigned k = 0; k < 32; k++) {
		g->a[k] = draw_half(range);
		for (unsigned c = 0; c < FLOAT_PANEL; c++)
			g->b[c][k] = draw_half(range);
	}
	if (range == TIES)
		draw_ties(g);
	if (range == BORDER)
		draw_border(g);
	/* Large products that leave only a small one, or nothing. */
	for (unsigned k = 0; range == CANCELLING && k + 1 < 32; k += 2) {
		g->a[k + 1] = g->a[k] ^ 0x8000;
		for (unsigned c = 0; c < FLOAT_PANEL; c++)
			g->b[c][k + 1] = (uint16_t)(g->b[c][k] ^ (draw() % 8 ? 0 : 1));
	}
}

/* One group through a kind of code, rows copies of the same pixel. */
static void run_group(const struct mac *mac, const struct group *g, unsigned rows, float *acc)
{
	static double a[32] __attribute__((aligned(64)));
	static uint8_t panel[32 * FLOAT_PANEL * sizeof(double)] __attribute__((aligned(64)));
	const void *table[FLOAT_ROWS];
	uint32_t range = 0;
	uint16_t row_spread, panel_spread;
	struct mac_block block = {
		.mac = mac, .rows = table, .panel = panel, .groups = 1, .n_rows = rows
	};

	for (unsigned k = 0; k < 32; k += 8)
		mac->unpack((const uint8_t *)(g->a + k), 1, a + k, 0, &range);
	row_spread = spread_of_range(range);
	panel_spread = spread_of_range(mac->pack((const uint8_t *)g->b, FLOAT_PANEL, 32, panel));
	for (unsigned r = 0; r < rows; r++)
		table[r] = a;
	block.row_spread = &row_spread;
	block.panel_spread = &panel_spread;
	block.acc = acc;
	block.ld = FLOAT_PANEL;
	mac->block(&block);
}

static void group_sums(const struct mac *mac, enum range range)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < 2000; i++) {
		float acc[FLOAT_ROWS * FLOAT_PANEL] = { 0 };
		unsigned rows = 1 + i % FLOAT_ROWS;
		struct group g;

		draw_group(&g, range);
		run_group(mac, &g, rows, acc);
		for (unsigned c = 0; c < FLOAT_PANEL; c++) {
			float want = 0.0f + ref_group(g.a, g.b[c], 32);

			for (unsigned r = 0; r < rows; r++)
				wrong += !same_float(acc[r * FLOAT_PANEL + c], want);
		}
		for (unsigned j = rows * FLOAT_PANEL; j < FLOAT_ROWS * FLOAT_PANEL; j++)
			wrong += acc[j] != 0;
	}
	tap_ok(&tap, !wrong, "%s group sums: %s", mac->name, range_names[range]);
}

/* The sum that knows no limits, which no fp16 task needs. */
static void general_sums(enum range range)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < 500; i++) {
		double a[32], b[32];
		struct group g;

		draw_group(&g, range);
		for (unsigned c = 0; c < FLOAT_PANEL; c++) {
			for (unsigned k = 0; k < 32; k++) {
				a[k] = ref_half_value(g.a[k]);
				b[k] = ref_half_value(g.b[c][k]);
			}
			wrong += !same_float(float_group_sum(a, b, 1, 32),
					     ref_group(g.a, g.b[c], 32));
		}
	}
	tap_ok(&tap, !wrong, "general group sums: %s", range_names[range]);
}

/* Infinite and not-a-number operands decide, whatever else is in the group. */
static void specials(const struct mac *mac)
{
	static const struct {
		uint16_t a[2], b[2];
		float want;
	} cases[] = {
		{ { 0x7c00, 0x3c00 }, { 0x3c00, 0x3c00 }, INFINITY },
		{ { 0xfc00, 0x3c00 }, { 0x3c00, 0x3c00 }, -INFINITY },
		{ { 0x7c00, 0x7c00 }, { 0x3c00, 0xbc00 }, NAN },
		{ { 0x7c00, 0x7c00 }, { 0xbc00, 0xbc00 }, -INFINITY },
		{ { 0x7c00, 0x3c00 }, { 0x0000, 0x3c00 }, NAN },
		{ { 0x7e01, 0x3c00 }, { 0x3c00, 0x3c00 }, NAN },
		{ { 0x3c00, 0x3c00 }, { 0x7d00, 0x3c00 }, NAN },
	};
	unsigned wrong = 0;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (unsigned range = NEAR; range <= FAR; range++) {
			float acc[FLOAT_ROWS * FLOAT_PANEL] = { 0 };
			struct group g;

			draw_group(&g, (enum range)range);
			memcpy(g.a + 3, cases[i].a, sizeof(cases[i].a));
			memcpy(g.b[2] + 3, cases[i].b, sizeof(cases[i].b));
			/* The finite rest of the pixel's products keep the column finite. */
			run_group(mac, &g, 3, acc);
			wrong += !same_float(acc[2], cases[i].want);
			wrong += !same_float(acc[FLOAT_PANEL + 2], cases[i].want);
		}
	tap_ok(&tap, !wrong, "%s group sums: infinities and not-a-numbers", mac->name);
}

/* A row without them, beside one with them, keeps its exact sum. */
static void finite_neighbour(const struct mac *mac)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < 200; i++) {
		float acc[FLOAT_ROWS * FLOAT_PANEL] = { 0 };
		struct group g;

		draw_group(&g, FAR);
		g.b[5][9] = 0x7c00;
		run_group(mac, &g, 6, acc);
		for (unsigned c = 0; c < FLOAT_PANEL; c++)
			if (c != 5)
				wrong += !same_float(acc[c], ref_group(g.a, g.b[c], 32));
	}
	tap_ok(&tap, !wrong, "%s group sums: finite columns beside an infinite one", mac->name);
}

static void fp16(const struct mac *mac)
{
	for (unsigned range = 0; range < RANGES; range++)
		group_sums(mac, (enum range)range);
	specials(mac);
	finite_neighbour(mac);
}

int main(void)
{
	bool vector = mac_choose(MAC_FP16, false) != &mac_portable[MAC_FP16];

	halves();
	for (unsigned range = 0; range < RANGES; range++)
		general_sums((enum range)range);
	narrowing(narrow_choose(true), "portable");
	if (vector)
		narrowing(narrow_choose(false), "vector");
	shifts();
	fp16(&mac_portable[MAC_FP16]);
	if (vector)
		fp16(mac_choose(MAC_FP16, false));
	return tap_end(&tap);
}

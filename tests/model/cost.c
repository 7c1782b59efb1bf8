// SPDX-License-Identifier: LGPL-2.1-or-later
/* cost.c - the calculator against the residual table of the timing model, to the printed digit. */
#include <math.h>
#include <stddef.h>

#include "sim/npu/npu.h"
#include "tests/model/tap.h"

static struct tap tap;

/*
 * Counters of a row, and the two values the table prints with a unit in their last digit. Two
 * of the values differ from the document's own formula by up to that unit (10523.44 printed as
 * 10524, 30.38 as 30.3); they are given two units.
 */
struct row {
	const char *name;
	double mhz;
	enum npu_cost_type type;
	uint64_t macs, bytes, kicks;
	double m, m_digit, v, v_digit;
};

static const struct row rows[] = {
	{ "64x256x512 fp16", 816, NPU_COST_16BIT, 64 * 256 * 512, 360448, 1, 122.2, 0.1, 60.0,
	  0.1 },
	{ "tile chained, 200 MHz", 200, NPU_COST_16BIT, 256 * 384 * 256, 524288, 0, 353.6, 0.1, 276,
	  1 },
	{ "tile chained, 816 MHz", 816, NPU_COST_16BIT, 256 * 384 * 256, 524288, 0, 168.1, 0.1,
	  69.9, 0.1 },
	{ "tile gapped", 816, NPU_COST_16BIT, 256 * 384 * 256, 524288, 1, 195.1, 0.1, 96.9, 0.1 },
	{ "tile, K accumulation", 816, NPU_COST_16BIT, 256 * 384 * 256, 457933, 1, 181.8, 0.1, 96.9,
	  0.1 },
	{ "heavy 128x1024x1024", 200, NPU_COST_16BIT, 128 * 1024 * 1024, 2883584, 1, 1917, 1, 1486,
	  1 },
	{ "decode 1x4096x4096", 200, NPU_COST_16BIT, 4096 * 4096, 33579008, 1, 6910, 1, 10524, 2 },
	{ "tiny 4x32x16", 200, NPU_COST_16BIT, 4 * 32 * 16, 1792, 1, 30.3, 0.2, 30.6, 0.1 },
	{ "mid 64x512x512", 200, NPU_COST_16BIT, 64 * 512 * 512, 720896, 1, 338, 1, 255, 1 },
	{ "vendor fp16 128x1024x8192", 1000, NPU_COST_16BIT, 128ull * 1024 * 8192, 21233664, 1,
	  6374, 1, 2360, 1 },
	{ "vendor int8", 1000, NPU_COST_INT8, 128ull * 1024 * 8192, 12713984, 1, 3621, 1, 1195, 1 },
	{ "vendor int4", 1000, NPU_COST_INT4, 128ull * 1024 * 8192, 6356992, 1, 1826, 1, 613, 1 },
};

static void residuals(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		struct npu_counters n = {
			.kicks = r->kicks, .tasks = 1, .macs = r->macs, .read_weight = r->bytes
		};
		double m = npu_cost_us(&npu_cost_set_m, r->type, r->mhz, &n);
		double v = npu_cost_us(&npu_cost_set_v, r->type, r->mhz, &n);

		tap_ok(&tap, fabs(m - r->m) <= r->m_digit / 2 + 1e-9,
		       "%s, set M: %.2f us, table %g", r->name, m, r->m);
		tap_ok(&tap, fabs(v - r->v) <= r->v_digit / 2 + 1e-9,
		       "%s, set V: %.2f us, table %g", r->name, v, r->v);
	}
}

/* ---- tile shapes ---- */

static const struct {
	unsigned m, k, n;
	double gain; /* percent, of set M */
} shapes[] = {
	{ 512, 2048, 2048, 10.9 }, { 512, 2048, 4096, 10.8 }, { 2048, 4096, 4096, 6.6 },
	{ 1024, 4096, 4096, 6.7 }, { 512, 8192, 2048, 6.8 },  { 1024, 8192, 8192, 6.6 },
	{ 512, 15360, 3840, 5.4 }, { 512, 4096, 4096, 6.8 },  { 512, 3840, 15360, 2.9 },
	{ 512, 3840, 4096, 3.0 },
};

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/* Device time of a matmul by K accumulation, features reused: one job per step of K. */
static double tiled(uint64_t m, uint64_t k, uint64_t n, uint64_t mt, uint64_t kt, uint64_t nt)
{
	uint64_t steps = ceil_div(k, kt), bands = ceil_div(m, mt);
	struct npu_counters c = { .kicks = steps,
				  .tasks = bands * ceil_div(n, nt) * steps,
				  .macs = m * k * n,
				  .read_weight = bands * n * k * 2,
				  .read_feature = m * k * 2,
				  .read_operand = (steps - 1) * m * n * 2,
				  .write = steps * m * n * 2 };

	return npu_cost_us(&npu_cost_set_m_kacc, NPU_COST_16BIT, 816, &c);
}

static void tile_shapes(void)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		double square = tiled(shapes[i].m, shapes[i].k, shapes[i].n, 256, 384, 256);
		double narrow = tiled(shapes[i].m, shapes[i].k, shapes[i].n, 256, 512, 128);
		double gain = (square / narrow - 1) * 100;

		tap_ok(&tap, fabs(gain - shapes[i].gain) <= 0.05,
		       "%ux%ux%u: gain %.2f %%, table %.1f", shapes[i].m, shapes[i].k, shapes[i].n,
		       gain, shapes[i].gain);
	}
}

/* A faster clock on the chained tile: compute shrinks, DMA at its ceiling does not. */
static void clock_change(void)
{
	struct npu_counters n = { .tasks = 1, .macs = 256 * 384 * 256, .read_weight = 524288 };
	double slow = npu_cost_us(&npu_cost_set_m, NPU_COST_16BIT, 816, &n);
	double fast = npu_cost_us(&npu_cost_set_m, NPU_COST_16BIT, 928, &n);

	tap_ok(&tap, fabs(slow / fast - 1.045) <= 0.0005, "816 to 928 MHz: x%.4f, table 1.045",
	       slow / fast);
}

int main(void)
{
	residuals();
	tile_shapes();
	clock_change();
	return tap_end(&tap);
}

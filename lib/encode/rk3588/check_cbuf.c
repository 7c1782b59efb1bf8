// SPDX-License-Identifier: LGPL-2.1-or-later
/* check_cbuf.c - does the on-chip buffer hold what is fetched into it? */
#include "check.h"

#define BANKS      12
#define BANK_BYTES 32768

static int64_t ceil_div(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

/* Packed images (ARGB_IN) are converted on the way in; their sizes follow other rules. */
static bool is_packed_image(const struct rocket_check *c)
{
	return GET(CNA, CONV_CON1, ARGB_IN) || GET(CNA, CONV_CON1, NONALIGN_DMA);
}

/* One register, one fault: the first rule it breaks. */
static void check_banks(struct rocket_check *c, const struct rk3588_cube *cube)
{
	int64_t data = GET(CNA, CBUF_CON0, DATA_BANK), weight = GET(CNA, CBUF_CON0, WEIGHT_BANK);
	int64_t bits = rk3588_precision_bits(cube->precision);
	int64_t bytes = ceil_div(cube->iw * cube->ih * cube->ic * bits, 8);
	int64_t need = ceil_div(bytes, BANK_BYTES);

	if (GET(CNA, CBUF_CON0, FC_DATA_BANK))
		BLAME(CNA, CBUF_CON0, "FC_DATA_BANK %u corrupts the result",
		      GET(CNA, CBUF_CON0, FC_DATA_BANK));
	else if (!data || !weight || data + weight != BANKS)
		BLAME(CNA, CBUF_CON0, "%lld data and %lld weight banks are not %d", (long long)data,
		      (long long)weight, BANKS);
	else if (data < need)
		BLAME(CNA, CBUF_CON0, "features of %lld bytes need %lld banks, not %lld",
		      (long long)bytes, (long long)need, (long long)data);
	else if (cube->precision == RK3588_INT8 && cube->iw == 1 && data == need)
		/* Near-full last banks lose their last rows at single-column inputs [silicon]. */
		BLAME(CNA, CBUF_CON0, "int8 features of %lld bytes without a slack bank",
		      (long long)bytes);
}

static void check_reuse(struct rocket_check *c)
{
	if (!c->how->first_of_job)
		return;
	if (GET(CNA, CBUF_CON0, WEIGHT_REUSE))
		BLAME(CNA, CBUF_CON0, "WEIGHT_REUSE in the first task of a job");
	if (GET(CNA, CBUF_CON0, DATA_REUSE))
		BLAME(CNA, CBUF_CON0, "DATA_REUSE in the first task of a job");
}

static void check_entries(struct rocket_check *c, const struct rk3588_cube *cube)
{
	int64_t bits = rk3588_precision_bits(cube->precision);
	int64_t want = ceil_div(cube->iw * cube->ic * bits, 512);

	if (GET(CNA, CBUF_CON1, DATA_ENTRIES) != want)
		BLAME(CNA, CBUF_CON1, "DATA_ENTRIES %u, a row has %lld",
		      GET(CNA, CBUF_CON1, DATA_ENTRIES), (long long)want);
}

/* Three registers give the size of a kernel; depthwise weights are one padded kernel. */
static void check_weights(struct rocket_check *c, const struct rk3588_cube *cube)
{
	int64_t bits = rk3588_precision_bits(cube->precision);
	int64_t computed = ceil_div(cube->kw * cube->kh * cube->ic * bits, 8);
	int64_t programmed = GET(CNA, WEIGHT_SIZE1, WEIGHT_BYTES_PER_KERNEL);
	int64_t total = GET(CNA, WEIGHT_SIZE0, WEIGHT_BYTES);
	int64_t kernel;

	if (!computed)
		return; /* an empty kernel has been blamed */
	if (cube->depthwise) {
		kernel = VOTE("bytes per kernel", WITNESS(CNA, WEIGHT_SIZE1, programmed),
			      WITNESS(CNA, WEIGHT_SIZE2, computed), SOFT(CNA, WEIGHT_SIZE0, total));
		if (total < kernel)
			BLAME(CNA, WEIGHT_SIZE0, "%lld weight bytes are less than %lld",
			      (long long)total, (long long)kernel);
		return;
	}
	kernel = VOTE("bytes per kernel", WITNESS(CNA, WEIGHT_SIZE1, programmed),
		      WITNESS(CNA, WEIGHT_SIZE2, computed),
		      WITNESS(CNA, WEIGHT_SIZE0, total % cube->oc ? -1 : total / cube->oc));
	if (kernel > BANK_BYTES)
		BLAME(CNA, WEIGHT_SIZE1, "one kernel of %lld bytes exceeds a bank",
		      (long long)kernel);
}

/* Row by row, either each plane holds its rows or each row holds its planes. */
static void check_row_strides(struct rocket_check *c, const struct rk3588_cube *cube, int64_t line,
			      int64_t plane)
{
	int64_t bits = rk3588_precision_bits(cube->precision);
	int64_t planes = ceil_div(cube->ic * bits, 128);
	bool planar = line >= cube->iw && plane >= cube->ih * line;
	bool matrix = plane >= cube->iw && line >= planes * plane;

	if (!planar && !matrix)
		BLAME(CNA, DMA_CON1, "rows %lld atoms apart overlap planes %lld apart",
		      (long long)line, (long long)plane);
}

/*
 * With line groups the engine reads 4 rows of a channel atom at once: LINE_STRIDE leads
 * to the next 4 rows, SURF_STRIDE from their end to the same rows of the next atom.
 */
static void check_strides(struct rocket_check *c, const struct rk3588_cube *cube)
{
	int64_t line = GET(CNA, DMA_CON1, LINE_STRIDE), surf = GET(CNA, DMA_CON2, SURF_STRIDE);
	int64_t compact = cube->iw * (cube->ih - 4);

	if (GET(CNA, CONV_CON1, GROUP_LINE_OFF)) {
		check_row_strides(c, cube, line, surf + cube->iw);
		return;
	}
	if (line != 4 * cube->iw)
		BLAME(CNA, DMA_CON1, "line stride %lld is not 4 rows of %lld", (long long)line,
		      (long long)cube->iw);
	else if (cube->ih < 4 && surf == compact)
		/* Said to work by one vendor program, to fail by another source. */
		DOUBT(CNA, DMA_CON2, "%lld rows: fewer than 4 are not validated",
		      (long long)cube->ih);
	else if (cube->ih < 4)
		BLAME(CNA, DMA_CON2, "%lld rows: fewer than 4 give wrong results",
		      (long long)cube->ih);
	else if (surf < compact)
		BLAME(CNA, DMA_CON2, "surface stride %lld overlaps rows: %lld at least",
		      (long long)surf, (long long)compact);
}

void rk3588_check_cbuf(struct rocket_check *c, struct rk3588_cube *cube)
{
	size_t before;
	check_reuse(c);
	if (is_packed_image(c))
		return;
	check_banks(c, cube);
	check_entries(c, cube);
	check_weights(c, cube);
	before = c->found;
	check_strides(c, cube);
	cube->features_lost = c->found != before;
}

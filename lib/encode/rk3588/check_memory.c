// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * check_memory.c - which bytes a program touches, and whether it may.
 *
 * The ranges follow the address equations of the DMAs: all distances are in atoms of
 * 16 bytes.
 */
#include "check.h"

#define ATOM 16

struct range {
	int64_t first, end; /* bytes, end exclusive */
};

static int64_t ceil_div(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

static int64_t min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void check_range(struct rocket_check *c, unsigned offset, const char *what,
			struct range range, bool write)
{
	if (range.first < 0 || range.end > (int64_t)1 << 32)
		rocket_check_fault(c, rocket_check_word(c, offset), offset,
				   "%s leaves the 4 GiB of device addresses", what);
	else
		rocket_check_mapped(c, offset, what, (uint32_t)range.first,
				    (uint64_t)(range.end - range.first), write);
}

/* row(y) = y/G * LINE + y%G * IW, plane(p) = p * (SURF + G * IW); G is 4, or 1 row by row. */
static struct range features(struct rocket_check *c, const struct rk3588_cube *cube)
{
	int64_t group = GET(CNA, CONV_CON1, GROUP_LINE_OFF) ? 1 : 4;
	int64_t line = GET(CNA, DMA_CON1, LINE_STRIDE), surf = GET(CNA, DMA_CON2, SURF_STRIDE);
	int64_t planes = ceil_div(cube->ic * rk3588_precision_bits(cube->precision), 8 * ATOM);
	int64_t full = (cube->ih - 1) / group * group - 1; /* last row of the last full group */
	int64_t last_plane = (planes - 1) * (surf + group * cube->iw);
	int64_t last_row = (cube->ih - 1) / group * line + (cube->ih - 1) % group * cube->iw;
	int64_t base = VALUE(CNA, FEATURE_DATA_ADDR);

	if (full > 0)
		last_row = max(last_row, full / group * line + (group - 1) * cube->iw);
	return (struct range){ base + ATOM * min(0, last_plane),
			       base + ATOM * (max(0, last_plane) + last_row + cube->iw) };
}

/* group(c) * SURF_ADD + plane in group * SURF_STRIDE + y * (OW + NOTCH) + x. */
static struct range output(struct rocket_check *c, const struct rk3588_cube *cube)
{
	int64_t atoms = GET(DPU, BS_OW_CFG, SIZE_E_0_EXTENT);
	int64_t plane = GET(DPU, DST_SURF_STRIDE, DST_SURF_STRIDE);
	int64_t add = GET(DPU, SURFACE_ADD, SURF_ADD);
	int64_t notch = GET(DPU, DATA_CUBE_NOTCH_ADDR, NOTCH_ADDR_0);
	int64_t bits = rk3588_precision_bits(GET(DPU, DATA_FORMAT, OUT_PRECISION));
	int64_t planes = ceil_div(cube->oc * bits, 8 * ATOM);
	int64_t last = planes - 1;
	int64_t end = last / atoms * add + last % atoms * plane;
	int64_t base = VALUE(DPU, DST_BASE_ADDR);

	if (last >= atoms)
		end = max(end, (last / atoms - 1) * add + (atoms - 1) * plane);
	end += (cube->oh - 1) * (cube->ow + notch) + cube->ow;
	return (struct range){ base, base + ATOM * end };
}

/* Pairs of surfaces: even ones from SRC_BASE, odd ones from EW_BASE. */
static struct range operand(struct rocket_check *c, const struct rk3588_cube *cube)
{
	unsigned size_code = GET(DPU_RDMA, RDMA_ERDMA_CFG, ERDMA_DATA_SIZE);
	int64_t bits = 4 << size_code;
	int64_t surfaces = ceil_div(cube->oc * bits, 8 * ATOM);
	int64_t pixels = cube->ow * cube->oh;
	int64_t pairs = (surfaces + 1) / 2, odd = surfaces / 2;
	int64_t src = VALUE(DPU_RDMA, RDMA_SRC_BASE_ADDR), ew = VALUE(DPU_RDMA, RDMA_EW_BASE_ADDR);
	int64_t step = pixels + GET(DPU_RDMA, RDMA_SURF_NOTCH, SURF_NOTCH_ADDR);
	int64_t ew_step = (int64_t)GET(DPU_RDMA, RDMA_EW_SURF_STRIDE, EW_SURF_STRIDE) +
			  GET(DPU_RDMA, RDMA_EW_SURF_NOTCH, EW_SURF_NOTCH);
	struct range r = { src, src + ATOM * ((pairs - 1) * step + pixels) };

	if (odd)
		r.end = max(r.end, ew + ATOM * ((odd - 1) * ew_step + pixels));
	return r;
}

static void check_bias(struct rocket_check *c, const struct rk3588_cube *cube)
{
	unsigned use = GET(DPU_RDMA, RDMA_BRDMA_CFG, BRDMA_DATA_USE);
	int64_t base = VALUE(DPU_RDMA, RDMA_BS_BASE_ADDR);
	/* Plain bias is one int32 a channel, anything more comes in 64-byte groups of 8. */
	int64_t bytes = use == 1 ? 4 * cube->oc : 64 * ceil_div(cube->oc, 8);

	if (use)
		check_range(c, RK3588_DPU_RDMA_RDMA_BS_BASE_ADDR, "bias",
			    (struct range){ base, base + bytes }, false);
}

static void check_features(struct rocket_check *c, const struct rk3588_cube *cube)
{
	if (GET(CNA, CBUF_CON0, DATA_REUSE) || cube->features_lost)
		return;
	/* How packed images are walked is not known here. */
	if (GET(CNA, CONV_CON1, ARGB_IN) || GET(CNA, CONV_CON1, NONALIGN_DMA))
		rocket_check_mapped(c, RK3588_CNA_FEATURE_DATA_ADDR, "features",
				    VALUE(CNA, FEATURE_DATA_ADDR), 1, false);
	else
		check_range(c, RK3588_CNA_FEATURE_DATA_ADDR, "features", features(c, cube), false);
}

static void check_weights(struct rocket_check *c)
{
	int64_t base = VALUE(CNA, DCOMP_ADDR0);

	if (!GET(CNA, CBUF_CON0, WEIGHT_REUSE))
		check_range(c, RK3588_CNA_DCOMP_ADDR0, "weights",
			    (struct range){ base, base + GET(CNA, WEIGHT_SIZE0, WEIGHT_BYTES) },
			    false);
}

static void check_operand(struct rocket_check *c, const struct rk3588_cube *cube)
{
	struct range out = output(c, cube), add = operand(c, cube);

	check_range(c, RK3588_DPU_RDMA_RDMA_SRC_BASE_ADDR, "operand", add, false);
	/* The operand is read ahead of the write: in place it corrupts [silicon]. */
	if (!cube->output_lost && add.first < out.end && out.first < add.end)
		BLAME(DPU_RDMA, RDMA_SRC_BASE_ADDR, "the operand overlaps the output");
}

void rk3588_check_conv_memory(struct rocket_check *c, const struct rk3588_cube *cube)
{
	check_features(c, cube);
	check_weights(c);
	if (!cube->output_lost)
		check_range(c, RK3588_DPU_DST_BASE_ADDR, "output", output(c, cube), true);
	check_bias(c, cube);
	if (cube->operand && !cube->operand_lost)
		check_operand(c, cube);
}

/* One surface of atoms each; how several are walked is known for the output only. */
void rk3588_check_flying_memory(struct rocket_check *c, const struct rk3588_cube *cube)
{
	int64_t bytes = ATOM * cube->ow * cube->oh;
	int64_t src = VALUE(DPU_RDMA, RDMA_SRC_BASE_ADDR), ew = VALUE(DPU_RDMA, RDMA_EW_BASE_ADDR);
	int64_t dst = VALUE(DPU, DST_BASE_ADDR);

	check_range(c, RK3588_DPU_RDMA_RDMA_SRC_BASE_ADDR, "input",
		    (struct range){ src, src + bytes }, false);
	if (cube->operand)
		check_range(c, RK3588_DPU_RDMA_RDMA_EW_BASE_ADDR, "operand",
			    (struct range){ ew, ew + bytes }, false);
	check_range(c, RK3588_DPU_DST_BASE_ADDR, "output", (struct range){ dst, dst + bytes },
		    true);
}

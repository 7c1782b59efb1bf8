// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * check_conv.c - do CNA, CORE, DPU and DPU_RDMA describe the same convolution?
 *
 * Nothing compares them in hardware: a task with contradicting extents completes and
 * leaves a wrong or half-written surface, or never completes.
 */
#include "check.h"

/* ---- precision ---- */

static void check_mac_precision(struct rocket_check *c, struct rk3588_cube *cube)
{
	uint32_t in = GET(CNA, CONV_CON1, IN_PRECISION);

	if (GET(CNA, CONV_CON1, PROC_PRECISION) != in) {
		BLAME(CNA, CONV_CON1, "PROC_PRECISION %u is not IN_PRECISION %u",
		      GET(CNA, CONV_CON1, PROC_PRECISION), in);
		cube->precision = GET(CORE, MISC_CFG, PROC_PRECISION);
		return;
	}
	cube->precision = (unsigned)VOTE(
		"operand precision", WITNESS(CNA, CONV_CON1, in),
		WITNESS(CORE, MISC_CFG, GET(CORE, MISC_CFG, PROC_PRECISION)),
		SOFT(DPU, DATA_FORMAT,
		     in == RK3588_TF32 ? RK3588_TF32 : GET(DPU, DATA_FORMAT, PROC_PRECISION)));
	if (cube->precision == RK3588_INT32 || cube->precision == RK3588_FP32) {
		BLAME(CNA, CONV_CON1, "precision %u is only for the DPU", cube->precision);
		cube->output_lost = true;
	}
}

static bool is_float(unsigned precision)
{
	return precision == RK3588_FP16 || precision == RK3588_BF16 || precision == RK3588_FP32;
}

/* One fault at most: the three codes sit in one register. */
static void check_dpu_precision(struct rocket_check *c, struct rk3588_cube *cube)
{
	/* tf32 reaches the DPU as fp32. */
	unsigned want = cube->precision == RK3588_TF32 ? RK3588_FP32 : cube->precision;
	unsigned proc = GET(DPU, DATA_FORMAT, PROC_PRECISION);
	unsigned in = GET(DPU, DATA_FORMAT, IN_PRECISION);
	unsigned out = GET(DPU, DATA_FORMAT, OUT_PRECISION);
	bool narrow = GET(DPU, OUT_CVT_SCALE, FP32TOFP16_EN);

	if (proc == 7 || in == 7 || out == 7) {
		BLAME(DPU, DATA_FORMAT, "precision 7 is invalid in the DPU: it writes nothing");
		cube->output_lost = true;
		return;
	}
	if (proc != want || in != want)
		BLAME(DPU, DATA_FORMAT, "precision in %u, proc %u, but the operands need %u", in,
		      proc, want);
	if (is_float(want) && !is_float(out)) {
		BLAME(DPU, DATA_FORMAT, "integer result %u of a float product", out);
		cube->output_lost = true;
	} else if (is_float(want) && narrow != (out == RK3588_FP16))
		BLAME(DPU, OUT_CVT_SCALE, "FP32TOFP16_EN is %d with result precision %u", narrow,
		      out);
}

static void check_qd(struct rocket_check *c, struct rk3588_cube *cube)
{
	bool raw = cube->precision == RK3588_INT8 || cube->precision == RK3588_INT4;
	bool on = GET(CORE, MISC_CFG, QD_EN);

	if (!raw && !on)
		BLAME(CORE, MISC_CFG, "QD_EN must be 1 for precision %u", cube->precision);
	else if (raw && on && GET(DPU, DATA_FORMAT, OUT_PRECISION) != RK3588_INT8)
		DOUBT(CORE, MISC_CFG, "QD_EN is 1 with a raw integer result");
	else if (raw && !on && GET(DPU, DATA_FORMAT, OUT_PRECISION) == RK3588_INT8) {
		BLAME(CORE, MISC_CFG, "QD_EN must be 1 for int8 results");
		cube->output_lost = true;
	}
}

/* ---- extents ---- */

static void check_output_extents(struct rocket_check *c, struct rk3588_cube *cube)
{
	int64_t pixels = GET(CNA, DATA_SIZE3, DATAOUT_ATOMICS);

	cube->ow =
		VOTE("output width",
		     WITNESS(DPU, DATA_CUBE_WIDTH, GET(DPU, DATA_CUBE_WIDTH, WIDTH_EXTENT)),
		     WITNESS(CNA, DATA_SIZE2, GET(CNA, DATA_SIZE2, DATAOUT_WIDTH)),
		     WITNESS(CORE, DATAOUT_SIZE_0, GET(CORE, DATAOUT_SIZE_0, DATAOUT_WIDTH_EXTENT)),
		     WITNESS(DPU, WDMA_SIZE_1, GET(DPU, WDMA_SIZE_1, WIDTH_WDMA_EXTENT)),
		     WITNESS(DPU_RDMA, RDMA_DATA_CUBE_WIDTH,
			     GET(DPU_RDMA, RDMA_DATA_CUBE_WIDTH, WIDTH_EXTENT)));
	cube->oh = VOTE(
		"output height",
		WITNESS(DPU, DATA_CUBE_HEIGHT, GET(DPU, DATA_CUBE_HEIGHT, HEIGHT_EXTENT)),
		WITNESS(CORE, DATAOUT_SIZE_0, GET(CORE, DATAOUT_SIZE_0, DATAOUT_HEIGHT_EXTENT)),
		WITNESS(DPU, WDMA_SIZE_1, GET(DPU, WDMA_SIZE_1, HEIGHT_WDMA_EXTENT)),
		WITNESS(DPU_RDMA, RDMA_DATA_CUBE_HEIGHT,
			GET(DPU_RDMA, RDMA_DATA_CUBE_HEIGHT, HEIGHT_EXTENT)));
	if (pixels != cube->ow * cube->oh)
		BLAME(CNA, DATA_SIZE3, "%lld output pixels are not %lld x %lld", (long long)pixels,
		      (long long)cube->ow, (long long)cube->oh);
}

static void check_channels(struct rocket_check *c, struct rk3588_cube *cube)
{
	int64_t kernels = GET(CNA, WEIGHT_SIZE2, WEIGHT_KERNELS);
	int64_t original = GET(DPU, DATA_CUBE_CHANNEL, ORIG_CHANNEL_EXTENT);
	int64_t channels = GET(DPU, DATA_CUBE_CHANNEL, CHANNEL_EXTENT);

	cube->oc = VOTE(
		"output channel count", WITNESS(DPU, DATA_CUBE_CHANNEL, channels),
		WITNESS(CORE, DATAOUT_SIZE_1, GET(CORE, DATAOUT_SIZE_1, DATAOUT_CHANNEL_EXTENT)),
		WITNESS(DPU, WDMA_SIZE_0, GET(DPU, WDMA_SIZE_0, CHANNEL_WDMA_EXTENT)),
		WITNESS(DPU_RDMA, RDMA_DATA_CUBE_CHANNEL,
			GET(DPU_RDMA, RDMA_DATA_CUBE_CHANNEL, CHANNEL_EXTENT)));
	if (kernels != (cube->depthwise ? 1 : cube->oc))
		BLAME(CNA, WEIGHT_SIZE2, "%lld kernels for %lld output channels",
		      (long long)kernels, (long long)cube->oc);
	/* On a conv result fewer real channels are legal: the rest is padding. */
	if (channels == cube->oc && original > channels)
		BLAME(DPU, DATA_CUBE_CHANNEL, "ORIG_CHANNEL %lld is more than CHANNEL %lld",
		      (long long)original, (long long)channels);
}

/* Height and width are written twice each; other registers help to find the wrong one. */
static void check_input_extents(struct rocket_check *c, struct rk3588_cube *cube)
{
	bool by_row = GET(CNA, CONV_CON1, GROUP_LINE_OFF);
	uint32_t line = GET(CNA, DMA_CON1, LINE_STRIDE);

	cube->iw =
		VOTE("input width", WITNESS(CNA, FC_DATA_SIZE0, GET(CNA, FC_DATA_SIZE0, DMA_WIDTH)),
		     WITNESS(CNA, DATA_SIZE0, GET(CNA, DATA_SIZE0, DATAIN_WIDTH)),
		     SOFT(CNA, DMA_CON1, by_row ? cube->ow : line / 4));
	cube->ih = VOTE("input height",
			WITNESS(CNA, FC_DATA_SIZE0, GET(CNA, FC_DATA_SIZE0, DMA_HEIGHT)),
			WITNESS(CNA, DATA_SIZE0, GET(CNA, DATA_SIZE0, DATAIN_HEIGHT)),
			SOFT(CNA, CONV_CON2, (int64_t)GET(CNA, CONV_CON2, FEATURE_GRAINS) - 1));
	cube->ic = VOTE("input channel count",
			WITNESS(CNA, FC_DATA_SIZE1, GET(CNA, FC_DATA_SIZE1, DMA_CHANNEL)),
			WITNESS(CNA, DATA_SIZE1, GET(CNA, DATA_SIZE1, DATAIN_CHANNEL)),
			SOFT(CNA, DATA_SIZE1, GET(CNA, DATA_SIZE1, DATAIN_CHANNEL_REAL_EXTENT)));
	if (GET(CNA, DATA_SIZE1, DATAIN_CHANNEL) == cube->ic &&
	    GET(CNA, DATA_SIZE1, DATAIN_CHANNEL_REAL_EXTENT) > cube->ic)
		BLAME(CNA, DATA_SIZE1, "%u real channels of %lld",
		      GET(CNA, DATA_SIZE1, DATAIN_CHANNEL_REAL_EXTENT), (long long)cube->ic);
}

/* Where the last window of an axis starts must lie inside the image. */
static void check_reach(struct rocket_check *c, const struct rk3588_cube *cube)
{
	int64_t sy = GET(CNA, CONV_CON3, CONV_Y_STRIDE), sx = GET(CNA, CONV_CON3, CONV_X_STRIDE);
	bool deconv = GET(CNA, CONV_CON1, DECONV);

	if (!sy || !sx)
		BLAME(CNA, CONV_CON3, "stride %lld x %lld", (long long)sy, (long long)sx);
	else if (!cube->kw || !cube->kh)
		BLAME(CNA, WEIGHT_SIZE2, "kernel of %lld x %lld", (long long)cube->kh,
		      (long long)cube->kw);
	else if (!cube->iw || !cube->ih || !cube->ic)
		BLAME(CNA, DATA_SIZE0, "empty input %lld x %lld x %lld", (long long)cube->ic,
		      (long long)cube->ih, (long long)cube->iw);
	else if (!deconv && (cube->oh - 1) * sy - GET(CNA, PAD_CON0, PAD_TOP) >= cube->ih)
		BLAME(CNA, DATA_SIZE0, "%lld input rows are too few for %lld output rows",
		      (long long)cube->ih, (long long)cube->oh);
	else if (!deconv && (cube->ow - 1) * sx - GET(CNA, PAD_CON0, PAD_LEFT) >= cube->iw)
		BLAME(CNA, DATA_SIZE0, "%lld input columns are too few for %lld output columns",
		      (long long)cube->iw, (long long)cube->ow);
}

/* Modes say in four places whether this is depthwise. */
static void check_mode(struct rocket_check *c, struct rk3588_cube *cube)
{
	cube->depthwise =
		VOTE("convolution mode", WITNESS(CNA, CONV_CON1, GET(CNA, CONV_CON1, CONV_MODE)),
		     WITNESS(CORE, MISC_CFG, GET(CORE, MISC_CFG, DW_EN) ? 3 : 0),
		     WITNESS(DPU, FEATURE_MODE_CFG, GET(DPU, FEATURE_MODE_CFG, CONV_MODE)),
		     WITNESS(DPU_RDMA, RDMA_FEATURE_MODE_CFG,
			     GET(DPU_RDMA, RDMA_FEATURE_MODE_CFG, CONV_MODE))) == 3;
	if (GET(DPU, FEATURE_MODE_CFG, FLYING_MODE))
		BLAME(DPU, FEATURE_MODE_CFG, "FLYING_MODE with the convolution enabled");
	if (GET(DPU_RDMA, RDMA_FEATURE_MODE_CFG, FLYING_MODE))
		BLAME(DPU_RDMA, RDMA_FEATURE_MODE_CFG, "FLYING_MODE with the convolution enabled");
}

void rk3588_check_conv(struct rocket_check *c, struct rk3588_cube *cube)
{
	cube->kw = GET(CNA, WEIGHT_SIZE2, WEIGHT_WIDTH);
	cube->kh = GET(CNA, WEIGHT_SIZE2, WEIGHT_HEIGHT);
	check_mode(c, cube);
	check_mac_precision(c, cube);
	check_dpu_precision(c, cube);
	check_qd(c, cube);
	check_output_extents(c, cube);
	check_channels(c, cube);
	check_input_extents(c, cube);
	check_reach(c, cube);
}

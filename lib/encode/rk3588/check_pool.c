// SPDX-License-Identifier: LGPL-2.1-or-later
/* check_pool.c - PPU and PPU_RDMA. */
#include "check.h"

struct pool {
	int64_t iw, ih, ic, ow, oh, oc;
};

static void check_extents(struct rocket_check *c, struct pool *p)
{
	p->iw = VOTE("input width",
		     WITNESS(PPU, DATA_CUBE_IN_WIDTH,
			     GET(PPU, DATA_CUBE_IN_WIDTH, CUBE_IN_WIDTH_EXTENT)),
		     WITNESS(PPU_RDMA, RDMA_CUBE_IN_WIDTH,
			     GET(PPU_RDMA, RDMA_CUBE_IN_WIDTH, CUBE_IN_WIDTH_EXTENT)),
		     SOFT(PPU_RDMA, RDMA_SRC_LINE_STRIDE,
			  GET(PPU_RDMA, RDMA_SRC_LINE_STRIDE, SRC_LINE_STRIDE)));
	p->ih = VOTE("input height",
		     WITNESS(PPU, DATA_CUBE_IN_HEIGHT,
			     GET(PPU, DATA_CUBE_IN_HEIGHT, CUBE_IN_HEIGHT_EXTENT)),
		     WITNESS(PPU_RDMA, RDMA_CUBE_IN_HEIGHT,
			     GET(PPU_RDMA, RDMA_CUBE_IN_HEIGHT, CUBE_IN_HEIGHT_EXTENT)));
	p->oc = GET(PPU, DATA_CUBE_OUT_CHANNEL, CUBE_OUT_CHANNEL_EXTENT);
	p->ic = VOTE("channel count",
		     WITNESS(PPU, DATA_CUBE_IN_CHANNEL,
			     GET(PPU, DATA_CUBE_IN_CHANNEL, CUBE_IN_CHANNEL_EXTENT)),
		     WITNESS(PPU_RDMA, RDMA_CUBE_IN_CHANNEL,
			     GET(PPU_RDMA, RDMA_CUBE_IN_CHANNEL, CUBE_IN_CHANNEL_EXTENT)),
		     WITNESS(PPU, DATA_CUBE_OUT_CHANNEL, p->oc));
	p->ow = GET(PPU, DATA_CUBE_OUT_WIDTH, CUBE_OUT_WIDTH_EXTENT);
	p->oh = GET(PPU, DATA_CUBE_OUT_HEIGHT, CUBE_OUT_HEIGHT_EXTENT);
}

/* Each window has to start inside the padded input. */
static void check_windows(struct rocket_check *c, const struct pool *p)
{
	int64_t right = p->iw + GET(PPU, POOLING_PADDING_CFG, PAD_LEFT) +
			GET(PPU, POOLING_PADDING_CFG, PAD_RIGHT);
	int64_t bottom = p->ih + GET(PPU, POOLING_PADDING_CFG, PAD_TOP) +
			 GET(PPU, POOLING_PADDING_CFG, PAD_BOTTOM);

	if ((p->ow - 1) * GET(PPU, POOLING_KERNEL_CFG, KERNEL_STRIDE_WIDTH_EXTENT) >= right)
		BLAME(PPU, DATA_CUBE_OUT_WIDTH, "%lld output columns reach past the input",
		      (long long)p->ow);
	if ((p->oh - 1) * GET(PPU, POOLING_KERNEL_CFG, KERNEL_STRIDE_HEIGHT_EXTENT) >= bottom)
		BLAME(PPU, DATA_CUBE_OUT_HEIGHT, "%lld output rows reach past the input",
		      (long long)p->oh);
	if (GET(PPU, DST_SURF_STRIDE, DST_SURF_STRIDE) < p->ow * p->oh)
		BLAME(PPU, DST_SURF_STRIDE, "surface stride %u atoms for %lld pixels",
		      GET(PPU, DST_SURF_STRIDE, DST_SURF_STRIDE), (long long)(p->ow * p->oh));
}

static void check_modes(struct rocket_check *c)
{
	unsigned precision = GET(PPU, DATA_FORMAT, PROC_PRECISION);
	unsigned width = GET(PPU_RDMA, RDMA_DATA_FORMAT, IN_PRECISION);

	if (GET(PPU, OPERATION_MODE_CFG, POOLING_METHOD) == 3)
		BLAME(PPU, OPERATION_MODE_CFG, "pooling method 3 is none");
	if (!GET(PPU, OPERATION_MODE_CFG, FLYING_MODE))
		BLAME(PPU, OPERATION_MODE_CFG, "input from the DPU, which is not started");
	/* Measured pairs: int8 over 8-bit elements, fp16 over 16-bit ones. */
	if (precision != RK3588_INT8 && precision != RK3588_FP16)
		BLAME(PPU, DATA_FORMAT, "precision %u is not known to pool", precision);
	else if (width != (precision == RK3588_FP16 ? 2 : 1))
		BLAME(PPU_RDMA, RDMA_DATA_FORMAT, "element size code %u for precision %u", width,
		      precision);
}

static void check_memory(struct rocket_check *c, const struct pool *p)
{
	int64_t c2 = GET(PPU, DATA_FORMAT, PROC_PRECISION) == RK3588_FP16 ? 8 : 16;
	int64_t planes = (p->ic + c2 - 1) / c2;
	int64_t src_surf = GET(PPU_RDMA, RDMA_SRC_SURF_STRIDE, SRC_SURF_STRIDE);
	int64_t src_line = GET(PPU_RDMA, RDMA_SRC_LINE_STRIDE, SRC_LINE_STRIDE);
	int64_t dst_surf = GET(PPU, DST_SURF_STRIDE, DST_SURF_STRIDE);
	int64_t in = (planes - 1) * src_surf + (p->ih - 1) * src_line + p->iw;
	int64_t out = (planes - 1) * dst_surf + p->ow * p->oh;

	rocket_check_mapped(c, RK3588_PPU_RDMA_RDMA_SRC_BASE_ADDR, "input",
			    VALUE(PPU_RDMA, RDMA_SRC_BASE_ADDR), 16 * (uint64_t)in, false);
	rocket_check_mapped(c, RK3588_PPU_DST_BASE_ADDR, "output", VALUE(PPU, DST_BASE_ADDR),
			    16 * (uint64_t)out, true);
}

void rk3588_check_pool(struct rocket_check *c)
{
	struct pool p;

	check_extents(c, &p);
	check_windows(c, &p);
	check_modes(c);
	check_memory(c, &p);
}

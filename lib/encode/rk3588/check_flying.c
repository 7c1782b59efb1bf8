// SPDX-License-Identifier: LGPL-2.1-or-later
/* check_flying.c - programs whose main data come from memory: lookup and elementwise. */
#include "check.h"

static void check_modes(struct rocket_check *c)
{
	VOTE("FLYING_MODE", { RK3588_PC_OPERATION_ENABLE, 1, true },
	     WITNESS(DPU, FEATURE_MODE_CFG, GET(DPU, FEATURE_MODE_CFG, FLYING_MODE)),
	     WITNESS(DPU_RDMA, RDMA_FEATURE_MODE_CFG,
		     GET(DPU_RDMA, RDMA_FEATURE_MODE_CFG, FLYING_MODE)));
	if (GET(DPU_RDMA, RDMA_FEATURE_MODE_CFG, MRDMA_DISABLE))
		BLAME(DPU_RDMA, RDMA_FEATURE_MODE_CFG,
		      "the main read DMA is off: the DPU waits for ever");
	/* COMB_USE 1 and 5 never complete here [silicon]. */
	else if (GET(DPU_RDMA, RDMA_FEATURE_MODE_CFG, COMB_USE) & 1)
		BLAME(DPU_RDMA, RDMA_FEATURE_MODE_CFG, "COMB_USE %u never completes",
		      GET(DPU_RDMA, RDMA_FEATURE_MODE_CFG, COMB_USE));
	if (GET(DPU, FEATURE_MODE_CFG, OUTPUT_MODE) != 2)
		BLAME(DPU, FEATURE_MODE_CFG, "OUTPUT_MODE %u does not write to memory",
		      GET(DPU, FEATURE_MODE_CFG, OUTPUT_MODE));
}

static void check_precision(struct rocket_check *c)
{
	unsigned in = GET(DPU, DATA_FORMAT, IN_PRECISION);

	if (in == 7 || GET(DPU, DATA_FORMAT, PROC_PRECISION) == 7 ||
	    GET(DPU, DATA_FORMAT, OUT_PRECISION) == 7)
		BLAME(DPU, DATA_FORMAT, "precision 7 is invalid in the DPU: it writes nothing");
	else if (GET(DPU, DATA_FORMAT, PROC_PRECISION) != in)
		BLAME(DPU, DATA_FORMAT, "PROC_PRECISION %u is not IN_PRECISION %u",
		      GET(DPU, DATA_FORMAT, PROC_PRECISION), in);
	else if (GET(DPU_RDMA, RDMA_FEATURE_MODE_CFG, IN_PRECISION) != in ||
		 GET(DPU_RDMA, RDMA_FEATURE_MODE_CFG, PROC_PRECISION) != in)
		BLAME(DPU_RDMA, RDMA_FEATURE_MODE_CFG, "precision is not the DPU's %u", in);
}

static void check_extents(struct rocket_check *c, struct rk3588_cube *cube)
{
	cube->ow = VOTE("width",
			WITNESS(DPU, DATA_CUBE_WIDTH, GET(DPU, DATA_CUBE_WIDTH, WIDTH_EXTENT)),
			WITNESS(DPU, WDMA_SIZE_1, GET(DPU, WDMA_SIZE_1, WIDTH_WDMA_EXTENT)),
			WITNESS(DPU_RDMA, RDMA_DATA_CUBE_WIDTH,
				GET(DPU_RDMA, RDMA_DATA_CUBE_WIDTH, WIDTH_EXTENT)));
	cube->oh = VOTE("height",
			WITNESS(DPU, DATA_CUBE_HEIGHT, GET(DPU, DATA_CUBE_HEIGHT, HEIGHT_EXTENT)),
			WITNESS(DPU, WDMA_SIZE_1, GET(DPU, WDMA_SIZE_1, HEIGHT_WDMA_EXTENT)),
			WITNESS(DPU_RDMA, RDMA_DATA_CUBE_HEIGHT,
				GET(DPU_RDMA, RDMA_DATA_CUBE_HEIGHT, HEIGHT_EXTENT)));
	cube->oc =
		VOTE("channel count",
		     WITNESS(DPU, DATA_CUBE_CHANNEL, GET(DPU, DATA_CUBE_CHANNEL, CHANNEL_EXTENT)),
		     WITNESS(DPU, WDMA_SIZE_0, GET(DPU, WDMA_SIZE_0, CHANNEL_WDMA_EXTENT)),
		     WITNESS(DPU_RDMA, RDMA_DATA_CUBE_CHANNEL,
			     GET(DPU_RDMA, RDMA_DATA_CUBE_CHANNEL, CHANNEL_EXTENT)));
	/* With fewer original channels only the first lanes of an atom are right [silicon]. */
	if (GET(DPU, DATA_CUBE_CHANNEL, CHANNEL_EXTENT) == cube->oc &&
	    GET(DPU, DATA_CUBE_CHANNEL, ORIG_CHANNEL_EXTENT) != cube->oc)
		BLAME(DPU, DATA_CUBE_CHANNEL, "ORIG_CHANNEL %u is not CHANNEL %lld",
		      GET(DPU, DATA_CUBE_CHANNEL, ORIG_CHANNEL_EXTENT), (long long)cube->oc);
	if (cube->ow >= 8191)
		BLAME(DPU, DATA_CUBE_WIDTH, "a cube of %lld columns loses its tail",
		      (long long)cube->ow);
}

static void check_operand(struct rocket_check *c, struct rk3588_cube *cube)
{
	bool off = GET(DPU_RDMA, RDMA_ERDMA_CFG, ERDMA_DISABLE);

	cube->operand = rk3588_ew_wants_memory(c);
	if (cube->operand && off)
		BLAME(DPU_RDMA, RDMA_ERDMA_CFG,
		      "the operand DMA is off: the EW stage waits for ever");
	else if (!cube->operand && !off)
		BLAME(DPU_RDMA, RDMA_ERDMA_CFG, "the operand DMA is on, no stage takes its data");
	else if (cube->operand && !rk3588_operand_sizes_agree(c))
		BLAME(DPU_RDMA, RDMA_ERDMA_CFG, "element size or mode is not that of EW_CFG");
}

void rk3588_check_flying(struct rocket_check *c, struct rk3588_cube *cube)
{
	check_modes(c);
	check_precision(c);
	check_extents(c, cube);
	check_operand(c, cube);
}

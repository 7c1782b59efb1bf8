// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * check_operand.c - the read DMAs of the DPU and the stages they feed.
 *
 * Most mistakes here hang the core, and the hang outlives the job.
 */
#include "check.h"

#define COMB_SHARED 5 /* MRDMA and ERDMA share one read that goes to the EW stage */

bool rk3588_ew_wants_memory(struct rocket_check *c)
{
	return !GET(DPU, EW_CFG, EW_BYPASS) && !GET(DPU, EW_CFG, EW_OP_BYPASS) &&
	       GET(DPU, EW_CFG, EW_OP_SRC);
}

/* Stages that hang or pass data by; the programs around them are sound. */
void rk3588_check_stages(struct rocket_check *c)
{
	bool fp16 = GET(DPU, DATA_FORMAT, PROC_PRECISION) == RK3588_FP16;
	bool bypassed = GET(DPU, EW_CFG, EW_OP_CVT_BYPASS);

	if (GET(DPU_RDMA, RDMA_NRDMA_CFG, NRDMA_DATA_USE))
		BLAME(DPU_RDMA, RDMA_NRDMA_CFG, "BN operands from memory never complete");
	if (!fp16 || !rk3588_ew_wants_memory(c))
		return;
	if (GET(DPU, EW_CFG, EW_OP_TYPE) && !bypassed)
		BLAME(DPU, EW_CFG, "fp16 multiply with the operand converter live never completes");
	else if (!GET(DPU, EW_CFG, EW_OP_TYPE) && bypassed)
		BLAME(DPU, EW_CFG, "fp16 operand with its converter bypassed is passed by");
}

static void check_pointer(struct rocket_check *c, unsigned offset)
{
	uint32_t value = rocket_check_value(c, offset) & 0x3f;

	/* 0x30 and 0x1e reset the ping-pong pair first. */
	if (value != 0x0e && value != 0x1e && value != 0x30)
		rocket_check_warn(c, rocket_check_word(c, offset), offset,
				  "ping-pong pointers 0x%02x, not 0x0e", value);
}

void rk3588_check_pointers(struct rocket_check *c)
{
	check_pointer(c, RK3588_DPU_S_POINTER);
	check_pointer(c, RK3588_DPU_RDMA_RDMA_S_POINTER);
}

bool rk3588_operand_sizes_agree(struct rocket_check *c)
{
	return GET(DPU, EW_CFG, EDATA_SIZE) == GET(DPU_RDMA, RDMA_ERDMA_CFG, ERDMA_DATA_SIZE) &&
	       GET(DPU, EW_CFG, EW_DATA_MODE) == GET(DPU_RDMA, RDMA_ERDMA_CFG, ERDMA_DATA_MODE);
}

static void check_rdma_precision(struct rocket_check *c)
{
	if (GET(DPU_RDMA, RDMA_FEATURE_MODE_CFG, IN_PRECISION) == 7 ||
	    GET(DPU_RDMA, RDMA_FEATURE_MODE_CFG, PROC_PRECISION) == 7)
		BLAME(DPU_RDMA, RDMA_FEATURE_MODE_CFG, "precision 7 is invalid in DPU_RDMA");
}

static void check_no_operand(struct rocket_check *c)
{
	if (!GET(DPU_RDMA, RDMA_FEATURE_MODE_CFG, MRDMA_DISABLE) ||
	    GET(DPU_RDMA, RDMA_FEATURE_MODE_CFG, COMB_USE))
		BLAME(DPU_RDMA, RDMA_FEATURE_MODE_CFG,
		      "the main read DMA is on without a source: the DPU waits for ever");
	if (!GET(DPU_RDMA, RDMA_ERDMA_CFG, ERDMA_DISABLE))
		BLAME(DPU_RDMA, RDMA_ERDMA_CFG, "the operand DMA is on, no stage takes its data");
}

/* All of these are right at once, or the operand never advances past its first atom. */
static void check_operand_strides(struct rocket_check *c, const struct rk3588_cube *cube)
{
	int64_t pixels = cube->ow * cube->oh;
	int64_t src = GET(DPU_RDMA, RDMA_SRC_BASE_ADDR, SRC_BASE_ADDR);
	int64_t ew = GET(DPU_RDMA, RDMA_EW_BASE_ADDR, EW_BASE_ADDR);

	if (GET(DPU_RDMA, RDMA_EW_SURF_STRIDE, EW_SURF_STRIDE) < pixels)
		BLAME(DPU_RDMA, RDMA_EW_SURF_STRIDE, "operand surface stride %u for %lld pixels",
		      GET(DPU_RDMA, RDMA_EW_SURF_STRIDE, EW_SURF_STRIDE), (long long)pixels);
	if (GET(DPU_RDMA, RDMA_SURF_NOTCH, SURF_NOTCH_ADDR) < pixels)
		BLAME(DPU_RDMA, RDMA_SURF_NOTCH, "surface notch %u for %lld pixels",
		      GET(DPU_RDMA, RDMA_SURF_NOTCH, SURF_NOTCH_ADDR), (long long)pixels);
	if (GET(DPU_RDMA, RDMA_EW_SURF_NOTCH, EW_SURF_NOTCH) < pixels)
		BLAME(DPU_RDMA, RDMA_EW_SURF_NOTCH, "operand notch %u for %lld pixels",
		      GET(DPU_RDMA, RDMA_EW_SURF_NOTCH, EW_SURF_NOTCH), (long long)pixels);
	if (ew < src + 16 * pixels)
		BLAME(DPU_RDMA, RDMA_EW_BASE_ADDR,
		      "0x%llx is not a surface past the operand at 0x%llx", (long long)ew,
		      (long long)src);
	if (pixels < 12)
		BLAME(DPU_RDMA, RDMA_SURF_NOTCH, "the operand DMA needs 12 pixels, not %lld",
		      (long long)pixels);
}

static void check_operand(struct rocket_check *c, struct rk3588_cube *cube)
{
	size_t before;

	if (GET(DPU_RDMA, RDMA_FEATURE_MODE_CFG, MRDMA_DISABLE) ||
	    GET(DPU_RDMA, RDMA_FEATURE_MODE_CFG, COMB_USE) != COMB_SHARED)
		BLAME(DPU_RDMA, RDMA_FEATURE_MODE_CFG,
		      "the main read DMA does not deliver the operand");
	if (GET(DPU_RDMA, RDMA_ERDMA_CFG, ERDMA_DISABLE))
		BLAME(DPU_RDMA, RDMA_ERDMA_CFG,
		      "the operand DMA is off: the EW stage waits for ever");
	else if (rk3588_ew_wants_memory(c) && !rk3588_operand_sizes_agree(c))
		BLAME(DPU_RDMA, RDMA_ERDMA_CFG, "element size or mode is not that of EW_CFG");
	before = c->found;
	check_operand_strides(c, cube);
	cube->operand_lost = c->found != before;
}

/* Three registers say whether there is an operand; the odd one out is the wrong one. */
void rk3588_check_operand(struct rocket_check *c, struct rk3588_cube *cube)
{
	bool ew = rk3588_ew_wants_memory(c);
	bool erdma = !GET(DPU_RDMA, RDMA_ERDMA_CFG, ERDMA_DISABLE);
	bool mrdma = GET(DPU_RDMA, RDMA_FEATURE_MODE_CFG, COMB_USE) == COMB_SHARED;

	cube->operand = ew + erdma + mrdma >= 2;
	check_rdma_precision(c);
	if (ew && !cube->operand)
		BLAME(DPU, EW_CFG, "an operand from memory, but its read DMAs are off: hangs");
	else if (!ew && cube->operand)
		BLAME(DPU, EW_CFG, "an operand is read from memory, the EW stage ignores it");
	if (cube->operand)
		check_operand(c, cube);
	else
		check_no_operand(c);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* check_output.c - does the DPU write every element to its place? */
#include "check.h"

/* Output channels of one kernel group: what the MAC array delivers at a time. */
static int64_t group_channels(const struct rk3588_cube *cube)
{
	static const uint8_t direct[8] = {
		[RK3588_INT8] = 32, [RK3588_INT16] = 16, [RK3588_FP16] = 16,
		[RK3588_BF16] = 16, [RK3588_INT4] = 64,  [RK3588_TF32] = 16,
	};

	if (cube->depthwise)
		return cube->precision == RK3588_INT8 ? 64 : 32;
	return direct[cube->precision & 7];
}

/* Atoms one group yields per pixel; SIZE_E holds that minus one, in a field of 3 bits. */
static int64_t group_atoms(struct rocket_check *c, const struct rk3588_cube *cube)
{
	unsigned out = GET(DPU, DATA_FORMAT, OUT_PRECISION);

	/* The transposed writer stores the low half of 32-bit sums. */
	if (GET(DPU, BS_OW_CFG, TP_ORG_EN))
		return 8;
	/* As encoded; whether the numbers are right is not known. */
	if (cube->depthwise && out == RK3588_FP32)
		return 4;
	return group_channels(cube) * rk3588_precision_bits(out) / 128;
}

static int64_t check_size_e(struct rocket_check *c, const struct rk3588_cube *cube)
{
	int64_t e0 = GET(DPU, BS_OW_CFG, SIZE_E_0_EXTENT);
	int64_t e1 = GET(DPU, BS_OW_CFG, SIZE_E_1_EXTENT);
	int64_t e2 = GET(DPU, BS_OW_CFG, SIZE_E_2_EXTENT);
	int64_t want = group_atoms(c, cube);

	if (e0 != want || e1 != want || e2 != want)
		BLAME(DPU, BS_OW_CFG, "SIZE_E %lld,%lld,%lld, the types need %lld",
		      (long long)e0 - 1, (long long)e1 - 1, (long long)e2 - 1, (long long)want - 1);
	return want;
}

/*
 * A cube has planes of OW x OH atoms (or more: a task may write a slice of a larger plane) and
 * rows without gaps; rows of a matrix are one atom wide with a notch to the next row.
 */
static void check_surfaces(struct rocket_check *c, const struct rk3588_cube *cube, int64_t atoms)
{
	int64_t plane = GET(DPU, DST_SURF_STRIDE, DST_SURF_STRIDE);
	int64_t add = GET(DPU, SURFACE_ADD, SURF_ADD);
	int64_t notch = GET(DPU, DATA_CUBE_NOTCH_ADDR, NOTCH_ADDR_0);
	int64_t pixels = cube->ow * cube->oh;
	bool matrix = notch && cube->ow == 1;
	bool doubled = cube->depthwise && GET(DPU, DATA_FORMAT, OUT_PRECISION) == RK3588_FP32;

	if (doubled)
		atoms = 8;
	if (GET(DPU, DATA_CUBE_NOTCH_ADDR, NOTCH_ADDR_1) != notch)
		BLAME(DPU, DATA_CUBE_NOTCH_ADDR, "the notches %u and %lld differ",
		      GET(DPU, DATA_CUBE_NOTCH_ADDR, NOTCH_ADDR_1), (long long)notch);
	else if (matrix ? plane != 1 : plane < pixels)
		BLAME(DPU, DST_SURF_STRIDE, "surface stride %lld atoms for %lld pixels",
		      (long long)plane, (long long)pixels);
	else if (!matrix && plane != pixels && add == atoms * pixels)
		BLAME(DPU, DST_SURF_STRIDE, "surface stride %lld atoms, SURFACE_ADD is for %lld",
		      (long long)plane, (long long)pixels);
	/* A wrong SIZE_E that the surface step follows is one mistake, and blamed already. */
	else if (add != atoms * plane && add != GET(DPU, BS_OW_CFG, SIZE_E_0_EXTENT) * plane)
		BLAME(DPU, SURFACE_ADD, "%lld atoms, not %lld times the surface stride %lld",
		      (long long)add, (long long)atoms, (long long)plane);
}

static void check_width(struct rocket_check *c, const struct rk3588_cube *cube)
{
	/* 8191 columns lose about 54 elements of their tail [silicon]. */
	if (cube->ow >= 8191)
		BLAME(DPU, DATA_CUBE_WIDTH, "a cube of %lld columns loses its tail",
		      (long long)cube->ow);
}

/* A group that is cut off is written wrong, or the int8 writer waits for its rest [silicon]. */
static void check_whole_groups(struct rocket_check *c, const struct rk3588_cube *cube)
{
	int64_t group = group_channels(cube);

	if (group && cube->oc % group)
		BLAME(DPU, DATA_CUBE_CHANNEL, "%lld channels are not whole groups of %lld",
		      (long long)cube->oc, (long long)group);
}

/* After 16 channels it hangs, after 32 its places are not known [silicon]. */
static void check_transposed(struct rocket_check *c, struct rk3588_cube *cube)
{
	size_t before = c->found;

	if (!GET(DPU, BS_OW_CFG, TP_ORG_EN))
		return;
	if (cube->precision != RK3588_INT16 || GET(DPU, DATA_FORMAT, OUT_PRECISION) != RK3588_INT32)
		BLAME(DPU, BS_OW_CFG, "the transposed writer takes int16 sums alone");
	else if (cube->oc != 32)
		BLAME(DPU, BS_OW_CFG, "%lld channels hang the transposed writer or are misplaced",
		      (long long)cube->oc);
	/* What the rest of its registers should be is not known either. */
	if (c->found != before)
		cube->output_lost = true;
}

void rk3588_check_output(struct rocket_check *c, struct rk3588_cube *cube)
{
	size_t before = c->found;

	check_width(c, cube);
	check_whole_groups(c, cube);
	check_transposed(c, cube);
	if (GET(DPU, FEATURE_MODE_CFG, OUTPUT_MODE) != 2)
		BLAME(DPU, FEATURE_MODE_CFG, "OUTPUT_MODE %u does not write to memory",
		      GET(DPU, FEATURE_MODE_CFG, OUTPUT_MODE));
	if (!cube->output_lost)
		check_surfaces(c, cube, check_size_e(c, cube));
	if (c->found != before)
		cube->output_lost = true;
}

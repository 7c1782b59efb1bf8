// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * How far a right result may be from the exact sum.
 *
 * Notation: u = 2^-24 (half an ulp of fp32, relative), h(x) = half an ulp of fp16 at
 * magnitude x, E = the error bound of what has been computed so far, S = the exact sum of
 * the tiles folded in.
 *
 * 1. One tile, T = sum of kt products a*b. Products are exact. Each aligned group of 32
 *    is summed exactly and rounded once to fp32; g = ceil(kt/32) group sums are added in
 *    fp32 starting from +0. A group sum is rounded once on its own and then at most g - 1
 *    times inside additions (0 + x is exact), so it carries at most g roundings:
 *        |fp32 tile - T| <= gamma(g) * sum|a*b|,   gamma(g) = g*u / (1 - g*u).
 *    tf32 has groups of 16; that bf16 and tf32 are summed like fp16 is taken, not measured.
 *    There is no underflow term: products of fp16 are multiples of 2^-48, far above the
 *    smallest fp32, and so are those of the fp32 operands that the command makes. sum|a*b| <= |a|
 * |b| (Cauchy-Schwarz on the tile's row and column), which the caller passes as magnitude, a little
 * above the exact value. The reference itself adds kt doubles: + kt * 2^-53 * magnitude. Call the
 * total t.
 *
 * 2. fp16 result, tiles added on the NPU: the first partial is narrow(T); each later one is
 *    narrow(fp32(T + partial)):
 *        E' = E + t                          the two terms
 *        E' = E' + u * (|S| + E')            the fp32 addition, not for the first tile
 *        E' = E' + h(|S| + E')               the narrowing
 *    h is taken at an upper bound of the magnitude and is monotonic.
 *
 * 3. fp16 result, tiles added on the host: each partial is narrow(T), i.e. t + h(|T| + t)
 *    away; the float sum adds u * (|S| + E) per tile after the first; the end narrows once
 *    more: + h(|S| + E).
 *
 * 4. fp32 result: t per tile, double sums of fp32 values (2^-53 each, charged like the
 *    reference's), one rounding to fp32 at the end: + u * (|S| + E).
 *
 * 5. Whole numbers: 0.
 *
 * 6. Scales by group: a tile is a whole number below 2^31; the product of its scales, its
 *    conversion and their product are rounded to fp32, (1 + u)^3 <= 1 + 3.001 u, and so is each
 *    addition: u * (|S| + E). The reference rounds its own term once to double.
 *
 * Where |S| + E can reach 65520, the value that rounds to infinity, an fp16 result may
 * have overflowed at that point: the bound is infinite from there on.
 *
 * Known silicon deviation outside this model: in columns with n % 16 == 0 one group sum may
 * be lowered by 2^(4c - 44), c <= 6 for operands below 1: 2^-20, well inside rule 2's h and
 * inside rule 4 only from |S| ~ 16 on.
 */
#include <math.h>

#include "check.h"

#define FP32_HALF_ULP 0x1p-24
#define FP64_HALF_ULP 0x1p-53
#define FP16_OVERFLOW 65520.0

static double half_ulp_fp16(double magnitude)
{
	int exponent;

	if (magnitude >= FP16_OVERFLOW)
		return INFINITY;
	if (magnitude < 0x1p-14) /* subnormal and the lowest normal binade */
		return 0x1p-25;
	frexp(magnitude, &exponent); /* magnitude in [2^(e-1), 2^e) */
	return ldexp(1.0, exponent - 12);
}

static double tile_error(double magnitude, int kt, int group)
{
	double roundings = (kt + group - 1) / group * FP32_HALF_ULP;

	return magnitude * (roundings / (1 - roundings) + kt * FP64_HALF_ULP);
}

void check_fold(struct check_element *e, enum check_rounding rounding, bool first, double tile,
		double magnitude, int kt, int group)
{
	double t = tile_error(magnitude, kt, group);

	e->sum += tile;
	if (rounding == CHECK_SCALED) {
		e->error += (3.001 * FP32_HALF_ULP + 2 * FP64_HALF_ULP) * fabs(tile);
		e->error += FP32_HALF_ULP * (fabs(e->sum) + e->error);
		return;
	}
	if (rounding == CHECK_EXACT || rounding == CHECK_EXACT64)
		return;
	if (rounding == CHECK_FP16_HOST)
		t += half_ulp_fp16(fabs(tile) + t);
	e->error += t;
	if (rounding == CHECK_FP32)
		e->error += FP64_HALF_ULP * (fabs(e->sum) + e->error);
	else if (!first)
		e->error += FP32_HALF_ULP * (fabs(e->sum) + e->error);
	if (rounding == CHECK_FP16_DEVICE)
		e->error += half_ulp_fp16(fabs(e->sum) + e->error);
}

double check_finish(const struct check_element *e, enum check_rounding rounding)
{
	double bound = e->error;

	switch (rounding) {
	case CHECK_EXACT:
	case CHECK_EXACT64:
		return 0;
	case CHECK_FP16_DEVICE:
	case CHECK_SCALED:
		break;
	case CHECK_FP16_HOST:
		bound += half_ulp_fp16(fabs(e->sum) + bound);
		break;
	case CHECK_FP32:
		bound += FP32_HALF_ULP * (fabs(e->sum) + bound);
		break;
	}
	/* The bound was itself computed with a few dozen rounded operations. */
	return bound * (1 + 1e-12);
}

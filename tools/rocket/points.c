// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stddef.h>

#include "points.h"

/*
 * Rates: table of the firmware (upstream TF-A, RK3588 SCMI clock of the NPU). Real rates: 200 is
 * a divided PLL; the others a ring oscillator of 55 to 12 stages, of which 600 and 900 were
 * measured on a Turing RK1. 800, 900 and 1000 select the same ring, so they differ by voltage
 * alone. The remaining ones follow from a line through the two measured points.
 */
static const struct point points[] = {
	{ 200000000, 700000, true, 198, 200, true,
	  "silicon: what the NPU boots at; a PLL, does not follow the rail" },
	{ 300000000, 700000, false, 425, 425, false, "inferred: ring model, never measured" },
	{ 400000000, 700000, false, 541, 541, false, "inferred: ring model, never measured" },
	{ 500000000, 700000, false, 684, 684, false, "inferred: ring model, never measured" },
	{ 600000000, 700000, true, 816, 816, true, "silicon: Turing RK1, results exact" },
	{ 700000000, 700000, false, 903, 903, false, "inferred: ring model, never measured" },
	{ 800000000, 750000, false, 922, 928, false,
	  "inferred: the same ring as the 900 MHz request" },
	{ 900000000, 800000, true, 922, 928, true,
	  "silicon: Turing RK1, 15 min of load, peak 49 C, results exact" },
	{ 1000000000, 850000, false, 0, 0, false,
	  "none: the same ring as 900 at more voltage, never tried" },
};

const struct point *point_at(unsigned i)
{
	return i < sizeof(points) / sizeof(points[0]) ? &points[i] : NULL;
}

const struct point *point_find(unsigned long hz)
{
	for (unsigned i = 0; point_at(i); i++)
		if (points[i].hz == hz)
			return &points[i];
	return NULL;
}

unsigned point_vote_uv(const struct point *point)
{
	return point->uv > POINT_UV_FLOOR ? point->uv : POINT_UV_FLOOR;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * points.h - the rates that the firmware of an RK3588 accepts for the NPU clock, what they
 * need and what they give.
 */
#ifndef TOOLS_ROCKET_POINTS_H
#define TOOLS_ROCKET_POINTS_H

#include <stdbool.h>

/* As the driver has them (kmod/rocket_opp.c); tests/tool/clock.sh compares. */
#define POINT_PARK_HZ  200000000UL
#define POINT_EASY_HZ  600000000UL
#define POINT_UV_MIN   550000
#define POINT_UV_FLOOR 800000
#define POINT_UV_MAX   950000

/* The rail at which the real rates were measured. */
#define POINT_REAL_UV 800000

struct point {
	unsigned long hz; /* the request */
	unsigned uv;      /* the vendor's voltage for it */
	bool proven;      /* ran on a board with exact results */
	/* What it really runs at with the rail at POINT_REAL_UV; 0: nobody knows. */
	unsigned real_mhz_low, real_mhz_high;
	bool real_measured;
	const char *evidence;
};

/* The i-th by rate, NULL past the last. */
const struct point *point_at(unsigned i);
const struct point *point_find(unsigned long hz);
/* The voltage that the driver asks the rail for: never below the floor. */
unsigned point_vote_uv(const struct point *point);

#endif

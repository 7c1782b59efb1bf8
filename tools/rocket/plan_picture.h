/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_picture.h - a plan drawn in text. */
#ifndef TOOLS_ROCKET_PLAN_PICTURE_H
#define TOOLS_ROCKET_PLAN_PICTURE_H

#include <stdio.h>

#include "lib/plan/matmul_plan.h"

/*
 * The tiles of C in their places, each with the number of its first task in the order of the plan;
 * of more than 8 down or across the first six and the last. first_column: of C, that of the plan's
 * first.
 */
void plan_picture(FILE *out, const struct rocket_matmul_plan *plan, int first_column);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tiler.h - what the planners share beside the public plan.
 */
#ifndef ROCKET_PLAN_TILER_H
#define ROCKET_PLAN_TILER_H

#include "matmul_plan.h"

/* Write the reason for a refusal to why (may be NULL) and give status back. */
int rocket_plan_refuse(int status, char *why, size_t why_size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Tile extents for int8 with one scale per `group` consecutive k: every K tile lies inside
 * one group. ROCKET_MM_KT does not apply. Returns as rocket_matmul_tile(). */
int rocket_tile_int8_groupwise(const struct rocket_hw_profile *hw,
			       const struct rocket_settings *set, int M, int K, int N, int group,
			       struct rocket_matmul_tiles *out, char *why, size_t why_size);

/* Tile extents with K in one tile, as few as there can be. ROCKET_MM_* do not apply. */
int rocket_tile_whole_k(enum rocket_matmul_type type, const struct rocket_hw_profile *hw, int M,
			int K, int N, struct rocket_matmul_tiles *out, char *why, size_t why_size);

#endif

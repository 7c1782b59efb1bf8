// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rows.c - plans whose A and C are plain rows in memory.
 *
 * What is known to be exact [silicon: probes of September 2026]: fp16 and int8 operands in rows,
 * tiles anywhere in a larger A and C, features kept between tasks, and an accumulating program
 * that writes rows where its partial is a cube. Not measured, so not planned: other types, a
 * partial in rows, weights kept between tasks, weights that stream.
 */
#include "rocket_npu.h"
#include "tiler.h"

static const bool in_rows[ROCKET_MM_TYPES] = {
	[ROCKET_MM_FP16_FP16] = true,
	[ROCKET_MM_FP16_FP32] = true,
	[ROCKET_MM_INT8_INT32] = true,
};

static struct rocket_settings settings_for(enum rocket_matmul_type type,
					   const struct rocket_settings *set)
{
	struct rocket_settings s = *set;

	s.mm_stream = 0;
	s.kacc = 1;
	s.mm_pipe = 0;
	if (s.reuse == ROCKET_REUSE_WEIGHT)
		s.reuse = ROCKET_REUSE_OFF;
	/* The planner's own choice may be to keep weights. */
	if (s.reuse == ROCKET_REUSE_AUTO && type == ROCKET_MM_FP16_FP16)
		s.reuse = ROCKET_REUSE_DATA;
	return s;
}

/* Partials are cubes that the NPU alone adds up: the tiles of the planner where it can. */
static bool accumulates(enum rocket_matmul_type type, const struct rocket_matmul_tiles *t, int M)
{
	const int last = M - (t->nm - 1) * t->mt;

	return t->nk == 1 || (type == ROCKET_MM_FP16_FP16 && last >= ROCKET_ACCUMULATE_ROWS_MIN);
}

/* What DATA_CUBE_NOTCH_ADDR can say: rows of C are at most so many bytes apart. */
#define C_ROW_BYTES_MAX (8192 * 16)

static int check_c_row(enum rocket_matmul_type type, int M, int K, int N, char *why,
		       size_t why_size)
{
	const struct rocket_matmul_traits *tr = rocket_matmul_traits(type);
	const int longest = C_ROW_BYTES_MAX / (int)tr->out_bytes;

	if (N <= longest)
		return 0;
	return rocket_plan_refuse(ROCKET_E_SHAPE, why, why_size,
				  "%s matmul %dx%dx%d in rows: N of %s results is %d at most",
				  tr->name, M, K, N, tr->result, longest);
}

static void place_in_rows(struct rocket_matmul_plan *p)
{
	const struct rocket_matmul_traits *tr = rocket_matmul_traits(p->type);

	p->a_row = p->K;
	p->c_row = p->N;
	p->in_bytes = 0;
	if (p->tiles.nk == 1)
		p->out_bytes[0] = 0;
	for (uint32_t i = 0; i < p->n_steps; i++) {
		struct rocket_matmul_step *s = &p->steps[i];

		s->in_off = ((uint64_t)s->m0 * (uint64_t)p->K + (uint64_t)s->k0) * tr->in_bits / 8;
		if (s->k0 + s->kt < p->K)
			continue;
		s->out_bo = ROCKET_OUT_ROWS;
		s->out_off = ((uint64_t)s->m0 * (uint64_t)p->N + (uint64_t)s->n0) * tr->out_bytes;
	}
}

int rocket_matmul_plan_rows(enum rocket_matmul_type type, const struct rocket_hw_profile *hw,
			    const struct rocket_settings *set, int batched, int M, int K, int N,
			    struct rocket_matmul_plan *plan, char *why, size_t why_size)
{
	const struct rocket_settings s = settings_for(type, set);
	struct rocket_matmul_tiles tiles;
	int ret;

	*plan = (struct rocket_matmul_plan){ 0 };
	if ((unsigned)type >= ROCKET_MM_TYPES || !in_rows[type])
		return rocket_plan_refuse(ROCKET_E_UNSUPPORTED, why, why_size,
					  "operands in rows are not known to be exact for type %d",
					  (int)type);
	ret = rocket_matmul_tile(type, hw, &s, M, K, N, &tiles, why, why_size);
	if (ret > 0 && !accumulates(type, &tiles, M))
		ret = rocket_tile_whole_k(type, hw, M, K, N, &tiles, why, why_size);
	if (ret < 0)
		return ret;
	ret = check_c_row(type, M, K, N, why, why_size);
	if (ret)
		return ret;
	ret = rocket_matmul_plan_tiles(type, &s, batched, 1, M, K, N, &tiles, plan, why, why_size);
	if (!ret)
		place_in_rows(plan);
	return ret;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * matmul_take.c - the results of jobs into C.
 *
 * The K tiles of a part of C are added up block by block, in a place that the first-level cache
 * holds. Only where they come in different jobs, or not one after the other, are sums kept
 * beyond that.
 */
#include <string.h>

#include "../layout/block.h"
#include "matmul_run.h"

/* The largest accumulator has twice the bytes of its results. */
#define BLOCK_SUM_BYTES (ROCKET_BLOCK_ROWS * ROCKET_BLOCK_ATOMS * ROCKET_ATOM_BYTES * 2)

/* Consecutive steps that are added up to one tile of C, or to what follows of it in later jobs. */
struct group {
	const struct rocket_matmul_step *steps;
	uint32_t count;
	bool begins, ends;   /* with the first and the last k */
	uint32_t to_product; /* steps from one to that of the next product */
};

static bool same_tile(const struct rocket_matmul_step *a, const struct rocket_matmul_step *b)
{
	return a->item == b->item && a->m0 == b->m0 && a->n0 == b->n0;
}

static struct group group_at(const struct rocket_matmul_run *r, const struct rocket_matmul_step *s,
			     uint32_t left)
{
	struct group g = { .steps = s, .count = 1, .begins = s->k0 == 0 };

	while (!r->plan.device_accumulates && g.count < left && same_tile(s, s + g.count))
		g.count++;
	g.ends = s[g.count - 1].k0 + s[g.count - 1].kt == r->call->K;
	return g;
}

/* Tiles whose sums are kept at once. */
static uint64_t open_tiles(const struct rocket_matmul_plan *p)
{
	const uint32_t nk = (uint32_t)p->tiles.nk;

	if (p->device_accumulates || nk == 1)
		return 0;
	if (p->reuse != ROCKET_REUSE_OFF)
		return (uint64_t)p->tiles.nm * (uint64_t)p->tiles.nn;
	return p->jobs[0].count % nk != 0; /* a job ends within a tile */
}

uint64_t rocket_matmul_sums_bytes(const struct rocket_matmul_plan *p,
				  const struct rocket_matmul_kind *kind)
{
	return open_tiles(p) * (uint64_t)p->tiles.mt * (uint64_t)p->tiles.nt * kind->sum_bytes;
}

/* Where the sums of a step's tile are kept, in rows of the tile's width. */
static uint8_t *kept_sums(const struct rocket_matmul_run *r, const struct rocket_matmul_step *s)
{
	const struct rocket_matmul_tiles *t = &r->plan.tiles;
	size_t tile = 0;

	if (r->plan.reuse != ROCKET_REUSE_OFF)
		tile = (size_t)(s->m0 / t->mt) * (size_t)t->nn + (size_t)(s->n0 / t->nt);
	return (uint8_t *)r->bufs->sums + tile * (size_t)t->mt * (size_t)t->nt * r->kind->sum_bytes;
}

/* The scales of a group of k, from row m and column n of C on. */
static struct rocket_scales scales_of(const struct rocket_matmul_run *r, int k0, size_t m, size_t n)
{
	const struct rocket_matmul_call *call = r->call;
	struct rocket_scales scales = { 0 };
	size_t groups, group;

	if (!call->limits.grouped)
		return scales;
	groups = (size_t)(call->K / call->limits.group);
	group = (size_t)(k0 / call->limits.group);
	scales.scale_stride = groups;
	scales.row = call->a_scale + m * groups + group;
	scales.column = call->b_scale + n * groups + group;
	return scales;
}

static const uint8_t *cube_of(const struct rocket_matmul_run *r, const struct rocket_matmul_step *s)
{
	return (const uint8_t *)r->bufs->out[s->out_bo].ptr + s->out_off;
}

static uint8_t *c_of(const struct rocket_matmul_run *r, const struct rocket_matmul_step *s)
{
	const size_t at = (size_t)s->m0 * r->call->c_row + (size_t)s->n0;

	return (uint8_t *)r->item.c + at * r->kind->c_bytes;
}

/* Some rows and columns of a tile. */
struct piece {
	size_t m, n, rows, columns;
};

/* The results of a step and of the same one of the other products, from row m and column n of the
 * tile on. */
static void list_cubes(const struct rocket_matmul_run *r, const struct group *g,
		       const struct rocket_matmul_step *s, size_t m, size_t n,
		       const void *cubes[ROCKET_PRODUCTS_MAX])
{
	const size_t lanes = 16 / r->tr->out_bytes;
	const size_t at = (n / lanes * (size_t)s->mt + m) * 16;

	for (int i = 0; i < r->plan.parts * r->plan.parts; i++)
		cubes[i] = cube_of(r, s + (size_t)i * g->to_product) + at;
}

static void add_piece(const struct rocket_matmul_run *r, const struct group *g,
		      const struct piece *p, uint8_t *sums, size_t stride)
{
	const struct rocket_matmul_kind *kind = r->kind;
	const size_t pitch = r->call->c_row * kind->c_bytes;
	uint8_t *c = c_of(r, g->steps) + p->m * pitch + p->n * kind->c_bytes;
	bool first = g->begins;

	for (uint32_t i = 0; i < g->count; i++, first = false) {
		const struct rocket_matmul_step *s = &g->steps[i];
		const struct rocket_scales scales =
			scales_of(r, s->k0, (size_t)s->m0 + p->m, (size_t)s->n0 + p->n);
		const void *cubes[ROCKET_PRODUCTS_MAX];

		list_cubes(r, g, s, p->m, p->n, cubes);
		kind->add(sums, cubes, p->rows, (size_t)s->mt, p->columns, stride, first, &scales);
	}
	if (!g->ends)
		return;
	if (!kind->finish)
		rocket_copy_rows(c, pitch, sums, stride * kind->sum_bytes, p->rows,
				 p->columns * kind->c_bytes,
				 rocket_rows_are_read_soon((size_t)r->call->M * pitch));
	for (size_t m = 0; kind->finish && m < p->rows; m++)
		kind->finish(c + m * pitch, sums + m * stride * kind->sum_bytes, p->columns);
}

/* The rows of a tile that the layouts add up in one pass, from the first on: returns how many. */
static size_t total_rows(const struct rocket_matmul_run *r, const struct group *g, size_t rows,
			 uint8_t *kept)
{
	const struct rocket_matmul_kind *kind = r->kind;
	const size_t c_pitch = r->call->c_row * kind->c_bytes;
	const size_t kept_pitch = (size_t)r->plan.tiles.nt * kind->sum_bytes;
	const void *cubes[ROCKET_TOTAL_TILES_MAX];
	uint32_t groups[ROCKET_TOTAL_TILES_MAX] = { 0 };
	const struct rocket_tiles tiles = {
		.seed = g->begins ? NULL : kept,
		.seed_pitch = kept_pitch,
		.cubes = cubes,
		.count = g->count,
		.cube_rows = (size_t)g->steps->mt,
		.scales = scales_of(r, 0, (size_t)g->steps->m0, (size_t)g->steps->n0),
		.groups = groups,
	};

	rows -= rows % ROCKET_TOTAL_ROWS;
	if (!kind->total || g->count > ROCKET_TOTAL_TILES_MAX || !rows)
		return 0;
	for (uint32_t i = 0; i < g->count; i++) {
		cubes[i] = cube_of(r, &g->steps[i]);
		if (r->call->limits.grouped)
			groups[i] = (uint32_t)(g->steps[i].k0 / r->call->limits.group);
	}
	if (g->ends)
		kind->total(c_of(r, g->steps), c_pitch, rows, (size_t)g->steps->nt,
			    rocket_rows_are_read_soon((size_t)r->call->M * c_pitch), &tiles);
	else
		kind->total(kept, kept_pitch, rows, (size_t)g->steps->nt, true, &tiles);
	return rows;
}

static void add_group(const struct rocket_matmul_run *r, const struct group *g)
{
	const size_t columns = ROCKET_BLOCK_ATOMS * 16 / r->tr->out_bytes;
	const size_t mt = rocket_matmul_live_rows(r->call, g->steps->m0, g->steps->mt);
	const size_t nt = (size_t)g->steps->nt, width = (size_t)r->plan.tiles.nt;
	uint8_t here[BLOCK_SUM_BYTES] __attribute__((aligned(64)));
	uint8_t *kept = g->begins && g->ends ? NULL : kept_sums(r, g->steps);
	const size_t done = total_rows(r, g, mt, kept);
	struct piece p;

	for (p.n = 0; p.n < nt && done < mt; p.n += columns)
		for (p.m = done; p.m < mt; p.m += ROCKET_BLOCK_ROWS) {
			p.rows = mt - p.m < ROCKET_BLOCK_ROWS ? mt - p.m : ROCKET_BLOCK_ROWS;
			p.columns = nt - p.n < columns ? nt - p.n : columns;
			if (kept)
				add_piece(r, g, &p, kept + (p.m * width + p.n) * r->kind->sum_bytes,
					  width);
			else
				add_piece(r, g, &p, here, columns);
		}
}

/* Results that are what C holds need no sum. */
static void take_group(const struct rocket_matmul_run *r, const struct group *g)
{
	const struct rocket_matmul_step *s = g->steps;
	const bool whole = g->begins && g->ends && g->count == 1 && !r->kind->always_sums;

	if (r->plan.device_accumulates && !g->ends)
		return;
	r->stats->unpacked_bytes += g->count * (uint64_t)(r->plan.parts * r->plan.parts) *
				    (uint64_t)s->mt * (uint64_t)s->nt * r->tr->out_bytes;
	if (r->plan.device_accumulates || whole)
		rocket_unpack_output(c_of(r, s), cube_of(r, s), r->kind->c_bytes,
				     rocket_matmul_live_rows(r->call, s->m0, s->mt), (size_t)s->mt,
				     (size_t)s->nt, r->call->c_row);
	else
		add_group(r, g);
}

void rocket_matmul_take_job(struct rocket_matmul_run *r, const struct rocket_matmul_job *job)
{
	const uint32_t products = (uint32_t)(r->plan.parts * r->plan.parts);
	struct group g;

	/* After the last product, with the steps of the first. */
	if ((job - r->plan.jobs + 1) % products)
		return;
	job -= products - 1;
	for (uint32_t i = 0; i < job->count; i += g.count) {
		const struct rocket_matmul_step *s = &r->plan.steps[job->first + i];

		g = group_at(r, s, job->count - i);
		g.to_product = job->count;
		r->item = rocket_matmul_item(r->call, s->item);
		take_group(r, &g);
	}
	rocket_matmul_phase_done(r, ROCKET_PHASE_UNPACK);
}

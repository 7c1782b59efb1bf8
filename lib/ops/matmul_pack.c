// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_pack.c - the operands of a run into the NPU's buffers. */
#include <stdlib.h>
#include <string.h>

#include "../core/status.h"
#include "matmul_run.h"

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

bool rocket_matmul_pack_a(const struct rocket_matmul_call *call, int share, int shares, void *dst)
{
	const enum rocket_matmul_type type = call->kind->type;
	const struct rocket_matmul_tiles *t = call->tiles;
	const uint64_t slot = rocket_matmul_input_slot(type, t);
	const struct rocket_source *from = call->kind->a;
	const int M = rocket_matmul_padded_rows(call);
	const size_t K = (size_t)call->K;
	bool fits = true;

	for (int i = share; i < t->nm * t->nk; i += shares) {
		const int m0 = i / t->nk * t->mt, k0 = i % t->nk * t->kt;
		const int mt = min_int(t->mt, M - m0);

		fits &= rocket_pack_feature_from(
			(uint8_t *)dst + (uint64_t)i * slot, rocket_matmul_input_bytes(type, t),
			(const uint8_t *)call->a + ((size_t)m0 * K + (size_t)k0) * from->host_bytes,
			from, rocket_matmul_live_rows(call, m0, mt), (size_t)mt,
			(size_t)min_int(t->kt, call->K - k0), K);
	}
	return fits;
}

/* An operand has values that its cube cannot hold. */
int rocket_matmul_outside(const struct rocket_matmul_call *call, const char *name,
			  const struct rocket_source *from)
{
	switch (call->kind->outside) {
	case ROCKET_OUTSIDE_REFUSED:
		return rocket_fail(ROCKET_E_SHAPE, "%s: %s has a value outside %s", call->who, name,
				   from->range);
	case ROCKET_OUTSIDE_WARNED:
		rocket_log(ROCKET_LOG_WARN,
			   "%s: %s has values outside %s, taken for the nearest one inside",
			   call->who, name, from->range);
		return 0;
	default:
		return 0;
	}
}

/* ---- B ---- */

/* Some rows of B in a tile: from row n of the call on, columns k0 on. */
struct piece {
	int n, rows, k0, k;
	size_t part_bytes; /* from one part of B to the next */
};

static bool pack_rows(const struct rocket_matmul_call *call, const struct piece *p, const void *b,
		      size_t stride, uint8_t *dst)
{
	const struct rocket_matmul_traits *tr = rocket_matmul_traits(call->kind->type);

	return rocket_pack_weight_from(dst, p->part_bytes, b, call->kind->b, (size_t)p->rows,
				       (size_t)p->k, stride, tr->ngroup, tr->kgroup);
}

/* Row n of the call, and how many follow it in the same matrix, itself included. */
static const uint8_t *row_of(const struct rocket_matmul_call *call, int n, int *follow)
{
	const size_t row_bytes = (size_t)call->K * call->kind->b->host_bytes;
	const struct rocket_matmul_segments *s = &call->segments;
	int i = 0;

	*follow = call->N - n;
	if (!s->count)
		return (const uint8_t *)call->b + (size_t)n * row_bytes;
	for (n += call->first_row; n >= s->ns[i]; i++)
		n -= s->ns[i];
	*follow = s->ns[i] - n;
	return (const uint8_t *)s->bs[i] + (size_t)n * row_bytes;
}

/* One group of kernels whose rows lie in several segments: gathered before they are packed. */
static int pack_gathered(const struct rocket_matmul_call *call, const struct piece *p, uint8_t *dst,
			 bool *fits)
{
	const size_t es = call->kind->b->host_bytes, bytes = (size_t)p->k * es;
	uint8_t *rows = malloc((size_t)p->rows * bytes);

	if (!rows)
		return rocket_fail(ROCKET_E_NOMEM, "%s: no memory to join segments", call->who);
	for (int i = 0; i < p->rows; i++) {
		int follow;

		memcpy(rows + (size_t)i * bytes,
		       row_of(call, p->n + i, &follow) + (size_t)p->k0 * es, bytes);
	}
	*fits &= pack_rows(call, p, rows, (size_t)p->k, dst);
	free(rows);
	return 0;
}

static int pack_tile(const struct rocket_matmul_call *call, const struct piece *tile, uint8_t *dst,
		     bool *fits)
{
	const struct rocket_matmul_traits *tr = rocket_matmul_traits(call->kind->type);
	const int group = (int)tr->ngroup;
	int ret = 0;

	for (int done = 0; done < tile->rows && !ret;) {
		uint8_t *to = dst + (size_t)done * (size_t)tile->k * tr->in_bits / 8;
		struct piece p = { tile->n + done, tile->rows - done, tile->k0, tile->k,
				   tile->part_bytes };
		int follow;
		const uint8_t *from = row_of(call, p.n, &follow);

		if (follow < group) {
			p.rows = group;
			ret = pack_gathered(call, &p, to, fits);
		} else {
			p.rows = min_int(p.rows, follow / group * group);
			*fits &=
				pack_rows(call, &p, from + (size_t)p.k0 * call->kind->b->host_bytes,
					  (size_t)call->K, to);
		}
		done += p.rows;
	}
	return ret;
}

int rocket_matmul_pack_b(const struct rocket_matmul_call *call, const struct rocket_matmul_tiles *t,
			 uint64_t slot_bytes, void *dst)
{
	const size_t part_bytes = (size_t)t->nn * (size_t)t->nk * slot_bytes;
	uint8_t *slot = dst;
	bool fits = true;
	int ret = 0;

	for (int n = 0; n < call->N; n += t->nt)
		for (int k0 = 0; k0 < call->K && !ret; k0 += t->kt, slot += slot_bytes) {
			const struct piece tile = { n, min_int(t->nt, call->N - n), k0,
						    min_int(t->kt, call->K - k0), part_bytes };

			ret = pack_tile(call, &tile, slot, &fits);
		}
	if (!ret && !fits)
		ret = rocket_matmul_outside(call, "B", call->kind->b);
	return ret;
}

/* Items one after the other in each buffer. */
static int pack_item(struct rocket_matmul_run *r, int item)
{
	struct rocket_matmul_call one = rocket_matmul_item(r->call, item);
	const struct rocket_matmul_plan *p = &r->plan;
	const uint64_t in_bytes = p->in_bytes / (uint64_t)p->items;
	const uint64_t wt_bytes = p->wt_bytes / (uint64_t)p->items;
	uint8_t *a = (uint8_t *)r->bufs->a.ptr + (uint64_t)item * in_bytes;
	uint64_t rows = 0;
	int ret = 0;

	one.tiles = &p->tiles;
	one.plan_rows = p->M;
	if (one.packed_a) {
		memcpy(a, one.packed_a, (size_t)in_bytes);
	} else {
		rows += (uint64_t)p->M;
		if (!rocket_matmul_pack_a(&one, 0, 1, a))
			ret = rocket_matmul_outside(&one, "A", r->kind->a);
	}
	if (!ret && !one.weights) {
		rows += (uint64_t)p->N;
		ret = rocket_matmul_pack_b(&one, &p->tiles, p->wt_slot,
					   (uint8_t *)r->bufs->b.ptr + (uint64_t)item * wt_bytes);
	}
	r->stats->packed_bytes += rows * (uint64_t)p->parts * (uint64_t)p->K * r->tr->in_bits / 8;
	return ret;
}

int rocket_matmul_pack(struct rocket_matmul_run *r)
{
	int ret = 0;

	for (int i = 0; i < r->plan.items && !ret; i++)
		ret = pack_item(r, i);
	if (!ret)
		ret = rocket_bo_fini(r->fd, &r->bufs->a);
	if (!ret && !r->call->weights)
		ret = rocket_bo_fini(r->fd, &r->bufs->b);
	return ret;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_pack.c - the operands of a run into the NPU's buffers. */
#include "../core/status.h"
#include "matmul_run.h"

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

static bool pack_a(struct rocket_matmul_run *r)
{
	const struct rocket_source *from = r->kind->a;
	const struct rocket_matmul_tiles *t = &r->plan.tiles;
	const size_t K = (size_t)r->call->K;
	uint8_t *slot = r->bufs->a.ptr;
	bool fits = true;

	for (int m0 = 0; m0 < r->plan.M; m0 += t->mt) {
		int mt = min_int(t->mt, r->plan.M - m0);

		for (int k0 = 0; k0 < r->call->K; k0 += t->kt, slot += r->plan.in_slot)
			fits &= rocket_pack_feature_from(
				slot,
				(const uint8_t *)r->call->a +
					((size_t)m0 * K + (size_t)k0) * from->host_bytes,
				from, rocket_matmul_live_rows(r, m0, mt), (size_t)mt,
				(size_t)min_int(t->kt, r->call->K - k0), K);
	}
	return fits;
}

static bool pack_b(struct rocket_matmul_run *r)
{
	const struct rocket_source *from = r->kind->b;
	const struct rocket_matmul_tiles *t = &r->plan.tiles;
	const size_t K = (size_t)r->call->K;
	uint8_t *slot = r->bufs->b.ptr;
	bool fits = true;

	for (int n0 = 0; n0 < r->call->N; n0 += t->nt)
		for (int k0 = 0; k0 < r->call->K; k0 += t->kt, slot += r->plan.wt_slot)
			fits &= rocket_pack_weight_from(
				slot,
				(const uint8_t *)r->call->b +
					((size_t)n0 * K + (size_t)k0) * from->host_bytes,
				from, (size_t)min_int(t->nt, r->call->N - n0),
				(size_t)min_int(t->kt, r->call->K - k0), K, r->tr->ngroup,
				r->tr->kgroup);
	return fits;
}

/* An operand has values that its cube cannot hold. */
static int outside(const struct rocket_matmul_run *r, const char *name,
		   const struct rocket_source *from)
{
	switch (r->kind->outside) {
	case ROCKET_OUTSIDE_REFUSED:
		return rocket_fail(ROCKET_E_SHAPE, "%s: %s has a value outside %s", r->call->who,
				   name, from->range);
	case ROCKET_OUTSIDE_WARNED:
		rocket_log(ROCKET_LOG_WARN,
			   "%s: %s has values outside %s, taken for the nearest one inside",
			   r->call->who, name, from->range);
		return 0;
	default:
		return 0;
	}
}

int rocket_matmul_pack(struct rocket_matmul_run *r)
{
	int ret = 0;

	if (!pack_a(r))
		ret = outside(r, "A", r->kind->a);
	if (!ret && !pack_b(r))
		ret = outside(r, "B", r->kind->b);
	r->stats->packed_bytes += ((uint64_t)r->plan.M + (uint64_t)r->plan.N) *
				  (uint64_t)r->plan.K * r->tr->in_bits / 8;
	if (!ret)
		ret = rocket_bo_fini(r->fd, &r->bufs->a);
	if (!ret)
		ret = rocket_bo_fini(r->fd, &r->bufs->b);
	return ret;
}

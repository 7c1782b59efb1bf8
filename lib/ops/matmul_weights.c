// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_weights.c - weights that stay packed on the fds of a crew. */
#include <stdlib.h>
#include <string.h>

#include "../core/pool.h"
#include "../core/status.h"
#include "matmul_crew.h"

/*
 * Fewer rows than this in the last tile, and the sums of an fp16 product move to the host, where
 * they are rounded otherwise. A canonical product has rows of nothing below its last instead.
 */
static int stable_rows(const struct rocket_matmul_call *call, int mt)
{
	const int last = call->M % mt;

	if (call->kind->type != ROCKET_MM_FP16_FP16 || mt < ROCKET_ACCUMULATE_ROWS_MIN || !last ||
	    last >= ROCKET_ACCUMULATE_ROWS_MIN)
		return call->M;
	return call->M - last + ROCKET_ACCUMULATE_ROWS_MIN;
}

int rocket_crew_tiles(const struct rocket_matmul_member *m, const struct rocket_matmul_call *call,
		      enum rocket_matmul_tiling tiling, struct rocket_matmul_tiles *tiles,
		      int *rows)
{
	const bool canonical = tiling == ROCKET_TILING_CANONICAL;
	char why[256];
	int ret = rocket_matmul_tile_within(call->kind->type, m->dev->profile, &m->dev->settings,
					    &call->limits,
					    canonical ? ROCKET_CANONICAL_ROWS : call->M, call->K,
					    call->N, tiles, why, sizeof(why));

	if (ret < 0)
		return rocket_fail(ret, "%s: %s", call->who, why);
	*rows = canonical ? stable_rows(call, tiles->mt) : call->M;
	rocket_matmul_fit_rows(tiles, *rows);
	return 0;
}

struct packing {
	struct rocket_matmul_crew *crew;
	const struct rocket_matmul_call *whole;
	struct rocket_matmul_weights *w;
};

/* The registers hold 32-bit addresses, so what a member keeps is bounded. */
static int allocate(struct rocket_matmul_member *m, const struct rocket_matmul_call *call,
		    uint64_t bytes, rocket_bo *bo)
{
	const uint64_t need = bytes + ROCKET_OVERREAD_BYTES;

	if (m->resident_bytes + need >= ROCKET_IOVA_WINDOW)
		return rocket_fail(ROCKET_E_NOMEM,
				   "%s: packed weights of %llu MiB do not fit the NPU's 4096 MiB "
				   "address space beside %llu MiB on the same fd",
				   call->who, (unsigned long long)(need >> 20),
				   (unsigned long long)(m->resident_bytes >> 20));
	/* What is kept for later calls gives way. */
	if (m->resident_bytes + need + ((uint64_t)m->dev->settings.keep_mib << 20) >=
	    ROCKET_IOVA_WINDOW)
		rocket_matmul_scratch_clear(m->dev, &m->dev->matmuls);
	return rocket_bo_alloc32(m->fd, (size_t)need, bo);
}

static int pack_member(void *arg, unsigned i)
{
	struct packing *p = arg;
	struct rocket_matmul_member *m = &p->crew->member[i];
	struct rocket_matmul_part *part = &p->w->part[i];
	const enum rocket_matmul_type type = p->whole->kind->type;
	struct rocket_matmul_tiles tiles;
	struct rocket_matmul_call call;
	int n0, n, rows, ret;

	rocket_matmul_split(p->whole->N, p->crew->split, (int)rocket_matmul_traits(type)->n_align,
			    (int)i, &n0, &n);
	if (!n)
		return ROCKET_OK;
	call = rocket_matmul_slice(p->whole, n0, n);
	ret = rocket_crew_tiles(m, &call, p->w->tiling, &tiles, &rows);
	if (!ret)
		ret = allocate(m, &call, rocket_matmul_weight_bytes(type, &tiles), &part->bo);
	if (ret)
		return ret;
	m->resident_bytes += part->bo.size;
	part->kt = tiles.kt;
	part->nt = tiles.nt;
	ret = rocket_matmul_pack_b(&call, &tiles, rocket_matmul_weight_slot(type, &tiles),
				   part->bo.ptr);
	return ret ? ret : rocket_bo_fini(m->fd, &part->bo);
}

static void free_parts(struct rocket_matmul_crew *crew, struct rocket_matmul_weights *w)
{
	for (int i = 0; i < crew->size; i++) {
		crew->member[i].resident_bytes -= w->part[i].bo.size;
		rocket_bo_free(crew->member[i].fd, &w->part[i].bo);
	}
	free(w);
}

struct rocket_matmul_weights *rocket_crew_pack(struct rocket_matmul_crew *crew,
					       const struct rocket_matmul_call *call,
					       enum rocket_matmul_tiling tiling)
{
	struct rocket_matmul_weights *w;
	const struct rocket_device *dev = crew->member[0].dev;
	struct packing packing = { crew, call, NULL };
	int ret;

	if (rocket_matmul_check(call) ||
	    rocket_matmul_check_shape(call, dev->profile, &dev->settings))
		return NULL;
	w = calloc(1, sizeof(*w));
	if (!w) {
		rocket_fail(ROCKET_E_NOMEM, "%s: no memory for a handle", call->who);
		return NULL;
	}
	packing.w = w;
	w->crew = crew;
	w->kind = call->kind;
	w->tiling = tiling;
	w->limits = call->limits;
	w->M = call->M;
	w->K = call->K;
	w->N = call->N;
	ret = rocket_pool_run((unsigned)crew->size, pack_member, &packing);
	if (ret) {
		rocket_note_failure(ret);
		free_parts(crew, w);
		return NULL;
	}
	crew->weights++;
	return w;
}

void rocket_crew_unpack(struct rocket_matmul_crew *crew, struct rocket_matmul_weights *w)
{
	crew->weights--;
	free_parts(crew, w);
}

size_t rocket_crew_weight_bytes(const struct rocket_matmul_weights *w)
{
	size_t sum = 0;

	for (int i = 0; i < w->crew->size; i++)
		sum += w->part[i].bo.size;
	return sum;
}

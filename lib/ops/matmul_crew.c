// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_crew.c - one product over several fds, its columns split between them. */
#include <stdlib.h>
#include <string.h>

#include "../core/clock.h"
#include "../core/pool.h"
#include "../core/status.h"
#include "matmul_crew.h"

int rocket_crew_size(int nthreads)
{
	if (nthreads <= 0)
		nthreads = rocket_settings_read().n_threads;
	if (nthreads <= 0)
		nthreads = rocket_hw_current()->default_workers;
	return nthreads < 1 ? 1 : nthreads < ROCKET_SPLIT_MAX ? nthreads : ROCKET_SPLIT_MAX;
}

static int open_member(struct rocket_matmul_member *m, const char *who)
{
	m->fd = rocket_open();
	if (m->fd < 0)
		return rocket_status_of_errno(m->fd);
	m->dev = rocket_device_get(m->fd, who);
	if (m->dev)
		return 0;
	rocket_close(m->fd);
	return ROCKET_E_DEVICE;
}

int rocket_crew_fit(struct rocket_matmul_crew *crew, const char *who, int split,
		    enum rocket_matmul_type type, int N)
{
	const int align = (int)rocket_matmul_traits(type)->n_align;

	crew->split = split;
	for (crew->size = 0; crew->size < split; crew->size++) {
		int ret = 0, n0, n = 1;

		if (N)
			rocket_matmul_split(N, split, align, crew->size, &n0, &n);
		if (!n)
			break;
		if (crew->size < crew->open)
			continue;
		ret = open_member(&crew->member[crew->size], who);
		if (ret) {
			rocket_crew_close(crew);
			return ret;
		}
		crew->open++;
	}
	return ROCKET_OK;
}

int rocket_crew_open(struct rocket_matmul_crew *crew, const char *who, int split,
		     enum rocket_matmul_type type, int N)
{
	memset(crew, 0, sizeof(*crew));
	return rocket_crew_fit(crew, who, split, type, N);
}

static void forget_a(struct rocket_matmul_crew *crew)
{
	free(crew->a);
	crew->a = NULL;
	crew->a_bytes = 0;
	crew->member[0].dev->beside = 0;
}

void rocket_crew_close(struct rocket_matmul_crew *crew)
{
	if (crew->open)
		forget_a(crew);
	while (crew->open)
		rocket_device_close(crew->member[--crew->open].dev);
	crew->size = 0;
}

/* ---- a product ---- */

struct shared_call {
	struct rocket_matmul_crew *crew;
	const struct rocket_matmul_weights *w;
	struct rocket_matmul_call part[ROCKET_SPLIT_MAX]; /* N = 0: no columns */
	struct rocket_matmul_tiles tiles[ROCKET_SPLIT_MAX];
	struct rocket_matmul_stats stats[ROCKET_SPLIT_MAX];
};

/* Have member i use its packed weights. */
static int use_weights(struct shared_call *shared, int i)
{
	const struct rocket_matmul_part *part = &shared->w->part[i];
	struct rocket_matmul_tiles *tiles = &shared->tiles[i];
	struct rocket_matmul_call *call = &shared->part[i];
	int ret = rocket_crew_tiles(&shared->crew->member[i], call, shared->w->tiling, tiles,
				    &call->plan_rows);

	if (ret)
		return ret;
	if (tiles->kt != part->kt || tiles->nt != part->nt)
		return rocket_fail(ROCKET_E_TILING,
				   "%s: weights packed for M=%d have tiles of %d x %d (K x N), "
				   "M=%d needs %d x %d: pack them again",
				   call->who, shared->w->M, part->kt, part->nt, call->M, tiles->kt,
				   tiles->nt);
	call->tiles = tiles;
	call->weights = &part->bo;
	return 0;
}

/* The planner's tiles, known before the members run. */
static int plan_tiles(struct shared_call *shared, int i)
{
	struct rocket_matmul_call *call = &shared->part[i];
	const int rows = rocket_matmul_padded_rows(call);
	struct rocket_matmul_call padded = *call;
	int ret;

	padded.M = rows;
	ret = rocket_crew_tiles(&shared->crew->member[i], &padded, ROCKET_TILING_OF_M,
				&shared->tiles[i], &call->plan_rows);
	if (!ret)
		call->tiles = &shared->tiles[i];
	return ret;
}

static int share(struct shared_call *shared, const struct rocket_matmul_call *whole)
{
	const int align = (int)rocket_matmul_traits(whole->kind->type)->n_align;
	int ret = 0;

	for (int i = 0; i < shared->crew->size && !ret; i++) {
		int n0, n;

		rocket_matmul_split(whole->N, shared->crew->split, align, i, &n0, &n);
		shared->part[i] = rocket_matmul_slice(whole, n0, n);
		if (n)
			ret = shared->w ? use_weights(shared, i) : plan_tiles(shared, i);
	}
	return ret;
}

/* ---- A, which is the same for all of them ---- */

static bool same_a(const struct shared_call *shared)
{
	const struct rocket_matmul_tiles *t = &shared->tiles[0], *u;

	for (int i = 1; i < shared->crew->size; i++) {
		u = &shared->tiles[i];
		if (shared->part[i].N &&
		    (u->mt != t->mt || u->kt != t->kt || u->nm != t->nm || u->nk != t->nk))
			return false;
	}
	return shared->crew->size > 1 && shared->part[1].N;
}

static int pack_part(void *arg, unsigned i)
{
	struct shared_call *shared = arg;

	return !rocket_matmul_pack_a(&shared->part[0], (int)i, shared->crew->size, shared->crew->a);
}

static int make_room(struct rocket_matmul_crew *crew, size_t bytes)
{
	if (crew->a_bytes >= bytes)
		return 0;
	forget_a(crew);
	crew->a = malloc(bytes);
	if (!crew->a)
		return -1;
	crew->a_bytes = bytes;
	crew->member[0].dev->beside = bytes;
	return 0;
}

/* Packed by all of them together, where each would pack the whole of it. */
static int pack_shared_a(struct shared_call *shared, struct rocket_matmul_stats *stats)
{
	const struct rocket_matmul_call *call = &shared->part[0];
	const enum rocket_matmul_type type = call->kind->type;
	const uint64_t start = rocket_now_ns();
	int ret = 0;

	if (shared->crew->member[0].dev->settings.no_shared_pack || !same_a(shared))
		return 0;
	if (make_room(shared->crew, (size_t)rocket_matmul_input_bytes(type, call->tiles)))
		return rocket_fail(ROCKET_E_NOMEM, "%s: no memory to pack A", call->who);
	if (rocket_pool_run((unsigned)shared->crew->size, pack_part, shared))
		ret = rocket_matmul_outside(call, "A", call->kind->a);
	for (int i = 0; i < shared->crew->size; i++)
		shared->part[i].packed_a = shared->crew->a;
	stats->packed_bytes = (uint64_t)call->plan_rows * (uint64_t)call->K *
			      rocket_matmul_traits(type)->in_bits / 8;
	stats->ns[ROCKET_PHASE_PACK] = rocket_now_ns() - start;
	return ret;
}

static int run_member(void *arg, unsigned i)
{
	struct shared_call *shared = arg;
	struct rocket_matmul_member *m = &shared->crew->member[i];

	if (!shared->part[i].N)
		return ROCKET_OK;
	return rocket_matmul_run(m->fd, m->dev, &shared->part[i], &shared->stats[i]);
}

static void add_stats(struct rocket_matmul_stats *sum, const struct rocket_matmul_stats *s)
{
	for (unsigned i = 0; i < ROCKET_PHASES; i++)
		sum->ns[i] += s->ns[i];
	sum->packed_bytes += s->packed_bytes;
	sum->unpacked_bytes += s->unpacked_bytes;
	sum->device_bytes += s->device_bytes;
	sum->tiles += s->tiles;
	sum->tasks += s->tasks;
	sum->submits += s->submits;
	sum->kicks += s->kicks;
	if (!sum->mt) {
		sum->mt = s->mt;
		sum->kt = s->kt;
		sum->nt = s->nt;
		sum->device_accumulates = s->device_accumulates;
	}
}

int rocket_crew_run(struct rocket_matmul_crew *crew, const struct rocket_matmul_call *call,
		    const struct rocket_matmul_weights *w)
{
	const struct rocket_device *dev = crew->member[0].dev;
	struct shared_call shared = { .crew = crew, .w = w };
	struct rocket_matmul_stats sum = { 0 };
	uint64_t start = rocket_now_ns();
	int ret = rocket_matmul_check(call);

	if (!ret)
		ret = rocket_matmul_check_shape(call, dev->profile, &dev->settings);
	if (!ret)
		ret = share(&shared, call);
	if (!ret)
		ret = pack_shared_a(&shared, &sum);
	if (ret)
		return ret;
	ret = rocket_pool_run((unsigned)crew->size, run_member, &shared);
	/* What else was kept has made room by now, as far as it could. */
	if (rocket_devices_kept() > (uint64_t)dev->settings.keep_mib << 20)
		forget_a(crew);
	for (int i = 0; i < crew->size; i++)
		add_stats(&sum, &shared.stats[i]);
	sum.total_ns = rocket_now_ns() - start;
	if (sum.tiles)
		rocket_matmul_set_last_stats(&sum, dev->settings.mm_profile);
	return ret;
}

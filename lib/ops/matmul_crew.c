// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_crew.c - one product over several fds, its columns split between them. */
#include <string.h>

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

int rocket_crew_open(struct rocket_matmul_crew *crew, const char *who, int split,
		     enum rocket_matmul_type type, int N)
{
	const int align = (int)rocket_matmul_traits(type)->n_align;

	memset(crew, 0, sizeof(*crew));
	crew->split = split;
	while (crew->size < split) {
		int ret, n0, n = 1;

		if (N)
			rocket_matmul_split(N, split, align, crew->size, &n0, &n);
		if (!n)
			break;
		ret = open_member(&crew->member[crew->size], who);
		if (ret) {
			rocket_crew_close(crew);
			return ret;
		}
		crew->size++;
	}
	return ROCKET_OK;
}

void rocket_crew_close(struct rocket_matmul_crew *crew)
{
	while (crew->size) {
		struct rocket_matmul_member *m = &crew->member[--crew->size];

		rocket_device_put(m->dev);
		rocket_close(m->fd);
	}
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

static int share(struct shared_call *shared, const struct rocket_matmul_call *whole)
{
	const int align = (int)rocket_matmul_traits(whole->kind->type)->n_align;
	int ret = 0;

	for (int i = 0; i < shared->crew->size && !ret; i++) {
		int n0, n;

		rocket_matmul_split(whole->N, shared->crew->split, align, i, &n0, &n);
		shared->part[i] = rocket_matmul_slice(whole, n0, n);
		if (n && shared->w)
			ret = use_weights(shared, i);
	}
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
	uint64_t start = rocket_matmul_now_ns();
	int ret = rocket_matmul_check(call);

	if (!ret)
		ret = rocket_matmul_check_shape(call, dev->profile, &dev->settings);
	if (!ret)
		ret = share(&shared, call);
	if (ret)
		return ret;
	ret = rocket_pool_run((unsigned)crew->size, run_member, &shared);
	for (int i = 0; i < crew->size; i++)
		add_stats(&sum, &shared.stats[i]);
	sum.total_ns = rocket_matmul_now_ns() - start;
	if (sum.tiles)
		rocket_matmul_set_last_stats(&sum);
	return ret;
}

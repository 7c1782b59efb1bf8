// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_run.c - a call on a device: plan, buffers, one job after the other. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../core/status.h"
#include "matmul_run.h"

void rocket_matmul_phase_done(struct rocket_matmul_run *r, enum rocket_matmul_phase phase)
{
	uint64_t now = rocket_matmul_now_ns();

	r->stats->ns[phase] += now - r->phase_start;
	r->phase_start = now;
}

size_t rocket_matmul_live_rows(const struct rocket_matmul_call *call, int m0, int mt)
{
	return (size_t)(mt < call->M - m0 ? mt : call->M - m0);
}

void rocket_matmul_say_reuse(const char *who, const struct rocket_settings *set,
			     const struct rocket_matmul_plan *p)
{
	if (set->reuse_debug)
		rocket_log(ROCKET_LOG_INFO, "%s: %dx%dx%d in tiles of %dx%dx%d: %s", who, p->M,
			   p->K, p->N, p->tiles.mt, p->tiles.kt, p->tiles.nt,
			   p->reuse == ROCKET_REUSE_WEIGHT ? "weights stay on chip"
			   : p->reuse == ROCKET_REUSE_DATA ? "features stay on chip"
							   : "no operand stays on chip");
}

/* Once: it is a property of the driver, not of the call. */
static void warn_unless_batched(const struct rocket_matmul_run *r)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (!r->dev->node.caps.batched && !atomic_flag_test_and_set(&said))
		rocket_log(ROCKET_LOG_WARN,
			   "%s: the driver cannot run a chain of programs in one kick; "
			   "ROCKET_BATCH_SUBMIT and ROCKET_KACC_CHAIN are ignored",
			   r->call->who);
}

/* The host adds up what several items have, as it does for whole tiles alone. */
static struct rocket_settings settings_of(const struct rocket_matmul_run *r)
{
	struct rocket_settings set = r->dev->settings;

	if (rocket_matmul_item_count(r->call) > 1)
		set.mm_stream = 0;
	return set;
}

static int make_plan(struct rocket_matmul_run *r)
{
	const struct rocket_matmul_call *call = r->call;
	const struct rocket_settings settings = settings_of(r), *set = &settings;
	const int M = rocket_matmul_padded_rows(call);
	struct rocket_matmul_tiles tiles;
	char why[256];
	int ret = 1;

	if (call->tiles)
		tiles = *call->tiles;
	else
		ret = rocket_matmul_tile_within(call->kind->type, r->dev->profile, set,
						&call->limits, M, call->K, call->N, &tiles, why,
						sizeof(why));
	if (ret > 0)
		ret = rocket_matmul_plan_tiles(call->kind->type, set, r->dev->node.caps.batched,
					       rocket_matmul_item_count(call), M, call->K, call->N,
					       &tiles, &r->plan, why, sizeof(why));
	if (ret)
		return rocket_fail(ret, "%s: %s", call->who, why);
	if (set->batch_submit || set->kacc_chain)
		warn_unless_batched(r);
	rocket_matmul_say_reuse(call->who, set, &r->plan);
	r->stats->tiles += r->plan.n_steps;
	if (!r->stats->mt) {
		r->stats->mt = r->plan.tiles.mt;
		r->stats->kt = r->plan.tiles.kt;
		r->stats->nt = r->plan.tiles.nt;
		r->stats->device_accumulates = r->plan.device_accumulates;
	}
	return 0;
}

/* The host's sums need a place of their own, unless one tile is the whole of K. */
static bool needs_accumulator(const struct rocket_matmul_run *r)
{
	return !r->plan.device_accumulates && r->kind->acc_bytes &&
	       (r->plan.tiles.nk > 1 || r->kind->always_acc);
}

void rocket_matmul_use_scratch(struct rocket_matmul_run *r, struct rocket_matmul_scratch *bufs)
{
	r->bufs = bufs;
	r->a = &bufs->a;
	r->b = &bufs->b;
	r->out[0] = &bufs->out[0];
	r->out[1] = &bufs->out[1];
}

static void **shelf_of(const struct rocket_matmul_run *r)
{
	return r->call->shelf ? r->call->shelf : &r->dev->matmul_scratch;
}

static int allocate(struct rocket_matmul_run *r)
{
	int ret;

	if (r->call->weights)
		r->plan.wt_bytes = 0;
	r->bufs = rocket_matmul_scratch_take(r->fd, shelf_of(r), &r->plan, &ret);
	if (!r->bufs)
		return ret;
	rocket_matmul_use_scratch(r, r->bufs);
	if (r->call->weights)
		r->b = r->call->weights;
	r->stats->device_bytes += rocket_matmul_scratch_bytes(r->bufs);
	if (!needs_accumulator(r))
		return ROCKET_OK;
	r->acc = malloc((size_t)r->call->M * (size_t)r->call->N * r->kind->acc_bytes);
	if (!r->acc)
		return rocket_fail(ROCKET_E_NOMEM, "%s: no memory for the sums of %dx%d results",
				   r->call->who, r->call->M, r->call->N);
	return ROCKET_OK;
}

static void release(struct rocket_matmul_run *r, int status)
{
	free(r->acc);
	if (r->bufs && status)
		rocket_matmul_scratch_free(r->fd, r->bufs);
	else if (r->bufs)
		rocket_matmul_scratch_put(r->fd, shelf_of(r),
					  r->call->shelf ? UINT64_MAX : ROCKET_SHELF_BYTES,
					  r->bufs);
	rocket_matmul_plan_free(&r->plan);
}

/* ---- results ---- */

static void zero_c(const struct rocket_matmul_run *r)
{
	const struct rocket_matmul_call *call = &r->item;
	const size_t bytes = (size_t)call->N * r->kind->c_bytes;

	for (size_t m = 0; m < (size_t)call->M; m++)
		memset((uint8_t *)call->c + m * call->c_row * r->kind->c_bytes, 0, bytes);
}

/* The scales of a step's rows and columns. */
static struct rocket_scales scales_of(const struct rocket_matmul_run *r,
				      const struct rocket_matmul_step *s)
{
	const struct rocket_matmul_call *call = r->call;
	struct rocket_scales scales = { 0 };
	size_t groups, group;

	if (!call->limits.grouped)
		return scales;
	groups = (size_t)(call->K / call->limits.group);
	group = (size_t)(s->k0 / call->limits.group);
	scales.scale_stride = groups;
	scales.row = call->a_scale + (size_t)s->m0 * groups + group;
	scales.column = call->b_scale + (size_t)s->n0 * groups + group;
	return scales;
}

static void take_step(struct rocket_matmul_run *r, const struct rocket_matmul_step *s)
{
	const struct rocket_matmul_kind *kind = r->kind;
	const uint8_t *cube = (const uint8_t *)r->bufs->out[s->out_bo].ptr + s->out_off;
	const size_t rows = rocket_matmul_live_rows(r->call, s->m0, s->mt), n = (size_t)s->nt;
	const size_t stride = r->acc ? (size_t)r->call->N : r->call->c_row;
	const size_t at = (size_t)s->m0 * stride + (size_t)s->n0;
	const struct rocket_scales scales = scales_of(r, s);
	bool first = s->k0 == 0 && kind->start == ROCKET_START_TILE;
	uint8_t *c = r->item.c;

	if (r->plan.device_accumulates && s->k0 + s->kt < r->call->K)
		return;
	r->stats->unpacked_bytes += (uint64_t)s->mt * (uint64_t)s->nt * r->tr->out_bytes;
	if (r->acc)
		kind->add((uint8_t *)r->acc + at * kind->acc_bytes, cube, rows, (size_t)s->mt, n,
			  stride, &scales);
	else if (first || r->plan.device_accumulates)
		rocket_unpack_output(c + at * kind->c_bytes, cube, kind->c_bytes, rows,
				     (size_t)s->mt, n, stride);
	else
		kind->add(c + at * kind->c_bytes, cube, rows, (size_t)s->mt, n, stride, &scales);
}

/* Items come one after the other, so that one accumulator serves them all. */
static void begin_item(struct rocket_matmul_run *r, int item)
{
	const size_t elements = (size_t)r->call->M * (size_t)r->call->N;

	r->item = rocket_matmul_item(r->call, item);
	if (r->acc)
		memset(r->acc, 0, elements * r->kind->acc_bytes);
	if (r->kind->start == ROCKET_START_ZERO)
		zero_c(r);
}

static void finish_item(struct rocket_matmul_run *r)
{
	const size_t n = (size_t)r->call->N;

	for (size_t m = 0; r->acc && m < (size_t)r->call->M; m++)
		r->kind->finish((uint8_t *)r->item.c + m * r->call->c_row * r->kind->c_bytes,
				(const uint8_t *)r->acc + m * n * r->kind->acc_bytes, n);
}

static void take_job(struct rocket_matmul_run *r, const struct rocket_matmul_job *job)
{
	const uint32_t per_item = r->plan.n_steps / (uint32_t)r->plan.items;

	for (uint32_t i = job->first; i < job->first + job->count; i++) {
		if (i % per_item == 0)
			begin_item(r, r->plan.steps[i].item);
		take_step(r, &r->plan.steps[i]);
		if (i % per_item == per_item - 1)
			finish_item(r);
	}
	rocket_matmul_phase_done(r, ROCKET_PHASE_UNPACK);
}

/* One after the other; pipelined, the next is on its way while the results of one are taken. */
static int run_jobs(struct rocket_matmul_run *r)
{
	const struct rocket_matmul_job *job = r->plan.jobs, *end = job + r->plan.n_jobs;
	int ret = rocket_matmul_start_job(r, job);

	for (; job < end && !ret; job++) {
		bool next = job + 1 < end;

		if (next && r->plan.pipelined)
			ret = rocket_matmul_start_job(r, job + 1);
		if (!ret)
			ret = rocket_matmul_end_job(r, job);
		if (!ret)
			take_job(r, job);
		if (!ret && next && !r->plan.pipelined)
			ret = rocket_matmul_start_job(r, job + 1);
	}
	return ret;
}

int rocket_matmul_check_chip(const struct rocket_device *dev, const char *who)
{
	if (!strcmp(dev->profile->name, "rk3588"))
		return ROCKET_OK;
	return rocket_fail(ROCKET_E_UNSUPPORTED, "%s: there is no matmul encoder for %s", who,
			   dev->profile->name);
}

int rocket_matmul_run(int fd, struct rocket_device *dev, const struct rocket_matmul_call *call,
		      struct rocket_matmul_stats *stats)
{
	struct rocket_matmul_run r = {
		.fd = fd,
		.dev = dev,
		.call = call,
		.tr = rocket_matmul_traits(call->kind->type),
		.kind = call->kind,
		.stats = stats,
		.phase_start = rocket_matmul_now_ns(),
	};
	int ret;

	ret = rocket_matmul_check_chip(dev, call->who);
	if (ret)
		return ret;
	ret = make_plan(&r);
	if (!ret)
		ret = allocate(&r);
	rocket_matmul_phase_done(&r, ROCKET_PHASE_PREPARE);
	if (ret)
		goto out;
	ret = rocket_matmul_pack(&r);
	rocket_matmul_phase_done(&r, ROCKET_PHASE_PACK);
	if (!ret)
		ret = run_jobs(&r);
out:
	release(&r, ret);
	rocket_matmul_phase_done(&r, ROCKET_PHASE_PREPARE);
	return ret;
}

int rocket_matmul_on_fd_each(int fd, struct rocket_matmul_call *call,
			     const struct rocket_matmul_kind *kinds, unsigned count)
{
	struct rocket_matmul_stats stats = { 0 };
	uint64_t start = rocket_matmul_now_ns();
	struct rocket_device *dev;
	bool profiled;
	int ret;

	call->kind = kinds;
	ret = rocket_matmul_check(call);
	if (ret)
		return ret;
	dev = rocket_device_get(fd, call->who);
	if (!dev)
		return ROCKET_E_SHAPE;
	for (unsigned i = 0; i < count && !ret; i++) {
		call->kind = &kinds[i];
		ret = rocket_matmul_run(fd, dev, call, &stats);
	}
	profiled = dev->settings.mm_profile;
	rocket_device_put(dev);
	stats.total_ns = rocket_matmul_now_ns() - start;
	if (stats.tiles)
		rocket_matmul_set_last_stats(&stats, profiled);
	return ret;
}

int rocket_matmul_on_fd(int fd, const struct rocket_matmul_call *call)
{
	struct rocket_matmul_call copy = *call;

	return rocket_matmul_on_fd_each(fd, &copy, call->kind, 1);
}

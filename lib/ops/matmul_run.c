// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_run.c - a call on a device: plan, buffers, one job after the other. */
#include <stdatomic.h>
#include <string.h>

#include "../core/clock.h"
#include "../core/status.h"
#include "matmul_hold.h"
#include "matmul_run.h"
#include "rocket_matmul.h"

void rocket_matmul_phase_done(struct rocket_matmul_run *r, enum rocket_matmul_phase phase)
{
	uint64_t now = rocket_now_ns();

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

static int make_plan(const struct rocket_matmul_run *r, struct rocket_matmul_plan *plan)
{
	const struct rocket_matmul_call *call = r->call;
	const struct rocket_settings *set = &r->dev->settings;
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
		ret = rocket_matmul_plan_parts(call->kind->type, set, r->dev->node.caps.batched,
					       rocket_matmul_item_count(call),
					       (int)call->kind->a->parts, M, call->K, call->N,
					       &tiles, plan, why, sizeof(why));
	if (ret)
		return rocket_fail(ret, "%s: %s", call->who, why);
	if (call->weights)
		plan->wt_bytes = 0;
	return ROCKET_OK;
}

static struct rocket_matmul_key key_of(const struct rocket_matmul_call *call)
{
	struct rocket_matmul_key key;

	memset(&key, 0, sizeof(key)); /* the gaps, too */
	key.type = call->kind->type;
	key.sum_bytes = call->kind->sum_bytes;
	key.rows = rocket_matmul_padded_rows(call);
	key.K = call->K;
	key.N = call->N;
	key.items = rocket_matmul_item_count(call);
	key.parts = (int)call->kind->a->parts;
	key.kt_cap = call->limits.kt_cap;
	key.group = call->limits.grouped ? call->limits.group : 0;
	if (call->tiles) {
		key.mt = call->tiles->mt;
		key.kt = call->tiles->kt;
		key.nt = call->tiles->nt;
	}
	key.packed_weights = call->weights != NULL;
	return key;
}

void rocket_matmul_use_scratch(struct rocket_matmul_run *r, struct rocket_matmul_scratch *bufs)
{
	r->bufs = bufs;
	r->a = &bufs->a;
	r->b = &bufs->b;
	r->out[0] = &bufs->out[0];
	r->out[1] = &bufs->out[1];
}

static struct rocket_keep *shelf_of(const struct rocket_matmul_run *r)
{
	return r->call->shelf ? r->call->shelf : &r->dev->matmuls;
}

static struct rocket_matmul_bounds bounds_of(const struct rocket_matmul_run *r)
{
	const struct rocket_matmul_bounds fds = { ROCKET_SHELF_SETS,
						  (uint64_t)r->dev->settings.keep_mib << 20 };

	return r->call->shelf ? rocket_matmul_hold_bounds : fds;
}

/* The set of an earlier call like this one, or a new one. */
static int take_set(struct rocket_matmul_run *r)
{
	const struct rocket_matmul_key key = key_of(r->call);
	const struct rocket_matmul_bounds bounds = bounds_of(r);
	struct rocket_matmul_plan plan;
	int ret;

	r->bufs = rocket_matmul_scratch_find(shelf_of(r), &key);
	if (r->bufs)
		return ROCKET_OK;
	ret = make_plan(r, &plan);
	if (!ret)
		r->bufs =
			rocket_matmul_scratch_make(r->dev, shelf_of(r), &bounds, &key, &plan,
						   rocket_matmul_sums_bytes(&plan, r->kind), &ret);
	return ret;
}

static int prepare(struct rocket_matmul_run *r)
{
	const struct rocket_settings *set = &r->dev->settings;
	int ret = take_set(r);

	if (ret)
		return ret;
	rocket_matmul_use_scratch(r, r->bufs);
	r->plan = r->bufs->plan;
	if (r->call->weights)
		r->b = r->call->weights;
	rocket_matmul_check_programs(r);
	if (set->batch_submit || set->kacc_chain)
		warn_unless_batched(r);
	rocket_matmul_say_reuse(r->call->who, set, &r->plan);
	r->stats->device_bytes += rocket_matmul_scratch_bytes(r->bufs);
	r->stats->tiles += r->plan.n_steps;
	if (!r->stats->mt) {
		r->stats->mt = r->plan.tiles.mt;
		r->stats->kt = r->plan.tiles.kt;
		r->stats->nt = r->plan.tiles.nt;
		r->stats->device_accumulates = r->plan.device_accumulates;
	}
	return ROCKET_OK;
}

static void release(struct rocket_matmul_run *r, int status)
{
	const struct rocket_matmul_bounds bounds = bounds_of(r);

	if (!r->bufs)
		return;
	if (status) {
		rocket_matmul_scratch_free(r->dev, r->bufs);
	} else {
		rocket_matmul_keep_programs(r);
		rocket_matmul_scratch_put(r->dev, shelf_of(r), &bounds, r->bufs);
	}
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
			rocket_matmul_take_job(r, job);
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
		.phase_start = rocket_now_ns(),
	};
	int ret;

	ret = rocket_matmul_check_chip(dev, call->who);
	if (ret)
		return ret;
	ret = prepare(&r);
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

int rocket_matmul_on_fd(int fd, const struct rocket_matmul_call *call)
{
	struct rocket_matmul_stats stats = { 0 };
	uint64_t start = rocket_now_ns();
	struct rocket_device *dev;
	bool profiled;
	int ret = rocket_matmul_check(call);

	if (ret)
		return ret;
	dev = rocket_device_get(fd, call->who);
	if (!dev)
		return ROCKET_E_SHAPE;
	ret = rocket_matmul_run(fd, dev, call, &stats);
	profiled = dev->settings.mm_profile;
	rocket_device_put(dev);
	stats.total_ns = rocket_now_ns() - start;
	if (stats.tiles)
		rocket_matmul_set_last_stats(&stats, profiled);
	return ret;
}

void rocket_matmul_drain(int fd)
{
	struct rocket_device *dev = rocket_device_get(fd, "rocket_matmul_drain");

	if (!dev)
		return;
	rocket_matmul_scratch_clear(dev, &dev->matmuls);
	rocket_device_put(dev);
}

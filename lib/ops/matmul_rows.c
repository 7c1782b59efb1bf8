// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_rows.c - products whose A and C are plain rows in the NPU's memory. */
#include <stdlib.h>
#include <string.h>

#include "../core/clock.h"
#include "../core/status.h"
#include "matmul_hold.h"
#include "matmul_run.h"
#include "rocket_matmul.h"

struct rocket_mm_rows {
	struct rocket_matmul_hold hold;
	const struct rocket_matmul_kind *kind;
	struct rocket_matmul_plan plan;
	rocket_bo a, b, c;
	bool c_is_read; /* C was handed to the CPU by the last run */
};

static int plan_rows(struct rocket_mm_rows *r, const struct rocket_matmul_call *call)
{
	const struct rocket_device *dev = r->hold.dev;
	char why[256];
	int ret = rocket_matmul_check_chip(dev, call->who);

	if (ret)
		return ret;
	ret = rocket_matmul_plan_rows(call->kind->type, dev->profile, &dev->settings,
				      dev->node.caps.batched, call->M, call->K, call->N, &r->plan,
				      why, sizeof(why));
	if (ret)
		return rocket_fail(ret, "%s: %s", call->who, why);
	rocket_matmul_say_reuse(call->who, &dev->settings, &r->plan);
	return ROCKET_OK;
}

static int allocate(struct rocket_mm_rows *r, const struct rocket_matmul_call *call)
{
	const struct {
		rocket_bo *bo;
		uint64_t bytes;
	} wanted[] = {
		{ &r->a, (uint64_t)call->M * (uint64_t)call->K * call->kind->a->host_bytes },
		{ &r->b, r->plan.wt_bytes },
		{ &r->c, (uint64_t)call->M * (uint64_t)call->N * call->kind->c_bytes },
	};
	uint64_t sum = 0;
	int ret = 0;

	for (unsigned i = 0; i < 3; i++)
		sum += wanted[i].bytes + ROCKET_OVERREAD_BYTES;
	if (sum >= ROCKET_IOVA_WINDOW)
		return rocket_fail(
			ROCKET_E_NOMEM,
			"%s: %dx%dx%d takes %llu MiB of the NPU's 4096 MiB address space",
			call->who, call->M, call->K, call->N, (unsigned long long)(sum >> 20));
	for (unsigned i = 0; i < 3 && !ret; i++)
		ret = rocket_bo_alloc32(r->hold.fd,
					(size_t)(wanted[i].bytes + ROCKET_OVERREAD_BYTES),
					wanted[i].bo);
	if (ret)
		return ret;
	memset(r->a.ptr, 0, (size_t)wanted[0].bytes);
	return 0;
}

static int pack(struct rocket_mm_rows *r, const struct rocket_matmul_call *call)
{
	int ret = rocket_matmul_pack_b(call, &r->plan.tiles, r->plan.wt_slot, r->b.ptr);

	return ret ? ret : rocket_bo_fini(r->hold.fd, &r->b);
}

static void destroy(struct rocket_mm_rows *r, bool lives)
{
	rocket_matmul_plan_free(&r->plan);
	if (lives) {
		rocket_bo_free(r->hold.fd, &r->c);
		rocket_bo_free(r->hold.fd, &r->b);
		rocket_bo_free(r->hold.fd, &r->a);
	}
	rocket_matmul_hold_drop(&r->hold, lives);
	free(r);
}

static rocket_mm_rows *create(const char *who, const struct rocket_matmul_kind *kind, int fd, int M,
			      int K, int N, const void *B)
{
	const struct rocket_matmul_call call = {
		.who = who, .kind = kind, .M = M, .K = K, .N = N, .b = B, .pack_only = true
	};
	struct rocket_mm_rows *r;
	int ret;

	if (rocket_matmul_check(&call))
		return NULL;
	r = calloc(1, sizeof(*r));
	if (!r) {
		rocket_fail(ROCKET_E_NOMEM, "%s: no memory for a product", who);
		return NULL;
	}
	r->kind = kind;
	if (!rocket_matmul_hold_take(&r->hold, fd, who)) {
		free(r);
		return NULL;
	}
	ret = plan_rows(r, &call);
	if (!ret)
		ret = allocate(r, &call);
	if (!ret)
		ret = pack(r, &call);
	if (!ret)
		return r;
	destroy(r, true);
	rocket_note_failure(ret);
	return NULL;
}

rocket_mm_rows *rocket_mm_rows_create_fp16(int fd, int M, int K, int N, const _Float16 *B)
{
	return create("rocket_mm_rows_create_fp16", &rocket_kind_fp16, fd, M, K, N, B);
}

rocket_mm_rows *rocket_mm_rows_create_fp16_f32out(int fd, int M, int K, int N, const _Float16 *B)
{
	return create("rocket_mm_rows_create_fp16_f32out", &rocket_kind_fp16_f32out, fd, M, K, N,
		      B);
}

rocket_mm_rows *rocket_mm_rows_create_int8(int fd, int M, int K, int N, const int8_t *B)
{
	return create("rocket_mm_rows_create_int8", &rocket_kind_int8, fd, M, K, N, B);
}

void rocket_mm_rows_free(rocket_mm_rows *r)
{
	if (r)
		destroy(r, rocket_matmul_hold_lives(&r->hold, "rocket_mm_rows_free"));
}

void *rocket_mm_rows_a(rocket_mm_rows *r)
{
	return r ? r->a.ptr : NULL;
}

const void *rocket_mm_rows_c(const rocket_mm_rows *r)
{
	return r ? r->c.ptr : NULL;
}

/* Jobs one after the other; the last of them hands C to the CPU. */
static int run_jobs(struct rocket_matmul_run *run)
{
	int ret = rocket_bo_fini(run->fd, (rocket_bo *)run->a);

	rocket_matmul_phase_done(run, ROCKET_PHASE_PACK);
	for (uint32_t j = 0; j < run->plan.n_jobs && !ret; j++)
		ret = rocket_matmul_do_job(run, &run->plan.jobs[j]);
	return ret;
}

/* The one set of a product; its plan is the product's. */
static struct rocket_matmul_scratch *take_set(struct rocket_mm_rows *r, int *status)
{
	struct rocket_matmul_plan needs = r->plan;
	struct rocket_matmul_key key;
	struct rocket_matmul_scratch *bufs;

	memset(&key, 0, sizeof(key));
	bufs = rocket_matmul_scratch_find(&r->hold.shelf, &key);
	if (bufs)
		return bufs;
	needs.wt_bytes = 0;
	needs.steps = NULL;
	needs.jobs = NULL;
	return rocket_matmul_scratch_make(r->hold.dev, &r->hold.shelf, &rocket_matmul_hold_bounds,
					  &key, &needs, 0, status);
}

static int run_on_buffers(struct rocket_mm_rows *r, struct rocket_matmul_run *run)
{
	int ret;
	struct rocket_matmul_scratch *bufs = take_set(r, &ret);

	if (!bufs)
		return ret;
	run->stats->device_bytes =
		rocket_matmul_scratch_bytes(bufs) + r->a.size + r->b.size + r->c.size;
	rocket_matmul_use_scratch(run, bufs);
	run->a = &r->a;
	run->b = &r->b;
	run->out[ROCKET_OUT_ROWS] = &r->c;
	run->cpu_owns[ROCKET_OUT_ROWS] = r->c_is_read;
	rocket_matmul_check_programs(run);
	rocket_matmul_phase_done(run, ROCKET_PHASE_PREPARE);
	ret = run_jobs(run);
	r->c_is_read = run->cpu_owns[ROCKET_OUT_ROWS];
	if (ret) {
		rocket_matmul_scratch_free(r->hold.dev, bufs);
		return ret;
	}
	rocket_matmul_keep_programs(run);
	rocket_matmul_scratch_put(r->hold.dev, &r->hold.shelf, &rocket_matmul_hold_bounds, bufs);
	return ret;
}

int rocket_mm_rows_run(rocket_mm_rows *r)
{
	static const char who[] = "rocket_mm_rows_run";
	struct rocket_matmul_stats stats = { 0 };
	struct rocket_matmul_call call = { .who = who };
	struct rocket_matmul_run run = { .call = &call, .stats = &stats };
	int ret;

	if (!r)
		return rocket_fail(ROCKET_E_SHAPE, "%s: the product is NULL", who);
	if (!rocket_matmul_hold_lives(&r->hold, who))
		return ROCKET_E_SHAPE;
	run.fd = r->hold.fd;
	run.dev = r->hold.dev;
	run.kind = r->kind;
	run.tr = rocket_matmul_traits(r->kind->type);
	run.plan = r->plan;
	run.phase_start = rocket_now_ns();
	stats.total_ns = run.phase_start;
	stats.tiles = r->plan.n_steps;
	stats.mt = r->plan.tiles.mt;
	stats.kt = r->plan.tiles.kt;
	stats.nt = r->plan.tiles.nt;
	stats.device_accumulates = r->plan.device_accumulates;
	ret = run_on_buffers(r, &run);
	stats.total_ns = rocket_now_ns() - stats.total_ns;
	rocket_matmul_set_last_stats(&stats, r->hold.dev->settings.mm_profile);
	return ret;
}

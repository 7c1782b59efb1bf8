// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_mt.c - one matmul over several fds, its columns split between workers. */
#include <string.h>

#include "../core/pool.h"
#include "../core/status.h"
#include "matmul_run.h"
#include "rocket_matmul.h"

struct split_call {
	const struct rocket_matmul_call *whole;
	int workers;              /* as asked for; some may have no columns */
	int fd[ROCKET_SPLIT_MAX]; /* -1: no columns */
	struct rocket_matmul_stats stats[ROCKET_SPLIT_MAX];
};

static int columns(const struct split_call *split, int worker, int *n0)
{
	int n;

	rocket_matmul_split(split->whole->N, split->workers,
			    (int)rocket_matmul_traits(split->whole->kind->type)->n_align, worker,
			    n0, &n);
	return n;
}

static void close_all(struct split_call *split)
{
	for (int i = 0; i < split->workers; i++)
		if (split->fd[i] >= 0)
			rocket_close(split->fd[i]);
}

/* One after the other: a device that does not open is one line, not one per worker. */
static int open_all(struct split_call *split)
{
	int n0, err = 0;

	for (int i = 0; i < split->workers; i++) {
		split->fd[i] = -1;
		if (err || !columns(split, i, &n0))
			continue;
		split->fd[i] = rocket_open();
		if (split->fd[i] < 0)
			err = split->fd[i];
	}
	if (!err)
		return ROCKET_OK;
	close_all(split);
	return rocket_status_of_errno(err);
}

static int run_worker(void *arg, unsigned worker)
{
	struct split_call *split = arg;
	struct rocket_matmul_call call = *split->whole;
	const struct rocket_matmul_kind *kind = call.kind;
	int n0, ret, fd = split->fd[worker];
	struct rocket_device *dev;

	call.N = columns(split, (int)worker, &n0);
	if (!call.N)
		return ROCKET_OK;
	call.b = (const uint8_t *)call.b + (size_t)n0 * (size_t)call.K * kind->b->host_bytes;
	call.c = (uint8_t *)call.c + (size_t)n0 * kind->c_bytes;

	dev = rocket_device_get(fd, call.who);
	ret = dev ? rocket_matmul_run(fd, dev, &call, &split->stats[worker]) : ROCKET_E_DEVICE;
	if (dev)
		rocket_device_put(dev);
	return ret;
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

static int worker_count(int nthreads, const struct rocket_settings *set)
{
	if (nthreads <= 0)
		nthreads =
			set->n_threads > 0 ? set->n_threads : rocket_hw_current()->default_workers;
	return nthreads < 1 ? 1 : nthreads < ROCKET_SPLIT_MAX ? nthreads : ROCKET_SPLIT_MAX;
}

/* The whole shape first: its refusal is one line, not one per worker. */
static int check_shape(const struct rocket_matmul_call *call, const struct rocket_settings *set)
{
	struct rocket_matmul_tiles tiles;
	char why[256];
	int ret = rocket_matmul_tile_within(call->kind->type, rocket_hw_current(), set,
					    &call->limits, rocket_matmul_padded_rows(call), call->K,
					    call->N, &tiles, why, sizeof(why));

	return ret < 0 ? rocket_fail(ret, "%s: %s", call->who, why) : ROCKET_OK;
}

static int run_split(const struct rocket_matmul_call *call, int nthreads)
{
	const struct rocket_settings set = rocket_settings_read();
	struct split_call split = { .whole = call, .workers = worker_count(nthreads, &set) };
	struct rocket_matmul_stats sum = { 0 };
	uint64_t start = rocket_matmul_now_ns();
	int ret = rocket_matmul_check(call);

	if (!ret)
		ret = check_shape(call, &set);
	if (ret)
		return ret;
	ret = open_all(&split);
	if (ret)
		return ret;
	ret = rocket_pool_run((unsigned)split.workers, run_worker, &split);
	close_all(&split);
	for (int i = 0; i < split.workers; i++)
		add_stats(&sum, &split.stats[i]);
	sum.total_ns = rocket_matmul_now_ns() - start;
	if (sum.tiles)
		rocket_matmul_set_last_stats(&sum);
	return ret;
}

int rocket_matmul_fp16_mt(int M, int K, int N, const _Float16 *A, const _Float16 *B, _Float16 *C,
			  int nthreads)
{
	const struct rocket_matmul_call call = {
		"rocket_matmul_fp16_mt", &rocket_kind_fp16, M, K, N, A, B, C, .c_row = (size_t)N
	};

	return run_split(&call, nthreads);
}

int rocket_matmul_bf16_mt(int M, int K, int N, const float *A, const float *B, float *C,
			  int nthreads)
{
	const struct rocket_matmul_call call = {
		"rocket_matmul_bf16_mt", &rocket_kind_bf16, M, K, N, A, B, C, .c_row = (size_t)N
	};

	return run_split(&call, nthreads);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_run.c - a plan on a device: pack, then encode, submit, wait and unpack by job. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../core/status.h"
#include "../encode/program.h"
#include "../layout/matmul_layout.h"
#include "../plan/matmul_plan.h"
#include "matmul_run.h"
#include "matmul_scratch.h"

/* Marks a result that is not there yet. */
#define STAMP       0xa5
#define STAMP_BYTES 16

_Static_assert(ROCKET_RK3588_MATMUL_WORDS * sizeof(uint64_t) <= ROCKET_PROGRAM_SLOT,
	       "a program fits its slot");

/* ---- where partial results go ---- */

/*
 * How a type's partials become its result when the host adds them. Integers need no wider
 * accumulator: C keeps the low 32 bits, which is all that is stored of the exact sum.
 */
struct sink {
	size_t c_bytes;
	size_t acc_bytes; /* per element, 0: C itself accumulates */
	void (*add)(void *acc, const void *cube, size_t rows, size_t cube_rows, size_t n,
		    size_t stride);
	void (*finish)(void *c, const void *acc, size_t count);
};

static void add_fp16(void *acc, const void *cube, size_t rows, size_t cube_rows, size_t n,
		     size_t stride)
{
	rocket_accumulate_fp16(acc, cube, rows, cube_rows, n, stride);
}

static void add_fp32(void *acc, const void *cube, size_t rows, size_t cube_rows, size_t n,
		     size_t stride)
{
	rocket_accumulate_fp32(acc, cube, rows, cube_rows, n, stride);
}

static void add_int32(void *acc, const void *cube, size_t rows, size_t cube_rows, size_t n,
		      size_t stride)
{
	rocket_accumulate_int32(acc, cube, rows, cube_rows, n, stride);
}

static void finish_fp16(void *c, const void *acc, size_t count)
{
	rocket_floats_to_halves(c, acc, count);
}

static void finish_fp32(void *c, const void *acc, size_t count)
{
	const double *from = acc;
	float *to = c;

	for (size_t i = 0; i < count; i++)
		to[i] = (float)from[i];
}

static const struct sink sinks[ROCKET_MM_TYPES] = {
	[ROCKET_MM_FP16_FP16] = { 2, sizeof(float), add_fp16, finish_fp16 },
	[ROCKET_MM_FP16_FP32] = { 4, sizeof(double), add_fp32, finish_fp32 },
	[ROCKET_MM_INT8_INT32] = { 4, 0, add_int32, NULL },
};

size_t rocket_matmul_c_bytes(enum rocket_matmul_type type)
{
	return sinks[type].c_bytes;
}

/* ---- one run ---- */

struct run {
	int fd;
	struct rocket_device *dev;
	const struct rocket_matmul_call *call;
	const struct rocket_matmul_traits *tr;
	const struct sink *sink;
	struct rocket_matmul_stats *stats;
	struct rocket_matmul_plan plan;
	struct rocket_matmul_scratch *bufs;
	bool cpu_owns[2]; /* out[i] was handed to the CPU since it was last submitted */
	void *acc;
	uint64_t phase_start;
};

/* Charge the time since the last call to a phase. */
static void phase_done(struct run *r, enum rocket_matmul_phase phase)
{
	uint64_t now = rocket_matmul_now_ns();

	r->stats->ns[phase] += now - r->phase_start;
	r->phase_start = now;
}

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

/* Rows of a tile that exist in A and C: M = 1 is planned as 4. */
static size_t live_rows(const struct run *r, int m0, int mt)
{
	return (size_t)min_int(mt, r->call->M - m0);
}

/* Once: it is a property of the driver, not of the call. */
static void warn_unless_batched(const struct run *r)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (!r->dev->node.caps.batched && !atomic_flag_test_and_set(&said))
		rocket_log(ROCKET_LOG_WARN,
			   "%s: the driver cannot run a chain of programs in one kick; "
			   "ROCKET_BATCH_SUBMIT and ROCKET_KACC_CHAIN are ignored",
			   r->call->who);
}

static int make_plan(struct run *r)
{
	const struct rocket_matmul_call *call = r->call;
	const struct rocket_settings *set = &r->dev->settings;
	char why[256];
	int ret = rocket_matmul_plan_make(
		call->type, r->dev->profile, set, r->dev->node.caps.batched,
		rocket_matmul_padded_rows(call->M), call->K, call->N, &r->plan, why, sizeof(why));

	if (ret)
		return rocket_fail(ret, "%s: %s", call->who, why);
	if (set->batch_submit || set->kacc_chain)
		warn_unless_batched(r);
	r->stats->tiles += r->plan.n_steps;
	if (!r->stats->mt) {
		r->stats->mt = r->plan.tiles.mt;
		r->stats->kt = r->plan.tiles.kt;
		r->stats->nt = r->plan.tiles.nt;
		r->stats->device_accumulates = r->plan.device_accumulates;
	}
	return 0;
}

static bool needs_accumulator(const struct run *r)
{
	/* One fp32 partial per element is the result already. fp16 partials always pass the
	 * fp32 accumulator, which turns -0 into the +0 that the sum has. */
	return !r->plan.device_accumulates && r->sink->acc_bytes &&
	       (r->plan.tiles.nk > 1 || r->call->type == ROCKET_MM_FP16_FP16);
}

static int allocate(struct run *r)
{
	int ret;

	r->bufs = rocket_matmul_scratch_take(r->fd, r->dev, &r->plan, &ret);
	if (!r->bufs)
		return ret;
	r->stats->device_bytes += rocket_matmul_scratch_bytes(r->bufs);
	if (!needs_accumulator(r))
		return ROCKET_OK;
	r->acc = calloc((size_t)r->call->M * (size_t)r->call->N, r->sink->acc_bytes);
	if (!r->acc)
		return rocket_fail(ROCKET_E_NOMEM, "%s: no memory for the sums of %dx%d results",
				   r->call->who, r->call->M, r->call->N);
	return ROCKET_OK;
}

static void release(struct run *r, int status)
{
	free(r->acc);
	if (r->bufs && status)
		rocket_matmul_scratch_free(r->fd, r->bufs);
	else if (r->bufs)
		rocket_matmul_scratch_put(r->fd, r->dev, r->bufs);
	rocket_matmul_plan_free(&r->plan);
}

static void pack_a(struct run *r)
{
	const struct rocket_matmul_tiles *t = &r->plan.tiles;
	const size_t es = r->tr->in_bits / 8, K = (size_t)r->call->K;
	uint8_t *slot = r->bufs->a.ptr;

	for (int m0 = 0; m0 < r->plan.M; m0 += t->mt) {
		int mt = min_int(t->mt, r->plan.M - m0);

		for (int k0 = 0; k0 < r->call->K; k0 += t->kt, slot += r->plan.in_slot)
			rocket_pack_feature(slot,
					    (const uint8_t *)r->call->a +
						    ((size_t)m0 * K + (size_t)k0) * es,
					    es, live_rows(r, m0, mt), (size_t)mt,
					    (size_t)min_int(t->kt, r->call->K - k0), K);
	}
}

static void pack_b(struct run *r)
{
	const struct rocket_matmul_tiles *t = &r->plan.tiles;
	const size_t es = r->tr->in_bits / 8, K = (size_t)r->call->K;
	uint8_t *slot = r->bufs->b.ptr;

	for (int n0 = 0; n0 < r->call->N; n0 += t->nt)
		for (int k0 = 0; k0 < r->call->K; k0 += t->kt, slot += r->plan.wt_slot)
			rocket_pack_weight(slot,
					   (const uint8_t *)r->call->b +
						   ((size_t)n0 * K + (size_t)k0) * es,
					   es, (size_t)min_int(t->nt, r->call->N - n0),
					   (size_t)min_int(t->kt, r->call->K - k0), K,
					   r->tr->ngroup, r->tr->kgroup);
}

static int pack(struct run *r)
{
	int ret;

	pack_a(r);
	pack_b(r);
	r->stats->packed_bytes += ((uint64_t)r->plan.M + (uint64_t)r->plan.N) *
				  (uint64_t)r->plan.K * r->tr->in_bits / 8;
	ret = rocket_bo_fini(r->fd, &r->bufs->a);
	if (!ret)
		ret = rocket_bo_fini(r->fd, &r->bufs->b);
	return ret;
}

/* ---- programs ---- */

static uint32_t address(const rocket_bo *bo, uint64_t offset)
{
	return (uint32_t)(bo->dma_address + offset);
}

static size_t program_stride(const struct rocket_matmul_job *job)
{
	return job->chained ? rocket_program_stride(ROCKET_RK3588_MATMUL_WORDS) * sizeof(uint64_t)
			    : ROCKET_PROGRAM_SLOT;
}

static int encode_step(const struct run *r, const struct rocket_matmul_step *s, uint64_t *words)
{
	const struct rocket_matmul_task task = {
		.type = r->plan.type,
		.m = (uint32_t)s->mt,
		.k = (uint32_t)s->kt,
		.n = (uint32_t)s->nt,
		.input = address(&r->bufs->a, s->in_off),
		.weights = address(&r->bufs->b, s->wt_off),
		.output = address(&r->bufs->out[s->out_bo], s->out_off),
		.accumulate = s->accumulate,
		.add = s->accumulate ? address(&r->bufs->out[s->add_bo], s->add_off) : 0,
		.weight_reuse = s->weight_reuse,
		.data_reuse = s->data_reuse,
	};
	char why[160];
	int count =
		rocket_rk3588_matmul(&task, words, ROCKET_RK3588_MATMUL_WORDS, why, sizeof(why));

	if (count < 0)
		return rocket_fail(count, "%s: tile %dx%dx%d at (%d,%d,%d): %s", r->call->who,
				   s->mt, s->kt, s->nt, s->m0, s->k0, s->n0, why);
	return count;
}

/* Programs of one job into the program buffer; tasks[] says where they are. */
static int encode_job(struct run *r, const struct rocket_matmul_job *job, rocket_task_desc *tasks)
{
	const size_t stride = program_stride(job);
	uint8_t *base = r->bufs->programs.ptr;

	for (uint32_t i = 0; i < job->count; i++) {
		int count = encode_step(r, &r->plan.steps[job->first + i],
					(uint64_t *)(void *)(base + i * stride));

		if (count < 0)
			return count;
		tasks[i].regcmd = address(&r->bufs->programs, i * stride);
		tasks[i].regcmd_count = (uint32_t)count;
	}
	for (uint32_t i = 0; job->chained && i < job->count; i++) {
		uint64_t *program = (uint64_t *)(void *)(base + i * stride);
		bool ok = i + 1 < job->count ? rocket_chain_link(program, tasks[i].regcmd_count,
								 tasks[i + 1].regcmd,
								 tasks[i + 1].regcmd_count)
					     : rocket_chain_seal(program, tasks[i].regcmd_count);

		if (!ok)
			return rocket_fail(ROCKET_E_DEVICE, "%s: task %u cannot be chained",
					   r->call->who, i);
	}
	return 0;
}

/* ---- jobs ---- */

/*
 * A driver that reports no errors completes a job it retired like any other [silicon].
 * The last atom that a job writes is then stamped before; still stamped after a wait as
 * long as the watchdog's, it was not written.
 */
static uint8_t *last_atom(const struct run *r, const struct rocket_matmul_job *job)
{
	const struct rocket_matmul_step *s = &r->plan.steps[job->first + job->count - 1];
	size_t bytes = (size_t)s->mt * (size_t)s->nt * r->tr->out_bytes;

	return (uint8_t *)r->bufs->out[s->out_bo].ptr + s->out_off + bytes - STAMP_BYTES;
}

static void stamp(const struct run *r, const struct rocket_matmul_job *job)
{
	if (!r->dev->node.caps.errors_reported)
		memset(last_atom(r, job), STAMP, STAMP_BYTES);
}

static int check_stamp(const struct run *r, const struct rocket_matmul_job *job,
		       uint64_t submitted_ns)
{
	uint64_t ms = (rocket_matmul_now_ns() - submitted_ns) / 1000000u;
	const uint8_t *at = last_atom(r, job);

	if (r->dev->node.caps.errors_reported || ms < (uint64_t)r->dev->profile->slow_wait_ms)
		return ROCKET_OK;
	for (unsigned i = 0; i < STAMP_BYTES; i++)
		if (at[i] != STAMP)
			return ROCKET_OK;
	return rocket_fail(ROCKET_E_DEVICE,
			   "%s: a job of %u tasks came back after %llu ms without its result: the "
			   "driver retired it",
			   r->call->who, job->count, (unsigned long long)ms);
}

/*
 * A buffer that a job writes goes to the output list only, also when it is read too: the
 * kernel completes a job that lists one handle twice without running it [silicon].
 */
static int submit_job(struct run *r, const struct rocket_matmul_job *job,
		      const rocket_task_desc *tasks)
{
	uint32_t in[4] = { r->bufs->a.handle, r->bufs->b.handle, r->bufs->programs.handle },
		 n_in = 3;
	uint32_t out[2], n_out = 0;
	uint8_t written = 0, read = 0;
	int ret;

	for (uint32_t i = 0; i < job->count; i++) {
		const struct rocket_matmul_step *s = &r->plan.steps[job->first + i];

		written |= (uint8_t)(1u << s->out_bo);
		if (s->accumulate)
			read |= (uint8_t)(1u << s->add_bo);
	}
	stamp(r, job);
	ret = rocket_bo_fini(r->fd, &r->bufs->programs);
	for (unsigned i = 0; i < 2 && !ret; i++) {
		if (written >> i & 1)
			out[n_out++] = r->bufs->out[i].handle;
		else if (read >> i & 1)
			in[n_in++] = r->bufs->out[i].handle;
		else
			continue;
		if (r->cpu_owns[i])
			ret = rocket_bo_fini(r->fd, &r->bufs->out[i]);
		r->cpu_owns[i] = false;
	}
	if (ret)
		return ret;
	r->stats->submits++;
	r->stats->tasks += job->count;
	r->stats->kicks += job->chained ? 1 : job->count;
	return rocket_submit_tasks_pre(r->fd, r->bufs->submit, tasks, job->count, in, n_in, out,
				       n_out, job->chained ? ROCKET_JOB_BATCHED : 0);
}

static int wait_job(struct run *r, const struct rocket_matmul_job *job)
{
	unsigned last = r->plan.steps[job->first + job->count - 1].out_bo;
	uint64_t submitted_ns = r->phase_start;
	int ret = rocket_bo_prep(r->fd, &r->bufs->out[last], 0,
				 (uint64_t)r->dev->settings.wait_ms * 1000000u);

	if (ret)
		return ret;
	r->cpu_owns[last] = true;
	return check_stamp(r, job, submitted_ns);
}

static void take_step(struct run *r, const struct rocket_matmul_step *s)
{
	const uint8_t *cube = (const uint8_t *)r->bufs->out[s->out_bo].ptr + s->out_off;
	const size_t rows = live_rows(r, s->m0, s->mt), n = (size_t)s->nt;
	const size_t m0 = (size_t)s->m0, n0 = (size_t)s->n0;
	size_t row = r->call->c_row;

	if (r->plan.device_accumulates && s->k0 + s->kt < r->call->K)
		return;
	r->stats->unpacked_bytes += (uint64_t)s->mt * (uint64_t)s->nt * r->sink->c_bytes;
	if (r->acc) {
		row = (size_t)r->call->N;
		r->sink->add((uint8_t *)r->acc + (m0 * row + n0) * r->sink->acc_bytes, cube, rows,
			     (size_t)s->mt, n, row);
		return;
	}
	if (s->k0 == 0 || r->plan.device_accumulates)
		rocket_unpack_output((uint8_t *)r->call->c + (m0 * row + n0) * r->sink->c_bytes,
				     cube, r->sink->c_bytes, rows, (size_t)s->mt, n, row);
	else
		r->sink->add((uint8_t *)r->call->c + (m0 * row + n0) * r->sink->c_bytes, cube, rows,
			     (size_t)s->mt, n, row);
}

static int run_job(struct run *r, const struct rocket_matmul_job *job)
{
	rocket_task_desc tasks[ROCKET_JOB_TASKS_MAX];
	int ret = encode_job(r, job, tasks);

	phase_done(r, ROCKET_PHASE_ENCODE);
	if (ret)
		return ret;
	ret = submit_job(r, job, tasks);
	phase_done(r, ROCKET_PHASE_SUBMIT);
	if (ret)
		return ret;
	ret = wait_job(r, job);
	phase_done(r, ROCKET_PHASE_WAIT);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < job->count; i++)
		take_step(r, &r->plan.steps[job->first + i]);
	phase_done(r, ROCKET_PHASE_UNPACK);
	return 0;
}

static void finish(struct run *r)
{
	const size_t n = (size_t)r->call->N;

	for (size_t m = 0; r->acc && m < (size_t)r->call->M; m++)
		r->sink->finish((uint8_t *)r->call->c + m * r->call->c_row * r->sink->c_bytes,
				(const uint8_t *)r->acc + m * n * r->sink->acc_bytes, n);
}

int rocket_matmul_run(int fd, struct rocket_device *dev, const struct rocket_matmul_call *call,
		      struct rocket_matmul_stats *stats)
{
	struct run r = {
		.fd = fd,
		.dev = dev,
		.call = call,
		.tr = rocket_matmul_traits(call->type),
		.sink = &sinks[call->type],
		.stats = stats,
		.phase_start = rocket_matmul_now_ns(),
	};
	int ret;

	if (strcmp(dev->profile->name, "rk3588"))
		return rocket_fail(ROCKET_E_UNSUPPORTED, "%s: there is no matmul encoder for %s",
				   call->who, dev->profile->name);
	ret = make_plan(&r);
	if (!ret)
		ret = allocate(&r);
	phase_done(&r, ROCKET_PHASE_PREPARE);
	if (ret)
		goto out;
	ret = pack(&r);
	phase_done(&r, ROCKET_PHASE_PACK);
	for (uint32_t j = 0; !ret && j < r.plan.n_jobs; j++)
		ret = run_job(&r, &r.plan.jobs[j]);
	if (!ret)
		finish(&r);
	phase_done(&r, ROCKET_PHASE_UNPACK);
out:
	release(&r, ret);
	phase_done(&r, ROCKET_PHASE_PREPARE);
	return ret;
}

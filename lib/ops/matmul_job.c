// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_job.c - one job of a plan: programs, submission, waiting. */
#include <string.h>

#include "../core/clock.h"
#include "../core/status.h"
#include "../encode/program.h"
#include "matmul_run.h"

/* Marks a result that is not there yet. */
#define STAMP       0xa5
#define STAMP_BYTES 16

_Static_assert(ROCKET_RK3588_MATMUL_WORDS * sizeof(uint64_t) <= ROCKET_PROGRAM_SLOT,
	       "a program fits its slot");

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

static int encode_step(const struct rocket_matmul_run *r, const struct rocket_matmul_step *s,
		       uint64_t *words)
{
	const bool rows = s->out_bo == ROCKET_OUT_ROWS;
	const struct rocket_matmul_task task = {
		.type = r->plan.type,
		.m = (uint32_t)s->mt,
		.k = (uint32_t)s->kt,
		.n = (uint32_t)s->nt,
		.input = address(r->a, s->in_off),
		.weights = address(r->b, s->wt_off),
		.output = address(r->out[s->out_bo], s->out_off),
		.accumulate = s->accumulate,
		.add = s->accumulate ? address(r->out[s->add_bo], s->add_off) : 0,
		.weight_reuse = s->weight_reuse,
		.data_reuse = s->data_reuse,
		.a_row = (uint32_t)r->plan.a_row,
		.c_row = rows ? (uint32_t)r->plan.c_row : 0,
	};
	char why[160];
	int count =
		rocket_rk3588_matmul(&task, words, ROCKET_RK3588_MATMUL_WORDS, why, sizeof(why));

	if (count < 0)
		return rocket_fail(count, "%s: tile %dx%dx%d at (%d,%d,%d): %s", r->call->who,
				   s->mt, s->kt, s->nt, s->m0, s->k0, s->n0, why);
	return count;
}

static void list_addresses(const struct rocket_matmul_run *r, uint32_t to[2 + ROCKET_OUT_BUFFERS])
{
	to[0] = address(r->a, 0);
	to[1] = address(r->b, 0);
	for (unsigned i = 0; i < ROCKET_OUT_BUFFERS; i++)
		to[2 + i] = r->out[i] ? address(r->out[i], 0) : 0;
}

void rocket_matmul_check_programs(struct rocket_matmul_run *r)
{
	uint32_t now[2 + ROCKET_OUT_BUFFERS];

	list_addresses(r, now);
	r->encoded = r->bufs->encoded && !memcmp(now, r->bufs->addresses, sizeof(now));
}

void rocket_matmul_keep_programs(struct rocket_matmul_run *r)
{
	r->bufs->encoded = r->bufs->all_programs;
	list_addresses(r, r->bufs->addresses);
}

/* Where the programs of a job begin. */
static size_t programs_at(const struct rocket_matmul_run *r, const struct rocket_matmul_job *job)
{
	if (r->bufs->all_programs)
		return (size_t)job->first * ROCKET_PROGRAM_SLOT;
	/* The job before may still run. */
	return r->plan.pipelined && r->plan.steps[job->first].out_bo ? ROCKET_PROGRAMS_BYTES : 0;
}

static rocket_task_desc *tasks_of(const struct rocket_matmul_run *r,
				  const struct rocket_matmul_job *job)
{
	return r->bufs->tasks + (r->bufs->all_programs ? job->first : 0);
}

/* Programs of one job into the program buffer; its tasks say where they are. */
static int encode_job(struct rocket_matmul_run *r, const struct rocket_matmul_job *job)
{
	const size_t stride = program_stride(job), at = programs_at(r, job);
	uint8_t *base = (uint8_t *)r->bufs->programs.ptr + at;
	rocket_task_desc *tasks = tasks_of(r, job);

	for (uint32_t i = 0; i < job->count; i++) {
		int count = encode_step(r, &r->plan.steps[job->first + i],
					(uint64_t *)(void *)(base + i * stride));

		if (count < 0)
			return count;
		tasks[i].regcmd = address(&r->bufs->programs, at + i * stride);
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
static uint8_t *last_atom(const struct rocket_matmul_run *r, const struct rocket_matmul_job *job)
{
	const struct rocket_matmul_step *s = &r->plan.steps[job->first + job->count - 1];
	size_t elements = (size_t)s->mt * (size_t)s->nt;

	if (s->out_bo == ROCKET_OUT_ROWS)
		elements = ((size_t)s->mt - 1) * (size_t)r->plan.c_row + (size_t)s->nt;
	return (uint8_t *)r->out[s->out_bo]->ptr + s->out_off + elements * r->tr->out_bytes -
	       STAMP_BYTES;
}

static void stamp(struct rocket_matmul_run *r, const struct rocket_matmul_job *job)
{
	if (r->dev->node.caps.errors_reported)
		return;
	memset(last_atom(r, job), STAMP, STAMP_BYTES);
	/* Or the CPU's cache would hold it, and could write it over the result. */
	r->cpu_owns[r->plan.steps[job->first + job->count - 1].out_bo] = true;
}

static int check_stamp(const struct rocket_matmul_run *r, const struct rocket_matmul_job *job,
		       uint64_t submitted_ns)
{
	uint64_t ms = (rocket_now_ns() - submitted_ns) / 1000000u;
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
static int submit_job(struct rocket_matmul_run *r, const struct rocket_matmul_job *job)
{
	uint32_t in[5] = { r->a->handle, r->b->handle, r->bufs->programs.handle }, n_in = 3;
	uint32_t out[3], n_out = 0;
	uint8_t written = 0, read = 0;
	int ret = 0;

	for (uint32_t i = 0; i < job->count; i++) {
		const struct rocket_matmul_step *s = &r->plan.steps[job->first + i];

		written |= (uint8_t)(1u << s->out_bo);
		if (s->accumulate)
			read |= (uint8_t)(1u << s->add_bo);
	}
	stamp(r, job);
	if (!r->encoded)
		ret = rocket_bo_fini(r->fd, &r->bufs->programs);
	for (unsigned i = 0; i < 3 && !ret; i++) {
		if (written >> i & 1)
			out[n_out++] = r->out[i]->handle;
		else if (read >> i & 1)
			in[n_in++] = r->out[i]->handle;
		else
			continue;
		if (r->cpu_owns[i])
			ret = rocket_bo_fini(r->fd, r->out[i]);
		r->cpu_owns[i] = false;
	}
	if (ret)
		return ret;
	r->stats->submits++;
	r->stats->tasks += job->count;
	r->stats->kicks += job->chained ? 1 : job->count;
	return rocket_submit_tasks_pre(r->fd, r->bufs->submit, tasks_of(r, job), job->count, in,
				       n_in, out, n_out, job->chained ? ROCKET_JOB_BATCHED : 0);
}

static int wait_job(struct rocket_matmul_run *r, const struct rocket_matmul_job *job)
{
	unsigned last = r->plan.steps[job->first + job->count - 1].out_bo;
	int ret = rocket_bo_prep(r->fd, r->out[last], 0,
				 (uint64_t)r->dev->settings.wait_ms * 1000000u);

	if (ret)
		return ret;
	r->cpu_owns[last] = true;
	return check_stamp(r, job, r->submitted_ns[last]);
}

int rocket_matmul_start_job(struct rocket_matmul_run *r, const struct rocket_matmul_job *job)
{
	int ret = r->encoded ? ROCKET_OK : encode_job(r, job);

	rocket_matmul_phase_done(r, ROCKET_PHASE_ENCODE);
	if (ret)
		return ret;
	ret = submit_job(r, job);
	rocket_matmul_phase_done(r, ROCKET_PHASE_SUBMIT);
	r->submitted_ns[r->plan.steps[job->first + job->count - 1].out_bo] = r->phase_start;
	return ret;
}

int rocket_matmul_end_job(struct rocket_matmul_run *r, const struct rocket_matmul_job *job)
{
	int ret = wait_job(r, job);

	rocket_matmul_phase_done(r, ROCKET_PHASE_WAIT);
	return ret;
}

int rocket_matmul_do_job(struct rocket_matmul_run *r, const struct rocket_matmul_job *job)
{
	int ret = rocket_matmul_start_job(r, job);

	return ret ? ret : rocket_matmul_end_job(r, job);
}

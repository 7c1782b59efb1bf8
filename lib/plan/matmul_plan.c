// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_plan.c - tiles in the order they run, grouped into jobs. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "matmul_plan.h"
#include "rocket_npu.h"
#include "tiler.h"

/*
 * Types whose programs are known to be exact in a chain. int8 too: no register differs, and the
 * accumulator starts at zero in every task [silicon: project notes of October 2026, delta 6.3,
 * newer than the rule "integers always gapped" of matmul 9.3].
 */
static const bool chains[ROCKET_MM_TYPES] = {
	[ROCKET_MM_FP16_FP16] = true,
	[ROCKET_MM_FP16_FP32] = true,
	[ROCKET_MM_INT8_INT32] = true,
};

enum axis { M_AXIS, N_AXIS, K_AXIS, AXES };

/* Outermost first. The operand whose reuse bit is set stays put in the inner loop. */
static const uint8_t host_order[][AXES] = {
	[ROCKET_REUSE_OFF] = { M_AXIS, N_AXIS, K_AXIS },
	[ROCKET_REUSE_WEIGHT] = { N_AXIS, K_AXIS, M_AXIS },
	[ROCKET_REUSE_DATA] = { M_AXIS, K_AXIS, N_AXIS },
};

/* How a plan accumulates, decided before any step is laid out. */
struct strategy {
	bool device_accumulates;
	bool chain_k; /* all K steps of a tile group in one kick */
	bool chained; /* jobs are one kick */
	int reuse;
	uint32_t group; /* tiles of one group; where the host adds, steps of one job */
	uint32_t slots; /* tiles that a result buffer has room for */
};

/*
 * Results that the host takes after a job: what 64 of the largest tiles that fit the banks make.
 * Tiles of streamed weights are larger, and jobs have fewer of them.
 */
#define HOST_RESULT_BYTES (ROCKET_JOB_TASKS_MAX * UINT64_C(256) * 256 * 4)

static uint64_t round_up64(uint64_t v, uint64_t align)
{
	return (v + align - 1) / align * align;
}

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

static void extents_at(const struct rocket_matmul_plan *p, const uint32_t idx[AXES],
		       struct rocket_matmul_step *s)
{
	const struct rocket_matmul_tiles *t = &p->tiles;
	const uint64_t first = (uint64_t)s->item * (uint64_t)p->parts;
	const uint64_t a = first + s->a_part, b = first + s->b_part;

	s->m0 = (int)idx[M_AXIS] * t->mt;
	s->n0 = (int)idx[N_AXIS] * t->nt;
	s->k0 = (int)idx[K_AXIS] * t->kt;
	s->mt = min_int(t->mt, p->M - s->m0);
	s->nt = min_int(t->nt, p->N - s->n0);
	s->kt = min_int(t->kt, p->K - s->k0);
	s->in_off = ((a * t->nm + idx[M_AXIS]) * t->nk + idx[K_AXIS]) * p->in_slot;
	s->wt_off = ((b * t->nn + idx[N_AXIS]) * t->nk + idx[K_AXIS]) * p->wt_slot;
}

/*
 * A reuse bit is legal only when the task before it in the same job left the very same
 * operand tile in the CBUF under the same bank split, hence equal extents.
 */
static void mark_reuse(const struct rocket_matmul_plan *p, int reuse)
{
	for (uint32_t j = 0; j < p->n_jobs; j++) {
		struct rocket_matmul_step *s = &p->steps[p->jobs[j].first];

		for (uint32_t i = 1; i < p->jobs[j].count; i++) {
			const struct rocket_matmul_step *prev = &s[i - 1];
			bool same =
				s[i].mt == prev->mt && s[i].nt == prev->nt && s[i].kt == prev->kt;

			s[i].weight_reuse =
				reuse == ROCKET_REUSE_WEIGHT && same && s[i].wt_off == prev->wt_off;
			s[i].data_reuse =
				reuse == ROCKET_REUSE_DATA && same && s[i].in_off == prev->in_off;
		}
	}
}

/* Tile i of an item and its k, in the order that a reuse wants. */
static void place(const struct rocket_matmul_plan *p, int reuse, uint32_t i,
		  struct rocket_matmul_step *s)
{
	const uint32_t count[AXES] = { (uint32_t)p->tiles.nm, (uint32_t)p->tiles.nn,
				       (uint32_t)p->tiles.nk };
	uint32_t idx[AXES];

	for (unsigned a = AXES; a-- > 0;) {
		const unsigned axis = host_order[reuse][a];

		idx[axis] = i % count[axis];
		i /= count[axis];
	}
	s->item = (int)i;
	extents_at(p, idx, s);
}

static uint32_t products(const struct rocket_matmul_plan *p)
{
	return (uint32_t)(p->parts * p->parts);
}

/* Where there are products, a job for each of them of the same tiles, then those of the next. */
static void lay_out_host_steps(struct rocket_matmul_plan *p, const struct strategy *how)
{
	const uint32_t tiles = p->n_steps / products(p);
	struct rocket_matmul_job *job = p->jobs;
	uint32_t at = 0;

	for (uint32_t first = 0; first < tiles; first += how->group)
		for (uint32_t product = 0; product < products(p); product++, job++) {
			job->first = at;
			job->count = tiles - first < how->group ? tiles - first : how->group;
			job->chained = how->chained;
			for (uint32_t i = 0; i < job->count; i++, at++) {
				struct rocket_matmul_step *s = &p->steps[at];

				s->a_part = (uint8_t)(product / (uint32_t)p->parts);
				s->b_part = (uint8_t)(product % (uint32_t)p->parts);
				place(p, how->reuse, first + i, s);
				s->out_off = (product * how->group + i) * p->out_slot;
				s->out_bo = p->pipelined && (first / how->group & 1);
			}
		}
}

/* One K step of tiles [first, first + count): the partial of the step before is added. */
static void lay_out_k_step(struct rocket_matmul_plan *p, const struct strategy *how, uint32_t first,
			   uint32_t count, uint32_t ki, struct rocket_matmul_step *s)
{
	const uint32_t nm = (uint32_t)p->tiles.nm, nn = (uint32_t)p->tiles.nn;

	for (uint32_t i = 0; i < count; i++, s++) {
		uint32_t g = first + i;
		uint32_t by_n[AXES] = { g / nn, g % nn, ki };
		uint32_t by_m[AXES] = { g % nm, g / nm, ki };

		extents_at(p, how->reuse == ROCKET_REUSE_WEIGHT ? by_m : by_n, s);
		s->out_bo = ki & 1;
		s->out_off = i * p->out_slot;
		s->accumulate = ki > 0;
		if (s->accumulate) {
			s->add_bo = !s->out_bo;
			s->add_off = s->out_off;
		}
	}
}

static void lay_out_device_steps(struct rocket_matmul_plan *p, const struct strategy *how)
{
	const uint32_t tiles = (uint32_t)(p->tiles.nm * p->tiles.nn);
	const uint32_t nk = (uint32_t)p->tiles.nk;
	struct rocket_matmul_job *job = p->jobs;
	uint32_t at = 0;

	for (uint32_t first = 0; first < tiles; first += how->group) {
		uint32_t count = tiles - first < how->group ? tiles - first : how->group;

		for (uint32_t ki = 0; ki < nk; ki++) {
			lay_out_k_step(p, how, first, count, ki, &p->steps[at]);
			if (ki == 0 || !how->chain_k)
				*job++ = (struct rocket_matmul_job){ at, 0, how->chained };
			job[-1].count += count;
			at += count;
		}
	}
}

/*
 * fp16 partials are added on the NPU unless the accumulate program cannot take the
 * shape. A single short tile with one K step needs no accumulation and stays there, so
 * that the NPU narrows the result.
 */
static bool device_can_accumulate(const struct rocket_matmul_plan *p)
{
	int last = p->M - (p->tiles.nm - 1) * p->tiles.mt;

	if (p->type != ROCKET_MM_FP16_FP16)
		return false;
	if (last >= ROCKET_ACCUMULATE_ROWS_MIN)
		return true;
	return p->tiles.nm == 1 && p->tiles.nk == 1;
}

/* Steps of a job, after which, or after one for each product, the host takes the results: at least
 * one, and at most 64 in all of those. */
static uint32_t host_group(const struct rocket_matmul_plan *p)
{
	const uint64_t fit = HOST_RESULT_BYTES / p->out_slot;
	const uint64_t most = fit < ROCKET_JOB_TASKS_MAX ? fit : ROCKET_JOB_TASKS_MAX;
	const uint32_t tiles = p->n_steps / products(p);
	const uint32_t group = most < products(p) ? 1 : (uint32_t)most / products(p);

	return group < tiles ? group : tiles;
}

static struct strategy choose(const struct rocket_matmul_plan *p, const struct rocket_settings *set,
			      int batched)
{
	const uint32_t nk = (uint32_t)p->tiles.nk;
	uint64_t tiles = (uint64_t)p->tiles.nm * (uint64_t)p->tiles.nn;
	struct strategy how = { .reuse = set->reuse };

	how.device_accumulates = set->kacc && device_can_accumulate(p);
	how.chained = batched && set->batch_submit > 0 && chains[p->type];
	if (p->parts > 1)
		how.device_accumulates = false;
	if (p->items > 1) {
		how.device_accumulates = false;
		how.reuse = ROCKET_REUSE_OFF;
	}
	if (p->tiles.streamed && how.reuse == ROCKET_REUSE_WEIGHT)
		how.reuse = ROCKET_REUSE_OFF;
	if (!how.device_accumulates) {
		/* AUTO is a choice between tile orders of the accumulating loop only. */
		if (how.reuse == ROCKET_REUSE_AUTO || (set->tasks_apart && !how.chained))
			how.reuse = ROCKET_REUSE_OFF;
		how.group = host_group(p);
		how.slots = how.group * products(p);
		return how;
	}
	if (how.reuse == ROCKET_REUSE_AUTO)
		how.reuse = p->tiles.nn >= p->tiles.nm || p->tiles.streamed ? ROCKET_REUSE_DATA
									    : ROCKET_REUSE_WEIGHT;
	how.chain_k = batched && nk > 1 &&
		      ((set->kacc_chain == 1 && 3 * nk <= ROCKET_JOB_TASKS_MAX) ||
		       (set->kacc_chain == 2 && nk <= ROCKET_JOB_TASKS_MAX));
	how.group = how.chain_k ? ROCKET_JOB_TASKS_MAX / nk : ROCKET_JOB_TASKS_MAX;
	if (how.group > tiles)
		how.group = (uint32_t)tiles;
	how.slots = set->kacc_batchout ? ROCKET_JOB_TASKS_MAX : how.group;
	how.chained |= how.chain_k;
	if (set->tasks_apart && !how.chained)
		how.reuse = ROCKET_REUSE_OFF;
	return how;
}

uint64_t rocket_matmul_input_slot(enum rocket_matmul_type type, const struct rocket_matmul_tiles *t)
{
	const struct rocket_matmul_traits *tr = rocket_matmul_traits(type);

	return round_up64((uint64_t)t->mt, 4) * round_up64((uint64_t)t->kt, tr->kgroup) *
	       tr->in_bits / 8;
}

uint64_t rocket_matmul_input_bytes(enum rocket_matmul_type type,
				   const struct rocket_matmul_tiles *t)
{
	return (uint64_t)t->nm * (uint64_t)t->nk * rocket_matmul_input_slot(type, t);
}

uint64_t rocket_matmul_weight_slot(enum rocket_matmul_type type,
				   const struct rocket_matmul_tiles *t)
{
	const struct rocket_matmul_traits *tr = rocket_matmul_traits(type);

	return round_up64((uint64_t)t->nt, tr->ngroup) * round_up64((uint64_t)t->kt, tr->kgroup) *
	       tr->in_bits / 8;
}

uint64_t rocket_matmul_weight_bytes(enum rocket_matmul_type type,
				    const struct rocket_matmul_tiles *t)
{
	return (uint64_t)t->nn * (uint64_t)t->nk * rocket_matmul_weight_slot(type, t);
}

static void size_slots(struct rocket_matmul_plan *p)
{
	const struct rocket_matmul_tiles *t = &p->tiles;

	p->in_slot = rocket_matmul_input_slot(p->type, t);
	p->wt_slot = rocket_matmul_weight_slot(p->type, t);
	p->out_slot = round_up64((uint64_t)t->mt, 4) * round_up64((uint64_t)t->nt, 16) *
		      rocket_matmul_traits(p->type)->out_bytes;
}

static void size_buffers(struct rocket_matmul_plan *p, const struct strategy *how)
{
	const struct rocket_matmul_tiles *t = &p->tiles;

	const uint64_t copies = (uint64_t)p->items * (uint64_t)p->parts;

	p->in_bytes = copies * rocket_matmul_input_bytes(p->type, t);
	p->wt_bytes = copies * rocket_matmul_weight_bytes(p->type, t);
	p->out_bytes[0] = how->slots * p->out_slot;
	p->out_bytes[1] =
		p->pipelined || (how->device_accumulates && t->nk > 1) ? p->out_bytes[0] : 0;
}

static uint32_t count_jobs(const struct rocket_matmul_plan *p, const struct strategy *how)
{
	uint32_t tiles = (uint32_t)(p->tiles.nm * p->tiles.nn);
	uint32_t groups;

	if (!how->device_accumulates)
		return ((p->n_steps / products(p) - 1) / how->group + 1) * products(p);
	groups = (tiles - 1) / how->group + 1;
	return how->chain_k ? groups : groups * (uint32_t)p->tiles.nk;
}

int rocket_matmul_plan_make(enum rocket_matmul_type type, const struct rocket_hw_profile *hw,
			    const struct rocket_settings *set, int batched, int M, int K, int N,
			    struct rocket_matmul_plan *plan, char *why, size_t why_size)
{
	struct rocket_matmul_tiles tiles;
	int ret = rocket_matmul_tile(type, hw, set, M, K, N, &tiles, why, why_size);

	memset(plan, 0, sizeof(*plan));
	return ret < 0 ? ret
		       : rocket_matmul_plan_tiles(type, set, batched, 1, M, K, N, &tiles, plan, why,
						  why_size);
}

int rocket_matmul_plan_tiles(enum rocket_matmul_type type, const struct rocket_settings *set,
			     int batched, int items, int M, int K, int N,
			     const struct rocket_matmul_tiles *tiles,
			     struct rocket_matmul_plan *plan, char *why, size_t why_size)
{
	return rocket_matmul_plan_parts(type, set, batched, items, 1, M, K, N, tiles, plan, why,
					why_size);
}

int rocket_matmul_plan_parts(enum rocket_matmul_type type, const struct rocket_settings *set,
			     int batched, int items, int parts, int M, int K, int N,
			     const struct rocket_matmul_tiles *tiles,
			     struct rocket_matmul_plan *plan, char *why, size_t why_size)
{
	struct rocket_matmul_plan p = { .type = type,
					.M = M,
					.K = K,
					.N = N,
					.items = items,
					.parts = parts,
					.tiles = *tiles };
	int64_t steps = (int64_t)tiles->nm * tiles->nk * tiles->nn;
	struct strategy how;
	uint64_t device_bytes;

	memset(plan, 0, sizeof(*plan));
	if (__builtin_mul_overflow(steps, (int64_t)items * parts * parts, &steps) ||
	    steps > INT32_MAX)
		return rocket_plan_refuse(ROCKET_E_SHAPE, why, why_size,
					  "%d matmuls of %dx%dx%d: more than 2^31 - 1 tiles", items,
					  M, K, N);
	p.n_steps = (uint32_t)steps;
	size_slots(&p);
	how = choose(&p, set, batched);
	p.device_accumulates = how.device_accumulates;
	p.reuse = how.reuse;
	p.pipelined =
		set->mm_pipe && !how.device_accumulates && parts == 1 && p.n_steps > how.group;
	size_buffers(&p, &how);
	device_bytes = p.in_bytes + p.wt_bytes + p.out_bytes[0] + p.out_bytes[1];
	if (device_bytes >= ROCKET_IOVA_WINDOW)
		return rocket_plan_refuse(ROCKET_E_NOMEM, why, why_size,
					  "matmul %dx%dx%d: its buffers take %llu MiB of the NPU's "
					  "4096 MiB address space",
					  M, K, N, (unsigned long long)(device_bytes >> 20));

	p.n_jobs = count_jobs(&p, &how);
	p.steps = calloc(p.n_steps, sizeof(*p.steps));
	p.jobs = calloc(p.n_jobs, sizeof(*p.jobs));
	if (!p.steps || !p.jobs) {
		rocket_matmul_plan_free(&p);
		return rocket_plan_refuse(ROCKET_E_NOMEM, why, why_size,
					  "matmul %dx%dx%d: no memory for %u plan steps", M, K, N,
					  (uint32_t)steps);
	}
	if (how.device_accumulates)
		lay_out_device_steps(&p, &how);
	else
		lay_out_host_steps(&p, &how);
	mark_reuse(&p, how.reuse);
	*plan = p;
	return 0;
}

void rocket_matmul_plan_free(struct rocket_matmul_plan *plan)
{
	free(plan->steps);
	free(plan->jobs);
	memset(plan, 0, sizeof(*plan));
}

static void print_step(const struct rocket_matmul_step *s, uint32_t job, uint32_t task, int chained,
		       FILE *out)
{
	fprintf(out, "%u,%u,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%llu,%llu,out%d,%llu,", job, task,
		chained, s->item, s->m0, s->mt, s->n0, s->nt, s->k0, s->kt, s->weight_reuse,
		s->data_reuse, s->accumulate, (unsigned long long)s->in_off,
		(unsigned long long)s->wt_off, s->out_bo, (unsigned long long)s->out_off);
	if (s->accumulate)
		fprintf(out, "out%d,%llu\n", s->add_bo, (unsigned long long)s->add_off);
	else
		fprintf(out, "-,-1\n");
}

void rocket_matmul_plan_print(const struct rocket_matmul_plan *plan, FILE *out)
{
	fputs("job,task,chained,item,m0,mt,n0,nt,k0,kt,weight_reuse,data_reuse,accumulate,"
	      "in_off,wt_off,out_bo,out_off,add_bo,add_off\n",
	      out);
	for (uint32_t j = 0; j < plan->n_jobs; j++)
		for (uint32_t i = 0; i < plan->jobs[j].count; i++)
			print_step(&plan->steps[plan->jobs[j].first + i], j, i,
				   plan->jobs[j].chained, out);
}

void rocket_matmul_split(int N, int threads, int align, int worker, int *n0, int *nsub)
{
	int step, start, left;

	threads = threads < 1 ? 1 : min_int(threads, ROCKET_SPLIT_MAX);
	step = (N + threads - 1) / threads;
	step = (step + align - 1) / align * align;
	start = worker * step;
	left = N - start;
	*n0 = left > 0 ? start : N;
	*nsub = left > 0 ? min_int(step, left) : 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* client.c - see client.h. */
#include "client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/core/clock.h"
#include "lib/encode/matmul.h"
#include "lib/encode/program.h"

/* ---- operands: the cubes of one tile, index by index ---- */

/* -2 to 2, in which no two seeds, rows or columns are alike. */
static int element(unsigned seed, unsigned row, unsigned k)
{
	uint32_t x = seed * 0x9e3779b9u ^ row * 0x85ebca6bu ^ k * 0xc2b2ae35u;

	x = (x ^ x >> 16) * 0x7feb352du;
	x = (x ^ x >> 15) * 0x846ca68bu;
	return (int)((x ^ x >> 16) % 5) - 2;
}

static size_t feature_index(const struct client_job *j, unsigned m, unsigned k)
{
	return (size_t)k / 8 * j->m * 8 + (size_t)m * 8 + k % 8;
}

static size_t weight_index(const struct client_job *j, unsigned n, unsigned k)
{
	return ((size_t)n / 16 * (j->k / 32) + k / 32) * 16 * 32 + (size_t)n % 16 * 32 + k % 32;
}

static size_t output_index(const struct client_job *j, unsigned m, unsigned n)
{
	return (size_t)n / 8 * j->m * 8 + (size_t)m * 8 + n % 8;
}

static bool fill_expected(struct client *c, unsigned variant, unsigned seed_a, unsigned seed_b)
{
	const struct client_job *j = &c->job;
	int32_t *out = malloc((size_t)j->m * j->n * sizeof(*out));

	c->expected[variant] = out;
	if (!out)
		return false;
	for (unsigned m = 0; m < j->m; m++)
		for (unsigned n = 0; n < j->n; n++) {
			int32_t sum = 0;

			for (unsigned k = 0; k < j->k; k++)
				sum += element(seed_a, m, k) * element(seed_b, n, k);
			out[(size_t)m * j->n + n] = sum;
		}
	return true;
}

static void fill_operand(_Float16 *to, const struct client_job *j, unsigned rows, unsigned seed,
			 size_t (*index)(const struct client_job *, unsigned, unsigned))
{
	for (unsigned row = 0; row < rows; row++)
		for (unsigned k = 0; k < j->k; k++)
			to[index(j, row, k)] = (_Float16)element(seed, row, k);
}

/* ---- programs ---- */

/* Bytes from one task's output to the next. */
static size_t output_bytes(const struct client_job *j)
{
	return ((size_t)j->m * j->n * sizeof(_Float16) + 4095) & ~(size_t)4095;
}

static size_t program_bytes(void)
{
	return rocket_program_stride(ROCKET_RK3588_MATMUL_WORDS) * sizeof(uint64_t);
}

static bool write_program(struct client *c, unsigned variant, unsigned i)
{
	const struct client_job *j = &c->job;
	const size_t at = ((size_t)variant * j->tasks + i) * program_bytes();
	const uint32_t iova = (uint32_t)(c->prog.dma_address + at);
	uint64_t *words = (uint64_t *)(void *)((char *)c->prog.ptr + at);
	const struct rocket_matmul_task t = {
		.type = ROCKET_MM_FP16_FP16,
		.m = j->m,
		.k = j->k,
		.n = j->n,
		.input = (uint32_t)c->a[variant].dma_address,
		.weights = (uint32_t)c->b.dma_address,
		.output = (uint32_t)(c->c.dma_address + i * output_bytes(j)),
	};
	int n = rocket_rk3588_matmul(&t, words, ROCKET_RK3588_MATMUL_WORDS, c->why, sizeof(c->why));

	if (n <= 0)
		return false;
	c->tasks[variant][i] = (rocket_task_desc){ iova, (uint32_t)n };
	return i + 1 < j->tasks ? rocket_chain_link(words, (size_t)n,
						    (uint32_t)(iova + program_bytes()), (uint32_t)n)
				: rocket_chain_seal(words, (size_t)n);
}

static bool write_programs(struct client *c)
{
	for (unsigned v = 0; v < CLIENT_VARIANTS; v++)
		for (unsigned i = 0; i < c->job.tasks; i++)
			if (!write_program(c, v, i)) {
				if (!c->why[0])
					snprintf(c->why, sizeof(c->why),
						 "programs cannot be chained");
				return false;
			}
	return !rocket_bo_fini(c->fd, &c->prog);
}

/* ---- a client ---- */

static bool is_multiple(unsigned x, unsigned of, unsigned most)
{
	return x && x % of == 0 && x <= most;
}

bool client_takes(const struct client_job *job)
{
	return is_multiple(job->m, 4, CLIENT_M_MAX) && is_multiple(job->k, 32, CLIENT_K_MAX) &&
	       is_multiple(job->n, 16, CLIENT_N_MAX);
}

static bool allocate(struct client *c)
{
	const struct client_job *j = &c->job;
	const size_t sizes[] = { CLIENT_VARIANTS * j->tasks * program_bytes(),
				 (size_t)j->n * j->k * sizeof(_Float16),
				 j->tasks * output_bytes(j) };
	rocket_bo *const bos[] = { &c->prog, &c->b, &c->c };

	for (unsigned i = 0; i < 3; i++)
		if (rocket_bo_alloc32(c->fd, sizes[i], bos[i]))
			return false;
	for (unsigned v = 0; v < CLIENT_VARIANTS; v++)
		if (rocket_bo_alloc32(c->fd, (size_t)j->m * j->k * sizeof(_Float16), &c->a[v]))
			return false;
	return true;
}

static bool fill(struct client *c, unsigned seed)
{
	const struct client_job *j = &c->job;
	bool ok = true;

	fill_operand(c->b.ptr, j, j->n, seed, weight_index);
	for (unsigned v = 0; v < CLIENT_VARIANTS && ok; v++) {
		fill_operand(c->a[v].ptr, j, j->m, seed + 1 + v, feature_index);
		ok = fill_expected(c, v, seed + 1 + v, seed) && !rocket_bo_fini(c->fd, &c->a[v]);
	}
	return ok && !rocket_bo_fini(c->fd, &c->b);
}

bool client_open(struct client *c, int fd, const struct client_job *job, unsigned seed)
{
	memset(c, 0, sizeof(*c));
	c->job = *job;
	c->own_fd = fd < 0;
	c->fd = fd < 0 ? rocket_open() : fd;
	if (c->fd < 0) {
		snprintf(c->why, sizeof(c->why), "no device: %s", strerror(-c->fd));
		return false;
	}
	if (!job->tasks || job->tasks > CLIENT_CHAIN_MAX || !client_takes(job)) {
		snprintf(c->why, sizeof(c->why), "no such job");
	} else if (allocate(c) && write_programs(c) && fill(c, seed)) {
		return true;
	} else if (!c->why[0]) {
		snprintf(c->why, sizeof(c->why), "no memory, for the NPU or here");
	}
	client_close(c);
	return false;
}

void client_close(struct client *c)
{
	rocket_bo *const bos[] = { &c->prog, &c->b, &c->c, &c->a[0], &c->a[1], &c->a[2], &c->a[3] };

	_Static_assert(CLIENT_VARIANTS == 4, "those of the list");
	for (unsigned i = 0; i < sizeof(bos) / sizeof(bos[0]); i++)
		if (bos[i]->handle)
			rocket_bo_free(c->fd, bos[i]);
	for (unsigned v = 0; v < CLIENT_VARIANTS; v++) {
		free(c->expected[v]);
		c->expected[v] = NULL;
	}
	if (c->own_fd && c->fd >= 0)
		rocket_close(c->fd);
	c->fd = -1;
}

static bool is_right(const struct client *c, unsigned variant)
{
	const struct client_job *j = &c->job;

	for (unsigned i = 0; i < j->tasks; i++) {
		const _Float16 *out = (const void *)((const char *)c->c.ptr + i * output_bytes(j));

		for (unsigned m = 0; m < j->m; m++)
			for (unsigned n = 0; n < j->n; n++)
				if ((float)out[output_index(j, m, n)] !=
				    (float)c->expected[variant][(size_t)m * j->n + n])
					return false;
	}
	return true;
}

enum client_outcome client_run(struct client *c, uint64_t timeout_ns, uint64_t *took_ns)
{
	const unsigned v = c->next;
	const uint32_t in[] = { c->prog.handle, c->a[v].handle, c->b.handle };
	const uint32_t out[] = { c->c.handle };
	uint64_t start;
	int r;

	c->next = (v + 1) % CLIENT_VARIANTS;
	memset(c->c.ptr, 0x5a, c->c.size);
	r = rocket_bo_fini(c->fd, &c->c);
	start = rocket_now_ns();
	if (!r)
		r = rocket_submit_tasks_flags(c->fd, c->tasks[v], c->job.tasks, in, 3, out, 1,
					      c->job.tasks > 1 ? ROCKET_JOB_BATCHED : 0);
	if (!r)
		r = rocket_bo_prep(c->fd, &c->c, 0, timeout_ns);
	*took_ns = rocket_now_ns() - start;
	if (r) {
		snprintf(c->why, sizeof(c->why), "a job failed with status %d", r);
		return CLIENT_FAILED;
	}
	return is_right(c, v) ? CLIENT_RIGHT : CLIENT_WRONG;
}

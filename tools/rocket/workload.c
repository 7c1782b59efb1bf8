// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rocket_npu.h"

#include "workload.h"

static void *matrix(size_t rows, size_t columns, size_t bytes)
{
	size_t count;

	if (__builtin_mul_overflow(rows, columns, &count))
		return NULL;
	return calloc(count, bytes); /* checks the last product itself */
}

/* In [0.5, 1.5), all 23 bits. */
static void make_scales(float *scale, size_t count, uint64_t *state)
{
	for (size_t i = 0; i < count; i++)
		scale[i] = 0.5f + (float)(generate_next(state) >> 41) * 0x1p-23f;
}

int workload_make(struct workload *w, enum generate_data data, uint64_t seed)
{
	size_t M = (size_t)w->extent.M, K = (size_t)w->extent.K, N = (size_t)w->extent.N;
	uint64_t state = seed;

	w->A = matrix(M, K, operand_bytes(w->dtype->operand));
	w->B = matrix(N, K, operand_bytes(w->dtype->operand));
	w->C = matrix(M, N, w->dtype->result_bytes);
	if (w->group) {
		w->a_scale = matrix(M, K / (size_t)w->group, sizeof(float));
		w->b_scale = matrix(N, K / (size_t)w->group, sizeof(float));
	}
	if (!w->A || !w->B || !w->C || (w->group && (!w->a_scale || !w->b_scale))) {
		workload_free(w);
		return -1;
	}
	generate(w->dtype->operand, w->A, M * K, data, generate_next(&state));
	generate(w->dtype->operand, w->B, N * K, data, generate_next(&state));
	if (w->group) {
		make_scales(w->a_scale, M * (K / (size_t)w->group), &state);
		make_scales(w->b_scale, N * (K / (size_t)w->group), &state);
	}
	return 0;
}

void workload_free(struct workload *w)
{
	free(w->A);
	free(w->B);
	free(w->C);
	free(w->a_scale);
	free(w->b_scale);
	w->A = w->B = w->C = NULL;
	w->a_scale = w->b_scale = NULL;
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static size_t result_size(const struct workload *w)
{
	return (size_t)w->extent.M * (size_t)w->extent.N * w->dtype->result_bytes;
}

/* FNV-1a over 8-byte steps: enough to see that two runs differ. */
static uint64_t digest(const void *data, size_t size)
{
	const unsigned char *p = data;
	uint64_t hash = 0xcbf29ce484222325u;

	for (; size >= 8; size -= 8, p += 8) {
		uint64_t word;

		memcpy(&word, p, sizeof(word));
		hash = (hash ^ word) * 0x100000001b3u;
		hash ^= hash >> 32;
	}
	for (; size; size--)
		hash = (hash ^ *p++) * 0x100000001b3u;
	return hash;
}

static int multiply(const struct workload *w, const struct product *p)
{
	/* Nothing of an earlier run may pass for the result of this one. */
	memset(w->C, 0xff, result_size(w));
	return w->form->run(p);
}

static int run_opened(struct workload *w, const struct device *device, const struct product *p,
		      int repeat, struct measurement *m)
{
	uint64_t first = 0;

	memset(m, 0, sizeof(*m));
	m->runs = repeat;
	m->repeatable = true;
	for (int i = 0; i < repeat; i++) {
		double start, took;
		uint64_t hash;
		int status;

		rocket_submit_counters_reset();
		device_counters_reset(device);
		start = now_us();
		status = multiply(w, p);
		took = now_us() - start;
		if (status < 0)
			return status;
		m->submits = rocket_submit_ioctl_count();
		m->tasks = rocket_submit_task_count();
		m->counted = device_counters(device, &m->counters);
		m->mean_us += took / repeat;
		if (!i || took < m->wall_us) {
			m->wall_us = took;
			rocket_matmul_last_stats(&m->stats);
		}
		hash = digest(w->C, result_size(w));
		if (!i)
			first = hash;
		m->repeatable &= hash == first;
	}
	return ROCKET_OK;
}

int workload_run(struct workload *w, const struct device *device, int repeat, struct measurement *m)
{
	struct product p = {
		.dtype = w->dtype,
		.fd = device->fd,
		.threads = w->threads,
		.M = w->extent.M,
		.K = w->extent.K,
		.N = w->extent.N,
		.group = w->group,
		.A = w->A,
		.B = w->B,
		.a_scale = w->a_scale,
		.b_scale = w->b_scale,
		.C = w->C,
	};
	int status = w->form->open ? w->form->open(&p) : ROCKET_OK;

	if (status < 0)
		return status;
	status = run_opened(w, device, &p, repeat, m);
	if (w->form->close)
		w->form->close(&p);
	return status;
}

int workload_check(const struct workload *w, struct check_result *result)
{
	const struct check_request request = {
		.M = w->extent.M,
		.K = w->extent.K,
		.N = w->extent.N,
		.operand = w->dtype->operand,
		.A = w->A,
		.B = w->B,
		.C = w->C,
		.a_scale = w->a_scale,
		.b_scale = w->b_scale,
		.group = w->group,
		.columns = w->tiling.columns,
		.n_columns = w->tiling.workers,
	};

	return check_matmul(&request, result);
}

double workload_flop(const struct workload *w)
{
	return 2.0 * w->extent.M * w->extent.K * w->extent.N;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "lib/encode/matmul.h"
#include "lib/encode/program.h"
#include "lib/layout/matmul_layout.h"
#include "lib/ops/matmul_scratch.h"

#define TYPE    ROCKET_MM_FP16_FP32
#define ROWS    4u /* programs take a multiple */
#define WAIT_NS UINT64_C(600000000000)

/* ---- values ---- */

/* Small integers without a period that a layout could have: the steps of splitmix64. */
static int8_t value_at(uint64_t seed, uint64_t index, unsigned values)
{
	uint64_t z = seed * 0xd1342543de82ef95u + index * 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (int8_t)((int)((z ^ z >> 31) % values) - (int)values / 2);
}

/* -4 to 4 and -3 to 3: 4096 products add up to less than 2^16. */
static void fill(int8_t *out, size_t count, uint64_t seed, unsigned values)
{
	for (size_t i = 0; i < count; i++)
		out[i] = value_at(seed, i, values);
}

static void multiply(const struct scaling_scenario *s, const int8_t *a, const int8_t *b, int32_t *c)
{
	for (uint32_t m = 0; m < s->M; m++)
		for (uint32_t n = 0; n < s->N; n++) {
			const int8_t *x = a + (size_t)m * s->K, *y = b + (size_t)n * s->K;
			int32_t sum = 0;

			for (uint32_t k = 0; k < s->K; k++)
				sum += x[k] * y[k];
			*c++ = sum;
		}
}

static size_t a_count(const struct scaling_scenario *s)
{
	return (size_t)s->M * s->K;
}

static size_t b_count(const struct scaling_scenario *s)
{
	return (size_t)s->N * s->K;
}

static size_t c_count(const struct scaling_scenario *s)
{
	return (size_t)s->M * s->N;
}

bool scaling_batch_make(struct scaling_batch *b, const struct scaling_scenario *s,
			enum scaling_mode mode, uint32_t tasks)
{
	*b = (struct scaling_batch){
		.scenario = s,
		.mode = mode,
		.tasks = tasks,
		.sets = mode == SCALING_SHARED ? 1 : tasks,
		.rows = (s->M + ROWS - 1) / ROWS * ROWS,
	};
	b->a = malloc(b->sets * a_count(s));
	b->b = malloc(b->sets * b_count(s));
	b->c = malloc(b->sets * c_count(s) * sizeof(*b->c));
	if (!b->a || !b->b || !b->c) {
		scaling_batch_free(b);
		return false;
	}
	for (uint32_t i = 0; i < b->sets; i++) {
		int8_t *a = b->a + i * a_count(s), *w = b->b + i * b_count(s);

		fill(a, a_count(s), 2 * i + 1, 9);
		fill(w, b_count(s), 2 * i + 2, 7);
		multiply(s, a, w, b->c + i * c_count(s));
	}
	return true;
}

void scaling_batch_free(struct scaling_batch *b)
{
	free(b->a);
	free(b->b);
	free(b->c);
	memset(b, 0, sizeof(*b));
}

/* ---- in device memory ---- */

static size_t a_bytes(const struct scaling_batch *b)
{
	return (size_t)b->rows * b->scenario->K * 2;
}

static size_t b_bytes(const struct scaling_batch *b)
{
	return b_count(b->scenario) * 2;
}

static size_t c_elements(const struct scaling_batch *b)
{
	return (size_t)b->rows * b->scenario->N;
}

/* As fp16, rows x K. */
static uint16_t *halves_of(const int8_t *from, size_t rows, size_t K)
{
	uint16_t *out = malloc(rows * K * sizeof(*out));
	float *row = malloc(K * sizeof(*row));

	for (size_t r = 0; out && row && r < rows; r++) {
		for (size_t k = 0; k < K; k++)
			row[k] = from[r * K + k];
		rocket_floats_to_halves(out + r * K, row, K);
	}
	if (!row) {
		free(out);
		out = NULL;
	}
	free(row);
	return out;
}

static int pack(struct scaling_image *image, const struct scaling_batch *b)
{
	const struct scaling_scenario *s = b->scenario;
	const struct rocket_matmul_traits *tr = rocket_matmul_traits(TYPE);

	for (uint32_t i = 0; i < b->sets; i++) {
		uint16_t *a = halves_of(b->a + i * a_count(s), s->M, s->K);
		uint16_t *w = halves_of(b->b + i * b_count(s), s->N, s->K);

		if (a && w) {
			rocket_pack_feature((char *)image->a.ptr + i * a_bytes(b), a, 2, s->M,
					    b->rows, s->K, s->K);
			rocket_pack_weight((char *)image->b.ptr + i * b_bytes(b), w, 2, s->N, s->K,
					   s->K, tr->ngroup, tr->kgroup);
		}
		free(a);
		free(w);
		if (!a || !w) {
			fprintf(stderr, "core_scaling: no memory for operands\n");
			return ROCKET_E_NOMEM;
		}
	}
	return 0;
}

static size_t program_offset(const struct scaling_image *image, const struct scaling_batch *b,
			     enum scaling_program which, uint32_t task)
{
	return ((size_t)which * b->tasks + task) * image->stride;
}

uint32_t scaling_program_address(const struct scaling_image *image, const struct scaling_batch *b,
				 enum scaling_program which, uint32_t task)
{
	return (uint32_t)image->programs.dma_address +
	       (uint32_t)(8 * program_offset(image, b, which, task));
}

static uint64_t *program_at(const struct scaling_image *image, const struct scaling_batch *b,
			    enum scaling_program which, uint32_t task)
{
	return (uint64_t *)image->programs.ptr + program_offset(image, b, which, task);
}

static int encode(struct scaling_image *image, const struct scaling_batch *b,
		  enum scaling_program which, uint32_t task)
{
	const uint32_t set = b->sets == 1 ? 0 : task;
	const struct rocket_matmul_task program = {
		.type = TYPE,
		.m = b->rows,
		.k = b->scenario->K,
		.n = b->scenario->N,
		.input = (uint32_t)(image->a.dma_address + set * a_bytes(b)),
		.weights = (uint32_t)(image->b.dma_address + set * b_bytes(b)),
		.output = (uint32_t)(image->c.dma_address + task * c_elements(b) * 4),
	};
	char why[200];
	int words = rocket_rk3588_matmul(&program, program_at(image, b, which, task),
					 ROCKET_RK3588_MATMUL_WORDS, why, sizeof(why));

	if (words < 0)
		fprintf(stderr, "core_scaling: %s: %s\n", b->scenario->name, why);
	else
		image->words = (uint32_t)words;
	return words < 0 ? words : 0;
}

/* Every program of a part to the next, the last one to none. */
static bool link_parts(struct scaling_image *image, const struct scaling_batch *b,
		       enum scaling_program which, uint32_t parts)
{
	bool good = true;

	for (uint32_t p = 0; p < parts; p++) {
		const struct scaling_range r = scaling_part(b->tasks, parts, p);

		for (uint32_t i = r.first; i < r.first + r.count && good; i++) {
			uint64_t *words = program_at(image, b, which, i);

			good = i + 1 < r.first + r.count
				       ? rocket_chain_link(
						 words, image->words,
						 scaling_program_address(image, b, which, i + 1),
						 image->words)
				       : rocket_chain_seal(words, image->words);
		}
	}
	return good;
}

static int write_programs(struct scaling_image *image, const struct scaling_batch *b)
{
	int r = 0;

	for (unsigned p = 0; p < SCALING_PROGRAMS; p++)
		for (uint32_t i = 0; i < b->tasks && !r; i++)
			r = encode(image, b, (enum scaling_program)p, i);
	if (!r && (!link_parts(image, b, SCALING_ONE_LANE, 1) ||
		   !link_parts(image, b, SCALING_THREE_LANES, SCALING_CORES))) {
		fprintf(stderr, "core_scaling: %s: the programs cannot be chained\n",
			b->scenario->name);
		r = ROCKET_E_SHAPE;
	}
	return r;
}

int scaling_image_make(struct scaling_image *image, const struct scaling_batch *b, int fd)
{
	int r;

	*image = (struct scaling_image){
		.fd = fd, .stride = rocket_program_stride(ROCKET_RK3588_MATMUL_WORDS)
	};
	const struct {
		rocket_bo *bo;
		size_t bytes;
	} buffers[] = {
		{ &image->a, b->sets * a_bytes(b) + ROCKET_OVERREAD_BYTES },
		{ &image->b, b->sets * b_bytes(b) + ROCKET_OVERREAD_BYTES },
		{ &image->c, b->tasks * c_elements(b) * 4 },
		{ &image->programs, (size_t)SCALING_PROGRAMS * b->tasks * image->stride * 8 },
		{ &image->done, 4096 },
	};
	const size_t n = sizeof(buffers) / sizeof(buffers[0]);

	for (size_t i = 0; i < n; i++) {
		r = rocket_bo_alloc32(fd, buffers[i].bytes, buffers[i].bo);
		if (!r)
			r = rocket_bo_prep(fd, buffers[i].bo, 0, WAIT_NS);
		if (r)
			goto err;
	}
	r = pack(image, b);
	if (!r)
		r = write_programs(image, b);
	for (size_t i = 0; i < n && !r; i++)
		r = rocket_bo_fini(fd, buffers[i].bo);
	if (!r)
		return 0;
err:
	scaling_image_free(image);
	return r;
}

void scaling_image_free(struct scaling_image *image)
{
	rocket_bo *const bos[] = { &image->a, &image->b, &image->c, &image->programs,
				   &image->done };

	for (size_t i = 0; i < sizeof(bos) / sizeof(bos[0]); i++)
		rocket_bo_free(image->fd, bos[i]);
}

/* ---- results ---- */

int scaling_image_clear(struct scaling_image *image)
{
	memset(image->c.ptr, 0xff, image->c.size); /* not a number */
	return rocket_bo_fini(image->fd, &image->c);
}

int scaling_image_take(struct scaling_image *image)
{
	return rocket_bo_prep(image->fd, &image->c, 0, WAIT_NS);
}

static void check_task(const struct scaling_image *image, const struct scaling_batch *b,
		       uint32_t task, struct scaling_wrong *wrong)
{
	const struct scaling_scenario *s = b->scenario;
	const float *got = (const float *)image->c.ptr + task * c_elements(b);
	const int32_t *want = b->c + (b->sets == 1 ? 0 : task) * c_count(s);

	for (uint32_t m = 0; m < s->M; m++)
		for (uint32_t n = 0; n < s->N; n++) {
			float x = got[rocket_output_index(b->rows, 4, m, n)];
			float y = (float)want[(size_t)m * s->N + n];

			if (x == y)
				continue;
			if (!wrong->elements++) {
				wrong->task = task;
				wrong->m = m;
				wrong->n = n;
				wrong->got = x;
				wrong->want = y;
			}
		}
}

void scaling_image_check(const struct scaling_image *image, const struct scaling_batch *b,
			 uint32_t first, uint32_t count, struct scaling_wrong *wrong)
{
	for (uint32_t i = first; i < first + count; i++)
		check_task(image, b, i, wrong);
}

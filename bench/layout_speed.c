// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * layout_speed.c - how fast matmul operands and results change their layout.
 *
 * Each inner loop of each instruction set that this CPU has, and the whole layouts as the library
 * runs them, in bytes of the row-major side, beside a memcpy of the same bytes in the same run.
 * One thread, the best of some rounds; never fails on a time.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/layout/kernels.h"
#include "lib/layout/matmul_layout.h"
#include "lib/layout/source.h"
#include "number.h"
#include "printed.h"

/* Of the shape 512 x 3840 x 4096. */
#define M 512
#define K 3840
#define N 4096
/* Its fp16 tiles. */
#define MT 256
#define KT 512
#define NT 128

struct buffers {
	uint8_t *rows, *cube;
	size_t bytes; /* of each: the largest that a loop needs */
};

struct loop {
	const char *name;
	size_t bytes; /* of the row-major side, read or written once */
	void (*run)(const struct rocket_layout_kernels *k, const struct buffers *b);
};

/* ---- inner loops of one instruction set ---- */

static void pack_tiles(const struct rocket_layout_kernels *k, const struct buffers *b)
{
	uint8_t *to = b->cube;

	for (size_t m = 0; m < M; m += MT)
		for (size_t k0 = 0; k0 + KT <= K; k0 += KT, to += (size_t)MT * KT * 2)
			k->rows_to_cube(to, b->rows + (m * K + k0) * 2, MT, MT, KT / 8,
					(size_t)K * 2, true);
}

static void unpack_tiles(const struct rocket_layout_kernels *k, const struct buffers *b)
{
	const uint8_t *from = b->cube;

	for (size_t m = 0; m < M; m += MT)
		for (size_t n = 0; n < N; n += NT, from += (size_t)MT * NT * 2)
			k->cube_to_rows(b->rows + (m * N + n) * 2, from, MT, MT, NT / 8,
					(size_t)N * 2, true);
}

static void add_halves(const struct rocket_layout_kernels *k, const struct buffers *b)
{
	const uint8_t *from = b->cube;

	for (size_t m = 0; m < M; m += MT)
		for (size_t n = 0; n < N; n += NT, from += (size_t)MT * NT * 2)
			k->add_fp16((float *)(void *)b->rows + m * N + n, from, MT, MT, NT / 8, N,
				    false);
}

static void add_floats(const struct rocket_layout_kernels *k, const struct buffers *b)
{
	const uint8_t *from = b->cube;

	for (size_t m = 0; m < M; m += MT)
		for (size_t n = 0; n < N; n += NT, from += (size_t)MT * NT * 4)
			k->add_fp32((double *)(void *)b->rows + m * N + n, from, MT, MT, NT / 4, N,
				    false);
}

static void add_integers(const struct rocket_layout_kernels *k, const struct buffers *b)
{
	const uint8_t *from = b->cube;

	for (size_t m = 0; m < M; m += MT)
		for (size_t n = 0; n < N; n += NT, from += (size_t)MT * NT * 4)
			k->add_int32((int32_t *)(void *)b->rows + m * N + n, from, MT, MT, NT / 4,
				     N, false);
}

static void to_floats(const struct rocket_layout_kernels *k, const struct buffers *b)
{
	k->half_to_float((float *)(void *)b->rows, (const uint16_t *)(const void *)b->cube,
			 (size_t)M * N);
}

static void to_halves(const struct rocket_layout_kernels *k, const struct buffers *b)
{
	k->float_to_half((uint16_t *)(void *)b->cube, (const float *)(const void *)b->rows,
			 (size_t)M * N);
}

static const struct loop loops[] = {
	{ "rows to cube, fp16 A", (size_t)M *(K / KT * KT) * 2, pack_tiles },
	{ "cube to rows, fp16 C", (size_t)M *N * 2, unpack_tiles },
	{ "add fp16 to fp32", (size_t)M *N * 4, add_halves },
	{ "add fp32 to double", (size_t)M *N * 8, add_floats },
	{ "add int32", (size_t)M *N * 4, add_integers },
	{ "fp16 to fp32", (size_t)M *N * 4, to_floats },
	{ "fp32 to fp16", (size_t)M *N * 4, to_halves },
};

/* ---- whole layouts, by the best instruction set ---- */

static void pack_a(const struct rocket_layout_kernels *k, const struct buffers *b)
{
	uint8_t *to = b->cube;

	(void)k;
	for (size_t m = 0; m < M; m += MT)
		for (size_t k0 = 0; k0 < K; k0 += KT, to += (size_t)MT * KT * 2)
			rocket_pack_feature(to, b->rows + (m * K + k0) * 2, 2, MT, MT,
					    K - k0 < KT ? K - k0 : KT, K);
}

static void unpack_c(const struct rocket_layout_kernels *k, const struct buffers *b)
{
	const uint8_t *from = b->cube;

	(void)k;
	for (size_t m = 0; m < M; m += MT)
		for (size_t n = 0; n < N; n += NT, from += (size_t)MT * NT * 2)
			rocket_unpack_output(b->rows + (m * N + n) * 2, from, 2, MT, MT, NT, N);
}

static void pack_b(const struct rocket_layout_kernels *k, const struct buffers *b)
{
	(void)k;
	rocket_pack_weight(b->cube, b->rows, 2, N, K, K, 16, 32);
}

static void pack_b_int8(const struct rocket_layout_kernels *k, const struct buffers *b)
{
	(void)k;
	rocket_pack_weight(b->cube, b->rows, 1, N, K, K, 32, 32);
}

static void pack_a_bf16(const struct rocket_layout_kernels *k, const struct buffers *b)
{
	(void)k;
	rocket_pack_feature_from(b->cube, 0, b->rows, &rocket_source_bf16, M, M, K, K);
}

static void pack_b_bf16(const struct rocket_layout_kernels *k, const struct buffers *b)
{
	(void)k;
	rocket_pack_weight_from(b->cube, 0, b->rows, &rocket_source_bf16, N, K, K, 16, 32);
}

static void pack_b_int4(const struct rocket_layout_kernels *k, const struct buffers *b)
{
	(void)k;
	rocket_pack_weight_from(b->cube, 0, b->rows, &rocket_source_int4, N, K, K, 64, 32);
}

static const struct loop layouts[] = {
	{ "pack A, fp16", (size_t)M *K * 2, pack_a },
	{ "de-tile C, fp16", (size_t)M *N * 2, unpack_c },
	{ "pack B, fp16", (size_t)N *K * 2, pack_b },
	{ "pack B, int8", (size_t)N *K, pack_b_int8 },
	{ "pack A, bf16 of fp32", (size_t)M *K * 4, pack_a_bf16 },
	{ "pack B, bf16 of fp32", (size_t)N *K * 4, pack_b_bf16 },
	{ "pack B, int4 of int8", (size_t)N *K, pack_b_int4 },
};

/* ---- measuring ---- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Larger than caches: neither side finds there what the other left. No garbage for floats. */
static void clear(const struct buffers *b)
{
	memset(b->rows, 0, b->bytes);
	memset(b->cube, 0, b->bytes);
}

static void copy(const struct buffers *b, size_t bytes)
{
	memcpy(b->cube, b->rows, bytes);
	/* Or the compiler may leave out a copy that nobody reads. */
	__asm__ volatile("" ::"r"(b->cube) : "memory");
}

/* GB/s of both, taking turns, so that what else the machine does meets both. */
static void measure(const struct loop *l, const struct rocket_layout_kernels *k,
		    const struct buffers *b, int rounds, double *speed, double *copied)
{
	double best = 1e9, best_copy = 1e9;

	for (int i = 0; i < rounds; i++) {
		double start, took;

		clear(b);
		start = now();
		l->run(k, b);
		took = now() - start;
		best = took < best ? took : best;
		clear(b);
		start = now();
		copy(b, l->bytes);
		took = now() - start;
		best_copy = took < best_copy ? took : best_copy;
	}
	*speed = (double)l->bytes / best * 1e-9;
	*copied = (double)l->bytes / best_copy * 1e-9;
}

static void report(const struct loop *l, const char *set, double speed, double copied, int json,
		   int first)
{
	if (json)
		printf("%s\n  {\"layout\": \"%s\", \"kernels\": \"%s\", \"bytes\": %zu, "
		       "\"gb_per_s\": %.3f, \"memcpy_gb_per_s\": %.3f}",
		       first ? "" : ",", l->name, set, l->bytes, speed, copied);
	else
		printf("%-22s %-9s %8.2f %8.2f %6.0f%%\n", l->name, set, speed, copied,
		       100 * speed / copied);
	fflush(stdout);
}

static void measure_all(const struct buffers *b, int rounds, int json)
{
	const struct rocket_layout_kernels *k;
	double speed, copied;
	int first = 1;

	if (json)
		printf("[");
	else
		printf("%-22s %-9s %8s %8s %7s\n", "layout", "kernels", "GB/s", "memcpy", "of it");
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		for (unsigned t = 0; (k = rocket_layout_kernels_at(t)); t++, first = 0) {
			measure(&loops[i], k, b, rounds, &speed, &copied);
			report(&loops[i], k->name, speed, copied, json, first);
		}
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		measure(&layouts[i], NULL, b, rounds, &speed, &copied);
		report(&layouts[i], rocket_layout_kernels()->name, speed, copied, json, first);
	}
	if (json)
		printf("\n]\n");
}

static int usage(FILE *out, int status)
{
	fputs("usage: layout_speed [--json] [--repeat N]\n"
	      "Times the layouts of matmul operands and results. No device is opened.\n",
	      out);
	return status;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "json", no_argument, NULL, 'j' },
						 { "repeat", required_argument, NULL, 'r' },
						 { "help", no_argument, NULL, 'h' },
						 { NULL, 0, NULL, 0 } };
	struct buffers b = { .bytes = (size_t)N * K * 4 };
	int json = 0, option, ready;
	long rounds = 5, given;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'j')
			json = 1;
		else if (option == 'r' && number_whole(optarg, 1, 1000000, &given))
			rounds = given;
		else
			return option == 'h' ? usage(stdout, 0) : usage(stderr, 2);
	}
	if (optind < argc)
		return usage(stderr, 2);
	b.rows = aligned_alloc(64, b.bytes);
	b.cube = aligned_alloc(64, b.bytes);
	ready = b.rows && b.cube;
	if (ready)
		measure_all(&b, (int)rounds, json);
	free(b.rows);
	free(b.cube);
	return printed("layout_speed", ready ? 0 : 1);
}

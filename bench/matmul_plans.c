// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * matmul_plans.c - what each plan of a matmul asks of the NPU, and what that is ESTIMATED to take.
 *
 * Pure: no device, nothing is multiplied. Device time is the cost model's, sets M (pessimistic)
 * and V (optimistic), beside a published figure where there is one. Figures of silicon are wall
 * time, which has packing and waiting in it; the model has the device alone. The last column is
 * how far the model is from the figure: its error, and the host's part.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/plan/matmul_plan.h"
#include "number.h"
#include "printed.h"
#include "rocket_npu.h"
#include "tools/rocket/published.h"

struct shape {
	enum rocket_matmul_type type;
	enum npu_cost_type cost;
	int M, K, N, workers;
};

#define FP16 ROCKET_MM_FP16_FP16, NPU_COST_16BIT
#define INT8 ROCKET_MM_INT8_INT32, NPU_COST_INT8
#define INT4 ROCKET_MM_INT4_INT16, NPU_COST_INT4

/* The first three are the published ones. */
static const struct shape defaults[] = {
	{ FP16, 512, 3840, 4096, 5 },
	{ INT8, 512, 3840, 4096, 5 },
	{ INT4, 512, 3840, 4096, 5 },
	{ FP16, 512, 3840, 4096, 1 },
	{ FP16, 512, 15360, 3840, 1 },
	{ FP16, 2048, 2048, 4096, 1 },
	{ FP16, 1024, 1024, 1024, 1 },
	{ FP16, 128, 1024, 1024, 1 },
	{ FP16, 4, 4096, 4096, 1 },
	{ FP16, 4, 32, 16, 1 },
	{ INT8, 1024, 1024, 1024, 1 },
	{ ROCKET_MM_BF16_FP32, NPU_COST_16BIT, 1024, 1024, 1024, 1 },
	{ ROCKET_MM_TF32_FP32, NPU_COST_TF32, 1024, 1024, 1024, 1 },
};

/* What is set for a plan; fp16_only where the setting says nothing for other types. */
static const struct variant {
	const char *name;
	struct rocket_settings set;
	int batched;
	bool fp16_only;
} variants[] = {
	{ "whole tiles", { .kacc = 1, .reuse = ROCKET_REUSE_AUTO, .mm_asym = 1 }, 0, false },
	{ "one kick a job",
	  { .kacc = 1, .reuse = ROCKET_REUSE_AUTO, .mm_asym = 1, .batch_submit = 1 },
	  1,
	  false },
	{ "square tiles", { .kacc = 1, .reuse = ROCKET_REUSE_AUTO }, 0, true },
	{ "host adds", { .reuse = ROCKET_REUSE_AUTO, .mm_asym = 1 }, 0, true },
	{ "streamed B",
	  { .kacc = 1, .reuse = ROCKET_REUSE_AUTO, .mm_asym = 1, .mm_stream = 1 },
	  0,
	  true },
};

struct cost {
	struct rocket_matmul_tiles tiles; /* of the first worker */
	uint64_t submits;
	struct npu_counters count;
	struct estimate time;
};

static int add_worker(const struct shape *s, const struct variant *v, int worker, struct cost *c)
{
	const int align = (int)rocket_matmul_traits(s->type)->n_align;
	struct rocket_matmul_plan plan;
	char why[200];
	int n0, n;

	rocket_matmul_split(s->N, s->workers, align, worker, &n0, &n);
	if (!n)
		return 0;
	if (rocket_matmul_plan_make(s->type, rocket_hw_by_name("rk3588"), &v->set, v->batched, s->M,
				    s->K, n, &plan, why, sizeof(why))) {
		fprintf(stderr, "matmul_plans: %s\n", why);
		return -1;
	}
	if (!worker)
		c->tiles = plan.tiles;
	c->submits += plan.n_jobs;
	estimate_plan_counters(&plan, &c->count);
	rocket_matmul_plan_free(&plan);
	return 0;
}

static int cost_of(const struct shape *s, const struct variant *v, double mhz, struct cost *c)
{
	const struct dtype dtype = { .cost = s->cost };

	memset(c, 0, sizeof(*c));
	for (int i = 0; i < s->workers; i++)
		if (add_worker(s, v, i, c))
			return -1;
	/* No more than three cores, whatever shares them. */
	return estimate_make(&c->time, &dtype, mhz, (unsigned)s->workers, &c->count) ? 0 : -1;
}

/* 0: none of this shape at this clock. */
static double published(const struct shape *s, double mhz)
{
	const struct published *p = published_of(rocket_matmul_traits(s->type)->name);
	const bool same = p && p->type == s->type && p->M == s->M && p->K == s->K && p->N == s->N &&
			  p->workers == s->workers && mhz == ESTIMATE_MHZ;

	return same ? p->gops : 0;
}

static double gops(const struct shape *s, double us)
{
	return 2.0 * s->M * s->K * s->N / us * 1e-3;
}

static void print_head(double mhz)
{
	printf("ESTIMATES at %.0f MHz, not measurements: sets M and V of the cost model\n", mhz);
	printf("%-5s %15s %2s %-15s %14s %5s %7s %6s %8s %8s %9s %9s %7s %7s %6s %s\n", "type",
	       "MxKxN", "w", "plan", "tile", "tasks", "submits", "kicks", "MiB in", "MiB out",
	       "ms (M)", "ms (V)", "GOP/s M", "GOP/s V", "board", "M, V against it");
}

static void print_row(const struct shape *s, const struct variant *v, const struct cost *c)
{
	const double in = (double)(estimate_bytes(&c->count) - c->count.write);
	const double m = gops(s, c->time.m_us), fast = gops(s, c->time.v_us);
	const double board = published(s, c->time.mhz);
	char dims[32], tile[32];

	snprintf(dims, sizeof(dims), "%dx%dx%d", s->M, s->K, s->N);
	snprintf(tile, sizeof(tile), "%dx%dx%d", c->tiles.mt, c->tiles.kt, c->tiles.nt);
	printf("%-5s %15s %2d %-15s %14s %5llu %7llu %6llu %8.1f %8.1f %9.3f %9.3f %7.0f %7.0f",
	       rocket_matmul_traits(s->type)->name, dims, s->workers, v->name, tile,
	       (unsigned long long)c->count.tasks, (unsigned long long)c->submits,
	       (unsigned long long)c->count.kicks, in / (1 << 20),
	       (double)c->count.write / (1 << 20), c->time.m_us * 1e-3, c->time.v_us * 1e-3, m,
	       fast);
	if (board > 0)
		printf(" %6.0f %+.0f%%, %+.0f%%", board, (m / board - 1) * 100,
		       (fast / board - 1) * 100);
	printf("\n");
}

static void print_json(const struct shape *s, const struct variant *v, const struct cost *c,
		       int first)
{
	const struct rocket_matmul_traits *tr = rocket_matmul_traits(s->type);

	printf("%s\n  {\"dtype\": \"%s\", \"result\": \"%s\", \"M\": %d, \"K\": %d, \"N\": %d, "
	       "\"workers\": %d, \"plan\": \"%s\", \"Mt\": %d, \"Kt\": %d, \"Nt\": %d, ",
	       first ? "" : ",", tr->name, tr->result, s->M, s->K, s->N, s->workers, v->name,
	       c->tiles.mt, c->tiles.kt, c->tiles.nt);
	printf("\"tasks\": %llu, \"submits\": %llu, \"kicks\": %llu, \"read_bytes\": %llu, "
	       "\"write_bytes\": %llu, \"estimated_set_m_us\": %.1f, \"estimated_set_v_us\": %.1f, "
	       "\"estimated_set_m_gops\": %.3f, \"estimated_set_v_gops\": %.3f, \"mhz\": %.0f, "
	       "\"published_gops\": ",
	       (unsigned long long)c->count.tasks, (unsigned long long)c->submits,
	       (unsigned long long)c->count.kicks,
	       (unsigned long long)(estimate_bytes(&c->count) - c->count.write),
	       (unsigned long long)c->count.write, c->time.m_us, c->time.v_us,
	       gops(s, c->time.m_us), gops(s, c->time.v_us), c->time.mhz);
	if (published(s, c->time.mhz) > 0)
		printf("%.0f}", published(s, c->time.mhz));
	else
		printf("null}");
}

static int print_all(const struct shape *shapes, int count, double mhz, int json)
{
	int first = 1;

	if (json)
		printf("[");
	else
		print_head(mhz);
	for (int i = 0; i < count; i++)
		for (unsigned k = 0; k < sizeof(variants) / sizeof(variants[0]); k++) {
			const struct variant *v = &variants[k];
			struct cost c;

			if (v->fp16_only && shapes[i].type != ROCKET_MM_FP16_FP16)
				continue;
			if (cost_of(&shapes[i], v, mhz, &c))
				return 1;
			/* Of this type no chain is known to be exact. */
			if (v->batched && c.count.tasks > 1 && c.count.kicks == c.count.tasks)
				continue;
			if (json)
				print_json(&shapes[i], v, &c, first);
			else
				print_row(&shapes[i], v, &c);
			first = 0;
		}
	if (json)
		printf("\n]\n");
	return 0;
}

static int usage(FILE *out, int status)
{
	fputs("usage: matmul_plans [--json] [--mhz F]\n"
	      "Prints what plans of matmuls ask of the NPU, and the ESTIMATED device time.\n",
	      out);
	return status;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "json", no_argument, NULL, 'j' },
						 { "mhz", required_argument, NULL, 'm' },
						 { "help", no_argument, NULL, 'h' },
						 { NULL, 0, NULL, 0 } };
	double mhz = ESTIMATE_MHZ, given;
	int json = 0, option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'j')
			json = 1;
		else if (option == 'm' &&
			 number_real(optarg, ESTIMATE_MHZ_MIN, ESTIMATE_MHZ_MAX, &given))
			mhz = given;
		else
			return option == 'h' ? usage(stdout, 0) : usage(stderr, 2);
	}
	if (optind < argc)
		return usage(stderr, 2);
	return printed(
		"matmul_plans",
		print_all(defaults, (int)(sizeof(defaults) / sizeof(defaults[0])), mhz, json));
}

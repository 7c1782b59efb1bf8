// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * matmul_host.c - what the library itself takes in a one-shot matmul that is called again.
 *
 * On a device that costs nothing (null_kernel.h), unless --device asks for the one that
 * ROCKET_DEVICE names; then "wait" is that device, or the simulation of it. Per shape and phase the
 * median of the calls after the first few, and what a call allocates, clears and faults in. "cpu"
 * is the calling thread's time on a processor, which other load on the machine does not lengthen;
 * the ratio is that to the memcpy of the operands as the caller holds them, which takes turns with
 * the calls. One thread. Never fails on a time.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "count.h"
#include "lib/ops/matmul_run.h"
#include "null_kernel.h"
#include "number.h"
#include "printed.h"
#include "rocket_matmul.h"
#include "rocket_npu.h"

struct matrices {
	void *a, *b, *c;
	void *copy; /* of A and B */
	float *a_scale, *b_scale;
	int group;
};

struct entry {
	const char *name;    /* as on the command line */
	const char *operand; /* as of rocket_mm_align() */
	size_t in_bytes, out_bytes;
	int (*run)(int fd, int M, int K, int N, const struct matrices *m);
};

#define ONE_SHOT(_name, _function)                                                                 \
	static int _name(int fd, int M, int K, int N, const struct matrices *m)                    \
	{                                                                                          \
		return _function(fd, M, K, N, m->a, m->b, m->c);                                   \
	}
#define GROUPED(_name, _function)                                                                  \
	static int _name(int fd, int M, int K, int N, const struct matrices *m)                    \
	{                                                                                          \
		return _function(fd, M, K, N, m->a, m->b, m->a_scale, m->b_scale, m->c, m->group); \
	}

ONE_SHOT(run_fp16, rocket_matmul_fp16)
ONE_SHOT(run_f32out, rocket_matmul_fp16_f32out)
ONE_SHOT(run_bf16, rocket_matmul_bf16)
ONE_SHOT(run_tf32, rocket_matmul_tf32)
ONE_SHOT(run_int8, rocket_matmul_int8)
ONE_SHOT(run_int4, rocket_matmul_int4)
ONE_SHOT(run_int16, rocket_matmul_int16_exact)
GROUPED(run_int8_gw, rocket_matmul_int8_groupwise)
GROUPED(run_int4_gw, rocket_matmul_int4_groupwise)

static const struct entry entries[] = {
	{ "fp16", "fp16", 2, 2, run_fp16 },       { "f32out", "fp16", 2, 4, run_f32out },
	{ "bf16", "bf16", 4, 4, run_bf16 },       { "tf32", "tf32", 4, 4, run_tf32 },
	{ "int8", "int8", 1, 4, run_int8 },       { "int4", "int4", 1, 4, run_int4 },
	{ "int16", "int16", 2, 8, run_int16 },    { "int8_gw", "int8", 1, 4, run_int8_gw },
	{ "int4_gw", "int4", 1, 4, run_int4_gw },
};
#define ENTRIES (sizeof(entries) / sizeof(entries[0]))

/* Longest group of the scaled entries. */
#define GROUP 128

struct shape {
	const struct entry *entry;
	int M, K, N;
};

static const int defaults[][3] = { { 4, 32, 16 }, { 1024, 1024, 1024 }, { 512, 3840, 4096 } };
#define DEFAULTS (sizeof(defaults) / sizeof(defaults[0]))

/* Times of one phase, or of all, over the measured calls. */
struct series {
	uint64_t *ns;
};

enum { TOTAL = ROCKET_PHASES, CPU, COPY, SERIES };

struct result {
	struct rocket_matmul_stats last;
	struct series series[SERIES];
	int calls;
	size_t operand_bytes;
	struct counts counts; /* of all calls */
};

/* The first ones make what later ones find. */
#define WARM_UP 3

static void free_matrices(struct matrices *m)
{
	free(m->a);
	free(m->b);
	free(m->c);
	free(m->copy);
	free(m->a_scale);
	free(m->b_scale);
}

/* Untouched pages are all the same one, which no cache ever misses. */
static void *touched(size_t bytes)
{
	void *p = malloc(bytes);

	if (p)
		memset(p, 1, bytes);
	return p;
}

static float *ones(size_t count)
{
	float *p = malloc(count * sizeof(*p));

	for (size_t i = 0; p && i < count; i++)
		p[i] = 1;
	return p;
}

static bool make_matrices(const struct shape *s, struct matrices *m)
{
	const size_t M = (size_t)s->M, K = (size_t)s->K, N = (size_t)s->N;
	const size_t es = s->entry->in_bytes;

	m->group = s->K < GROUP || s->K % GROUP ? 32 : GROUP;
	m->a = touched(M * K * es);
	m->b = touched(N * K * es);
	m->c = touched(M * N * s->entry->out_bytes);
	m->copy = touched((M + N) * K * es);
	m->a_scale = ones(M * K / 32);
	m->b_scale = ones(N * K / 32);
	return m->a && m->b && m->c && m->copy && m->a_scale && m->b_scale;
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t time_memcpy(const struct shape *s, const struct matrices *m)
{
	const size_t a = (size_t)s->M * (size_t)s->K * s->entry->in_bytes;
	const size_t b = (size_t)s->N * (size_t)s->K * s->entry->in_bytes;
	const uint64_t start = cpu_ns();

	memcpy(m->copy, m->a, a);
	memcpy((char *)m->copy + a, m->b, b);
	/* Or the compiler may leave out a copy that nobody reads. */
	__asm__ volatile("" ::"r"(m->copy) : "memory");
	return cpu_ns() - start;
}

static int run_calls(int fd, const struct shape *s, const struct matrices *m, struct result *r)
{
	for (int i = -WARM_UP; i < r->calls; i++) {
		struct counts before = counts_now(), used;
		uint64_t start = cpu_ns();
		int ret = s->entry->run(fd, s->M, s->K, s->N, m);
		uint64_t took = cpu_ns() - start;

		if (ret)
			return ret;
		used = counts_since(&before);
		rocket_matmul_last_stats(&r->last);
		if (i < 0)
			continue;
		r->counts.allocations += used.allocations;
		r->counts.zeroed += used.zeroed;
		r->counts.faults += used.faults;
		for (unsigned p = 0; p < ROCKET_PHASES; p++)
			r->series[p].ns[i] = r->last.ns[p];
		r->series[TOTAL].ns[i] = r->last.total_ns;
		r->series[CPU].ns[i] = took;
		r->series[COPY].ns[i] = time_memcpy(s, m);
	}
	return ROCKET_OK;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Calls of small products are many: a clock tick is then no part of them. */
static int measure(int fd, const struct shape *s, int repeat, struct result *r)
{
	struct matrices m = { 0 };
	bool ready = make_matrices(s, &m);
	int ret = ROCKET_E_NOMEM;

	memset(r, 0, sizeof(*r));
	r->operand_bytes = ((size_t)s->M + (size_t)s->N) * (size_t)s->K * s->entry->in_bytes;
	r->calls = r->operand_bytes < 1 << 20 ? 100 * repeat : repeat;
	for (unsigned i = 0; i < SERIES; i++) {
		r->series[i].ns = touched((size_t)r->calls * sizeof(uint64_t));
		ready = ready && r->series[i].ns;
	}
	if (ready)
		ret = run_calls(fd, s, &m, r);
	for (unsigned i = 0; i < SERIES && !ret; i++)
		qsort(r->series[i].ns, (size_t)r->calls, sizeof(uint64_t), compare);
	free_matrices(&m);
	return ret;
}

static void free_result(struct result *r)
{
	for (unsigned i = 0; i < SERIES; i++)
		free(r->series[i].ns);
}

/* ---- output ---- */

static double median_us(const struct result *r, unsigned i)
{
	return (double)r->series[i].ns[r->calls / 2] / 1e3;
}

static double best_us(const struct result *r, unsigned i)
{
	return (double)r->series[i].ns[0] / 1e3;
}

/* The device is none of the library's time. */
static double host_us(const struct result *r)
{
	return median_us(r, TOTAL) - median_us(r, ROCKET_PHASE_WAIT);
}

static double per_call(unsigned long count, const struct result *r)
{
	return (double)count / r->calls;
}

static void print_head(void)
{
	printf("%-8s %14s %5s %4s", "type", "MxKxN", "tasks", "jobs");
	for (unsigned p = 0; p < ROCKET_PHASES; p++)
		printf(" %8s", rocket_matmul_phase_name((enum rocket_matmul_phase)p));
	printf(" %9s %9s %9s %8s %6s %7s %7s %9s\n", "host", "best", "cpu", "memcpy", "ratio",
	       "allocs", "faults", "zeroed");
}

static void print_row(const struct shape *s, const struct result *r)
{
	char dims[48];

	snprintf(dims, sizeof(dims), "%dx%dx%d", s->M, s->K, s->N);
	printf("%-8s %14s %5u %4u", s->entry->name, dims, r->last.tasks, r->last.submits);
	for (unsigned p = 0; p < ROCKET_PHASES; p++)
		printf(" %8.1f", median_us(r, p));
	printf(" %9.1f %9.1f %9.1f %8.1f %6.1f %7.2f %7.2f %9.0f\n", host_us(r),
	       best_us(r, TOTAL) - best_us(r, ROCKET_PHASE_WAIT), median_us(r, CPU),
	       median_us(r, COPY), median_us(r, CPU) / median_us(r, COPY),
	       per_call(r->counts.allocations, r), per_call(r->counts.faults, r),
	       per_call(r->counts.zeroed, r));
}

static void print_json(const struct shape *s, const struct result *r, const char *device, int first)
{
	printf("%s\n  {\"device\": \"%s\", \"type\": \"%s\", \"M\": %d, \"K\": %d, \"N\": %d, "
	       "\"calls\": %d, \"tasks\": %u, \"submits\": %u, \"kicks\": %u",
	       first ? "" : ",", device, s->entry->name, s->M, s->K, s->N, r->calls, r->last.tasks,
	       r->last.submits, r->last.kicks);
	for (unsigned p = 0; p < ROCKET_PHASES; p++)
		printf(", \"%s_us\": %.3f", rocket_matmul_phase_name((enum rocket_matmul_phase)p),
		       median_us(r, p));
	printf(", \"host_us\": %.3f, \"best_us\": %.3f, \"cpu_us\": %.3f, \"operand_bytes\": %zu, "
	       "\"memcpy_us\": %.3f, \"cpu_per_memcpy\": %.3f, \"allocations\": %.3f, "
	       "\"page_faults\": %.3f, \"zeroed_bytes\": %.1f}",
	       host_us(r), best_us(r, TOTAL) - best_us(r, ROCKET_PHASE_WAIT), median_us(r, CPU),
	       r->operand_bytes, median_us(r, COPY), median_us(r, CPU) / median_us(r, COPY),
	       per_call(r->counts.allocations, r), per_call(r->counts.faults, r),
	       per_call(r->counts.zeroed, r));
}

static int measure_all(int fd, const struct shape *shapes, unsigned count, int repeat,
		       const char *device, bool json)
{
	int failed = 0, printed = 0;

	if (json)
		printf("[");
	else
		printf("microseconds, medians of the calls after the first %d; counts per call; "
		       "device: %s\n",
		       WARM_UP, device);
	if (!json)
		print_head();
	for (unsigned i = 0; i < count; i++) {
		struct result r;

		if (measure(fd, &shapes[i], repeat, &r))
			failed = 1;
		else if (json)
			print_json(&shapes[i], &r, device, !printed++);
		else
			print_row(&shapes[i], &r);
		free_result(&r);
		fflush(stdout);
	}
	if (json)
		printf("\n]\n");
	return failed;
}

static int usage(FILE *out, int status)
{
	fputs("usage: matmul_host [--json] [--repeat N] [--device] [TYPE M K N]...\n"
	      "Times the host's part of repeated matmuls on a device that computes nothing,\n"
	      "with --device on the one that ROCKET_DEVICE names. TYPE is one of",
	      out);
	for (unsigned i = 0; i < ENTRIES; i++)
		fprintf(out, " %s", entries[i].name);
	fputs(".\n", out);
	return status;
}

#define EXTENT_MAX (1 << 24)

/* "fp16 512 1024 1024" of four arguments. */
static bool parse_shape(char *const *arg, struct shape *s)
{
	long extent[3];

	s->entry = NULL;
	for (unsigned i = 0; i < ENTRIES; i++)
		if (!strcmp(entries[i].name, arg[0]))
			s->entry = &entries[i];
	for (unsigned i = 0; i < 3; i++)
		if (!number_whole(arg[1 + i], 1, EXTENT_MAX, &extent[i]))
			return false;
	s->M = (int)extent[0];
	s->K = (int)extent[1];
	s->N = (int)extent[2];
	return s->entry;
}

static unsigned default_shapes(struct shape *out)
{
	unsigned count = 0;

	for (unsigned d = 0; d < DEFAULTS; d++)
		for (unsigned e = 0; e < ENTRIES; e++) {
			struct shape *s = &out[count++];

			*s = (struct shape){ &entries[e], defaults[d][0], defaults[d][1],
					     defaults[d][2] };
			rocket_mm_align(s->entry->operand, &s->M, &s->K, &s->N);
		}
	return count;
}

#define SHAPES_MAX (DEFAULTS * ENTRIES)

int main(int argc, char **argv)
{
	static const struct option options[] = { { "json", no_argument, NULL, 'j' },
						 { "repeat", required_argument, NULL, 'r' },
						 { "device", no_argument, NULL, 'd' },
						 { "help", no_argument, NULL, 'h' },
						 { NULL, 0, NULL, 0 } };
	bool json = false, real = false;
	struct shape shapes[SHAPES_MAX];
	int repeat = 15, option, fd, ret;
	unsigned count;
	long given;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'j')
			json = true;
		else if (option == 'd')
			real = true;
		else if (option == 'r' && number_whole(optarg, 1, 1000000, &given))
			repeat = (int)given;
		else
			return option == 'h' ? usage(stdout, 0) : usage(stderr, 2);
	}
	count = (unsigned)(argc - optind) / 4;
	if ((argc - optind) % 4 || count > SHAPES_MAX)
		return usage(stderr, 2);
	for (unsigned i = 0; i < count; i++)
		if (!parse_shape(argv + optind + 4 * i, &shapes[i]))
			return usage(stderr, 2);
	if (!count)
		count = default_shapes(shapes);

	fd = real ? rocket_open() : null_device_open();
	if (fd < 0)
		return 1;
	ret = measure_all(fd, shapes, count, repeat, real ? "opened" : "null", json);
	rocket_close(fd);
	return printed("matmul_host", ret);
}

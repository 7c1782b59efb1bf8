// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * matmul_host.c - where the library's own time goes in a matmul.
 *
 * Per shape and phase the best of --repeat calls, beside a memcpy of the bytes that the
 * phase moves. "wait" is the device, or the simulation of it. Never fails on a time.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/encode/matmul.h"
#include "lib/ops/matmul_run.h"
#include "rocket_matmul.h"
#include "rocket_npu.h"

struct shape {
	enum rocket_matmul_type type;
	int M, K, N;
};

static const struct shape defaults[] = {
	{ ROCKET_MM_FP16_FP16, 4, 1024, 1024 },    { ROCKET_MM_FP16_FP16, 128, 1024, 1024 },
	{ ROCKET_MM_FP16_FP16, 512, 1024, 1024 },  { ROCKET_MM_FP16_FP16, 512, 3840, 4096 },
	{ ROCKET_MM_FP16_FP32, 512, 1024, 1024 },  { ROCKET_MM_INT8_INT32, 512, 1024, 1024 },
	{ ROCKET_MM_INT8_INT32, 512, 3840, 4096 },
};

struct result {
	struct rocket_matmul_stats best; /* each phase's own best */
	uint64_t memcpy_pack_ns, memcpy_unpack_ns;
};

static int run(int fd, const struct shape *s, const void *a, const void *b, void *c)
{
	switch (s->type) {
	case ROCKET_MM_FP16_FP16:
		return rocket_matmul_fp16(fd, s->M, s->K, s->N, a, b, c);
	case ROCKET_MM_FP16_FP32:
		return rocket_matmul_fp16_f32out(fd, s->M, s->K, s->N, a, b, c);
	default:
		return rocket_matmul_int8(fd, s->M, s->K, s->N, a, b, c);
	}
}

static void keep_best(uint64_t *best, uint64_t ns)
{
	if (!*best || ns < *best)
		*best = ns;
}

static uint64_t time_memcpy(uint64_t bytes, int repeat)
{
	uint8_t *from = malloc(bytes), *to = malloc(bytes);
	uint64_t best = 0;

	for (int i = 0; from && to && i <= repeat; i++) {
		uint64_t start;

		memset(from, i, bytes); /* also the first touch */
		start = rocket_matmul_now_ns();
		memcpy(to, from, bytes);
		/* Or the compiler may leave out a copy that nobody reads. */
		__asm__ volatile("" ::"r"(to) : "memory");
		if (i)
			keep_best(&best, rocket_matmul_now_ns() - start);
	}
	free(from);
	free(to);
	return best;
}

static int measure(int fd, const struct shape *s, int repeat, struct result *out)
{
	size_t es = rocket_matmul_traits(s->type)->in_bits / 8;
	void *a = calloc((size_t)s->M * (size_t)s->K, es);
	void *b = calloc((size_t)s->N * (size_t)s->K, es);
	void *c = calloc((size_t)s->M * (size_t)s->N, sizeof(int32_t));
	int ret = ROCKET_E_NOMEM;

	/* Untouched pages are all the same one, which no cache ever misses. */
	if (a && b) {
		memset(a, 1, (size_t)s->M * (size_t)s->K * es);
		memset(b, 1, (size_t)s->N * (size_t)s->K * es);
	}

	memset(out, 0, sizeof(*out));
	for (int i = 0; a && b && c && i < repeat; i++) {
		struct rocket_matmul_stats now, best = out->best;

		ret = run(fd, s, a, b, c);
		if (ret)
			break;
		rocket_matmul_last_stats(&now);
		out->best = now;
		for (unsigned p = 0; p < ROCKET_PHASES; p++) {
			out->best.ns[p] = best.ns[p];
			keep_best(&out->best.ns[p], now.ns[p]);
		}
		out->best.total_ns = best.total_ns;
		keep_best(&out->best.total_ns, now.total_ns);
	}
	if (!ret) {
		out->memcpy_pack_ns = time_memcpy(out->best.packed_bytes, repeat);
		out->memcpy_unpack_ns = time_memcpy(out->best.unpacked_bytes, repeat);
	}
	free(a);
	free(b);
	free(c);
	return ret;
}

static void print_head(void)
{
	printf("%-6s %-6s %16s %6s %6s", "type", "result", "MxKxN", "tasks", "jobs");
	for (unsigned p = 0; p < ROCKET_PHASES; p++)
		printf(" %9s", rocket_matmul_phase_name((enum rocket_matmul_phase)p));
	printf(" %9s %9s %9s  (microseconds)\n", "total", "cpy-pack", "cpy-unpk");
}

static void print_row(const struct shape *s, const struct result *r)
{
	const struct rocket_matmul_traits *tr = rocket_matmul_traits(s->type);
	char dims[48];

	snprintf(dims, sizeof(dims), "%dx%dx%d", s->M, s->K, s->N);
	printf("%-6s %-6s %16s %6u %6u", tr->name, tr->result, dims, r->best.tasks,
	       r->best.submits);
	for (unsigned p = 0; p < ROCKET_PHASES; p++)
		printf(" %9.1f", (double)r->best.ns[p] / 1e3);
	printf(" %9.1f %9.1f %9.1f\n", (double)r->best.total_ns / 1e3,
	       (double)r->memcpy_pack_ns / 1e3, (double)r->memcpy_unpack_ns / 1e3);
}

static void print_json(const struct shape *s, const struct result *r, int first)
{
	const struct rocket_matmul_traits *tr = rocket_matmul_traits(s->type);

	printf("%s\n  {\"dtype\": \"%s\", \"result\": \"%s\", \"M\": %d, \"K\": %d, \"N\": %d, "
	       "\"tasks\": %u, \"submits\": %u, \"kicks\": %u",
	       first ? "" : ",", tr->name, tr->result, s->M, s->K, s->N, r->best.tasks,
	       r->best.submits, r->best.kicks);
	for (unsigned p = 0; p < ROCKET_PHASES; p++)
		printf(", \"%s_ns\": %llu", rocket_matmul_phase_name((enum rocket_matmul_phase)p),
		       (unsigned long long)r->best.ns[p]);
	printf(", \"total_ns\": %llu, \"packed_bytes\": %llu, \"unpacked_bytes\": %llu, "
	       "\"memcpy_pack_ns\": %llu, \"memcpy_unpack_ns\": %llu}",
	       (unsigned long long)r->best.total_ns, (unsigned long long)r->best.packed_bytes,
	       (unsigned long long)r->best.unpacked_bytes, (unsigned long long)r->memcpy_pack_ns,
	       (unsigned long long)r->memcpy_unpack_ns);
}

static int measure_all(int fd, const struct shape *shapes, int count, int repeat, int json)
{
	int failed = 0, printed = 0;

	if (json)
		printf("[");
	else
		print_head();
	for (int i = 0; i < count; i++) {
		struct result r;

		if (measure(fd, &shapes[i], repeat, &r)) {
			failed = 1;
			continue;
		}
		if (json)
			print_json(&shapes[i], &r, !printed++);
		else
			print_row(&shapes[i], &r);
		fflush(stdout);
	}
	if (json)
		printf("\n]\n");
	return failed;
}

static int usage(FILE *out, int status)
{
	fputs("usage: matmul_host [--json] [--repeat N] [fp16|f32out|int8 M K N]...\n"
	      "Times the host phases of matmuls on the device that ROCKET_DEVICE names.\n",
	      out);
	return status;
}

/* "fp16 512 1024 1024" of four arguments. */
static int parse_shape(char *const *arg, struct shape *s)
{
	static const struct {
		const char *name;
		enum rocket_matmul_type type;
	} names[] = { { "fp16", ROCKET_MM_FP16_FP16 },
		      { "f32out", ROCKET_MM_FP16_FP32 },
		      { "int8", ROCKET_MM_INT8_INT32 } };

	s->M = atoi(arg[1]);
	s->K = atoi(arg[2]);
	s->N = atoi(arg[3]);
	if (s->M < 1 || s->K < 1 || s->N < 1)
		return 0;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].name, arg[0])) {
			s->type = names[i].type;
			return 1;
		}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "json", no_argument, NULL, 'j' },
						 { "repeat", required_argument, NULL, 'r' },
						 { "help", no_argument, NULL, 'h' },
						 { NULL, 0, NULL, 0 } };
	int json = 0, repeat = 5, option, fd, ret, count;
	struct shape given[32];

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'j')
			json = 1;
		else if (option == 'r' && atoi(optarg) > 0)
			repeat = atoi(optarg);
		else
			return option == 'h' ? usage(stdout, 0) : usage(stderr, 2);
	}
	count = (argc - optind) / 4;
	if ((argc - optind) % 4 || count > 32)
		return usage(stderr, 2);
	for (int i = 0; i < count; i++)
		if (!parse_shape(argv + optind + 4 * i, &given[i]))
			return usage(stderr, 2);

	fd = rocket_open();
	if (fd < 0)
		return 1;
	ret = measure_all(fd, count ? given : defaults,
			  count ? count : (int)(sizeof(defaults) / sizeof(defaults[0])), repeat,
			  json);
	rocket_close(fd);
	return ret;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * model_speed.c - how fast the model computes, whole tasks: fetch, decode, multiply, write.
 *
 * Times are CPU seconds of this machine, so that other load matters little, and say nothing of
 * the silicon.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "printed.h"
#include "sim/npu/npu.h"
#include "tests/model/emit.h"

#define REGION     (128u << 20)
#define PROGRAM    0x50000000u
#define MIN_SECOND 0.3

enum data { INTEGERS, NORMAL, WIDE, BYTES };

static const char *const data_names[] = { "integers", "normal", "any bits", "bytes" };

static const struct {
	enum emit_type type;
	unsigned m, k, n;
	enum data data;
} jobs[] = {
	{ EMIT_FP16_FP16, 256, 512, 128, INTEGERS }, { EMIT_FP16_FP16, 256, 512, 128, NORMAL },
	{ EMIT_FP16_FP16, 256, 512, 128, WIDE },     { EMIT_FP16_FP32, 256, 384, 256, NORMAL },
	{ EMIT_FP16_FP16, 4, 1408, 128, NORMAL },    { EMIT_FP16_FP16, 256, 640, 4096, NORMAL },
	{ EMIT_INT8_INT32, 256, 512, 128, BYTES },   { EMIT_INT8_INT32, 256, 640, 256, BYTES },
	{ EMIT_INT8_INT32, 4, 4096, 32, BYTES },     { EMIT_INT4_INT16, 256, 1408, 64, BYTES },
	{ EMIT_INT16_INT32, 256, 384, 256, BYTES },  { EMIT_BF16_FP32, 256, 384, 256, NORMAL },
	{ EMIT_TF32_FP32, 256, 192, 256, NORMAL },
};

/* Four regions of device memory at 0x10000000, 0x20000000, 0x30000000 and 0x50000000. */
struct device {
	uint8_t *region[6];
	uint64_t seed;
};

static void *map(void *ctx, uint32_t iova, uint32_t *len, bool write)
{
	struct device *d = ctx;
	uint32_t region = iova >> 28, offset = iova & 0x0fffffff;

	(void)write;
	if (region > 5 || !d->region[region] || offset >= REGION)
		return NULL;
	*len = REGION - offset;
	return d->region[region] + offset;
}

static uint64_t draw(struct device *d)
{
	d->seed ^= d->seed << 13;
	d->seed ^= d->seed >> 7;
	d->seed ^= d->seed << 17;
	return d->seed;
}

/* fp16 with the spread of a normal distribution: each binade half as likely as the next. */
static uint16_t draw_half(struct device *d, enum data data)
{
	static const uint16_t small[] = { 0, 0x3c00, 0x4000, 0x4200, 0xbc00, 0xc000 };
	uint64_t r = draw(d);
	unsigned exponent = 15;

	if (data == INTEGERS)
		return small[r % 6];
	if (data == WIDE)
		return (uint16_t)(r & 0x8000 ? r & 0xfbff : r & 0x7bff);
	for (uint64_t bits = r >> 16; exponent > 1 && (bits & 1); bits >>= 1)
		exponent--;
	return (uint16_t)((r & 0x83ff) | exponent << 10);
}

/* The upper half of an fp32 of that distribution; the lower one is random. */
static uint16_t draw_upper(struct device *d)
{
	uint64_t r = draw(d);
	unsigned exponent = 127;

	for (uint64_t bits = r >> 16; exponent > 100 && (bits & 1); bits >>= 1)
		exponent--;
	return (uint16_t)((r & 0x807f) | exponent << 7);
}

static void fill(struct device *d, unsigned region, size_t bytes, enum emit_type type,
		 enum data data)
{
	for (size_t i = 0; i < bytes; i += 2) {
		uint16_t v = (uint16_t)draw(d);

		if (type == EMIT_BF16_FP32 || (type == EMIT_TF32_FP32 && i % 4))
			v = draw_upper(d);
		else if (type == EMIT_FP16_FP16 || type == EMIT_FP16_FP32)
			v = draw_half(d, data);
		memcpy(d->region[region] + i, &v, sizeof(v));
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* GMAC per second of one core, 0 when the task does not complete. */
static double measure(struct device *d, unsigned job, bool portable)
{
	struct npu_core_options options = { .force_portable = portable };
	struct npu_memory memory = { map, d };
	struct npu_core *core = npu_core_new(npu_chip_by_name("rk3588"), 0, &memory, &options);
	struct emit_conv c = emit_matmul(jobs[job].type, jobs[job].m, jobs[job].k, jobs[job].n);
	double start, elapsed, macs = 0;
	struct emit_program p;
	struct npu_result r;

	if (!core)
		return 0;
	emit_program(&p, &c);
	memcpy(d->region[5], p.word, p.n * sizeof(p.word[0]));
	fill(d, 1, (size_t)c.ih * c.ic * emit_in_bits(c.type) / 8, c.type, jobs[job].data);
	fill(d, 2, (size_t)c.oc * c.ic * emit_in_bits(c.type) / 8, c.type, jobs[job].data);
	start = now();
	do {
		npu_core_write(core, 0x0010, PROGRAM);
		npu_core_write(core, 0x0014, p.n / 2 - 1);
		npu_core_write(core, 0x0030, 0x7001);
		npu_core_write(core, 0x0008, 1);
		npu_core_run(core, &r);
		macs += (double)r.counters.macs;
		elapsed = now() - start;
	} while (r.verdict == NPU_DONE && elapsed < MIN_SECOND);
	npu_core_free(core);
	if (r.verdict != NPU_DONE)
		fprintf(stderr, "task did not complete: %s\n", r.reason);
	return r.verdict == NPU_DONE ? macs / elapsed * 1e-9 : 0;
}

static void print_row(unsigned job, const char *path, double rate, bool json, bool last)
{
	const char *in = emit_in_name(jobs[job].type), *data = data_names[jobs[job].data];
	unsigned out = 8 * emit_out_bytes(jobs[job].type);

	if (json)
		printf("  {\"in\": \"%s\", \"out_bits\": %u, \"m\": %u, \"k\": %u, \"n\": %u, "
		       "\"data\": \"%s\", \"path\": \"%s\", \"gmac_per_s\": %.3f}%s\n",
		       in, out, jobs[job].m, jobs[job].k, jobs[job].n, data, path, rate,
		       last ? "" : ",");
	else
		printf("%-5s %3u  %5u x %5u x %5u  %-9s %-9s %8.2f\n", in, out, jobs[job].m,
		       jobs[job].k, jobs[job].n, data, path, rate);
}

int main(int argc, char **argv)
{
	const unsigned n = sizeof(jobs) / sizeof(jobs[0]);
	bool json = argc > 1 && !strcmp(argv[1], "--json");
	struct device d = { .seed = 0x9e3779b97f4a7c15ull };
	static const unsigned used[] = { 1, 2, 3, 5 };
	int status = 0;

	if (argc > 2 || (argc > 1 && !json)) {
		fprintf(stderr, "usage: model_speed [--json]\n");
		return 2;
	}
	for (unsigned i = 0; i < 4; i++) {
		d.region[used[i]] = calloc(1, REGION);
		if (!d.region[used[i]])
			return 1;
	}
	puts(json ? "[" : "in   out      M       K       N  data      path        GMAC/s");
	for (unsigned i = 0; i < n; i++) {
		const double vector = measure(&d, i, false), portable = measure(&d, i, true);

		print_row(i, "vector", vector, json, false);
		print_row(i, "portable", portable, json, i + 1 == n);
		if (vector <= 0 || portable <= 0)
			status = 1;
	}
	if (json)
		puts("]");
	for (unsigned i = 0; i < 4; i++)
		free(d.region[used[i]]);
	return printed("model_speed", status);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stages.c - the stages behind the accumulator, through whole tasks: every element of the
 * output against the rule of the stage.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/model/board.h"
#include "tests/model/conv_case.h"
#include "tests/model/emit.h"
#include "tests/model/reference.h"
#include "tests/model/tap.h"

#define PROGRAM      0x50000000u
#define COEFFICIENTS 0x48000000u

#define M 20
#define K 64
#define N 64

static struct tap tap;

/* A matmul of which the accumulators are known. */
struct bench {
	struct board b;
	struct shape s;
	struct operands o;
	struct emit_conv c;
	struct emit_program p;
	struct npu_result r;
};

static void begin(struct bench *t, enum emit_type type, enum fill fill)
{
	memset(t, 0, sizeof(*t));
	board_init(&t->b, NULL);
	t->c = emit_matmul(type, M, K, N);
	t->s = shape_of(&t->c);
	t->s.out = "fp32"; /* the accumulator itself */
	t->s.ew = EW_ADD;
	shape_map(&t->b, &t->s);
	board_map(&t->b, PROGRAM, 16384);
	board_map(&t->b, COEFFICIENTS, 16384);
	shape_put(&t->b, &t->s, &t->o, fill);
	t->s.ew = EW_NONE;
	emit_program(&t->p, &t->c);
}

static void end(struct bench *t)
{
	operands_free(&t->o);
	board_free(&t->b);
}

static bool run(struct bench *t)
{
	board_run(&t->b, PROGRAM, t->p.word, t->p.n, t->p.n, 1, &t->r);
	if (t->r.verdict != NPU_DONE)
		tap_note("%s: %s", t->r.block, t->r.reason);
	return t->r.verdict == NPU_DONE;
}

static float acc_float(const struct bench *t, size_t m, size_t n)
{
	uint32_t u = shape_expected(&t->s, &t->o, m, n);
	float f;

	memcpy(&f, &u, sizeof(f));
	return f;
}

static int64_t acc_int(const struct bench *t, size_t m, size_t n)
{
	return (int32_t)shape_expected(&t->s, &t->o, m, n);
}

static uint32_t result(struct bench *t, unsigned bytes, size_t m, size_t n)
{
	uint32_t u = 0;

	board_get(&t->b, t->c.output + (uint32_t)layout_cube(8 * bytes, M, m, n) * bytes, &u,
		  bytes);
	return u;
}

static float from_bits(uint32_t u)
{
	float f;

	memcpy(&f, &u, sizeof(f));
	return f;
}

/* ---- accumulator, float ---- */

static void put_half(struct bench *t, uint32_t base, size_t element, uint16_t h)
{
	board_put(&t->b, base + (uint32_t)element * 2, &h, sizeof(h));
}

/* Channel k of the row whose large products cancel and leave a subnormal times 1 + 2^-10. */
static uint16_t cancelling(size_t k)
{
	return k < 15 ? 0x7bff : k == 15 ? 1 : k < 31 ? 0xfbff : 0;
}

/*
 * Exponents far apart in one row of the features and nowhere else: with the weights' low bits
 * its sum needs more than a double has on the way.
 */
static void wide_features(size_t wide)
{
	struct bench t;
	size_t wrong = 0;
	bool done;

	begin(&t, EMIT_FP16_FP32, RANDOM_VALUES);
	for (size_t k = 0; k < K; k++) {
		for (size_t n = 0; n < N; n++)
			put_half(&t, t.c.weights, layout_weight(t.s.type, N, K, 1, n, k, 0),
				 0x3c01);
		for (size_t m = 0; m < M; m++)
			put_half(&t, t.c.input, layout_cube(16, M, m, k),
				 m == wide ? cancelling(k) : 0x3c00);
	}
	done = run(&t);
	for (size_t m = 0; m < M; m++)
		for (size_t n = 0; n < N; n++)
			wrong += from_bits(result(&t, 4, m, n)) !=
				 (m == wide ? 0x401p-34f : K * 0x401p-10f);
	tap_ok(&tap, done && !wrong, "cancelling features of row %zu sum exactly: %zu wrong", wide,
	       wrong);
	end(&t);
}

/* ---- element-wise, float ---- */

static float apply(enum emit_ew ew, float v, float o)
{
	return ew == EMIT_ADD   ? v + o
	       : ew == EMIT_MUL ? v * o
	       : ew == EMIT_MAX ? (v > o ? v : o)
				: (v < o ? v : o);
}

/* The operation in fp32, then one narrowing. */
static void element_wise(enum emit_ew ew, const char *name)
{
	struct bench t;
	size_t wrong = 0;
	bool done;

	begin(&t, EMIT_FP16_FP16, RANDOM_VALUES);
	t.c.ew = ew;
	emit_program(&t.p, &t.c);
	done = run(&t);
	for (size_t m = 0; m < M; m++)
		for (size_t n = 0; n < N; n++) {
			float o = (float)ref_half_value(t.o.add[m * N + n]);

			wrong += result(&t, 2, m, n) !=
				 ref_narrow(apply(ew, acc_float(&t, m, n), o));
		}
	tap_ok(&tap, done && !wrong, "fp16 %s of a memory operand: %zu wrong", name, wrong);
	end(&t);
}

/* Not-a-numbers of either side, in row 0 and 1. */
static void element_wise_nan(enum emit_ew ew, const char *name)
{
	struct bench t;
	size_t wrong = 0;
	bool done;

	begin(&t, EMIT_FP16_FP16, RANDOM_VALUES);
	t.c.ew = ew;
	emit_program(&t.p, &t.c);
	put_half(&t, t.c.input, layout_cube(16, M, 0, 3), 0x7e00);
	for (size_t n = 0; n < N; n++)
		put_half(&t, t.c.operand, layout_cube(16, M, 1, n), 0x7e00);
	done = run(&t);
	for (size_t m = 0; m < M; m++)
		for (size_t n = 0; n < N; n++) {
			float o = (float)ref_half_value(t.o.add[m * N + n]);

			wrong += result(&t, 2, m, n) !=
				 (m < 2 ? 0x7e00 : ref_narrow(apply(ew, acc_float(&t, m, n), o)));
		}
	tap_ok(&tap, done && !wrong, "fp16 %s keeps a not-a-number of either side: %zu wrong", name,
	       wrong);
	end(&t);
}

/* SIZE_E below what a kernel group has. */
static void writer_surfaces(void)
{
	struct bench t;
	size_t wrong = 0;
	bool done;

	begin(&t, EMIT_FP16_FP16, RANDOM_VALUES);
	emit_set(&t.p, 0x4050, 2);
	done = run(&t);
	for (size_t m = 0; m < M; m++)
		for (size_t n = 0; n < N; n++)
			wrong += result(&t, 2, m, n) !=
				 (n % 16 < 8 ? ref_narrow(acc_float(&t, m, n)) : 0xa5a5);
	tap_ok(&tap, done && !wrong, "SIZE_E 0 writes one surface of each group: %zu wrong", wrong);
	end(&t);
}

static void element_wise_forms(void)
{
	struct bench t;
	size_t wrong = 0;
	bool done;

	begin(&t, EMIT_FP16_FP32, RANDOM_VALUES);
	/* Register operand 2.5, subtracted. */
	emit_set(&t.p, 0x4070, 0x10840380 & ~0x100u);
	emit_set(&t.p, 0x4090, 0x40200000);
	done = run(&t);
	for (size_t m = 0; m < M; m++)
		for (size_t n = 0; n < N; n++)
			wrong += from_bits(result(&t, 4, m, n)) != acc_float(&t, m, n) - 2.5f;
	tap_ok(&tap, done && !wrong, "fp32 minus of a register operand: %zu wrong", wrong);
	end(&t);

	begin(&t, EMIT_FP16_FP32, RANDOM_VALUES);
	/* One vector over the channels: ERDMA alone, data mode 0. */
	emit_set(&t.p, 0x4070, 0x108202c0);
	emit_set(&t.p, 0x5034, 0x00000008);
	emit_set(&t.p, 0x5038, t.c.operand);
	done = run(&t);
	wrong = 0;
	for (size_t m = 0; m < M; m++)
		for (size_t n = 0; n < N; n++) {
			uint16_t o;

			board_get(&t.b, t.c.operand + (uint32_t)n * 2, &o, 2);
			wrong += from_bits(result(&t, 4, m, n)) !=
				 acc_float(&t, m, n) + (float)ref_half_value(o);
		}
	tap_ok(&tap, done && !wrong, "fp32 add of an operand per channel: %zu wrong", wrong);
	end(&t);
}

/* ---- BS and BN, float ---- */

static void channel_float(void)
{
	struct bench t;
	size_t wrong = 0;
	bool done;

	begin(&t, EMIT_FP16_FP32, RANDOM_VALUES);
	/* BS: add 1.5, times 0.25, clamped to 0..8. */
	emit_set(&t.p, 0x4040, 0x20080);
	emit_set(&t.p, 0x4044, 0x3fc00000);
	emit_set(&t.p, 0x4048, 0x34000000);
	emit_set(&t.p, 0x404c, 0x41000000);
	done = run(&t);
	for (size_t m = 0; m < M; m++)
		for (size_t n = 0; n < N; n++) {
			float v = (acc_float(&t, m, n) + 1.5f) * 0.25f;

			v = v < 0 ? 0 : v > 8 ? 8 : v;
			wrong += from_bits(result(&t, 4, m, n)) != v;
		}
	tap_ok(&tap, done && !wrong, "BS on floats adds, multiplies and clamps: %zu wrong", wrong);
	end(&t);

	begin(&t, EMIT_FP16_FP32, RANDOM_VALUES);
	/* BN: times 0.75 first, then minus 3. */
	emit_set(&t.p, 0x4060, 0x40040);
	emit_set(&t.p, 0x4064, 0x40400000);
	emit_set(&t.p, 0x4068, 0x3a000000);
	done = run(&t);
	wrong = 0;
	for (size_t m = 0; m < M; m++)
		for (size_t n = 0; n < N; n++)
			wrong += from_bits(result(&t, 4, m, n)) !=
				 acc_float(&t, m, n) * 0.75f - 3.0f;
	tap_ok(&tap, done && !wrong, "BN on floats multiplies before it subtracts: %zu wrong",
	       wrong);
	end(&t);

	begin(&t, EMIT_FP16_FP16, RANDOM_VALUES);
	/* BS: per-channel fp32 bias from memory. */
	for (uint32_t n = 0; n < N; n++) {
		float bias = (float)n * 0.125f - 3;

		board_put(&t.b, COEFFICIENTS + 4 * n, &bias, sizeof(bias));
	}
	emit_set(&t.p, 0x4040, 0x20150);
	emit_set(&t.p, 0x501c, 2);
	emit_set(&t.p, 0x5020, COEFFICIENTS);
	done = run(&t);
	wrong = 0;
	for (size_t m = 0; m < M; m++)
		for (size_t n = 0; n < N; n++)
			wrong += result(&t, 2, m, n) !=
				 ref_narrow(acc_float(&t, m, n) + ((float)n * 0.125f - 3));
	tap_ok(&tap, done && !wrong, "BS adds a float per channel from memory: %zu wrong", wrong);
	end(&t);
}

/* ---- OUT_CVT, integer ---- */

struct converter {
	unsigned bytes;
	bool is_float;
	int scale;
	unsigned shift, away;
	int32_t offset;
	const char *name;
};

static uint32_t convert(const struct converter *c, int64_t acc)
{
	int64_t r = ref_shift(acc * (int16_t)c->scale, c->shift, (int)c->away) + c->offset;
	int64_t most = ((int64_t)1 << (8 * c->bytes - 1)) - 1;
	float f = (float)r;
	uint32_t u;

	if (c->is_float && c->bytes == 2)
		return ref_narrow(f);
	if (c->is_float) {
		memcpy(&u, &f, sizeof(u));
		return u;
	}
	r = r > most ? most : r < -most - 1 ? -most - 1 : r;
	return (uint32_t)r & (c->bytes == 4 ? 0xffffffffu : (1u << 8 * c->bytes) - 1);
}

static void set_converter(struct bench *t, const struct converter *c)
{
	bool fp16 = c->is_float && c->bytes == 2;

	emit_set(&t->p, 0x4080, (uint32_t)c->offset);
	emit_set(&t->p, 0x4084, ((uint32_t)c->scale & 0xffff) | (fp16 ? 0x10000 : 0));
	emit_set(&t->p, 0x4088, c->shift | c->away << 30);
}

/* Bytes of so many pixels, two surfaces to a group of 32 channels. */
static void set_int8_out(struct bench *t, const struct converter *c, uint32_t pixels)
{
	set_converter(t, c);
	emit_set(&t->p, 0x40c0, pixels * 2 << 4);
}

static void out_converter(const struct converter *c)
{
	/* Code, SIZE_E and atoms of a group of 32 channels by element size. */
	unsigned surfaces = 32 * c->bytes / 16, out = c->bytes == 1 ? 0 : c->bytes == 2 ? 1 : 4;
	struct bench t;
	size_t wrong = 0;
	bool done;

	if (c->is_float)
		out = c->bytes == 2 ? 2 : 5;
	begin(&t, EMIT_INT8_INT32, SMALL_INTEGERS);
	emit_set(&t.p, 0x4010, out << 29);
	emit_set(&t.p, 0x4050, (surfaces - 1) * 0x124 | 2);
	emit_set(&t.p, 0x40c0, surfaces * M << 4);
	set_converter(&t, c);
	done = run(&t);
	for (size_t m = 0; m < M; m++)
		for (size_t n = 0; n < N; n++)
			wrong += result(&t, c->bytes, m, n) != convert(c, acc_int(&t, m, n));
	tap_ok(&tap, done && !wrong, "OUT_CVT %s: %zu wrong", c->name, wrong);
	end(&t);
}

static void out_converters(void)
{
	static const struct converter converters[] = {
		{ 4, false, 1, 0, 0, 0, "of an int32 as it is" },
		{ 4, false, 3, 3, 0, 100, "to int32, ties to even" },
		{ 4, false, 1, 1, 0, -7, "to int32, one bit, ties to even" },
		{ 4, false, 1, 1, 1, -7, "to int32, one bit, ties away from zero" },
		{ 4, false, 32767, 0, 0, 0, "to int32 saturates" },
		{ 4, false, 32768, 4, 0, 0, "takes scale 32768 as -32768" },
		{ 2, false, 1, 0, 0, 0, "to int16 saturates" },
		{ 1, false, 21234, 24, 0, -5, "to int8" },
		{ 1, false, 16384, 16, 1, 3, "to int8, ties away from zero" },
		{ 4, true, 1, 0, 0, 0, "to fp32" },
		{ 4, true, 7, 1, 0, 1, "to fp32, scaled" },
		{ 2, true, 1, 0, 0, 0, "to fp16" },
	};

	for (unsigned i = 0; i < sizeof(converters) / sizeof(converters[0]); i++)
		out_converter(&converters[i]);
}

/* ---- requantisation, integer ---- */

static int64_t window_sum(const struct bench *t, size_t m)
{
	return shape_window_sum(&t->s, &t->o, m);
}

/* int8 out with a bias per channel and the weights' zero point. */
static void requantise(void)
{
	struct converter c = { 1, false, 0x5aa0, 24, 0, 12, "" };
	struct bench t;
	size_t wrong = 0;
	bool done;

	begin(&t, EMIT_INT8_INT32, SMALL_INTEGERS);
	for (uint32_t n = 0; n < N; n++) {
		int32_t a = (int32_t)n * 777 - 20000;

		board_put(&t.b, COEFFICIENTS + 4 * n, &a, sizeof(a));
	}
	emit_set(&t.p, 0x3010, 1);
	emit_set(&t.p, 0x4010, 0);
	emit_set(&t.p, 0x4040, 0x20150);
	emit_set(&t.p, 0x4050, 0x124);
	emit_set(&t.p, 0x4054, (uint16_t)-9);
	set_int8_out(&t, &c, M);
	emit_set(&t.p, 0x501c, 2);
	emit_set(&t.p, 0x5020, COEFFICIENTS);
	done = run(&t);
	for (size_t m = 0; m < M; m++)
		for (size_t n = 0; n < N; n++) {
			int64_t v = acc_int(&t, m, n) - 9 * window_sum(&t, m) + (int64_t)n * 777 -
				    20000;

			wrong += result(&t, 1, m, n) != convert(&c, v);
		}
	tap_ok(&tap, done && !wrong, "int8 out, bias and zero point per tensor: %zu wrong", wrong);
	end(&t);
}

/* The window sum counts the padding of a convolution, too. */
static void requantise_padded(void)
{
	struct converter c = { 1, false, 0x5aa0, 25, 0, 12, "" };
	struct bench t = { 0 };
	size_t wrong = 0;
	bool done;

	board_init(&t.b, NULL);
	t.c = emit_matmul(EMIT_INT8_INT32, 6, 48, 32);
	t.c.iw = t.c.ow = 5;
	t.c.kh = t.c.kw = 3;
	t.c.pt = t.c.pl = 1;
	t.c.pad = -77;
	t.s = (struct shape){ .type = layout_type("int8"),
			      .out = "int32",
			      .ic = 48,
			      .ih = 6,
			      .iw = 5,
			      .ih_programmed = 6,
			      .oc = 32,
			      .oh = 6,
			      .ow = 5,
			      .kh = 3,
			      .kw = 3,
			      .sy = 1,
			      .sx = 1,
			      .dy = 1,
			      .dx = 1,
			      .pt = 1,
			      .pl = 1,
			      .pad = -77,
			      .input = t.c.input,
			      .weights = t.c.weights,
			      .output = t.c.output };
	shape_map(&t.b, &t.s);
	board_map(&t.b, PROGRAM, 16384);
	shape_put(&t.b, &t.s, &t.o, SMALL_INTEGERS);
	emit_program(&t.p, &t.c);
	emit_set(&t.p, 0x3010, 1);
	emit_set(&t.p, 0x4010, 0);
	emit_set(&t.p, 0x4040, 0x20152);
	emit_set(&t.p, 0x4050, 0x124);
	emit_set(&t.p, 0x4054, 21);
	set_int8_out(&t, &c, 30);
	done = run(&t);
	for (size_t p = 0; p < 30; p++)
		for (size_t n = 0; n < 32; n++) {
			int8_t got;

			board_get(&t.b, t.c.output + (uint32_t)layout_cube(8, 30, p, n), &got, 1);
			wrong += (uint8_t)got !=
				 convert(&c,
					 acc_int(&t, p, n) + 21 * shape_window_sum(&t.s, &t.o, p));
		}
	tap_ok(&tap, done && !wrong, "int8 out, padded convolution with a zero point: %zu wrong",
	       wrong);
	end(&t);
}

/* SIZE_E 3 where a group has eight surfaces: the upper four never reach memory. */
static void short_surfaces(void)
{
	struct bench t;
	size_t wrong = 0;
	bool done;

	begin(&t, EMIT_INT8_INT32, SMALL_INTEGERS);
	emit_set(&t.p, 0x4050, 0x36e);
	done = run(&t);
	for (size_t m = 0; m < M; m++)
		for (size_t n = 0; n < N; n++) {
			uint32_t want = n % 32 < 16 ? (uint32_t)acc_int(&t, m, n) : 0xa5a5a5a5;

			wrong += result(&t, 4, m, n) != want;
		}
	tap_ok(&tap, done && !wrong, "SIZE_E 3 of int32 leaves half of each group: %zu wrong",
	       wrong);
	end(&t);
}

/* 64-byte records: bias, zero point and multiplier of each channel. */
static void requantise_channels(void)
{
	struct converter c = { 1, false, 0x4321, 20, 0, -3, "" };
	const unsigned s = 9, s_negative = 10;
	struct bench t;
	size_t wrong = 0;
	bool done;

	begin(&t, EMIT_INT8_INT32, SMALL_INTEGERS);
	for (uint32_t n = 0; n < N; n++) {
		uint32_t at = COEFFICIENTS + n / 8 * 64;
		int32_t a = (int32_t)n * 321 - 9999;
		int16_t b = (int16_t)(n - 30), m = (int16_t)(500 + 37 * n);

		board_put(&t.b, at + n % 8 * 4, &a, sizeof(a));
		board_put(&t.b, at + 32 + n % 8 * 2, &b, sizeof(b));
		board_put(&t.b, at + 48 + n % 8 * 2, &m, sizeof(m));
	}
	emit_set(&t.p, 0x3010, 1);
	emit_set(&t.p, 0x4010, s_negative << 4);
	emit_set(&t.p, 0x4040, 0x20140);
	emit_set(&t.p, 0x4048, s << 8 | 1);
	emit_set(&t.p, 0x4050, 0x125);
	set_int8_out(&t, &c, M);
	emit_set(&t.p, 0x501c, 0xe);
	emit_set(&t.p, 0x5020, COEFFICIENTS);
	done = run(&t);
	for (size_t m = 0; m < M; m++)
		for (size_t n = 0; n < N; n++) {
			int64_t v = acc_int(&t, m, n) + ((int64_t)n - 30) * window_sum(&t, m);

			v = (v + (int64_t)n * 321 - 9999) * (500 + 37 * (int64_t)n);
			v = ref_saturate32(ref_shift(v, v < 0 ? s_negative : s, 0));
			wrong += result(&t, 1, m, n) != convert(&c, v);
		}
	tap_ok(&tap, done && !wrong, "int8 out, bias, zero point and factor per channel: %zu wrong",
	       wrong);
	end(&t);
}

/* An int8 operand, converted, added to the accumulator before OUT_CVT. */
static void residual(void)
{
	struct converter c = { 1, false, 0x4400, 25, 0, 2, "" };
	const int offset = 17, scale = 23001, shift = 3;
	struct bench t;
	size_t wrong = 0;
	bool done;

	begin(&t, EMIT_INT8_INT32, SMALL_INTEGERS);
	emit_set(&t.p, 0x4010, 0);
	emit_set(&t.p, 0x4050, 0x126);
	emit_set(&t.p, 0x4070, 0x904202c0);
	emit_set(&t.p, 0x4074, (uint32_t)offset);
	emit_set(&t.p, 0x4078, (uint32_t)shift << 16 | (uint32_t)scale);
	set_int8_out(&t, &c, M);
	emit_set(&t.p, 0x5018, t.c.operand);
	emit_set(&t.p, 0x5034, 0x40000004);
	emit_set(&t.p, 0x5038, t.c.operand + 16 * M);
	emit_set(&t.p, 0x5040, M << 4);
	emit_set(&t.p, 0x5044, 0x7d00);
	emit_set(&t.p, 0x504c, M << 4);
	emit_set(&t.p, 0x506c, M << 4);
	done = run(&t);
	for (size_t m = 0; m < M; m++)
		for (size_t n = 0; n < N; n++) {
			int8_t o;
			int64_t v;

			board_get(&t.b, t.c.operand + (uint32_t)layout_cube(8, M, m, n), &o, 1);
			v = acc_int(&t, m, n) + ref_shift(((int64_t)o + offset) * scale, shift, 0);
			wrong += result(&t, 1, m, n) != convert(&c, v);
		}
	tap_ok(&tap, done && !wrong, "int8 residual through the operand converter: %zu wrong",
	       wrong);
	end(&t);
}

/* The accumulator shifted right on its way out of CORE. */
static void truncation(void)
{
	struct bench t;
	size_t wrong = 0;
	bool done;

	for (unsigned half_up = 0; half_up < 2; half_up++) {
		begin(&t, EMIT_INT8_INT32, SMALL_INTEGERS);
		emit_set(&t.p, 0x301c, half_up << 6 | 3);
		done = run(&t);
		wrong = 0;
		for (size_t m = 0; m < M; m++)
			for (size_t n = 0; n < N; n++) {
				int64_t v = acc_int(&t, m, n);
				int64_t want = half_up ? (v + 4) >> 3 : ref_shift(v, 3, 0);

				wrong += (int32_t)result(&t, 4, m, n) != want;
			}
		tap_ok(&tap, done && !wrong, "CLIP_TRUNCATE 3, %s: %zu wrong",
		       half_up ? "half up" : "half to even", wrong);
		end(&t);
	}
}

int main(void)
{
	wide_features(0);
	wide_features(7);
	wide_features(M - 1);
	writer_surfaces();
	element_wise(EMIT_ADD, "add");
	element_wise(EMIT_MUL, "mul");
	element_wise(EMIT_MAX, "max");
	element_wise(EMIT_MIN, "min");
	element_wise_nan(EMIT_ADD, "add");
	element_wise_nan(EMIT_MAX, "max");
	element_wise_nan(EMIT_MIN, "min");
	element_wise_forms();
	channel_float();
	out_converters();
	requantise();
	requantise_padded();
	short_surfaces();
	requantise_channels();
	residual();
	truncation();
	return tap_end(&tap);
}

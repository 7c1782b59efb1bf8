// SPDX-License-Identifier: LGPL-2.1-or-later
#include "numerics.h"

#include "load.h"

struct shape {
	struct matmul mm;
	enum load_values values;
};

static void matmul_of_shape(struct test *t)
{
	const struct shape *s = t->as->arg;
	struct load l;

	REQUIRE(t, load_make(&l, t, test_file(t), &s->mm, 1, s->values), "no job");
	CHECK(t, load_run_right(&l), "%u x %u x %u", s->mm.m, s->mm.k, s->mm.n);
}

#define SHAPE(ty, what, rows, depth, columns, vals)                                                \
	{                                                                                          \
		.name = what "_" #rows "x" #depth "x" #columns, .run = matmul_of_shape,            \
		.seconds = 60, .arg = &(const struct shape)                                        \
		{                                                                                  \
			{ .type = ty, .m = rows, .k = depth, .n = columns }, vals                  \
		}                                                                                  \
	}

#define FP16_INTEGERS(m, k, n)  SHAPE(FP16_TO_FP16, "fp16_integers", m, k, n, LOAD_INTEGERS)
#define FP16(m, k, n)           SHAPE(FP16_TO_FP16, "fp16", m, k, n, LOAD_RANDOM)
#define FP32_INTEGERS(m, k, n)  SHAPE(FP16_TO_FP32, "fp16_f32out_integers", m, k, n, LOAD_INTEGERS)
#define FP32(m, k, n)           SHAPE(FP16_TO_FP32, "fp16_f32out", m, k, n, LOAD_RANDOM)
#define FP32_EXTREMES(m, k, n)  SHAPE(FP16_TO_FP32, "fp16_f32out_extremes", m, k, n, LOAD_EXTREMES)
#define BF16_INTEGERS(m, k, n)  SHAPE(BF16_TO_FP32, "bf16_integers", m, k, n, LOAD_INTEGERS)
#define BF16(m, k, n)           SHAPE(BF16_TO_FP32, "bf16", m, k, n, LOAD_RANDOM)
#define TF32_INTEGERS(m, k, n)  SHAPE(TF32_TO_FP32, "tf32_integers", m, k, n, LOAD_INTEGERS)
#define TF32(m, k, n)           SHAPE(TF32_TO_FP32, "tf32", m, k, n, LOAD_RANDOM)
#define INT16_SMALL(m, k, n)    SHAPE(INT16_TO_INT32, "int16_small", m, k, n, LOAD_INTEGERS)
#define INT16(m, k, n)          SHAPE(INT16_TO_INT32, "int16", m, k, n, LOAD_RANDOM)
#define INT16_EXTREMES(m, k, n) SHAPE(INT16_TO_INT32, "int16_extremes", m, k, n, LOAD_EXTREMES)
#define INT4(m, k, n)           SHAPE(INT4_TO_INT16, "int4", m, k, n, LOAD_RANDOM)
#define INT4_EXTREMES(m, k, n)  SHAPE(INT4_TO_INT16, "int4_extremes", m, k, n, LOAD_EXTREMES)
#define INT8(m, k, n)           SHAPE(INT8_TO_INT32, "int8", m, k, n, LOAD_RANDOM)
#define INT8_EXTREMES(m, k, n)  SHAPE(INT8_TO_INT32, "int8_extremes", m, k, n, LOAD_EXTREMES)

static const struct test_case cases[] = {
	FP16_INTEGERS(4, 32, 16),
	FP16_INTEGERS(8, 64, 32),
	FP16_INTEGERS(64, 384, 96),
	FP16_INTEGERS(100, 192, 128),
	FP16_INTEGERS(256, 384, 256),
	FP16_INTEGERS(4, 16384, 16),
	FP16_INTEGERS(1020, 32, 16),
	FP16(4, 32, 16),
	FP16(12, 96, 48),
	FP16(64, 384, 96),
	FP16(256, 512, 128),
	FP16(4, 1408, 128),
	FP16(4, 32, 4096),

	FP32_INTEGERS(4, 32, 16),
	FP32_INTEGERS(48, 1024, 64),
	FP32_INTEGERS(256, 384, 256),
	FP32(4, 32, 16),
	FP32(8, 64, 32),
	FP32(16, 160, 80),
	FP32(100, 192, 128),
	FP32(256, 704, 16),
	FP32(256, 384, 256),
	FP32(4, 8192, 16),
	FP32_EXTREMES(32, 256, 64),
	FP32_EXTREMES(4, 4096, 16),

	INT8(4, 32, 32),
	INT8(8, 64, 64),
	INT8(12, 96, 96),
	INT8(64, 384, 96),
	INT8(144, 224, 64), /* a feature cube that nearly fills its last bank */
	INT8(256, 640, 256),
	INT8(4, 8192, 32),
	INT8(1020, 32, 32),
	INT8_EXTREMES(32, 512, 64),
	INT8_EXTREMES(4, 16384, 32),

	BF16_INTEGERS(4, 32, 16),
	BF16_INTEGERS(48, 1024, 64),
	BF16(4, 32, 16),
	BF16(12, 96, 48),
	BF16(100, 192, 128),
	BF16(256, 384, 64),
	BF16(4, 16384, 16),

	TF32_INTEGERS(4, 16, 16), /* one group */
	TF32_INTEGERS(64, 128, 96),
	TF32(4, 48, 64), /* K is a multiple of 16 only */
	TF32(12, 96, 48),
	TF32(100, 192, 128),
	TF32(256, 352, 16),
	TF32(4, 8192, 16),

	INT16_SMALL(4, 32, 48),
	INT16_SMALL(64, 128, 96),
	INT16(4, 32, 16), /* some sums fit */
	INT16(20, 1024, 64),
	INT16(100, 192, 128),
	INT16_EXTREMES(32, 256, 64),
	INT16_EXTREMES(4, 16384, 16),

	INT4(4, 32, 64),
	INT4(8, 64, 64),
	INT4(64, 480, 192),
	INT4(256, 1408, 64),
	INT4_EXTREMES(32, 512, 64), /* below the limit */
	INT4_EXTREMES(4, 4096, 64), /* beyond it */
	INT4_EXTREMES(4, 16384, 64),
};

struct test_table shape_cases(void)
{
	return TEST_TABLE(cases);
}

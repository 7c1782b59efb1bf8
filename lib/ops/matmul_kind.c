// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_kind.c - see matmul_kind.h. */
#include <string.h>

#include "matmul_kind.h"

#define ADD(name)                                                                                  \
	static void name(void *acc, const void *cube, size_t rows, size_t cube_rows, size_t n,     \
			 size_t stride, bool first, const struct rocket_scales *scales)

ADD(add_fp16)
{
	(void)scales;
	rocket_accumulate_fp16(acc, cube, rows, cube_rows, n, stride, first);
}

ADD(add_fp32)
{
	(void)scales;
	rocket_accumulate_fp32(acc, cube, rows, cube_rows, n, stride, first);
}

ADD(add_int32)
{
	(void)scales;
	rocket_accumulate_int32(acc, cube, rows, cube_rows, n, stride, first);
}

ADD(add_int16)
{
	(void)scales;
	rocket_accumulate_int16(acc, cube, rows, cube_rows, n, stride, first);
}

ADD(add_int64)
{
	(void)scales;
	rocket_accumulate_int64(acc, cube, rows, cube_rows, n, stride, first, 0);
}

ADD(add_int64_times_256)
{
	(void)scales;
	rocket_accumulate_int64(acc, cube, rows, cube_rows, n, stride, first, 8);
}

ADD(add_int64_times_65536)
{
	(void)scales;
	rocket_accumulate_int64(acc, cube, rows, cube_rows, n, stride, first, 16);
}

ADD(add_scaled_int32)
{
	rocket_accumulate_scaled(acc, cube, 4, rows, cube_rows, n, stride, first, scales);
}

ADD(add_scaled_int16)
{
	rocket_accumulate_scaled(acc, cube, 2, rows, cube_rows, n, stride, first, scales);
}

static void finish_fp16(void *c, const void *sums, size_t count)
{
	rocket_floats_to_halves(c, sums, count);
}

static void finish_fp32(void *c, const void *sums, size_t count)
{
	rocket_doubles_to_floats(c, sums, count);
}

static void finish_32(void *c, const void *sums, size_t count)
{
	memcpy(c, sums, 4 * count);
}

static void finish_64(void *c, const void *sums, size_t count)
{
	memcpy(c, sums, 8 * count);
}

/* fp16 partials always pass the fp32 sums, which turn -0 into the +0 that the sum has. */
const struct rocket_matmul_kind rocket_kind_fp16 = {
	.type = ROCKET_MM_FP16_FP16,
	.a = &rocket_source_16,
	.b = &rocket_source_16,
	.c_bytes = 2,
	.sum_bytes = sizeof(float),
	.always_sums = true,
	.add = add_fp16,
	.finish = finish_fp16,
};

#define FP32_RESULT(_type, _source)                                                                \
	{                                                                                          \
		.type = _type, .a = _source, .b = _source, .c_bytes = 4,                           \
		.sum_bytes = sizeof(double), .add = add_fp32, .finish = finish_fp32,               \
	}

const struct rocket_matmul_kind rocket_kind_fp16_f32out =
	FP32_RESULT(ROCKET_MM_FP16_FP32, &rocket_source_16);
const struct rocket_matmul_kind rocket_kind_bf16 =
	FP32_RESULT(ROCKET_MM_BF16_FP32, &rocket_source_bf16);
const struct rocket_matmul_kind rocket_kind_tf32 =
	FP32_RESULT(ROCKET_MM_TF32_FP32, &rocket_source_32);

/* Integers need no wider sums: C keeps the low 32 bits, which is all that is stored of the exact
 * one. */
const struct rocket_matmul_kind rocket_kind_int8 = {
	.type = ROCKET_MM_INT8_INT32,
	.a = &rocket_source_8,
	.b = &rocket_source_8,
	.c_bytes = 4,
	.sum_bytes = 4,
	.add = add_int32,
	.finish = finish_32,
};

/* Results that become something else in C. */
#define CONVERTED(_type, _source, _add)                                                            \
	{                                                                                          \
		.type = _type, .a = &_source, .b = &_source, .c_bytes = 4, .sum_bytes = 4,         \
		.always_sums = true, .add = _add, .finish = finish_32,                             \
	}

const struct rocket_matmul_kind rocket_kind_int4 =
	CONVERTED(ROCKET_MM_INT4_INT16, rocket_source_int4, add_int16);
const struct rocket_matmul_kind rocket_kind_int8_groups =
	CONVERTED(ROCKET_MM_INT8_INT32, rocket_source_8, add_scaled_int32);
const struct rocket_matmul_kind rocket_kind_int4_groups =
	CONVERTED(ROCKET_MM_INT4_INT16, rocket_source_int4, add_scaled_int16);

#define INT16_PART(_a, _b, _outside, _start, _add)                                                 \
	{                                                                                          \
		.type = ROCKET_MM_INT8_INT32, .a = &rocket_source_int16_##_a,                      \
		.b = &rocket_source_int16_##_b, .outside = _outside, .c_bytes = 8,                 \
		.start = _start, .sum_bytes = 8, .always_sums = true, .add = _add,                 \
		.finish = finish_64,                                                               \
	}

const struct rocket_matmul_kind rocket_kinds_int16[4] = {
	INT16_PART(high, high, ROCKET_OUTSIDE_WARNED, ROCKET_START_EMPTY, add_int64_times_65536),
	INT16_PART(high, low, ROCKET_OUTSIDE_SILENT, ROCKET_START_KEEP, add_int64_times_256),
	INT16_PART(low, high, ROCKET_OUTSIDE_SILENT, ROCKET_START_KEEP, add_int64_times_256),
	INT16_PART(low, low, ROCKET_OUTSIDE_SILENT, ROCKET_START_KEEP, add_int64),
};

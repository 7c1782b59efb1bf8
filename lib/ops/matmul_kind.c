// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_kind.c - see matmul_kind.h. */
#include <string.h>

#include "matmul_kind.h"

#define ADD(name)                                                                                  \
	static void name(void *acc, const void *const *cubes, size_t rows, size_t cube_rows,       \
			 size_t n, size_t stride, bool first, const struct rocket_scales *scales)

ADD(add_fp16)
{
	(void)scales;
	rocket_accumulate_fp16(acc, cubes[0], rows, cube_rows, n, stride, first);
}

ADD(add_fp32)
{
	(void)scales;
	rocket_accumulate_fp32(acc, cubes[0], rows, cube_rows, n, stride, first);
}

ADD(add_int32)
{
	(void)scales;
	rocket_accumulate_int32(acc, cubes[0], rows, cube_rows, n, stride, first);
}

ADD(add_int16)
{
	(void)scales;
	rocket_accumulate_int16(acc, cubes[0], rows, cube_rows, n, stride, first);
}

ADD(add_bytes)
{
	(void)scales;
	rocket_accumulate_bytes(acc, cubes, rows, cube_rows, n, stride, first);
}

ADD(add_scaled_int32)
{
	rocket_accumulate_scaled(acc, cubes[0], 4, rows, cube_rows, n, stride, first, scales);
}

ADD(add_scaled_int16)
{
	rocket_accumulate_scaled(acc, cubes[0], 2, rows, cube_rows, n, stride, first, scales);
}

static void finish_fp16(void *c, const void *sums, size_t count)
{
	rocket_floats_to_halves(c, sums, count);
}

static void finish_fp32(void *c, const void *sums, size_t count)
{
	rocket_doubles_to_floats(c, sums, count);
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
	.total = rocket_total_int32,
};

/* Results that become something else in C. */
#define CONVERTED(_type, _source, _add, _total)                                                    \
	{                                                                                          \
		.type = _type, .a = &_source, .b = &_source, .c_bytes = 4, .sum_bytes = 4,         \
		.always_sums = true, .add = _add, .total = _total,                                 \
	}

const struct rocket_matmul_kind rocket_kind_int4 =
	CONVERTED(ROCKET_MM_INT4_INT16, rocket_source_int4, add_int16, rocket_total_int16);
const struct rocket_matmul_kind rocket_kind_int8_groups = CONVERTED(
	ROCKET_MM_INT8_INT32, rocket_source_8, add_scaled_int32, rocket_total_scaled_int32);
const struct rocket_matmul_kind rocket_kind_int4_groups = CONVERTED(
	ROCKET_MM_INT4_INT16, rocket_source_int4, add_scaled_int16, rocket_total_scaled_int16);

const struct rocket_matmul_kind rocket_kind_int16 = {
	.type = ROCKET_MM_INT8_INT32,
	.a = &rocket_source_int16,
	.b = &rocket_source_int16,
	.outside = ROCKET_OUTSIDE_WARNED,
	.c_bytes = 8,
	.sum_bytes = 8,
	.always_sums = true,
	.add = add_bytes,
};

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <limits.h>
#include <string.h>

#include "rocket_matmul.h"

#include "dtype.h"
#include "options.h"

/* The entries with their operands' types gone. */
#define MULTIPLY(name, entry)                                                                      \
	static int name(int fd, int M, int K, int N, const void *A, const void *B, void *C)        \
	{                                                                                          \
		return entry(fd, M, K, N, A, B, C);                                                \
	}
#define MULTIPLY_MT(name, entry)                                                                   \
	static int name(int M, int K, int N, const void *A, const void *B, void *C, int threads)   \
	{                                                                                          \
		return entry(M, K, N, A, B, C, threads);                                           \
	}

MULTIPLY(multiply_fp16, rocket_matmul_fp16)
MULTIPLY(multiply_fp16_f32, rocket_matmul_fp16_f32out)
MULTIPLY(multiply_bf16, rocket_matmul_bf16)
MULTIPLY(multiply_tf32, rocket_matmul_tf32)
MULTIPLY(multiply_int16, rocket_matmul_int16_exact)
MULTIPLY(multiply_int8, rocket_matmul_int8)
MULTIPLY(multiply_int4, rocket_matmul_int4)
MULTIPLY_MT(multiply_fp16_mt, rocket_matmul_fp16_mt)
MULTIPLY_MT(multiply_bf16_mt, rocket_matmul_bf16_mt)

#define SAME(type) ROCKET_MM_##type, ROCKET_MM_##type, 1

static const struct dtype dtypes[] = {
	{ "fp16", "fp16 -> fp16", SAME(FP16_FP16), NPU_COST_16BIT, OPERAND_FP16, 2, multiply_fp16,
	  multiply_fp16_mt },
	{ "fp16-f32", "fp16 -> fp32", SAME(FP16_FP32), NPU_COST_16BIT, OPERAND_FP16, 4,
	  multiply_fp16_f32, NULL },
	{ "bf16", "bf16 -> fp32", SAME(BF16_FP32), NPU_COST_16BIT, OPERAND_BF16, 4, multiply_bf16,
	  multiply_bf16_mt },
	{ "tf32", "tf32 -> fp32", SAME(TF32_FP32), NPU_COST_TF32, OPERAND_TF32, 4, multiply_tf32,
	  NULL },
	/* Four int8 products of high and low bytes. */
	{ "int16", "int16 -> int64", ROCKET_MM_INT16_INT32, ROCKET_MM_INT8_INT32, 2, NPU_COST_INT8,
	  OPERAND_INT16, 8, multiply_int16, NULL },
	{ "int8", "int8 -> int32", SAME(INT8_INT32), NPU_COST_INT8, OPERAND_INT8, 4, multiply_int8,
	  NULL },
	{ "int4", "int4 -> int32", SAME(INT4_INT16), NPU_COST_INT4, OPERAND_INT4, 4, multiply_int4,
	  NULL },
};

const struct dtype *dtype_named(const char *name)
{
	for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++)
		if (!strcmp(name, dtypes[i].name))
			return &dtypes[i];
	return NULL;
}

const struct dtype *dtype_option(const struct options *o, const char *name)
{
	const struct dtype *dtype = dtype_named(name);

	if (!dtype)
		command_misused(o->command, "unknown dtype '%s': " DTYPE_NAMES " is expected",
				name);
	return dtype;
}

bool extent_operands(const struct options *o, char **operands, struct extent *extent)
{
	static const char *const names[] = { "M", "K", "N" };
	int *const values[] = { &extent->M, &extent->K, &extent->N };

	for (int i = 0; i < 3; i++) {
		long long value;

		if (!options_number(o, names[i], operands[i], 1, INT_MAX, &value))
			return false;
		*values[i] = (int)value;
	}
	return true;
}

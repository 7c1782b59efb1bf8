// SPDX-License-Identifier: LGPL-2.1-or-later
#include <limits.h>
#include <string.h>

#include "rocket_matmul.h"

#include "dtype.h"
#include "options.h"

static int multiply_fp16(int fd, int M, int K, int N, const void *A, const void *B, void *C)
{
	return rocket_matmul_fp16(fd, M, K, N, A, B, C);
}

static int multiply_fp16_f32(int fd, int M, int K, int N, const void *A, const void *B, void *C)
{
	return rocket_matmul_fp16_f32out(fd, M, K, N, A, B, C);
}

static int multiply_int8(int fd, int M, int K, int N, const void *A, const void *B, void *C)
{
	return rocket_matmul_int8(fd, M, K, N, A, B, C);
}

static const struct dtype dtypes[] = {
	{ "fp16", "fp16 -> fp16", ROCKET_MM_FP16_FP16, NPU_COST_16BIT, false, 2, 2, multiply_fp16 },
	{ "fp16-f32", "fp16 -> fp32", ROCKET_MM_FP16_FP32, NPU_COST_16BIT, false, 2, 4,
	  multiply_fp16_f32 },
	{ "int8", "int8 -> int32", ROCKET_MM_INT8_INT32, NPU_COST_INT8, true, 1, 4, multiply_int8 },
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

// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_align.c - shapes that no entry takes, made into ones. */
#include <string.h>

#include "../core/status.h"
#include "../plan/matmul_plan.h"
#include "rocket_matmul.h"

/* Types by the entries that take them: int16 is multiplied as bytes. */
static const struct {
	const char *dtype;
	enum rocket_matmul_type type;
} entries[] = {
	{ "fp16", ROCKET_MM_FP16_FP16 },   { "bf16", ROCKET_MM_BF16_FP32 },
	{ "tf32", ROCKET_MM_TF32_FP32 },   { "int8", ROCKET_MM_INT8_INT32 },
	{ "int16", ROCKET_MM_INT8_INT32 }, { "int4", ROCKET_MM_INT4_INT16 },
};

static const struct rocket_matmul_traits *traits_of(const char *dtype)
{
	for (size_t i = 0; dtype && i < sizeof(entries) / sizeof(entries[0]); i++)
		if (!strcmp(entries[i].dtype, dtype))
			return rocket_matmul_traits(entries[i].type);
	return NULL;
}

int rocket_mm_align(const char *dtype, int *M, int *K, int *N)
{
	static const char who[] = "rocket_mm_align";
	const struct rocket_matmul_traits *tr = traits_of(dtype);
	const struct {
		const char *name;
		int *value, align;
	} dims[] = { { "M", M, M && *M == 1 ? 1 : 4 },
		     { "K", K, tr ? (int)tr->k_align : 1 },
		     { "N", N, tr ? (int)tr->n_align : 1 } };

	if (!tr)
		return rocket_fail(ROCKET_E_SHAPE, "%s: no operands of type %.20s", who,
				   dtype ? dtype : "NULL");
	for (unsigned i = 0; i < 3; i++)
		if (!dims[i].value || *dims[i].value < 1 || *dims[i].value > ROCKET_MATMUL_DIM_MAX)
			return rocket_fail(ROCKET_E_SHAPE, "%s: %s is not in 1..2^24", who,
					   dims[i].name);
	for (unsigned i = 0; i < 3; i++)
		*dims[i].value =
			(*dims[i].value + dims[i].align - 1) / dims[i].align * dims[i].align;
	return ROCKET_OK;
}

int rocket_mm_copy_rows(void *dst, int dst_rows, int dst_columns, const void *src, int src_rows,
			int src_columns, size_t element_bytes)
{
	static const char who[] = "rocket_mm_copy_rows";
	uint8_t *row = dst;
	size_t to, from, both, all;

	if (!dst || !src)
		return rocket_fail(ROCKET_E_SHAPE, "%s: %s is NULL", who, dst ? "src" : "dst");
	if (dst_rows < 0 || dst_columns < 0 || src_rows < 0 || src_columns < 0)
		return rocket_fail(ROCKET_E_SHAPE, "%s: a size is negative", who);
	if (__builtin_mul_overflow((size_t)dst_columns, element_bytes, &to) ||
	    __builtin_mul_overflow((size_t)src_columns, element_bytes, &from) ||
	    __builtin_mul_overflow(to, (size_t)dst_rows, &all) ||
	    __builtin_mul_overflow(from, (size_t)src_rows, &all))
		return rocket_fail(ROCKET_E_SHAPE, "%s: a matrix does not fit in memory", who);
	both = to < from ? to : from;
	for (int i = 0; i < dst_rows; i++, row += to) {
		const size_t have = i < src_rows ? both : 0;

		if (have)
			memcpy(row, (const uint8_t *)src + (size_t)i * from, have);
		memset(row + have, 0, to - have);
	}
	return ROCKET_OK;
}

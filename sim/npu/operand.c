// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/npu/operand.h"

#include "sim/npu/cpu.h"
#include "sim/npu/mac_float.h"
#include "sim/npu/mac_int.h"

/* By precision code; code 4 and 5 are outputs only. */
static const struct operand_type operand_types[] = {
	{ "int8", 0, 0, 8, 32, 32, true, MAC_INT8 },
	{ "int16", 1, 1, 16, 16, 32, true, MAC_INT16 },
	{ "fp16", 2, 2, 16, 16, 32, false, MAC_FP16 },
	{ "bf16", 3, 3, 16, 16, 32, false, MAC_BF16 },
	{ "int4", 6, 6, 4, 64, 32, true, MAC_INT4 },
	{ "tf32", 7, 5, 32, 16, 16, false, MAC_TF32 },
};

const struct operand_type *operand_type_by_code(unsigned code)
{
	for (unsigned i = 0; i < sizeof(operand_types) / sizeof(operand_types[0]); i++)
		if (operand_types[i].cna == code)
			return &operand_types[i];
	return NULL;
}

/*
 * Exact sums in double: products of twice the significand's bits, 2 * 11 or 2 * 8, of a group
 * of 2^5 or 2^4, leave this many of the 53 bits to the spreads.
 */
#define SPREAD_FP16 (53 - 22 - 5)
#define SPREAD_BF16 (53 - 16 - 5)
#define SPREAD_TF32 (53 - 22 - 4)

#define INT(_name, _acc, _unpack, _pack, _block, _finish)                                          \
	{                                                                                          \
		.name = _name, .element = sizeof(int16_t), .group = INT_GROUP, .panel = INT_PANEL, \
		.rows = INT_ROWS, .acc = _acc, .unpack = _unpack, .pack = _pack, .block = _block,  \
		.finish = _finish                                                                  \
	}
#define FLOAT(_name, _group, _spread, _sum, _unpack, _pack, _block)                                \
	{                                                                                          \
		.name = _name, .element = sizeof(double), .group = _group, .panel = FLOAT_PANEL,   \
		.rows = FLOAT_ROWS, .acc = sizeof(float), .spread = _spread, .sum = _sum,          \
		.unpack = _unpack, .pack = _pack, .block = _block                                  \
	}

const struct mac mac_portable[MAC_KINDS] = {
	[MAC_INT4] = INT("int4 portable", 4, int4_unpack, int4_pack, int_block, NULL),
	[MAC_INT8] = INT("int8 portable", 4, int8_unpack, int8_pack, int_block, NULL),
	[MAC_INT16] =
		INT("int16 portable", 8, int16_unpack, int16_pack, int_block_wide, int_finish),
	[MAC_FP16] = FLOAT("fp16 portable", 32, SPREAD_FP16, fp16_group_sum, fp16_unpack, fp16_pack,
			   float_block),
	[MAC_BF16] = FLOAT("bf16 portable", 32, SPREAD_BF16, float_group_sum, bf16_unpack,
			   bf16_pack, float_block),
	[MAC_TF32] = FLOAT("tf32 portable", 16, SPREAD_TF32, float_group_sum, tf32_unpack,
			   tf32_pack, float_block),
};

#if CPU_X86
const struct mac mac_avx2[MAC_KINDS] = {
	[MAC_INT4] = INT("int4 avx2", 4, int4_unpack, int4_pack, int_block_avx2, NULL),
	[MAC_INT8] = INT("int8 avx2", 4, int8_unpack_avx2, int8_pack_avx2, int_block_avx2, NULL),
	[MAC_INT16] = INT("int16", 8, int16_unpack, int16_pack, int_block_wide, int_finish),
	[MAC_FP16] = FLOAT("fp16 avx2", 32, SPREAD_FP16, fp16_group_sum, fp16_unpack_avx2,
			   fp16_pack_avx2, float_block_avx2),
	[MAC_BF16] = FLOAT("bf16 avx2", 32, SPREAD_BF16, float_group_sum, bf16_unpack, bf16_pack,
			   float_block_avx2),
	[MAC_TF32] = FLOAT("tf32 avx2", 16, SPREAD_TF32, float_group_sum, tf32_unpack, tf32_pack,
			   float_block_avx2),
};
#else
#define mac_avx2 mac_portable
#endif

const struct mac *mac_choose(enum mac_kind kind, bool force_portable)
{
	return !force_portable && cpu_has_vectors() ? &mac_avx2[kind] : &mac_portable[kind];
}

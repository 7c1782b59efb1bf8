// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/npu/operand.h"

#include "sim/npu/cpu.h"

/* By precision code; code 4 and 5 are outputs only. */
static const struct operand_type operand_types[] = {
	{ "int8", 0, 0, 8, 32, 32, true, MAC_INT8 },
	{ "int16", 1, 1, 16, 16, 32, true, MAC_NONE },
	{ "fp16", 2, 2, 16, 16, 32, false, MAC_FP16 },
	{ "bf16", 3, 3, 16, 16, 32, false, MAC_NONE },
	{ "int4", 6, 6, 4, 64, 32, true, MAC_NONE },
	{ "tf32", 7, 5, 32, 16, 16, false, MAC_NONE },
};

const struct operand_type *operand_type_by_code(unsigned code)
{
	for (unsigned i = 0; i < sizeof(operand_types) / sizeof(operand_types[0]); i++)
		if (operand_types[i].cna == code)
			return &operand_types[i];
	return NULL;
}

uint16_t spread_of_exponents(uint32_t exponents)
{
	uint16_t flag = exponents >> 31 ? SPREAD_NONFINITE : 0;

	exponents &= 0x7fffffffu;
	if (!exponents)
		return flag;
	return flag | (uint16_t)(31 - __builtin_clz(exponents) - __builtin_ctz(exponents));
}

static const struct mac *const portable[MAC_KINDS] = {
	[MAC_FP16] = &mac_fp16_portable,
	[MAC_INT8] = &mac_int8_portable,
};

#if CPU_X86
static const struct mac *const vector[MAC_KINDS] = {
	[MAC_FP16] = &mac_fp16_avx2,
	[MAC_INT8] = &mac_int8_avx2,
};
#else
#define vector portable
#endif

const struct mac *mac_choose(enum mac_kind kind, bool force_portable)
{
	return !force_portable && cpu_has_vectors() ? vector[kind] : portable[kind];
}

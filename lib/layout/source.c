// SPDX-License-Identifier: LGPL-2.1-or-later
/* source.c - see source.h. */
#include "kernels.h"
#include "source.h"

const struct rocket_source rocket_source_8 = { NULL, 1, 8, NULL };
const struct rocket_source rocket_source_16 = { NULL, 2, 16, NULL };
const struct rocket_source rocket_source_32 = { NULL, 4, 32, NULL };

#define CONVERSION(name)                                                                           \
	static bool name(void *dst, const void *src, size_t count)                                 \
	{                                                                                          \
		return rocket_layout_kernels()->name(dst, src, count);                             \
	}

CONVERSION(to_bf16)
CONVERSION(to_int4)
CONVERSION(to_int16_high)
CONVERSION(to_int16_low)

const struct rocket_source rocket_source_bf16 = { NULL, 4, 16, to_bf16 };
const struct rocket_source rocket_source_int4 = { "-8..7", 1, 4, to_int4 };
const struct rocket_source rocket_source_int16_high = { "-32768..32639", 2, 8, to_int16_high };
const struct rocket_source rocket_source_int16_low = { "-32768..32639", 2, 8, to_int16_low };

// SPDX-License-Identifier: LGPL-2.1-or-later
/* source.c - see source.h. */
#include "kernels.h"
#include "source.h"

const struct rocket_source rocket_source_8 = { NULL, 1, 8, 1, NULL };
const struct rocket_source rocket_source_16 = { NULL, 2, 16, 1, NULL };
const struct rocket_source rocket_source_32 = { NULL, 4, 32, 1, NULL };

static bool to_bf16(void *const dst[ROCKET_SOURCE_PARTS], const void *src, size_t count)
{
	return rocket_layout_kernels()->to_bf16(dst[0], src, count);
}

static bool to_int4(void *const dst[ROCKET_SOURCE_PARTS], const void *src, size_t count)
{
	return rocket_layout_kernels()->to_int4(dst[0], src, count);
}

static bool split_int16(void *const dst[ROCKET_SOURCE_PARTS], const void *src, size_t count)
{
	return rocket_layout_kernels()->split_int16(dst[0], dst[1], src, count);
}

const struct rocket_source rocket_source_bf16 = { NULL, 4, 16, 1, to_bf16 };
const struct rocket_source rocket_source_int4 = { "-8..7", 1, 4, 1, to_int4 };
const struct rocket_source rocket_source_int16 = { "-32768..32639", 2, 8, 2, split_int16 };

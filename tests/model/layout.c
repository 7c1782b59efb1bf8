// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/model/layout.h"

#include <string.h>

static const struct layout_type types[] = {
	{ "fp16", 16, 16, 32 }, { "bf16", 16, 16, 32 }, { "int16", 16, 16, 32 },
	{ "int8", 8, 32, 32 },  { "int4", 4, 64, 32 },  { "tf32", 32, 16, 16 },
};

const struct layout_type *layout_type(const char *name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].name, name))
			return &types[i];
	return NULL;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/npu/npu.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *meaning;
} quirks[] = {
	{ "int-chain", "integer tasks of a chained kick add to the residue of the task before" },
	{ "w8191", "a memory-fed task with cube width field 8191 gets its tail wrong" },
	{ "slack", "int8 features that fill their last bank get their last rows wrong" },
	{ "cbuf", "feature rows past the programmed banks are overwritten by earlier ones" },
	{ "fcbank", "FC_DATA_BANK other than 0 corrupts three results of four" },
	{ "wedge", "after a hang of the operand path the next kick hangs too, reset or not" },
	{ "bsp-enable", "ENABLE without DPU_RDMA runs, as under the vendor kernel" },
};

#define QUIRKS (sizeof(quirks) / sizeof(quirks[0]))

const char *npu_quirk_name(unsigned i)
{
	return i < QUIRKS ? quirks[i].name : NULL;
}

const char *npu_quirk_meaning(unsigned i)
{
	return i < QUIRKS ? quirks[i].meaning : NULL;
}

static int apply(const char *word, size_t len, uint32_t *set)
{
	bool remove = len && word[0] == '-';

	word += remove;
	len -= remove;
	for (unsigned i = 0; i < QUIRKS; i++)
		if (strlen(quirks[i].name) == len && !memcmp(quirks[i].name, word, len)) {
			*set = remove ? *set & ~(1u << i) : *set | 1u << i;
			return 0;
		}
	if (len == 3 && !memcmp(word, "all", 3))
		*set = remove ? 0 : (1u << QUIRKS) - 1;
	else if (len == 4 && !memcmp(word, "none", 4) && !remove)
		*set = 0;
	else
		return -1;
	return 0;
}

int npu_quirks_parse(const char *list, uint32_t *quirks_out, char *bad, size_t bad_size)
{
	uint32_t set = 0;

	while (list && *list) {
		size_t len = strcspn(list, ",");

		if (len && apply(list, len, &set)) {
			if (bad && bad_size)
				snprintf(bad, bad_size, "%.*s", (int)len, list);
			return -1;
		}
		list += len + (list[len] == ',');
	}
	*quirks_out = set;
	return 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* check_lut.c - uploads to the lookup tables, and entries the converter gets wrong. */
#include "check.h"

#define TABLE_ENTRIES 513

struct upload {
	size_t word; /* of LUT_ACCESS_CFG */
	bool on;
	unsigned table, next;
	bool zero_seen[2];
};

static void finish(struct rocket_check *c, const struct upload *u)
{
	if (u->on && u->next < TABLE_ENTRIES)
		rocket_check_fault(c, u->word, RK3588_DPU_LUT_ACCESS_CFG,
				   "table %s gets %u of %u entries", u->table ? "LO" : "LE",
				   u->next, TABLE_ENTRIES);
}

static void start(struct rocket_check *c, struct upload *u, size_t word, uint32_t value)
{
	finish(c, u);
	u->word = word;
	u->on = RK3588_GET(DPU, LUT_ACCESS_CFG, LUT_ACCESS_TYPE, value);
	u->table = RK3588_GET(DPU, LUT_ACCESS_CFG, LUT_TABLE_ID, value);
	u->next = RK3588_GET(DPU, LUT_ACCESS_CFG, LUT_ADDR, value);
}

/*
 * The output converter turns entry + offset == 0 into 2^17 instead of 0 [silicon].
 * Values between entries can hit it as well; a program does not show those.
 */
static void entry(struct rocket_check *c, struct upload *u, size_t word, uint32_t value, bool live)
{
	int32_t v = (int16_t)RK3588_GET(DPU, LUT_ACCESS_DATA, LUT_ACCESS_DATA, value);

	if (!u->on)
		return;
	if (u->next == TABLE_ENTRIES)
		rocket_check_fault(c, word, RK3588_DPU_LUT_ACCESS_DATA,
				   "entry past the end of table %s", u->table ? "LO" : "LE");
	else if (live && !u->zero_seen[u->table] &&
		 v + (int64_t)GET(DPU, OUT_CVT_OFFSET, OUT_CVT_OFFSET) == 0) {
		u->zero_seen[u->table] = true;
		rocket_check_warn(
			c, word, RK3588_DPU_LUT_ACCESS_DATA,
			"entry %u of table %s plus OUT_CVT_OFFSET is 0: comes out as 2^17", u->next,
			u->table ? "LO" : "LE");
	}
	u->next++;
}

void rk3588_check_lut(struct rocket_check *c)
{
	bool live = !GET(DPU, EW_CFG, EW_BYPASS) && !GET(DPU, EW_CFG, EW_LUT_BYPASS);
	struct upload u = { 0 };

	for (size_t i = 0; i < c->count; i++) {
		if (rocket_word_target(c->words[i]) != ROCKET_TARGET_DPU)
			continue;
		if (rocket_word_offset(c->words[i]) == RK3588_DPU_LUT_ACCESS_CFG)
			start(c, &u, i, rocket_word_value(c->words[i]));
		else if (rocket_word_offset(c->words[i]) == RK3588_DPU_LUT_ACCESS_DATA)
			entry(c, &u, i, rocket_word_value(c->words[i]), live);
	}
	finish(c, &u);
}

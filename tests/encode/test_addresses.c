// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_addresses.c - the validator on the memory a program touches. */
#include "support.h"

/* ---- addresses ---- */

struct window {
	uint32_t first;
	uint64_t size;
	bool writable;
};

/* All of a request must lie in one window. */
static bool mapped(void *ctx, uint32_t iova, uint64_t size, bool write)
{
	for (const struct window *w = ctx; w->size; w++)
		if (iova >= w->first && iova + size <= w->first + w->size &&
		    (!write || w->writable))
			return true;
	return false;
}

/* Exact sizes of 64 x 384 x 96 in fp16, written down independently. */
static struct window windows[] = {
	{ 0x10000000, 64 * 384 * 2, false }, { 0x20000000, 96 * 384 * 2, false },
	{ 0x30000000, 64 * 96 * 2, true },   { 0x40000000, 64 * 96 * 2, false },
	{ 0x50000000, 2 * 1008, false },     { 0, 0, false },
};
static const struct rocket_program_space space = { mapped, windows };

static void exactly_mapped_program_is_clean(void **state)
{
	(void)state;
	use_accumulating();
	how.space = &space;
	how.chained = true;
	assert_true(rocket_chain_link(prog, count, 0x500003f0, WORDS));
	is_clean();
}

static void unmapped_range_is_reported(void **state)
{
	static const struct {
		const char *block, *reg, *words;
	} wanted[] = {
		{ "CNA", "FEATURE_DATA_ADDR", "features: 49152 bytes at 0x10000000" },
		{ "CNA", "DCOMP_ADDR0", "weights: 73728 bytes at 0x20000000" },
		{ "DPU", "DST_BASE_ADDR", "output: 12288 bytes at 0x30000000" },
		{ "DPU_RDMA", "RDMA_SRC_BASE_ADDR", "operand: 12288 bytes at 0x40000000" },
		{ "PC", "BASE_ADDRESS", "next program: 1008 bytes at 0x500003f0" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(wanted); i++) {
		use_accumulating();
		how.space = &space;
		how.chained = true;
		assert_true(rocket_chain_link(prog, count, 0x500003f0, WORDS));
		windows[i].size--;
		reports(wanted[i].block, wanted[i].reg, wanted[i].words);
		windows[i].size++;
	}
}

static void read_only_output_is_reported(void **state)
{
	(void)state;
	use_plain();
	how.space = &space;
	windows[2].writable = false;
	reports("DPU", "DST_BASE_ADDR", "not mapped for writing");
	windows[2].writable = true;
}

static void reused_operand_is_not_fetched(void **state)
{
	struct rocket_matmul_task t = plain_task();

	(void)state;
	t.data_reuse = t.weight_reuse = true;
	t.input = t.weights = 0x70000000;
	use_task(t);
	how.space = &space;
	how.first_of_job = false;
	is_clean();
}

/* Rows of A: 63 x 1536 + 768 bytes; of C: 63 x 1280 + 192. */
static void rows_are_measured_to_their_last_byte(void **state)
{
	struct window rows[] = {
		{ 0x10000000, 63 * 1536 + 768, false },
		{ 0x20000000, 96 * 384 * 2, false },
		{ 0x30000000, 63 * 1280 + 192, true },
		{ 0, 0, false },
	};
	const struct rocket_program_space rows_space = { mapped, rows };

	(void)state;
	use_rows();
	how.space = &rows_space;
	is_clean();
	rows[0].size -= 1;
	reports("CNA", "FEATURE_DATA_ADDR", "features: 97536 bytes");
	rows[0].size += 1;
	rows[2].size -= 1;
	reports("DPU", "DST_BASE_ADDR", "output: 80832 bytes");
}

static void bias_and_pool_addresses_are_checked(void **state)
{
	struct window none[] = { { 0x10000000, 1 << 24, false },
				 { 0x20000000, 1 << 24, false },
				 { 0x30000000, 1 << 24, true },
				 { 0x40000000, 255, false },
				 { 0, 0, false } };
	const struct rocket_program_space few = { mapped, none };

	(void)state;
	use_depthwise(); /* 64 channels of int32 bias */
	how.space = &few;
	reports("DPU_RDMA", "RDMA_BS_BASE_ADDR", "bias: 256 bytes at 0x40000000");
	none[3].size++;
	is_clean();
	use_pool();
	how.space = &few;
	is_clean();
	none[2].writable = false;
	reports("PPU", "DST_BASE_ADDR", "output");
	none[2].writable = true;
	none[0].size = 13 * 13 * 64 * 2 - 1;
	reports("PPU_RDMA", "RDMA_SRC_BASE_ADDR", "input: 21632 bytes");
}

static void range_past_4_gib_is_reported(void **state)
{
	(void)state;
	use_plain();
	set(0x4020, 0xfffff000);
	reports("DPU", "DST_BASE_ADDR", "leaves the 4 GiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exactly_mapped_program_is_clean),
		cmocka_unit_test(unmapped_range_is_reported),
		cmocka_unit_test(read_only_output_is_reported),
		cmocka_unit_test(reused_operand_is_not_fetched),
		cmocka_unit_test(rows_are_measured_to_their_last_byte),
		cmocka_unit_test(bias_and_pool_addresses_are_checked),
		cmocka_unit_test(range_past_4_gib_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_program.c - the builder, chains and the disassembler. */
#include "tap.h"

#include "lib/encode/program.h"
#include "regs/rk3588_emit.h"

/* ---- builder ---- */

static void program_fault_sticks(void **state)
{
	uint64_t words[8] = { 0 };
	struct rocket_program p;

	(void)state;
	rocket_program_init(&p, words, 8);
	EMIT(&p, CNA, DATA_SIZE2, .DATAOUT_WIDTH = 7);
	EMIT(&p, CNA, DATA_SIZE2, .DATAOUT_WIDTH = 2048);
	EMIT(&p, CNA, CONV_CON2, .FEATURE_GRAINS = 5000);
	EMIT(&p, CNA, DATA_SIZE2, .DATAOUT_WIDTH = 9);
	rocket_program_end(&p, ROCKET_ENABLE_CONV);
	assert_int_equal(rocket_program_count(&p), 0);
	assert_string_equal(p.fault, "CNA.DATA_SIZE2.DATAOUT_WIDTH = 2048 is not in 0..2047");
	for (int i = 1; i < 8; i++)
		assert_int_equal(words[i], 0);
}

static void program_write_rejects_another_blocks_register(void **state)
{
	static const struct {
		unsigned target, offset;
	} bad[] = {
		{ ROCKET_TARGET_CNA, 0x4020 }, { ROCKET_TARGET_DPU, 0x5004 },
		{ ROCKET_TARGET_NONE, 0 },     { ROCKET_TARGET_PPU_RDMA, 0x8000 },
		{ ROCKET_TARGET_DPU, 0x4021 }, { ROCKET_TARGET_CNA, 0x11100 },
	};
	uint64_t word;
	struct rocket_program p;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		rocket_program_init(&p, &word, 1);
		rocket_program_write(&p, bad[i].target, bad[i].offset, 0);
		assert_int_equal(rocket_program_count(&p), 0);
		assert_non_null(strstr(p.fault, "does not reach"));
	}
}

static void program_that_does_not_fit_is_faulty(void **state)
{
	uint64_t words[5] = { 0, 0, 0, 0, 0x1234 };
	struct rocket_program p;

	(void)state;
	rocket_program_init(&p, words, 4);
	EMIT(&p, CNA, DATA_SIZE2, .DATAOUT_WIDTH = 1);
	rocket_program_end(&p, ROCKET_ENABLE_CONV);
	assert_int_equal(rocket_program_count(&p), 0);
	assert_string_equal(p.fault, "program does not fit in 4 words");
	assert_int_equal(words[4], 0x1234);
}

static void program_end_writes_the_trailer(void **state)
{
	static const uint64_t trailer[] = { 0, 0x0101000000000014, 0x0041000000000000,
					    0x00810000001d0008 };
	uint64_t words[4];
	struct rocket_program p;

	(void)state;
	rocket_program_init(&p, words, 4);
	rocket_program_end(&p, ROCKET_ENABLE_CONV);
	assert_int_equal(rocket_program_count(&p), 4);
	assert_memory_equal(words, trailer, sizeof(trailer));
}

/* The table of the specification: words and the amount the PC is given. */
static void amount_counts_128_bit_fetches_minus_one(void **state)
{
	static const uint32_t table[][2] = { { 30, 0x0e },  { 35, 0x11 },  { 93, 0x2e },
					     { 126, 0x3e }, { 143, 0x47 }, { 1070, 0x216 } };

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		assert_int_equal(rocket_pc_amount(table[i][0]), table[i][1]);
		assert_int_equal(rocket_program_stride(table[i][0]), 2 * (table[i][1] + 1));
	}
}

/* ---- chains: the worked example of two fp16 matmuls at 0x50000000 ---- */

#define COUNT_0 126

static void build(uint64_t *words, unsigned body, uint32_t enable)
{
	struct rocket_program p;

	rocket_program_init(&p, words, body + 4);
	for (unsigned i = 0; i < body; i++)
		EMIT(&p, DPU, EW_OP_VALUE_0, .EW_OPERAND_0 = i);
	rocket_program_end(&p, enable);
	assert_int_equal(rocket_program_count(&p), body + 4);
}

static void chain_of_two_is_the_worked_example(void **state)
{
	uint64_t words[2 * COUNT_0];
	uint8_t bytes[8];

	(void)state;
	build(words, COUNT_0 - 4, ROCKET_ENABLE_CONV);
	build(words + COUNT_0, COUNT_0 - 4, ROCKET_ENABLE_CONV);
	assert_true(rocket_chain_link(words, COUNT_0, 0x50000000 + 8 * COUNT_0, COUNT_0));
	assert_true(rocket_chain_seal(words + COUNT_0, COUNT_0));
	assert_int_equal(words[122], 0x0101500003f00010);
	assert_int_equal(words[123], 0x01010000003e0014);
	assert_int_equal(words[124], 0x0041000000000000);
	assert_int_equal(words[125], 0x00810000001d0008);
	assert_int_equal(words[248], 0);
	assert_int_equal(words[249], 0x01010000003e0014);
	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(words[122] >> 8 * i);
	assert_memory_equal(bytes, "\x10\x00\xf0\x03\x00\x50\x01\x01", 8);
}

static void chain_link_carries_the_next_programs_length(void **state)
{
	uint64_t words[COUNT_0];

	(void)state;
	build(words, COUNT_0 - 4, ROCKET_ENABLE_CONV);
	assert_true(rocket_chain_link(words, COUNT_0, 0x500003f0, 30));
	assert_int_equal(words[123], 0x01010000000e0014);
}

static void chain_link_refuses_what_cannot_run(void **state)
{
	uint64_t words[COUNT_0], before[COUNT_0];

	(void)state;
	build(words, COUNT_0 - 4, ROCKET_ENABLE_CONV);
	memcpy(before, words, sizeof(words));
	assert_false(rocket_chain_link(words, COUNT_0, 0x500003f8, COUNT_0)); /* unaligned */
	assert_false(rocket_chain_link(words, COUNT_0, 0, COUNT_0));          /* no link */
	assert_false(rocket_chain_link(words, COUNT_0, 0x50000400, 0));
	assert_false(rocket_chain_link(words, COUNT_0, 0x50000400, 131074));      /* amount field */
	assert_false(rocket_chain_link(words, COUNT_0 - 1, 0x50000400, COUNT_0)); /* no trailer */
	assert_false(rocket_chain_link(words, 3, 0x50000400, COUNT_0));
	assert_false(rocket_chain_link(words, 0, 0x50000400, COUNT_0));
	assert_false(rocket_chain_seal(words, COUNT_0 - 2));
	assert_memory_equal(words, before, sizeof(words));
}

static void chain_seal_undoes_a_link(void **state)
{
	uint64_t words[30];

	(void)state;
	build(words, 26, ROCKET_ENABLE_POOL);
	assert_true(rocket_chain_link(words, 30, 0x50001000, 126));
	assert_true(rocket_chain_seal(words, 30));
	assert_int_equal(words[26], 0);
	assert_int_equal(words[27], 0x01010000000e0014);
}

/* ---- disassembler ---- */

static void word_reads(uint64_t word, const char *want)
{
	char line[256];

	assert_int_equal(rocket_disassemble("rk3588", word, line, sizeof(line)), strlen(want));
	assert_string_equal(line, want);
}

static void disassembly_names_block_register_and_fields(void **state)
{
	(void)state;
	word_reads(0x0201000004101010, "CNA.CONV_CON2 (1010) = 0x00000410  FEATURE_GRAINS=65");
	word_reads(0x1001300000004020,
		   "DPU.DST_BASE_ADDR (4020) = 0x30000000  DST_BASE_ADDR=0x30000000");
	word_reads(0x10010000003f4034,
		   "DPU.DATA_CUBE_HEIGHT (4034) = 0x0000003f  HEIGHT_EXTENT=64");
	word_reads(0x02010ffffffd1080, "CNA.DMA_CON2 (1080) = 0x0ffffffd  SURF_STRIDE=-3");
	word_reads(0x0201000000001060, "CNA.FC_CON0 (1060) = 0x00000000");
	word_reads(0x0201000000021028 | 0x80000000ull << 16,
		   "CNA.DATA_SIZE2 (1028) = 0x80000002  RESERVED_0=0x100000 DATAOUT_WIDTH=2");
	word_reads(0x0101500003f00010,
		   "PC.BASE_ADDRESS (0010) = 0x500003f0  PC_SOURCE_ADDR=0x500003f0");
}

static void disassembly_names_the_special_words(void **state)
{
	(void)state;
	word_reads(0, "NONE");
	word_reads(0x0001000000000000, "NOP");
	word_reads(0x0041000000000000, "FENCE");
	word_reads(0x00810000001d0008, "ENABLE (0008) = 0x0000001d  CNA CORE DPU DPU_RDMA");
	word_reads(0x0081000000820008, "ENABLE (0008) = 0x00000082  unknown=0x82");
	word_reads(0x0000000000070001, "NONE (ignored value 0x00000007, offset 0001)");
}

static void disassembly_says_what_is_wrong(void **state)
{
	(void)state;
	word_reads(0x0201000000013010, "CNA.? (3010) = 0x00000001  offset outside the block");
	word_reads(0x0201000000011018, "CNA.? (1018) = 0x00000001  unknown register");
	word_reads(0x1234000000011010, "target 1234, offset 1010 = 0x00000001  unknown target");
}

static void disassembly_reports_the_length_it_needs(void **state)
{
	char line[9] = "########";
	int need = rocket_disassemble("rk3588", 0x0041000000000000, NULL, 0);

	(void)state;
	assert_int_equal(need, 5);
	assert_int_equal(rocket_disassemble("rk3588", 0x0201000004101010, line, 8), 52);
	assert_string_equal(line, "CNA.CON");
	assert_int_equal(line[8], '\0');
	assert_true(rocket_disassemble("rk9999", 0, line, 8) > 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(program_fault_sticks),
		cmocka_unit_test(program_write_rejects_another_blocks_register),
		cmocka_unit_test(program_that_does_not_fit_is_faulty),
		cmocka_unit_test(program_end_writes_the_trailer),
		cmocka_unit_test(amount_counts_128_bit_fetches_minus_one),
		cmocka_unit_test(chain_of_two_is_the_worked_example),
		cmocka_unit_test(chain_link_carries_the_next_programs_length),
		cmocka_unit_test(chain_link_refuses_what_cannot_run),
		cmocka_unit_test(chain_seal_undoes_a_link),
		cmocka_unit_test(disassembly_names_block_register_and_fields),
		cmocka_unit_test(disassembly_names_the_special_words),
		cmocka_unit_test(disassembly_says_what_is_wrong),
		cmocka_unit_test(disassembly_reports_the_length_it_needs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

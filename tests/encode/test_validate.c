// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * test_validate.c - the validator on words, trailers, chains and as a whole.
 *
 * One mistake, one fault, with the right name.
 */
#include "support.h"

/* ---- sound programs are clean ---- */

static void sound_program_is_clean(void **state)
{
	static const char *const golden[] = {
		"conv_fp16_3x3_p1_ic32_oc16_8x8.txt",
		"conv_int8q_dw3x3_s2_p1_c64_9x9.txt",
		"pool_fp16_max_5x5s1_p2_c64_13x13.txt",
		"fly_int8_max_4096.txt",
		"lut_sigmoid_n128.csv",
	};

	(void)state;
	use_plain();
	is_clean();
	use_accumulating();
	is_clean();
	use_int8();
	is_clean();
	use_rows();
	is_clean();
	for (size_t i = 0; i < COUNT(golden); i++) {
		use_golden(golden[i]);
		is_clean();
	}
}

static void every_matmul_type_is_clean(void **state)
{
	(void)state;
	for (int type = 0; type < ROCKET_MM_TYPES; type++) {
		struct rocket_matmul_task t = plain_task();

		t.type = (enum rocket_matmul_type)type;
		t.n = 128;
		use_task(t);
		is_clean();
	}
}

/* ---- words ---- */

static void word_of_unknown_target_is_reported(void **state)
{
	(void)state;
	use_plain();
	prog[find(0x1010)] = rocket_word(0x0204, 0, 0x1010);
	reports("", "", "unknown target 0x0204");
	assert_int_equal(faults[0].word, find(0x1014) - 1);
}

static void word_outside_its_block_is_reported(void **state)
{
	(void)state;
	use_plain();
	prog[find(0x1010)] = rocket_word(ROCKET_TARGET_CORE, 0x410, 0x1010);
	reports("CNA", "CONV_CON2", "outside block CORE");
}

static void word_for_an_unknown_register_is_reported(void **state)
{
	(void)state;
	use_plain();
	memmove(&prog[4], &prog[3], (count++ - 3) * sizeof(prog[0]));
	prog[3] = rocket_word(ROCKET_TARGET_CNA, 0, 0x1018);
	reports("CNA", "", "unknown register 0x1018");
	prog[3] = rocket_word(ROCKET_TARGET_CNA, 0, 0x1017);
	reports("", "", "no register at offset 0x1017");
	prog[3] = rocket_word(ROCKET_TARGET_CNA, 0, 0x1000);
	reports("CNA", "S_STATUS", "read-only");
}

static void register_written_twice_is_a_warning(void **state)
{
	(void)state;
	use_plain();
	memmove(&prog[3], &prog[2], (count++ - 2) * sizeof(prog[0]));
	is_clean(); /* the same value again is harmless */
	prog[2] = rocket_word(ROCKET_TARGET_CNA, 0x123, 0x100c);
	reports("CNA", "CONV_CON1", "written twice: 0x00000123, then 0x00000120");
	assert_true(faults[0].warning);
}

static void value_outside_its_fields_is_reported(void **state)
{
	static const struct mistake mistakes[] = {
		{ use_plain, 0x1044, 0x200c, "CNA", "CBUF_CON1", "bits 0x00002000 are outside" },
		{ use_plain, 0x1028, 0x801, "CNA", "DATA_SIZE2", "bits 0x00000800" },
		{ use_plain, 0x4030, 0x2000, "DPU", "DATA_CUBE_WIDTH", "bits 0x00002000" },
		{ use_plain, 0x5014, 0xff00005f, "DPU_RDMA", "RDMA_DATA_CUBE_CHANNEL", "bits" },
	};

	(void)state;
	each_is_reported_once(mistakes, COUNT(mistakes));
}

static void unaligned_address_is_reported(void **state)
{
	static const struct mistake mistakes[] = {
		{ use_plain, 0x1070, 0x10000004, "CNA", "FEATURE_DATA_ADDR", "not 16-byte" },
		{ use_plain, 0x1110, 0x20000008, "CNA", "DCOMP_ADDR0", "not 16-byte" },
		{ use_plain, 0x4020, 0x30000001, "DPU", "DST_BASE_ADDR", "not 16-byte" },
		{ use_accumulating, 0x5038, 0x40000408, "DPU_RDMA", "RDMA_EW_BASE_ADDR",
		  "not 16-byte" },
	};

	(void)state;
	each_is_reported_once(mistakes, COUNT(mistakes));
}

/* ---- end of the program ---- */

static void program_without_enable_is_reported(void **state)
{
	(void)state;
	use_plain();
	count--;
	reports("PC", "OPERATION_ENABLE", "no enable word");
	assert_int_equal(faults[0].word, (size_t)-1);
}

static void enable_without_fence_is_reported(void **state)
{
	(void)state;
	use_plain();
	prog[count - 2] = 0;
	reports("PC", "OPERATION_ENABLE", "without the fence");
	use_plain();
	drop(count - 2);
	reports("PC", "OPERATION_ENABLE", "without the fence");
}

static void broken_trailer_is_reported(void **state)
{
	(void)state;
	use_plain();
	drop(count - 3);
	reports("PC", "REGISTER_AMOUNTS", "link, amount, fence, enable");
	use_plain();
	drop(count - 4);
	reports("PC", "REGISTER_AMOUNTS", "link, amount, fence, enable");
	use_plain();
	prog[2] = rocket_word(ROCKET_TARGET_PC, 0x50000000, 0x0010);

	assert_int_equal(check(), 2); /* the replaced register is missing as well */
	assert_string_equal(faults[0].reg, "BASE_ADDRESS");
	assert_non_null(strstr(faults[0].reason, "before the trailer"));
}

static void words_after_enable_are_reported(void **state)
{
	(void)state;
	use_plain();
	prog[count++] = rocket_word(ROCKET_TARGET_CNA, 0, 0x1060);
	reports("", "", "after the enable word");
	assert_int_equal(faults[0].word, WORDS);
	use_plain();
	drop(2);
	prog[2] = rocket_word(ROCKET_TARGET_CNA, 0x120, 0x100c);
	count = WORDS - 1;
	prog[count++] = 0; /* padding of an odd program to an even length */
	assert_int_equal(check(), 1);
	assert_string_equal(faults[0].reg, "CONV_CON2"); /* and nothing about the padding */
}

static void enable_that_does_not_fit_the_blocks_is_reported(void **state)
{
	static const struct {
		uint32_t enable;
		const char *words;
	} wrong[] = {
		{ 0x18, "starts DPU+DPU_RDMA, configured are CNA+CORE+DPU+DPU_RDMA" },
		{ 0x60, "starts PPU+PPU_RDMA" },
		{ 0x0d, "starts CNA+CORE+DPU, configured" },
		{ 0x7d, "PPU_RDMA, configured" },
		{ 0, "starts nothing" },
		{ 0x9d, "unknown bits" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		use_plain();
		prog[count - 1] = rocket_word(ROCKET_TARGET_ENABLE, wrong[i].enable, 8);
		reports("PC", "OPERATION_ENABLE", wrong[i].words);
	}
	use_golden("pool_fp16_max_5x5s1_p2_c64_13x13.txt");
	prog[count - 1] = rocket_word(ROCKET_TARGET_ENABLE, 0x1d, 8);
	reports("PC", "OPERATION_ENABLE", "configured are PPU+PPU_RDMA");
}

static void missing_dpu_rdma_is_reported(void **state)
{
	(void)state;
	use_plain();
	for (size_t i = count; i-- > 0;)
		if (rocket_word_target(prog[i]) == ROCKET_TARGET_DPU_RDMA)
			drop(i);
	prog[count - 1] = rocket_word(ROCKET_TARGET_ENABLE, 0x0d, 8);
	reports("DPU_RDMA", "", "waits for its main read DMA");
}

static void missing_register_is_reported(void **state)
{
	(void)state;
	for (size_t i = 0; i < WORDS - 4; i++) {
		char name[64];
		uint64_t gone;

		use_plain();
		gone = prog[i];
		drop(i);
		assert_int_equal(check(), 1);
		assert_non_null(strstr(faults[0].reason, "not written"));

		register_name(gone, name, sizeof(name));
		assert_string_equal(faults[0].reg, name);
	}
}

/* ---- chains ---- */

static void chained_program_needs_a_link(void **state)
{
	(void)state;
	use_plain();
	how.chained = true;
	reports("PC", "BASE_ADDRESS", "no link");
	assert_true(rocket_chain_link(prog, count, 0x500003f0, WORDS));
	is_clean();
}

static void last_program_needs_its_seal(void **state)
{
	(void)state;
	use_plain();
	assert_true(rocket_chain_link(prog, count, 0x500003f0, WORDS));
	reports("PC", "BASE_ADDRESS", "not chained");
	how.chained = how.last_of_chain = true;
	reports("PC", "BASE_ADDRESS", "not sealed");
	assert_true(rocket_chain_seal(prog, count));
	is_clean();
}

static void link_must_lead_somewhere(void **state)
{
	(void)state;
	use_plain();
	how.chained = true;
	assert_true(rocket_chain_link(prog, count, 0x500003f0, WORDS));
	prog[count - 4] = rocket_word(ROCKET_TARGET_PC, 0x500003f8, 0x0010);
	reports("PC", "BASE_ADDRESS", "not 16-byte aligned");
	prog[count - 4] = rocket_word(ROCKET_TARGET_PC, 0, 0x0010);
	reports("PC", "BASE_ADDRESS", "address 0");
	prog[count - 4] = rocket_word(ROCKET_TARGET_PC, 0x500003f0, 0x0010);
	prog[count - 3] = rocket_word(ROCKET_TARGET_PC, 0, 0x0014);
	reports("PC", "REGISTER_AMOUNTS", "no program's length");
}

/* ---- the call itself ---- */

static void unknown_chip_is_reported(void **state)
{
	(void)state;
	use_plain();
	how.chip = "rk3576";
	reports("", "", "no register table for chip \"rk3576\"");
	how.chip = NULL;
	assert_int_equal(check(), 1);
}

static void empty_and_endless_programs_are_reported(void **state)
{
	(void)state;
	use_plain();
	count = 0;
	reports("", "", "0 words");
	assert_int_equal(rocket_program_validate(prog, 131073, &how, faults, FAULTS_MAX), 1);
}

static void all_faults_are_counted_past_the_list(void **state)
{
	(void)state;
	use_plain();
	for (int i = 0; i < 20; i++)
		drop(60);
	assert_int_equal(rocket_program_validate(prog, count, &how, faults, 3), 20);
	assert_int_equal(rocket_program_validate(prog, count, &how, NULL, 0), 20);
}

/*
 * Every bit of every value, one at a time: never more than one report, and it names the
 * register or one that contradicts it. What goes unreported is data: addresses,
 * constants of stages that are off, converter values.
 */
static const struct {
	const char *broken, *reported;
} elsewhere[] = {
	{ "CONV_CON1", "DMA_CON1" },
	{ "CONV_CON3", "DATA_SIZE0" },
	{ "DMA_CON1", "FEATURE_DATA_ADDR" },
	{ "DMA_CON2", "FEATURE_DATA_ADDR" },
	{ "DMA_CON2", "DMA_CON1" },
	{ "DATA_FORMAT", "MISC_CFG" },
	{ "DATA_FORMAT", "BS_OW_CFG" },
	{ "DATA_FORMAT", "OUT_CVT_SCALE" },
	{ "EW_CFG", "RDMA_ERDMA_CFG" },
	{ "RDMA_EW_SURF_NOTCH", "RDMA_SRC_BASE_ADDR" },
	{ "RDMA_SURF_NOTCH", "RDMA_SRC_BASE_ADDR" },
	{ "RDMA_EW_SURF_STRIDE", "RDMA_SRC_BASE_ADDR" },
	{ "RDMA_SRC_BASE_ADDR", "RDMA_EW_BASE_ADDR" },
	{ "RDMA_EW_BASE_ADDR", "RDMA_SRC_BASE_ADDR" },
};

static bool names_the_mistake(const char *broken)
{
	if (strstr(faults[0].reg, broken))
		return true;
	for (size_t i = 0; i < COUNT(elsewhere); i++)
		if (!strcmp(elsewhere[i].broken, broken) &&
		    !strcmp(elsewhere[i].reported, faults[0].reg))
			return true;
	return false;
}

static void flipped_bit_is_reported_at_most_once(void **state)
{
	static void (*const uses[])(void) = { use_plain, use_accumulating, use_int8, use_rows };
	unsigned caught = 0, flips = 0;

	(void)state;
	for (size_t u = 0; u < COUNT(uses); u++) {
		uses[u]();
		for (size_t i = 0; i < WORDS - 4; i++) {
			char name[64];

			register_name(prog[i], name, sizeof(name));
			for (unsigned bit = 0; bit < 32; bit++) {
				size_t n;

				prog[i] ^= (uint64_t)1 << (16 + bit);
				n = check();
				if (n > 1 && strcmp(name, "RDMA_SRC_BASE_ADDR"))
					fail_msg("%s bit %u: %s %s; %s %s", name, bit,
						 faults[0].reg, faults[0].reason, faults[1].reg,
						 faults[1].reason);
				if (n == 1 && !names_the_mistake(name))
					fail_msg("%s bit %u: %s %s", name, bit, faults[0].reg,
						 faults[0].reason);
				caught += n != 0;
				flips++;
				prog[i] ^= (uint64_t)1 << (16 + bit);
			}
		}
	}
	/* Nearly a third is caught; most of the rest are 32-bit constants that mean nothing. */
	assert_int_equal(flips, 4 * 122 * 32);
	assert_true(caught > flips / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_program_is_clean),
		cmocka_unit_test(every_matmul_type_is_clean),
		cmocka_unit_test(word_of_unknown_target_is_reported),
		cmocka_unit_test(word_outside_its_block_is_reported),
		cmocka_unit_test(word_for_an_unknown_register_is_reported),
		cmocka_unit_test(register_written_twice_is_a_warning),
		cmocka_unit_test(value_outside_its_fields_is_reported),
		cmocka_unit_test(unaligned_address_is_reported),
		cmocka_unit_test(program_without_enable_is_reported),
		cmocka_unit_test(enable_without_fence_is_reported),
		cmocka_unit_test(broken_trailer_is_reported),
		cmocka_unit_test(words_after_enable_are_reported),
		cmocka_unit_test(enable_that_does_not_fit_the_blocks_is_reported),
		cmocka_unit_test(missing_dpu_rdma_is_reported),
		cmocka_unit_test(missing_register_is_reported),
		cmocka_unit_test(chained_program_needs_a_link),
		cmocka_unit_test(last_program_needs_its_seal),
		cmocka_unit_test(link_must_lead_somewhere),
		cmocka_unit_test(unknown_chip_is_reported),
		cmocka_unit_test(empty_and_endless_programs_are_reported),
		cmocka_unit_test(all_faults_are_counted_past_the_list),
		cmocka_unit_test(flipped_bit_is_reported_at_most_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * test_rules.c - what the validator knows of the RK3588: hangs and silent corruption.
 *
 * Each test breaks one thing in a sound program and expects exactly one report.
 */
#include "support.h"

/* ---- what hangs ---- */

static void main_read_without_source_is_reported(void **state)
{
	static const struct mistake mistakes[] = {
		{ use_plain, 0x5044, 0x7808, "DPU_RDMA", "RDMA_FEATURE_MODE_CFG",
		  "waits for ever" },
		{ use_plain, 0x5034, 0, "DPU_RDMA", "RDMA_ERDMA_CFG", "no stage takes" },
		{ use_plain, 0x4070, 0x108202c0, "DPU", "EW_CFG", "its read DMAs are off" },
		{ use_accumulating, 0x4070, 0x383, "DPU", "EW_CFG", "ignores it" },
		{ use_accumulating, 0x5034, 1, "DPU_RDMA", "RDMA_ERDMA_CFG", "waits for ever" },
		{ use_accumulating, 0x5044, 0x7818, "DPU_RDMA", "RDMA_FEATURE_MODE_CFG",
		  "does not deliver" },
		{ use_plain, 0x5028, 0x8, "DPU_RDMA", "RDMA_NRDMA_CFG", "never complete" },
		{ use_plain, 0x400c, 0x1e5, "DPU", "FEATURE_MODE_CFG", "FLYING_MODE" },
		{ use_plain, 0x5044, 0x7819, "DPU_RDMA", "RDMA_FEATURE_MODE_CFG", "FLYING_MODE" },
	};

	(void)state;
	each_is_reported_once(mistakes, COUNT(mistakes));
}

static void operand_without_strides_is_reported(void **state)
{
	static const struct mistake mistakes[] = {
		{ use_accumulating, 0x5040, 0, "DPU_RDMA", "RDMA_EW_SURF_STRIDE", "stride 0" },
		{ use_accumulating, 0x504c, 0, "DPU_RDMA", "RDMA_SURF_NOTCH", "notch 0" },
		{ use_accumulating, 0x506c, 0, "DPU_RDMA", "RDMA_EW_SURF_NOTCH", "notch 0" },
		{ use_accumulating, 0x5038, 0x40000000, "DPU_RDMA", "RDMA_EW_BASE_ADDR",
		  "not a surface past" },
		{ use_accumulating, 0x5034, 0x4000000c, "DPU_RDMA", "RDMA_ERDMA_CFG",
		  "element size" },
		{ use_accumulating, 0x4070, 0x108203c0, "DPU", "EW_CFG", "is passed by" },
	};

	(void)state;
	each_is_reported_once(mistakes, COUNT(mistakes));
}

static void operand_over_the_output_is_reported(void **state)
{
	(void)state;
	use_accumulating();
	set(0x4020, 0x40000000 + 64 * 96 * 2 - 16);
	reports("DPU_RDMA", "RDMA_SRC_BASE_ADDR", "overlaps the output");
	set(0x4020, 0x40000000 + 64 * 96 * 2);
	is_clean();
}

/* The shortest operand the read DMA can walk is 12 pixels. */
static void operand_of_few_rows_is_reported(void **state)
{
	struct rocket_matmul_task t = plain_task();

	(void)state;
	t.m = 12;
	t.accumulate = true;
	t.add = 0x40000000;
	use_task(t);
	is_clean();
	t.accumulate = false;
	t.m = 8;
	use_task(t);
	set(0x4070, 0x108202c0);
	set(0x5018, 0x40000000);
	set(0x5034, 0x40000008);
	set(0x5038, 0x40000080);
	set(0x5040, 12 << 4);
	set(0x5044, 0x17d40);
	set(0x504c, 12 << 4);
	set(0x506c, 12 << 4);
	reports("DPU_RDMA", "RDMA_SURF_NOTCH", "needs 12 pixels, not 8");
}

/* ---- what is silently wrong ---- */

static void contradicting_extents_are_reported(void **state)
{
	static const struct mistake mistakes[] = {
		{ use_plain, 0x1028, 2, "CNA", "DATA_SIZE2", "output width is 2 here" },
		{ use_plain, 0x3014, 63 << 16 | 1, "CORE", "DATAOUT_SIZE_0", "output width" },
		{ use_plain, 0x4030, 1, "DPU", "DATA_CUBE_WIDTH", "output width" },
		{ use_plain, 0x500c, 1, "DPU_RDMA", "RDMA_DATA_CUBE_WIDTH", "output width" },
		{ use_plain, 0x3014, 62 << 16, "CORE", "DATAOUT_SIZE_0", "output height is 63" },
		{ use_plain, 0x4034, 31, "DPU", "DATA_CUBE_HEIGHT", "output height is 32" },
		{ use_plain, 0x405c, 31 << 16, "DPU", "WDMA_SIZE_1", "output height" },
		{ use_plain, 0x5010, 31, "DPU_RDMA", "RDMA_DATA_CUBE_HEIGHT", "output height" },
		{ use_plain, 0x102c, 32, "CNA", "DATA_SIZE3", "32 output pixels" },
		{ use_plain, 0x3018, 79, "CORE", "DATAOUT_SIZE_1", "channel count is 80" },
		{ use_plain, 0x403c, 79 << 16 | 79, "DPU", "DATA_CUBE_CHANNEL", "count is 80" },
		{ use_plain, 0x4058, 79, "DPU", "WDMA_SIZE_0", "channel count" },
		{ use_plain, 0x5014, 79, "DPU_RDMA", "RDMA_DATA_CUBE_CHANNEL", "channel count" },
		{ use_plain, 0x1038, 0x01010050, "CNA", "WEIGHT_SIZE2", "80 kernels for 96" },
		{ use_plain, 0x403c, 96 << 16 | 95, "DPU", "DATA_CUBE_CHANNEL", "more than" },
		{ use_plain, 0x1020, 1 << 16 | 60, "CNA", "DATA_SIZE0", "input height is 60" },
		{ use_plain, 0x1084, 1 << 16 | 60, "CNA", "FC_DATA_SIZE0", "input height is 60" },
		{ use_plain, 0x1020, 2 << 16 | 64, "CNA", "DATA_SIZE0", "input width is 2" },
		{ use_plain, 0x1024, 0x017f0160, "CNA", "DATA_SIZE1", "input channel count" },
		{ use_plain, 0x1088, 0x160, "CNA", "FC_DATA_SIZE1", "input channel count" },
		{ use_plain, 0x1024, 0x01bf0180, "CNA", "DATA_SIZE1", "448 real channels" },
		{ use_plain, 0x1014, 0x11, "CNA", "DATA_SIZE0", "rows are too few" },
		{ use_plain, 0x1014, 0x01, "CNA", "CONV_CON3", "stride 0" },
		{ use_plain, 0x100c, 0x123, "CNA", "CONV_CON1", "convolution mode" },
		{ use_plain, 0x3010, 0x203, "CORE", "MISC_CFG", "convolution mode" },
	};

	(void)state;
	each_is_reported_once(mistakes, COUNT(mistakes));
}

static void invalid_precision_is_reported(void **state)
{
	static const struct mistake mistakes[] = {
		{ use_plain, 0x100c, 0x1a0, "CNA", "CONV_CON1", "PROC_PRECISION 3" },
		{ use_plain, 0x3010, 0x301, "CORE", "MISC_CFG", "operand precision is 3" },
		{ use_plain, 0x4010, 0x5c000007, "DPU", "DATA_FORMAT", "7 is invalid in the DPU" },
		{ use_plain, 0x4010, 0xe8000002, "DPU", "DATA_FORMAT", "7 is invalid" },
		{ use_plain, 0x4010, 0x4c000002, "DPU", "DATA_FORMAT", "in 3, proc 2" },
		{ use_plain, 0x4010, 0x88000002, "DPU", "DATA_FORMAT", "integer result 4" },
		{ use_plain, 0x4084, 1, "DPU", "OUT_CVT_SCALE", "FP32TOFP16_EN is 0" },
		{ use_plain, 0x3010, 0x200, "CORE", "MISC_CFG", "QD_EN must be 1" },
		{ use_plain, 0x5044, 0x3f818, "DPU_RDMA", "RDMA_FEATURE_MODE_CFG",
		  "7 is invalid in DPU_RDMA" },
	};

	(void)state;
	each_is_reported_once(mistakes, COUNT(mistakes));
	use_plain();
	set(0x100c, 0x5 << 7 | 0x5 << 4);
	set(0x3010, 0x501);
	set(0x4010, 5u << 29 | 5 << 26 | 5);
	set(0x4084, 1);
	assert_true(check() >= 1);
	assert_string_equal(faults[0].reg, "CONV_CON1");
	assert_non_null(strstr(faults[0].reason, "only for the DPU"));
}

static void banks_that_do_not_fit_are_reported(void **state)
{
	static const struct mistake mistakes[] = {
		{ use_plain, 0x1040, 0xa1, "CNA", "CBUF_CON0", "are not 12" },
		{ use_plain, 0x1040, 0xb1, "CNA", "CBUF_CON0", "need 2 banks, not 1" },
		{ use_plain, 0x1040, 0xc0, "CNA", "CBUF_CON0", "are not 12" },
		{ use_plain, 0x1040, 0x1a2, "CNA", "CBUF_CON0", "FC_DATA_BANK 1 corrupts" },
		{ use_int8, 0x1040, 0xb1, "CNA", "CBUF_CON0", "without a slack bank" },
		{ use_plain, 0x1044, 11, "CNA", "CBUF_CON1", "DATA_ENTRIES 11, a row has 12" },
		{ use_plain, 0x1034, 0x2ff, "CNA", "WEIGHT_SIZE1", "per kernel is 767 here" },
		{ use_plain, 0x1030, 0x12001, "CNA", "WEIGHT_SIZE0", "bytes per kernel" },
		{ use_plain, 0x1038, 0x01030060, "CNA", "WEIGHT_SIZE2", "bytes per kernel" },
	};

	(void)state;
	each_is_reported_once(mistakes, COUNT(mistakes));
}

static void reuse_in_the_first_task_is_reported(void **state)
{
	struct rocket_matmul_task t = plain_task();

	(void)state;
	t.data_reuse = true;
	use_task(t);
	reports("CNA", "CBUF_CON0", "DATA_REUSE in the first task");
	how.first_of_job = false;
	is_clean();
	t.data_reuse = false;
	t.weight_reuse = true;
	use_task(t);
	reports("CNA", "CBUF_CON0", "WEIGHT_REUSE in the first task");
}

static void wrong_feature_strides_are_reported(void **state)
{
	static const struct mistake mistakes[] = {
		{ use_plain, 0x107c, 3, "CNA", "DMA_CON1", "line stride 3 is not 4 rows" },
		{ use_plain, 0x1080, 59, "CNA", "DMA_CON2", "surface stride 59 overlaps" },
		{ use_rows, 0x107c, 47, "CNA", "DMA_CON1", "overlap planes" },
		{ use_rows, 0x1080, 0xfffffff, "CNA", "DMA_CON1", "overlap planes" },
	};

	(void)state;
	each_is_reported_once(mistakes, COUNT(mistakes));
}

/* 1 to 3 rows were measured wrong with the clamped stride; -3 is one vendor's word. */
static void few_rows_are_reported(void **state)
{
	(void)state;
	use_plain();
	set(0x1010, 2 << 4);
	set(0x1020, 1 << 16 | 1);
	set(0x1084, 1 << 16 | 1);
	set(0x102c, 1);
	set(0x1040, 0xb1);
	set(0x1080, 0);
	set(0x3014, 0);
	set(0x4024, 1 << 4);
	set(0x4034, 0);
	set(0x405c, 0);
	set(0x40c0, 2 << 4);
	set(0x5010, 0);
	reports("CNA", "DMA_CON2", "fewer than 4 give wrong results");
	set(0x1080, 0x0ffffffd);
	reports("CNA", "DMA_CON2", "not validated");
	assert_true(faults[0].warning);
}

static void wrong_output_walk_is_reported(void **state)
{
	static const struct mistake mistakes[] = {
		{ use_plain, 0x4050, 0x36e, "DPU", "BS_OW_CFG", "SIZE_E 3,3,3, the types need 1" },
		{ use_int8, 0x4050, 0x36e, "DPU", "BS_OW_CFG", "the types need 7" },
		{ use_plain, 0x4050, 0x12a, "DPU", "BS_OW_CFG", "SIZE_E 2,1,1" },
		{ use_plain, 0x40c0, 0x1000, "DPU", "SURFACE_ADD", "256 atoms, not 2 times" },
		{ use_plain, 0x4024, 0x3f0, "DPU", "DST_SURF_STRIDE", "63 atoms for 64 pixels" },
		{ use_plain, 0x4024, 0x410, "DPU", "DST_SURF_STRIDE", "SURFACE_ADD is for 64" },
		{ use_rows, 0x4024, 0x20, "DPU", "DST_SURF_STRIDE", "surface stride 2" },
		{ use_rows, 0x4038, 79, "DPU", "DATA_CUBE_NOTCH_ADDR", "notches 0 and 79 differ" },
		{ use_plain, 0x400c, 0x1e2, "DPU", "FEATURE_MODE_CFG", "OUTPUT_MODE 1" },
	};

	(void)state;
	each_is_reported_once(mistakes, COUNT(mistakes));
}

/* An int16 program of older encoders: wrong in two registers by one rule, and it hangs. */
static void group_size_of_another_type_is_one_mistake(void **state)
{
	struct rocket_matmul_task t = plain_task();

	(void)state;
	t.type = ROCKET_MM_INT16_INT32;
	use_task(t);
	set(0x4050, 0x7fe);
	set(0x40c0, 8 * 64 << 4);
	reports("DPU", "BS_OW_CFG", "SIZE_E 7,7,7, the types need 3");
}

static void transposed_writer_of_other_programs_is_reported(void **state)
{
	static const unsigned minus1[] = { 0x3018, 0x4058, 0x5014 };
	struct rocket_matmul_task t = plain_task();

	(void)state;
	t.type = ROCKET_MM_INT16_INT32;
	t.n = 32;
	t.transposed = true;
	use_task(t);
	assert_int_equal(check(), 0);
	for (size_t i = 0; i < COUNT(minus1); i++)
		set(minus1[i], minus1[i] == 0x4058 ? 1 << 27 | 15 : 15);
	set(0x403c, 15 << 16 | 15);
	set(0x1038, 0x01010010);
	set(0x1030, t.k * 2 * 16);
	reports("DPU", "BS_OW_CFG", "16 channels hang");
	use_int8();
	set(0x4050, 0x080007fe);
	reports("DPU", "BS_OW_CFG", "int16 sums alone");
}

static void channels_cut_off_in_a_group_are_reported(void **state)
{
	static const unsigned minus1[] = { 0x3018, 0x4058, 0x5014 };

	(void)state;
	use_int8();
	for (size_t i = 0; i < COUNT(minus1); i++)
		set(minus1[i], 79);
	set(0x403c, 79 << 16 | 79);
	set(0x1038, 0x01010050);
	set(0x1030, 80 * 384);
	reports("DPU", "DATA_CUBE_CHANNEL", "80 channels are not whole groups of 32");
}

static void ping_pong_off_is_a_warning(void **state)
{
	(void)state;
	use_plain();
	set(0x4004, 0);
	reports("DPU", "S_POINTER", "not 0x0e");
	assert_true(faults[0].warning);
}

/* ---- flying and pooling programs ---- */

static void wrong_flying_program_is_reported(void **state)
{
	static const struct mistake mistakes[] = {
		{ use_fly, 0x400c, 0x1e4, "DPU", "FEATURE_MODE_CFG", "FLYING_MODE is 0 here" },
		{ use_fly, 0x5044, 0x7800, "DPU_RDMA", "RDMA_FEATURE_MODE_CFG", "FLYING_MODE" },
		{ use_fly, 0x5044, 0x7811, "DPU_RDMA", "RDMA_FEATURE_MODE_CFG", "is off" },
		{ use_fly, 0x5044, 0x7d01, "DPU_RDMA", "RDMA_FEATURE_MODE_CFG", "never completes" },
		{ use_fly, 0x403c, 0x0000000f, "DPU", "DATA_CUBE_CHANNEL", "ORIG_CHANNEL 1" },
		{ use_fly, 0x5034, 0x40000005, "DPU_RDMA", "RDMA_ERDMA_CFG", "waits for ever" },
		{ use_fly, 0x5034, 0x40000008, "DPU_RDMA", "RDMA_ERDMA_CFG", "element size" },
		{ use_fly, 0x4030, 0x7f, "DPU", "DATA_CUBE_WIDTH", "width is 128" },
		{ use_fly, 0x4010, 0x04000000, "DPU", "DATA_FORMAT", "PROC_PRECISION 0" },
		{ use_fly_mul, 0x4070, 0x108002c4, "DPU", "EW_CFG", "multiply" },
	};

	(void)state;
	each_is_reported_once(mistakes, COUNT(mistakes));
}

static void width_that_loses_its_tail_is_reported(void **state)
{
	(void)state;
	use_fly();
	set(0x4030, 8190);
	set(0x405c, 8190);
	set(0x500c, 8190);
	reports("DPU", "DATA_CUBE_WIDTH", "8191 columns loses its tail");
}

static void wrong_pool_is_reported(void **state)
{
	static const struct mistake mistakes[] = {
		{ use_pool, 0x600c, 11, "PPU", "DATA_CUBE_IN_WIDTH", "input width is 12" },
		{ use_pool, 0x700c, 11, "PPU_RDMA", "RDMA_CUBE_IN_WIDTH", "input width is 12" },
		{ use_pool, 0x6020, 31, "PPU", "DATA_CUBE_OUT_CHANNEL", "channel count is 32" },
		{ use_pool, 0x6024, 0x13, "PPU", "OPERATION_MODE_CFG", "method 3" },
		{ use_pool, 0x6024, 0x01, "PPU", "OPERATION_MODE_CFG", "from the DPU" },
		{ use_pool, 0x7030, 1, "PPU_RDMA", "RDMA_DATA_FORMAT", "size code 1" },
		{ use_pool, 0x6018, 17, "PPU", "DATA_CUBE_OUT_WIDTH", "past the input" },
		{ use_pool, 0x6070, 0x30000008, "PPU", "DST_BASE_ADDR", "not 16-byte" },
		{ use_pool, 0x607c, 16 * 168, "PPU", "DST_SURF_STRIDE", "169 pixels" },
	};

	(void)state;
	/* 13 + 2 + 2 columns: the 18th window would start behind them. */
	use_pool();
	set(0x607c, 16 * 13 * 18);
	is_clean();
	for (size_t i = 0; i < COUNT(mistakes); i++) {
		use_pool();
		set(mistakes[i].offset, mistakes[i].value);
		if (mistakes[i].offset == 0x6018)
			set(0x607c, 16 * 13 * 18);
		reports(mistakes[i].block, mistakes[i].reg, mistakes[i].words);
	}
}

static void wrong_depthwise_is_reported(void **state)
{
	static const struct mistake mistakes[] = {
		{ use_depthwise, 0x1038, 0x03030040, "CNA", "WEIGHT_SIZE2", "64 kernels" },
		{ use_depthwise, 0x4050, 0x126, "DPU", "BS_OW_CFG", "the types need 3" },
		{ use_depthwise, 0x5044, 0x7810, "DPU_RDMA", "RDMA_FEATURE_MODE_CFG",
		  "convolution mode" },
		{ use_depthwise, 0x1034, 575, "CNA", "WEIGHT_SIZE1", "bytes per kernel" },
		{ use_depthwise, 0x1030, 64, "CNA", "WEIGHT_SIZE0", "less than 576" },
	};

	(void)state;
	each_is_reported_once(mistakes, COUNT(mistakes));
}

/* ---- lookup tables ---- */

static void lut_entry_that_decodes_to_garbage_is_a_warning(void **state)
{
	size_t first;

	(void)state;
	use_golden("lut_sigmoid_n128.csv"); /* offset 1 */
	first = find(0x4104);
	prog[first + 7] = rocket_word(ROCKET_TARGET_DPU, 0xffff, 0x4104);
	reports("DPU", "LUT_ACCESS_DATA", "entry 7 of table LE plus OUT_CVT_OFFSET is 0");
	assert_true(faults[0].warning);
	assert_int_equal(faults[0].word, first + 7);
}

static void lut_upload_of_the_wrong_length_is_reported(void **state)
{
	size_t first;

	(void)state;
	use_golden("lut_sigmoid_n128.csv");
	first = find(0x4104);
	drop(first);
	reports("DPU", "LUT_ACCESS_CFG", "table LE gets 512 of 513");
	use_golden("lut_sigmoid_n128.csv");
	memmove(&prog[first + 1], &prog[first], (count++ - first) * sizeof(prog[0]));
	reports("DPU", "LUT_ACCESS_DATA", "past the end of table LE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(main_read_without_source_is_reported),
		cmocka_unit_test(operand_without_strides_is_reported),
		cmocka_unit_test(operand_over_the_output_is_reported),
		cmocka_unit_test(operand_of_few_rows_is_reported),
		cmocka_unit_test(contradicting_extents_are_reported),
		cmocka_unit_test(invalid_precision_is_reported),
		cmocka_unit_test(banks_that_do_not_fit_are_reported),
		cmocka_unit_test(reuse_in_the_first_task_is_reported),
		cmocka_unit_test(wrong_feature_strides_are_reported),
		cmocka_unit_test(few_rows_are_reported),
		cmocka_unit_test(wrong_output_walk_is_reported),
		cmocka_unit_test(group_size_of_another_type_is_one_mistake),
		cmocka_unit_test(transposed_writer_of_other_programs_is_reported),
		cmocka_unit_test(channels_cut_off_in_a_group_are_reported),
		cmocka_unit_test(ping_pong_off_is_a_warning),
		cmocka_unit_test(wrong_flying_program_is_reported),
		cmocka_unit_test(width_that_loses_its_tail_is_reported),
		cmocka_unit_test(wrong_pool_is_reported),
		cmocka_unit_test(wrong_depthwise_is_reported),
		cmocka_unit_test(lut_entry_that_decodes_to_garbage_is_a_warning),
		cmocka_unit_test(lut_upload_of_the_wrong_length_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

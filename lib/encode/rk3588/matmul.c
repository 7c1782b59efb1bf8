// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * matmul.c - the RK3588 matmul program.
 *
 * C[m][n] = sum over k of A[m][k] * B[n][k] is a 1x1 convolution of stride 1: K input
 * channels, M rows of width 1, N kernels. Every register of the four blocks is written,
 * because the register file keeps what an earlier program left in it.
 */
#include "../matmul.h"

#include <stdarg.h>
#include <stdio.h>

#include "regs/rk3588_emit.h"
#include "rocket_npu.h"

#define BANKS      12u
#define BANK_BYTES 32768u
#define ATOM_BYTES 16u

/* Of the transposed writer [silicon]: its slots of 2 bytes reach up to the 56th a row of A. */
#define TRANSPOSED_COLUMNS     32u
#define TRANSPOSED_GROUP_ATOMS 8u
#define TRANSPOSED_ROW_BYTES   112u

/* Precision codes of the register fields; CNA and CORE know no 32-bit results. */
enum precision { INT8 = 0, INT16 = 1, FP16 = 2, BF16 = 3, INT32 = 4, FP32 = 5, INT4 = 6, TF32 = 7 };

/* Bypass words: the stage passes its data through. */
#define BYPASS_BS .BS_BYPASS = 1, .BS_ALU_BYPASS = 1, .BS_MUL_BYPASS = 1, .BS_RELU_BYPASS = 1
#define BYPASS_BN .BN_BYPASS = 1, .BN_ALU_BYPASS = 1, .BN_MUL_BYPASS = 1, .BN_RELU_BYPASS = 1

/*
 * What differs between the types [silicon: every row ran exactly on the chip]. The rest
 * follows from the traits: a kernel group yields ngroup * out_bytes / 16 atoms a pixel.
 */
struct type_codes {
	struct rocket_matmul_traits traits;
	uint8_t mac;    /* CNA and CORE precision */
	uint8_t dpu;    /* DPU precision; tf32 reaches the DPU as fp32, code 7 writes nothing */
	uint8_t out;    /* type written to memory */
	uint8_t qd;     /* CORE QD_EN: off only for raw int8 and int4 sums */
	uint8_t narrow; /* fp32 to fp16 in the output converter */
	uint8_t slack;  /* extra feature bank: without it some int8 tiles lose their last rows */
};

/* clang-format off */
static const struct type_codes types[ROCKET_MM_TYPES] = {
	/*                         name    result   in out  c2  NG  KG  Ka  Na    mac    dpu   out    qd nar slk */
	[ROCKET_MM_FP16_FP16]   = { { "fp16",  "fp16",  16, 2,  8, 16, 32, 32, 16 }, FP16,  FP16,  FP16,  1, 1, 0 },
	[ROCKET_MM_FP16_FP32]   = { { "fp16",  "fp32",  16, 4,  8, 16, 32, 32, 16 }, FP16,  FP16,  FP32,  1, 0, 0 },
	[ROCKET_MM_INT8_INT32]  = { { "int8",  "int32",  8, 4, 16, 32, 32, 32, 32 }, INT8,  INT8,  INT32, 0, 0, 1 },
	[ROCKET_MM_BF16_FP32]   = { { "bf16",  "fp32",  16, 4,  8, 16, 32, 32, 16 }, BF16,  BF16,  FP32,  1, 0, 0 },
	[ROCKET_MM_TF32_FP32]   = { { "tf32",  "fp32",  32, 4,  4, 16, 16, 16, 16 }, TF32,  FP32,  FP32,  1, 0, 0 },
	[ROCKET_MM_INT4_INT16]  = { { "int4",  "int16",  4, 2, 32, 64, 32, 32, 64 }, INT4,  INT4,  INT16, 0, 0, 0 },
	/* Older encoders use SIZE_E 7 here, which hangs [silicon]; the formula gives 3. */
	[ROCKET_MM_INT16_INT32] = { { "int16", "int32", 16, 4,  8, 16, 32, 32, 16 }, INT16, INT16, INT32, 1, 0, 0 },
};
/* clang-format on */

/* A task and what is derived from it. */
struct matmul {
	const struct rocket_matmul_task *t;
	const struct type_codes *type;
	uint32_t kernel_bytes;  /* one weight row */
	uint32_t feature_banks; /* CBUF banks the features get */
	uint32_t group_atoms;   /* output atoms of one kernel group and pixel */
};

const struct rocket_matmul_traits *rocket_matmul_traits(enum rocket_matmul_type type)
{
	return (unsigned)type < ROCKET_MM_TYPES ? &types[type].traits : NULL;
}

/* ---- refusals ---- */

struct reason {
	char *text;
	size_t size;
};

__attribute__((format(printf, 3, 4), cold)) static int refuse(struct reason *why, int status,
							      const char *fmt, ...)
{
	va_list ap;

	if (why->text && why->size) {
		va_start(ap, fmt);
		vsnprintf(why->text, why->size, fmt, ap);
		va_end(ap);
	}
	return status;
}

static int check_extents(const struct matmul *m, struct reason *why)
{
	const struct rocket_matmul_task *t = m->t;
	const struct rocket_matmul_traits *tr = &m->type->traits;

	if (!t->m || !t->k || !t->n)
		return refuse(why, ROCKET_E_SHAPE, "extent 0 in %ux%ux%u", t->m, t->k, t->n);
	/* Rows are fetched in groups of 4; other heights gave wrong results [silicon]. */
	if (t->m % 4)
		return refuse(why, ROCKET_E_SHAPE, "M=%u is not a multiple of 4", t->m);
	if (t->k % tr->k_align)
		return refuse(why, ROCKET_E_SHAPE, "K=%u is not a multiple of %u (%s)", t->k,
			      tr->k_align, tr->name);
	if (t->n % tr->n_align)
		return refuse(why, ROCKET_E_SHAPE, "N=%u is not a multiple of %u (%s)", t->n,
			      tr->n_align, tr->name);
	return 0;
}

/* The features stay in the CBUF for the whole task; weights stream a kernel group at a time. */
static int check_cbuf(const struct matmul *m, struct reason *why)
{
	uint64_t kernel = ((uint64_t)m->t->k * m->type->traits.in_bits + 7) / 8;
	uint64_t banks = (m->t->m * kernel + BANK_BYTES - 1) / BANK_BYTES + m->type->slack;

	if (banks > BANKS - 1)
		return refuse(why, ROCKET_E_SHAPE, "features of %ux%u need %llu of %u CBUF banks",
			      m->t->m, m->t->k, (unsigned long long)banks, BANKS - 1);
	if (kernel > BANK_BYTES)
		return refuse(why, ROCKET_E_SHAPE,
			      "one kernel of K=%u has %llu bytes, a CBUF bank %u", m->t->k,
			      (unsigned long long)kernel, BANK_BYTES);
	return 0;
}

static int check_address(struct reason *why, const char *what, uint32_t address, uint64_t bytes)
{
	if (address % ATOM_BYTES)
		return refuse(why, ROCKET_E_SHAPE, "%s address 0x%x is not a multiple of 16", what,
			      address);
	if (address + bytes > UINT64_C(1) << 32)
		return refuse(why, ROCKET_E_SHAPE, "%s at 0x%x passes the end of the IOVA space",
			      what, address);
	return 0;
}

/* row: row length in elements, 0 for a cube. */
static int check_row(struct reason *why, const char *what, uint32_t row, uint32_t used,
		     unsigned bits)
{
	if (!row)
		return 0;
	if (row < used)
		return refuse(why, ROCKET_E_SHAPE, "%s rows of %u elements are shorter than %u",
			      what, row, used);
	if ((uint64_t)row * bits % (8 * ATOM_BYTES))
		return refuse(why, ROCKET_E_SHAPE, "%s rows of %u elements are not whole atoms",
			      what, row);
	return 0;
}

/* Bytes from the first to the last element of rows x cols, as a cube or in rows of `row`. */
static uint64_t span(uint32_t rows, uint32_t cols, uint32_t row, unsigned bits)
{
	uint64_t elements = row ? (uint64_t)(rows - 1) * row + cols : (uint64_t)rows * cols;

	return (elements * bits + 7) / 8;
}

static int check_operand(const struct matmul *m, uint64_t out_bytes, struct reason *why)
{
	const struct rocket_matmul_task *t = m->t;
	uint64_t bytes = span(t->m, t->n, 0, 8 * m->type->traits.out_bytes);
	int r;

	if (!t->accumulate)
		return 0;
	if (t->type != ROCKET_MM_FP16_FP16)
		return refuse(why, ROCKET_E_UNSUPPORTED,
			      "only fp16 results accumulate on the NPU, not %s to %s",
			      m->type->traits.name, m->type->traits.result);
	/* The operand DMA has a stride floor of 12 rows: fewer add the wrong rows [silicon]. */
	if (t->m < 12)
		return refuse(why, ROCKET_E_SHAPE, "accumulating needs M >= 12, not %u", t->m);
	r = check_address(why, "partial", t->add, bytes);
	if (r)
		return r;
	/* In-place accumulation corrupts the result [silicon]. */
	if (t->add < t->output + out_bytes && t->output < t->add + bytes)
		return refuse(why, ROCKET_E_SHAPE, "partial at 0x%x overlaps the result at 0x%x",
			      t->add, t->output);
	return 0;
}

/* With 16 columns the writer hangs when it has written them [silicon], beyond 32 its map is not
 * known. */
static int check_transposed(const struct matmul *m, struct reason *why)
{
	const struct rocket_matmul_task *t = m->t;

	if (!t->transposed)
		return 0;
	if (t->type != ROCKET_MM_INT16_INT32 || t->accumulate)
		return refuse(why, ROCKET_E_UNSUPPORTED, "only int16 products are transposed%s",
			      t->accumulate ? ", not what accumulates" : "");
	if (t->n != TRANSPOSED_COLUMNS)
		return refuse(why, ROCKET_E_SHAPE, "a transposed result has %u columns, not %u",
			      TRANSPOSED_COLUMNS, t->n);
	if (t->c_row)
		return refuse(why, ROCKET_E_SHAPE, "a transposed result is not in rows");
	return 0;
}

static int check_memory(const struct matmul *m, struct reason *why)
{
	const struct rocket_matmul_task *t = m->t;
	const struct rocket_matmul_traits *tr = &m->type->traits;
	uint64_t out_bytes = t->transposed ? TRANSPOSED_ROW_BYTES * (uint64_t)t->m
					   : span(t->m, t->n, t->c_row, 8 * tr->out_bytes);
	int r = check_row(why, "A", t->a_row, t->k, tr->in_bits);

	if (!r)
		r = check_row(why, "C", t->c_row, t->n, 8 * tr->out_bytes);
	if (!r)
		r = check_address(why, "input", t->input, span(t->m, t->k, t->a_row, tr->in_bits));
	if (!r)
		r = check_address(why, "weight", t->weights, span(t->n, t->k, 0, tr->in_bits));
	if (!r)
		r = check_address(why, "output", t->output, out_bytes);
	return r ? r : check_operand(m, out_bytes, why);
}

/* ---- the program, block by block ---- */

static void emit_pointers(struct rocket_program *p)
{
	EMIT(p, DPU, S_POINTER, .POINTER_PP_MODE = 1, .EXECUTER_PP_EN = 1, .POINTER_PP_EN = 1);
	EMIT(p, DPU_RDMA, RDMA_S_POINTER, .POINTER_PP_MODE = 1, .EXECUTER_PP_EN = 1,
	     .POINTER_PP_EN = 1);
}

static void emit_cna_shape(struct rocket_program *p, const struct matmul *m)
{
	const struct rocket_matmul_task *t = m->t;

	EMIT(p, CNA, CONV_CON1, .PROC_PRECISION = m->type->mac, .IN_PRECISION = m->type->mac,
	     .GROUP_LINE_OFF = t->a_row != 0);
	EMIT(p, CNA, CONV_CON2, .FEATURE_GRAINS = (int64_t)t->m + 1);
	EMIT(p, CNA, CONV_CON3, .CONV_Y_STRIDE = 1, .CONV_X_STRIDE = 1,
	     .ATROUS_Y_DILATION_EXTENT = 1, .ATROUS_X_DILATION_EXTENT = 1,
	     .DECONV_Y_STRIDE_EXTENT = 1, .DECONV_X_STRIDE_EXTENT = 1);
	EMIT(p, CNA, DATA_SIZE0, .DATAIN_WIDTH = 1, .DATAIN_HEIGHT = t->m);
	EMIT(p, CNA, DATA_SIZE1, .DATAIN_CHANNEL_REAL_EXTENT = t->k, .DATAIN_CHANNEL = t->k);
	EMIT(p, CNA, DATA_SIZE2, .DATAOUT_WIDTH = 1);
	EMIT(p, CNA, DATA_SIZE3, .DATAOUT_ATOMICS = t->m);
	EMIT(p, CNA, WEIGHT_SIZE0, .WEIGHT_BYTES = (int64_t)m->kernel_bytes * t->n);
	EMIT(p, CNA, WEIGHT_SIZE1, .WEIGHT_BYTES_PER_KERNEL = m->kernel_bytes);
	EMIT(p, CNA, WEIGHT_SIZE2, .WEIGHT_WIDTH = 1, .WEIGHT_HEIGHT = 1, .WEIGHT_KERNELS = t->n);
	EMIT(p, CNA, CBUF_CON0, .WEIGHT_BANK = BANKS - m->feature_banks,
	     .DATA_BANK = m->feature_banks, .WEIGHT_REUSE = t->weight_reuse,
	     .DATA_REUSE = t->data_reuse);
	EMIT(p, CNA, CBUF_CON1, .DATA_ENTRIES = (m->kernel_bytes + 63) / 64);
}

/*
 * Strides in atoms. A cube is read four rows at a time: DMA_CON1 leads from one group of
 * four to the next, DMA_CON2 from the end of a group to the same rows of the next
 * channel atom. Row-major rows are read one by one and their channel atoms are adjacent.
 */
static void emit_cna_fetch(struct rocket_program *p, const struct matmul *m)
{
	const struct rocket_matmul_task *t = m->t;
	int64_t row_atoms = (int64_t)t->a_row * m->type->traits.in_bits / (8 * ATOM_BYTES);

	EMIT(p, CNA, CVT_CON0, .DATA_SIGN = 1, .CVT_TYPE = 1, .CVT_BYPASS = 1);
	EMIT(p, CNA, CVT_CON1, .CVT_SCALE0 = 1);
	EMIT(p, CNA, CVT_CON2, .CVT_SCALE1 = 1);
	EMIT(p, CNA, CVT_CON3, .CVT_SCALE2 = 1);
	EMIT(p, CNA, CVT_CON4, .CVT_SCALE3 = 1);
	EMIT_ZEROS(p, CNA, FC_CON0, PAD_CON0);
	EMIT(p, CNA, FEATURE_DATA_ADDR, .FEATURE_BASE_ADDR = t->input);
	EMIT_ZEROS(p, CNA, FC_CON2, FC_CON2);
	EMIT(p, CNA, DMA_CON0, .WEIGHT_BURST_LEN = 15, .DATA_BURST_LEN = 15);
	EMIT(p, CNA, DMA_CON1, .LINE_STRIDE = t->a_row ? row_atoms : 4);
	EMIT(p, CNA, DMA_CON2, .SURF_STRIDE = t->a_row ? 0 : (int64_t)t->m - 4);
	EMIT(p, CNA, FC_DATA_SIZE0, .DMA_WIDTH = 1, .DMA_HEIGHT = t->m);
	EMIT(p, CNA, FC_DATA_SIZE1, .DMA_CHANNEL = t->k);
	EMIT_ZEROS(p, CNA, DCOMP_CTRL, DCOMP_REGNUM);
	EMIT(p, CNA, DCOMP_ADDR0, .DECOMPRESS_ADDR0 = t->weights);
	EMIT_ZEROS(p, CNA, DCOMP_AMOUNT0, DCOMP_AMOUNT15);
	EMIT_ZEROS(p, CNA, CVT_CON5, PAD_CON1);
}

static void emit_core(struct rocket_program *p, const struct matmul *m)
{
	EMIT(p, CORE, MISC_CFG, .PROC_PRECISION = m->type->mac, .QD_EN = m->type->qd);
	EMIT(p, CORE, DATAOUT_SIZE_0, .DATAOUT_HEIGHT_EXTENT = m->t->m, .DATAOUT_WIDTH_EXTENT = 1);
	EMIT(p, CORE, DATAOUT_SIZE_1, .DATAOUT_CHANNEL_EXTENT = m->t->n);
	EMIT(p, CORE, CLIP_TRUNCATE, .CLIP_TRUNCATE = 0);
	EMIT(p, CORE, UNDOC_3030, .UNDOC_3030 = 0);
}

static void emit_dpu_shape(struct rocket_program *p, const struct matmul *m)
{
	const struct rocket_matmul_task *t = m->t;
	int64_t row_atoms = (int64_t)t->c_row * m->type->traits.out_bytes / ATOM_BYTES;
	int64_t notch = t->c_row ? row_atoms - 1 : 0;

	EMIT(p, DPU, FEATURE_MODE_CFG, .BURST_LEN = 15, .OUTPUT_MODE = 2);
	EMIT(p, DPU, DATA_FORMAT, .OUT_PRECISION = m->type->out, .IN_PRECISION = m->type->dpu,
	     .PROC_PRECISION = m->type->dpu);
	EMIT_ZEROS(p, DPU, OFFSET_PEND, OFFSET_PEND);
	EMIT(p, DPU, DST_BASE_ADDR, .DST_BASE_ADDR = t->output);
	EMIT(p, DPU, DST_SURF_STRIDE, .DST_SURF_STRIDE = t->c_row ? 1 : t->m);
	EMIT(p, DPU, DATA_CUBE_WIDTH, .WIDTH_EXTENT = 1);
	EMIT(p, DPU, DATA_CUBE_HEIGHT, .HEIGHT_EXTENT = t->m);
	EMIT(p, DPU, DATA_CUBE_NOTCH_ADDR, .NOTCH_ADDR_1 = notch, .NOTCH_ADDR_0 = notch);
	EMIT(p, DPU, DATA_CUBE_CHANNEL, .ORIG_CHANNEL_EXTENT = t->n, .CHANNEL_EXTENT = t->n);
}

static void emit_dpu_stages(struct rocket_program *p, const struct matmul *m)
{
	const struct rocket_matmul_task *t = m->t;
	uint32_t s = m->group_atoms;

	EMIT(p, DPU, BS_CFG, BYPASS_BS);
	EMIT_ZEROS(p, DPU, BS_ALU_CFG, BS_RELUX_CMP_VALUE);
	EMIT(p, DPU, BS_OW_CFG, .SIZE_E_2_EXTENT = s, .SIZE_E_1_EXTENT = s, .SIZE_E_0_EXTENT = s,
	     .OD_BYPASS = 1, .TP_ORG_EN = t->transposed);
	EMIT_ZEROS(p, DPU, BS_OW_OP, BS_OW_OP);
	EMIT(p, DPU, WDMA_SIZE_0, .CHANNEL_WDMA_EXTENT = t->n, .TP_PRECISION = t->transposed);
	EMIT(p, DPU, WDMA_SIZE_1, .HEIGHT_WDMA_EXTENT = t->m, .WIDTH_WDMA_EXTENT = 1);
	EMIT(p, DPU, BN_CFG, BYPASS_BN);
	EMIT_ZEROS(p, DPU, BN_ALU_CFG, BN_RELUX_CMP_VALUE);
	if (t->accumulate)
		EMIT(p, DPU, EW_CFG, .EW_DATA_MODE = 1, .EDATA_SIZE = 2, .EW_ALU_ALGO = 2,
		     .EW_RELU_BYPASS = 1, .EW_LUT_BYPASS = 1, .EW_OP_SRC = 1);
	else
		EMIT(p, DPU, EW_CFG, .EW_RELU_BYPASS = 1, .EW_OP_CVT_BYPASS = 1, .EW_LUT_BYPASS = 1,
		     .EW_OP_BYPASS = 1, .EW_BYPASS = 1);
	EMIT_ZEROS(p, DPU, EW_CVT_OFFSET_VALUE, EW_CVT_OFFSET_VALUE);
	EMIT(p, DPU, EW_CVT_SCALE_VALUE, .EW_OP_CVT_SCALE = 1);
	EMIT_ZEROS(p, DPU, EW_RELUX_CMP_VALUE, OUT_CVT_OFFSET);
	EMIT(p, DPU, OUT_CVT_SCALE, .FP32TOFP16_EN = m->type->narrow, .OUT_CVT_SCALE = 1);
	EMIT_ZEROS(p, DPU, OUT_CVT_SHIFT, OUT_CVT_SHIFT);
	EMIT_ZEROS(p, DPU, EW_OP_VALUE_0, EW_OP_VALUE_7);
	EMIT(p, DPU, SURFACE_ADD, .SURF_ADD = (int64_t)s * (t->c_row ? 1 : t->m));
	EMIT_ZEROS(p, DPU, UNDOC_40C4, UNDOC_40C4);
	EMIT_ZEROS(p, DPU, LUT_ACCESS_CFG, LUT_LO_SLOPE_SHIFT);
}

/* Without an operand both read DMAs are off: left on, the DPU waits for data for ever. */
static void emit_rdma_idle(struct rocket_program *p, const struct matmul *m)
{
	EMIT_ZEROS(p, DPU_RDMA, RDMA_SRC_BASE_ADDR, RDMA_BS_BASE_ADDR);
	EMIT_ZEROS(p, DPU_RDMA, RDMA_NRDMA_CFG, RDMA_BN_BASE_ADDR);
	EMIT(p, DPU_RDMA, RDMA_ERDMA_CFG, .ERDMA_DISABLE = 1);
	EMIT_ZEROS(p, DPU_RDMA, RDMA_EW_BASE_ADDR, RDMA_EW_BASE_ADDR);
	EMIT_ZEROS(p, DPU_RDMA, RDMA_EW_SURF_STRIDE, RDMA_EW_SURF_STRIDE);
	EMIT(p, DPU_RDMA, RDMA_FEATURE_MODE_CFG, .BURST_LEN = 15, .MRDMA_DISABLE = 1,
	     .MRDMA_FP16TOFP32_EN = m->type->narrow);
	EMIT_ZEROS(p, DPU_RDMA, RDMA_SRC_DMA_CFG, RDMA_SURF_NOTCH);
	EMIT_ZEROS(p, DPU_RDMA, RDMA_PAD_CFG, RDMA_PAD_CFG);
}

/* One read serves both DMAs: even channel atoms start at SRC_BASE, odd ones at EW_BASE. */
static void emit_rdma_operand(struct rocket_program *p, const struct matmul *m)
{
	const struct rocket_matmul_task *t = m->t;

	EMIT(p, DPU_RDMA, RDMA_SRC_BASE_ADDR, .SRC_BASE_ADDR = t->add);
	EMIT_ZEROS(p, DPU_RDMA, RDMA_BRDMA_CFG, RDMA_BS_BASE_ADDR);
	EMIT_ZEROS(p, DPU_RDMA, RDMA_NRDMA_CFG, RDMA_BN_BASE_ADDR);
	EMIT(p, DPU_RDMA, RDMA_ERDMA_CFG, .ERDMA_DATA_MODE = 1, .ERDMA_DATA_SIZE = 2);
	EMIT(p, DPU_RDMA, RDMA_EW_BASE_ADDR,
	     .EW_BASE_ADDR = (int64_t)t->add + ATOM_BYTES * (int64_t)t->m);
	EMIT(p, DPU_RDMA, RDMA_EW_SURF_STRIDE, .EW_SURF_STRIDE = t->m);
	EMIT(p, DPU_RDMA, RDMA_FEATURE_MODE_CFG, .IN_PRECISION = FP16, .BURST_LEN = 15,
	     .COMB_USE = 5, .PROC_PRECISION = FP16);
	EMIT_ZEROS(p, DPU_RDMA, RDMA_SRC_DMA_CFG, RDMA_SRC_DMA_CFG);
	EMIT(p, DPU_RDMA, RDMA_SURF_NOTCH, .SURF_NOTCH_ADDR = t->m);
	EMIT_ZEROS(p, DPU_RDMA, RDMA_PAD_CFG, RDMA_PAD_CFG);
}

static void emit_rdma(struct rocket_program *p, const struct matmul *m)
{
	EMIT(p, DPU_RDMA, RDMA_DATA_CUBE_WIDTH, .WIDTH_EXTENT = 1);
	EMIT(p, DPU_RDMA, RDMA_DATA_CUBE_HEIGHT, .HEIGHT_EXTENT = m->t->m);
	EMIT(p, DPU_RDMA, RDMA_DATA_CUBE_CHANNEL, .CHANNEL_EXTENT = m->t->n);
	if (m->t->accumulate)
		emit_rdma_operand(p, m);
	else
		emit_rdma_idle(p, m);
	EMIT(p, DPU_RDMA, RDMA_WEIGHT, .E_WEIGHT = 1, .N_WEIGHT = 1, .B_WEIGHT = 1, .M_WEIGHT = 1);
	EMIT(p, DPU_RDMA, RDMA_EW_SURF_NOTCH, .EW_SURF_NOTCH = m->t->accumulate ? m->t->m : 0);
}

int rocket_rk3588_matmul(const struct rocket_matmul_task *task, uint64_t *words, size_t capacity,
			 char *why_text, size_t why_size)
{
	struct reason why = { why_text, why_size };
	struct rocket_program p;
	struct matmul m = { .t = task };
	int r;

	if (!rocket_matmul_traits(task->type))
		return refuse(&why, ROCKET_E_UNSUPPORTED, "no matmul type %d", (int)task->type);
	m.type = &types[task->type];
	r = check_extents(&m, &why);
	if (!r)
		r = check_transposed(&m, &why);
	if (!r)
		r = check_cbuf(&m, &why);
	if (!r)
		r = check_memory(&m, &why);
	if (r)
		return r;
	if (capacity < ROCKET_RK3588_MATMUL_WORDS)
		return refuse(&why, ROCKET_E_NOMEM, "%zu words cannot hold a program of %d",
			      capacity, ROCKET_RK3588_MATMUL_WORDS);

	m.kernel_bytes = (task->k * m.type->traits.in_bits + 7) / 8;
	m.feature_banks = (task->m * m.kernel_bytes + BANK_BYTES - 1) / BANK_BYTES + m.type->slack;
	m.group_atoms = task->transposed
				? TRANSPOSED_GROUP_ATOMS
				: m.type->traits.ngroup * m.type->traits.out_bytes / ATOM_BYTES;

	rocket_program_init(&p, words, capacity);
	emit_pointers(&p);
	emit_cna_shape(&p, &m);
	emit_cna_fetch(&p, &m);
	emit_core(&p, &m);
	emit_dpu_shape(&p, &m);
	emit_dpu_stages(&p, &m);
	emit_rdma(&p, &m);
	rocket_program_end(&p, ROCKET_ENABLE_CONV);
	if (!rocket_program_count(&p))
		return refuse(&why, ROCKET_E_SHAPE, "%s", p.fault);
	return (int)rocket_program_count(&p);
}

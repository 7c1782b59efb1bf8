// SPDX-License-Identifier: LGPL-2.1-or-later
/* decode_dpu.c - DPU and DPU_RDMA registers into stages, operand and writer. */
#include "sim/npu/core.h"
#include "sim/npu/decode_regs.h"
#include "sim/npu/task.h"

#define OUTPUT_MEMORY 2u

#define ALGO_ADD   2u
#define ALGO_MINUS 4u

#define PRECISION_INT8  0u
#define PRECISION_INT16 1u
#define PRECISION_FP16  2u

/* Channels the map of the transposed writer is known for. */
#define TRANSPOSED_CHANNELS 32u

/* COMB_USE */
#define COMB_SAME (1u << 0) /* both read channels fetch the same tensor */
#define COMB_EW   (1u << 2) /* data to the element-wise unit */

static const struct {
	enum output_type type;
	uint8_t bytes;
} outputs[8] = {
	{ OUT_INT8, 1 },  { OUT_INT16, 2 }, { OUT_FP16, 2 }, { OUT_BF16, 2 },
	{ OUT_INT32, 4 }, { OUT_FP32, 4 },  { OUT_INT4, 0 }, { OUT_INT4, 0 },
};

static const char *const output_names[8] = {
	"int8", "int16", "fp16", "bf16", "int32", "fp32", "int4", "precision 7",
};

/* What each kind of accumulator can become. */
static bool output_modelled(bool integer, enum output_type type)
{
	switch (type) {
	case OUT_FP32:
	case OUT_FP16:
		return true;
	case OUT_BF16:
		return !integer;
	case OUT_INT8:
	case OUT_INT16:
	case OUT_INT32:
		return integer;
	default:
		return false;
	}
}

/* int16 results have a transposed form, and a geometry that hangs [silicon]. */
static bool decode_int16_writer(const struct task_regs *t, struct dpu_job *job)
{
	struct writer_job *w = &job->out;
	bool int16 = job->precision == PRECISION_INT16 && !job->main.memory && w->type == OUT_INT32;

	w->transposed = GET(t, DPU, BS_OW_CFG, TP_ORG_EN);
	if (w->transposed && (!int16 || job->channels > TRANSPOSED_CHANNELS))
		core_hang(t->core, "DPU",
			  NOT_MODELLED "the transposed writer of %u channels at precision %u",
			  job->channels, job->precision);
	w->one_tile = int16 && !w->transposed && w->last_surface == 7;
	return !t->core->failed;
}

static bool decode_writer(const struct task_regs *t, const struct conv_job *conv,
			  struct dpu_job *job)
{
	unsigned code = GET(t, DPU, DATA_FORMAT, OUT_PRECISION);
	struct writer_job *w = &job->out;

	w->type = outputs[code].type;
	w->bytes = outputs[code].bytes;
	if (!w->bytes || !output_modelled(job->integer, w->type)) {
		core_hang(t->core, "DPU", NOT_MODELLED "%s output of %s operands",
			  output_names[code], conv ? conv->type->name : "memory-fed");
		return false;
	}
	if (GET(t, DPU, OUT_CVT_SCALE, FP32TOFP16_EN) != (w->type == OUT_FP16))
		core_report(t->core, "DPU: FP32TOFP16_EN does not fit %s output",
			    output_names[code]);
	w->base = task_reg(t, RK3588_DPU_DST_BASE_ADDR);
	w->surface_stride = task_reg(t, RK3588_DPU_DST_SURF_STRIDE) & ~15u;
	w->surface_add = task_reg(t, RK3588_DPU_SURFACE_ADD) & ~15u;
	w->last_surface = GET(t, DPU, BS_OW_CFG, SIZE_E_0_EXTENT) - 1;
	w->group = conv ? conv->type->kernel_group : job->channels;
	if (!conv)
		w->last_surface = job->channels;
	w->notch = GET(t, DPU, DATA_CUBE_NOTCH_ADDR, NOTCH_ADDR_0);
	if (GET(t, DPU, DATA_CUBE_NOTCH_ADDR, NOTCH_ADDR_1) != w->notch)
		core_report(t->core, "DPU: the halves of DATA_CUBE_NOTCH_ADDR differ: most of the "
				     "surface is lost on silicon");
	return decode_int16_writer(t, job);
}

static bool decode_bs(const struct task_regs *t, struct dpu_job *job)
{
	struct channel_stage *s = &job->bs;
	unsigned algo;

	s->live = !GET(t, DPU, BS_CFG, BS_BYPASS);
	if (!s->live)
		return true;
	s->alu = !GET(t, DPU, BS_CFG, BS_ALU_BYPASS);
	s->mul = !GET(t, DPU, BS_CFG, BS_MUL_BYPASS);
	s->mul_prelu = GET(t, DPU, BS_CFG, BS_MUL_PRELU);
	s->relu = !GET(t, DPU, BS_CFG, BS_RELU_BYPASS);
	s->relux = s->relu && GET(t, DPU, BS_CFG, BS_RELUX_EN);
	if (s->relux)
		s->relux_operand = task_reg(t, RK3588_DPU_BS_RELUX_CMP_VALUE);
	algo = GET(t, DPU, BS_CFG, BS_ALU_ALGO);
	s->alu_minus = algo == ALGO_MINUS;
	s->alu_memory = s->alu && GET(t, DPU, BS_CFG, BS_ALU_SRC);
	if (s->alu && !s->alu_memory)
		s->alu_operand = task_reg(t, RK3588_DPU_BS_ALU_CFG);
	s->mul_memory = s->mul && GET(t, DPU, BS_MUL_CFG, BS_MUL_SRC);
	if (s->mul) {
		s->mul_operand = (uint16_t)GET(t, DPU, BS_MUL_CFG, BS_MUL_OPERAND);
		s->shift = (uint8_t)GET(t, DPU, BS_MUL_CFG, BS_MUL_SHIFT_VALUE);
		s->shift_negative = (uint8_t)GET(t, DPU, DATA_FORMAT, BS_MUL_SHIFT_VALUE_NEG);
	}
	s->compensate = job->integer && !GET(t, DPU, BS_OW_CFG, OD_BYPASS);
	s->compensate_memory = s->compensate && GET(t, DPU, BS_OW_CFG, OW_SRC);
	if (s->compensate && !s->compensate_memory)
		s->compensation = (int16_t)GET(t, DPU, BS_OW_OP, OW_OP);
	if (s->alu && algo != ALGO_ADD && algo != ALGO_MINUS)
		core_hang(t->core, "DPU", NOT_MODELLED "BS_ALU_ALGO %u", algo);
	return !t->core->failed;
}

static bool decode_bn(const struct task_regs *t, struct dpu_job *job)
{
	struct channel_stage *s = &job->bn;
	unsigned algo;

	s->live = !GET(t, DPU, BN_CFG, BN_BYPASS);
	s->mul_first = true;
	if (!s->live)
		return true;
	s->alu = !GET(t, DPU, BN_CFG, BN_ALU_BYPASS);
	s->mul = !GET(t, DPU, BN_CFG, BN_MUL_BYPASS);
	s->mul_prelu = GET(t, DPU, BN_CFG, BN_MUL_PRELU);
	s->relu = !GET(t, DPU, BN_CFG, BN_RELU_BYPASS);
	s->relux = s->relu && GET(t, DPU, BN_CFG, BN_RELUX_EN);
	if (s->relux)
		s->relux_operand = task_reg(t, RK3588_DPU_BN_RELUX_CMP_VALUE);
	algo = GET(t, DPU, BN_CFG, BN_ALU_ALGO);
	s->alu_minus = algo == ALGO_MINUS;
	if (s->alu)
		s->alu_operand = task_reg(t, RK3588_DPU_BN_ALU_CFG);
	if (s->mul) {
		s->mul_operand = (uint16_t)GET(t, DPU, BN_MUL_CFG, BN_MUL_OPERAND);
		s->shift = (uint8_t)GET(t, DPU, BN_MUL_CFG, BN_MUL_SHIFT_VALUE);
		s->shift_negative = (uint8_t)GET(t, DPU, DATA_FORMAT, BN_MUL_SHIFT_VALUE_NEG);
	}
	if ((s->mul && GET(t, DPU, BN_MUL_CFG, BN_MUL_SRC)) ||
	    (s->alu && GET(t, DPU, BN_CFG, BN_ALU_SRC)))
		core_hang(t->core, "DPU", "BN operands from memory (NRDMA) never arrive");
	else if (s->alu && algo != ALGO_ADD && algo != ALGO_MINUS)
		core_hang(t->core, "DPU", NOT_MODELLED "BN_ALU_ALGO %u", algo);
	return !t->core->failed;
}

static void decode_ew_converter(const struct task_regs *t, const struct dpu_job *job,
				struct element_stage *s)
{
	s->convert = !GET(t, DPU, EW_CFG, EW_OP_CVT_BYPASS);
	s->add_first = GET(t, DPU, EW_CFG, EW_CVT_TYPE);
	s->half_away = GET(t, DPU, EW_CFG, EW_CVT_ROUND);
	if (s->convert) {
		s->offset = (int32_t)task_reg(t, RK3588_DPU_EW_CVT_OFFSET_VALUE);
		s->scale = (int16_t)GET(t, DPU, EW_CVT_SCALE_VALUE, EW_OP_CVT_SCALE);
		s->shift = (uint8_t)GET(t, DPU, EW_CVT_SCALE_VALUE, EW_OP_CVT_SHIFT);
	}
	s->low16 = job->main.bytes == 4;
	if (job->integer)
		return;
	if (!s->convert && s->op && !s->mul && s->algo == ALU_ADD)
		core_report(t->core, "DPU: fp16 ADD with the operand converter bypassed passes the "
				     "main operand through in places on silicon");
	if (s->convert && (s->offset || s->scale != 1 || s->shift))
		core_hang(t->core, "DPU", NOT_MODELLED "an operand converter that changes a float");
}

static bool decode_ew(const struct task_regs *t, struct dpu_job *job)
{
	struct element_stage *s = &job->ew;
	unsigned algo = GET(t, DPU, EW_CFG, EW_ALU_ALGO);

	s->live = !GET(t, DPU, EW_CFG, EW_BYPASS);
	if (!s->live)
		return true;
	if (!GET(t, DPU, EW_CFG, EW_LUT_BYPASS)) {
		core_hang(t->core, "DPU", NOT_MODELLED "the look-up table");
		return false;
	}
	s->op = !GET(t, DPU, EW_CFG, EW_OP_BYPASS);
	s->mul = GET(t, DPU, EW_CFG, EW_OP_TYPE);
	s->memory = GET(t, DPU, EW_CFG, EW_OP_SRC);
	s->algo = (enum alu_algo)algo;
	s->relu = !GET(t, DPU, EW_CFG, EW_RELU_BYPASS);
	s->relux = s->relu && GET(t, DPU, EW_CFG, EW_RELUX_EN);
	if (s->relux)
		s->relux_operand = task_reg(t, RK3588_DPU_EW_RELUX_CMP_VALUE);
	if (!s->op)
		return true;
	if (!s->memory)
		s->value = task_reg(t, RK3588_DPU_EW_OP_VALUE_0);
	decode_ew_converter(t, job, s);
	if (!s->mul && algo != ALU_MAX && algo != ALU_MIN && algo != ALU_ADD && algo != ALU_MINUS)
		core_hang(t->core, "DPU", NOT_MODELLED "EW_ALU_ALGO %u", algo);
	else if (GET(t, DPU, EW_CFG, EW_MUL_PRELU) || GET(t, DPU, EW_CFG, EW_BINARY_EN))
		core_hang(t->core, "DPU", NOT_MODELLED "EW_MUL_PRELU and EW_BINARY_EN");
	return !t->core->failed;
}

static bool decode_out_cvt(const struct task_regs *t, struct dpu_job *job)
{
	job->offset = GET(t, DPU, OUT_CVT_OFFSET, OUT_CVT_OFFSET);
	job->scale = (int16_t)GET(t, DPU, OUT_CVT_SCALE, OUT_CVT_SCALE);
	job->shift = (uint8_t)(GET(t, DPU, OUT_CVT_SHIFT, OUT_CVT_SHIFT) & 0x3f);
	job->half_away = GET(t, DPU, OUT_CVT_SHIFT, CVT_ROUND);
	if (!job->integer && (job->offset || GET(t, DPU, OUT_CVT_SHIFT, CVT_TYPE)))
		core_hang(t->core, "DPU", NOT_MODELLED "an index conversion on the float path");
	return !t->core->failed;
}

/* Main elements from memory: exact only when every precision field names the same type. */
static bool decode_main(const struct task_regs *t, struct dpu_job *job, unsigned in, unsigned proc)
{
	unsigned out = GET(t, DPU, DATA_FORMAT, OUT_PRECISION);
	unsigned rdma_in = GET(t, DPU_RDMA, RDMA_FEATURE_MODE_CFG, IN_PRECISION);
	unsigned rdma_proc = GET(t, DPU_RDMA, RDMA_FEATURE_MODE_CFG, PROC_PRECISION);
	enum output_type type = outputs[proc].type;

	if (in != proc || out != proc || rdma_in != proc || rdma_proc != proc ||
	    (type != OUT_INT8 && type != OUT_INT16 && type != OUT_INT32 && type != OUT_FP16)) {
		core_hang(t->core, "DPU",
			  NOT_MODELLED "a memory-fed task of precisions in %u proc %u out %u, RDMA "
				       "in %u proc %u",
			  in, proc, out, rdma_in, rdma_proc);
		return false;
	}
	job->precision = proc;
	job->integer = type != OUT_FP16;
	job->main.memory = true;
	job->main.bytes = outputs[proc].bytes;
	job->main.base = task_reg(t, RK3588_DPU_RDMA_RDMA_SRC_BASE_ADDR);
	job->main.notch = task_reg(t, RK3588_DPU_RDMA_RDMA_SURF_NOTCH) & ~15u;
	if (GET(t, DPU, DATA_CUBE_CHANNEL, ORIG_CHANNEL_EXTENT) != job->channels)
		core_report(t->core,
			    "DPU: ORIG_CHANNEL differs from CHANNEL: only the first lane of "
			    "an atom is right on silicon");
	return true;
}

static bool decode_cube(const struct task_regs *t, const struct conv_job *conv, struct dpu_job *job)
{
	unsigned proc = GET(t, DPU, DATA_FORMAT, PROC_PRECISION);
	unsigned in = GET(t, DPU, DATA_FORMAT, IN_PRECISION);

	job->width = GET(t, DPU, DATA_CUBE_WIDTH, WIDTH_EXTENT);
	job->height = GET(t, DPU, DATA_CUBE_HEIGHT, HEIGHT_EXTENT);
	job->channels = GET(t, DPU, DATA_CUBE_CHANNEL, CHANNEL_EXTENT);
	if (!conv)
		return decode_main(t, job, in, proc);
	job->precision = proc;
	job->integer = conv->type->integer;
	if (proc != conv->type->dpu || in != proc)
		core_hang(t->core, "DPU", NOT_MODELLED "DPU precision in %u proc %u on %s operands",
			  in, proc, conv->type->name);
	else if (job->width != conv->ow || job->height != conv->oh)
		core_hang(t->core, "DPU", NOT_MODELLED "DPU cube %ux%u on a convolution of %ux%u",
			  job->height, job->width, conv->oh, conv->ow);
	return !t->core->failed;
}

bool decode_dpu(const struct task_regs *t, const struct conv_job *conv, struct dpu_job *job)
{
	unsigned mode = GET(t, DPU, FEATURE_MODE_CFG, OUTPUT_MODE);

	*job = (struct dpu_job){ 0 };
	if (mode != OUTPUT_MEMORY) {
		core_hang(t->core, "DPU", NOT_MODELLED "OUTPUT_MODE %u", mode);
		return false;
	}
	return decode_cube(t, conv, job) && decode_writer(t, conv, job) && decode_bs(t, job) &&
	       decode_bn(t, job) && decode_ew(t, job) && decode_out_cvt(t, job);
}

static bool decode_coefficients(const struct task_regs *t, struct dpu_job *job)
{
	const struct channel_stage *s = &job->bs;
	struct operand_job *o = &job->operand;
	unsigned use;

	if (!s->alu_memory && !s->mul_memory && !s->compensate_memory)
		return true;
	use = GET(t, DPU_RDMA, RDMA_BRDMA_CFG, BRDMA_DATA_USE);
	o->coefficients = true;
	o->records = use == 7;
	o->coefficient_base = task_reg(t, RK3588_DPU_RDMA_RDMA_BS_BASE_ADDR);
	if (use == 7 || (use == 1 && !s->mul_memory && !s->compensate_memory))
		return true;
	core_hang(t->core, "DPU_RDMA", NOT_MODELLED "BRDMA_DATA_USE %u for the stage that is on",
		  use);
	return false;
}

static bool decode_feed(const struct task_regs *t, struct dpu_job *job, bool main_enabled)
{
	struct operand_job *o = &job->operand;
	unsigned comb = GET(t, DPU_RDMA, RDMA_FEATURE_MODE_CFG, COMB_USE);
	unsigned mode, size = GET(t, DPU_RDMA, RDMA_ERDMA_CFG, ERDMA_DATA_SIZE);

	if (GET(t, DPU_RDMA, RDMA_ERDMA_CFG, ERDMA_DISABLE))
		return true;
	mode = GET(t, DPU_RDMA, RDMA_ERDMA_CFG, ERDMA_DATA_MODE);
	o->bytes = 1u << size >> 1;
	o->ew_base = task_reg(t, RK3588_DPU_RDMA_RDMA_EW_BASE_ADDR);
	o->ew_stride = task_reg(t, RK3588_DPU_RDMA_RDMA_EW_SURF_STRIDE) & ~15u;
	o->ew_notch = task_reg(t, RK3588_DPU_RDMA_RDMA_EW_SURF_NOTCH) & ~15u;
	o->main_notch = task_reg(t, RK3588_DPU_RDMA_RDMA_SURF_NOTCH) & ~15u;
	o->main_base = task_reg(t, RK3588_DPU_RDMA_RDMA_SRC_BASE_ADDR);
	/* In a memory-fed task the main channel has its own work. */
	if (job->main.memory)
		main_enabled = false;
	if (main_enabled && comb == (COMB_SAME | COMB_EW) && mode == 1)
		o->feed = FEED_PAIRED;
	else if (!main_enabled && (comb & ~COMB_EW) == 0 && mode == 1)
		o->feed = FEED_SINGLE;
	else if (!main_enabled && (comb & ~COMB_EW) == 0 && mode == 0)
		o->feed = FEED_CHANNEL;
	else
		core_hang(t->core, "DPU_RDMA",
			  NOT_MODELLED "operand feed COMB_USE %u, ERDMA_DATA_MODE %u, MRDMA %s",
			  comb, mode, main_enabled ? "on" : "off");
	if (GET(t, DPU, EW_CFG, EDATA_SIZE) != size)
		core_report(t->core, "DPU: EDATA_SIZE differs from ERDMA_DATA_SIZE %u", size);
	/* On an accumulator only these pairings are established. */
	if (job->main.memory ? o->bytes != job->main.bytes
			     : !(job->precision == PRECISION_FP16 && o->bytes == 2) &&
				       !(job->precision == PRECISION_INT8 && o->bytes == 1))
		core_hang(t->core, "DPU_RDMA", NOT_MODELLED "operands of %u bytes at precision %u",
			  o->bytes, job->precision);
	return !t->core->failed;
}

/* The read channels of DPU_RDMA can wait for ever. */
static bool decode_main_channel(const struct task_regs *t, const struct dpu_job *job, bool enabled)
{
	unsigned comb = GET(t, DPU_RDMA, RDMA_FEATURE_MODE_CFG, COMB_USE);
	bool two = job->ew.live && job->ew.op && job->ew.memory;

	if (job->main.memory && !enabled) {
		core_hang(t->core, "DPU_RDMA", "memory-fed task with MRDMA_DISABLE set");
		return false;
	}
	if (!job->main.memory && enabled && !(comb & COMB_EW))
		core_hang(t->core, "DPU_RDMA",
			  "main read DMA is on and nothing feeds it (MRDMA_DISABLE 0, COMB_USE %u)",
			  comb);
	else if (job->main.memory && two && (comb & COMB_SAME))
		core_hang(t->core, "DPU_RDMA", "memory-fed operation with COMB_USE bit 0 set");
	else if (job->main.memory && !job->integer && two && job->ew.mul && job->ew.convert)
		core_hang(t->core, "DPU", "memory-fed fp16 MUL with the operand converter on");
	t->core->wedged = t->core->failed && core_quirk(t->core, NPU_QUIRK_WEDGE);
	return !t->core->failed;
}

bool decode_operand(const struct task_regs *t, struct dpu_job *job)
{
	struct operand_job *o = &job->operand;
	bool main_enabled;

	if (!(t->enable & ENABLE_DPU_RDMA))
		return true;
	main_enabled = !GET(t, DPU_RDMA, RDMA_FEATURE_MODE_CFG, MRDMA_DISABLE);
	o->pixels = GET(t, DPU_RDMA, RDMA_DATA_CUBE_WIDTH, WIDTH_EXTENT) *
		    GET(t, DPU_RDMA, RDMA_DATA_CUBE_HEIGHT, HEIGHT_EXTENT);
	if (!decode_main_channel(t, job, main_enabled) || !decode_coefficients(t, job))
		return false;
	if (!job->ew.live || !job->ew.op || !job->ew.memory)
		return true;
	return decode_feed(t, job, main_enabled);
}

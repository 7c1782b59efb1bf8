// SPDX-License-Identifier: LGPL-2.1-or-later
/* decode_conv.c - CNA and CORE registers into a convolution. */
#include "sim/npu/core.h"
#include "sim/npu/decode_regs.h"

#define MODE_DIRECT 0

uint32_t task_reg(const struct task_regs *t, uint16_t offset)
{
	unsigned b = offset >> 12 & 7, i = offset % 4096 / 4;
	struct regfile_block *r = &t->core->regs.block[b];

	if (r->program[t->group[b]][i] != t->core->program) {
		core_report(t->core,
			    "%s: stale register 0x%04x (0x%08x): not written by this program",
			    block_name((enum block)b), offset, r->value[t->group[b]][i]);
		r->program[t->group[b]][i] = t->core->program; /* said once */
	}
	return r->value[t->group[b]][i];
}

static bool decode_type(const struct task_regs *t, struct conv_job *job)
{
	unsigned proc = GET(t, CNA, CONV_CON1, PROC_PRECISION);
	unsigned in = GET(t, CNA, CONV_CON1, IN_PRECISION);
	unsigned mac = GET(t, CORE, MISC_CFG, PROC_PRECISION);

	job->type = operand_type_by_code(proc);
	if (!job->type)
		core_hang(t->core, "CNA", NOT_MODELLED "precision code %u", proc);
	else if (in != proc || mac != proc)
		core_hang(t->core, "CNA",
			  NOT_MODELLED "precisions differ: CNA in %u, CNA proc %u, CORE %u", in,
			  proc, mac);
	return !t->core->failed;
}

/* Forms this model has no code for. */
static bool decode_mode(const struct task_regs *t)
{
	unsigned mode = GET(t, CNA, CONV_CON1, CONV_MODE);

	if (mode != MODE_DIRECT || GET(t, CORE, MISC_CFG, DW_EN))
		core_hang(t->core, "CNA", NOT_MODELLED "convolution mode %u (depthwise)", mode);
	else if (GET(t, CNA, CONV_CON1, ARGB_IN) || GET(t, CNA, CONV_CON1, NONALIGN_DMA))
		core_hang(t->core, "CNA", NOT_MODELLED "packed images");
	else if (!(task_reg(t, RK3588_CNA_CVT_CON0) & 1))
		core_hang(t->core, "CNA", NOT_MODELLED "the input converter");
	else if (task_reg(t, RK3588_CNA_DCOMP_CTRL))
		core_hang(t->core, "CNA", NOT_MODELLED "weight decompression");
	else if (GET(t, CNA, CONV_CON3, NN_MODE))
		core_hang(t->core, "CNA", NOT_MODELLED "NN_MODE");
	return !t->core->failed;
}

static void decode_feature(const struct task_regs *t, struct conv_job *job)
{
	job->feature = GET(t, CNA, FEATURE_DATA_ADDR, FEATURE_BASE_ADDR);
	job->iw = GET(t, CNA, DATA_SIZE0, DATAIN_WIDTH);
	job->ih = GET(t, CNA, DATA_SIZE0, DATAIN_HEIGHT);
	job->ic = GET(t, CNA, DATA_SIZE1, DATAIN_CHANNEL);
	job->line_group = GET(t, CNA, CONV_CON1, GROUP_LINE_OFF) ? 1 : 4;
	job->line_stride = GET(t, CNA, DMA_CON1, LINE_STRIDE);
	job->surface_stride = (uint32_t)GET(t, CNA, DMA_CON2, SURF_STRIDE);
	/* The other bytes belong to depthwise lanes. */
	job->pad_value = (int8_t)(task_reg(t, RK3588_CNA_PAD_CON1) & 0xff);
}

/* Interior dilation of the input: only the factors 2, 4 and 8 exist [silicon]. */
static unsigned interior(unsigned extent)
{
	return extent == 2 || extent == 4 || extent == 8 ? extent : 1;
}

static bool decode_deconvolution(const struct task_regs *t, struct conv_job *job)
{
	job->spread_x = job->spread_y = 1;
	if (!GET(t, CNA, CONV_CON1, DECONV))
		return true;
	job->spread_x = interior(GET(t, CNA, CONV_CON3, DECONV_X_STRIDE_EXTENT));
	job->spread_y = interior(GET(t, CNA, CONV_CON3, DECONV_Y_STRIDE_EXTENT));
	if (job->type->integer || job->dilation_x > 1 || job->dilation_y > 1)
		core_hang(t->core, "CNA",
			  NOT_MODELLED "deconvolution of %s operands or with dilation",
			  job->type->name);
	if ((job->spread_x == 2 && job->pad_left >= 12) ||
	    (job->spread_y == 2 && job->pad_top >= 12))
		core_report(t->core, "CNA: pad of 12 and more at deconvolution stride 2 matches no "
				     "rule on silicon");
	return !t->core->failed;
}

static bool decode_window(const struct task_regs *t, struct conv_job *job)
{
	unsigned pixels = GET(t, CNA, DATA_SIZE3, DATAOUT_ATOMICS) & 0x3ffff;

	job->ow = GET(t, CNA, DATA_SIZE2, DATAOUT_WIDTH);
	job->kw = GET(t, CNA, WEIGHT_SIZE2, WEIGHT_WIDTH);
	job->kh = GET(t, CNA, WEIGHT_SIZE2, WEIGHT_HEIGHT);
	job->pad_left = GET(t, CNA, PAD_CON0, PAD_LEFT);
	job->pad_top = GET(t, CNA, PAD_CON0, PAD_TOP);
	job->stride_x = GET(t, CNA, CONV_CON3, CONV_X_STRIDE);
	job->stride_y = GET(t, CNA, CONV_CON3, CONV_Y_STRIDE);
	job->dilation_x = GET(t, CNA, CONV_CON3, ATROUS_X_DILATION_EXTENT);
	job->dilation_y = GET(t, CNA, CONV_CON3, ATROUS_Y_DILATION_EXTENT);
	job->kernels = GET(t, CNA, WEIGHT_SIZE2, WEIGHT_KERNELS);
	job->oc = GET(t, CORE, DATAOUT_SIZE_1, DATAOUT_CHANNEL_EXTENT);
	if (!job->ow || !pixels || pixels % job->ow || !job->iw || !job->ih || !job->ic ||
	    !job->kw || !job->kh || !job->kernels || !job->stride_x || !job->stride_y) {
		core_hang(t->core, "CNA",
			  NOT_MODELLED "geometry with a zero: in %ux%ux%u, out %u of %u pixels, "
				       "kernels %u of %ux%u",
			  job->ic, job->ih, job->iw, job->ow, pixels, job->kernels, job->kh,
			  job->kw);
		return false;
	}
	job->oh = pixels / job->ow;
	if (GET(t, CORE, DATAOUT_SIZE_0, DATAOUT_WIDTH_EXTENT) != job->ow ||
	    GET(t, CORE, DATAOUT_SIZE_0, DATAOUT_HEIGHT_EXTENT) != job->oh)
		core_hang(t->core, "CORE", NOT_MODELLED "CORE and CNA disagree on the output size");
	return !t->core->failed;
}

static void decode_buffer(const struct task_regs *t, struct conv_job *job)
{
	job->weights = task_reg(t, RK3588_CNA_DCOMP_ADDR0);
	job->data_banks = GET(t, CNA, CBUF_CON0, DATA_BANK);
	job->weight_banks = GET(t, CNA, CBUF_CON0, WEIGHT_BANK);
	job->fc_data_bank = GET(t, CNA, CBUF_CON0, FC_DATA_BANK);
	job->data_reuse = GET(t, CNA, CBUF_CON0, DATA_REUSE);
	job->weight_reuse = GET(t, CNA, CBUF_CON0, WEIGHT_REUSE);
	job->window_sum = GET(t, CORE, MISC_CFG, QD_EN);
	job->truncate = GET(t, CORE, CLIP_TRUNCATE, CLIP_TRUNCATE);
	job->truncate_half_up = GET(t, CORE, CLIP_TRUNCATE, ROUND_TYPE);
}

bool decode_conv(const struct task_regs *t, struct conv_job *job)
{
	*job = (struct conv_job){ 0 };
	if (!decode_type(t, job) || !decode_mode(t))
		return false;
	decode_feature(t, job);
	decode_buffer(t, job);
	return decode_window(t, job) && decode_deconvolution(t, job);
}

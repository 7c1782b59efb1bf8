// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/npu/lint.h"

#include "sim/npu/core.h"
#include "sim/npu/decode_regs.h"

static void lint_address(const struct task_regs *t, const char *what, uint32_t iova)
{
	if (iova % ATOM)
		core_report(t->core, "%s address 0x%08x is not aligned to 16", what, iova);
}

static void lint_banks(const struct task_regs *t, const struct conv_job *c)
{
	uint64_t row = (uint64_t)c->iw * c->ic * c->type->bits / 8, bytes = row * c->ih;
	uint64_t entries = (row + 63) / 64;

	if (c->data_banks + c->weight_banks > CBUF_BANKS)
		core_report(t->core, "CNA: %u data and %u weight banks of %u", c->data_banks,
			    c->weight_banks, CBUF_BANKS);
	if (bytes > (uint64_t)c->data_banks * CBUF_BANK)
		core_report(t->core, "CNA: CBUF overflow: a feature of %llu bytes in %u banks",
			    (unsigned long long)bytes, c->data_banks);
	if (feature_slack_missing(c))
		core_report(t->core, "CNA: slack bank missing: the last of %u banks is nearly full",
			    c->data_banks);
	if (c->fc_data_bank)
		core_report(t->core, "CNA: FC_DATA_BANK %u corrupts the result on silicon",
			    c->fc_data_bank);
	if (GET(t, CNA, CBUF_CON1, DATA_ENTRIES) != entries)
		core_report(t->core, "CNA: DATA_ENTRIES %u, a row takes %llu",
			    GET(t, CNA, CBUF_CON1, DATA_ENTRIES), (unsigned long long)entries);
}

static void lint_weights(const struct task_regs *t, const struct conv_job *c)
{
	uint64_t total = weights_bytes(c), kernel = total / c->kernels;

	if (task_reg(t, RK3588_CNA_WEIGHT_SIZE0) != total)
		core_report(t->core, "CNA: WEIGHT_BYTES %u, the kernels take %llu",
			    task_reg(t, RK3588_CNA_WEIGHT_SIZE0), (unsigned long long)total);
	if (GET(t, CNA, WEIGHT_SIZE1, WEIGHT_BYTES_PER_KERNEL) != kernel)
		core_report(t->core, "CNA: WEIGHT_BYTES_PER_KERNEL %u, a kernel takes %llu",
			    GET(t, CNA, WEIGHT_SIZE1, WEIGHT_BYTES_PER_KERNEL),
			    (unsigned long long)kernel);
	if (kernel > CBUF_BANK)
		core_report(t->core, "CNA: a kernel of %llu bytes is larger than a bank",
			    (unsigned long long)kernel);
}

static void lint_channels(const struct task_regs *t, const struct conv_job *c,
			  const struct dpu_job *d)
{
	if (c->oc != d->channels)
		core_report(t->core, "CORE delivers %u channels, the DPU takes %u", c->oc,
			    d->channels);
	if (d->channels > c->kernels && d->channels - c->kernels >= c->type->kernel_group)
		core_report(t->core, "CNA: %u kernels for %u channels", c->kernels, d->channels);
}

struct range {
	uint64_t start, end;
};

/* From the first to the last byte the writer can touch. */
static struct range output_range(const struct dpu_job *d)
{
	const struct writer_job *w = &d->out;
	uint64_t groups = (d->channels - 1) / w->group;
	uint64_t surfaces = (w->group * w->bytes + ATOM - 1) / ATOM;
	uint64_t pixels = (uint64_t)d->height * (d->width + w->notch) - w->notch;

	if (surfaces > w->last_surface + 1u)
		surfaces = w->last_surface + 1u;
	return (struct range){ w->base, w->base + groups * w->surface_add +
						(surfaces - 1) * w->surface_stride +
						ATOM * pixels };
}

static struct range operand_range(const struct dpu_job *d)
{
	const struct operand_job *o = &d->operand;
	uint64_t surfaces = ((uint64_t)d->channels * o->bytes + ATOM - 1) / ATOM;
	uint64_t plane = ATOM * (uint64_t)o->pixels;

	if (o->feed == FEED_PAIRED)
		return (struct range){
			o->main_base, o->main_base + (surfaces + 1) / 2 * (plane + o->main_notch)
		};
	return (struct range){ o->ew_base, o->ew_base + (surfaces - 1) * o->ew_stride + plane };
}

static void lint_overlap(const struct task_regs *t, const struct dpu_job *d)
{
	struct range out = output_range(d), in;

	if (!d->ew.live || !d->ew.memory || d->operand.feed == FEED_NONE)
		return;
	in = operand_range(d);
	if (in.start < out.end && out.start < in.end)
		core_report(t->core,
			    "DPU: output 0x%08x and operand 0x%08x overlap: accumulating in "
			    "place corrupts on silicon",
			    d->out.base,
			    d->operand.feed == FEED_PAIRED ? d->operand.main_base
							   : d->operand.ew_base);
}

void lint_dpu(const struct task_regs *t, const struct dpu_job *dpu)
{
	lint_address(t, "DPU: output", dpu->out.base);
	if (dpu->main.memory || dpu->operand.feed == FEED_PAIRED)
		lint_address(t, "DPU_RDMA: main", task_reg(t, RK3588_DPU_RDMA_RDMA_SRC_BASE_ADDR));
	if (dpu->operand.feed != FEED_NONE)
		lint_address(t, "DPU_RDMA: operand", dpu->operand.ew_base);
	if (dpu->main.memory && dpu->width >= UNSAFE_WIDTH)
		core_report(t->core,
			    "DPU: a memory-fed cube of %u columns loses its tail on silicon",
			    dpu->width);
	lint_overlap(t, dpu);
}

void lint_task(const struct task_regs *t, const struct conv_job *conv, const struct dpu_job *dpu)
{
	lint_address(t, "CNA: feature", conv->feature);
	lint_address(t, "CNA: weight", conv->weights);
	lint_banks(t, conv);
	lint_weights(t, conv);
	lint_channels(t, conv, dpu);
	lint_dpu(t, dpu);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * conv.c - CNA and CORE: a direct convolution, some pixels and kernels at a time.
 *
 * A slab of kernels is decoded once and met by all pixels, a pass of them at a time;
 * a pass's accumulators go straight through the DPU, so that they stay small however large
 * the task is.
 */
#include "sim/npu/conv.h"

#include <string.h>

#include "sim/npu/core.h"
#include "sim/npu/decode.h"
#include "sim/npu/dpu.h"

/* Sizes that suit the caches of a host core. */
#define SLAB_BYTES   (4u << 20)
#define PASS_BYTES   (256u << 10)
#define PASS_PIXELS  96u
#define STRETCH_TILE 8192u

/* WEIGHT_SIZE1 counts the bytes of a kernel in 19 bits. */
#define KERNEL_BYTES_MAX 0x7ffffu

/* More accumulators than any working program has; a bound for wrong ones. */
#define RESIDUE_MAX (64u << 20)

/* |int8 product| <= 2^14: this many fit an int32 sum. A wide sum holds as many of int16. */
#define INT32_PRODUCTS 131071u

struct pass {
	struct npu_core *core;
	const struct conv_job *conv;
	const struct dpu_job *dpu;
	const struct mac *mac;
	unsigned taps, groups; /* groups: of input channels, times taps */
	unsigned most_pixels;
	size_t tile;
	const void **rows;    /* [block of pixels][group][mac->rows] */
	uint16_t *spreads;    /* [block of pixels][group] */
	int32_t *window_sums; /* [pixel], NULL: not wanted */
	const int32_t *pixel_sums;
	uint8_t pad[256] __attribute__((aligned(64)));

	/* of the pass */
	unsigned first_pixel, pixels;
	unsigned first_panel, panels;
};

/* Input pixel of an output pixel at a tap, -1 in the padding. */
static ptrdiff_t tap_pixel(const struct conv_job *j, unsigned pixel, unsigned tap)
{
	int y = (int)(pixel / j->ow * j->stride_y + tap / j->kw * j->dilation_y) - (int)j->pad_top;
	int x = (int)(pixel % j->ow * j->stride_x + tap % j->kw * j->dilation_x) - (int)j->pad_left;

	if (y < 0 || x < 0 || y % (int)j->spread_y || x % (int)j->spread_x)
		return -1;
	y /= (int)j->spread_y;
	x /= (int)j->spread_x;
	if (y >= (int)j->ih || x >= (int)j->iw)
		return -1;
	return (ptrdiff_t)y * (ptrdiff_t)j->iw + x;
}

static void point_rows(struct pass *p, unsigned block, unsigned row, unsigned pixel)
{
	unsigned channel_groups = p->groups / p->taps;
	int32_t sum = 0;

	for (unsigned t = 0; t < p->taps; t++) {
		ptrdiff_t at = tap_pixel(p->conv, pixel, t);

		for (unsigned c = 0; c < channel_groups; c++) {
			size_t i = (size_t)block * p->groups + c * p->taps + t;
			const void **to = &p->rows[i * p->mac->rows + row];
			uint16_t spread = 0;

			*to = at < 0 ? p->pad : feature_group(p->core, c, (size_t)at, &spread);
			if ((spread & SPREAD_MASK) > (p->spreads[i] & SPREAD_MASK))
				p->spreads[i] = spread | (p->spreads[i] & SPREAD_NONFINITE);
			p->spreads[i] |= spread & SPREAD_NONFINITE;
		}
		if (p->window_sums)
			sum += at < 0 ? p->conv->pad_value * (int)p->conv->ic : p->pixel_sums[at];
	}
	if (p->window_sums)
		p->window_sums[pixel - p->first_pixel] = sum;
}

static void point_pass(struct pass *p)
{
	unsigned blocks = (p->pixels + p->mac->rows - 1) / p->mac->rows;

	memset(p->spreads, 0, (size_t)blocks * p->groups * sizeof(*p->spreads));
	for (unsigned i = 0; i < p->pixels; i++)
		point_rows(p, i / p->mac->rows, i % p->mac->rows, p->first_pixel + i);
}

/* Products of the pass's pixels with the slab, a stretch of groups at a time. */
static void multiply(struct pass *p, void *acc, size_t ld)
{
	unsigned rows = p->mac->rows;
	unsigned stretch = p->tile < STRETCH_TILE ? (unsigned)(STRETCH_TILE / p->tile) : 1;

	for (unsigned g = 0, n; g < p->groups; g += n) {
		n = weights_stretch(p->core, g, p->groups - g < stretch ? p->groups - g : stretch);
		for (unsigned panel = 0; panel < p->panels; panel++) {
			struct mac_block b = { .mac = p->mac, .groups = n, .ld = ld };

			b.panel =
				weights_tiles(p->core, p->first_panel + panel, g, &b.panel_spread);
			for (unsigned i = 0; i < p->pixels; i += rows) {
				size_t at = (size_t)(i / rows) * p->groups + g;

				b.rows = p->rows + at * rows;
				b.row_spread = p->spreads + at;
				b.n_rows = p->pixels - i < rows ? p->pixels - i : rows;
				b.acc = (uint8_t *)acc +
					(i * ld + panel * p->mac->panel) * p->mac->acc;
				p->mac->block(&b);
			}
		}
	}
}

/* Scale an integer accumulator down on its way to the DPU. */
static void truncate(const struct pass *p, int32_t *acc, size_t n)
{
	unsigned s = p->conv->truncate;

	for (size_t i = 0; s && i < n; i++) {
		int64_t v = acc[i], half = (int64_t)1 << (s - 1), q = (v + half) >> s;

		if (!p->conv->truncate_half_up && ((v + half) & (2 * half - 1)) == 0)
			q &= ~(int64_t)1;
		acc[i] = (int32_t)q;
	}
}

static void corrupt_acc(struct pass *p, void *acc, size_t ld)
{
	for (size_t i = 0; i < p->pixels; i++)
		for (size_t c = 0; c < ld; c++) {
			uint32_t *word = (uint32_t *)acc + i * ld + c;

			if ((p->first_pixel + i + c) % 4)
				*word ^= 0x00400000u;
		}
}

static bool run_pass(struct pass *p)
{
	bool residue = p->conv->type->integer && core_quirk(p->core, NPU_QUIRK_INT_CHAIN);
	size_t ld = (size_t)p->panels * p->mac->panel;
	void *acc = scratch_get(&p->core->acc, p->pixels * ld * p->mac->acc);
	struct dpu_block block = { .first_pixel = p->first_pixel,
				   .pixels = p->pixels,
				   .first_channel = p->first_panel * p->mac->panel,
				   .acc = acc,
				   .ld = ld,
				   .window_sums = p->window_sums };

	if (!acc) {
		core_hang(p->core, "CORE", NOT_MODELLED "no host memory for the accumulators");
		return false;
	}
	block.channels = p->dpu->channels - block.first_channel;
	if (block.channels > ld)
		block.channels = (unsigned)ld;
	point_pass(p);
	memset(acc, 0, p->pixels * ld * p->mac->acc);
	multiply(p, acc, ld);
	if (p->mac->finish)
		p->mac->finish(acc, p->pixels * ld);
	if (residue) {
		residue_add(&p->core->residue, &block);
		residue_store(&p->core->residue, &block);
	}
	if (p->conv->type->integer)
		truncate(p, acc, p->pixels * ld);
	if (p->conv->fc_data_bank && core_quirk(p->core, NPU_QUIRK_FCBANK))
		corrupt_acc(p, acc, ld);
	return dpu_run(p->core, p->dpu, &block);
}

static bool run_slab(struct pass *p)
{
	unsigned pixels = p->conv->ow * p->conv->oh;

	for (p->first_pixel = 0; p->first_pixel < pixels; p->first_pixel += p->pixels) {
		p->pixels = pixels - p->first_pixel;
		if (p->pixels > p->most_pixels)
			p->pixels = p->most_pixels;
		if (!run_pass(p))
			return false;
	}
	return true;
}

/* Products a task programs, channel padding included. */
static uint64_t task_macs(const struct pass *p, unsigned panels)
{
	return (uint64_t)p->conv->ow * p->conv->oh * p->groups * p->conv->type->channel_group *
	       panels * p->mac->panel;
}

/* Extents that the registers hold but no working program has. */
static bool affordable(struct pass *p, unsigned panels)
{
	uint64_t kernel = weights_kernel_bytes(p->conv);

	if (kernel > KERNEL_BYTES_MAX) {
		core_hang(p->core, "CNA", NOT_MODELLED "a kernel of %llu bytes",
			  (unsigned long long)kernel);
		return false;
	}
	return core_spend(p->core, task_macs(p, panels) * p->conv->type->bits / 8);
}

static bool prepare(struct pass *p, unsigned panels)
{
	struct npu_core *core = p->core;
	const struct conv_job *j = p->conv;
	unsigned group = j->type->channel_group;
	size_t row, blocks;

	p->taps = j->kh * j->kw;
	p->groups = (j->ic + group - 1) / group * p->taps;
	p->tile = (size_t)group * p->mac->panel * p->mac->element;
	row = (size_t)p->groups * group * p->mac->element;
	if (!affordable(p, panels))
		return false;
	if (j->type->integer && (uint64_t)p->groups * group > INT32_PRODUCTS) {
		core_hang(core, "CORE", NOT_MODELLED "%u integer products in one sum",
			  p->groups * group);
		return false;
	}
	p->most_pixels =
		row < PASS_BYTES / PASS_PIXELS ? PASS_PIXELS : (unsigned)(PASS_BYTES / row);
	p->most_pixels = (p->most_pixels + p->mac->rows - 1) / p->mac->rows * p->mac->rows;
	if (!p->most_pixels)
		p->most_pixels = p->mac->rows;
	blocks = p->most_pixels / p->mac->rows;
	p->rows = scratch_get(&core->rows, blocks * p->groups * p->mac->rows * sizeof(*p->rows));
	p->spreads = scratch_get(&core->spreads, blocks * p->groups * sizeof(*p->spreads));
	if (j->window_sum && p->dpu->bs.compensate) {
		p->window_sums = scratch_get(&core->window_sums, p->most_pixels * sizeof(int32_t));
		p->pixel_sums = feature_sums(core);
	}
	if (!p->rows || !p->spreads || (p->pixel_sums && !p->window_sums)) {
		core_hang(core, "CNA", NOT_MODELLED "no host memory for %u channel groups",
			  p->groups);
		return false;
	}
	memset(p->pad, 0, sizeof(p->pad));
	for (unsigned k = 0; j->type->integer && k < group; k++)
		((int16_t *)p->pad)[k] = j->pad_value;
	return true;
}

/* Panels decoded at once; resident weights always are. */
static unsigned slab_panels(const struct pass *p, unsigned total)
{
	unsigned per_group = p->conv->type->kernel_group / p->mac->panel;
	size_t panel = p->groups * p->tile;
	unsigned n = (unsigned)(SLAB_BYTES / panel) / per_group * per_group;

	if (p->conv->weight_reuse && p->core->weights.valid)
		return total;
	/* Kernels past those that were loaded have no weights to keep. */
	if (p->conv->kernels >= p->dpu->channels &&
	    weights_bytes(p->conv) <= CBUF_BANKS * CBUF_BANK)
		return total;
	return n < per_group ? per_group : n < total ? n : total;
}

/* With the quirk on, integer accumulators of a kick's tasks add up. */
static bool begin_residue(struct npu_core *core, const struct conv_job *j,
			  const struct dpu_job *dpu)
{
	size_t pixels = (size_t)j->ow * j->oh;

	if (!j->type->integer || !core_quirk(core, NPU_QUIRK_INT_CHAIN))
		return true;
	if (pixels * dpu->channels <= RESIDUE_MAX &&
	    residue_begin(&core->residue, pixels, dpu->channels))
		return true;
	core_hang(core, "CORE", NOT_MODELLED "%zu accumulators kept from task to task",
		  pixels * dpu->channels);
	return false;
}

/*
 * Channels whose results the task delivers: an int8 writer never ends a kernel group that
 * is not full, int16 without QD_EN computes one group [silicon].
 */
static unsigned delivered(struct npu_core *core, const struct conv_job *conv,
			  const struct dpu_job *dpu)
{
	unsigned group = conv->type->kernel_group;

	if (dpu->out.type == OUT_INT8)
		return dpu->channels / group * group;
	if (conv->type->mac != MAC_INT16 || conv->window_sum || dpu->channels <= group)
		return dpu->channels;
	core_report(core, "CORE: int16 without QD_EN computes %u channels", group);
	return group;
}

/* Writers that stop for good once they have written what they can [silicon]. */
static void end_writer(struct npu_core *core, const struct dpu_job *job)
{
	if (job->out.type == OUT_INT8 && job->channels % job->out.group)
		core_hang(core, "DPU",
			  "int8 output of %u channels ends inside a kernel group of %u",
			  job->channels, job->out.group);
	else if (job->out.one_tile)
		core_hang(core, "DPU", "int16 to int32 with SIZE_E 7 stops after one tile");
	else if (job->out.transposed && job->channels == job->out.group)
		core_hang(core, "DPU", "the transposed writer stops after %u channels",
			  job->channels);
}

void conv_run(struct npu_core *core, const struct conv_job *conv, const struct dpu_job *job)
{
	struct dpu_job dpu = *job;
	struct pass p = { .core = core, .conv = conv, .dpu = &dpu };
	unsigned group = conv->type->kernel_group, total, slab;

	dpu.channels = delivered(core, conv, job);
	p.mac = core->mac[conv->type->mac];
	total = (dpu.channels + group - 1) / group * (group / p.mac->panel);
	if (!feature_load(core, conv) || !prepare(&p, total) || !dpu_prepare(core, &dpu) ||
	    !begin_residue(core, conv, &dpu))
		return;
	slab = slab_panels(&p, total);
	for (; p.first_panel < total; p.first_panel += p.panels) {
		p.panels = total - p.first_panel < slab ? total - p.first_panel : slab;
		if (!weights_load(core, conv, p.first_panel, p.panels) || !run_slab(&p))
			return;
	}
	core->result->counters.macs += task_macs(&p, total);
	end_writer(core, job);
}

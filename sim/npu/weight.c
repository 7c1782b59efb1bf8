// SPDX-License-Identifier: LGPL-2.1-or-later
/* weight.c - the weight DMA: the kernel stream into panels of tiles. */
#include <string.h>

#include "sim/npu/core.h"
#include "sim/npu/decode.h"

#define BLOCK_BYTES 1024u /* of a full kernel group and channel group, in every type */

/* Channels of a group as they lie in memory: the last one may be half as deep. */
static unsigned depth_of_group(const struct conv_job *job, unsigned group)
{
	unsigned full = job->type->channel_group;
	unsigned left = (job->ic - group * full + 15) / 16 * 16;

	return left < full ? left : full;
}

/* Channels all groups of one kernel have in memory. */
static unsigned depth_of_kernel(const struct conv_job *job)
{
	unsigned full = job->type->channel_group, groups = (job->ic + full - 1) / full;

	return (groups - 1) * full + depth_of_group(job, groups - 1);
}

uint64_t weights_kernel_bytes(const struct conv_job *job)
{
	return (uint64_t)depth_of_kernel(job) * job->kh * job->kw * job->type->bits / 8;
}

uint64_t weights_bytes(const struct conv_job *job)
{
	return weights_kernel_bytes(job) * job->kernels;
}

/* The panels of one kernel group, tile by tile as the stream delivers them. */
static void fetch_kernel_group(struct npu_core *core, const struct conv_job *job, unsigned first,
			       unsigned panel)
{
	struct weight_image *image = &core->weights;
	const struct operand_type *type = job->type;
	const struct mac *mac = core->mac[type->mac];
	unsigned taps = job->kh * job->kw, channel_groups = image->groups / taps;
	unsigned entries = job->kernels > first ? job->kernels - first : 0;
	size_t tile = (size_t)type->channel_group * mac->panel * mac->element;
	uint32_t iova = job->weights + (uint32_t)(weights_kernel_bytes(job) * first);
	uint8_t bounce[BLOCK_BYTES];

	if (entries > type->kernel_group)
		entries = type->kernel_group;
	for (unsigned t = 0; t < channel_groups * taps; t++) {
		unsigned depth = depth_of_group(job, t / taps);
		uint32_t row = depth * type->bits / 8;
		const uint8_t *src = bounce;

		if (entries)
			src = memory_view(&core->memory, iova, row * entries, bounce);
		for (unsigned i = 0; i < type->kernel_group / mac->panel; i++) {
			size_t at = (size_t)(panel + i) * image->groups + t;
			unsigned before = i * mac->panel;
			unsigned n = entries > before ? entries - before : 0;
			uint32_t range = mac->pack(src + (n ? before * row : 0),
						   n < mac->panel ? n : mac->panel, depth,
						   (uint8_t *)image->data.base + at * tile);

			((uint16_t *)image->spreads.base)[at] = spread_of_range(range);
		}
		iova += row * entries;
	}
	core->result->counters.read_weight += weights_kernel_bytes(job) * entries;
}

static bool same_weights(const struct conv_job *a, const struct conv_job *b)
{
	return a->type == b->type && a->weights == b->weights && a->ic == b->ic && a->kw == b->kw &&
	       a->kh == b->kh && a->kernels == b->kernels && a->data_banks == b->data_banks &&
	       a->weight_banks == b->weight_banks;
}

static bool reuse(struct npu_core *core, const struct conv_job *job)
{
	const struct weight_image *image = &core->weights;

	if (!job->weight_reuse)
		return false;
	if (!image->valid) {
		core_report(core, "CNA: WEIGHT_REUSE without resident weights of a previous task; "
				  "fetched");
		return false;
	}
	if (image->job.type != job->type) {
		core_hang(core, "CNA", NOT_MODELLED "WEIGHT_REUSE of %s operands as %s",
			  image->job.type->name, job->type->name);
		return true;
	}
	if (!same_weights(&image->job, job))
		core_report(core,
			    "CNA: reuse mismatch: the buffer holds weights 0x%08x of %u kernels "
			    "%ux%ux%u, the task names 0x%08x of %u kernels %ux%ux%u",
			    image->job.weights, image->job.kernels, image->job.ic, image->job.kh,
			    image->job.kw, job->weights, job->kernels, job->ic, job->kh, job->kw);
	return true;
}

bool weights_load(struct npu_core *core, const struct conv_job *job, unsigned first,
		  unsigned panels)
{
	struct weight_image *image = &core->weights;
	const struct operand_type *type = job->type;
	const struct mac *mac = core->mac[type->mac];
	unsigned per_group = type->kernel_group / mac->panel;
	size_t tile = (size_t)type->channel_group * mac->panel * mac->element;

	if (!first && reuse(core, job))
		return !core->failed;
	image->valid = false;
	image->job = *job;
	image->first_panel = first;
	image->panels = panels;
	image->groups =
		(job->ic + type->channel_group - 1) / type->channel_group * job->kh * job->kw;
	if (!scratch_get(&image->data, panels * image->groups * tile) ||
	    !scratch_get(&image->spreads, panels * (size_t)image->groups * sizeof(uint16_t))) {
		core_hang(core, "CNA", NOT_MODELLED "no host memory for the weights");
		return false;
	}
	core->memory.block = "CNA";
	for (unsigned p = 0; p < panels; p += per_group)
		fetch_kernel_group(core, job, (first + p) * mac->panel, p);
	/* Weights that stream through their banks are not there any more afterwards. */
	image->valid = first == 0 && panels * mac->panel >= job->kernels &&
		       weights_bytes(job) <= CBUF_BANKS * CBUF_BANK;
	return true;
}

static bool foreign(const struct weight_image *image, unsigned panel, unsigned group)
{
	return panel >= image->panels || group >= image->groups;
}

const uint8_t *weights_tiles(const struct npu_core *core, unsigned panel, unsigned group,
			     const uint16_t **spreads)
{
	const struct weight_image *image = &core->weights;
	const struct operand_type *type = image->job.type;
	const struct mac *mac = core->mac[type->mac];
	size_t tile = (size_t)type->channel_group * mac->panel * mac->element, at;

	panel -= image->first_panel;
	if (foreign(image, panel, group)) {
		panel %= image->panels;
		group %= image->groups;
	}
	at = (size_t)panel * image->groups + group;
	*spreads = (const uint16_t *)image->spreads.base + at;
	return (const uint8_t *)image->data.base + at * tile;
}

unsigned weights_stretch(const struct npu_core *core, unsigned group, unsigned wanted)
{
	unsigned left = core->weights.groups - group % core->weights.groups;

	return wanted < left ? wanted : left;
}

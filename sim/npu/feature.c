// SPDX-License-Identifier: LGPL-2.1-or-later
/* feature.c - the feature DMA: a cube in memory into groups of decoded channels. */
#include <string.h>

#include "sim/npu/core.h"
#include "sim/npu/decode.h"

/* More than any working program decodes; a bound for wrong ones. */
#define IMAGE_LIMIT (256u << 20)

struct fetch {
	struct npu_core *core;
	const struct conv_job *job;
	const struct mac *mac;
	size_t pitch; /* bytes of a pixel in the image */
	uint32_t *ranges;
};

/* Atoms that lie one after the other, to pixels that do so too. */
static void fetch_run(const struct fetch *f, uint32_t iova, size_t atoms, uint8_t *dst,
		      uint32_t *ranges)
{
	while (atoms) {
		uint8_t bounce[ATOM];
		uint32_t want = atoms > 0x1000000 ? 0x10000000 : (uint32_t)(atoms * ATOM), got;
		const uint8_t *src = memory_run(&f->core->memory, iova, want, &got);
		uint32_t n = got / ATOM;

		if (!src || !n) {
			memory_read(&f->core->memory, iova, bounce, ATOM);
			src = bounce;
			n = 1;
		}
		f->mac->unpack(src, n, dst, f->pitch, ranges);
		iova += n * ATOM;
		dst += n * f->pitch;
		ranges += n;
		atoms -= n;
	}
}

/*
 * One surface: lines come in groups, L atoms from group to group; inside a group they
 * follow each other, and so do the groups of a compact cube.
 */
static void fetch_surface(const struct fetch *f, unsigned surface, uint8_t *dst)
{
	const struct conv_job *j = f->job;
	uint32_t start = surface * (j->line_group * j->iw + j->surface_stride);
	unsigned lines = j->line_stride == j->line_group * j->iw ? j->ih : j->line_group;

	for (unsigned h = 0; h < j->ih; h += lines) {
		uint32_t atom = start + h / j->line_group * j->line_stride;
		size_t pixel = (size_t)h * j->iw;
		unsigned n = j->ih - h < lines ? j->ih - h : lines;

		fetch_run(f, j->feature + ATOM * atom, (size_t)n * j->iw, dst + pixel * f->pitch,
			  f->ranges + pixel);
	}
}

/* Lanes the channel count does not reach are not operands. */
static void clear_lanes(const struct fetch *f, const struct feature_image *image)
{
	unsigned group = f->job->type->channel_group, used = f->job->ic % group;
	uint8_t *last =
		(uint8_t *)image->data.base + (image->groups - 1) * image->pixels * f->pitch;

	for (size_t p = 0; used && p < image->pixels; p++)
		memset(last + p * f->pitch + used * f->mac->element, 0,
		       (group - used) * f->mac->element);
}

static void fetch_image(struct npu_core *core, const struct conv_job *job)
{
	struct feature_image *image = &core->feature;
	const struct operand_type *type = job->type;
	const struct mac *mac = core->mac[type->mac];
	unsigned lanes = 128 / type->bits, surfaces = (job->ic + lanes - 1) / lanes;
	unsigned per_group = type->channel_group / lanes;
	struct fetch f = { core, job, mac, type->channel_group * (size_t)mac->element,
			   image->ranges.base };
	uint16_t *spreads = image->spreads.base;

	core->memory.block = "CNA";
	for (unsigned g = 0; g < image->groups; g++) {
		uint8_t *dst = (uint8_t *)image->data.base + g * image->pixels * f.pitch;

		memset(f.ranges, 0, image->pixels * sizeof(*f.ranges));
		for (unsigned s = g * per_group; s < surfaces && s < (g + 1) * per_group; s++)
			fetch_surface(&f, s, dst + s % per_group * lanes * (size_t)mac->element);
		for (size_t p = 0; p < image->pixels; p++)
			spreads[g * image->pixels + p] = spread_of_range(f.ranges[p]);
	}
	core->result->counters.read_feature += (uint64_t)surfaces * image->pixels * ATOM;
	clear_lanes(&f, image);
}

const int32_t *feature_sums(struct npu_core *core)
{
	struct feature_image *image = &core->feature;
	unsigned group = image->job.type->channel_group;
	const int16_t *from = image->data.base;
	int32_t *sums = image->sums.base;

	if (image->summed)
		return sums;
	memset(sums, 0, image->pixels * sizeof(*sums));
	for (unsigned g = 0; g < image->groups; g++)
		for (size_t p = 0; p < image->pixels; p++)
			for (unsigned k = 0; k < group; k++)
				sums[p] += *from++;
	image->summed = true;
	return sums;
}

static bool same_image(const struct conv_job *a, const struct conv_job *b)
{
	return a->type == b->type && a->feature == b->feature && a->iw == b->iw && a->ih == b->ih &&
	       a->ic == b->ic && a->line_group == b->line_group &&
	       a->line_stride == b->line_stride && a->surface_stride == b->surface_stride &&
	       a->data_banks == b->data_banks;
}

static bool reuse(struct npu_core *core, const struct conv_job *job)
{
	const struct feature_image *image = &core->feature;

	if (!job->data_reuse)
		return false;
	if (!image->valid) {
		core_report(core, "CNA: DATA_REUSE without a feature of a previous task; fetched");
		return false;
	}
	if (image->job.type != job->type) {
		core_hang(core, "CNA", NOT_MODELLED "DATA_REUSE of %s operands as %s",
			  image->job.type->name, job->type->name);
		return true;
	}
	if (!same_image(&image->job, job))
		core_report(core,
			    "CNA: reuse mismatch: the buffer holds feature 0x%08x %ux%ux%u in %u "
			    "banks, the task names 0x%08x %ux%ux%u in %u",
			    image->job.feature, image->job.ic, image->job.ih, image->job.iw,
			    image->job.data_banks, job->feature, job->ic, job->ih, job->iw,
			    job->data_banks);
	return true;
}

bool feature_load(struct npu_core *core, const struct conv_job *job)
{
	struct feature_image *image = &core->feature;
	const struct operand_type *type = job->type;
	size_t element = core->mac[type->mac]->element, bytes;

	if (reuse(core, job))
		return !core->failed;
	image->valid = false;
	image->job = *job;
	image->pixels = (size_t)job->iw * job->ih;
	image->groups = (job->ic + type->channel_group - 1) / type->channel_group;
	bytes = image->pixels * image->groups * type->channel_group * element;
	if (bytes > IMAGE_LIMIT) {
		core_hang(core, "CNA", NOT_MODELLED "a feature of %zu decoded bytes", bytes);
		return false;
	}
	if (!scratch_get(&image->data, bytes) ||
	    !scratch_get(&image->spreads, image->pixels * image->groups * sizeof(uint16_t)) ||
	    !scratch_get(&image->ranges, image->pixels * sizeof(uint32_t)) ||
	    !scratch_get(&image->sums, image->pixels * sizeof(int32_t))) {
		core_hang(core, "CNA", NOT_MODELLED "no host memory for the feature");
		return false;
	}
	fetch_image(core, job);
	feature_spoil(core);
	image->summed = false;
	image->valid = true;
	return true;
}

const void *feature_group(const struct npu_core *core, unsigned group, size_t pixel,
			  uint16_t *spread)
{
	const struct feature_image *image = &core->feature;
	const struct operand_type *type = image->job.type;
	size_t i = group % image->groups * image->pixels + pixel % image->pixels;

	*spread = ((const uint16_t *)image->spreads.base)[i];
	return (const uint8_t *)image->data.base +
	       i * type->channel_group * core->mac[type->mac]->element;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * image.h - the operands as the on-chip buffer holds them, decoded.
 *
 * An image outlives its task: a reuse bit makes the next one compute with it. What
 * it was fetched for is kept beside it, so that a reuse of something else is noticed.
 */
#ifndef SIM_NPU_IMAGE_H
#define SIM_NPU_IMAGE_H

#include "sim/npu/job.h"
#include "sim/npu/scratch.h"

struct npu_core;

/* Channels of a pixel lie in groups of the type's channel_group, padded with 0. */
struct feature_image {
	bool valid;
	struct conv_job job;
	unsigned groups;
	size_t pixels;
	struct scratch data;    /* [group][pixel][channel] */
	struct scratch spreads; /* [group][pixel] */
	struct scratch ranges;  /* of exponents, [pixel] */
	bool summed;
	struct scratch sums; /* [pixel], over all channels; integer only */
};

/* Panels of output channels; of each, one tile per group of input channels and tap. */
struct weight_image {
	bool valid; /* holds all kernels of job, first_panel is 0 */
	struct conv_job job;
	unsigned first_panel, panels, groups;
	struct scratch data;    /* [panel][group] tiles */
	struct scratch spreads; /* [panel][group] */
};

/* Bytes of the on-chip buffer. */
#define CBUF_BANK  32768u
#define CBUF_BANKS 12u

/* An int8 column that leaves almost nothing of its last bank: its tail is wrong on silicon. */
bool feature_slack_missing(const struct conv_job *job);
/* Fill core->feature for the job, or keep it by the reuse bit. False: the kick hangs. */
bool feature_load(struct npu_core *core, const struct conv_job *job);
/* What the quirks slack and cbuf make of a fresh image. */
void feature_spoil(struct npu_core *core);
/* Sums over the channels of each pixel of an integer image. */
const int32_t *feature_sums(struct npu_core *core);
/* Decoded channels of a group and their spread; beyond a foreign image it repeats. */
const void *feature_group(const struct npu_core *core, unsigned group, size_t pixel,
			  uint16_t *spread);

/* Kernels of the panels from first on into core->weights, or the kept ones. */
bool weights_load(struct npu_core *core, const struct conv_job *job, unsigned first,
		  unsigned panels);
const uint8_t *weights_tiles(const struct npu_core *core, unsigned panel, unsigned group,
			     const uint16_t **spreads);
/* How many consecutive groups weights_tiles() covers from a group on. */
unsigned weights_stretch(const struct npu_core *core, unsigned group, unsigned wanted);
uint64_t weights_bytes(const struct conv_job *job);
uint64_t weights_kernel_bytes(const struct conv_job *job);

#endif

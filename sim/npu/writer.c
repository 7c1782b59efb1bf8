// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * writer.c - the write DMA: a kernel group is SIZE_E + 1 surfaces DST_SURF_STRIDE apart,
 * groups are SURFACE_ADD apart, a row of pixels is followed by NOTCH atoms.
 */
#include <string.h>

#include "sim/npu/core.h"
#include "sim/npu/dpu.h"

/* One surface of the block, ATOM/bytes channels from channel on. */
struct surface {
	uint32_t base;
	unsigned offset, bytes; /* in a pixel's finished elements */
};

static bool place(const struct dpu_job *job, const struct dpu_block *block, unsigned channel,
		  struct surface *s)
{
	const struct writer_job *w = &job->out;
	unsigned lanes = ATOM / w->bytes, in_block = channel - block->first_channel;
	unsigned group = channel / w->group, surface = channel % w->group / lanes;
	unsigned left = block->channels - in_block;

	s->base = w->base + group * w->surface_add + surface * w->surface_stride;
	s->offset = in_block * w->bytes;
	s->bytes = (left < lanes ? left : lanes) * w->bytes;
	return surface <= w->last_surface;
}

/* Whole atoms of consecutive pixels lie side by side. */
static void write_column(struct npu_core *core, const struct dpu_block *block,
			 const struct surface *s, const uint8_t *bytes, size_t pitch)
{
	uint8_t column[64 * ATOM];
	uint32_t iova = s->base + ATOM * block->first_pixel;

	for (unsigned p = 0; p < block->pixels;) {
		unsigned n = 0;

		for (; n < 64 && p < block->pixels; n++, p++)
			memcpy(column + n * ATOM, bytes + p * pitch + s->offset, ATOM);
		memory_write(&core->memory, iova, column, n * ATOM);
		iova += n * ATOM;
	}
}

static void write_pixel(struct npu_core *core, const struct dpu_job *job, unsigned pixel,
			const struct surface *s, const uint8_t *elements)
{
	uint32_t atom = pixel / job->width * (job->width + job->out.notch) + pixel % job->width;

	memory_write(&core->memory, s->base + ATOM * atom, elements + s->offset, s->bytes);
}

/* 16-bit slots: channels in fours, fours of fours, and the channels of a four far apart. */
static void write_transposed(struct npu_core *core, const struct dpu_job *job,
			     const struct dpu_block *block, const uint8_t *bytes, size_t pitch)
{
	uint32_t rows = job->width * job->height;

	for (unsigned i = 0; i < block->pixels; i++)
		for (unsigned k = 0; k < block->channels; k++) {
			uint32_t m = block->first_pixel + i, n = block->first_channel + k;
			uint32_t slot = 4 * m + n / 4 % 4 + n / 16 * 4 * rows + n % 4 * 16 * rows;

			memory_write(&core->memory, job->out.base + 2 * slot,
				     bytes + i * pitch + k * job->out.bytes, 2);
		}
	core->result->counters.write += 2ull * block->pixels * block->channels;
}

/* Row 0 of the first 16 channels, before the writer stops for good. */
static struct dpu_block first_tile(const struct dpu_job *job, const struct dpu_block *block)
{
	struct dpu_block tile = *block;
	unsigned left = block->first_pixel < job->width ? job->width - block->first_pixel : 0;

	if (tile.pixels > left)
		tile.pixels = left;
	if (tile.channels > job->out.group)
		tile.channels = job->out.group;
	if (block->first_channel)
		tile.pixels = 0;
	return tile;
}

static void write_cube(struct npu_core *core, const struct dpu_job *job,
		       const struct dpu_block *block, const uint8_t *bytes, size_t pitch)
{
	unsigned lanes = ATOM / job->out.bytes;
	unsigned end = block->first_channel + block->channels;
	struct surface s;

	for (unsigned c = block->first_channel; c < end; c += lanes) {
		if (!place(job, block, c, &s))
			continue;
		core->result->counters.write += (uint64_t)s.bytes * block->pixels;
		if (!job->out.notch && s.bytes == ATOM)
			write_column(core, block, &s, bytes, pitch);
	}
	/* Rows that stand apart, and the last channels of a partly filled atom. */
	for (unsigned p = 0; p < block->pixels; p++)
		for (unsigned c = job->out.notch ? block->first_channel : end / lanes * lanes;
		     c < end; c += lanes)
			if (place(job, block, c, &s))
				write_pixel(core, job, block->first_pixel + p, &s,
					    bytes + p * pitch);
}

void writer_run(struct npu_core *core, const struct dpu_job *job, const struct dpu_block *block,
		const uint8_t *bytes, size_t pitch)
{
	struct dpu_block tile;

	core->memory.block = "DPU";
	if (job->out.transposed) {
		write_transposed(core, job, block, bytes, pitch);
	} else if (job->out.one_tile) {
		tile = first_tile(job, block);
		write_cube(core, job, &tile, bytes, pitch);
	} else {
		write_cube(core, job, block, bytes, pitch);
	}
}

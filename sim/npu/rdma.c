// SPDX-License-Identifier: LGPL-2.1-or-later
/* rdma.c - DPU_RDMA: operands of the DPU's stages from memory. */
#include <string.h>

#include "sim/npu/core.h"
#include "sim/npu/decode.h"
#include "sim/npu/dpu.h"
#include "sim/npu/half.h"

/* Operands of eight channels: A int32, B int16, C int16. */
#define RECORD_CHANNELS 8u
#define RECORD_BYTES    64u
#define RECORD_B        32u
#define RECORD_C        48u

static uint32_t little32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint16_t little16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

bool rdma_coefficients(struct npu_core *core, const struct dpu_job *job)
{
	const struct operand_job *o = &job->operand;
	struct coefficient *to =
		scratch_get(&core->coefficients, (job->channels + 7) * sizeof(*to));

	if (!to) {
		core_hang(core, "DPU_RDMA", NOT_MODELLED "no host memory for coefficients");
		return false;
	}
	memset(to, 0, (job->channels + 7) * sizeof(*to));
	if (!o->coefficients)
		return true;
	core->memory.block = "DPU_RDMA";
	for (unsigned c = 0; c < job->channels; c += RECORD_CHANNELS) {
		uint32_t bytes = o->records ? RECORD_BYTES : 4 * RECORD_CHANNELS;
		uint8_t record[RECORD_BYTES] = { 0 };

		if (!o->records && job->channels - c < RECORD_CHANNELS)
			bytes = 4 * (job->channels - c);
		memory_read(&core->memory,
			    o->coefficient_base +
				    c / RECORD_CHANNELS *
					    (o->records ? RECORD_BYTES : 4 * RECORD_CHANNELS),
			    record, bytes);
		for (unsigned k = 0; k < RECORD_CHANNELS; k++) {
			to[c + k].a = (int32_t)little32(record + 4 * k);
			to[c + k].b = o->records ? (int16_t)little16(record + RECORD_B + 2 * k) : 0;
			to[c + k].c = o->records ? (int16_t)little16(record + RECORD_C + 2 * k) : 0;
		}
		core->result->counters.read_operand += bytes;
	}
	return true;
}

/* Where a surface of the operand lies for pixel 0. */
static uint32_t surface_base(const struct operand_job *o, unsigned surface)
{
	if (o->feed == FEED_SINGLE)
		return o->ew_base + surface * o->ew_stride;
	/* Two read channels take the surfaces in turn. */
	if (surface % 2)
		return o->ew_base + surface / 2 * (o->ew_stride + o->ew_notch);
	return o->main_base + surface / 2 * (ATOM * o->pixels + o->main_notch);
}

/* An element as the datapath holds it: an int32, or the bits of a float. */
static uint32_t element(const struct dpu_job *job, const uint8_t *p, unsigned bytes)
{
	if (!job->integer)
		return bytes == 2 ? float_bits(half_to_float(little16(p))) : little32(p);
	switch (bytes) {
	case 1:
		return (uint32_t)(int8_t)p[0];
	case 2:
		return (uint32_t)(int16_t)little16(p);
	default:
		return little32(p);
	}
}

/* One atom of each of the block's pixels, channels from channel on, to its columns. */
static void read_surface(struct npu_core *core, const struct dpu_job *job,
			 const struct dpu_block *block, unsigned channel, uint32_t base,
			 unsigned bytes, uint32_t *to)
{
	unsigned left = block->first_channel + block->channels - channel;
	unsigned lanes = left < ATOM / bytes ? left : ATOM / bytes;
	uint32_t iova = base + ATOM * block->first_pixel;

	for (unsigned p = 0; p < block->pixels; p++, iova += ATOM, to += block->ld) {
		uint8_t bounce[ATOM];
		const uint8_t *atom = memory_view(&core->memory, iova, ATOM, bounce);

		for (unsigned k = 0; k < lanes; k++)
			to[k] = element(job, atom + k * bytes, bytes);
	}
	core->result->counters.read_operand += (uint64_t)ATOM * block->pixels;
}

void rdma_main(struct npu_core *core, const struct dpu_job *job, const struct dpu_block *block)
{
	const struct main_job *m = &job->main;
	uint32_t surface = ATOM * job->operand.pixels + m->notch;
	unsigned lanes = ATOM / m->bytes;

	core->memory.block = "DPU_RDMA";
	for (unsigned c = 0; c < block->channels; c += lanes)
		read_surface(core, job, block, block->first_channel + c,
			     m->base + (block->first_channel + c) / lanes * surface, m->bytes,
			     (uint32_t *)block->acc + c);
}

/* One vector over the channels, the same for every pixel. */
static void read_vector(struct npu_core *core, const struct dpu_job *job,
			const struct dpu_block *block, uint32_t *to)
{
	unsigned bytes = job->operand.bytes;

	for (unsigned c = 0; c < block->channels; c++) {
		uint8_t raw[4] = { 0 };

		memory_read(&core->memory,
			    job->operand.ew_base + (block->first_channel + c) * bytes, raw, bytes);
		for (unsigned p = 0; p < block->pixels; p++)
			to[p * block->ld + c] = element(job, raw, bytes);
	}
	core->result->counters.read_operand += (uint64_t)bytes * block->channels;
}

const void *rdma_operand(struct npu_core *core, const struct dpu_job *job,
			 const struct dpu_block *block)
{
	uint32_t *to = scratch_get(&core->operand, block->pixels * block->ld * sizeof(*to));
	unsigned lanes = job->operand.bytes ? ATOM / job->operand.bytes : 0;

	if (!to) {
		core_hang(core, "DPU_RDMA", NOT_MODELLED "no host memory for the operand");
		return NULL;
	}
	core->memory.block = "DPU_RDMA";
	if (job->operand.feed == FEED_NONE)
		memset(to, 0, block->pixels * block->ld * sizeof(*to));
	else if (job->operand.feed == FEED_CHANNEL)
		read_vector(core, job, block, to);
	else
		for (unsigned c = 0; c < block->channels; c += lanes)
			read_surface(
				core, job, block, block->first_channel + c,
				surface_base(&job->operand, (block->first_channel + c) / lanes),
				job->operand.bytes, to + c);
	return to;
}

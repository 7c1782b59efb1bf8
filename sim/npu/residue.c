// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/npu/residue.h"

#include <stdint.h>
#include <string.h>

#include "sim/npu/dpu.h"

void residue_clear(struct residue *r)
{
	r->pixels = r->channels = 0;
}

bool residue_begin(struct residue *r, size_t pixels, size_t channels)
{
	struct scratch old = r->old;

	r->old = r->fresh;
	r->fresh = old;
	r->old_pixels = r->pixels;
	r->old_channels = r->channels;
	r->pixels = pixels;
	r->channels = channels;
	return scratch_get(&r->fresh, pixels * channels * sizeof(int32_t));
}

void residue_add(const struct residue *r, struct dpu_block *block)
{
	const int32_t *old = r->old.base;

	for (size_t i = 0; i < block->pixels; i++)
		for (size_t c = 0; c < block->channels; c++) {
			size_t pixel = block->first_pixel + i, channel = block->first_channel + c;
			int32_t *acc = (int32_t *)block->acc + i * block->ld + c;
			int64_t sum = *acc;

			if (pixel < r->old_pixels && channel < r->old_channels)
				sum += old[pixel * r->old_channels + channel];
			*acc = sum > INT32_MAX   ? INT32_MAX
			       : sum < INT32_MIN ? INT32_MIN
						 : (int32_t)sum;
		}
}

void residue_store(struct residue *r, const struct dpu_block *block)
{
	int32_t *fresh = r->fresh.base;

	for (size_t i = 0; i < block->pixels; i++)
		memcpy(fresh + (block->first_pixel + i) * r->channels + block->first_channel,
		       (const int32_t *)block->acc + i * block->ld,
		       block->channels * sizeof(int32_t));
}

void residue_free(struct residue *r)
{
	scratch_free(&r->old);
	scratch_free(&r->fresh);
}

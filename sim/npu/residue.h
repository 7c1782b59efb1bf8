/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* residue.h - integer accumulators kept from task to task of a kick (quirk int-chain). */
#ifndef SIM_NPU_RESIDUE_H
#define SIM_NPU_RESIDUE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/npu/scratch.h"

struct dpu_block;

struct residue {
	struct scratch old, fresh;
	size_t old_pixels, old_channels, pixels, channels;
};

/* A kick begins: nothing is left. */
void residue_clear(struct residue *r);
/* A task of this size begins; what the one before left becomes the old part. */
bool residue_begin(struct residue *r, size_t pixels, size_t channels);
/* Add what the task before left. */
void residue_add(const struct residue *r, struct dpu_block *block);
void residue_store(struct residue *r, const struct dpu_block *block);
void residue_free(struct residue *r);

#endif

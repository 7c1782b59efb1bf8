/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dpu.h - the stages behind the accumulator, and the writer. */
#ifndef SIM_NPU_DPU_H
#define SIM_NPU_DPU_H

#include "sim/npu/job.h"

struct npu_core;

/* Accumulators of some pixels and channels; first_channel starts a kernel group. */
struct dpu_block {
	unsigned first_pixel, pixels;
	unsigned first_channel, channels;
	void *acc; /* [pixel][ld], float or int32; the stages work in place */
	size_t ld;
	const int32_t *window_sums; /* [pixel]; NULL: 0 */
};

/* Operands of one channel. */
struct coefficient {
	int32_t a; /* or the bits of a float */
	int16_t b, c;
};

/* What a task's blocks have in common. False: the kick hangs. */
bool dpu_prepare(struct npu_core *core, const struct dpu_job *job);
bool dpu_run(struct npu_core *core, const struct dpu_job *job, const struct dpu_block *block);
/* A whole memory-fed task. */
void flying_run(struct npu_core *core, const struct dpu_job *job);

/* Rounding of a right shift. */
int64_t shift_half_even(int64_t v, unsigned shift);
int64_t shift_half_away(int64_t v, unsigned shift);

/* rdma.c */
bool rdma_coefficients(struct npu_core *core, const struct dpu_job *job);
/* The main elements of a memory-fed task into block->acc. */
void rdma_main(struct npu_core *core, const struct dpu_job *job, const struct dpu_block *block);
/* The element-wise operand of a block, [pixel][ld] as float or int32; NULL: hangs. */
const void *rdma_operand(struct npu_core *core, const struct dpu_job *job,
			 const struct dpu_block *block);

/* writer.c: bytes[pixel][pitch] of finished elements to their places. */
void writer_run(struct npu_core *core, const struct dpu_job *job, const struct dpu_block *block,
		const uint8_t *bytes, size_t pitch);

#endif

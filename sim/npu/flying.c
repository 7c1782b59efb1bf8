// SPDX-License-Identifier: LGPL-2.1-or-later
/* flying.c - a memory-fed task: DPU and DPU_RDMA alone. */
#include "sim/npu/core.h"
#include "sim/npu/decode.h"
#include "sim/npu/dpu.h"

/* Elements of a block. */
#define BLOCK_ELEMENTS 65536u

/* A cycle moves one atom, 16 elements, and multiplies 1024 times [source: manual]. */
#define ELEMENT_MACS 64u

void flying_run(struct npu_core *core, const struct dpu_job *job)
{
	unsigned pixels = job->width * job->height, most = BLOCK_ELEMENTS / job->channels + 1;
	struct dpu_block b = { .channels = job->channels, .ld = job->channels };

	if (!core_spend(core, (uint64_t)pixels * job->channels * ELEMENT_MACS))
		return;
	b.acc = scratch_get(&core->acc, (size_t)most * job->channels * sizeof(uint32_t));
	if (!b.acc) {
		core_hang(core, "DPU", NOT_MODELLED "no host memory for a block of elements");
		return;
	}
	if (!dpu_prepare(core, job))
		return;
	for (; b.first_pixel < pixels; b.first_pixel += b.pixels) {
		b.pixels = pixels - b.first_pixel < most ? pixels - b.first_pixel : most;
		rdma_main(core, job, &b);
		if (!dpu_run(core, job, &b))
			return;
	}
}

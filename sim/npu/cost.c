// SPDX-License-Identifier: LGPL-2.1-or-later
/* cost.c - microseconds from counters, an estimate (hardware document "timing model"). */
#include "sim/npu/npu.h"

const struct npu_cost_set npu_cost_set_m = {
	.name = "M",
	.meaning = "mainline, pessimistic: compute and DMA do not overlap",
	.overlap = false,
	.eta = 1.0,
	.bytes_per_cycle = 26,
	.bytes_per_us_max = 5000,
	.kick_us = 30,
	.task_us = 3,
};

const struct npu_cost_set npu_cost_set_m_kacc = {
	.name = "M",
	.meaning = "mainline, pessimistic: jobs of K accumulation",
	.overlap = false,
	.eta = 1.0,
	.bytes_per_cycle = 26,
	.bytes_per_us_max = 5000,
	.kick_us = 60, /* 50 of the job and 10 of its first task */
	.task_us = 10,
};

const struct npu_cost_set npu_cost_set_v = {
	.name = "V",
	.meaning = "vendor, optimistic: compute and DMA overlap fully",
	.overlap = true,
	.eta = 0.90,
	.bytes_per_cycle = 16,
	.bytes_per_us_max = 12000,
	.kick_us = 30,
	.task_us = 3,
};

/* MAC per cycle and core [source: manual]. */
static const double peak[] = {
	[NPU_COST_INT4] = 2048,
	[NPU_COST_INT8] = 1024,
	[NPU_COST_16BIT] = 512,
	[NPU_COST_TF32] = 256,
};

double npu_cost_us(const struct npu_cost_set *set, enum npu_cost_type type, double mhz,
		   const struct npu_counters *n)
{
	double rate = set->bytes_per_cycle * mhz;
	double compute = (double)n->macs / (peak[type] * mhz * set->eta);
	double bytes = (double)(n->read_feature + n->read_weight + n->read_operand + n->write);
	double dma, work;

	if (rate > set->bytes_per_us_max)
		rate = set->bytes_per_us_max;
	dma = bytes / rate;
	if (set->overlap)
		work = compute > dma ? compute : dma;
	else
		work = compute + dma;
	/* A kick's own cost covers its first task. */
	return (double)n->kicks * set->kick_us +
	       (n->tasks > n->kicks ? (double)(n->tasks - n->kicks) * set->task_us : 0) + work;
}

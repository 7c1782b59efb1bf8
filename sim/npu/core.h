/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* core.h - one core, seen from the inside of the model. */
#ifndef SIM_NPU_CORE_H
#define SIM_NPU_CORE_H

#include "sim/npu/image.h"
#include "sim/npu/job.h"
#include "sim/npu/memory.h"
#include "sim/npu/npu.h"
#include "sim/npu/regfile.h"
#include "sim/npu/residue.h"
#include "sim/npu/scratch.h"

struct pc {
	uint32_t base, amounts, mask, raw, task_con, dma_base, task_status;
	bool enabled;
};

struct npu_core {
	const struct npu_chip *chip;
	unsigned index;
	struct npu_core_options options;
	struct memory memory;
	struct regfile regs;
	struct pc pc;
	bool armed;
	bool wedged;
	uint32_t program;                          /* number of the program being fetched */
	uint32_t writable[BLOCKS][PAGE_REGISTERS]; /* bits a program may set; 0: unknown register */

	const struct mac *mac[MAC_KINDS];
	struct feature_image feature;
	struct weight_image weights;
	struct scratch rows, spreads, acc, window_sums, operand, coefficients, wide, bytes;
	struct residue residue;
	void (*narrow)(const float *from, uint16_t *to, size_t n);

	struct npu_result *result; /* of the kick that runs */
	bool failed;               /* result holds a hang */
	uint64_t budget;           /* int8 products the kick may still compute */
};

/* A suspicious thing; the kick goes on. */
__attribute__((format(printf, 2, 3))) void core_report(struct npu_core *core, const char *format,
						       ...);
/* No completion will come. The first one of a kick stands. */
__attribute__((format(printf, 3, 4))) void core_hang(struct npu_core *core, const char *block,
						     const char *format, ...);
/* Charge the kick for int8 products; false: more than a watchdog lets it, and it hung. */
bool core_spend(struct npu_core *core, uint64_t macs);
__attribute__((format(printf, 2, 3))) void core_trace(struct npu_core *core, const char *format,
						      ...);

static inline bool core_quirk(const struct npu_core *core, enum npu_quirk quirk)
{
	return core->options.quirks & quirk;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * npu.h - the model of the silicon: register programs in, memory effects out.
 *
 * No operating system, no globals, no threads: one struct npu_core is one NPU core and
 * may be used by one thread at a time; different cores may run at once. Memory is
 * reached through callbacks, so the same model stands behind the in-process device
 * and behind the virtual machine.
 *
 * A host (a driver, an emulated bus) uses it as the CPU uses the silicon: it writes the
 * PC registers, and when npu_core_write() has set OPERATION_ENABLE the kick is armed;
 * npu_core_run() then executes it to its end.
 */
#ifndef SIM_NPU_NPU_H
#define SIM_NPU_NPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- memory ---- */

/*
 * Device memory by IOVA. map returns a host pointer to iova and stores in *len how many
 * bytes from there are contiguous in host memory and allowed (at least 1); *len comes
 * in as the number of bytes wanted and may go out larger. NULL: not mapped, or
 * not writable when write is set. The pointer is valid until the kick ends.
 */
struct npu_memory {
	void *(*map)(void *ctx, uint32_t iova, uint32_t *len, bool write);
	void *ctx;
};

/* ---- quirks: behaviours of the silicon that are switches ---- */
enum npu_quirk {
	NPU_QUIRK_INT_CHAIN = 1u << 0,  /* integer residue in chained kicks */
	NPU_QUIRK_W8191 = 1u << 1,      /* cube width 8191 corrupts its tail */
	NPU_QUIRK_SLACK = 1u << 2,      /* int8 exact-fit bank: last rows garbage */
	NPU_QUIRK_CBUF = 1u << 3,       /* feature over its banks: rows past the budget wrong */
	NPU_QUIRK_FCBANK = 1u << 4,     /* FC_DATA_BANK != 0 corrupts */
	NPU_QUIRK_WEDGE = 1u << 5,      /* a hang of the operand path breaks the next job too */
	NPU_QUIRK_BSP_ENABLE = 1u << 6, /* enable 0x0d without DPU_RDMA runs (vendor kernel) */
};

/*
 * Parse a ROCKET_SIM_QUIRKS list ("all", "none", "slack,fcbank", "-wedge" removes). Returns
 * 0 and *quirks, or -1 with the offending word in bad (may be NULL).
 */
int npu_quirks_parse(const char *list, uint32_t *quirks, char *bad, size_t bad_size);
/* Name and one-line meaning of quirk number i, NULL past the last. */
const char *npu_quirk_name(unsigned i);
const char *npu_quirk_meaning(unsigned i);

/* ---- results ---- */

enum npu_verdict {
	NPU_IDLE,  /* no kick was armed */
	NPU_DONE,  /* the last task's completion bits are in RAW_STATUS */
	NPU_HUNG,  /* no completion will ever come; the watchdog has to retire it */
	NPU_FAULT, /* unmapped access: error bit set in RAW_STATUS, no completion */
};

/* Exact, comparable between two plans. */
struct npu_counters {
	uint64_t kicks, tasks;
	uint64_t macs; /* programmed, channel padding included */
	uint64_t read_feature, read_weight, read_operand, read_program; /* bytes */
	uint64_t write;                                                 /* bytes */
};

struct npu_result {
	enum npu_verdict verdict;
	uint32_t task; /* index of the task the verdict came from */
	uint32_t tasks_done;
	uint32_t raw_status; /* interrupt bits raised by this kick */
	uint32_t fault_iova; /* NPU_FAULT: first address */
	bool fault_write;
	char block[16]; /* NPU_HUNG, NPU_FAULT: the block concerned */
	/*
	 * NPU_HUNG, NPU_FAULT: one line. A hang whose reason begins with "not modelled: " is
	 * this model's own limit, not the silicon's: it computes what it knows, or nothing.
	 */
	char reason[160];
	uint32_t warnings;            /* strict reports of this kick */
	struct npu_counters counters; /* of this kick */
};

/* ---- chips and cores ---- */

struct npu_chip {
	const char *name; /* "rk3588" */
	unsigned cores;
	uint32_t version, version_num; /* PC 0x0000, 0x0004 */
	unsigned task_number_bits;
};
const struct npu_chip *npu_chip_by_name(const char *name);

struct npu_core_options {
	uint32_t quirks;
	/* One line for each suspicious thing a program does (stale register, reuse mismatch,
	 * overlap of operand and output, ...). NULL: not reported, still counted. */
	void (*report)(void *ctx, const char *line);
	/* Called after each task's ENABLE is decoded, before it runs; dumps registers. May be NULL.
	 */
	void (*trace)(void *ctx, const char *line);
	void *ctx;
	unsigned force_portable; /* do not use vector code chosen at run time (tests) */
	/* Int8 products of a kick, past which it is retired unfinished; 0: as many as the chip
	 * computes in half a second, when the drivers' watchdog retires it. Wider operands count
	 * in proportion, an element without a convolution for 64. */
	uint64_t most_macs;
};

struct npu_core;
struct npu_core *npu_core_new(const struct npu_chip *chip, unsigned index,
			      const struct npu_memory *memory,
			      const struct npu_core_options *options);
void npu_core_free(struct npu_core *core);

/* Power-on state: registers and pointers 0, on-chip buffers lost. */
void npu_core_reset(struct npu_core *core);
/* Another job follows: CBUF contents may no longer be assumed. */
void npu_core_new_job(struct npu_core *core);

/* A CPU access to the core's 64 KiB window (PC, CNA and CORE pages; others read 0). */
uint32_t npu_core_read(struct npu_core *core, uint32_t offset);
void npu_core_write(struct npu_core *core, uint32_t offset, uint32_t value);
/* OPERATION_ENABLE has been set and nothing has run since. */
bool npu_core_armed(const struct npu_core *core);
/* STATUS (RAW & MASK) is not 0: the interrupt line is up. */
bool npu_core_irq(const struct npu_core *core);

/* Execute the armed kick to its end. */
void npu_core_run(struct npu_core *core, struct npu_result *result);

/*
 * For a host that shows the CPU a core while another thread runs the kick on a second one:
 * what the kick's end does to the registers that the CPU sees. npu_core_run() has done it
 * to the core that ran.
 */
void npu_core_finish(struct npu_core *core, const struct npu_result *result);

/* Swap the memory of an idle core (another file's address space follows). */
void npu_core_set_memory(struct npu_core *core, const struct npu_memory *memory);

/* ---- cost model (estimates; hardware document "timing model") ---- */

struct npu_cost_set {
	const char *name; /* "M", "V" */
	const char *meaning;
	bool overlap; /* combine compute and DMA by max instead of sum */
	double eta;   /* share of the MAC peak reached */
	double bytes_per_cycle, bytes_per_us_max;
	double kick_us, task_us;
};
extern const struct npu_cost_set npu_cost_set_m, npu_cost_set_v;
/*
 * Set M for jobs of K accumulation that are one kick each: 50 us a job and 10 us a task, the
 * figures that its comparison of tile shapes was fitted with. Where each task is a kick of
 * its own, set M itself holds: its table charges the K accumulation tile 30 us.
 */
extern const struct npu_cost_set npu_cost_set_m_kacc;

enum npu_cost_type { NPU_COST_INT4, NPU_COST_INT8, NPU_COST_16BIT, NPU_COST_TF32 };

/* Microseconds one core needs for these counters at f MHz. An ESTIMATE. */
double npu_cost_us(const struct npu_cost_set *set, enum npu_cost_type type, double mhz,
		   const struct npu_counters *counters);

#endif

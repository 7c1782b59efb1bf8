/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * load.h - one job of matmul tasks with everything it needs, ready to submit and to judge.
 *
 * Task i multiplies its own A by a common B into its own slot of the output buffer.
 * Slots hold a stamp until a task writes them, so a task that did not run is seen.
 */
#ifndef SELFTESTS_LOAD_H
#define SELFTESTS_LOAD_H

#include "file.h"
#include "program.h"

#define LOADS_TOGETHER 16

enum load_values {
	LOAD_INTEGERS, /* small integers: every path is exact */
	LOAD_RANDOM,   /* as data are: many magnitudes, some subnormals and zeros */
	LOAD_EXTREMES, /* the ends of the range; not for fp16 results */
};

/* How a driver allocates, and is told what the CPU has written. */
struct load_memory {
	struct bo *(*allocate)(struct test *t, struct file *f, uint32_t size);
	int (*hand_over)(const struct file *f, const struct bo *bo);
};

struct load {
	struct test *t;
	struct file *f;
	const struct load_memory *memory;
	struct matmul mm; /* shape; addresses of task 0 */
	enum load_values values;
	unsigned tasks;
	bool chained;
	size_t in_step, out_step, prog_step; /* bytes from task to task */
	struct bo *prog, *in, *wt, *out;
	void *a, *b; /* row-major host copies: tasks * m * k, n * k */
	struct drm_rocket_task *task;
	uint32_t in_handles[3], out_handles[1];
	struct drm_rocket_job job;
};

/* Shape of a task where the shape does not matter. */
extern const struct matmul small_matmul;

/* Allocate, fill, write the programs, hand the buffers over. false: recorded. */
bool load_make(struct load *l, struct test *t, struct file *f, const struct matmul *shape,
	       unsigned tasks, enum load_values values);
/* The same in memory of another driver than rocket; only what submits and waits is not for it. */
bool load_make_in(const struct load_memory *memory, struct load *l, struct test *t, struct file *f,
		  const struct matmul *shape, unsigned tasks, enum load_values values);
struct matmul load_matmul(const struct load *l, unsigned task);
uint64_t *load_words(const struct load *l, unsigned task);
/* Make task hang the core. */
void load_hang(struct load *l, unsigned task);
/* Lay the programs out as one chain; the job is flagged. */
void load_chain(struct load *l);
/* Stamp the output again. */
void load_stamp(struct load *l);

int load_submit(struct load *l);
/* PREP_BO of the output with a deadline from now; restarts. */
int load_wait(struct load *l, int64_t within);
/* Is its last job still queued or running? Does not wait. */
bool load_unfinished(const struct load *l);
/* Did a wait say that its job failed, or say nothing since the driver cannot? */
bool load_failed_as_told(const struct load *l, int ret);
/* Submit, wait, and check every slot; false: recorded. */
bool load_run_right(struct load *l);
/* The same with n jobs, at most LOADS_TOGETHER, in one SUBMIT. */
bool loads_run_right(struct load *l, unsigned n);

/* Does the result of one element agree with its reference? Judges task's whole slot. */
bool load_slot_right(const struct load *l, unsigned task);
bool load_slot_untouched(const struct load *l, unsigned task);
/* Slots [0, ran) right and the rest untouched, with diagnostics. */
bool load_judge(const struct load *l, unsigned ran);

/* Random bits from a position: the same on every machine. */
uint32_t mix(uint32_t seed, uint32_t i);

#endif

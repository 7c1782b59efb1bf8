/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * knobs.h - the test page of each core of the virtual board (virt/board/registers.h): make the
 * device misbehave, and count what it sees. A real board has none.
 */
#ifndef SELFTESTS_KNOBS_H
#define SELFTESTS_KNOBS_H

#include "runner.h"

#define KNOB_CORES 3

/* Offsets in the page. Knobs are 0 unless said; "next n" count down. */
enum knob {
	KNOB_CLEAR = 0x004, /* KNOBS_ALL: counts and knobs */
	KNOB_TRIGGER = 0x008,
	KNOB_DELAY = 0x020,      /* us of a task; DELAY_COST (default): by the cost model */
	KNOB_NEXT_DELAY = 0x024, /* becomes KNOB_DELAY after the next kick */
	KNOB_HANG = 0x02c,       /* next n kicks never complete */
	KNOB_DONE_BITS = 0x034,  /* interrupt status at completion, in place of the program's */
	KNOB_ERROR_BITS = 0x038, /* added to the interrupt status at completion */
	KNOB_ERROR_ONLY = 0x03c, /* next n completions raise these alone */
	KNOB_FAULT = 0x040,      /* next n kicks fault and never complete */
	KNOB_DROP = 0x050,       /* n-th completion from now raises no interrupt */
	KNOB_REPEAT = 0x054,     /* n-th completion from now: again, KNOB_LATER us later */
	KNOB_LATER = 0x05c,
	KNOB_STOP_BUS = 0x060, /* next n stops that find a completion: MMU interrupt at once */
	/* counters */
	KNOB_KICKS = 0x100,
	KNOB_COMPLETIONS = 0x108,
	KNOB_ABORTED = 0x10c,
	KNOB_RESETS = 0x11c,
	KNOB_FORCED = 0x124, /* FORCE_RESETs of the first MMU bank */
	KNOB_NO_STALLS = 0x13c,
	KNOB_MMIO_OFF = 0x148,
	KNOB_RAW_READS = 0x154,
	KNOB_MASK_ZEROS = 0x158,
	KNOB_LAST_TASK_CON = 0x188,
	KNOB_LAST_S_POINTER = 0x190,
};

#define KNOBS_ALL    3u
#define DELAY_COST   0xffffffffu
#define TRIGGER_LINE (1u << 2) /* the bare line, until the status has been read three times */

struct knobs {
	volatile uint32_t *core[KNOB_CORES];
};

/* Is this machine the virtual board, whose cores are the model of sim/npu? */
bool board_is_virtual(void);
/* false: the test is skipped, there are none here. Knobs and counts are cleared. */
bool knobs_open(struct test *t, struct knobs *k);
/* Clears the knobs. */
void knobs_close(struct knobs *k);
void knob_set(struct knobs *k, enum knob knob, uint32_t value); /* on every core */
uint32_t knob_sum(const struct knobs *k, enum knob knob);       /* over all cores */
uint32_t knob_get(const struct knobs *k, unsigned core, enum knob knob);
void knob_set_core(struct knobs *k, unsigned core, enum knob knob, uint32_t value);

#endif

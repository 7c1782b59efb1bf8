/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * knobs.h - the test page of each core of the virtual board: make the device misbehave, and
 * count what it sees. Offsets are the TEST_* of virt/board/registers.h. A real board has none.
 */
#ifndef SELFTESTS_KNOBS_H
#define SELFTESTS_KNOBS_H

#include "runner.h"
#include "virt/board/registers.h"

#define INJECT "/sys/kernel/debug/rocket-inject"

struct knobs {
	volatile uint32_t *core[BOARD_CORES];
};

/* Is this machine the virtual board, whose cores are the model of sim/npu? */
bool board_is_virtual(void);
/* false: the test is skipped, there are none here. Knobs and counts are cleared. */
bool knobs_open(struct test *t, struct knobs *k);
/* Clears the knobs. */
void knobs_close(struct knobs *k);
void knob_set(struct knobs *k, uint32_t offset, uint32_t value); /* on every core */
uint32_t knob_sum(const struct knobs *k, uint32_t offset);       /* over all cores */
uint32_t knob_get(const struct knobs *k, unsigned core, uint32_t offset);
void knob_set_core(struct knobs *k, unsigned core, uint32_t offset, uint32_t value);

/*
 * Have the calls of a kernel function fail or take long; what is a line as virt/guest/inject takes
 * it. false: the test is skipped, there is no such helper here, or recorded. Ends with
 * inject_off().
 */
bool inject(struct test *t, const char *what);
void inject_off(void);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * core.h - one NPU core on the board: its registers and its IOMMU's as the CPU sees them,
 * its interrupt line, the life of a kick, and the knobs that disturb all of them.
 *
 * There are two models of the silicon in it: "cpu" answers the CPU, "engine" computes, on
 * whatever thread the host likes, while the CPU goes on. Everything here but the engine's
 * run and mmu_translate() is called by one thread at a time.
 */
#ifndef VIRT_BOARD_CORE_H
#define VIRT_BOARD_CORE_H

#include "sim/npu/npu.h"
#include "virt/board/counts.h"
#include "virt/board/mmu.h"

enum board_timer {
	TIMER_DONE,  /* the kick has taken its time */
	TIMER_LATER, /* interrupt bits that come late, or again */
	TIMER_BARE,  /* the bare line drops */
	TIMERS,
};

struct board_core;

struct core_host {
	/* Run the engine, then call core_ran(). */
	void (*start)(void *ctx, struct board_core *core);
	/* Let no run of the engine go on, and call core_ran() for none that was started. */
	void (*stop)(void *ctx, struct board_core *core);
	/* core_timer() in so many us of the guest's time, in place of an earlier one; 0: never. */
	void (*timer)(void *ctx, struct board_core *core, enum board_timer timer, uint32_t us);
	void (*line)(void *ctx, struct board_core *core, bool up);
	/* Hz the core runs at. */
	uint32_t (*rate)(void *ctx);
	/* One line about a kick that will not complete. */
	void (*report)(void *ctx, struct board_core *core, const char *line);
	void *ctx;
};

enum kick_state { KICK_NONE, KICK_RUNS, KICK_COMPUTED, KICK_STUCK };

struct board_core {
	unsigned index;
	const struct npu_chip *chip;
	struct npu_core *cpu, *engine;
	struct mmu mmu;
	struct board_counts counts;
	struct core_host host;

	enum kick_state kick;
	struct npu_result result;
	bool cut;       /* the engine runs only a part of the kick's tasks */
	uint32_t lines; /* reset lines asserted */
	bool powered;
	bool up;        /* the interrupt line */
	unsigned bare;  /* reads of RAW until the bare line drops */
	bool mute;      /* the bits in RAW do not raise the line, until they are cleared */
	uint32_t later; /* bits that TIMER_LATER raises; 0: the bare line */
};

/* False: no memory. */
bool core_init(struct board_core *core, unsigned index, const struct npu_memory *memory,
	       const struct npu_core_options *options, const struct mmu_memory *tables,
	       const struct core_host *host);
void core_free(struct board_core *core);
/* As after power-on, knobs and counters too. */
void core_restart(struct board_core *core, bool powered);

void core_power(struct board_core *core, bool on);
void core_reset_lines(struct board_core *core, uint32_t lines);

/* Whether any block answers at this offset of the core's window. */
bool core_has(const struct board_core *core, uint32_t offset);
uint32_t core_read(struct board_core *core, uint32_t offset);
void core_write(struct board_core *core, uint32_t offset, uint32_t value);

/* The engine's run has ended; us of guest time since the kick. */
void core_ran(struct board_core *core, const struct npu_result *result, uint32_t us);
void core_timer(struct board_core *core, enum board_timer timer);
/* The test page, which needs neither power nor clock. */
uint32_t core_test_read(struct board_core *core, uint32_t offset);
void core_test_write(struct board_core *core, uint32_t offset, uint32_t value);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * soc.h - what feeds the cores: clock, rail, power domains, resets; and what a board
 * does not survive.
 */
#ifndef VIRT_BOARD_SOC_H
#define VIRT_BOARD_SOC_H

#include <stdbool.h>
#include <stdint.h>

#include "virt/board/registers.h"

#define SOC_PARKED_HZ 200000000u

struct soc_host {
	/* Another state of a core's power or reset lines. */
	void (*power)(void *ctx, unsigned core, bool on);
	void (*reset)(void *ctx, unsigned core, uint32_t lines);
	/* Something a board does not survive; what is a sentence without its end. */
	void (*violation)(void *ctx, const char *what);
	void *ctx;
};

struct soc {
	bool full, fatal;
	uint32_t request, rail_uv, gates, power, resets;
	bool refused, rail_on;
	uint32_t kind[SOC_KINDS], violations, last_kind, last_address;
	struct soc_host host;
};

void soc_init(struct soc *soc, bool full, bool fatal, const struct soc_host *host);
void soc_reset(struct soc *soc);
uint32_t soc_read(struct soc *soc, uint32_t offset);
void soc_write(struct soc *soc, uint32_t offset, uint32_t value);

/* Power of a core on a plain board, which has no domain to switch. */
void soc_switch(struct soc *soc, unsigned core, bool on);
bool soc_powered(const struct soc *soc, unsigned core);
/* Hz of the cores: the oscillator follows the rail. */
uint32_t soc_real_hz(const struct soc *soc);

/* An access to a register of a core that has been seen; false: it does not get there. */
bool soc_access(struct soc *soc, unsigned core, uint32_t address, bool write);
__attribute__((format(printf, 4, 5))) void soc_violation(struct soc *soc, enum soc_violation kind,
							 uint32_t address, const char *format, ...);

#endif

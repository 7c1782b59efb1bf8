/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * clock_plan.h - what it takes to set an operating point, or why it is refused. Pure.
 */
#ifndef TOOLS_ROCKET_CLOCK_PLAN_H
#define TOOLS_ROCKET_CLOCK_PLAN_H

#include "facts.h"

struct clock_request {
	unsigned long hz; /* 0: as the device tree has it */
	bool has_uv;
	unsigned uv; /* least voltage; 0: by the rate */
	bool force;
	bool persist;
};

struct clock_step {
	enum parameter parameter;
	char value[24];
	char before[24]; /* to put it back */
};

#define CLOCK_STEPS_MAX 4
#define CLOCK_NOTES_MAX 6

struct clock_plan {
	bool refused;
	char why[400];
	char next[320];
	bool live; /* the module is loaded, so there is something to set */
	struct clock_step steps[CLOCK_STEPS_MAX];
	unsigned step_count;
	char notes[CLOCK_NOTES_MAX][320];
	unsigned note_count;
	/* What modprobe is to be told; "" removes it. */
	char options[TEXT_MAX];
};

void clock_plan_make(struct clock_plan *plan, const struct npu_facts *facts,
		     const struct clock_request *request);

/* When what was set counts. */
void clock_plan_effect(char *buf, size_t size, const struct npu_facts *facts);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernel_report.h - facts of the kernel, and causes, as text or JSON.
 *
 * A fact that is not known is null in JSON; the text says why.
 */
#ifndef TOOLS_ROCKET_KERNEL_REPORT_H
#define TOOLS_ROCKET_KERNEL_REPORT_H

#include "facts.h"
#include "report.h"

/* "900 MHz" */
const char *mhz_text(char buf[TEXT_MAX], unsigned long long hz);

void report_fact_text(struct report *r, const char *key, const char *label,
		      const struct text_fact *fact);
/* unit: what follows the number in the text, "" for nothing. */
void report_fact_number(struct report *r, const char *key, const char *label, const char *unit,
			const struct number_fact *fact);

void report_module(struct report *r, const struct npu_facts *facts);
/* Request, real rate, voltage. */
void report_clock(struct report *r, const struct npu_facts *facts);
void report_cores(struct report *r, const struct npu_facts *facts);
void report_clocks(struct report *r, const struct npu_facts *facts);
void report_users(struct report *r, const struct npu_facts *facts);
void report_causes(struct report *r, const struct npu_facts *facts);
/* What could not be read for want of permission. */
void report_blanks(struct report *r, const struct npu_facts *facts);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report.h - results as a table, as JSON and as a plot. */
#ifndef BENCH_SCALING_REPORT_H
#define BENCH_SCALING_REPORT_H

#include <stdio.h>

#include "measure.h"

void scaling_print_head(FILE *out, const struct scaling_device *dev, double mhz);
void scaling_print(FILE *out, const struct scaling_device *dev, const struct scaling_result *r);
void scaling_print_skipped(FILE *out, const struct scaling_scenario *scenario,
			   enum scaling_mode mode);
/* What was wrong, to stderr. */
void scaling_print_wrong(const struct scaling_device *dev, const struct scaling_result *r);

void scaling_write_json(FILE *out, const struct scaling_device *dev, double mhz,
			const struct scaling_result *results, unsigned count);

/* SVG: the efficiency of three cores of every result. */
void scaling_write_plot(FILE *out, const struct scaling_device *dev, double mhz,
			const struct scaling_result *results, unsigned count);

/* Why an estimate stays below the best that is published; "" when it does not. */
#define SCALING_BOUND_SIZE 200
const char *scaling_bound(char buf[SCALING_BOUND_SIZE], const struct scaling_result *r,
			  const struct scaling_estimate *e);

#endif

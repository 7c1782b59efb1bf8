// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * core_scaling.c - what three cores make of a batch of tasks that one core can do as well.
 *
 * The four scenarios of the published benchmark, with operands that tasks share and with operands
 * of their own, on the device that ROCKET_DEVICE names, of either driver. It never fails on a time;
 * it does on a result that is wrong.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "printed.h"
#include "scaling/output.h"
#include "scaling/report.h"

/* The clock at which the published heavy task comes near the peak of a core [inferred]. */
#define MHZ 200

enum status { DONE, FAILED, MISUSED, WRONG };

struct options {
	bool json;
	const char *plot;
	bool scenarios[SCALING_SCENARIOS], modes[SCALING_MODES]; /* none: all */
	bool dispatch_given;
	enum scaling_dispatch dispatch;
	struct scaling_plan plan;
};

static int usage(FILE *out, int status)
{
	fputs("usage: core_scaling [--json] [--plot FILE] [--scenario NAME]... [--operands "
	      "MODE]...\n"
	      "                    [--dispatch HOW] [--rounds N] [--warm-up N] [--tasks N] [--mhz "
	      "F]\n"
	      "Times batches of matrix products on one and on three cores of the device that\n"
	      "ROCKET_DEVICE names, and checks every element of every result.\n"
	      "  --json           the results as JSON\n"
	      "  --plot FILE      the efficiencies as SVG\n"
	      "  --scenario NAME  tiny_dispatch, mid_balanced, throughput_heavy, "
	      "llama_decode_like\n"
	      "  --operands MODE  shared or unique\n"
	      "  --dispatch HOW   chain: one kick for the tasks of a core; task: a kick for each\n"
	      "  --rounds N       measured rounds, for those of the scenario\n"
	      "  --warm-up N      rounds before them\n"
	      "  --tasks N        at most so many in a batch, 3 or more\n"
	      "  --mhz F          the clock of the estimates\n"
	      "Exit status: 0 done and right, 1 a device or memory failed, 2 misuse, 3 wrong "
	      "results.\n",
	      out);
	return status;
}

/* ---- options ---- */

/* The index of a name, or -1. */
static int find_name(const char *text, const char *const *names, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(text, names[i]))
			return (int)i;
	return -1;
}

static bool parse_scenario(const char *text, struct options *o)
{
	for (unsigned i = 0; i < SCALING_SCENARIOS; i++)
		if (!strcmp(text, scaling_scenarios[i].name))
			return o->scenarios[i] = true;
	return false;
}

static bool parse_option(int option, const char *text, struct options *o)
{
	long n = 0;
	int i;

	switch (option) {
	case 'j':
		return o->json = true;
	case 'p':
		o->plot = text;
		return *text;
	case 's':
		return parse_scenario(text, o);
	case 'o':
		i = find_name(text, scaling_mode_names, SCALING_MODES);
		return i >= 0 && (o->modes[i] = true);
	case 'd':
		i = find_name(text, scaling_dispatch_names, 2);
		o->dispatch = (enum scaling_dispatch)i;
		return o->dispatch_given = i >= 0;
	case 'r':
		i = number_whole(text, 1, 100000, &n);
		o->plan.rounds = (int32_t)n;
		return i;
	case 'w':
		i = number_whole(text, 0, 100000, &n);
		o->plan.warm_up = (int32_t)n;
		return i;
	case 't':
		i = number_whole(text, SCALING_CORES, 1000000, &n);
		o->plan.tasks = (uint32_t)n;
		return i;
	default:
		return option == 'm' && number_real(text, 1, 5000, &o->plan.mhz);
	}
}

/* -1: go on. */
static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option options[] = { { "json", no_argument, NULL, 'j' },
						 { "plot", required_argument, NULL, 'p' },
						 { "scenario", required_argument, NULL, 's' },
						 { "operands", required_argument, NULL, 'o' },
						 { "dispatch", required_argument, NULL, 'd' },
						 { "rounds", required_argument, NULL, 'r' },
						 { "warm-up", required_argument, NULL, 'w' },
						 { "tasks", required_argument, NULL, 't' },
						 { "mhz", required_argument, NULL, 'm' },
						 { "help", no_argument, NULL, 'h' },
						 { NULL, 0, NULL, 0 } };
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'h')
			return usage(stdout, DONE);
		if (option == '?')
			return usage(stderr, MISUSED);
		if (!parse_option(option, optarg, o)) {
			fprintf(stderr, "core_scaling: not a value that is taken: %s\n", optarg);
			return usage(stderr, MISUSED);
		}
	}
	return optind < argc ? usage(stderr, MISUSED) : -1;
}

/* All, when none was named. */
static void complete(bool *chosen, unsigned n)
{
	bool any = false;

	for (unsigned i = 0; i < n; i++)
		any = any || chosen[i];
	for (unsigned i = 0; i < n && !any; i++)
		chosen[i] = true;
}

/* ---- measuring ---- */

static int measure_one(const struct scaling_device *dev, const struct options *o,
		       const struct scaling_scenario *s, enum scaling_mode mode,
		       struct scaling_result *results, unsigned *count)
{
	struct scaling_result *r = &results[*count];

	if (!s->tasks[mode]) {
		if (!o->json)
			scaling_print_skipped(stdout, s, mode);
		return DONE;
	}
	if (scaling_measure(dev, s, mode, &o->plan, r))
		return FAILED;
	(*count)++;
	if (!o->json) {
		scaling_print(stdout, dev, r);
		fflush(stdout);
	}
	if (scaling_right(r))
		return DONE;
	scaling_print_wrong(dev, r);
	return WRONG;
}

/* What is wrong does not keep the rest from being measured. */
static int measure_all(const struct scaling_device *dev, const struct options *o,
		       struct scaling_result *results, unsigned *count)
{
	int worst = DONE;

	for (unsigned i = 0; i < SCALING_SCENARIOS; i++)
		for (unsigned m = 0; m < SCALING_MODES; m++) {
			int status = DONE;

			if (o->scenarios[i] && o->modes[m])
				status = measure_one(dev, o, &scaling_scenarios[i],
						     (enum scaling_mode)m, results, count);
			if (status == FAILED)
				return FAILED;
			if (status)
				worst = status;
		}
	return worst;
}

static int complain_of_plot(const struct options *o)
{
	fprintf(stderr, "core_scaling: %s: %s\n", o->plot, strerror(errno));
	return FAILED;
}

static int run(const struct options *o, FILE *plot)
{
	struct scaling_result results[SCALING_SCENARIOS * SCALING_MODES];
	struct scaling_device dev;
	unsigned count = 0;
	int status;

	if (scaling_device_open(&dev, o->dispatch_given ? &o->dispatch : NULL))
		return FAILED;
	if (!o->json)
		scaling_print_head(stdout, &dev, o->plan.mhz);
	status = measure_all(&dev, o, results, &count);
	if (o->json && status != FAILED)
		scaling_write_json(stdout, &dev, o->plan.mhz, results, count);
	if (plot && status != FAILED)
		scaling_write_plot(plot, &dev, o->plan.mhz, results, count);
	scaling_device_close(&dev);
	return status;
}

/* A plot that is there stays until there is another. */
static int run_with_plot(const struct options *o)
{
	struct scaling_output plot;
	int status;

	if (!scaling_output_open(&plot, o->plot))
		return complain_of_plot(o);
	status = run(o, plot.file);
	if (!scaling_output_close(&plot, status != FAILED) && status != FAILED) {
		complain_of_plot(o);
		status = status ? status : FAILED;
	}
	return status;
}

int main(int argc, char **argv)
{
	struct options o = { .plan = { .warm_up = -1, .rounds = -1, .mhz = MHZ } };
	int status = parse_options(argc, argv, &o);

	if (status >= 0)
		return status;
	complete(o.scenarios, SCALING_SCENARIOS);
	complete(o.modes, SCALING_MODES);
	status = o.plot ? run_with_plot(&o) : run(&o, NULL);
	return printed("core_scaling", status);
}

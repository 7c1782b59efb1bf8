/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * options.h - reading a subcommand's arguments, with one way of complaining.
 */
#ifndef TOOLS_ROCKET_OPTIONS_H
#define TOOLS_ROCKET_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "command.h"

/* Values of long options without a letter start here. */
#define OPTION_LONG 256

enum {
	OPTION_END = -1,    /* the rest is at argv[optind] */
	OPTION_BAD = -2,    /* said what is wrong */
	OPTION_HELPED = -3, /* printed the help */
	OPTION_JSON = 200,
	OPTION_HELP,
};

/* The last rows of every table of long options. */
#define OPTIONS_COMMON                                                                             \
	{ "json", no_argument, NULL, OPTION_JSON }, { "help", no_argument, NULL, OPTION_HELP },    \
	{                                                                                          \
		NULL, 0, NULL, 0                                                                   \
	}

struct options {
	const struct command *command;
	int argc;
	char **argv;
	bool json;
};

void options_begin(struct options *o, const struct command *command, int argc, char **argv);
/* The value of the next option (its argument in optarg), or OPTION_*. */
int options_next(struct options *o, const struct option *table);
/* Exit code of OPTION_BAD and OPTION_HELPED. */
int options_exit(int value);
/* How many operands there are must be in min..max, shown as names. False: said so. */
bool options_operands(const struct options *o, int min, int max, const char *names);

/* Decimal (or 0x...) number min..max; false: said what is wrong with it. */
bool options_number(const struct options *o, const char *what, const char *text, long long min,
		    long long max, long long *value);
bool options_real(const struct options *o, const char *what, const char *text, double min,
		  double max, double *value);

#endif

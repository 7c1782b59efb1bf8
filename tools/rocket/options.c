// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

void options_begin(struct options *o, const struct command *command, int argc, char **argv)
{
	o->command = command;
	o->argc = argc;
	o->argv = argv;
	o->json = false;
	optind = 0; /* 0 makes getopt start afresh, 1 does not */
	opterr = 0;
}

/* The argument getopt was looking at when it gave up. */
static const char *culprit(const struct options *o)
{
	int at = optind > 0 ? optind - 1 : 1;

	/* Inside a cluster of letters ("-4x") getopt has not moved on yet. */
	if (optind < o->argc && optopt && optopt < OPTION_LONG && o->argv[optind][0] == '-' &&
	    o->argv[optind][1] != '-' && strchr(o->argv[optind] + 1, optopt))
		at = optind;
	return o->argv[at];
}

static void complain(const struct options *o, int what)
{
	const char *word = culprit(o);

	if (what == ':')
		command_misused(o->command, "option '%s' needs a value", word);
	else if (isdigit((unsigned char)word[1]))
		command_misused(o->command, "%s is negative: numbers here are at least 0", word);
	else if (strchr(word, '=') && !strncmp(word, "--", 2) && optopt)
		command_misused(o->command, "option '%.*s' takes no value", (int)strcspn(word, "="),
				word);
	else
		command_misused(o->command, "unknown or ambiguous option '%s'", word);
}

int options_next(struct options *o, const struct option *table)
{
	for (;;) {
		int value = getopt_long(o->argc, o->argv, ":h", table, NULL);

		switch (value) {
		case OPTION_JSON:
			o->json = true;
			break;
		case 'h':
		case OPTION_HELP:
			command_print_help(o->command);
			return OPTION_HELPED;
		case '?':
		case ':':
			complain(o, value);
			return OPTION_BAD;
		default:
			return value;
		}
	}
}

int options_exit(int value)
{
	return value == OPTION_HELPED ? EXIT_RIGHT : EXIT_USAGE;
}

bool options_operands(const struct options *o, int min, int max, const char *names)
{
	int count = o->argc - optind;

	if (count >= min && count <= max)
		return true;
	if (count < min)
		command_misused(o->command, "needs %s", names);
	else
		command_misused(o->command, "'%s' is one argument too many: needs %s",
				o->argv[optind + max], names);
	return false;
}

bool options_number(const struct options *o, const char *what, const char *text, long long min,
		    long long max, long long *value)
{
	bool hex = !strncmp(text, "0x", 2) || !strncmp(text, "0X", 2);
	char *end;

	errno = 0;
	*value = strtoll(text, &end, hex ? 16 : 10);
	if (end == text || *end || isspace((unsigned char)text[0])) {
		command_misused(o->command, "%s '%s' is not a whole number", what, text);
		return false;
	}
	if (errno == ERANGE || *value < min || *value > max) {
		command_misused(o->command, "%s %s is outside %lld..%lld", what, text, min, max);
		return false;
	}
	return true;
}

bool options_real(const struct options *o, const char *what, const char *text, double min,
		  double max, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end == text || *end || !isfinite(*value)) {
		command_misused(o->command, "%s '%s' is not a number", what, text);
		return false;
	}
	if (*value < min || *value > max) {
		command_misused(o->command, "%s %s is outside %g..%g", what, text, min, max);
		return false;
	}
	return true;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "options.h"

#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FACTOR_MAX 100

static const char help[] =
	"usage: %s [options] [NODE]\n"
	"\n"
	"  -l, --list             the names of the tests, one a line\n"
	"  -t, --test PATTERN     only tests whose name matches; may be given again\n"
	"      --long             long forms: SELFTESTS_LONG=1\n"
	"      --dangerous        also what may crash a driver with known defects, or the\n"
	"                         machine: SELFTESTS_DANGEROUS=1\n"
	"  -f, --time-factor N    deadlines times N, 1 to 100: SELFTESTS_TIME_FACTOR=N\n"
	"  -h, --help\n"
	"\n"
	"NODE: a path; \"sim\" where the device in the process is built in. Without one\n"
	"ROCKET_DEVICE, else the first node of the driver: /dev/accel/accel*, or /dev/dri/*.\n";

static void complain(const char *program, const char *what, const char *value)
{
	fprintf(stderr, "%s: %s: %s (--help tells more)\n", program, what, value);
	exit(1);
}

static bool from_environment(const char *name)
{
	const char *value = getenv(name);

	return value && *value && strcmp(value, "0");
}

static unsigned parse_factor(const char *program, const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (end == text || *end || n < 1 || n > FACTOR_MAX)
		complain(program, "not a factor of 1 to 100", text);
	return (unsigned)n;
}

static void add_pattern(struct options *o, const char *program, const char *pattern)
{
	if (o->n_patterns == OPTIONS_PATTERNS)
		complain(program, "too many patterns", pattern);
	o->patterns[o->n_patterns++] = pattern;
}

void options_parse(struct options *o, int argc, char **argv)
{
	enum { LONG = 256, DANGEROUS };
	static const struct option names[] = {
		{ "list", no_argument, NULL, 'l' },
		{ "test", required_argument, NULL, 't' },
		{ "long", no_argument, NULL, LONG },
		{ "dangerous", no_argument, NULL, DANGEROUS },
		{ "time-factor", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *factor = getenv("SELFTESTS_TIME_FACTOR");
	int c;

	*o = (struct options){ .long_form = from_environment("SELFTESTS_LONG"),
			       .dangerous = from_environment("SELFTESTS_DANGEROUS"),
			       .factor = 1 };
	if (factor && *factor)
		o->factor = parse_factor(argv[0], factor);
	while ((c = getopt_long(argc, argv, "lt:f:h", names, NULL)) != -1) {
		switch (c) {
		case 'l':
			o->list = true;
			break;
		case 't':
			add_pattern(o, argv[0], optarg);
			break;
		case 'f':
			o->factor = parse_factor(argv[0], optarg);
			break;
		case LONG:
			o->long_form = true;
			break;
		case DANGEROUS:
			o->dangerous = true;
			break;
		case 'h':
			printf(help, argv[0]);
			exit(0);
		default:
			exit(1);
		}
	}
	if (optind + 1 < argc)
		complain(argv[0], "more than one node", argv[optind + 1]);
	o->node = argv[optind];
}

bool options_choose(const struct options *o, const char *name)
{
	for (unsigned i = 0; i < o->n_patterns; i++)
		if (!fnmatch(o->patterns[i], name, 0))
			return true;
	return !o->n_patterns;
}

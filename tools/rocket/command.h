/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * command.h - what a subcommand of `rocket` is, and how it ends.
 */
#ifndef TOOLS_ROCKET_COMMAND_H
#define TOOLS_ROCKET_COMMAND_H

#include <stdbool.h>

/* Documented in rocket(1). */
enum exit_code {
	EXIT_RIGHT = 0,
	EXIT_WRONG = 1,  /* a wrong result, a faulty program */
	EXIT_USAGE = 2,  /* bad arguments or input, nothing to run on */
	EXIT_DEVICE = 3, /* the device, the memory or the output failed */
};

struct command {
	const char *name; /* with its parents: "regcmd decode" */
	const char *summary;
	const char *usage; /* what follows the name */
	/* First operand, where the command is for one thing only so far: "matmul". */
	const char *operation;
	const char *help; /* text after the usage line: options, examples */
	/* argv[0] is the last word of the name. NULL when the command is a group. */
	int (*run)(const struct command *self, int argc, char **argv);
	const struct command *const *children; /* of a group, NULL-terminated */
};

extern const struct command command_rocket; /* the group of all of them */
extern const struct command command_info, command_matmul, command_regcmd, command_plan;
extern const struct command command_clock, command_demo, command_help;
extern const struct command command_decode, command_lint, command_encode;

/* Run the subcommand that argv[1] names. */
int command_dispatch(const struct command *group, int argc, char **argv);
/* The subcommand that the words name; a message and NULL when there is none. */
const struct command *command_find(const struct command *group, int count, char **words);
/* Usage line, text and, for a group, the list of its commands. */
void command_print_help(const struct command *command);

/* Have command_misused() speak JSON too if the arguments ask for it anywhere. */
void command_look_for_json(int argc, char **argv);
/*
 * "rocket NAME: text" on stderr and, with json, {"command", "error", "exit"} on stdout.
 * _misused adds where help is and returns EXIT_USAGE; _failed returns code.
 */
int command_misused(const struct command *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int command_failed(const struct command *command, bool json, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif

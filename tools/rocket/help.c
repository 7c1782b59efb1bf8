// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <string.h>

#include "config.h"

#include "command.h"
#include "json.h"
#include "options.h"

static const struct command *const children[] = {
	&command_demo, &command_info,   &command_clock, &command_matmul,
	&command_plan, &command_regcmd, &command_help,  NULL,
};

const struct command command_rocket = {
	.name = "rocket",
	.summary = "the Rockchip NPU from the command line",
	.usage = "COMMAND ...\n"
		 "       rocket --version",
	.help = "Multiply matrices on the Rockchip NPU, look at what it is, and read, check and\n"
		"write its register programs.\n"
		"\n"
		"ROCKET_DEVICE chooses the device: a node such as /dev/accel/accel0, or \"sim\" "
		"for\n"
		"the simulated RK3588 inside this process. Unset: the first NPU of this machine.\n"
		"\n"
		"  ROCKET_DEVICE=sim rocket demo          the whole stack at work, without a "
		"board\n"
		"  rocket help matmul                     what a command does, with examples\n"
		"\n"
		"Exit codes: 0 right; 1 wrong result or faulty program; 2 bad arguments or input,\n"
		"or no device; 3 the device, the memory or the output failed.\n",
	.children = children,
};

static void print_json(const struct command *command)
{
	struct json j;

	json_begin(&j, stdout);
	json_string(&j, "command", command->name);
	json_string(&j, "version", PACKAGE_VERSION);
	json_string(&j, "summary", command->summary);
	json_string(&j, "usage", command->usage);
	json_string(&j, "help", command->help);
	json_array(&j, "commands");
	for (const struct command *const *c = command->children; c && *c; c++) {
		json_object(&j, NULL);
		json_string(&j, "name", (*c)->name);
		json_string(&j, "summary", (*c)->summary);
		json_end(&j);
	}
	json_finish(&j);
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option table[] = { OPTIONS_COMMON };
	const struct command *command;
	struct options o;
	int value;

	options_begin(&o, self, argc, argv);
	while ((value = options_next(&o, table)) != OPTION_END)
		return options_exit(value);
	command = command_find(&command_rocket, argc - optind, argv + optind);
	if (!command)
		return EXIT_USAGE;
	if (o.json)
		print_json(command);
	else
		command_print_help(command);
	return EXIT_RIGHT;
}

const struct command command_help = {
	.name = "help",
	.summary = "explain a command",
	.usage = "[--json] [COMMAND ...]",
	.help = "Prints what COMMAND does, its options and examples; without COMMAND, the list.\n"
		"\n"
		"Examples:\n"
		"  rocket help regcmd lint\n",
	.run = run,
};

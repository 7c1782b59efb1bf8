// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "regs/names.h"

#include "program_options.h"

void program_options_begin(struct program_options *o, const struct command *command, int argc,
			   char **argv)
{
	memset(o, 0, sizeof(*o));
	options_begin(&o->common, command, argc, argv);
}

bool program_options_take(struct program_options *o, int value)
{
	long long base;

	switch (value) {
	case OPTION_RAW:
		o->form = PROGRAM_FORM_RAW;
		return true;
	case OPTION_TEXT:
		o->form = PROGRAM_FORM_TEXT;
		return true;
	case OPTION_CHIP:
		o->chip = optarg;
		return true;
	case OPTION_BASE:
		if (!options_number(&o->common, "--base", optarg, 0, 0xfffffff0, &base))
			return false;
		o->has_base = true;
		o->base = (uint32_t)base;
		return true;
	default:
		return false;
	}
}

int program_options_load(struct program_options *o, struct program_file *file)
{
	const struct command *command = o->common.command;
	char why[160];
	int rc;

	if (!options_operands(&o->common, 1, 1, "one FILE (or - for standard input)"))
		return EXIT_USAGE;
	o->file_name = o->common.argv[optind];
	if (program_file_read(file, o->file_name, o->form, why, sizeof(why)) < 0)
		return command_failed(command, o->common.json, EXIT_USAGE, "%s %s", o->file_name,
				      why);
	if (!o->chip)
		o->chip = file->soc[0] ? file->soc : "rk3588";
	if (!rocket_chip_names(o->chip)) {
		rc = command_failed(command, o->common.json, EXIT_USAGE,
				    "no register table for chip '%s'; there is one for rk3588",
				    o->chip);
		program_file_free(file);
		return rc;
	}
	if (o->has_base) {
		file->has_base = true;
		file->base = o->base;
	}
	if (program_file_split(file) < 0) {
		program_file_free(file);
		return command_failed(command, o->common.json, EXIT_DEVICE,
				      "no memory for the programs of %s", o->file_name);
	}
	return EXIT_RIGHT;
}

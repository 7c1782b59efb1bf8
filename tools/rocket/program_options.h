/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * program_options.h - the options that `regcmd decode` and `regcmd lint` share.
 */
#ifndef TOOLS_ROCKET_PROGRAM_OPTIONS_H
#define TOOLS_ROCKET_PROGRAM_OPTIONS_H

#include "options.h"
#include "program_file.h"

enum {
	OPTION_RAW = OPTION_LONG + 100,
	OPTION_TEXT,
	OPTION_BASE,
	OPTION_CHIP,
};

#define PROGRAM_OPTIONS                                                                            \
	{ "raw", no_argument, NULL, OPTION_RAW }, { "text", no_argument, NULL, OPTION_TEXT },      \
		{ "base", required_argument, NULL, OPTION_BASE },                                  \
	{                                                                                          \
		"chip", required_argument, NULL, OPTION_CHIP                                       \
	}

#define PROGRAM_OPTIONS_HELP                                                                       \
	"  --raw        FILE holds 64-bit little-endian words\n"                                   \
	"  --text       FILE holds one word per line: target,offset,value in hex\n"                \
	"               (default: text when the whole file could be text)\n"                       \
	"  --base ADDR  where the first word lies in NPU memory; otherwise taken from a\n"         \
	"               \"# regcmd_base=\" line, or worked out from the first link\n"              \
	"  --chip CHIP  whose registers they are; otherwise a \"# soc=\" line says so [rk3588]\n"

struct program_options {
	struct options common;
	enum program_form form;
	bool has_base;
	uint32_t base;
	const char *chip;
	const char *file_name;
};

void program_options_begin(struct program_options *o, const struct command *command, int argc,
			   char **argv);
/* Take one option of the shared ones. False: it is not one, or said what is wrong with it. */
bool program_options_take(struct program_options *o, int value);
/* The file named by the only operand, read and split. An exit code when that fails. */
int program_options_load(struct program_options *o, struct program_file *file);

#endif

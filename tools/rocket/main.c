// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config.h"

#include "command.h"
#include "logline.h"

/* A result that did not reach its file is not a result. */
static int close_output(int code)
{
	if (!ferror(stdout) && !fflush(stdout))
		return code;
	fprintf(stderr, "rocket: cannot write the output: %s\n", strerror(errno));
	return EXIT_DEVICE;
}

int main(int argc, char **argv)
{
	int code;

	logline_start();
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		printf("rocket %s\n", PACKAGE_VERSION);
		return close_output(EXIT_RIGHT);
	}
	command_look_for_json(argc, argv);
	code = command_dispatch(&command_rocket, argc, argv);
	logline_finish();
	return close_output(code);
}

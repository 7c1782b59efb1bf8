// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stddef.h>

#include "command.h"

static const struct command *const children[] = {
	&command_decode,
	&command_lint,
	&command_encode,
	NULL,
};

const struct command command_regcmd = {
	.name = "regcmd",
	.summary = "read, check and write register programs",
	.usage = "COMMAND ...",
	.help = "A register program is the list of register writes that one task of the NPU is\n"
		"made of: 64-bit words, little endian, target[63:48] value[47:16] offset[15:0],\n"
		"ended by a link, a length, a fence and an enable word.\n"
		"\n"
		"Programs are read as memory images (raw words) or as text with one word per\n"
		"line, \"target,offset,value\" in hexadecimal; \"-\" reads standard input.\n",
	.children = children,
};

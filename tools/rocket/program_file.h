/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * program_file.h - register programs from a file.
 *
 * Two forms: 64-bit little-endian words as they lie in memory, and text with one word per
 * line, "target,offset,value" or a single number, all hexadecimal; '#' starts a comment and
 * "# regcmd_base=0x..." (or "regcmd=") says where the first word would lie in memory,
 * "# soc=" which chip it is for.
 */
#ifndef TOOLS_ROCKET_PROGRAM_FILE_H
#define TOOLS_ROCKET_PROGRAM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum program_form {
	PROGRAM_FORM_ANY, /* text when every byte could be text */
	PROGRAM_FORM_RAW,
	PROGRAM_FORM_TEXT,
};

/* One program of the file: it ends with its ENABLE word, or with the file. */
struct program_span {
	size_t first, count; /* words */
	bool complete;       /* ends with an ENABLE word */
	bool follows;        /* a program of the file links to it */
	bool links;          /* its trailer has a link... */
	uint32_t link;       /* ...to this address */
	long next;           /* index of the program linked to, -1 = none in this file */
};

struct program_file {
	uint64_t *words;
	size_t count;
	bool has_base;
	uint32_t base; /* IOVA of words[0]: stated, or worked out from the first link */
	char soc[16];  /* of a "# soc=" line, or "" */
	struct program_span *spans;
	size_t n_spans;
};

/* Files larger than this are not register programs. */
#define PROGRAM_FILE_MAX (64u << 20)

/* name "-" is standard input. 0, or -1 with the reason in why. */
int program_file_read(struct program_file *file, const char *name, enum program_form form,
		      char *why, size_t why_size);
/* Find the programs and their links. 0, or -1: no memory. */
int program_file_split(struct program_file *file);
void program_file_free(struct program_file *file);

#endif

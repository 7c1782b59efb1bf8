// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "json.h"

/* Single-character edits between two short words, more than 31 letters counting as far. */
static unsigned word_distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);
	unsigned row[32];

	if (la > 31 || lb > 31)
		return 99;
	for (size_t j = 0; j <= lb; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[lb];
}

static const char *last_word(const char *name)
{
	const char *space = strrchr(name, ' ');

	return space ? space + 1 : name;
}

/* "rocket" for the whole, "rocket regcmd decode" for a part. */
static void print_name(FILE *out, const struct command *command)
{
	fputs("rocket", out);
	if (command != &command_rocket)
		fprintf(out, " %s", command->name);
}

/* Arguments that cannot be understood are found before --json may have been reached. */
static bool misuse_as_json;

void command_look_for_json(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		/* As getopt takes it: any beginning that says more than "--". */
		misuse_as_json |=
			strlen(argv[i]) > 2 && !strncmp("--json", argv[i], strlen(argv[i]));
}

static void vfailure(const struct command *command, bool json, int code, const char *fmt,
		     va_list ap)
{
	char text[512];
	struct json j;

	vsnprintf(text, sizeof(text), fmt, ap);
	print_name(stderr, command);
	fprintf(stderr, ": %s\n", text);
	if (!json)
		return;
	json_begin(&j, stdout);
	json_string(&j, "command", command->name);
	json_string(&j, "error", text);
	json_count(&j, "exit", (unsigned long long)code);
	json_finish(&j);
}

int command_misused(const struct command *command, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfailure(command, misuse_as_json, EXIT_USAGE, fmt, ap);
	va_end(ap);
	fputs("try '", stderr);
	print_name(stderr, command);
	fputs(" --help'\n", stderr);
	return EXIT_USAGE;
}

int command_failed(const struct command *command, bool json, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfailure(command, json, code, fmt, ap);
	va_end(ap);
	return code;
}

static const struct command *child_named(const struct command *group, const char *name)
{
	for (const struct command *const *c = group->children; *c; c++)
		if (!strcmp(last_word((*c)->name), name))
			return *c;
	return NULL;
}

static const char *nearest_child(const struct command *group, const char *name)
{
	const char *best = NULL;
	unsigned least = 3;

	for (const struct command *const *c = group->children; *c; c++) {
		unsigned d = word_distance(last_word((*c)->name), name);

		if (d < least) {
			least = d;
			best = last_word((*c)->name);
		}
	}
	return best;
}

static int unknown_child(const struct command *group, const char *name)
{
	const char *near = nearest_child(group, name);

	if (near)
		return command_misused(group, "unknown command '%s', did you mean '%s'?", name,
				       near);
	return command_misused(group, "unknown command '%s'", name);
}

const struct command *command_find(const struct command *group, int count, char **words)
{
	const struct command *at = group;

	for (int i = 0; i < count; i++) {
		const struct command *next;

		if (at->operation && i + 1 == count && !strcmp(words[i], at->operation))
			break;
		if (!at->children) {
			command_misused(at, "has no command '%s'", words[i]);
			return NULL;
		}
		next = child_named(at, words[i]);
		if (!next) {
			unknown_child(at, words[i]);
			return NULL;
		}
		at = next;
	}
	return at;
}

int command_dispatch(const struct command *group, int argc, char **argv)
{
	const struct command *child;

	if (argc < 2)
		return command_misused(group, "which command?");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		command_print_help(group);
		return EXIT_RIGHT;
	}
	if (argv[1][0] == '-')
		return command_misused(group, "unknown option '%s' before the command", argv[1]);
	child = child_named(group, argv[1]);
	if (!child)
		return unknown_child(group, argv[1]);
	if (child->run)
		return child->run(child, argc - 1, argv + 1);
	return command_dispatch(child, argc - 1, argv + 1);
}

void command_print_help(const struct command *command)
{
	printf("usage: ");
	print_name(stdout, command);
	printf(" %s\n\n%s", command->usage, command->help);
	if (!command->children)
		return;
	printf("\nCommands:\n");
	for (const struct command *const *c = command->children; *c; c++)
		printf("  %-10s %s\n", last_word((*c)->name), (*c)->summary);
}

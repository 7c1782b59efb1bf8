// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/encode/program.h"

#include "json.h"
#include "program_options.h"

#define FAULTS_MAX 256

enum {
	OPTION_JOB = OPTION_LONG,
	OPTION_STRICT,
};

struct lint {
	struct program_options options;
	bool job, strict;
	struct program_file file;
	struct json json;
	size_t errors, warnings;
	struct rocket_program_fault faults[FAULTS_MAX]; /* of one program */
};

static void report(struct lint *l, size_t program, size_t word, const char *block, const char *reg,
		   const char *reason, bool warning)
{
	l->errors += !warning;
	l->warnings += warning;
	if (l->options.common.json) {
		json_object(&l->json, NULL);
		json_count(&l->json, "program", program);
		if (word != (size_t)-1)
			json_count(&l->json, "word", word);
		json_string(&l->json, "block", block);
		json_string(&l->json, "register", reg);
		json_string(&l->json, "severity", warning ? "warning" : "error");
		json_string(&l->json, "reason", reason);
		json_end(&l->json);
		return;
	}
	printf("%s: program %zu", l->options.file_name, program);
	if (word != (size_t)-1)
		printf(" word %zu", word);
	printf(": %s: ", warning ? "warning" : "error");
	if (block[0])
		printf("%s%s%s: ", block, reg[0] ? "." : "", reg);
	printf("%s\n", reason);
}

/* What the file as a whole can get wrong, beyond the programs themselves. */
static void check_link(struct lint *l, size_t index)
{
	const struct program_span *span = &l->file.spans[index];
	size_t link = span->first + span->count - ROCKET_TRAILER_WORDS;
	uint64_t amount;

	if (!span->links)
		return;
	if (span->next < 0) {
		report(l, index, link, "PC", "BASE_ADDRESS",
		       "links to an address that is no program of this file", true);
		return;
	}
	amount = l->file.words[link + 1];
	if (rocket_word_value(amount) !=
	    rocket_pc_amount((uint32_t)l->file.spans[span->next].count))
		report(l, index, link + 1, "PC", "REGISTER_AMOUNTS",
		       "is not the length of the program linked to: the fetch stops short or runs "
		       "on",
		       false);
}

static void check_program(struct lint *l, size_t index)
{
	const struct program_span *span = &l->file.spans[index];
	const struct rocket_program_check how = {
		.chip = l->options.chip,
		.first_of_job = l->job && index == 0,
		.chained = span->links || span->follows,
		.last_of_chain = span->follows && !span->links,
	};
	char rest[40];
	size_t count = rocket_program_validate(l->file.words + span->first, span->count, &how,
					       l->faults, FAULTS_MAX);

	for (size_t i = 0; i < count && i < FAULTS_MAX; i++) {
		const struct rocket_program_fault *f = &l->faults[i];
		size_t word = f->word == (size_t)-1 ? f->word : span->first + f->word;

		report(l, index, word, f->block, f->reg, f->reason, f->warning);
	}
	if (count > FAULTS_MAX) {
		snprintf(rest, sizeof(rest), "%zu more faults", count - FAULTS_MAX);
		report(l, index, (size_t)-1, "", "", rest, false);
	}
	if (span->complete && span->count >= ROCKET_TRAILER_WORDS)
		check_link(l, index);
}

static void check_all(struct lint *l)
{
	for (size_t i = 0; i < l->file.n_spans; i++)
		check_program(l, i);
	if (!l->file.n_spans)
		report(l, 0, (size_t)-1, "", "", "there is no program in this file", false);
}

/* ---- the command ---- */

static int parse(struct lint *l, const struct command *self, int argc, char **argv)
{
	static const struct option table[] = { { "job", no_argument, NULL, OPTION_JOB },
					       { "strict", no_argument, NULL, OPTION_STRICT },
					       PROGRAM_OPTIONS,
					       OPTIONS_COMMON };
	int value;

	program_options_begin(&l->options, self, argc, argv);
	while ((value = options_next(&l->options.common, table)) != OPTION_END) {
		if (value == OPTION_BAD || value == OPTION_HELPED)
			return value;
		if (value == OPTION_JOB)
			l->job = true;
		else if (value == OPTION_STRICT)
			l->strict = true;
		else if (!program_options_take(&l->options, value))
			return OPTION_BAD;
	}
	return OPTION_END;
}

static void begin_output(struct lint *l)
{
	if (!l->options.common.json)
		return;
	json_begin(&l->json, stdout);
	json_string(&l->json, "command", l->options.common.command->name);
	json_string(&l->json, "file", l->options.file_name);
	json_string(&l->json, "chip", l->options.chip);
	json_count(&l->json, "programs", l->file.n_spans);
	json_array(&l->json, "faults");
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

static void finish_output(struct lint *l)
{
	if (l->options.common.json) {
		json_end(&l->json);
		json_count(&l->json, "errors", l->errors);
		json_count(&l->json, "warnings", l->warnings);
		json_finish(&l->json);
		return;
	}
	printf("%s: %zu program%s, %zu error%s, %zu warning%s\n", l->options.file_name,
	       l->file.n_spans, plural(l->file.n_spans), l->errors, plural(l->errors), l->warnings,
	       plural(l->warnings));
}

static int run(const struct command *self, int argc, char **argv)
{
	struct lint l = { 0 };
	int rc = parse(&l, self, argc, argv);

	if (rc != OPTION_END)
		return options_exit(rc);
	rc = program_options_load(&l.options, &l.file);
	if (rc)
		return rc;
	begin_output(&l);
	check_all(&l);
	finish_output(&l);
	program_file_free(&l.file);
	return l.errors || (l.strict && l.warnings) ? EXIT_WRONG : EXIT_RIGHT;
}

const struct command command_lint = {
	.name = "regcmd lint",
	.summary = "find what would hang or corrupt the hardware",
	.usage = "[--job] [--strict] [--raw|--text] [--base ADDR] [--chip CHIP] [--json] FILE",
	.help = "Checks every program in FILE. One line per fault: file, program, word, block and\n"
		"register, reason. Exit code 1 when there are errors.\n"
		"\n"
		"Options:\n"
		"  --job        the file is a whole job: its first program must not reuse "
		"operands\n"
		"  --strict     warnings fail too\n" PROGRAM_OPTIONS_HELP
		"  --json       print JSON\n"
		"\n"
		"Examples:\n"
		"  rocket regcmd lint program.txt\n"
		"  rocket regcmd encode matmul 64 256 128 --raw | rocket regcmd lint -\n",
	.run = run,
};

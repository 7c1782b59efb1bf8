// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <string.h>

#include "lib/encode/program.h"

#include "json.h"
#include "program_options.h"

static uint32_t enable_of(const struct program_file *file, const struct program_span *span)
{
	return rocket_word_value(file->words[span->first + span->count - 1]);
}

static void print_head(const struct program_file *file, size_t index)
{
	const struct program_span *span = &file->spans[index];

	printf("program %zu: %zu words", index, span->count);
	if (file->has_base)
		printf(" at 0x%08x", (unsigned)(file->base + 8 * span->first));
	if (!span->complete)
		printf(", NOT COMPLETE: no enable word before the end");
	putchar('\n');
}

static void print_tail(const struct program_span *span, size_t index, size_t count)
{
	if (span->links && span->next >= 0)
		printf("  -> program %ld\n", span->next);
	else if (span->links)
		printf("  -> 0x%08x, which is not a program of this file\n", span->link);
	if (index + 1 < count)
		putchar('\n');
}

static void print_text(const struct program_file *file, const char *chip)
{
	char line[512];

	for (size_t p = 0; p < file->n_spans; p++) {
		const struct program_span *span = &file->spans[p];

		print_head(file, p);
		for (size_t i = span->first; i < span->first + span->count; i++) {
			uint64_t word = file->words[i];

			rocket_disassemble(chip, word, line, sizeof(line));
			printf("%5zu  %04x_%08x_%04x  %s\n", i, rocket_word_target(word),
			       rocket_word_value(word), rocket_word_offset(word), line);
		}
		print_tail(span, p, file->n_spans);
	}
	if (!file->n_spans)
		printf("%zu empty words, no program\n", file->count);
}

static void write_word(struct json *j, const char *chip, size_t index, uint64_t word)
{
	char text[512], hex[20];

	rocket_disassemble(chip, word, text, sizeof(text));
	snprintf(hex, sizeof(hex), "%016llx", (unsigned long long)word);
	json_object(j, NULL);
	json_count(j, "word", index);
	json_string(j, "hex", hex);
	json_count(j, "target", rocket_word_target(word));
	json_count(j, "offset", rocket_word_offset(word));
	json_count(j, "value", rocket_word_value(word));
	json_string(j, "text", text);
	json_end(j);
}

static void write_program(struct json *j, const struct program_file *file, size_t index,
			  const char *chip)
{
	const struct program_span *span = &file->spans[index];

	json_object(j, NULL);
	json_count(j, "first_word", span->first);
	json_count(j, "word_count", span->count);
	if (file->has_base)
		json_count(j, "address", file->base + 8 * span->first);
	json_bool(j, "complete", span->complete);
	if (span->complete)
		json_count(j, "enable", enable_of(file, span));
	if (span->links) {
		json_count(j, "link_address", span->link);
		json_integer(j, "link_program", span->next);
	}
	json_array(j, "words");
	for (size_t i = span->first; i < span->first + span->count; i++)
		write_word(j, chip, i, file->words[i]);
	json_end(j);
	json_end(j);
}

static void print_json(const struct program_file *file, const struct program_options *o)
{
	struct json j;

	json_begin(&j, stdout);
	json_string(&j, "command", "regcmd decode");
	json_string(&j, "file", o->file_name);
	json_string(&j, "chip", o->chip);
	json_array(&j, "programs");
	for (size_t p = 0; p < file->n_spans; p++)
		write_program(&j, file, p, o->chip);
	json_finish(&j);
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option table[] = { PROGRAM_OPTIONS, OPTIONS_COMMON };
	struct program_options o;
	struct program_file file;
	int value, rc;

	program_options_begin(&o, self, argc, argv);
	while ((value = options_next(&o.common, table)) != OPTION_END) {
		if (value == OPTION_BAD || value == OPTION_HELPED)
			return options_exit(value);
		if (!program_options_take(&o, value))
			return EXIT_USAGE;
	}
	rc = program_options_load(&o, &file);
	if (rc)
		return rc;
	if (o.common.json)
		print_json(&file, &o);
	else
		print_text(&file, o.chip);
	program_file_free(&file);
	return EXIT_RIGHT;
}

const struct command command_decode = {
	.name = "regcmd decode",
	.summary = "disassemble programs: registers and fields by name",
	.usage = "[--raw|--text] [--base ADDR] [--chip CHIP] [--json] FILE",
	.help = "Prints every word of every program in FILE with its block, register and fields.\n"
		"A file may hold several programs; links from one to the next are followed.\n"
		"\n"
		"Options:\n" PROGRAM_OPTIONS_HELP "  --json       print JSON\n"
		"\n"
		"Examples:\n"
		"  rocket regcmd encode matmul 64 256 128 | rocket regcmd decode -\n"
		"  rocket regcmd decode --raw --base 0x50000000 regcmd.bin\n",
	.run = run,
};

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "lib/encode/program.h"

static bool parse_word(const char *text, uint64_t *word)
{
	char copy[24], *field[3];
	uint64_t target, offset, value;

	if (strlen(text) >= sizeof(copy))
		return false;
	strcpy(copy, text);
	if (split(copy, ',', field, 3) != 3 || strlen(field[0]) != 4 || strlen(field[1]) != 4 ||
	    strlen(field[2]) != 8 || !parse_hex(field[0], &target) ||
	    !parse_hex(field[1], &offset) || !parse_hex(field[2], &value))
		return false;
	*word = rocket_word((unsigned)target, (uint32_t)value, (unsigned)offset);
	return true;
}

static void add_program(struct image *image, size_t first, size_t end)
{
	image->programs[image->n_programs++] = (struct program){ first, end - first };
}

/* A program ends with its enable word; one NONE of padding may follow. */
static void cut(struct image *image)
{
	size_t first = 0;

	for (size_t i = 0; i < image->n_words; i++) {
		if (rocket_word_target(image->words[i]) != ROCKET_TARGET_ENABLE)
			continue;
		add_program(image, first, i + 1);
		first = i + 1;
		if ((first & 1) && first < image->n_words && image->words[first] == 0)
			i = first++;
	}
	if (first < image->n_words)
		add_program(image, first, image->n_words);
}

bool image_read(struct check *c, struct image *image)
{
	const struct source *s = c->src;
	uint32_t said;

	memset(image, 0, sizeof(*image));
	image->words = calloc(s->n_data + 1, sizeof(*image->words));
	image->line = calloc(s->n_data + 1, sizeof(*image->line));
	image->programs = calloc(s->n_data + 1, sizeof(*image->programs));
	if (!image->words || !image->line || !image->programs) {
		check_fail(c, 0, "out of memory");
		goto err;
	}
	for (size_t i = 0; i < s->n_data; i++) {
		if (!parse_word(s->data[i].text, &image->words[i])) {
			check_fail(c, s->data[i].number,
				   "\"%.40s\" is not a word target,offset,value", s->data[i].text);
			goto err;
		}
		image->line[i] = s->data[i].number;
	}
	image->n_words = s->n_data;
	if (!image->n_words) {
		check_fail(c, 0, "no words");
		goto err;
	}
	if (source_key(s, "words") && !source_number(s, "words", &said)) {
		check_fail(c, 0, "words=%s is not a number", source_key(s, "words"));
		goto err;
	}
	if (source_key(s, "words") && said != image->n_words) {
		check_fail(c, s->data[s->n_data - 1].number, "%zu words, the header says %u",
			   image->n_words, said);
		goto err;
	}
	cut(image);
	return true;
err:
	image_free(image);
	return false;
}

void image_free(struct image *image)
{
	free(image->words);
	free(image->line);
	free(image->programs);
	memset(image, 0, sizeof(*image));
}

const char *other_chip(const struct source *s)
{
	const char *chip = source_key(s, "soc");
	uint64_t word;

	if (!chip)
		chip = source_key(s, "chip");
	if (chip)
		return strcmp(chip, "rk3588") ? chip : NULL;
	/* Only programs of the RK3576 begin with the pointer of the CNA. */
	if (s->n_data && parse_word(s->data[0].text, &word) &&
	    rocket_word_target(word) == ROCKET_TARGET_CNA && rocket_word_offset(word) == 0x1004)
		return "rk3576";
	return NULL;
}

/* First data line a word, or a header that promises words. */
bool image_promised(const struct source *s)
{
	uint64_t word;

	return source_key(s, "words") || source_key(s, "words_per_task") ||
	       (s->n_data && parse_word(s->data[0].text, &word));
}

const char *image_known_wrong(const struct source *s, const struct image *image)
{
	const char *evidence = source_key(s, "evidence"), *operands = source_key(s, "in_dtype");

	if (evidence && (strstr(evidence, "WRONG on silicon") || strstr(evidence, "hangs")))
		return evidence;
	for (size_t i = 0; operands && !strcmp(operands, "int16") && i < image->n_words; i++)
		if (image->words[i] == rocket_word(ROCKET_TARGET_DPU, 0x7fe, 0x4050))
			return "the int16 writer of older encoders hangs the hardware";
	return NULL;
}

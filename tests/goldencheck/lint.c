// SPDX-License-Identifier: LGPL-2.1-or-later
/* lint.c - recorded programs through the validator. */
#include "image.h"

#include <stdio.h>
#include <string.h>

#include "lib/encode/program.h"

#define FAULTS 32

/* Files that leave something out of their programs on purpose. */
static const char *abridged(const struct source *s, const struct image *image)
{
	const struct program *last = &image->programs[image->n_programs - 1];
	bool data = false, upload = false;

	if (rocket_word_target(image->words[last->first + last->count - 1]) != ROCKET_TARGET_ENABLE)
		return "without its trailer";
	for (size_t i = 0; i < s->n_header; i++)
		if (!strncmp(s->header[i].text, "task=", 5) && image->n_programs > 1 &&
		    !strstr(s->header[i].text, "addr="))
			return "without the programs in between";
	for (size_t i = 0; i < image->n_words; i++) {
		uint64_t w = image->words[i];

		data |= rocket_word_offset(w) == 0x4104;
		upload |= rocket_word_offset(w) == 0x4100 && rocket_word_value(w) >> 17 & 1;
	}
	return upload && !data ? "without its tables" : NULL;
}

/* Faults of one program; warnings are counted only. */
static void lint_one(struct check *c, const struct image *image, size_t p)
{
	struct rocket_program_fault faults[FAULTS];
	const struct program *program = &image->programs[p];
	const struct rocket_program_check how = {
		.chip = "rk3588",
		.chained = image->n_programs > 1,
		.last_of_chain = p + 1 == image->n_programs,
	};
	size_t n = rocket_program_validate(image->words + program->first, program->count, &how,
					   faults, FAULTS);
	unsigned warnings = 0;

	for (size_t i = 0; i < n && i < FAULTS; i++) {
		bool whole = faults[i].word == (size_t)-1;

		if (faults[i].warning)
			warnings++;
		else
			check_differs(c, whole ? 0 : image->line[program->first + faults[i].word],
				      "%s.%s: %s", faults[i].block, faults[i].reg,
				      faults[i].reason);
	}
	if (warnings)
		check_note(c, "%u warnings", warnings);
}

/* A program that is wrong on silicon has to be reported. */
static void expect_faults(struct check *c, const char *wrong)
{
	if (c->verdict == PASSED) {
		check_fail(c, 0, "nothing reported of a program that is known to be wrong: %s",
			   wrong);
		return;
	}
	c->verdict = PASSED;
	c->differences = 0;
	snprintf(c->reason, sizeof(c->reason), "reported, as it must be: %s", wrong);
}

void lint_program(struct check *c)
{
	struct image image;
	const char *missing, *wrong;

	if (other_chip(c->src)) {
		check_skip(c, "no rules for %s", other_chip(c->src));
		return;
	}
	if (!image_read(c, &image))
		return;
	missing = abridged(c->src, &image);
	wrong = image_known_wrong(c->src, &image);
	if (missing)
		check_skip(c, "recorded %s", missing);
	for (size_t p = 0; !missing && p < image.n_programs; p++)
		lint_one(c, &image, p);
	if (wrong)
		expect_faults(c, wrong);
	image_free(&image);
}

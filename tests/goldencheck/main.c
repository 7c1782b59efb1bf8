// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * golden - compare directories of recorded data with what this tree computes.
 *
 * Every file gets one verdict. What a file holds is recognised by its content.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"
#include "image.h"

static const struct kind *const kinds[] = {
	&program_index_kind, &plan_kind,    &plan_index_kind,  &planner_kind,
	&column_split_kind,  &packing_kind, &output_map_kind,  &fp16_base_kind,
	&fp16_kacc_kind,     &integer_kind, &int16_split_kind, &program_kind,
};

static struct {
	bool verbose, tap, lint;
	unsigned count[3]; /* by verdict */
} run;

/* ---- verdicts ---- */

static void print_details(const struct check *c)
{
	const char *line = c->detail;

	while (line && *line) {
		int length = (int)strcspn(line, "\n");

		printf("%s%.*s\n", run.tap ? "#   " : "    ", length, line);
		line += length + (line[length] == '\n');
	}
	if (c->differences)
		printf("%s%u differences\n", run.tap ? "#   " : "    ", c->differences);
}

static void print_tap(const char *path, const struct check *c)
{
	unsigned number = run.count[PASSED] + run.count[FAILED] + run.count[SKIPPED];
	const char *open = c->reason[0] ? " (" : "", *close = c->reason[0] ? ")" : "";

	if (c->verdict == SKIPPED)
		printf("ok %u - %s # SKIP %s\n", number, path, c->reason);
	else
		printf("%sok %u - %s%s%s%s\n", c->verdict == FAILED ? "not " : "", number, path,
		       open, c->reason, close);
}

static void print_verdict(const char *path, const struct check *c)
{
	static const char *const names[] = { "passed", "failed", "skipped" };

	run.count[c->verdict]++;
	if (run.tap)
		print_tap(path, c);
	else
		printf("%s: %s%s%s\n", path, names[c->verdict], c->reason[0] ? ": " : "",
		       c->reason);
	if (run.verbose || (run.tap && c->verdict == FAILED))
		print_details(c);
}

static void refuse_file(const char *path, const char *why)
{
	struct check c = { .verdict = FAILED };

	snprintf(c.reason, sizeof(c.reason), "%s", why);
	print_verdict(path, &c);
}

/* ---- files ---- */

static void check_source(struct check *c)
{
	if (!c->src->n_data && !c->src->n_header) {
		check_fail(c, 1, "empty");
		return;
	}
	if (run.lint) {
		lint_program(c);
		return;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i]->is(c->src)) {
			kinds[i]->check(c);
			return;
		}
	}
	check_skip(c, "no reader for this kind of file");
}

static void check_file(const char *path)
{
	struct source s;
	struct check c = { .src = &s };
	char why[160];

	if (!source_read(&s, path, why, sizeof(why))) {
		c.src = NULL;
		c.verdict = strcmp(why, SOURCE_BINARY) ? FAILED : SKIPPED;
		snprintf(c.reason, sizeof(c.reason), "%s", why);
		print_verdict(path, &c);
		return;
	}
	/* Only programs have something to check then. */
	if (!run.lint || image_promised(&s)) {
		check_source(&c);
		print_verdict(path, &c);
	}
	free(c.detail);
	source_free(&s);
}

/* ---- directories ---- */

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void walk(const char *path, bool named);

static void walk_directory(const char *path)
{
	struct dirent **list;
	int n = scandir(path, &list, visible, alphasort);

	if (n < 0) {
		refuse_file(path, strerror(errno));
		return;
	}
	for (int i = 0; i < n; i++) {
		char inside[4096];

		if ((size_t)snprintf(inside, sizeof(inside), "%s/%s", path, list[i]->d_name) <
		    sizeof(inside))
			walk(inside, false);
		else
			refuse_file(path, "holds a path that is too long");
		free(list[i]);
	}
	free(list);
}

/* A link to a directory is followed only when it was named: there are no loops then. */
static void walk(const char *path, bool named)
{
	unsigned before = run.count[PASSED] + run.count[FAILED] + run.count[SKIPPED];
	struct stat st;

	if ((named ? stat(path, &st) : lstat(path, &st)) < 0) {
		refuse_file(path, strerror(errno));
		return;
	}
	if (!S_ISDIR(st.st_mode)) {
		check_file(path);
		return;
	}
	walk_directory(path);
	if (named && before == run.count[PASSED] + run.count[FAILED] + run.count[SKIPPED])
		refuse_file(path, "holds no files");
}

static void usage(FILE *out)
{
	fprintf(out,
		"usage: golden [--verbose] [--lint] [--tap] DIR|FILE...\n"
		"\n"
		"Compare recorded register programs, plans, packed operands and numbers with\n"
		"what this tree computes. Directories are walked; a file is recognised by its\n"
		"content. Each file gets one line: passed, failed or skipped.\n"
		"\n"
		"  --verbose  show the first differences\n"
		"  --lint     put the register programs through the validator instead\n"
		"  --tap      Test Anything Protocol, one case for each file\n"
		"\n"
		"Exit status: 0 when nothing failed, 1 when something did, 2 for wrong usage.\n");
}

static bool options(int argc, char **argv)
{
	static const struct option known[] = {
		{ "verbose", no_argument, NULL, 'v' },
		{ "lint", no_argument, NULL, 'l' },
		{ "tap", no_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int o;

	while ((o = getopt_long(argc, argv, "vlth", known, NULL)) != -1) {
		run.verbose |= o == 'v';
		run.lint |= o == 'l';
		run.tap |= o == 't';
		if (o == 'h') {
			usage(stdout);
			exit(0);
		}
		if (o == '?')
			return false;
	}
	return optind < argc;
}

/* The caller's settings are none of the recorded ones. */
static void forget_settings(void)
{
	extern char **environ;
	char name[64];

	for (char **v = environ; *v;) {
		size_t length = strcspn(*v, "=");

		if (strncmp(*v, "ROCKET_", 7) || length >= sizeof(name)) {
			v++;
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)length, *v);
		unsetenv(name); /* closes the gap at v */
	}
}

int main(int argc, char **argv)
{
	if (!options(argc, argv)) {
		usage(stderr);
		return 2;
	}
	forget_settings();
	for (int i = optind; i < argc; i++)
		walk(argv[i], true);
	if (run.tap)
		printf("1..%u\n# ", run.count[PASSED] + run.count[FAILED] + run.count[SKIPPED]);
	printf("%u passed, %u failed, %u skipped\n", run.count[PASSED], run.count[FAILED],
	       run.count[SKIPPED]);
	return run.count[FAILED] ? 1 : 0;
}

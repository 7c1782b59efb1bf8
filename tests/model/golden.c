// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/model/golden.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_key(struct golden *g, char *line)
{
	char *eq = strchr(line, '=');

	if (!eq || g->n_keys == GOLDEN_KEYS)
		return;
	*eq = 0;
	/* Chains name the parts of each task on one line; the first of a key stands. */
	snprintf(g->key[g->n_keys], sizeof(g->key[0]), "%.23s", line);
	snprintf(g->value[g->n_keys], sizeof(g->value[0]), "%.159s", eq + 1);
	g->n_keys++;
}

static void add_word(struct golden *g, const char *line)
{
	unsigned op, reg, value;

	if (sscanf(line, "%x,%x,%x", &op, &reg, &value) != 3)
		return;
	g->words = realloc(g->words, (g->n_words + 1) * sizeof(*g->words));
	if (!g->words)
		abort();
	g->words[g->n_words++] = (uint64_t)op << 48 | (uint64_t)value << 16 | reg;
}

bool golden_load(struct golden *g, const char *path)
{
	FILE *f = fopen(path, "r");
	const char *slash = strrchr(path, '/');
	char line[1024];

	memset(g, 0, sizeof(*g));
	if (!f)
		return false;
	snprintf(g->name, sizeof(g->name), "%.90s", slash ? slash + 1 : path);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\r\n")] = 0;
		if (line[0] == '#')
			add_key(g, line + 1 + strspn(line + 1, " "));
		else
			add_word(g, line);
	}
	fclose(f);
	return g->n_words > 0;
}

void golden_free(struct golden *g)
{
	free(g->words);
	memset(g, 0, sizeof(*g));
}

const char *golden_text(const struct golden *g, const char *key)
{
	for (unsigned i = 0; i < g->n_keys; i++)
		if (!strcmp(g->key[i], key))
			return g->value[i];
	return "";
}

long golden_number(const struct golden *g, const char *key, long fallback)
{
	const char *text = golden_text(g, key);

	return *text ? strtol(text, NULL, 0) : fallback;
}

static int is_txt(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 4 && !strcmp(e->d_name + n - 4, ".txt");
}

unsigned golden_each(const char *root, const char *folder,
		     void (*fn)(const char *path, const char *name, void *ctx), void *ctx)
{
	struct dirent **list;
	char path[4608];
	int n;

	snprintf(path, sizeof(path), "%s/%s", root, folder);
	n = scandir(path, &list, is_txt, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", root, folder, list[i]->d_name);
		fn(path, list[i]->d_name, ctx);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return n < 0 ? 0 : (unsigned)n;
}

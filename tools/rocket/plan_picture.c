// SPDX-License-Identifier: LGPL-2.1-or-later
/* plan_picture.c - see plan_picture.h. */
#include "plan_picture.h"

/* Tiles of one side; when there are more, the place before the last stands for those left out. */
#define PLACES 8
#define GAP    (-1)

static int places(int tiles)
{
	return tiles < PLACES ? tiles : PLACES;
}

static int tile_at(int place, int tiles)
{
	if (tiles <= PLACES || place < PLACES - 2)
		return place;
	return place == PLACES - 1 ? tiles - 1 : GAP;
}

static uint32_t first_task(const struct rocket_matmul_plan *plan, int m0, int n0)
{
	uint32_t i = 0;

	while (i < plan->n_steps && (plan->steps[i].m0 != m0 || plan->steps[i].n0 != n0))
		i++;
	return i;
}

static void draw_tile(FILE *out, const struct rocket_matmul_plan *plan, int m0, int n0)
{
	const uint32_t task = first_task(plan, m0, n0);
	const struct rocket_matmul_step *s = &plan->steps[task];
	const char *kept = s->weight_reuse ? "w" : s->data_reuse ? "f" : "";

	fprintf(out, " %*u%-1s", 7, task, kept);
}

static void draw_columns(FILE *out, const struct rocket_matmul_tiles *t, int first_column)
{
	fprintf(out, "  %-10s", "m \\ n");
	for (int j = 0; j < places(t->nn); j++) {
		const int tile = tile_at(j, t->nn);

		if (tile == GAP)
			fprintf(out, " %7s ", "...");
		else
			fprintf(out, " %7d ", first_column + tile * t->nt);
	}
	fputc('\n', out);
}

static void draw_row(FILE *out, const struct rocket_matmul_plan *plan, int row)
{
	const struct rocket_matmul_tiles *t = &plan->tiles;

	fprintf(out, "  %-10d", row * t->mt);
	for (int j = 0; j < places(t->nn); j++) {
		const int tile = tile_at(j, t->nn);

		if (tile == GAP)
			fprintf(out, " %7s ", "...");
		else
			draw_tile(out, plan, row * t->mt, tile * t->nt);
	}
	fputc('\n', out);
}

void plan_picture(FILE *out, const struct rocket_matmul_plan *plan, int first_column)
{
	const struct rocket_matmul_tiles *t = &plan->tiles;
	const uint32_t each = plan->n_steps / (uint32_t)(t->nm * t->nn);
	char tasks[40] = "its task";

	if (each > 1)
		snprintf(tasks, sizeof(tasks), "the first of its %u tasks", each);
	fprintf(out, "tiles of C, each with %s (w: finds its weights loaded, f: its features)\n",
		tasks);
	draw_columns(out, t, first_column);
	for (int i = 0; i < places(t->nm); i++) {
		const int tile = tile_at(i, t->nm);

		if (tile == GAP)
			fprintf(out, "  ...\n");
		else
			draw_row(out, plan, tile);
	}
}

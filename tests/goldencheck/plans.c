// SPDX-License-Identifier: LGPL-2.1-or-later
/* plans.c - recorded plans, tile vectors and column splits against the planners. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/plan/matmul_plan.h"
#include "rocket_npu.h"

/* A planner is chosen by the entry that was called. */
struct planner {
	const char *name; /* in names of plans and columns dtype */
	enum rocket_matmul_type type;
	bool grouped; /* "_g128" in the plan's name: scales by group of k */
	bool counted; /* a number follows the name: products of one shape */
	int parts;    /* of an operand, each multiplied with each of the other */
};

static const struct planner *find_planner(const char *name)
{
	static const struct planner planners[] = {
		{ "fp16", ROCKET_MM_FP16_FP16, .parts = 1 },
		{ "f32out", ROCKET_MM_FP16_FP32, .parts = 1 },
		{ "int8", ROCKET_MM_INT8_INT32, .parts = 1 },
		{ "bf16", ROCKET_MM_BF16_FP32, .parts = 1 },
		{ "tf32", ROCKET_MM_TF32_FP32, .parts = 1 },
		{ "int4", ROCKET_MM_INT4_INT16, .parts = 1 },
		{ "int16", ROCKET_MM_INT16_INT32, .parts = 1 },
		{ "batch", ROCKET_MM_FP16_FP16, .counted = true, .parts = 1 },
		{ "i8gw", ROCKET_MM_INT8_INT32, .grouped = true, .parts = 1 },
		{ "int8_gw", ROCKET_MM_INT8_INT32, .grouped = true, .parts = 1 },
		{ "i4gw", ROCKET_MM_INT4_INT16, .grouped = true, .parts = 1 },
		/* The products of the operands' bytes. */
		{ "int16exact", ROCKET_MM_INT8_INT32, .parts = 2 },
	};

	for (size_t i = 0; i < sizeof(planners) / sizeof(planners[0]); i++) {
		const struct planner *p = &planners[i];
		const size_t length = strlen(p->name);

		if (!strncmp(p->name, name, length) &&
		    !name[length + (p->counted ? strspn(name + length, "0123456789") : 0)])
			return p;
	}
	return NULL;
}

/* "fp16_512x...", "batch3_64x...": up to the first underscore. */
static const struct planner *planner_of_plan(const char *plan, char name[16])
{
	snprintf(name, 16, "%.*s", (int)strcspn(plan, "_"), plan);
	return find_planner(name);
}

/* "ROCKET_KACC=0 ROCKET_REUSE=1" into the environment, or out of it again. */
static bool each_variable(const char *env, bool set)
{
	char copy[256], *save = NULL;

	if (!strcmp(env, "(none)"))
		return true;
	if (strlen(env) >= sizeof(copy))
		return false;
	strcpy(copy, env);
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *value = strchr(word, '=');

		if (strncmp(word, "ROCKET_", 7))
			return false;
		if (value)
			*value++ = '\0';
		/* Without a value: switched on. */
		if (set)
			setenv(word, value ? value : "1", 1);
		else
			unsetenv(word);
	}
	return true;
}

/* Settings as the library reads them for a board under these variables; false for others. */
static bool settings_of(const char *env, struct rocket_settings *set)
{
	bool known;

	unsetenv("ROCKET_DEVICE");
	known = each_variable(env, true);
	if (known)
		*set = rocket_settings_read();
	each_variable(env, false);
	return known;
}

struct call {
	const struct planner *planner;
	struct rocket_matmul_limits limits;
	int items;
	uint32_t m, k, n;
	struct rocket_settings set;
};

/* What the name and the note of a plan say beside its type. */
static void take_details(struct call *call, const char *plan, const char *note)
{
	const char *group = strstr(plan, "_g");

	call->limits.grouped = call->planner->grouped;
	call->limits.group = call->planner->grouped && group ? atoi(group + 2) : 0;
	call->items = call->planner->counted ? atoi(plan + strlen(call->planner->name)) : 1;
	if (note && !strncmp(note, "kt_cap=", 7))
		call->limits.kt_cap = atoi(note + 7);
}

/* As it is written down, where each product has its own buffers and counts as an item. */
static void take_products_apart(struct rocket_matmul_plan *plan)
{
	const unsigned parts = (unsigned)plan->parts;

	for (uint32_t i = 0; parts > 1 && i < plan->n_steps; i++) {
		struct rocket_matmul_step *s = &plan->steps[i];
		const unsigned product = s->a_part * parts + s->b_part;

		s->item = (int)product;
		s->out_bo = (uint8_t)product;
		s->in_off -= s->a_part * plan->in_bytes / parts;
		s->wt_off -= s->b_part * plan->wt_bytes / parts;
		s->out_off -= product * plan->out_bytes[0] / (parts * parts);
	}
}

/* M = 1 is padded by the callers of the planner. */
static int make(struct check *c, const struct call *call, struct rocket_matmul_plan *plan)
{
	const int M = call->m == 1 ? 4 : (int)call->m, K = (int)call->k, N = (int)call->n;
	const enum rocket_matmul_type type = call->planner->type;
	struct rocket_matmul_tiles tiles;
	char why[200] = "a batch of none";
	int r = call->items < 1 ? -1
				: rocket_matmul_tile_within(type, rocket_hw_by_name("rk3588"),
							    &call->set, &call->limits, M, K, N,
							    &tiles, why, sizeof(why));

	if (r > 0)
		r = rocket_matmul_plan_parts(type, &call->set, 1, call->items, call->planner->parts,
					     M, K, N, &tiles, plan, why, sizeof(why));
	if (!r)
		take_products_apart(plan);
	if (r)
		check_fail(c, 0, "no plan for %ux%ux%u here: %s", call->m, call->k, call->n, why);
	return r;
}

/* ---- whole plans ---- */

static bool is_plan(const struct source *s)
{
	return source_key(s, "plan") && s->n_data && !strncmp(s->data[0].text, "job,task,", 9);
}

/* False when the verdict is already clear. */
static bool call_of_header(struct check *c, struct call *call)
{
	const struct source *s = c->src;
	const char *plan = source_key(s, "plan"), *env = source_key(s, "env");
	char name[16];

	if (!source_number(s, "M", &call->m) || !source_number(s, "K", &call->k) ||
	    !source_number(s, "N", &call->n) || call->m > INT32_MAX || call->k > INT32_MAX ||
	    call->n > INT32_MAX) {
		check_fail(c, 0, "header without M, K and N");
		return false;
	}
	call->planner = planner_of_plan(plan, name);
	if (!call->planner) {
		check_skip(c, "no planner for %s", name);
		return false;
	}
	if (!settings_of(env ? env : "", &call->set)) {
		check_skip(c, "no planner for %s with %s", name, env);
		return false;
	}
	take_details(call, plan, source_key(s, "note"));
	return true;
}

static void compare_lines(struct check *c, char *made)
{
	const struct source *s = c->src;
	size_t i = 0;
	char *save = NULL;

	for (char *line = strtok_r(made, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save), i++) {
		if (i >= s->n_data)
			check_differs(c, 0, "here one more step: %s", line);
		else if (strcmp(line, s->data[i].text))
			check_differs(c, s->data[i].number, "%s, here %s", s->data[i].text, line);
	}
	for (; i < s->n_data; i++)
		check_differs(c, s->data[i].number, "no such step here: %s", s->data[i].text);
}

static void check_plan(struct check *c)
{
	struct rocket_matmul_plan plan;
	struct call call = { 0 };
	char *made = NULL;
	size_t size;
	FILE *out;

	if (!call_of_header(c, &call) || make(c, &call, &plan))
		return;
	out = open_memstream(&made, &size);
	if (out) {
		rocket_matmul_plan_print(&plan, out);
		fclose(out);
		compare_lines(c, made);
		check_note(c, "%u tasks in %u jobs", plan.n_steps, plan.n_jobs);
	} else {
		check_fail(c, 0, "out of memory");
	}
	free(made);
	rocket_matmul_plan_free(&plan);
}

const struct kind plan_kind = { is_plan, check_plan };

/* ---- tables ---- */

#define FIELDS_MAX 12

/* Numbers of a row from field `first` on; false when one is none. */
static bool numbers(char **field, size_t first, size_t n, int64_t *value)
{
	for (size_t i = 0; i < n; i++)
		if (!parse_number(field[first + i], &value[i]) || value[i] < INT32_MIN ||
		    value[i] > INT32_MAX)
			return false;
	return true;
}

/* Run row for every line behind the column names; it returns false for a malformed one. */
static void each_row(struct check *c, size_t columns,
		     bool (*row)(struct check *, unsigned, char **))
{
	for (size_t i = 1; i < c->src->n_data; i++) {
		const struct line *line = &c->src->data[i];
		char *copy = strdup(line->text), *field[FIELDS_MAX];

		if (!copy || split(copy, ',', field, columns) != columns ||
		    !row(c, line->number, field))
			check_fail(c, line->number, "not a row of %s", c->src->data[0].text);
		free(copy);
	}
}

static bool has_columns(const struct source *s, const char *columns)
{
	return s->n_data && !strcmp(s->data[0].text, columns);
}

/* ---- the index: tiles and counts of each plan ---- */

static bool is_plan_index(const struct source *s)
{
	return has_columns(s, "plan,M,K,N,Mt,Kt,Nt,tasks,jobs,env,note");
}

static bool plan_index_row(struct check *c, unsigned line, char **field)
{
	struct rocket_matmul_plan plan;
	struct call call = { 0 };
	char name[16];
	int64_t v[8];

	if (!numbers(field, 1, 8, v))
		return false;
	/* What no planner makes is checked nowhere. */
	call.planner = planner_of_plan(field[0], name);
	if (!call.planner || !settings_of(field[9], &call.set))
		return true;
	take_details(&call, field[0], field[10]);
	call.m = (uint32_t)v[0];
	call.k = (uint32_t)v[1];
	call.n = (uint32_t)v[2];
	if (make(c, &call, &plan))
		return true;
	if (plan.tiles.mt != v[3] || plan.tiles.kt != v[4] || plan.tiles.nt != v[5] ||
	    plan.n_steps != v[6] || plan.n_jobs != v[7])
		check_differs(c, line, "%s: here %dx%dx%d, %u tasks, %u jobs", field[0],
			      plan.tiles.mt, plan.tiles.kt, plan.tiles.nt, plan.n_steps,
			      plan.n_jobs);
	rocket_matmul_plan_free(&plan);
	return true;
}

static void check_plan_index(struct check *c)
{
	each_row(c, 11, plan_index_row);
}

const struct kind plan_index_kind = { is_plan_index, check_plan_index };

/* ---- planner vectors ---- */

static bool is_planner(const struct source *s)
{
	return has_columns(s, "dtype,M,K,N,group,ret,Mt,Kt,Nt");
}

static bool planner_row(struct check *c, unsigned line, char **field)
{
	struct rocket_matmul_tiles tiles = { 0 };
	struct rocket_settings set;
	const struct planner *planner = find_planner(field[0]);
	struct rocket_matmul_limits limits = { 0 };
	char why[200];
	int64_t v[8];
	int r;

	/* A refusal has no tiles. */
	if (!numbers(field, 1, 5, v) || (v[4] > 0 && !numbers(field, 6, 3, v + 5)))
		return false;
	if (!planner || !settings_of("(none)", &set))
		return true;
	limits.grouped = planner->grouped;
	limits.group = (int)v[3];
	r = rocket_matmul_tile_within(planner->type, rocket_hw_by_name("rk3588"), &set, &limits,
				      (int)v[0], (int)v[1], (int)v[2], &tiles, why, sizeof(why));
	if (r != v[4] || (r > 0 && (tiles.mt != v[5] || tiles.kt != v[6] || tiles.nt != v[7])))
		check_differs(c, line, "%s %sx%sx%s: here %d, %dx%dx%d", field[0], field[1],
			      field[2], field[3], r, tiles.mt, tiles.kt, tiles.nt);
	return true;
}

/* Rows of planners that do not exist here, said once. */
static unsigned without_planner(const struct source *s)
{
	unsigned n = 0;
	char name[16];

	for (size_t i = 1; i < s->n_data; i++) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(s->data[i].text, ","),
			 s->data[i].text);
		n += !find_planner(name);
	}
	return n;
}

static void check_planner(struct check *c)
{
	unsigned without = without_planner(c->src);

	each_row(c, 9, planner_row);
	check_note(c, "%zu plans", c->src->n_data - 1 - without);
	if (without)
		check_note(c, "no planner for %u", without);
}

const struct kind planner_kind = { is_planner, check_planner };

/* ---- column splits ---- */

static bool is_column_split(const struct source *s)
{
	return has_columns(s, "dtype,N,threads,worker,n0,nsub");
}

static bool column_split_row(struct check *c, unsigned line, char **field)
{
	const struct planner *planner = find_planner(field[0]);
	int n0, nsub;
	int64_t v[5];

	if (!numbers(field, 1, 5, v) || !planner)
		return false;
	rocket_matmul_split((int)v[0], (int)v[1], (int)rocket_matmul_traits(planner->type)->n_align,
			    (int)v[2], &n0, &nsub);
	if (n0 != v[3] || nsub != v[4])
		check_differs(c, line, "%s N=%s over %s, worker %s: here %d, %d columns", field[0],
			      field[1], field[2], field[3], n0, nsub);
	return true;
}

static void check_column_split(struct check *c)
{
	each_row(c, 6, column_split_row);
	check_note(c, "%zu splits", c->src->n_data - 1);
}

const struct kind column_split_kind = { is_column_split, check_column_split };

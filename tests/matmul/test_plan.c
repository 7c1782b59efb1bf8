// SPDX-License-Identifier: LGPL-2.1-or-later
/* test_plan.c - tiles and whole plans against recorded ones and against their rules. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "lib/plan/matmul_plan.h"
#include "lib/plan/tiler.h"
#include "rocket_npu.h"
#include "support.h"

static char why[256];

/* ---- recorded plans ---- */

struct golden {
	int M, K, N, kt_cap;
	char dtype[32], env[128];
	const char *rows; /* from the column header on */
};

static int parse_golden(const char *text, struct golden *g)
{
	memset(g, 0, sizeof(*g));
	while (*text == '#') {
		sscanf(text, "# M=%d", &g->M);
		sscanf(text, "# K=%d", &g->K);
		sscanf(text, "# N=%d", &g->N);
		sscanf(text, "# note=kt_cap=%d", &g->kt_cap);
		sscanf(text, "# dtype=%31s", g->dtype);
		sscanf(text, "# env=%127[^\n]", g->env);
		text = strchr(text, '\n') + 1;
	}
	g->rows = text;
	return g->M && g->K && g->N;
}

/* What the plan rules need of each type, in the golden files' names. */
static const struct {
	const char *name;
	int bits, out_bytes, banks, k_align, n_align;
} types[ROCKET_MM_TYPES] = {
	[ROCKET_MM_FP16_FP16] = { "fp16", 16, 2, 12, 32, 16 },
	[ROCKET_MM_FP16_FP32] = { "f32out", 16, 4, 12, 32, 16 },
	[ROCKET_MM_INT8_INT32] = { "int8", 8, 4, 11, 32, 32 },
	[ROCKET_MM_BF16_FP32] = { "bf16", 16, 4, 12, 32, 16 },
	[ROCKET_MM_TF32_FP32] = { "tf32", 32, 4, 12, 16, 16 },
	[ROCKET_MM_INT4_INT16] = { "int4", 4, 2, 12, 32, 64 },
	[ROCKET_MM_INT16_INT32] = { "int16", 16, 4, 12, 32, 16 },
};

static int type_of_golden(const char *dtype)
{
	for (int i = 0; i < ROCKET_MM_TYPES; i++)
		if (!strcmp(types[i].name, dtype))
			return i;
	return -1;
}

static void apply_env(struct rocket_settings *set, const char *env)
{
	const struct {
		const char *name;
		int *value;
	} known[] = {
		{ "ROCKET_KACC=", &set->kacc },
		{ "ROCKET_REUSE=", &set->reuse },
		{ "ROCKET_MM_ASYM=", &set->mm_asym },
		{ "ROCKET_BATCH_SUBMIT=", &set->batch_submit },
		{ "ROCKET_KACC_CHAIN=", &set->kacc_chain },
		{ "ROCKET_MM_STREAM=", &set->mm_stream },
	};
	char copy[128], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", env);
	if (!strcmp(copy, "(none)"))
		return;
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		unsigned i;

		for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
			size_t n = strlen(known[i].name);

			if (!strncmp(word, known[i].name, n)) {
				*known[i].value = atoi(word + n);
				break;
			}
			/* Without a value: switched on. */
			if (strlen(word) == n - 1 && !strncmp(word, known[i].name, n - 1)) {
				*known[i].value = 1;
				break;
			}
		}
		if (i == sizeof(known) / sizeof(known[0]))
			fail_msg("environment \"%s\" is not mapped to a setting", word);
	}
}

/* 1 = compared, 0 = of a type that has no plan here. */
static int compare_with_golden(const char *path)
{
	char *text = test_read_file(path), *printed = NULL;
	struct rocket_settings set = test_settings();
	struct rocket_matmul_plan plan;
	struct golden g;
	size_t size;
	FILE *out;
	int type, ret;

	if (!parse_golden(text, &g) || (type = type_of_golden(g.dtype)) < 0) {
		free(text);
		return 0;
	}
	apply_env(&set, g.env);
	set.mm_kt = g.kt_cap; /* the int4 entry's own limit acts like the override */
	ret = rocket_matmul_plan_make((enum rocket_matmul_type)type, &test_rk3588, &set, 1,
				      g.M == 1 ? 4 : g.M, g.K, g.N, &plan, why, sizeof(why));
	if (ret)
		fail_msg("%s: %s", path, why);
	out = open_memstream(&printed, &size);
	rocket_matmul_plan_print(&plan, out);
	fclose(out);
	if (strcmp(printed, g.rows))
		fail_msg("%s: the plan differs; made:\n%.2000s", path, printed);
	rocket_matmul_plan_free(&plan);
	free(printed);
	free(text);
	return 1;
}

static void plan_is_the_committed_one(void **state)
{
	static const char *const files[] = {
		"f32out_64x4096x512.csv",
		"fp16_256x2048x512_kaccchain.csv",
		"fp16_264x1024x512_tailM8.csv",
		"fp16_1536x1536x256_default_autoweight.csv",
		"fp16_512x1024x1024_hostacc_wreuse.csv",
		"fp16_512x1024x1024_batchsubmit.csv",
		"fp16_1500x384x1536_ragged.csv",
		"fp16_512x3840x4096_streamed_inferred.csv",
	};
	char path[4096];

	(void)state;
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		test_data_path(path, sizeof(path), files[i]);
		assert_int_equal(compare_with_golden(path), 1);
	}
}

static void plan_is_every_golden_one(void **state)
{
	char dir[GOLDEN_PATH_MAX], path[GOLDEN_PATH_MAX + 256];
	struct dirent *e;
	int compared = 0;
	DIR *d;

	(void)state;
	d = opendir(golden_file(dir, "plans"));
	assert_non_null(d);
	while ((e = readdir(d))) {
		const char *ext = strrchr(e->d_name, '.');

		if (!ext || strcmp(ext, ".csv"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		compared += compare_with_golden(path);
	}
	closedir(d);
	assert_int_equal(compared, 20);
}

/* ---- recorded tiles and splits ---- */

static int tile_by_name(const char *dtype, int M, int K, int N, int group,
			struct rocket_matmul_tiles *t)
{
	struct rocket_settings set = test_settings();

	if (!strcmp(dtype, "int8_gw"))
		return rocket_tile_int8_groupwise(&test_rk3588, &set, M, K, N, group, t, why,
						  sizeof(why));
	if (type_of_golden(dtype) >= 0)
		return rocket_matmul_tile((enum rocket_matmul_type)type_of_golden(dtype),
					  &test_rk3588, &set, M, K, N, t, why, sizeof(why));
	fail_msg("no planner called %s", dtype);
	return 0;
}

static void tiles_are_those_of_the_recorded_planner(void **state)
{
	char path[4096], *text, *line, *save = NULL;
	int rows = 0;

	(void)state;
	test_data_path(path, sizeof(path), "planner_vectors.csv");
	text = test_read_file(path);
	strtok_r(text, "\n", &save);
	while ((line = strtok_r(NULL, "\n", &save))) {
		struct rocket_matmul_tiles t = { 0 };
		int M, K, N, group, want, mt = 0, kt = 0, nt = 0, got;
		char dtype[16];

		/* A refusal has its status and no tile. */
		assert_true(sscanf(line, "%15[^,],%d,%d,%d,%d,%d,%d,%d,%d", dtype, &M, &K, &N,
				   &group, &want, &mt, &kt, &nt) >= 6);
		got = tile_by_name(dtype, M, K, N, group, &t);
		if (got != want || (got > 0 && (t.mt != mt || t.kt != kt || t.nt != nt)))
			fail_msg("%s: got %d %d/%d/%d", line, got, t.mt, t.kt, t.nt);
		rows++;
	}
	free(text);
	assert_int_equal(rows, 540);
}

static void split_is_the_recorded_one(void **state)
{
	static const struct {
		const char *name;
		int align;
	} aligns[] = { { "fp16", 16 }, { "bf16", 16 }, { "int8", 32 }, { "int4", 64 } };
	char path[4096], *text, *line, *save = NULL;
	int rows = 0;

	(void)state;
	test_data_path(path, sizeof(path), "nsplit_vectors.csv");
	text = test_read_file(path);
	strtok_r(text, "\n", &save);
	while ((line = strtok_r(NULL, "\n", &save))) {
		int N, threads, worker, n0, nsub, got_n0, got_nsub, align = 0;
		char dtype[16];

		assert_int_equal(sscanf(line, "%15[^,],%d,%d,%d,%d,%d", dtype, &N, &threads,
					&worker, &n0, &nsub),
				 6);
		for (unsigned i = 0; i < 4; i++)
			if (!strcmp(aligns[i].name, dtype))
				align = aligns[i].align;
		rocket_matmul_split(N, threads, align, worker, &got_n0, &got_nsub);
		if (got_n0 != n0 || got_nsub != nsub)
			fail_msg("%s: got %d,%d", line, got_n0, got_nsub);
		rows++;
	}
	free(text);
	assert_int_equal(rows, 374);
}

static void split_covers_every_column_once(void **state)
{
	struct test_rng rng = { 5 };

	(void)state;
	for (int i = 0; i < 500; i++) {
		int align = 16 << test_random_in(&rng, 0, 2);
		int N = align * test_random_in(&rng, 1, 200);
		int threads = test_random_in(&rng, -1, 12), next = 0;

		for (int w = 0; w < ROCKET_SPLIT_MAX; w++) {
			int n0, nsub;

			rocket_matmul_split(N, threads, align, w, &n0, &nsub);
			if (!nsub)
				continue;
			assert_int_equal(n0, next);
			assert_int_equal(nsub % align, 0);
			next += nsub;
		}
		assert_int_equal(next, N);
	}
}

/* ---- rules every plan keeps ---- */

struct shape {
	enum rocket_matmul_type type;
	int M, K, N, batched;
	struct rocket_settings set;
};

static struct shape random_shape(struct test_rng *rng)
{
	struct shape s = { .set = test_settings() };

	s.type = (enum rocket_matmul_type)test_random_in(rng, 0, ROCKET_MM_TYPES - 1);
	s.M = 4 * test_random_in(rng, 1, test_random_in(rng, 0, 3) ? 40 : 400);
	s.K = types[s.type].k_align * test_random_in(rng, 1, test_random_in(rng, 0, 3) ? 40 : 520);
	s.N = types[s.type].n_align * test_random_in(rng, 1, test_random_in(rng, 0, 3) ? 20 : 200);
	s.batched = test_random_in(rng, 0, 1);
	s.set.kacc = test_random_in(rng, 0, 3) > 0;
	s.set.reuse = test_random_in(rng, -1, 2);
	s.set.batch_submit = test_random_in(rng, 0, 1);
	s.set.kacc_chain = test_random_in(rng, 0, 2);
	s.set.mm_asym = test_random_in(rng, 0, 3) > 0;
	s.set.mm_stream = test_random_in(rng, 0, 1);
	s.set.mm_pipe = test_random_in(rng, 0, 1);
	if (!test_random_in(rng, 0, 3))
		s.set.mm_mt = test_random_in(rng, 1, 300);
	if (!test_random_in(rng, 0, 3))
		s.set.mm_nt = test_random_in(rng, 1, 300);
	if (!test_random_in(rng, 0, 3))
		s.set.mm_kt = test_random_in(rng, 1, 1500);
	return s;
}

static void random_plans(uint64_t seed, int count,
			 void (*check)(const struct shape *s, const struct rocket_matmul_plan *p))
{
	struct test_rng rng = { seed };

	for (int i = 0; i < count; i++) {
		struct shape s = random_shape(&rng);
		struct rocket_matmul_plan plan;

		if (rocket_matmul_plan_make(s.type, &test_rk3588, &s.set, s.batched, s.M, s.K, s.N,
					    &plan, why, sizeof(why)))
			fail_msg("%dx%dx%d: %s", s.M, s.K, s.N, why);
		check(&s, &plan);
		rocket_matmul_plan_free(&plan);
	}
}

/* Every (m, n, k) belongs to one step: boxes inside the problem, none repeated, volumes
 * adding up. */
static void check_cover(const struct shape *s, const struct rocket_matmul_plan *p)
{
	const struct rocket_matmul_tiles *t = &p->tiles;
	uint8_t *seen = calloc((size_t)t->nm * t->nk * t->nn, 1);
	uint64_t volume = 0;

	assert_non_null(seen);
	assert_int_equal(p->n_steps, (uint32_t)(t->nm * t->nk * t->nn));
	for (uint32_t i = 0; i < p->n_steps; i++) {
		const struct rocket_matmul_step *st = &p->steps[i];
		size_t at = ((size_t)(st->m0 / t->mt) * t->nn + st->n0 / t->nt) * t->nk +
			    st->k0 / t->kt;

		assert_true(st->mt > 0 && st->nt > 0 && st->kt > 0);
		assert_true(st->m0 + st->mt <= s->M && st->n0 + st->nt <= s->N &&
			    st->k0 + st->kt <= s->K);
		assert_true(st->m0 % t->mt == 0 && st->n0 % t->nt == 0 && st->k0 % t->kt == 0);
		assert_int_equal(seen[at]++, 0);
		volume += (uint64_t)st->mt * st->nt * st->kt;
	}
	assert_int_equal(volume, (uint64_t)s->M * s->N * s->K);
	free(seen);
}

static void plan_covers_the_problem_exactly_once(void **state)
{
	(void)state;
	random_plans(11, 600, check_cover);
}

static void check_program_limits(const struct shape *s, const struct rocket_matmul_plan *p)
{
	for (uint32_t i = 0; i < p->n_steps; i++) {
		const struct rocket_matmul_step *st = &p->steps[i];
		int64_t a = ((int64_t)st->mt * st->kt * types[s->type].bits / 8 + 32767) / 32768;
		int64_t b = ((int64_t)st->nt * st->kt * types[s->type].bits / 8 + 32767) / 32768;

		if (p->tiles.streamed) {
			/* A in ten banks, a group of 16 kernels in two; 13 bits of kernels. */
			assert_true((s->type == ROCKET_MM_FP16_FP16 ||
				     s->type == ROCKET_MM_FP16_FP32) &&
				    s->set.mm_stream);
			assert_true(a <= 10 && 16 * st->kt * 2 <= 2 * 32768 && st->nt <= 8192);
			assert_false(st->weight_reuse);
		} else {
			assert_true(a + b <= types[s->type].banks);
		}
		assert_int_equal(st->mt % 4, 0);
		assert_int_equal(st->kt % types[s->type].k_align, 0);
		assert_int_equal(st->nt % types[s->type].n_align, 0);
	}
}

static void plan_tiles_fit_the_operand_buffer(void **state)
{
	(void)state;
	random_plans(12, 600, check_program_limits);
}

/* A reuse bit needs the same operand tile, fetched under the same split, right before. */
static void check_reuse(const struct shape *s, const struct rocket_matmul_plan *p)
{
	(void)s;
	for (uint32_t j = 0; j < p->n_jobs; j++) {
		for (uint32_t i = 0; i < p->jobs[j].count; i++) {
			const struct rocket_matmul_step *st = &p->steps[p->jobs[j].first + i];

			assert_false(st->weight_reuse && st->data_reuse);
			if (!st->weight_reuse && !st->data_reuse)
				continue;
			assert_true(i > 0);
			assert_true(st->mt == st[-1].mt && st->nt == st[-1].nt &&
				    st->kt == st[-1].kt);
			if (st->weight_reuse)
				assert_int_equal(st->wt_off, st[-1].wt_off);
			if (st->data_reuse)
				assert_int_equal(st->in_off, st[-1].in_off);
		}
	}
}

static void plan_reuses_only_what_the_previous_task_left(void **state)
{
	(void)state;
	random_plans(13, 600, check_reuse);
}

static void check_jobs(const struct shape *s, const struct rocket_matmul_plan *p)
{
	uint32_t next = 0;

	for (uint32_t j = 0; j < p->n_jobs; j++) {
		assert_int_equal(p->jobs[j].first, next);
		assert_true(p->jobs[j].count >= 1 && p->jobs[j].count <= ROCKET_JOB_TASKS_MAX);
		if (p->jobs[j].chained)
			assert_true(s->batched);
		/* A job that may run beside the one before writes another buffer. */
		assert_int_equal(p->pipelined, s->set.mm_pipe && !p->device_accumulates &&
						       p->parts == 1 && p->n_jobs > 1);
		for (uint32_t i = 0; i < p->jobs[j].count && !p->device_accumulates; i++)
			assert_int_equal(p->steps[next + i].out_bo, p->pipelined ? j & 1 : 0);
		next += p->jobs[j].count;
	}
	assert_int_equal(next, p->n_steps);
	/* The host takes results of 16 MiB at most, or of one task. */
	assert_true(p->device_accumulates || p->out_bytes[0] <= 16 << 20 || p->jobs[0].count == 1);
}

static void plan_jobs_hold_every_step_in_order(void **state)
{
	(void)state;
	random_plans(14, 600, check_jobs);
}

/*
 * Play the plan's writes and partial reads: an accumulating step must find the partial
 * of the same tile over exactly the k before it, in the buffer it does not write.
 */
static void check_accumulation(const struct shape *s, const struct rocket_matmul_plan *p)
{
	struct {
		int m0, n0, k_end;
	} held[2][ROCKET_JOB_TASKS_MAX];

	memset(held, 0xff, sizeof(held));
	if (!p->device_accumulates) {
		for (uint32_t i = 0; i < p->n_steps; i++)
			assert_int_equal(p->steps[i].accumulate, 0);
		return;
	}
	assert_true(s->type == ROCKET_MM_FP16_FP16 && s->set.kacc);
	for (uint32_t i = 0; i < p->n_steps; i++) {
		const struct rocket_matmul_step *st = &p->steps[i];
		uint64_t slot = st->out_off / p->out_slot;

		assert_int_equal(st->accumulate, st->k0 > 0);
		if (st->accumulate) {
			uint64_t from = st->add_off / p->out_slot;

			assert_true(st->mt >= 12);
			assert_int_not_equal(st->add_bo, st->out_bo);
			assert_int_equal(held[st->add_bo][from].m0, st->m0);
			assert_int_equal(held[st->add_bo][from].n0, st->n0);
			assert_int_equal(held[st->add_bo][from].k_end, st->k0);
		}
		held[st->out_bo][slot].m0 = st->m0;
		held[st->out_bo][slot].n0 = st->n0;
		held[st->out_bo][slot].k_end = st->k0 + st->kt;
	}
}

static void plan_accumulates_each_tile_over_consecutive_k(void **state)
{
	(void)state;
	random_plans(15, 600, check_accumulation);
}

/* Slots of one job never overlap and lie inside the buffers the plan asks for. */
static void check_slots(const struct shape *s, const struct rocket_matmul_plan *p)
{
	const uint64_t bits = (uint64_t)types[s->type].bits;
	const uint64_t so = (uint64_t)types[s->type].out_bytes;

	for (uint32_t j = 0; j < p->n_jobs; j++) {
		const struct rocket_matmul_step *st = &p->steps[p->jobs[j].first];
		uint64_t used[2] = { 0, 0 };

		for (uint32_t i = 0; i < p->jobs[j].count; i++, st++) {
			uint64_t a = (uint64_t)st->mt * st->kt * bits / 8;
			uint64_t b = (uint64_t)st->nt * st->kt * bits / 8;
			uint64_t c = (uint64_t)st->mt * st->nt * so;
			uint64_t slot = st->out_off / p->out_slot;

			assert_true(a <= p->in_slot && st->in_off + a <= p->in_bytes);
			assert_true(b <= p->wt_slot && st->wt_off + b <= p->wt_bytes);
			assert_true(c <= p->out_slot);
			assert_true(st->out_off + c <= p->out_bytes[st->out_bo]);
			assert_int_equal(st->out_off % p->out_slot, 0);
			/* A kick may rewrite a slot only as the ping-pong of a later K step. */
			if (st->k0 == 0 || !p->device_accumulates)
				assert_int_equal(used[st->out_bo] >> slot & 1, 0);
			used[st->out_bo] |= UINT64_C(1) << slot;
		}
	}
}

static void plan_slots_do_not_overlap(void **state)
{
	(void)state;
	random_plans(16, 600, check_slots);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plan_is_the_committed_one),
		cmocka_unit_test(tiles_are_those_of_the_recorded_planner),
		cmocka_unit_test(split_is_the_recorded_one),
		cmocka_unit_test(split_covers_every_column_once),
		cmocka_unit_test(plan_covers_the_problem_exactly_once),
		cmocka_unit_test(plan_tiles_fit_the_operand_buffer),
		cmocka_unit_test(plan_reuses_only_what_the_previous_task_left),
		cmocka_unit_test(plan_jobs_hold_every_step_in_order),
		cmocka_unit_test(plan_accumulates_each_tile_over_consecutive_k),
		cmocka_unit_test(plan_slots_do_not_overlap),
		cmocka_unit_test(plan_is_every_golden_one), /* last: see below */
	};

	return test_run_group("plan", tests, sizeof(tests) / sizeof(tests[0]), 1);
}

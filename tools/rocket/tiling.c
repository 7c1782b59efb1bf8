// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <string.h>

#include "estimate.h"
#include "rocket_npu.h"
#include "tiling.h"

static enum check_rounding rounding_of(const struct dtype *dtype, bool scaled,
				       const struct rocket_matmul_plan *plan)
{
	if (scaled)
		return CHECK_SCALED;
	if (dtype->result_bytes == 8)
		return CHECK_EXACT64;
	switch (plan->type) {
	case ROCKET_MM_FP16_FP16:
		return plan->device_accumulates ? CHECK_FP16_DEVICE : CHECK_FP16_HOST;
	case ROCKET_MM_INT8_INT32:
	case ROCKET_MM_INT4_INT16:
	case ROCKET_MM_INT16_INT32:
		return CHECK_EXACT;
	default:
		return CHECK_FP32;
	}
}

struct tiling_driver tiling_driver_open(void)
{
	return (struct tiling_driver){
		.batched = rocket_batched_submit_supported(),
		.native = rocket_batched_submit_native(),
		.tasks_apart = !rocket_submit_batch_atomic(),
	};
}

bool tiling_driver_named(const char *name, struct tiling_driver *driver)
{
	static const struct {
		const char *name;
		struct tiling_driver driver;
	} drivers[] = {
		{ "rocket", { .batched = false } },
		{ "rknpu", { .batched = true, .native = true, .tasks_apart = true } },
	};

	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (!strcmp(drivers[i].name, name)) {
			*driver = drivers[i].driver;
			return true;
		}
	return false;
}

static int plan_part(const struct tiling_request *r, const struct rocket_hw_profile *hw, int N,
		     struct rocket_matmul_plan *plan, char *why, size_t why_size)
{
	static const struct form once = { 0 };
	const struct form *form = r->form ? r->form : &once;
	const int M = r->extent.M == 1 ? 4 : r->extent.M; /* the library pads a single row */
	const struct rocket_matmul_limits limits = { .grouped = r->group > 0, .group = r->group };
	struct rocket_settings set = rocket_settings_read();
	struct rocket_matmul_tiles tiles;
	int rc;

	if (set.batch_submit < 0)
		set.batch_submit = r->driver.native;
	set.tasks_apart = r->driver.tasks_apart;
	if (form->in_rows)
		return rocket_matmul_plan_rows(r->dtype->type, hw, &set, r->driver.batched, M,
					       r->extent.K, N, plan, why, why_size);
	rc = rocket_matmul_tile_within(r->dtype->type, hw, &set, &limits,
				       form->canonical ? ROCKET_CANONICAL_ROWS : M, r->extent.K, N,
				       &tiles, why, why_size);
	if (rc < 0)
		return rc;
	rocket_matmul_fit_rows(&tiles, M);
	return rocket_matmul_plan_parts(r->dtype->type, &set, r->driver.batched, form->pair ? 2 : 1,
					r->dtype->parts, M, r->extent.K, N, &tiles, plan, why,
					why_size);
}

int tiling_make(struct tiling *t, const struct tiling_request *r,
		const struct rocket_hw_profile *hw, char *why, size_t why_size)
{
	const int align = (int)rocket_matmul_traits(r->dtype->type)->n_align;
	const int threads = r->threads < 1 ? 1 : r->threads;
	int rc = 0;

	memset(t, 0, sizeof(*t));
	t->dtype = r->dtype;
	t->extent = r->extent;
	t->driver = r->driver;
	for (int i = 0; i < threads && rc == 0; i++) {
		struct check_columns *c = &t->columns[t->workers];
		struct rocket_matmul_plan *plan = &t->plans[t->workers];

		rocket_matmul_split(r->extent.N, threads, align, i, &c->n0, &c->count);
		if (!c->count)
			break;
		rc = plan_part(r, hw, c->count, plan, why, why_size);
		c->kt = plan->tiles.kt;
		c->rounding = rounding_of(r->dtype, r->group > 0, plan);
		t->workers += rc == 0;
	}
	if (rc < 0)
		tiling_free(t);
	return rc;
}

void tiling_free(struct tiling *t)
{
	while (t->workers)
		rocket_matmul_plan_free(&t->plans[--t->workers]);
}

uint64_t tiling_tiles(const struct tiling *t)
{
	uint64_t sum = 0;

	for (int i = 0; i < t->workers; i++)
		sum += t->plans[i].n_steps;
	return sum;
}

uint64_t tiling_jobs(const struct tiling *t)
{
	uint64_t sum = 0;

	for (int i = 0; i < t->workers; i++)
		sum += t->plans[i].n_jobs;
	return sum;
}

uint64_t tiling_submits(const struct tiling *t)
{
	uint64_t sum = 0;

	for (int i = 0; i < t->workers; i++)
		for (uint32_t j = 0; j < t->plans[i].n_jobs; j++) {
			const struct rocket_matmul_job *job = &t->plans[i].jobs[j];

			sum += t->driver.tasks_apart && !job->chained ? job->count : 1;
		}
	return sum;
}

void tiling_counters(const struct tiling *t, struct npu_counters *counters)
{
	memset(counters, 0, sizeof(*counters));
	for (int i = 0; i < t->workers; i++)
		estimate_plan_counters(&t->plans[i], counters);
}

void tiling_report(struct report *r, const struct tiling *t)
{
	const struct rocket_matmul_tiles *tiles = &t->plans[0].tiles;
	const int products = t->dtype->parts * t->dtype->parts;
	char workers[48] = "";

	if (t->workers > 1)
		snprintf(workers, sizeof(workers), ", first of %d workers", t->workers);
	report_line(r, "tiles", "%d x %d x %d (M x K x N), %d x %d x %d of them%s", tiles->mt,
		    tiles->kt, tiles->nt, tiles->nm, tiles->nk, tiles->nn, workers);
	if (tiles->streamed)
		report_line(r, "", "tiles of B stream through their banks");
	if (products > 1)
		report_line(r, "", "in each of %d products, of high and low bytes", products);
	report_line(r, "K partials", "%s",
		    tiles->nk == 1                   ? "none: one K tile"
		    : t->plans[0].device_accumulates ? "added on the NPU"
						     : "added on the host");
	if (!r->as_json)
		return;
	report_open(r, "tiles", NULL);
	json_integer(&r->json, "Mt", tiles->mt);
	json_integer(&r->json, "Kt", tiles->kt);
	json_integer(&r->json, "Nt", tiles->nt);
	json_integer(&r->json, "nM", tiles->nm);
	json_integer(&r->json, "nK", tiles->nk);
	json_integer(&r->json, "nN", tiles->nn);
	json_bool(&r->json, "streamed", tiles->streamed);
	json_bool(&r->json, "device_accumulates", t->plans[0].device_accumulates);
	json_integer(&r->json, "workers", t->workers);
	json_integer(&r->json, "passes", products);
	report_close(r);
}

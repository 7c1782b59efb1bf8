// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "published.h"
#include "units.h"

/*
 * Weights resident, whole tiles, 5 worker fds on 3 cores, about 816 MHz [silicon]: wall time, with
 * packing A, waiting and taking the results in it. The model has constants for the operand's width
 * alone, and none that are measured for integers on this driver.
 */
static const struct published points[] = {
	{ "fp16", ROCKET_MM_FP16_FP16, 512, 3840, 4096, 5, 461 },
	{ "int8", ROCKET_MM_INT8_INT32, 512, 3840, 4096, 5, 386 },
	{ "int4", ROCKET_MM_INT4_INT16, 512, 3840, 4096, 5, 413 },
};

const struct published *published_of(const char *dtype)
{
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
		if (!strcmp(points[i].dtype, dtype))
			return &points[i];
	return NULL;
}

static double gops_of(const struct published *p, double us)
{
	return 2.0 * p->M * p->K * p->N / us * 1e-3;
}

double published_wall_us(const struct published *p)
{
	return gops_of(p, p->gops);
}

bool published_estimate(const struct published *p, enum npu_cost_type cost, struct estimate *e)
{
	static const struct rocket_settings whole_tiles = { .kacc = 1,
							    .reuse = ROCKET_REUSE_AUTO,
							    .mm_asym = 1 };
	const struct dtype dtype = { .cost = cost };
	const int align = (int)rocket_matmul_traits(p->type)->n_align;
	struct npu_counters counters = { 0 };

	for (int i = 0; i < p->workers; i++) {
		struct rocket_matmul_plan plan;
		int n0, n;

		rocket_matmul_split(p->N, p->workers, align, i, &n0, &n);
		if (!n)
			break;
		if (rocket_matmul_plan_make(p->type, rocket_hw_by_name("rk3588"), &whole_tiles, 0,
					    p->M, p->K, n, &plan, NULL, 0))
			return false;
		estimate_plan_counters(&plan, &counters);
		rocket_matmul_plan_free(&plan);
	}
	return estimate_make(e, &dtype, ESTIMATE_MHZ, (unsigned)p->workers, &counters);
}

void published_report(struct report *r, const struct dtype *dtype)
{
	const struct published *p = published_of(dtype->name);
	char wall[UNITS_SIZE], m[UNITS_SIZE], v[UNITS_SIZE];
	struct estimate e;

	if (!p) {
		report_line(r, "known error", "unknown: no figure of a board for %s",
			    dtype->meaning);
		return;
	}
	if (!published_estimate(p, dtype->cost, &e))
		return;
	report_line(r, "known error", "%d x %d x %d by %d workers is published: %s of wall time;",
		    p->M, p->K, p->N, p->workers, units_time(wall, published_wall_us(p)));
	report_line(r, "", "the estimates are %s (M), %s (V): %+.0f %% and %+.0f %% of GOP/s",
		    units_time(m, e.m_us), units_time(v, e.v_us),
		    (gops_of(p, e.m_us) / p->gops - 1) * 100,
		    (gops_of(p, e.v_us) / p->gops - 1) * 100);
	if (!r->as_json)
		return;
	report_open(r, "published", NULL);
	json_integer(&r->json, "M", p->M);
	json_integer(&r->json, "K", p->K);
	json_integer(&r->json, "N", p->N);
	json_integer(&r->json, "workers", p->workers);
	report_real(r, "gops", NULL, p->gops);
	report_time(r, "wall_us", NULL, published_wall_us(p));
	report_time(r, "set_m_us", NULL, e.m_us);
	report_time(r, "set_v_us", NULL, e.v_us);
	report_close(r);
}

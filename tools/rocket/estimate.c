// SPDX-License-Identifier: LGPL-2.1-or-later
#include "config.h"

#include "estimate.h"
#include "units.h"

#if HAVE_SIM
/*
 * How much faster than one core several are: pessimistic and optimistic [silicon]. Two
 * cores are given two thirds of what three are.
 */
static const struct {
	double m, v;
} speed_up[] = { { 1, 1 }, { 2.0 * 2 / 3, 2.9 * 2 / 3 }, { 2.0, 2.9 } };

/* Partials that are read are those of K accumulation; its figures are for whole jobs in a kick. */
static const struct npu_cost_set *set_m(const struct npu_counters *counters)
{
	bool chained = counters->kicks < counters->tasks;

	return counters->read_operand && chained ? &npu_cost_set_m_kacc : &npu_cost_set_m;
}

bool estimate_make(struct estimate *e, const struct dtype *dtype, double mhz, unsigned threads,
		   const struct npu_counters *counters)
{
	e->mhz = mhz;
	e->cores = threads < 1 ? 1 : threads > 3 ? 3 : threads;
	e->m_us =
		npu_cost_us(set_m(counters), dtype->cost, mhz, counters) / speed_up[e->cores - 1].m;
	e->v_us =
		npu_cost_us(&npu_cost_set_v, dtype->cost, mhz, counters) / speed_up[e->cores - 1].v;
	return true;
}
#else
bool estimate_make(struct estimate *e, const struct dtype *dtype, double mhz, unsigned threads,
		   const struct npu_counters *counters)
{
	(void)e;
	(void)dtype;
	(void)mhz;
	(void)threads;
	(void)counters;
	return false;
}
#endif

void estimate_report(struct report *r, const struct estimate *e)
{
	char m[UNITS_SIZE], v[UNITS_SIZE];

	report_line(r, "device time", "ESTIMATE (set M) %s, (set V) %s; %u core%s at %.0f MHz",
		    units_time(m, e->m_us), units_time(v, e->v_us), e->cores,
		    e->cores == 1 ? "" : "s", e->mhz);
	if (!r->as_json)
		return;
	report_open(r, "device_time_estimate", NULL);
	report_string(r, "note", NULL, "ESTIMATE by the cost model, not a measurement");
	report_real(r, "mhz", NULL, e->mhz);
	report_count(r, "cores", NULL, e->cores);
	report_time(r, "set_m_us", NULL, e->m_us);
	report_time(r, "set_v_us", NULL, e->v_us);
	report_close(r);
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

void estimate_plan_counters(const struct rocket_matmul_plan *plan, struct npu_counters *c)
{
	const struct rocket_matmul_traits *traits = rocket_matmul_traits(plan->type);

	c->tasks += plan->n_steps;
	for (uint32_t i = 0; i < plan->n_jobs; i++)
		c->kicks += plan->jobs[i].chained ? 1 : plan->jobs[i].count;
	for (uint32_t i = 0; i < plan->n_steps; i++) {
		const struct rocket_matmul_step *s = &plan->steps[i];
		uint64_t m = (uint64_t)s->mt, k = (uint64_t)s->kt, n = (uint64_t)s->nt;

		c->macs += m * round_up(k, traits->kgroup) * round_up(n, traits->ngroup);
		c->read_program += 8 * (uint64_t)ROCKET_RK3588_MATMUL_WORDS;
		if (!s->data_reuse)
			c->read_feature += m * k * traits->in_bits / 8;
		if (!s->weight_reuse)
			c->read_weight += n * k * traits->in_bits / 8;
		if (s->accumulate)
			c->read_operand += m * n * traits->out_bytes;
		c->write += m * n * traits->out_bytes;
	}
}

uint64_t estimate_bytes(const struct npu_counters *c)
{
	return c->read_feature + c->read_weight + c->read_operand + c->read_program + c->write;
}

void estimate_report_counters(struct report *r, const struct npu_counters *c)
{
	report_open(r, "counters", "moved by the device");
	report_count(r, "kicks", "hardware kicks", c->kicks);
	report_count(r, "tasks", "tasks", c->tasks);
	report_count(r, "macs", "multiply-adds", c->macs);
	report_bytes(r, "read_feature_bytes", "features read", c->read_feature);
	report_bytes(r, "read_weight_bytes", "weights read", c->read_weight);
	report_bytes(r, "read_operand_bytes", "partials read", c->read_operand);
	report_bytes(r, "read_program_bytes", "programs read", c->read_program);
	report_bytes(r, "write_bytes", "results written", c->write);
	report_bytes(r, "total_bytes", "all together", estimate_bytes(c));
	report_close(r);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * judge.c - see judge.h.
 *
 * Rows and columns become doubles once each, and a row meets some columns at a time: most of a
 * sanitizer's price is one for each access. Integers are exact so, too: no sum here leaves the 53
 * bits.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "reference.h"

/* Products up to this size are compared whole. */
#define WHOLE (1 << 24)

/* K products of at most 2^15 * 2^15 add up to at most 2^53. */
#define EXACT_K (1 << 23)

/* Lines of A, or of B, that are looked at. */
struct lines {
	int *at;
	int count;
};

/* Of large products the first and last of every 64, and some between. */
static bool is_looked_at(int i, int count, bool all)
{
	return all || i < 4 || i >= count - 4 || i % 64 == 0 || i % 64 == 63 || i % 37 == 5;
}

static struct lines choose(int count, bool all)
{
	struct lines l = { malloc((size_t)count * sizeof(*l.at)), 0 };

	assert_non_null(l.at);
	for (int i = 0; i < count; i++)
		if (is_looked_at(i, count, all))
			l.at[l.count++] = i;
	return l;
}

/* Line i of A or B, its elements `step` apart. */
static void widen(const struct problem *p, const void *matrix, int i, double *to, int step)
{
	const size_t at = (size_t)i * (size_t)p->s.K;
	const int K = p->s.K;

	switch (p->form->operand) {
	case HALVES:
		for (int k = 0; k < K; k++)
			to[(size_t)k * step] = (double)((const _Float16 *)matrix)[at + k];
		break;
	case FLOATS:
		for (int k = 0; k < K; k++)
			to[(size_t)k * step] =
				reference_read(((const float *)matrix)[at + k], p->form->mask);
		break;
	case BYTES:
		for (int k = 0; k < K; k++)
			to[(size_t)k * step] = ((const int8_t *)matrix)[at + k];
		break;
	case SHORTS:
		for (int k = 0; k < K; k++)
			to[(size_t)k * step] = ((const int16_t *)matrix)[at + k];
		break;
	}
}

/* What an element must be, give or take. */
struct expected {
	double want, bound;
};

/* Each part of a group is exact; its term is rounded three times, each addition once. */
static void expect_scaled(const struct problem *p, int m, const int *n, int count,
			  const double *row, const double *panel, struct expected *e)
{
	const int groups = p->s.K / p->group, kt = p->kt;
	double magnitude[REFERENCE_PANEL] = { 0 };

	memset(e, 0, (size_t)count * sizeof(*e));
	for (int k = 0; k < p->s.K; k += kt) {
		double part[REFERENCE_PANEL];

		reference_panel(kt, row + k, panel + (size_t)k * REFERENCE_PANEL, part, NULL);
		for (int i = 0; i < count; i++) {
			double term = (double)p->a_scale[m * groups + k / p->group] *
				      (double)p->b_scale[n[i] * groups + k / p->group] * part[i];

			e[i].want += term;
			magnitude[i] += fabs(term);
		}
	}
	for (int i = 0; i < count; i++)
		e[i].bound = ((double)p->s.K / kt + 3) * 0x1p-24 * magnitude[i] * 1.001;
}

static double bound_of(const struct problem *p, double magnitude)
{
	const int K = p->s.K, steps = (K + p->kt - 1) / p->kt;
	double bound = reference_fp32_bound(K, p->kt, p->form->k_group, magnitude);

	/* A rounding to fp16 for each K tile, and one of the host's sum. */
	if (p->form->judge == HALF_BOUND)
		bound = 1.001 * (bound + magnitude * (steps + 1) * 0x1p-11) + steps * 0x1p-25;
	return bound;
}

static bool is_exact(const struct problem *p)
{
	return p->form->judge == EXACT32 || p->form->judge == EXACT64;
}

static void expect(const struct problem *p, int m, const int *n, int count, const double *row,
		   const double *panel, struct expected *e)
{
	double want[REFERENCE_PANEL], magnitude[REFERENCE_PANEL];

	if (p->form->judge == GROUP_BOUND) {
		expect_scaled(p, m, n, count, row, panel, e);
		return;
	}
	reference_panel(p->s.K, row, panel, want, is_exact(p) ? NULL : magnitude);
	for (int i = 0; i < count; i++)
		e[i] = (struct expected){ want[i], is_exact(p) ? 0 : bound_of(p, magnitude[i]) };
}

static double result(const struct problem *p, size_t i)
{
	return p->form->judge == HALF_BOUND ? (double)((const _Float16 *)p->c)[i]
					    : (double)((const float *)p->c)[i];
}

static void require_exact(const struct problem *p, int m, int n, int64_t want)
{
	const size_t i = (size_t)m * p->s.N + n;
	const int64_t got =
		p->form->judge == EXACT64 ? ((const int64_t *)p->c)[i] : ((const int32_t *)p->c)[i];

	if (got != want)
		fail_msg("%s %dx%dx%d: C[%d][%d] is %lld, not %lld", p->form->name, p->s.M, p->s.K,
			 p->s.N, m, n, (long long)got, (long long)want);
}

static void require_close(const struct problem *p, int m, int n, const struct expected *e)
{
	const double got = result(p, (size_t)m * p->s.N + n);

	if (!(fabs(got - e->want) <= e->bound))
		fail_msg("%s %dx%dx%d: C[%d][%d] is %a, not %a +- %g", p->form->name, p->s.M,
			 p->s.K, p->s.N, m, n, got, e->want, e->bound);
}

static void require_panel(const struct problem *p, const struct lines *rows, const double *a,
			  const int *n, int count, const double *panel)
{
	for (int r = 0; r < rows->count; r++) {
		struct expected e[REFERENCE_PANEL];
		const int m = rows->at[r];

		expect(p, m, n, count, a + (size_t)r * p->s.K, panel, e);
		for (int i = 0; i < count; i++)
			if (is_exact(p))
				require_exact(p, m, n[i], (int64_t)e[i].want);
			else
				require_close(p, m, n[i], &e[i]);
	}
}

/* C was all NaN before. */
static void require_written(const struct problem *p)
{
	for (int m = 0; m < p->s.M; m++)
		for (int n = 0; n < p->s.N; n++)
			if (isnan(result(p, (size_t)m * p->s.N + n)))
				fail_msg("%s %dx%dx%d: C[%d][%d] was not written", p->form->name,
					 p->s.M, p->s.K, p->s.N, m, n);
}

void judge(const struct problem *p)
{
	const bool all = (int64_t)p->s.M * p->s.K * p->s.N <= WHOLE;
	struct lines rows = choose(p->s.M, all), columns = choose(p->s.N, all);
	const size_t K = (size_t)p->s.K;
	double *a = malloc((size_t)rows.count * K * sizeof(*a));
	double *panel = calloc(K * REFERENCE_PANEL, sizeof(*panel));

	assert_non_null(a);
	assert_non_null(panel);
	assert_true(p->s.K <= EXACT_K);
	for (int r = 0; r < rows.count; r++)
		widen(p, p->a, rows.at[r], a + (size_t)r * K, 1);
	for (int c = 0, count; c < columns.count; c += count) {
		count = columns.count - c < REFERENCE_PANEL ? columns.count - c : REFERENCE_PANEL;
		for (int i = 0; i < count; i++)
			widen(p, p->b, columns.at[c + i], panel + i, REFERENCE_PANEL);
		require_panel(p, &rows, a, columns.at + c, count, panel);
	}
	if (!all && !is_exact(p))
		require_written(p);
	free(panel);
	free(a);
	free(columns.at);
	free(rows.at);
}

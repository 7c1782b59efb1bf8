// SPDX-License-Identifier: LGPL-2.1-or-later
/* tiler.c - how large a tile may be. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "rocket_npu.h"
#include "tiler.h"

#define M_ALIGN 4

/* What the registers of one task can say: grains, M + 1, have ten bits; channels are 1..8192. */
#define TILE_M_MAX 1020
#define TILE_N_MAX 8192

/*
 * What differs between operand types beyond their traits. The K caps are what the
 * encoders accept (a kernel fills at most one CBUF bank); the spare bank keeps the last
 * rows of resonant int8 tiles from being garbage [silicon]; halving Nt for a longer Kt is
 * measured for fp16 only, and of fp16 operands alone there is word that their weights stream.
 */
struct tiler {
	int k_cap;          /* longest K tile the search starts from */
	int k_cap_override; /* and the longest ROCKET_MM_KT may ask for, 0 = K */
	int spare_banks;    /* banks that hold neither operand */
	bool halve_n;       /* ROCKET_MM_ASYM applies */
	bool streams;       /* ROCKET_MM_STREAM applies */
};

static const struct tiler tilers[ROCKET_MM_TYPES] = {
	[ROCKET_MM_FP16_FP16] = { 16384, 0, 0, true, true },
	[ROCKET_MM_FP16_FP32] = { 16384, 0, 0, true, true },
	[ROCKET_MM_INT8_INT32] = { 16384, 0, 1, false, false },
	[ROCKET_MM_BF16_FP32] = { 16384, 0, 0, false, false },
	[ROCKET_MM_TF32_FP32] = { 8192, 8192, 0, false, false },
	[ROCKET_MM_INT4_INT16] = { 16384, 0, 0, false, false },
	[ROCKET_MM_INT16_INT32] = { 16384, 0, 0, false, false },
};

/* One search: the problem, and the room its tiles share. */
struct search {
	const struct rocket_matmul_traits *tr;
	const struct tiler *t;
	int M, K, N;
	int cap; /* largest Mt and Nt */
	int bank_size, banks;
};

int rocket_plan_refuse(int status, char *why, size_t why_size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, why ? why_size : 0, fmt, ap);
	va_end(ap);
	return status;
}

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

static int round_down(int v, int align)
{
	return v / align * align;
}

static int round_up(int v, int align)
{
	return (v + align - 1) / align * align;
}

static int ceil_div(int v, int d)
{
	return (int)(((int64_t)v + d - 1) / d);
}

static int64_t banks_of(const struct search *s, int rows, int k)
{
	int64_t bytes = (int64_t)rows * k * s->tr->in_bits / 8;

	return (bytes + s->bank_size - 1) / s->bank_size;
}

static bool fits(const struct search *s, int mt, int kt, int nt)
{
	return banks_of(s, mt, kt) + banks_of(s, nt, kt) <= s->banks;
}

static int longest_k(const struct search *s, int mt, int kt, int nt)
{
	int align = (int)s->tr->k_align;

	for (kt = round_down(kt, align); kt > align && !fits(s, mt, kt, nt);)
		kt -= align;
	return kt;
}

/* Fewer columns, then fewer rows. */
static void shrink_to_fit(const struct search *s, int *mt, int kt, int *nt)
{
	while (!fits(s, *mt, kt, *nt) && *nt > (int)s->tr->n_align)
		*nt -= (int)s->tr->n_align;
	while (!fits(s, *mt, kt, *nt) && *mt > M_ALIGN)
		*mt -= M_ALIGN;
}

/* ROCKET_MM_MT and _NT, where they are large enough to be a tile. */
static void override_tiles(const struct search *s, const struct rocket_settings *set, int *mt,
			   int *nt)
{
	int align = (int)s->tr->n_align;

	if (set->mm_mt >= M_ALIGN)
		*mt = min_int(round_down(min_int(set->mm_mt, TILE_M_MAX), M_ALIGN), s->M);
	if (set->mm_nt >= align)
		*nt = min_int(round_down(min_int(set->mm_nt, TILE_N_MAX), align), s->N);
}

static int begin(struct search *s, enum rocket_matmul_type type, const struct rocket_hw_profile *hw,
		 int M, int K, int N, char *why, size_t why_size)
{
	const struct rocket_matmul_traits *tr = rocket_matmul_traits(type);
	const struct {
		const char *name;
		int value, align;
	} dims[] = { { "M", M, M_ALIGN },
		     { "K", K, tr ? (int)tr->k_align : 1 },
		     { "N", N, tr ? (int)tr->n_align : 1 } };

	if (!tr)
		return rocket_plan_refuse(ROCKET_E_SHAPE, why, why_size,
					  "matmul type %d does not exist", (int)type);
	for (unsigned i = 0; i < 3; i++) {
		if (dims[i].value < 1 || dims[i].value > ROCKET_MATMUL_DIM_MAX)
			return rocket_plan_refuse(ROCKET_E_SHAPE, why, why_size,
						  "%s matmul %dx%dx%d: %s is not in 1..2^24",
						  tr->name, M, K, N, dims[i].name);
		if (dims[i].value % dims[i].align)
			return rocket_plan_refuse(ROCKET_E_SHAPE, why, why_size,
						  "%s matmul %dx%dx%d: %s is not a multiple of %d",
						  tr->name, M, K, N, dims[i].name, dims[i].align);
	}
	*s = (struct search){ tr,
			      &tilers[type],
			      M,
			      K,
			      N,
			      hw->max_tile,
			      hw->cbuf_bank_size,
			      hw->cbuf_banks - tilers[type].spare_banks };
	return 0;
}

/* Store the extents with their counts; the tile count is the result. */
static int finish(const struct search *s, int mt, int kt, int nt, struct rocket_matmul_tiles *out,
		  char *why, size_t why_size)
{
	int64_t tiles;

	*out = (struct rocket_matmul_tiles){ mt,
					     kt,
					     nt,
					     ceil_div(s->M, mt),
					     ceil_div(s->K, kt),
					     ceil_div(s->N, nt),
					     .streamed = banks_of(s, nt, kt) >
							 s->banks - banks_of(s, mt, kt) };
	if (__builtin_mul_overflow((int64_t)out->nm * out->nk, (int64_t)out->nn, &tiles) ||
	    tiles > INT32_MAX)
		return rocket_plan_refuse(ROCKET_E_SHAPE, why, why_size,
					  "%s matmul %dx%dx%d: more than 2^31 - 1 tiles",
					  s->tr->name, s->M, s->K, s->N);
	return (int)tiles;
}

/* Tiles of which A and B fit the banks together. */
static int tile_whole(const struct search *s, const struct rocket_settings *set,
		      struct rocket_matmul_tiles *out, char *why, size_t why_size)
{
	const int k_start = min_int(s->K, s->t->k_cap);
	int mt = min_int(s->M, s->cap), nt = min_int(s->N, s->cap), kt;

	override_tiles(s, set, &mt, &nt);
	kt = longest_k(s, mt, k_start, nt);
	if (s->t->halve_n && set->mm_asym && !set->mm_nt && nt == s->cap && s->N > s->cap &&
	    kt < s->K) {
		nt = s->cap / 2;
		kt = longest_k(s, mt, k_start, nt);
	}
	shrink_to_fit(s, &mt, kt, &nt);
	if (set->mm_kt >= (int)s->tr->k_align) {
		kt = min_int(set->mm_kt, s->K);
		if (s->t->k_cap_override)
			kt = min_int(kt, s->t->k_cap_override);
		kt = longest_k(s, mt, kt, nt);
	}
	return finish(s, mt, kt, nt, out, why, why_size);
}

/*
 * A stays in its banks while B passes through the rest group by group, so N is bounded by the
 * registers alone. The banks of B must hold one group of kernels [inferred].
 */
#define STREAM_WEIGHT_BANKS 2

static int tile_streamed(const struct search *s, struct rocket_matmul_tiles *out, char *why,
			 size_t why_size)
{
	const int align = (int)s->tr->k_align, bits = (int)s->tr->in_bits;
	const int64_t a_bits = (int64_t)(s->banks - STREAM_WEIGHT_BANKS) * s->bank_size * 8;
	const int64_t b_bits = (int64_t)STREAM_WEIGHT_BANKS * s->bank_size * 8;
	const int mt = min_int(s->M, s->cap), nt = min_int(s->N, TILE_N_MAX);
	const int64_t group = b_bits / ((int64_t)s->tr->ngroup * bits);
	int64_t kt = a_bits / ((int64_t)mt * bits);

	kt = kt < group ? kt : group;
	return finish(s, mt, round_down(min_int((int)kt, s->K), align), nt, out, why, why_size);
}

static bool may_stream(const struct search *s, const struct rocket_settings *set)
{
	return s->t->streams && set->mm_stream && !set->mm_mt && !set->mm_nt && !set->mm_kt;
}

int rocket_matmul_tile(enum rocket_matmul_type type, const struct rocket_hw_profile *hw,
		       const struct rocket_settings *set, int M, int K, int N,
		       struct rocket_matmul_tiles *out, char *why, size_t why_size)
{
	struct rocket_matmul_tiles streamed;
	struct search s;
	int ret = begin(&s, type, hw, M, K, N, why, why_size), tiles;

	if (ret)
		return ret;
	ret = tile_whole(&s, set, out, why, why_size);
	if (!may_stream(&s, set))
		return ret;
	tiles = tile_streamed(&s, &streamed, why, why_size);
	if (tiles < 0 || (ret > 0 && tiles >= ret))
		return ret;
	*out = streamed;
	return tiles;
}

/* The most rows that fit beside nt kernels; 0: none. */
static int rows_beside(const struct search *s, int nt)
{
	int mt = round_down(min_int(s->M, s->cap), M_ALIGN);

	while (mt && !fits(s, mt, s->K, nt))
		mt -= M_ALIGN;
	return mt;
}

int rocket_tile_whole_k(enum rocket_matmul_type type, const struct rocket_hw_profile *hw, int M,
			int K, int N, struct rocket_matmul_tiles *out, char *why, size_t why_size)
{
	struct search s;
	int ret = begin(&s, type, hw, M, K, N, why, why_size);
	int best_mt = 0, best_nt = 0;
	int64_t best = INT64_MAX;

	if (ret)
		return ret;
	for (int nt = round_down(min_int(N, s.cap), (int)s.tr->n_align); nt > 0 && K <= s.t->k_cap;
	     nt -= (int)s.tr->n_align) {
		int mt = rows_beside(&s, nt);
		int64_t tiles = mt ? (int64_t)ceil_div(M, mt) * ceil_div(N, nt) : best;

		if (tiles < best) {
			best = tiles;
			best_mt = mt;
			best_nt = nt;
		}
	}
	if (!best_mt)
		return rocket_plan_refuse(ROCKET_E_SHAPE, why, why_size,
					  "%s matmul %dx%dx%d: no tile that fits holds all of K",
					  s.tr->name, M, K, N);
	return finish(&s, best_mt, K, best_nt, out, why, why_size);
}

static int refuse_group(const struct search *s, int group, const char *rule, char *why,
			size_t why_size)
{
	return rocket_plan_refuse(ROCKET_E_SHAPE, why, why_size, "%s matmul %dx%dx%d: group %d %s",
				  s->tr->name, s->M, s->K, s->N, group, rule);
}

static int check_group(const struct search *s, int group, char *why, size_t why_size)
{
	int align = (int)s->tr->k_align;

	if (group < align || group % align || s->K % group)
		return refuse_group(s, group, "is not a multiple of 32 that divides K", why,
				    why_size);
	return 0;
}

/* The longest divisor of the group that fits, in steps of the alignment; 0 = none. */
static int longest_group_part(const struct search *s, int mt, int nt, int group)
{
	int align = (int)s->tr->k_align;

	for (int d = group; d >= align; d -= align)
		if (group % d == 0 && fits(s, mt, d, nt))
			return d;
	return 0;
}

int rocket_tile_int8_groupwise(const struct rocket_hw_profile *hw,
			       const struct rocket_settings *set, int M, int K, int N, int group,
			       struct rocket_matmul_tiles *out, char *why, size_t why_size)
{
	struct search s;
	int ret = begin(&s, ROCKET_MM_INT8_INT32, hw, M, K, N, why, why_size);
	int mt, kt, nt, n_align;

	if (ret)
		return ret;
	ret = check_group(&s, group, why, why_size);
	if (ret)
		return ret;
	n_align = (int)s.tr->n_align;
	mt = min_int(M, s.cap);
	/* The smallest N tile that keeps the tile count of the largest one. */
	nt = min_int(round_up(ceil_div(N, ceil_div(N, s.cap)), n_align), s.cap);
	override_tiles(&s, set, &mt, &nt);

	while (!(kt = longest_group_part(&s, mt, nt, group))) {
		if (nt > n_align)
			nt -= n_align;
		else if (mt > M_ALIGN)
			mt -= M_ALIGN;
		else
			return refuse_group(&s, group, "has no part that fits", why, why_size);
	}
	return finish(&s, mt, kt, nt, out, why, why_size);
}

/* Products of -7..7 are at most 49; a result that int16 had to clamp cannot be recovered. */
#define INT4_PRODUCT_MAX 49
#define INT4_RESULT_MAX  32767

/* One K tile is one group, beside which tiles of the largest M and N may be too large. */
static int tile_int4_groupwise(const struct rocket_hw_profile *hw,
			       const struct rocket_settings *set, int M, int K, int N, int group,
			       struct rocket_matmul_tiles *out, char *why, size_t why_size)
{
	struct search s;
	int ret = begin(&s, ROCKET_MM_INT4_INT16, hw, M, K, N, why, why_size);

	if (!ret)
		ret = check_group(&s, group, why, why_size);
	if (ret)
		return ret;
	if (group > (INT4_RESULT_MAX - 1) / INT4_PRODUCT_MAX)
		return refuse_group(&s, group, "can sum to more than int16 holds", why, why_size);
	ret = rocket_matmul_tile(ROCKET_MM_INT4_INT16, hw, set, M, K, N, out, why, why_size);
	if (ret < 0)
		return ret;
	shrink_to_fit(&s, &out->mt, group, &out->nt);
	return finish(&s, out->mt, group, out->nt, out, why, why_size);
}

void rocket_matmul_fit_rows(struct rocket_matmul_tiles *tiles, int rows)
{
	tiles->mt = min_int(tiles->mt, rows);
	tiles->nm = ceil_div(rows, tiles->mt);
}

int rocket_matmul_tile_within(enum rocket_matmul_type type, const struct rocket_hw_profile *hw,
			      const struct rocket_settings *set,
			      const struct rocket_matmul_limits *limits, int M, int K, int N,
			      struct rocket_matmul_tiles *out, char *why, size_t why_size)
{
	struct search s;
	int ret, align;

	if (limits && limits->grouped && type == ROCKET_MM_INT4_INT16)
		return tile_int4_groupwise(hw, set, M, K, N, limits->group, out, why, why_size);
	if (limits && limits->grouped && type == ROCKET_MM_INT8_INT32)
		return rocket_tile_int8_groupwise(hw, set, M, K, N, limits->group, out, why,
						  why_size);
	if (limits && limits->grouped)
		return rocket_plan_refuse(ROCKET_E_SHAPE, why, why_size,
					  "only int8 and int4 have scales by group");
	ret = rocket_matmul_tile(type, hw, set, M, K, N, out, why, why_size);
	align = ret < 0 ? 0 : (int)rocket_matmul_traits(type)->k_align;
	if (ret < 0 || !limits || limits->kt_cap < align || limits->kt_cap >= out->kt)
		return ret;
	ret = begin(&s, type, hw, M, K, N, why, why_size);
	return ret ? ret
		   : finish(&s, out->mt, round_down(limits->kt_cap, align), out->nt, out, why,
			    why_size);
}

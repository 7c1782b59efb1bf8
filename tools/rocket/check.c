// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

/*
 * A block of the result is ROWS x COLS elements; K is walked in chunks that end with a K
 * tile at the latest. Sized so that a chunk of B and the block's sums stay in the
 * second-level cache.
 */
#define ROWS  128
#define COLS  128
#define CHUNK 256
#define LANES 4

/* Lowered to whatever vectors the machine has. Never passed by value. */
typedef double quad __attribute__((vector_size(LANES * sizeof(double))));

struct block {
	int m0, n0, rows, cols;
	const struct check_columns *columns;
};

struct workspace {
	quad b[COLS / LANES][CHUNK];           /* chunk of B: LANES columns side by side */
	double a[LANES][CHUNK];                /* chunk of LANES rows of A */
	quad tile[ROWS][COLS / LANES];         /* sums of the K tile in the making */
	double row_norm[ROWS], col_norm[COLS]; /* squares of the K tile's rows and columns */
	struct check_element element[ROWS][COLS];
};

struct crew {
	const struct check_request *request;

	atomic_int next;
	int blocks_m, blocks_n;
	struct block *strips; /* one per block column */
	pthread_mutex_t lock;
	struct check_result *result;
};

static double squares(const double *p, int count, size_t stride)
{
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += p[(size_t)i * stride] * p[(size_t)i * stride];
	return sum;
}

/* Sums of LANES rows times LANES columns over one chunk. */
static void multiply(const double (*a)[CHUNK], const quad *b, int count, quad *sums[LANES])
{
	quad s0 = *sums[0], s1 = *sums[1], s2 = *sums[2], s3 = *sums[3];

	for (int k = 0; k < count; k++) {
		s0 += a[0][k] * b[k];
		s1 += a[1][k] * b[k];
		s2 += a[2][k] * b[k];
		s3 += a[3][k] * b[k];
	}
	*sums[0] = s0;
	*sums[1] = s1;
	*sums[2] = s2;
	*sums[3] = s3;
}

static void load_columns(const struct check_request *r, struct workspace *w, const struct block *at,
			 int k0, int count)
{
	for (int n = 0; n < COLS; n++) {
		double *lane = (double *)w->b[n / LANES] + n % LANES;

		if (n >= at->cols) {
			for (int k = 0; k < count; k++)
				lane[k * LANES] = 0;
			continue;
		}
		operand_load(r->operand, r->B, (size_t)(at->n0 + n) * r->K + k0, count, lane,
			     LANES);
		w->col_norm[n] += squares(lane, count, LANES);
	}
}

static void add_chunk(const struct check_request *r, struct workspace *w, const struct block *at,
		      int k0, int count)
{
	load_columns(r, w, at, k0, count);
	for (int m = 0; m < at->rows; m += LANES) {
		for (int i = 0; i < LANES; i++) {
			if (m + i >= at->rows) {
				memset(w->a[i], 0, sizeof(w->a[i]));
				continue;
			}
			operand_load(r->operand, r->A, (size_t)(at->m0 + m + i) * r->K + k0, count,
				     w->a[i], 1);
			w->row_norm[m + i] += squares(w->a[i], count, 1);
		}
		for (int n = 0; n < at->cols; n += LANES) {
			quad *sums[LANES];

			for (int i = 0; i < LANES; i++)
				sums[i] = &w->tile[m + i][n / LANES];
			multiply((const double(*)[CHUNK])w->a, w->b[n / LANES], count, sums);
		}
	}
}

/* Exact in double, but for one rounding of its product with a tile. */
static double scale_at(const struct check_request *r, const struct block *at, int m, int n, int k0)
{
	size_t groups, g;

	if (at->columns->rounding != CHECK_SCALED)
		return 1;
	groups = (size_t)(r->K / r->group);
	g = (size_t)(k0 / r->group);
	return (double)r->a_scale[(size_t)(at->m0 + m) * groups + g] *
	       (double)r->b_scale[(size_t)(at->n0 + n) * groups + g];
}

/* Fold the finished K tile into the elements and start the next one. */
static void end_tile(const struct check_request *r, struct workspace *w, const struct block *at,
		     int k0, int kt)
{
	const int group = operand_group(r->operand);
	const bool first = k0 == 0;

	for (int m = 0; m < at->rows; m++)
		for (int n = 0; n < at->cols; n++) {
			/* 2^24 rounded terms below the root: less than 2e-9 of it. */
			double magnitude = sqrt(w->row_norm[m] * w->col_norm[n]) * (1 + 1e-8);

			check_fold(&w->element[m][n], at->columns->rounding, first,
				   scale_at(r, at, m, n, k0) * w->tile[m][n / LANES][n % LANES],
				   magnitude, kt, group);
		}
	memset(w->tile, 0, sizeof(w->tile));
	memset(w->row_norm, 0, sizeof(w->row_norm));
	memset(w->col_norm, 0, sizeof(w->col_norm));
}

static double result_at(const struct check_request *r, enum check_rounding rounding, size_t at)
{
	switch (rounding) {
	case CHECK_EXACT:
		return ((const int32_t *)r->C)[at];
	case CHECK_EXACT64:
		return (double)((const int64_t *)r->C)[at];
	case CHECK_FP32:
	case CHECK_SCALED:
		return ((const float *)r->C)[at];
	default:
		return operand_fp16_value(((const uint16_t *)r->C)[at]);
	}
}

/* What an exact 64-bit sum is when only its low 32 bits are kept. */
static double wrap_int32(double sum)
{
	return (int32_t)(uint32_t)(int64_t)sum;
}

static void merge(struct check_result *into, const struct check_result *from)
{
	if (!from->elements)
		return;
	if (from->largest > into->largest || !into->elements) {
		into->largest = from->largest;
		into->bound = from->bound;
	}
	if (from->ratio > into->ratio)
		into->ratio = from->ratio;
	if (from->wrong &&
	    (!into->wrong || from->m < into->m || (from->m == into->m && from->n < into->n))) {
		into->m = from->m;
		into->n = from->n;
		into->got = from->got;
		into->want = from->want;
		into->allowed = from->allowed;
	}
	into->elements += from->elements;
	into->unbounded += from->unbounded;
	into->wrong += from->wrong;
}

static void compare_element(const struct check_request *r, const struct check_element *e, int m,
			    int n, enum check_rounding rounding, struct check_result *out)
{
	double got = result_at(r, rounding, (size_t)m * r->N + n);
	double want = rounding == CHECK_EXACT ? wrap_int32(e->sum) : e->sum;
	double allowed = check_finish(e, rounding);
	double error = fabs(got - want);
	struct check_result one = { .elements = 1 };

	if (isnan(error))
		error = INFINITY;
	if (!(allowed < INFINITY)) {
		one.unbounded = 1;
	} else {
		one.largest = error;
		one.bound = allowed;
		one.ratio = error > 0 ? error / allowed : 0;
		one.wrong = error > allowed;
		one.m = m;
		one.n = n;
		one.got = got;
		one.want = want;
		one.allowed = allowed;
	}
	merge(out, &one);
}

static void check_block(const struct check_request *r, struct workspace *w, const struct block *at,
			struct check_result *out)
{
	memset(w, 0, sizeof(*w));
	for (int k0 = 0; k0 < r->K; k0 += at->columns->kt) {
		int kt = r->K - k0 < at->columns->kt ? r->K - k0 : at->columns->kt;

		for (int k = 0; k < kt; k += CHUNK)
			add_chunk(r, w, at, k0 + k, kt - k < CHUNK ? kt - k : CHUNK);
		end_tile(r, w, at, k0, kt);
	}
	for (int m = 0; m < at->rows; m++)
		for (int n = 0; n < at->cols; n++)
			compare_element(r, &w->element[m][n], at->m0 + m, at->n0 + n,
					at->columns->rounding, out);
}

static void *work(void *arg)
{
	struct crew *crew = arg;
	const struct check_request *r = crew->request;
	struct workspace *w = aligned_alloc(64, (sizeof(*w) + 63) & ~(size_t)63);
	struct check_result mine = { 0 };

	while (w) {
		int i = atomic_fetch_add(&crew->next, 1);
		struct block at;

		if (i >= crew->blocks_m * crew->blocks_n)
			break;
		at = crew->strips[i % crew->blocks_n];
		at.m0 = i / crew->blocks_n * ROWS;
		at.rows = r->M - at.m0 < ROWS ? r->M - at.m0 : ROWS;
		check_block(r, w, &at, &mine);
	}
	pthread_mutex_lock(&crew->lock);
	merge(crew->result, &mine);
	pthread_mutex_unlock(&crew->lock);
	free(w);
	return NULL;
}

/* Cut every column range into strips of COLS. */
static int cut_strips(const struct check_request *r, struct crew *crew)
{
	int count = 0;

	for (int i = 0; i < r->n_columns; i++)
		count += (r->columns[i].count + COLS - 1) / COLS;
	crew->strips = calloc((size_t)count, sizeof(*crew->strips));
	if (!crew->strips)
		return -1;
	for (int i = 0; i < r->n_columns; i++) {
		const struct check_columns *c = &r->columns[i];

		for (int n = 0; n < c->count; n += COLS) {
			struct block *strip = &crew->strips[crew->blocks_n++];

			strip->columns = c;
			strip->n0 = c->n0 + n;
			strip->cols = c->count - n < COLS ? c->count - n : COLS;
		}
	}
	return 0;
}

int check_matmul(const struct check_request *request, struct check_result *result)
{
	struct crew crew = { .request = request,
			     .result = result,
			     .lock = PTHREAD_MUTEX_INITIALIZER };
	pthread_t threads[16];
	int wanted = request->threads, started = 0;

	memset(result, 0, sizeof(*result));
	if (wanted <= 0)
		wanted = (int)sysconf(_SC_NPROCESSORS_ONLN);
	if (wanted > 16)
		wanted = 16;
	crew.blocks_m = (request->M + ROWS - 1) / ROWS;
	if (cut_strips(request, &crew) < 0)
		return -1;
	while (started < wanted - 1 && !pthread_create(&threads[started], NULL, work, &crew))
		started++;
	work(&crew); /* this thread is one of them */
	while (started)
		pthread_join(threads[--started], NULL);
	free(crew.strips);
	/* Another thread may have done all the blocks of one that had no memory. */
	return result->elements == (uint64_t)request->M * (uint64_t)request->N ? 0 : -1;
}

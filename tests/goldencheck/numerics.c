// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * numerics.c - recorded numbers against the model of the NPU.
 *
 * Each case is one row of A and one row of B. They become row 0 and column 1 of a small
 * matmul: packed, encoded, checked and run on the model like any other.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "lib/encode/program.h"
#include "lib/layout/matmul_layout.h"
#include "lib/layout/source.h"

#ifdef HAVE_SIM
#include "tests/model/board.h"
#endif

/* Column 0 of a group differs between cores on silicon: the cases are for the others. */
#define COLUMN     1
#define MAX_K      16384
#define PROGRAM_AT 0x50000000u
#define ADD_AT     0x40000000u
#define OUTPUT_AT  0x30000000u
#define WEIGHTS_AT 0x20000000u
#define INPUT_AT   0x10000000u

static bool starts(const struct source *s, const char *text)
{
	return s->n_data && !strncmp(s->data[0].text, text, strlen(text));
}

/* ---- one dot product on the model ---- */

struct dot {
	enum rocket_matmul_type type;
	uint32_t k, rows;
	const void *a, *b;   /* k elements of the operands' type */
	const void *partial; /* one element to add, or NULL */
	uint8_t result[4];
};

#ifdef HAVE_SIM

/* An operand with one row that is not zero, packed at iova. */
static bool place(struct board *board, uint32_t iova, const struct dot *d, bool weights,
		  uint32_t rows)
{
	const struct rocket_matmul_traits *t = rocket_matmul_traits(d->type);
	size_t bytes = t->in_bits / 8, size = (size_t)rows * d->k * bytes;
	uint8_t *plain = calloc(rows, d->k * bytes), *packed = malloc(size);
	bool ok = plain && packed;

	if (ok) {
		memcpy(plain + (weights ? COLUMN * d->k * bytes : 0), weights ? d->b : d->a,
		       d->k * bytes);
		if (weights)
			rocket_pack_weight(packed, plain, bytes, rows, d->k, d->k, t->ngroup,
					   t->kgroup);
		else
			rocket_pack_feature(packed, plain, bytes, rows, rows, d->k, d->k);
		board_map(board, iova, size);
		board_put(board, iova, packed, size);
	}
	free(plain);
	free(packed);
	return ok;
}

/* Where the result of row 0 and COLUMN lies in an output cube. */
static uint32_t result_at(const struct dot *d, uint32_t base)
{
	unsigned bytes = rocket_matmul_traits(d->type)->out_bytes;

	return base + (uint32_t)rocket_output_index(d->rows, 16 / bytes, 0, COLUMN) * bytes;
}

static bool run(struct board *board, struct dot *d, char *why, size_t size)
{
	const struct rocket_matmul_traits *t = rocket_matmul_traits(d->type);
	struct rocket_matmul_task task = {
		.type = d->type,
		.m = d->rows,
		.k = d->k,
		.n = t->n_align,
		.input = INPUT_AT,
		.weights = WEIGHTS_AT,
		.output = OUTPUT_AT,
		.accumulate = d->partial != NULL,
		.add = ADD_AT,
	};
	const struct rocket_program_check how = { .chip = "rk3588", .first_of_job = true };
	uint64_t words[ROCKET_RK3588_MATMUL_WORDS];
	struct rocket_program_fault fault;
	struct npu_result result;
	size_t out = (size_t)task.m * task.n * t->out_bytes;
	int n = rocket_rk3588_matmul(&task, words, ROCKET_RK3588_MATMUL_WORDS, why, size);

	if (n < 0)
		return false;
	if (rocket_program_validate(words, (size_t)n, &how, &fault, 1)) {
		snprintf(why, size, "%s.%s: %s", fault.block, fault.reg, fault.reason);
		return false;
	}
	if (!place(board, INPUT_AT, d, false, task.m) ||
	    !place(board, WEIGHTS_AT, d, true, task.n)) {
		snprintf(why, size, "out of memory");
		return false;
	}
	board_map(board, OUTPUT_AT, out);
	board_map(board, ADD_AT, out);
	board_map(board, PROGRAM_AT, sizeof(words));
	if (d->partial)
		board_put(board, result_at(d, ADD_AT), d->partial, t->out_bytes);
	board_run(board, PROGRAM_AT, words, (size_t)n, (unsigned)n, 1, &result);
	board_get(board, result_at(d, OUTPUT_AT), d->result, t->out_bytes);
	snprintf(why, size, "the model: %s", result.reason);
	return result.verdict == NPU_DONE;
}

static bool dot_product(struct dot *d, char *why, size_t size)
{
	struct board board;
	bool ok;

	board_init(&board, NULL);
	ok = run(&board, d, why, size);
	board_free(&board);
	return ok;
}

static bool have_model(struct check *c)
{
	(void)c;
	return true;
}

#else

static bool dot_product(struct dot *d, char *why, size_t size)
{
	(void)d;
	snprintf(why, size, "built without the simulated NPU");
	return false;
}

static bool have_model(struct check *c)
{
	check_skip(c, "built without the simulated NPU");
	return false;
}

#endif

static uint32_t result_bits(const struct dot *d)
{
	uint32_t bits = 0;

	memcpy(&bits, d->result, rocket_matmul_traits(d->type)->out_bytes);
	return bits;
}

/* ---- fp16: "A ..." and "B ..." lines of hex ---- */

/* "X h h h ..." into v; the number of values, or -1. */
static int halves(const char *text, char name, uint16_t *v, int max)
{
	int n = 0;

	if (text[0] != name || (text[1] && text[1] != ' '))
		return -1;
	for (text++; *text; n++) {
		char word[8];
		size_t length = strcspn(++text, " ");
		uint64_t bits;

		if (length != 4 || n == max)
			return -1;
		memcpy(word, text, 4);
		word[4] = '\0';
		if (!parse_hex(word, &bits))
			return -1;
		v[n] = (uint16_t)bits;
		text += length;
	}
	return n;
}

/* The lines of one case: its head, A, B and what follows. */
struct fp16_case {
	unsigned line;
	uint16_t a[MAX_K], b[MAX_K];
	int k;
};

static bool operands(struct check *c, size_t i, struct fp16_case *f)
{
	const struct line *l = c->src->data;

	if (i + 2 >= c->src->n_data) {
		check_fail(c, l[i].number, "the case has no operands");
		return false;
	}
	f->line = l[i].number;
	f->k = halves(l[i + 1].text, 'A', f->a, MAX_K);
	if (f->k <= 0 || halves(l[i + 2].text, 'B', f->b, MAX_K) != f->k) {
		check_fail(c, l[i + 1].number, "not two rows of fp16");
		return false;
	}
	return true;
}

static void compare_dot(struct check *c, unsigned line, struct dot *d, uint64_t want,
			const char *what)
{
	char why[256] = "";

	if (!dot_product(d, why, sizeof(why)))
		check_fail(c, line, "%s", why);
	else if (result_bits(d) != want)
		check_differs(c, line, "%s %0*llx, here %0*x", what, want > 0xffff ? 8 : 4,
			      (unsigned long long)want, want > 0xffff ? 8 : 4, result_bits(d));
}

/* A result line "name hex". */
static bool result_line(struct check *c, size_t i, const char *name, uint64_t *value)
{
	size_t length = strlen(name);
	const struct source *s = c->src;

	if (i < s->n_data && !strncmp(s->data[i].text, name, length) &&
	    s->data[i].text[length] == ' ' && parse_hex(s->data[i].text + length + 1, value))
		return true;
	check_fail(c, i < s->n_data ? s->data[i].number : 0, "%s expected", name);
	return false;
}

static bool is_fp16_base(const struct source *s)
{
	int64_t k;

	return starts(s, "case ") && strstr(s->data[0].text, " K=") &&
	       parse_number(strstr(s->data[0].text, " K=") + 3, &k);
}

static void base_case(struct check *c, size_t i, struct fp16_case *f)
{
	uint64_t fp32, fp16;
	struct dot d = { .rows = 4 };

	if (!operands(c, i, f) || !result_line(c, i + 3, "fp32", &fp32) ||
	    !result_line(c, i + 4, "fp16", &fp16))
		return;
	d.k = (uint32_t)f->k;
	d.a = f->a;
	d.b = f->b;
	d.type = ROCKET_MM_FP16_FP32;
	compare_dot(c, f->line, &d, fp32, "fp32");
	d.type = ROCKET_MM_FP16_FP16;
	compare_dot(c, f->line, &d, fp16, "fp16");
}

static void check_fp16_base(struct check *c)
{
	struct fp16_case *f = malloc(sizeof(*f));
	size_t i;

	if (f && have_model(c)) {
		for (i = 0; i < c->src->n_data && c->verdict != FAILED; i += 5)
			base_case(c, i, f);
		check_note(c, "%zu cases", i / 5);
	}
	free(f);
}

const struct kind fp16_base_kind = { is_fp16_base, check_fp16_base };

/* ---- fp16 K accumulation ---- */

static bool is_fp16_kacc(const struct source *s)
{
	return starts(s, "case ") && strstr(s->data[0].text, " Kt=");
}

/* Tile after tile: the model adds each to the partial before it. */
static void kacc_case(struct check *c, size_t i, struct fp16_case *f)
{
	const struct source *s = c->src;
	int kt, nkt, n;
	uint16_t want[64], partial = 0;

	if (sscanf(s->data[i].text, "case %*d Kt=%d nKt=%d", &kt, &nkt) != 2 || kt < 1 || nkt < 1 ||
	    nkt > 64 || kt > MAX_K / nkt) {
		check_fail(c, s->data[i].number, "not a case");
		return;
	}
	if (!operands(c, i, f))
		return;
	n = i + 3 < s->n_data && !strncmp(s->data[i + 3].text, "partials", 8)
		    ? halves(s->data[i + 3].text + 7, 's', want, 64)
		    : -1;
	if (f->k != kt * nkt || n != nkt) {
		check_fail(c, s->data[i].number, "operands or partials of another length");
		return;
	}
	for (int t = 0; t < nkt && c->verdict == PASSED; t++) {
		struct dot d = {
			.type = ROCKET_MM_FP16_FP16,
			.rows = 12,
			.k = (uint32_t)kt,
			.a = f->a + t * kt,
			.b = f->b + t * kt,
			.partial = t ? &partial : NULL,
		};

		compare_dot(c, f->line, &d, want[t], "partial");
		partial = (uint16_t)result_bits(&d);
	}
}

static void check_fp16_kacc(struct check *c)
{
	struct fp16_case *f = malloc(sizeof(*f));
	size_t i;

	if (f && have_model(c)) {
		for (i = 0; i < c->src->n_data && c->verdict != FAILED; i += 4)
			kacc_case(c, i, f);
		check_note(c, "%zu cases", i / 4);
	}
	free(f);
}

const struct kind fp16_kacc_kind = { is_fp16_kacc, check_fp16_kacc };

/* ---- integers: "kind K a... | b... | result" ---- */

#define MAX_INT_K 4096

struct integer_case {
	char kind[16];
	int k;
	int64_t a[MAX_INT_K], b[MAX_INT_K], want;
};

/* n numbers and a '|' (or the end); NULL when there is something else. */
static char *values(char *text, int64_t *v, int n, char end)
{
	for (int i = 0; i <= n; i++) {
		char *word = text + strspn(text, " ");

		text = word + strcspn(word, " ");
		if (*text)
			*text++ = '\0';
		if (i == n)
			return (end ? word[0] == end && !word[1] : !*word) ? text : NULL;
		if (!parse_number(word, &v[i]))
			return NULL;
	}
	return NULL;
}

static bool parse_integers(char *text, struct integer_case *f)
{
	int used = 0;

	if (sscanf(text, "%15s %d%n", f->kind, &f->k, &used) != 2 || f->k < 1 || f->k > MAX_INT_K)
		return false;
	text = values(text + used, f->a, f->k, '|');
	text = text ? values(text, f->b, f->k, '|') : NULL;
	return text && values(text, &f->want, 1, '\0');
}

static bool is_integer(const struct source *s)
{
	return starts(s, "int") && strchr(s->data[0].text, '|');
}

/* Types whose operands have a packer; the rest of a file is left out with a reason. */
static const struct integer_type {
	const char *kind;
	enum rocket_matmul_type type;
	int64_t min, max;
	unsigned bytes;
} integer_types[] = {
	{ "int8", ROCKET_MM_INT8_INT32, INT8_MIN, INT8_MAX, 1 },
	{ "int16", ROCKET_MM_INT16_INT32, INT16_MIN, INT16_MAX, 2 },
};

static bool store(void *out, const int64_t *v, int n, const struct integer_type *t)
{
	for (int i = 0; i < n; i++) {
		if (v[i] < t->min || v[i] > t->max)
			return false;
		/* Little endian: the low bytes come first. */
		memcpy((char *)out + (size_t)i * t->bytes, &v[i], t->bytes);
	}
	return true;
}

/* False with a reason when the model does not know the type. */
static bool integer_case(struct check *c, unsigned line, const struct integer_case *f,
			 const struct integer_type *t, char *why, size_t size)
{
	int16_t a[MAX_INT_K], b[MAX_INT_K];
	struct dot d = { .type = t->type, .rows = 4, .k = (uint32_t)f->k, .a = a, .b = b };

	if (!store(a, f->a, f->k, t) || !store(b, f->b, f->k, t)) {
		check_fail(c, line, "a value that is no %s", t->kind);
		return true;
	}
	if (!dot_product(&d, why, size)) {
		if (t->type == ROCKET_MM_INT8_INT32)
			check_fail(c, line, "%s", why);
		return false;
	}
	if (result_bits(&d) != (uint32_t)f->want)
		check_differs(c, line, "%s sum %lld, here %d", t->kind, (long long)f->want,
			      (int32_t)result_bits(&d));
	return true;
}

struct integer_counts {
	unsigned done, others;
	char why[200];
};

static void integer_row(struct check *c, const struct line *line, struct integer_case *f,
			struct integer_counts *n)
{
	char *copy = strdup(line->text);
	const struct integer_type *t = NULL;

	if (!copy || !parse_integers(copy, f)) {
		check_fail(c, line->number, "not a row of kind, K, A | B | result");
		free(copy);
		return;
	}
	free(copy);
	for (size_t i = 0; i < sizeof(integer_types) / sizeof(integer_types[0]); i++)
		if (!strcmp(integer_types[i].kind, f->kind))
			t = &integer_types[i];
	if (t && integer_case(c, line->number, f, t, n->why, sizeof(n->why)))
		n->done++;
	else
		n->others++;
	if (!t)
		snprintf(n->why, sizeof(n->why), "no packer or writer for %s", f->kind);
}

static void check_integer(struct check *c)
{
	struct integer_case *f = malloc(sizeof(*f));
	struct integer_counts n = { 0 };

	for (size_t i = 0; f && have_model(c) && i < c->src->n_data && c->verdict != FAILED; i++)
		integer_row(c, &c->src->data[i], f, &n);
	check_note(c, "%u sums", n.done);
	if (n.others)
		check_note(c, "%u left out (%s)", n.others, n.why);
	free(f);
}

const struct kind integer_kind = { is_integer, check_integer };

/* ---- the byte split of exact int16 ---- */

static bool is_int16_split(const struct source *s)
{
	return s->n_header && !strncmp(s->header[0].text, "x lo hi", 7);
}

static void int16_split_row(struct check *c, const struct line *line)
{
	int x, want_low, want_high, used = 0;
	int8_t low = 0, high = 0;
	void *const parts[ROCKET_SOURCE_PARTS] = { &high, &low };
	int16_t v;

	if (sscanf(line->text, "%d %d %d%n", &x, &want_low, &want_high, &used) != 3 ||
	    line->text[used] || x < INT16_MIN || x > INT16_MAX) {
		check_fail(c, line->number, "not a row of x, low byte, high byte");
		return;
	}
	v = (int16_t)x;
	rocket_source_int16.convert(parts, &v, 1);
	if (low != want_low || high != want_high)
		check_differs(c, line->number, "%d is %d and %d, here %d and %d", x, want_low,
			      want_high, low, high);
}

static void check_int16_split(struct check *c)
{
	for (size_t i = 0; i < c->src->n_data && c->verdict != FAILED; i++)
		int16_split_row(c, &c->src->data[i]);
	check_note(c, "%zu values", c->src->n_data);
}

const struct kind int16_split_kind = { is_int16_split, check_int16_split };

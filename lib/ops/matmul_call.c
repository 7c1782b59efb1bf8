// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_call.c - what a matmul is refused for before a device is looked at. */
#include <stdio.h>
#include <stdlib.h>

#include "../core/status.h"
#include "matmul_crew.h"

struct operand {
	const char *name;
	uintptr_t start;
	size_t rows, columns, element;
	size_t bytes; /* filled by check_operand() */
};

static int check_operand(const char *who, struct operand *o)
{
	if (!o->start)
		return rocket_fail(ROCKET_E_SHAPE, "%s: %s is NULL", who, o->name);
	if (o->start % o->element)
		return rocket_fail(ROCKET_E_SHAPE, "%s: %s is not aligned to its %zu-byte elements",
				   who, o->name, o->element);
	if (__builtin_mul_overflow(o->rows, o->columns, &o->bytes) ||
	    __builtin_mul_overflow(o->bytes, o->element, &o->bytes) ||
	    o->bytes > UINTPTR_MAX - o->start)
		return rocket_fail(ROCKET_E_SHAPE, "%s: %s of %zux%zu does not fit in memory", who,
				   o->name, o->rows, o->columns);
	return 0;
}

static bool overlap(const struct operand *a, const struct operand *b)
{
	return a->start < b->start + b->bytes && b->start < a->start + a->bytes;
}

int rocket_matmul_padded_rows(const struct rocket_matmul_call *call)
{
	if (call->tiles)
		return call->plan_rows;
	return call->M == 1 && !call->whole_rows ? 4 : call->M;
}

static int check_extents(const struct rocket_matmul_call *call)
{
	const struct {
		const char *name;
		int value;
	} dims[] = { { "M", call->M }, { "K", call->K }, { "N", call->N } };

	for (unsigned i = 0; i < 3; i++)
		if (dims[i].value < 1 || dims[i].value > ROCKET_MATMUL_DIM_MAX)
			return rocket_fail(ROCKET_E_SHAPE, "%s: %dx%dx%d: %s is not in 1..2^24",
					   call->who, call->M, call->K, call->N, dims[i].name);
	if (call->limits.grouped && (call->limits.group < 1 || call->K % call->limits.group))
		return rocket_fail(ROCKET_E_SHAPE, "%s: group %d does not divide K=%d", call->who,
				   call->limits.group, call->K);
	return 0;
}

/* Segments that make up N rows. */
static int check_segments(const struct rocket_matmul_call *call)
{
	const struct rocket_matmul_segments *segments = &call->segments;
	int64_t rows = 0;

	for (int i = 0; i < segments->count; i++) {
		if (segments->ns[i] < 1)
			return rocket_fail(ROCKET_E_SHAPE, "%s: segment %d has %d rows", call->who,
					   i, segments->ns[i]);
		rows += segments->ns[i];
	}
	if (segments->count && rows != call->N)
		return rocket_fail(ROCKET_E_SHAPE, "%s: the segments have %lld rows, not N=%d",
				   call->who, (long long)rows, call->N);
	return 0;
}

/* The matrices that a call reads, C left out; their count. */
static unsigned list_operands(const struct rocket_matmul_call *call, struct operand *ops)
{
	const struct rocket_matmul_kind *kind = call->kind;
	const size_t M = (size_t)call->M, K = (size_t)call->K, N = (size_t)call->N;
	const size_t groups = call->limits.grouped ? K / (size_t)call->limits.group : 0;
	unsigned n = 0;

	if (!call->pack_only)
		ops[n++] =
			(struct operand){ "A", (uintptr_t)call->a, M, K, kind->a->host_bytes, 0 };
	if (!call->segments.count && !call->weights)
		ops[n++] =
			(struct operand){ "B", (uintptr_t)call->b, N, K, kind->b->host_bytes, 0 };
	for (int i = 0; i < call->segments.count; i++)
		ops[n++] = (struct operand){ "a segment of B",
					     (uintptr_t)call->segments.bs[i],
					     (size_t)call->segments.ns[i],
					     K,
					     kind->b->host_bytes,
					     0 };
	if (groups && !call->pack_only) {
		ops[n++] = (struct operand){ "a_scale", (uintptr_t)call->a_scale, M, groups, 4, 0 };
		ops[n++] = (struct operand){ "b_scale", (uintptr_t)call->b_scale, N, groups, 4, 0 };
	}
	return n;
}

int rocket_matmul_item_count(const struct rocket_matmul_call *call)
{
	return call->items.count ? call->items.count : 1;
}

struct rocket_matmul_call rocket_matmul_item(const struct rocket_matmul_call *call, int item)
{
	struct rocket_matmul_call one = *call;

	if (!call->items.count)
		return one;
	one.items.count = 0;
	one.a = call->items.a[item];
	one.b = call->items.b[item];
	one.c = call->items.c[item];
	return one;
}

static int check_product(const struct rocket_matmul_call *call)
{
	struct operand c = {
		"C", (uintptr_t)call->c, (size_t)call->M, (size_t)call->N, call->kind->c_bytes, 0
	};
	struct operand ops[3 + ROCKET_SEGMENTS_MAX];
	unsigned count;
	/* Before the products: beyond 2^24 they say nothing useful about the pointers. */
	int ret = check_extents(call);

	if (!ret)
		ret = check_segments(call);
	if (ret)
		return ret;
	count = list_operands(call, ops);
	for (unsigned i = 0; i < count && !ret; i++)
		ret = check_operand(call->who, &ops[i]);
	if (call->pack_only)
		return ret;
	if (!ret)
		ret = check_operand(call->who, &c);
	for (unsigned i = 0; i < count && !ret; i++)
		if (overlap(&c, &ops[i]))
			ret = rocket_fail(ROCKET_E_SHAPE, "%s: C overlaps %s", call->who,
					  ops[i].name);
	return ret;
}

/* C of an item. */
struct result {
	uintptr_t start;
	int item;
};

static int compare_results(const void *a, const void *b)
{
	const struct result *r = a, *s = b;

	if (r->start != s->start)
		return r->start < s->start ? -1 : 1;
	return r->item - s->item;
}

/* One of some results that overlaps a matrix; NULL: none. They are sorted and apart. */
static const struct result *find_overlap(const struct result *r, int count, size_t result_bytes,
					 const void *matrix, size_t bytes)
{
	const uintptr_t start = (uintptr_t)matrix;
	int low = 0, high = count;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (r[middle].start + result_bytes <= start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && r[low].start < start + bytes ? &r[low] : NULL;
}

static int refuse_items(const struct rocket_matmul_call *call, int result, int other)
{
	return rocket_fail(ROCKET_E_SHAPE, "%s: C of item %d overlaps a matrix of item %d",
			   call->who, result, other);
}

/* Each item by itself is checked already. */
static int check_results_apart(const struct rocket_matmul_call *call, const struct result *r)
{
	const struct rocket_matmul_items *it = &call->items;
	const struct rocket_matmul_kind *kind = call->kind;
	const size_t M = (size_t)call->M, K = (size_t)call->K, N = (size_t)call->N;
	const size_t c = M * N * kind->c_bytes;

	for (int i = 1; i < it->count; i++)
		if (r[i].start - r[i - 1].start < c)
			return refuse_items(call, r[i - 1].item, r[i].item);
	for (int i = 0; i < it->count; i++) {
		const struct result *hit =
			find_overlap(r, it->count, c, it->a[i], M * K * kind->a->host_bytes);

		if (!hit)
			hit = find_overlap(r, it->count, c, it->b[i], N * K * kind->b->host_bytes);
		if (hit)
			return refuse_items(call, hit->item, i);
	}
	return 0;
}

/* A result must not overlap what any other item reads or writes. There may be very many items. */
static int check_items_apart(const struct rocket_matmul_call *call)
{
	const unsigned count = (unsigned)call->items.count;
	struct result *r = calloc(count, sizeof(*r));
	int ret;

	if (!r)
		return rocket_fail(ROCKET_E_NOMEM, "%s: no memory to compare %u items", call->who,
				   count);
	for (unsigned i = 0; i < count; i++)
		r[i] = (struct result){ (uintptr_t)call->items.c[i], (int)i };
	qsort(r, count, sizeof(*r), compare_results);
	ret = check_results_apart(call, r);
	free(r);
	return ret;
}

int rocket_matmul_check(const struct rocket_matmul_call *call)
{
	int ret = 0;

	if (!call->items.count)
		return check_product(call);
	for (int i = 0; i < call->items.count && !ret; i++) {
		struct rocket_matmul_call one = rocket_matmul_item(call, i);
		char who[80];

		snprintf(who, sizeof(who), "%s: item %d", call->who, i);
		one.who = who;
		ret = check_product(&one);
	}
	return ret ? ret : check_items_apart(call);
}

int rocket_matmul_check_shape(const struct rocket_matmul_call *call,
			      const struct rocket_hw_profile *hw, const struct rocket_settings *set)
{
	struct rocket_matmul_tiles tiles;
	char why[256];
	int ret = rocket_matmul_tile_within(call->kind->type, hw, set, &call->limits,
					    rocket_matmul_padded_rows(call), call->K, call->N,
					    &tiles, why, sizeof(why));

	return ret < 0 ? rocket_fail(ret, "%s: %s", call->who, why) : ROCKET_OK;
}

struct rocket_matmul_call rocket_matmul_slice(const struct rocket_matmul_call *whole, int n0, int n)
{
	const struct rocket_matmul_kind *kind = whole->kind;
	struct rocket_matmul_call call = *whole;

	call.N = n;
	call.first_row = n0;
	if (call.c)
		call.c = (uint8_t *)whole->c + (size_t)n0 * kind->c_bytes;
	if (call.b)
		call.b = (const uint8_t *)whole->b +
			 (size_t)n0 * (size_t)whole->K * kind->b->host_bytes;
	if (call.b_scale)
		call.b_scale =
			whole->b_scale + (size_t)n0 * (size_t)(whole->K / whole->limits.group);
	return call;
}

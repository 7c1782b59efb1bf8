// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_call.c - what a matmul is refused for before a device is looked at. */
#include "../core/status.h"
#include "matmul_run.h"

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
	return call->M == 1 && !call->limits.grouped ? 4 : call->M;
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

/* Scales of one row; only after check_extents(). */
static size_t scale_groups(const struct rocket_matmul_call *call)
{
	return call->limits.grouped ? (size_t)(call->K / call->limits.group) : 0;
}

int rocket_matmul_check(const struct rocket_matmul_call *call)
{
	const struct rocket_matmul_kind *kind = call->kind;
	const size_t M = (size_t)call->M, K = (size_t)call->K, N = (size_t)call->N;
	/* Before the products: beyond 2^24 they say nothing useful about the pointers. */
	int ret = check_extents(call);
	const size_t groups = ret ? 0 : scale_groups(call);
	enum { A, B, C, A_SCALE, B_SCALE, OPERANDS };
	struct operand ops[OPERANDS] = {
		[A] = { "A", (uintptr_t)call->a, M, K, kind->a->host_bytes, 0 },
		[B] = { "B", (uintptr_t)call->b, N, K, kind->b->host_bytes, 0 },
		[C] = { "C", (uintptr_t)call->c, M, N, kind->c_bytes, 0 },
		[A_SCALE] = { "a_scale", (uintptr_t)call->a_scale, M, groups, 4, 0 },
		[B_SCALE] = { "b_scale", (uintptr_t)call->b_scale, N, groups, 4, 0 },
	};
	const unsigned count = groups ? OPERANDS : A_SCALE;

	for (unsigned i = 0; i < count && !ret; i++)
		ret = check_operand(call->who, &ops[i]);
	for (unsigned i = 0; i < count && !ret; i++)
		if (i != C && overlap(&ops[C], &ops[i]))
			ret = rocket_fail(ROCKET_E_SHAPE, "%s: C overlaps %s", call->who,
					  ops[i].name);
	return ret;
}

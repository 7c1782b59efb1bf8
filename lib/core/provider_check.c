// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "provider.h"

#define OP(name, duty)                                                                             \
	{                                                                                          \
#name, duty, offsetof(struct rocket_provider, name)                                \
	}

static const struct rocket_provider_op ops[] = {
	OP(match, "say whether an open fd is a node of this driver"),
	OP(open, "take over a matched fd: version, capabilities, chip, private state"),
	OP(close, "release the private state; the library closes the fd"),
	OP(bo_alloc, "allocate and map a buffer: handle, IOVA, size, CPU pointer"),
	OP(bo_free, "unmap and free a buffer"),
	OP(bo_prep, "wait until no job writes a buffer, make it visible to the CPU"),
	OP(bo_fini, "hand a buffer back to the NPU after CPU writes"),
	OP(bo_prep_ranges, "bo_prep for parts of a buffer, or -EOPNOTSUPP"),
	OP(bo_fini_ranges, "bo_fini for parts of a buffer, or -EOPNOTSUPP"),
	OP(scratch_size, "say how much caller memory one job of n tasks needs"),
	OP(submit, "queue jobs in order with one kernel call"),
};
#define N_OPS (sizeof(ops) / sizeof(ops[0]))

/* Fixed fields, then one pointer for every row above. */
_Static_assert(sizeof(struct rocket_provider) ==
		       offsetof(struct rocket_provider, match) + N_OPS * sizeof(void (*)(void)),
	       "every operation of struct rocket_provider has a row here");

const struct rocket_provider_op *rocket_provider_op(unsigned i)
{
	return i < N_OPS ? &ops[i] : NULL;
}

struct faults {
	int n;
	void (*report)(const char *line, void *user);
	void *user;
};

__attribute__((format(printf, 2, 3))) static void fault(struct faults *f, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	f->n++;
	if (!f->report)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	f->report(line, f->user);
}

int rocket_provider_check(const struct rocket_provider *p,
			  void (*report)(const char *line, void *user), void *user)
{
	struct faults f = { 0, report, user };

	if (!p) {
		fault(&f, "no provider given");
		return f.n;
	}
	if (p->abi_version != ROCKET_PROVIDER_ABI) {
		/* Nothing after the first field can be trusted. */
		fault(&f, "abi_version is %u, this library speaks %u", p->abi_version,
		      ROCKET_PROVIDER_ABI);
		return f.n;
	}
	if (p->size != sizeof(*p))
		fault(&f, "size is %u bytes, this library's struct has %zu", p->size, sizeof(*p));
	if (p->size < offsetof(struct rocket_provider, match))
		return f.n; /* not even the fixed fields are there */
	if (!p->name || !p->name[0])
		fault(&f, "name is missing");
	if (!p->node_globs || !p->node_globs[0])
		fault(&f, "node_globs is missing or empty");
	for (size_t i = 0; i < N_OPS; i++) {
		void (*op)(void) = NULL;

		if (ops[i].offset + sizeof(op) <= p->size)
			memcpy(&op, (const char *)p + ops[i].offset, sizeof(op));
		if (!op)
			fault(&f, "operation %s is missing: %s", ops[i].name, ops[i].duty);
	}
	return f.n;
}

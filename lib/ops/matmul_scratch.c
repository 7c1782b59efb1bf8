// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_scratch.c - see matmul_scratch.h. */
#include <stdlib.h>

#include "../core/status.h"
#include "matmul_scratch.h"

static int ensure(int fd, rocket_bo *bo, uint64_t need)
{
	int ret;

	if (!need) {
		rocket_bo_free(fd, bo);
		return ROCKET_OK;
	}
	need += ROCKET_OVERREAD_BYTES;
	/* The kernel synchronises whole buffers, so one that is far too large costs more at
	 * every job than a new one does once [silicon]. */
	if (bo->size / 2 > need)
		rocket_bo_free(fd, bo);
	ret = rocket_bo_ensure32(fd, bo, (size_t)need);
	return ret < 0 ? ret : ROCKET_OK;
}

static struct rocket_matmul_scratch *new_scratch(int *status)
{
	struct rocket_matmul_scratch *s =
		calloc(1, sizeof(*s) + rocket_submit_scratch_size(ROCKET_JOB_TASKS_MAX));

	if (!s)
		*status = rocket_fail(ROCKET_E_NOMEM, "matmul: no memory for a job");
	return s;
}

struct rocket_matmul_scratch *
rocket_matmul_scratch_take(int fd, void **shelf, const struct rocket_matmul_plan *plan, int *status)
{
	struct rocket_matmul_scratch *s = __atomic_exchange_n(shelf, NULL, __ATOMIC_ACQ_REL);

	if (!s)
		s = new_scratch(status);
	if (!s)
		return NULL;
	*status = ensure(fd, &s->a, plan->in_bytes);
	if (!*status)
		*status = ensure(fd, &s->b, plan->wt_bytes);
	if (!*status)
		*status =
			ensure(fd, &s->programs, (plan->pipelined ? 2 : 1) * ROCKET_PROGRAMS_BYTES);
	for (unsigned i = 0; i < 2 && !*status; i++)
		*status = ensure(fd, &s->out[i], plan->out_bytes[i]);
	if (!*status)
		return s;
	rocket_matmul_scratch_free(fd, s);
	return NULL;
}

void rocket_matmul_scratch_put(int fd, void **shelf, uint64_t keep_bytes,
			       struct rocket_matmul_scratch *s)
{
	if (rocket_matmul_scratch_bytes(s) <= keep_bytes)
		s = __atomic_exchange_n(shelf, s, __ATOMIC_ACQ_REL);
	if (s)
		rocket_matmul_scratch_free(fd, s);
}

void rocket_matmul_scratch_free(int fd, struct rocket_matmul_scratch *s)
{
	rocket_bo_free(fd, &s->out[1]);
	rocket_bo_free(fd, &s->out[0]);
	rocket_bo_free(fd, &s->programs);
	rocket_bo_free(fd, &s->b);
	rocket_bo_free(fd, &s->a);
	free(s);
}

uint64_t rocket_matmul_scratch_bytes(const struct rocket_matmul_scratch *s)
{
	return (uint64_t)s->a.size + s->b.size + s->out[0].size + s->out[1].size + s->programs.size;
}

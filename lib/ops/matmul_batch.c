// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_batch.c - several fp16 products of one shape, in one stream of jobs. */
#include <stdlib.h>

#include "../core/status.h"
#include "matmul_hold.h"
#include "matmul_run.h"
#include "rocket_matmul.h"

struct rocket_mm_batch {
	struct rocket_matmul_hold hold;
};

static int run(const char *who, int fd, struct rocket_keep *shelf, int M, int K, int N, int nbatch,
	       const _Float16 *const *A, const _Float16 *const *B, _Float16 *const *C)
{
	const struct rocket_matmul_call call = {
		.who = who,
		.kind = &rocket_kind_fp16,
		.M = M,
		.K = K,
		.N = N,
		.c_row = (size_t)N,
		.whole_rows = nbatch > 1,
		.items = { nbatch, (const void *const *)A, (const void *const *)B,
			   (void *const *)C },
		.shelf = shelf,
	};

	if (nbatch < 1)
		return rocket_fail(ROCKET_E_SHAPE, "%s: a batch of %d", who, nbatch);
	if (!A || !B || !C)
		return rocket_fail(ROCKET_E_SHAPE, "%s: the list of %s is NULL", who,
				   !A   ? "A"
				   : !B ? "B"
					: "C");
	return rocket_matmul_on_fd(fd, &call);
}

int rocket_matmul_fp16_batch(int fd, int M, int K, int N, int nbatch, const _Float16 *const *A,
			     const _Float16 *const *B, _Float16 *const *C)
{
	return run("rocket_matmul_fp16_batch", fd, NULL, M, K, N, nbatch, A, B, C);
}

rocket_mm_batch *rocket_mm_batch_create(int fd)
{
	static const char who[] = "rocket_mm_batch_create";
	struct rocket_mm_batch *b = calloc(1, sizeof(*b));

	if (!b) {
		rocket_fail(ROCKET_E_NOMEM, "%s: no memory for a batch", who);
		return NULL;
	}
	if (rocket_matmul_hold_take(&b->hold, fd, who))
		return b;
	free(b);
	return NULL;
}

void rocket_mm_batch_free(rocket_mm_batch *b)
{
	if (!b)
		return;
	rocket_matmul_hold_drop(&b->hold,
				rocket_matmul_hold_lives(&b->hold, "rocket_mm_batch_free"));
	free(b);
}

int rocket_mm_batch_run(rocket_mm_batch *b, int M, int K, int N, int nbatch,
			const _Float16 *const *A, const _Float16 *const *B, _Float16 *const *C)
{
	static const char who[] = "rocket_mm_batch_run";

	if (!b)
		return rocket_fail(ROCKET_E_SHAPE, "%s: the batch is NULL", who);
	if (!rocket_matmul_hold_lives(&b->hold, who))
		return ROCKET_E_SHAPE;
	return run(who, b->hold.fd, &b->hold.shelf, M, K, N, nbatch, A, B, C);
}

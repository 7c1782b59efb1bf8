// SPDX-License-Identifier: LGPL-2.1-or-later
/* matmul_batch.c - several fp16 products of one shape, in one stream of jobs. */
#include <stdlib.h>

#include "../core/status.h"
#include "matmul_run.h"
#include "rocket_matmul.h"

struct rocket_mm_batch {
	int fd;
	struct rocket_device *dev; /* held, so that fd cannot become another device unnoticed */
	void *scratch;
};

static int run(const char *who, int fd, void **shelf, int M, int K, int N, int nbatch,
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
	struct rocket_device *dev = rocket_device_get(fd, who);
	struct rocket_mm_batch *b;

	if (!dev)
		return NULL;
	b = calloc(1, sizeof(*b));
	if (!b) {
		rocket_fail(ROCKET_E_NOMEM, "%s: no memory for a batch", who);
		rocket_device_put(dev);
		return NULL;
	}
	b->fd = fd;
	b->dev = dev;
	return b;
}

/* Whether the fd of a batch is still the device that it was. */
static bool is_open(const struct rocket_mm_batch *b, const char *who)
{
	struct rocket_device *dev = rocket_device_get(b->fd, who);

	if (!dev)
		return false;
	rocket_device_put(dev);
	if (dev == b->dev)
		return true;
	rocket_log(ROCKET_LOG_ERROR, "%s: fd %d of the batch was closed", who, b->fd);
	return false;
}

void rocket_mm_batch_free(rocket_mm_batch *b)
{
	if (!b)
		return;
	/* Buffers of an fd that was closed go with its device. */
	if (b->scratch && is_open(b, "rocket_mm_batch_free"))
		rocket_matmul_scratch_free(b->fd, b->scratch);
	else
		free(b->scratch);
	rocket_device_put(b->dev);
	free(b);
}

int rocket_mm_batch_run(rocket_mm_batch *b, int M, int K, int N, int nbatch,
			const _Float16 *const *A, const _Float16 *const *B, _Float16 *const *C)
{
	static const char who[] = "rocket_mm_batch_run";

	if (!b)
		return rocket_fail(ROCKET_E_SHAPE, "%s: the batch is NULL", who);
	if (!is_open(b, who))
		return ROCKET_E_SHAPE;
	return run(who, b->fd, &b->scratch, M, K, N, nbatch, A, B, C);
}

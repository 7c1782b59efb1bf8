/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * client.h - one of several users of an NPU: a job again and again, every result checked.
 *
 * A job is a chain of fp16 products C[m,n] = A[m,k] . B[n,k]^T in one kick. Operands are small
 * integers, whose sums fp16 holds, so what is expected is an integer computed on the CPU. Jobs take
 * turns among several A, and C is overwritten before each: a result that was left by an earlier job
 * is found out.
 */
#ifndef BENCH_CLIENT_H
#define BENCH_CLIENT_H

#include <stdbool.h>

#include "rocket_npu.h"

#define CLIENT_VARIANTS  4u
#define CLIENT_CHAIN_MAX 64u
#define CLIENT_M_MAX     4096u
#define CLIENT_K_MAX     512u /* whose sums are exact in fp16 */
#define CLIENT_N_MAX     8192u

struct client_job {
	unsigned m, k, n; /* of one tile: multiples of 4, 32 and 16 */
	unsigned tasks;   /* in the chain, 1 to CLIENT_CHAIN_MAX */
};

/* Whether the cubes of such a task are those that a client fills. */
bool client_takes(const struct client_job *job);

struct client {
	struct client_job job;
	int fd;
	bool own_fd;
	rocket_bo prog, a[CLIENT_VARIANTS], b, c;
	rocket_task_desc tasks[CLIENT_VARIANTS][CLIENT_CHAIN_MAX];
	int32_t *expected[CLIENT_VARIANTS];
	unsigned next; /* variant */
	char why[160]; /* what failed */
};

/* fd < 0: a file of its own. False: client->why says why, and nothing is left. */
bool client_open(struct client *client, int fd, const struct client_job *job, unsigned seed);
void client_close(struct client *client);

enum client_outcome { CLIENT_RIGHT, CLIENT_WRONG, CLIENT_FAILED };
/* One job: submitted, waited for at most timeout_ns, compared. *took_ns: from the call to the
 * result that the CPU may read. */
enum client_outcome client_run(struct client *client, uint64_t timeout_ns, uint64_t *took_ns);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * crowd.h - many clients at once: threads with a file each, threads that share one, or processes.
 *
 * They start together and each runs its next job when the last one is done. On the simulated NPU
 * threads share a device and processes do not: the device lives in the process that opened it.
 */
#ifndef BENCH_CROWD_H
#define BENCH_CROWD_H

#include <stdatomic.h>

#include "client.h"
#include "latency.h"

#define CROWD_MAX 64u
/* Of the operands of member i: a client takes the next CLIENT_VARIANTS as well. */
#define CROWD_SEED(i) (100 * (i))

enum crowd_kind { CROWD_FILES, CROWD_FILE, CROWD_PROCESSES, CROWD_KINDS };

struct crowd {
	enum crowd_kind kind;
	unsigned members; /* 1 to CROWD_MAX */
	struct client_job job;
	unsigned heavy; /* the first so many have the other job */
	struct client_job heavy_job;
	uint64_t jobs; /* of each member; 0: as many as duration_ns allows */
	uint64_t duration_ns;
	uint64_t stall_ns;   /* nobody completes anything for so long: given up */
	uint64_t timeout_ns; /* of one job, as of rocket_bo_prep() */
};

struct crowd_member {
	atomic_ulong completed; /* right or wrong */
	unsigned long wrong, failed;
	uint64_t start_ns, end_ns;
	struct latency latency; /* of what completed */
	char why[160];          /* it ended early */
};

enum crowd_end {
	CROWD_DONE,
	CROWD_FAILED,  /* a member could not begin or died, or a job failed: member->why */
	CROWD_STALLED, /* members are stuck, their threads still there: the process should end */
};

/* members: of crowd_members(), as many as the crowd has. */
enum crowd_end crowd_run(const struct crowd *crowd, struct crowd_member *members);
/* In memory that processes share. NULL: none is left. */
struct crowd_member *crowd_members(unsigned n);
void crowd_members_free(struct crowd_member *members, unsigned n);

/* Jain's index of what the members got a second: 1 is equal, 1/n all for one. */
double crowd_fairness(const struct crowd_member *members, unsigned n);
double crowd_rate(const struct crowd_member *member);

#endif

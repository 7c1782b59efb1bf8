/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * matmul_crew.h - fds that share a product, and weights that stay on them.
 *
 * N is split: each member computes its own columns of C with its own window of addresses. A
 * crew is used by one thread at a time.
 */
#ifndef ROCKET_OPS_MATMUL_CREW_H
#define ROCKET_OPS_MATMUL_CREW_H

#include "matmul_run.h"

struct rocket_matmul_member {
	int fd;
	struct rocket_device *dev;
	uint64_t resident_bytes; /* of packed weights */
};

struct rocket_matmul_crew {
	int split; /* parts that N is cut into; the last may be empty */
	int size;  /* members, for the parts that are not */
	int open;  /* members that are open, of which calls may need fewer */
	struct rocket_matmul_member member[ROCKET_SPLIT_MAX];
	unsigned weights; /* packed and not freed yet */
	void *a;          /* room for an A that is packed once for all members */
	size_t a_bytes;
};

/* Members for what a caller asked for: clamped to 1..8, <= 0 ROCKET_N_THREADS or the profile's. */
int rocket_crew_size(int nthreads);
/* Open the members that N columns of a type keep busy, N = 0: one for each part. On failure none
 * is left open. */
int rocket_crew_open(struct rocket_matmul_crew *crew, const char *who, int split,
		     enum rocket_matmul_type type, int N);
/* The same of a crew that is open: have it ready for another product. What it has too many of
 * stays open; on failure the crew is closed. */
int rocket_crew_fit(struct rocket_matmul_crew *crew, const char *who, int split,
		    enum rocket_matmul_type type, int N);
void rocket_crew_close(struct rocket_matmul_crew *crew);

/* ---- packed weights ---- */

/* How the tiles of a call are found where B was packed before its M was known. */
enum rocket_matmul_tiling {
	ROCKET_TILING_OF_M,     /* the planner's for M */
	ROCKET_TILING_CANONICAL /* the planner's for 256 rows, cut to M */
};

struct rocket_matmul_weights {
	const struct rocket_matmul_crew *crew;
	const struct rocket_matmul_kind *kind;
	enum rocket_matmul_tiling tiling;
	struct rocket_matmul_limits limits;
	int M, K, N;
	struct rocket_matmul_part {
		int kt, nt;
		rocket_bo bo;
	} part[ROCKET_SPLIT_MAX];
};

/* Pack B of the call (pack_only) on every member. NULL with the reason logged. */
struct rocket_matmul_weights *rocket_crew_pack(struct rocket_matmul_crew *crew,
					       const struct rocket_matmul_call *call,
					       enum rocket_matmul_tiling tiling);
void rocket_crew_unpack(struct rocket_matmul_crew *crew, struct rocket_matmul_weights *w);
/* What its buffers take. */
size_t rocket_crew_weight_bytes(const struct rocket_matmul_weights *w);

/* Tiles of a member's part of a call, and the rows they are for. */
int rocket_crew_tiles(const struct rocket_matmul_member *m, const struct rocket_matmul_call *call,
		      enum rocket_matmul_tiling tiling, struct rocket_matmul_tiles *tiles,
		      int *rows);
/* Refuse what a planner refuses in one line, not in one for each member. */
int rocket_matmul_check_shape(const struct rocket_matmul_call *call,
			      const struct rocket_hw_profile *hw,
			      const struct rocket_settings *set);
/* The part of a call that columns [n0, n0 + n) are. */
struct rocket_matmul_call rocket_matmul_slice(const struct rocket_matmul_call *whole, int n0,
					      int n);

/*
 * Check and run a call, with B of the call (w NULL) or packed. ROCKET_E_TILING: these weights
 * cannot serve this M.
 */
int rocket_crew_run(struct rocket_matmul_crew *crew, const struct rocket_matmul_call *call,
		    const struct rocket_matmul_weights *w);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fenced_kit.h - a node of the rknpu provider whose SUBMITs return at once, on the simulated
 * driver.
 *
 * The clock can be put forward, so that a job that hangs is given up without waiting for it; the
 * calls on the device go through here, to be looked at or answered differently.
 */
#ifndef TESTS_DEVICE_FENCED_KIT_H
#define TESTS_DEVICE_FENCED_KIT_H

#include <pthread.h>

#include "drm/rknpu_ioctl.h"
#include "lib/core/provider.h"
#include "lib/encode/matmul.h"
#include "providers/rknpu/rknpu_provider.h"
#include "support.h"

static const struct rocket_provider *const p = &rocket_provider_rknpu;

/* ---- the clock ---- */

extern _Atomic long seconds_ahead;

/* ---- the kernel ---- */

#define SUBMITS_MAX 64

struct fenced_kernel {
	pthread_mutex_t lock;
	bool without_fences, loses_fences;
	bool withholds_fences;  /* and hands out a fence of its own */
	_Atomic bool hung;      /* what fake_is_hung() answers */
	unsigned refuse_at;     /* the SUBMIT with this number gets ENOMEM */
	uint32_t cores;         /* others are refused; 0: none is */
	int info_errno, status; /* of SYNC_IOC_FILE_INFO; status 0: the device's */
	unsigned submits, resets;
	uint32_t masks[SUBMITS_MAX];
	unsigned before; /* fences before the last SUBMIT that were not signalled at it */
	int fences[SUBMITS_MAX];
};

extern struct fenced_kernel k;
extern struct rocket_kernel kernel;
extern struct rocket_node node;
extern unsigned fds, threads; /* before the node was opened */

bool signalled(int fence, int ms);
/* When what can begin has begun: by a clock that nobody puts forward it would have, long before. */
void let_limits_pass(void);
/* What the provider's open gives with ROCKET_RKNPU_SUBMIT=mode. */
int open_node(const char *mode);
void close_node(void);
/* Of every test: fenced, and jobs are given up as on a board. */
int setup(void **state);
int teardown(void **state);

/* ---- jobs ---- */

#define LONG_NS UINT64_C(60000000000)

struct work {
	rocket_bo prog, a, b, c;
	double expected[KIT_M][KIT_N];
	rocket_task_desc task[3];
	uint32_t in[3], out;
	struct rocket_provider_job job; /* points into this struct */
};

/* C = A . B^T; input NULL: an A of its own. */
void make(struct work *w, unsigned seed, const rocket_bo *input);
void make_hung(struct work *w);
void drop(struct work *w);
int submit(const struct work *w);
/* When it has ended. */
bool is_right(const struct work *w);

#endif

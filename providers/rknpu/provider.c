// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * provider.c - finding and opening nodes of the vendor's rknpu driver, 0.9.6 and later.
 *
 * What the seam asks for and this driver has no call for:
 *   waiting for a buffer   SUBMIT waits for its job; the failure of one is kept with the buffers
 *                          that it was to write and told by bo_prep
 *   submits that return    on demand (ROCKET_RKNPU_SUBMIT), through NONBLOCK and FENCE_OUT: no one
 *   at once                but the next such submit retires a job that hangs; fence.c has the rest
 *   several tasks          chained, one SUBMIT; not chained, one SUBMIT each, between which the
 *                          tasks of others may run, on any core
 *   several jobs           one after the other; up to three that share no buffer that one of them
 *                          writes run at once, on a core each
 *   lists of buffers       every object is mapped as long as it lives
 *   NO_DPU_DONE            no such thing: refused by its capability
 */
#include <drm.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "node.h"

#define VERSION_OLDEST 906u /* before it MEM_CREATE had another form */
#define VERSION_TIGHT  907u

int rknpu_call(const struct rocket_node *node, unsigned long request, void *arg)
{
	return node->kernel->ioctl(node->fd, request, arg) < 0 ? -errno : 0;
}

/* 0 when fd is a DRM node: of this driver or of another. */
static int drm_name(const struct rocket_kernel *kernel, int fd, char name[32])
{
	struct drm_version v = { .name = name, .name_len = 31 };

	memset(name, 0, 32);
	return kernel->ioctl(fd, DRM_IOCTL_VERSION, &v) < 0 ? -errno : 0;
}

/* A build of the driver over dma-buf heaps is a misc device, which knows no DRM request. */
static bool is_misc(const struct rocket_kernel *kernel, int fd)
{
	struct rknpu_action a = { .flags = RKNPU_GET_DRV_VERSION };

	return kernel->ioctl(fd, IOCTL_RKNPU_ACTION, &a) == 0 && a.value;
}

static int match(const struct rocket_kernel *kernel, int fd)
{
	char name[32];

	if (drm_name(kernel, fd, name))
		return is_misc(kernel, fd) ? 0 : -ENODEV;
	return strcmp(name, "rknpu") ? -ENODEV : 0;
}

static struct rocket_caps caps_of(uint32_t version)
{
	return (struct rocket_caps){
		.version_major = version / 10000,
		.version_minor = version / 100 % 100,
		.ranges = 1,
		.batched = 1,
		.batched_native = 1,
		.ppu_done = 1,
		.completion_tracked = 1, /* one interrupt after the last task of a kick [silicon] */
		.errors_reported = 1,
	};
}

static int refuse(struct rocket_node *node, int err, const char *reason)
{
	snprintf(node->refusal, sizeof(node->refusal), "%s", reason);
	return err;
}

static int check_version(struct rocket_node *node, uint32_t *version)
{
	struct rknpu_action a = { .flags = RKNPU_GET_DRV_VERSION };
	char name[32];
	int r;

	if (drm_name(node->kernel, node->fd, name))
		return refuse(node, -EOPNOTSUPP,
			      "the driver is built for dma-buf heaps; its DRM form is supported");
	r = rknpu_call(node, DRM_IOCTL_RKNPU_ACTION, &a);
	if (r)
		return r;
	*version = a.value;
	snprintf(node->driver_version, sizeof(node->driver_version), "%u.%u.%u", a.value / 10000,
		 a.value / 100 % 100, a.value % 100);
	if (a.value < VERSION_OLDEST) {
		snprintf(node->refusal, sizeof(node->refusal),
			 "driver %s is too old: 0.9.6 or later is needed", node->driver_version);
		return -EOPNOTSUPP;
	}
	return 0;
}

/* Contiguous memory is scarce, and where it runs out this driver hands out what cannot be mapped;
 * without the last flag it loses address space [silicon]. */
static uint32_t memory_flags(uint32_t version)
{
	return RKNPU_MEM_NON_CONTIGUOUS | RKNPU_MEM_CACHEABLE | RKNPU_MEM_IOMMU |
	       RKNPU_MEM_ZEROING |
	       (version >= VERSION_TIGHT ? RKNPU_MEM_IOMMU_LIMIT_IOVA_ALIGNMENT : 0);
}

static int check_mode(struct rocket_node *node, bool *fenced)
{
	const char *mode = node->rknpu_submit ? node->rknpu_submit : "";

	*fenced = !strcmp(mode, "fenced");
	if (*fenced || !*mode || !strcmp(mode, "blocking"))
		return 0;
	snprintf(node->refusal, sizeof(node->refusal),
		 "ROCKET_RKNPU_SUBMIT=%s is neither blocking nor fenced", mode);
	return -EINVAL;
}

static int open_node(struct rocket_node *node)
{
	struct rknpu_state *state;
	pthread_condattr_t monotonic;
	uint32_t version;
	bool fenced;
	int r = check_mode(node, &fenced);

	if (!r)
		r = check_version(node, &version);
	if (r)
		return r;
	state = calloc(1, sizeof(*state));
	if (!state)
		return -ENOMEM;
	state->memory_flags = memory_flags(version);
	state->fenced = fenced;
	pthread_mutex_init(&state->lock, NULL);
	pthread_mutex_init(&state->submit_lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&state->ended, &monotonic);
	pthread_condattr_destroy(&monotonic);
	node->priv = state;
	node->caps = caps_of(version);
	node->counts_calls = true;
	node->kernel->identify(node->fd, node->chip, &node->cores);
	return 0;
}

static void close_node(struct rocket_node *node)
{
	struct rknpu_state *state = node->priv;

	rknpu_fence_close(node);
	if (state->tasks.handle)
		rknpu_object_free(node, &state->tasks);
	pthread_cond_destroy(&state->ended);
	pthread_mutex_destroy(&state->submit_lock);
	pthread_mutex_destroy(&state->lock);
	free(state->objects);
	free(state);
	node->priv = NULL;
}

/* Render nodes first: who opens a card may become its master. */
static const char *const node_globs[] = { "/dev/dri/renderD*", "/dev/dri/card*", "/dev/rknpu",
					  NULL };

const struct rocket_provider rocket_provider_rknpu = {
	.abi_version = ROCKET_PROVIDER_ABI,
	.size = sizeof(struct rocket_provider),
	.name = "rknpu",
	.node_globs = node_globs,
	.match = match,
	.open = open_node,
	.close = close_node,
	.bo_alloc = rknpu_bo_alloc,
	.bo_free = rknpu_bo_free,
	.bo_prep = rknpu_bo_prep,
	.bo_fini = rknpu_bo_fini,
	.bo_prep_ranges = rknpu_bo_prep_ranges,
	.bo_fini_ranges = rknpu_bo_fini_ranges,
	.scratch_size = rknpu_scratch_size,
	.submit = rknpu_submit_jobs,
};

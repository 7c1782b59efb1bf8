/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rknpu_fake.h - a vendor's driver that keeps its objects in a table and its SUBMITs in a list, and
 * fails on demand. A test has one, with a node of the rknpu provider open on it.
 */
#ifndef TESTS_DEVICE_RKNPU_FAKE_H
#define TESTS_DEVICE_RKNPU_FAKE_H

#include "drm/rknpu_ioctl.h"
#include "fake_kernel.h"
#include "providers/rknpu/rknpu_provider.h"
#include "support.h"

#define OBJECTS_MAX 64

struct rknpu_fake {
	struct fake_node node;
	bool misc;
	uint32_t version;
	struct {
		uint32_t flags;
		uint64_t size, to_device, from_device; /* bytes synced */
		void *mem;
		bool live, mapped;
	} objects[OBJECTS_MAX];
	unsigned live, mapped;
	unsigned long fail_request; /* fails with fail_errno, fail_after of them later */
	unsigned fail_after;
	int fail_errno;
	bool fail_mmap;
	int submit_errno;
	unsigned from, until; /* SUBMITs that fail so: from these on, before those; 0, 0: all */
	bool began;           /* what fails so has run */
	unsigned submits;
	struct rknpu_submit submit[8];
	struct rknpu_task tasks[8][256];
};

extern struct rknpu_fake fake;
extern struct rocket_node node;
extern const struct rocket_kernel rknpu_fake_kernel;
static const struct rocket_provider *const p = &rocket_provider_rknpu;

/* A new one of a version: what the provider's open gives. */
int rknpu_fake_open(uint32_t version);
/* Of every test, with 0.9.8. */
int rknpu_fake_setup(void **state);
int rknpu_fake_teardown(void **state);

#endif

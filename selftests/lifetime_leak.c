// SPDX-License-Identifier: LGPL-2.1-or-later
/* What the kernel keeps of files and buffers that are gone, or never came to be. */
#include "lifetime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "sysfs.h"

#define SLAB  "/proc/slabinfo"
#define PAGES "/proc/vmstat"

/* Objects in use of the caches that small allocations come from. */
static long long small_objects(void)
{
	static const char *const caches[] = { "kmalloc-8", "kmalloc-16", "kmalloc-32", "kmalloc-64",
					      "kmalloc-cg-64" };
	long long sum = 0;
	bool any = false;

	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		long long n = table_number(SLAB, caches[i], -1);

		any |= n >= 0;
		sum += n > 0 ? n : 0;
	}
	return any ? sum : -1;
}

/* The stock driver loses one array for each file while one core is bound. */
static void open_and_close_leak_no_objects(struct test *t)
{
	unsigned rounds = test_rounds(t, 3000, 20000);
	long long before, after;

	if (small_objects() < 0) {
		test_skip(t, SLAB " is not readable");
		return;
	}
	for (unsigned warm = 0; warm < 2; warm++) {
		before = small_objects();
		for (unsigned i = 0; i < rounds; i++) {
			int fd = t->node->calls->open(t->node->path);

			REQUIRE(t, fd >= 0 && !close(fd), "round %u: %s", i, strerror(errno));
		}
		sleep_ms(200); /* what is freed later, by RCU or a worker */
		after = small_objects();
	}
	CHECK(t, after - before < rounds / 2, "%lld objects more after %u rounds", after - before,
	      rounds);
}

/* ---- a memory limit, so that CREATE_BO fails after it has begun ---- */

struct limit {
	char root[64], group[96];
};

static void limit_remove(struct limit *l)
{
	char path[160];

	if (l->group[0]) {
		snprintf(path, sizeof(path), "%s/cgroup.procs", l->root);
		sysfs_write(path, "0");
		rmdir(l->group);
	}
	umount2(l->root, MNT_DETACH);
	rmdir(l->root);
}

/* This process in a group of its own that may have so much memory. false: not here. */
static bool limit_memory(struct limit *l, const char *bytes)
{
	char path[160];

	memset(l, 0, sizeof(*l));
	strcpy(l->root, "/tmp/rocket-selftest-XXXXXX");
	if (!mkdtemp(l->root))
		return false;
	if (mount("none", l->root, "cgroup2", 0, NULL)) {
		rmdir(l->root);
		return false;
	}
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", l->root);
	sysfs_write(path, "+memory"); /* may be on already; the next step tells */
	snprintf(l->group, sizeof(l->group), "%s/rocket-selftest", l->root);
	if (mkdir(l->group, 0755)) {
		l->group[0] = '\0';
		limit_remove(l);
		return false;
	}
	snprintf(path, sizeof(path), "%s/memory.max", l->group);
	if (!sysfs_write(path, bytes)) {
		snprintf(path, sizeof(path), "%s/cgroup.procs", l->group);
		if (!sysfs_write(path, "0"))
			return true;
	}
	limit_remove(l);
	return false;
}

/* Rounds of: open, a buffer of size, close. Returns how many pages more IOMMUs then have. */
static long long iommu_pages_kept(struct test *t, unsigned rounds, uint32_t size, int want)
{
	long long before = table_number(PAGES, "nr_iommu_pages", -1);

	for (unsigned i = 0; i < rounds; i++) {
		struct file *f = test_file(t);
		struct drm_rocket_create_bo args = { .size = size };
		int ret;

		if (!f)
			break;
		ret = file_create_bo(f, &args);
		test_file_close(f);
		if (!CHECK(t, ret == want, "CREATE_BO of %u bytes: %s", size, strerror(-ret)))
			break;
	}
	sleep_ms(100);
	return table_number(PAGES, "nr_iommu_pages", -1) - before;
}

static void buffer_that_fails_leaks_no_domain(struct test *t)
{
	const unsigned rounds = test_rounds(t, 60, 300);
	struct limit limit;
	long long kept;

	if (table_number(PAGES, "nr_iommu_pages", -1) < 0) {
		test_skip(t, "no nr_iommu_pages in " PAGES);
		return;
	}
	kept = iommu_pages_kept(t, rounds, PAGE, 0);
	CHECK(t, kept < rounds / 2, "good buffers keep %lld pages", kept);
	if (!limit_memory(&limit, "8388608")) {
		test_skip(t, "no memory limit by cgroup2 here");
		return;
	}
	kept = iommu_pages_kept(t, rounds, 16u << 20, -ENOMEM);
	limit_remove(&limit);
	CHECK(t, kept < rounds / 2, "%u failing ones keep %lld pages", rounds, kept);
}

static const struct test_case cases[] = {
	{ .name = "open_and_close_leak_no_objects",
	  .run = open_and_close_leak_no_objects,
	  .expects = EXPECT_NO_LEAKS,
	  .needs = NEED_ROOT,
	  .seconds = 120 },
	{ .name = "buffer_that_fails_leaks_no_domain",
	  .run = buffer_that_fails_leaks_no_domain,
	  .expects = EXPECT_NO_LEAKS,
	  .needs = NEED_ROOT },
};

struct test_table leak_cases(void)
{
	return TEST_TABLE(cases);
}

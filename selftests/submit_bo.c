// SPDX-License-Identifier: LGPL-2.1-or-later
#include "submit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "file.h"

#define WINDOW (UINT64_C(1) << 32)

static void create_bo_first_address_is_zero(struct test *t)
{
	for (int i = 0; i < 2; i++) { /* each file has a window of its own */
		struct file *f = test_file(t);
		struct bo *bo = f ? test_bo(t, f, PAGE) : NULL;

		REQUIRE(t, bo, "no buffer");
		CHECK(t, bo->dma == 0, "%#x", bo->dma);
	}
}

static void create_bo_sizes_rounded_to_pages(struct test *t)
{
	static const uint32_t sizes[] = { 1, 8, 4095, 4096, 4097, 8191, 8193, 100000 };
	struct file *f = test_file(t);

	REQUIRE(t, f, "no file");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct bo *bo = test_bo(t, f, sizes[i]); /* maps the rounded size */

		REQUIRE(t, bo, "no buffer");
		CHECK(t, bo->dma % PAGE == 0, "size %u: address %#x", sizes[i], bo->dma);
		memset(bo->map, 0xff, bo->size);
	}
}

static void create_bo_ranges_distinct(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *bo[40];

	REQUIRE(t, f, "no file");
	for (unsigned i = 0; i < 40; i++) {
		bo[i] = test_bo(t, f, 1 + i * 1777);
		REQUIRE(t, bo[i], "no buffer");
		for (unsigned j = 0; j < i; j++) {
			uint64_t end_i = (uint64_t)bo[i]->dma + bo[i]->size;
			uint64_t end_j = (uint64_t)bo[j]->dma + bo[j]->size;

			CHECK(t, bo[i]->dma >= end_j || bo[j]->dma >= end_i,
			      "%#x+%#x overlaps %#x+%#x", bo[i]->dma, bo[i]->size, bo[j]->dma,
			      bo[j]->size);
			CHECK(t, bo[i]->handle != bo[j]->handle, "handle %u twice", bo[i]->handle);
			CHECK(t, bo[i]->offset != bo[j]->offset, "one mmap offset twice");
		}
	}
}

static void create_bo_size_zero_refused(struct test *t)
{
	struct file *f = test_file(t);
	struct drm_rocket_create_bo args = { .size = 0 };
	int ret;

	REQUIRE(t, f, "no file");
	ret = file_create_bo(f, &args);
	CHECK(t, ret == -EINVAL, "%s", strerror(-ret));
	CHECK(t, test_bo(t, f, PAGE), "no buffer afterwards");
}

static bool all_bytes(const struct bo *bo, unsigned char value)
{
	const unsigned char *p = bo->map;

	for (uint32_t i = 0; i < bo->size; i++)
		if (p[i] != value)
			return false;
	return true;
}

/* Also after other buffers of the file held something there. */
static void create_bo_memory_is_zero(struct test *t)
{
	struct file *f = test_file(t);

	REQUIRE(t, f, "no file");
	for (int i = 0; i < 8; i++) {
		struct bo *bo = test_bo(t, f, 64 * PAGE);

		REQUIRE(t, bo, "no buffer");
		CHECK(t, all_bytes(bo, 0), "round %d: not zero", i);
		memset(bo->map, 0x5a, bo->size);
		bo_unmap(f, bo);
		REQUIRE(t, !bo_close_handle(f, bo), "GEM_CLOSE");
	}
}

static void create_bo_many_then_free_reuses_addresses(struct test *t)
{
	struct file *f = test_file(t);
	struct drm_rocket_create_bo args;
	uint64_t highest = 0;

	REQUIRE(t, f, "no file");
	for (int i = 0; i < 2000; i++) {
		args = (struct drm_rocket_create_bo){ .size = 16 * PAGE };
		REQUIRE(t, !file_create_bo(f, &args), "round %d", i);
		if (args.dma_address > highest)
			highest = args.dma_address;
		REQUIRE(t, !file_gem_close(f, args.handle), "round %d", i);
	}
	/* Freeing may be deferred a little, never for good. */
	CHECK(t, highest < 1000 * 16 * PAGE, "addresses rise to %#llx",
	      (unsigned long long)highest);
}

static void mmap_reads_what_was_written(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *bo = f ? test_bo(t, f, 3 * PAGE) : NULL;
	unsigned char *again;

	REQUIRE(t, bo, "no buffer");
	for (uint32_t i = 0; i < bo->size; i++)
		((unsigned char *)bo->map)[i] = (unsigned char)(i * 7 + i / PAGE);
	again = t->node->calls->mmap(f->fd, bo->size, bo->offset);
	REQUIRE(t, again != MAP_FAILED, "second mapping: %s", strerror(errno));
	CHECK(t, !memcmp(again, bo->map, bo->size), "the mappings differ");
	again[PAGE] ^= 0xff;
	CHECK(t, ((unsigned char *)bo->map)[PAGE] == again[PAGE], "not one memory");
	t->node->calls->munmap(f->fd, again, bo->size);
}

static void mmap_part_of_a_buffer(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *bo = f ? test_bo(t, f, 4 * PAGE) : NULL;
	void *part;

	REQUIRE(t, bo, "no buffer");
	memset(bo->map, 0x3c, bo->size);
	part = t->node->calls->mmap(f->fd, PAGE, bo->offset);
	REQUIRE(t, part != MAP_FAILED, "%s", strerror(errno));
	CHECK(t, !memcmp(part, bo->map, PAGE), "other memory");
	t->node->calls->munmap(f->fd, part, PAGE);
}

static void check_mmap_refused(struct test *t, const struct file *f, size_t length, uint64_t offset,
			       const char *what)
{
	void *p = t->node->calls->mmap(f->fd, length, offset);

	CHECK(t, p == MAP_FAILED && (errno == EINVAL || errno == EACCES || errno == EPERM),
	      "%s: %s", what, p == MAP_FAILED ? strerror(errno) : "mapped");
	if (p != MAP_FAILED)
		t->node->calls->munmap(f->fd, p, length);
}

static void mmap_wrong_offset_or_length_refused(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *bo = f ? test_bo(t, f, 2 * PAGE) : NULL;

	REQUIRE(t, bo, "no buffer");
	check_mmap_refused(t, f, PAGE, bo->offset + PAGE, "from the second page");
	check_mmap_refused(t, f, PAGE, bo->offset + 1, "unaligned");
	check_mmap_refused(t, f, PAGE, bo->offset + 64 * PAGE, "behind the buffer");
	check_mmap_refused(t, f, 3 * PAGE, bo->offset, "longer than the buffer");
	check_mmap_refused(t, f, 0, bo->offset, "length 0");
	check_mmap_refused(t, f, PAGE, 0, "offset 0");
}

static void mmap_of_another_files_buffer_refused(struct test *t)
{
	struct file *f = test_file(t), *other = test_file(t);
	struct bo *bo = f ? test_bo(t, f, PAGE) : NULL;

	REQUIRE(t, bo && other, "no buffer");
	check_mmap_refused(t, other, PAGE, bo->offset, "foreign offset");
}

static void mapping_outlives_the_handle(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *bo = f ? test_bo(t, f, 2 * PAGE) : NULL;
	struct bo *next;

	REQUIRE(t, bo, "no buffer");
	memset(bo->map, 0x11, bo->size);
	REQUIRE(t, !bo_close_handle(f, bo), "GEM_CLOSE");
	CHECK(t, all_bytes(bo, 0x11), "contents changed");
	memset(bo->map, 0x22, bo->size);
	next = test_bo(t, f, 2 * PAGE);
	REQUIRE(t, next, "no buffer");
	CHECK(t, all_bytes(next, 0), "the next buffer is the old memory");
	CHECK(t, all_bytes(bo, 0x22), "contents changed");
}

static void handle_zero_is_none(struct test *t)
{
	struct file *f = test_file(t);
	int ret;

	REQUIRE(t, f, "no file");
	ret = file_gem_close(f, 0);
	CHECK(t, ret == -EINVAL, "GEM_CLOSE: %s", strerror(-ret));
	ret = file_prep(f, 0, 0);
	CHECK(t, ret == -ENOENT, "PREP_BO: %s", strerror(-ret));
	ret = file_fini(f, 0);
	CHECK(t, ret == -ENOENT, "FINI_BO: %s", strerror(-ret));
}

static void handle_closed_twice_refused(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *bo = f ? test_bo(t, f, PAGE) : NULL;
	uint32_t handle;
	int ret;

	REQUIRE(t, bo, "no buffer");
	handle = bo->handle;
	REQUIRE(t, !bo_close_handle(f, bo), "GEM_CLOSE");
	ret = file_gem_close(f, handle);
	CHECK(t, ret == -EINVAL, "GEM_CLOSE again: %s", strerror(-ret));
	ret = file_prep(f, handle, 0);
	CHECK(t, ret == -ENOENT, "PREP_BO: %s", strerror(-ret));
}

/* ---- the 4 GiB window ---- */

static uint64_t available_memory(void)
{
	unsigned long long kib = 0;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib * 1024;
}

/* On a board a buffer's pages are real from the start. What is left to everybody else. */
#define RESERVE (UINT64_C(256) << 20)

static bool enough_memory(struct test *t, uint64_t bytes)
{
	if (t->node->calls->in_process || available_memory() > bytes + RESERVE)
		return true;
	test_skip(t, "needs %llu MiB of free memory", (unsigned long long)(bytes + RESERVE) >> 20);
	return false;
}

/* Create buffers of size until one is refused. Returns how many, the last handle in *last. */
static unsigned fill_window(struct test *t, const struct file *f, uint32_t size, uint32_t *last)
{
	unsigned n = 0;

	for (;;) {
		struct drm_rocket_create_bo args = { .size = size };
		int ret = file_create_bo(f, &args);

		if (ret) {
			CHECK(t, ret == -ENOSPC || ret == -ENOMEM, "%s", strerror(-ret));
			return n;
		}
		if (!CHECK(t, args.dma_address + size <= WINDOW, "address %#llx",
			   (unsigned long long)args.dma_address) ||
		    !CHECK(t, n < WINDOW / size, "%u buffers of %u bytes fit", n + 1, size))
			return n;
		*last = args.handle;
		n++;
	}
}

static void window_exhausted_then_recovers(struct test *t)
{
	const uint32_t size = 64u << 20;
	struct file *f = test_file(t), *other = test_file(t);
	struct drm_rocket_create_bo args = { .size = size };
	uint32_t last = 0;
	unsigned n;

	REQUIRE(t, f && other, "no file");
	if (!enough_memory(t, WINDOW + size))
		return;
	n = fill_window(t, f, size, &last);
	CHECK(t, n >= WINDOW / size - 1, "only %u buffers of 64 MiB fit", n);
	CHECK(t, !file_create_bo(other, &args), "another file's window is full too");
	REQUIRE(t, !file_gem_close(f, last), "GEM_CLOSE");
	args = (struct drm_rocket_create_bo){ .size = size };
	CHECK(t, !file_create_bo(f, &args), "no buffer in the place of a freed one");
	REQUIRE(t, !file_gem_close(f, args.handle), "GEM_CLOSE");
	args = (struct drm_rocket_create_bo){ .size = PAGE };
	CHECK(t, !file_create_bo(f, &args), "no small buffer in the place of a freed one");
}

/* Half a million pages are cleared and mapped one by one; in an emulator on a busy host that takes
 * minutes. */
#define BIG_SECONDS 400

static void create_bo_of_two_gib(struct test *t)
{
	struct file *f = test_file(t);
	struct drm_rocket_create_bo args = { .size = 0x80000000 };
	int ret;

	REQUIRE(t, f, "no file");
	if (!enough_memory(t, args.size))
		return;
	ret = file_create_bo(f, &args);
	CHECK(t, !ret || ret == -ENOMEM, "%s", strerror(-ret));
	if (!ret)
		CHECK(t, !file_gem_close(f, args.handle), "GEM_CLOSE");
	CHECK(t, test_bo(t, f, PAGE), "no buffer afterwards");
}

static void create_bo_of_the_largest_size(struct test *t)
{
	struct file *f = test_file(t);
	struct drm_rocket_create_bo args = { .size = 0xffffffff };
	int ret;

	REQUIRE(t, f, "no file");
	REQUIRE(t, test_bo(t, f, PAGE), "no buffer");
	if (!enough_memory(t, WINDOW))
		return;
	ret = file_create_bo(f, &args); /* the window has one page too few */
	CHECK(t, ret == -ENOSPC || ret == -ENOMEM, "%s", strerror(-ret));
	CHECK(t, test_bo(t, f, PAGE), "no buffer afterwards");
}

static const struct test_case cases[] = {
	{ .name = "create_bo_first_address_is_zero", .run = create_bo_first_address_is_zero },
	{ .name = "create_bo_sizes_rounded_to_pages", .run = create_bo_sizes_rounded_to_pages },
	{ .name = "create_bo_ranges_distinct", .run = create_bo_ranges_distinct },
	{ .name = "create_bo_size_zero_refused",
	  .run = create_bo_size_zero_refused,
	  .expects = EXPECT_SIZE_CHECKED },
	{ .name = "create_bo_memory_is_zero", .run = create_bo_memory_is_zero },
	{ .name = "create_bo_many_then_free_reuses_addresses",
	  .run = create_bo_many_then_free_reuses_addresses },
	{ .name = "create_bo_of_two_gib",
	  .run = create_bo_of_two_gib,
	  .expects = EXPECT_BIG_BUFFERS,
	  .seconds = BIG_SECONDS },
	{ .name = "create_bo_of_the_largest_size",
	  .run = create_bo_of_the_largest_size,
	  .expects = EXPECT_BIG_BUFFERS,
	  .seconds = BIG_SECONDS },
	{ .name = "window_exhausted_then_recovers",
	  .run = window_exhausted_then_recovers,
	  .seconds = 120 },
	{ .name = "mmap_reads_what_was_written", .run = mmap_reads_what_was_written },
	{ .name = "mmap_part_of_a_buffer", .run = mmap_part_of_a_buffer },
	{ .name = "mmap_wrong_offset_or_length_refused",
	  .run = mmap_wrong_offset_or_length_refused },
	{ .name = "mmap_of_another_files_buffer_refused",
	  .run = mmap_of_another_files_buffer_refused },
	{ .name = "mapping_outlives_the_handle", .run = mapping_outlives_the_handle },
	{ .name = "handle_zero_is_none", .run = handle_zero_is_none },
	{ .name = "handle_closed_twice_refused", .run = handle_closed_twice_refused },
};

struct test_table bo_cases(void)
{
	return TEST_TABLE(cases);
}

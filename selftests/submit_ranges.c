// SPDX-License-Identifier: LGPL-2.1-or-later
/* PREP_BO_RANGES and FINI_BO_RANGES. What the caches do is not seen from here. */
#include "submit.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "load.h"

#define SIZE       (4 * PAGE)
#define RANGES_MAX 1024u
#define SELF       0xffffffffu /* the handle of the buffer */

static int ranges_call(const struct file *f, bool prep, struct drm_rocket_prep_bo_ranges *args)
{
	struct drm_rocket_fini_bo_ranges fini = { .handle = args->handle,
						  .range_count = args->range_count,
						  .ranges = args->ranges,
						  .reserved = args->reserved };
	int ret;

	if (!prep)
		return file_ioctl(f, DRM_IOCTL_ROCKET_FINI_BO_RANGES, &fini);
	do {
		ret = file_ioctl(f, DRM_IOCTL_ROCKET_PREP_BO_RANGES, args);
	} while (ret == -EINTR);
	return ret;
}

/* ---- the malformations, each once with either call ---- */

struct bad_row {
	bool prep;
	uint32_t handle, count;
	uint64_t reserved;
	struct drm_rocket_bo_range r[2];
	int ret;
	enum { READABLE, NOWHERE, HALF } array;
};

/* The two ranges of row; the second one behind the end of what is mapped, or both nowhere. */
static uint64_t place_ranges(struct test *t, const struct bad_row *row,
			     struct drm_rocket_bo_range *all)
{
	char *pages;

	memcpy(all, row->r, sizeof(row->r));
	if (row->array == READABLE)
		return (uintptr_t)all;
	if (row->array == NOWHERE)
		return 0x10;
	pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!CHECK(t, pages != MAP_FAILED, "mmap"))
		return 0;
	munmap(pages + PAGE, PAGE);
	memcpy(pages + PAGE - sizeof(*all), row->r, sizeof(*all));
	return (uintptr_t)(pages + PAGE - sizeof(*all));
}

static void ranges_refused(struct test *t)
{
	const struct bad_row *row = t->as->arg;
	struct file *f = test_file(t);
	struct bo *bo = f ? test_bo(t, f, SIZE) : NULL;
	struct drm_rocket_bo_range *all = test_alloc(t, (RANGES_MAX + 1) * sizeof(*all));
	struct drm_rocket_prep_bo_ranges args;
	int ret;

	REQUIRE(t, bo && all, "no buffer");
	for (uint32_t i = 2; i <= RANGES_MAX; i++) /* good ones, for counts beyond two */
		all[i] = (struct drm_rocket_bo_range){ i * 8, 8 };
	args = (struct drm_rocket_prep_bo_ranges){
		.handle = row->handle == SELF ? bo->handle : row->handle,
		.range_count = row->count,
		.ranges = place_ranges(t, row, all),
		.reserved = row->reserved,
	};
	ret = ranges_call(f, row->prep, &args);
	CHECK(t, ret == row->ret, "%s, must be: %s", strerror(-ret), strerror(-row->ret));
	CHECK(t, !file_prep(f, bo->handle, 0) && !file_fini(f, bo->handle), "the buffer is gone");
}

/* ---- what they do ---- */

static void ranges_accepted(struct test *t)
{
	static const struct {
		const char *name;
		uint32_t count;
		struct drm_rocket_bo_range r[3];
	} rows[] = {
		{ "none: the whole buffer", 0, { { 0 } } },
		{ "one byte", 1, { { 5, 1 } } },
		{ "the whole buffer", 1, { { 0, SIZE } } },
		{ "adjacent", 3, { { 0, 64 }, { 64, 64 }, { 128, SIZE - 128 } } },
		{ "across pages", 2, { { PAGE - 1, 2 }, { 2 * PAGE - 3, PAGE + 5 } } },
		{ "the last byte", 2, { { 0, 1 }, { SIZE - 1, 1 } } },
	};
	struct file *f = test_file(t);
	struct bo *bo = f ? test_bo(t, f, SIZE) : NULL;

	REQUIRE(t, bo, "no buffer");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int prep = 0; prep < 2; prep++) {
			struct drm_rocket_prep_bo_ranges args = { .handle = bo->handle,
								  .range_count = rows[i].count,
								  .ranges = (uintptr_t)rows[i].r };
			int ret = ranges_call(f, prep, &args);

			CHECK(t, !ret, "%s, %s: %s", prep ? "PREP" : "FINI", rows[i].name,
			      strerror(-ret));
		}
}

static void ranges_of_the_largest_count(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *bo = f ? test_bo(t, f, SIZE) : NULL;
	struct drm_rocket_bo_range *r = test_alloc(t, RANGES_MAX * sizeof(*r));

	REQUIRE(t, bo && r, "no buffer");
	for (uint32_t i = 0; i < RANGES_MAX; i++)
		r[i] = (struct drm_rocket_bo_range){ i * 16, 8 };
	for (int prep = 0; prep < 2; prep++) {
		struct drm_rocket_prep_bo_ranges args = { .handle = bo->handle,
							  .range_count = RANGES_MAX,
							  .ranges = (uintptr_t)r };

		CHECK(t, !ranges_call(f, prep, &args), "%s", prep ? "PREP" : "FINI");
	}
}

static int prep_first_page(const struct file *f, uint32_t handle, uint64_t size, int64_t deadline)
{
	struct drm_rocket_bo_range r = { 0, size };
	struct drm_rocket_prep_bo_ranges args = {
		.handle = handle, .range_count = 1, .ranges = (uintptr_t)&r, .timeout_ns = deadline
	};

	return ranges_call(f, true, &args);
}

/* As PREP_BO, in both directions; and a range that is wrong is refused without a wait. */
static void ranges_of_a_busy_buffer(struct test *t)
{
	struct file *f = test_file(t);
	int64_t start, timeout = job_timeout(t);
	struct load l;
	int ret;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	load_hang(&l, 0);
	start = now_ns();
	REQUIRE(t, !load_submit(&l), "SUBMIT");
	ret = prep_first_page(f, l.out->handle, PAGE, 0);
	CHECK(t, ret == -EBUSY, "past deadline: %s", strerror(-ret));
	ret = prep_first_page(f, l.out->handle, 0, now_ns() + 10 * SECOND);
	CHECK(t, ret == -EINVAL && now_ns() - start < timeout, "empty range: %s", strerror(-ret));
	ret = prep_first_page(f, l.out->handle, PAGE, start + timeout / 4);
	CHECK(t, ret == -ETIMEDOUT || now_ns() - start > timeout, "near deadline: %s",
	      strerror(-ret));
	ret = prep_first_page(f, l.out->handle, PAGE, now_ns() + 10 * SECOND);
	CHECK(t, load_failed_as_told(&l, ret), "far deadline: %s", strerror(-ret));
}

/* The error is the buffer's, whichever call asks; handing a part back takes it away. */
static void ranges_tell_of_a_failed_job(struct test *t)
{
	struct file *f = test_file(t);
	struct drm_rocket_bo_range r = { 0, 64 };
	struct drm_rocket_prep_bo_ranges args = { .range_count = 1, .ranges = (uintptr_t)&r };
	struct load l;
	int ret;

	REQUIRE(t, load_make(&l, t, f, &small_matmul, 1, LOAD_INTEGERS), "no job");
	load_hang(&l, 0);
	REQUIRE(t, !load_submit(&l), "SUBMIT");
	ret = prep_first_page(f, l.out->handle, 64, now_ns() + 10 * SECOND);
	CHECK(t, ret == -EIO, "%s", strerror(-ret));
	ret = prep_first_page(f, l.out->handle, 64, 0);
	CHECK(t, ret == -EIO, "asked again: %s", strerror(-ret));
	args.handle = l.out->handle;
	CHECK(t, !ranges_call(f, false, &args), "FINI_BO_RANGES");
	ret = prep_first_page(f, l.out->handle, 64, 0);
	CHECK(t, !ret, "handed back: %s", strerror(-ret));
}

/* clang-format off */
#define BAD(what, ...)                                                                             \
	{ .name = "prep_ranges_" what, .run = ranges_refused, .expects = EXPECT_RANGES,            \
	  .arg = &(const struct bad_row){ .prep = true, __VA_ARGS__ } },                           \
	{ .name = "fini_ranges_" what, .run = ranges_refused, .expects = EXPECT_RANGES,            \
	  .arg = &(const struct bad_row){ .prep = false, __VA_ARGS__ } }
#define TWO(o0, s0, o1, s1) .handle = SELF, .count = 2, .r = { { o0, s0 }, { o1, s1 } }
#define GOOD(n)             .handle = SELF, .count = n, .r = { { 0, 64 }, { 64, 64 } }

static const struct test_case cases[] = {
	BAD("handle_0_refused", .count = 1, .r = { { 0, 8 } }, .ret = -ENOENT),
	BAD("handle_unknown_refused", .handle = 0x12345, .count = 1, .r = { { 0, 8 } },
	    .ret = -ENOENT),
	BAD("reserved_refused", GOOD(2), .reserved = 1, .ret = -EINVAL),
	BAD("reserved_high_refused", GOOD(2), .reserved = UINT64_C(1) << 63, .ret = -EINVAL),
	BAD("first_empty_refused", TWO(0, 0, 64, 64), .ret = -EINVAL),
	BAD("last_empty_refused", TWO(0, 64, 64, 0), .ret = -EINVAL),
	BAD("behind_the_end_refused", TWO(0, 64, SIZE, 1), .ret = -EINVAL),
	BAD("across_the_end_refused", TWO(0, 64, SIZE - 1, 2), .ret = -EINVAL),
	BAD("longer_than_the_buffer_refused", TWO(0, 64, 64, SIZE), .ret = -EINVAL),
	BAD("end_wrapping_refused", TWO(0, 64, UINT64_MAX, 2), .ret = -EINVAL),
	BAD("size_wrapping_refused", TWO(0, 64, 64, UINT64_MAX - 63), .ret = -EINVAL),
	BAD("overlapping_refused", TWO(0, 64, 63, 64), .ret = -EINVAL),
	BAD("descending_refused", TWO(64, 64, 0, 64), .ret = -EINVAL),
	BAD("count_1025_refused", GOOD(RANGES_MAX + 1), .ret = -EINVAL),
	BAD("count_4_gi_refused", GOOD(0xffffffff), .ret = -EINVAL),
	BAD("pointer_bad_faults", GOOD(2), .array = NOWHERE, .ret = -EFAULT),
	BAD("pointer_half_mapped_faults", GOOD(2), .array = HALF, .ret = -EFAULT),
	{ .name = "ranges_accepted", .run = ranges_accepted, .expects = EXPECT_RANGES },
	{ .name = "ranges_of_the_largest_count",
	  .run = ranges_of_the_largest_count,
	  .expects = EXPECT_RANGES },
	{ .name = "ranges_of_a_busy_buffer",
	  .run = ranges_of_a_busy_buffer,
	  .expects = EXPECT_RANGES,
	  .log = KLOG_TIMEOUT },
	{ .name = "ranges_tell_of_a_failed_job",
	  .run = ranges_tell_of_a_failed_job,
	  .expects = EXPECT_JOB_ERRORS,
	  .log = KLOG_TIMEOUT },
};
/* clang-format on */

struct test_table ranges_cases(void)
{
	return TEST_TABLE(cases);
}

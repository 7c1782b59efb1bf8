// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parts of the module that only compute, run here: which buffers a job names, and what of a
 * buffer is synchronised. kmod/check compiles it with empty files for the kernel's headers.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;
typedef u64 dma_addr_t;

/* rocket_bos.c */

struct drm_gem_object {
	u64 size;
};
struct rocket_job {
	struct drm_gem_object **in_bos, **out_bos;
	u32 in_bo_count, out_bo_count;
};

static void sort(void *base, size_t n, size_t size, int (*cmp)(const void *, const void *),
		 void *swap)
{
	(void)swap;
	qsort(base, n, size, cmp);
}

#include "rocket_bos.c"

/* rocket_ranges.c */

#define PAGE_SIZE          4096
#define offset_in_page(a)  ((a) % PAGE_SIZE)
#define min(a, b)          ((a) < (b) ? (a) : (b))
#define max(a, b)          ((a) > (b) ? (a) : (b))
#define min_t(t, a, b)     min((t)(a), (t)(b))
#define check_add_overflow __builtin_add_overflow
#define ERR_PTR(e)         ((void *)(intptr_t)(e))
#define PTR_ERR(p)         ((intptr_t)(p))
#define IS_ERR(p)          ((uintptr_t)(p) > (uintptr_t)-4096)
#define u64_to_user_ptr(p) ((void *)(uintptr_t)(p))
#define drm_dbg(dev, ...)  ((void)(dev))
#define kfree              free

enum dma_data_direction { DMA_BIDIRECTIONAL };
struct device;
struct drm_file;
struct drm_device {
	struct device *dev;
};
struct drm_rocket_bo_range {
	u64 offset, size;
};
struct drm_rocket_prep_bo_ranges {
	u32 handle, range_count;
	u64 ranges;
	s64 timeout_ns;
	u64 reserved;
};
struct drm_rocket_fini_bo_ranges {
	u32 handle, range_count;
	u64 ranges, reserved;
};
struct scatterlist {
	dma_addr_t addr;
	u32 len;
};
struct sg_table {
	struct scatterlist *sgl;
	int nents;
};
struct rocket_gem_object {
	struct drm_gem_object obj;
	struct {
		struct sg_table *sgt;
	} base;
};

#define for_each_sgtable_dma_sg(t, sg, i) for (i = 0, sg = (t)->sgl; i < (t)->nents; i++, sg++)
#define sg_dma_len(sg)                    ((sg)->len)
#define sg_dma_address(sg)                ((sg)->addr)

static struct rocket_gem_object bo;
static int wait_result, cleared, whole;
static u8 synced[1 << 20];
static bool crossed;

static struct rocket_gem_object *to_rocket_bo(struct drm_gem_object *obj)
{
	return (struct rocket_gem_object *)obj;
}

static struct drm_gem_object *drm_gem_object_lookup(struct drm_file *file, u32 handle)
{
	(void)file;
	return handle == 1 ? &bo.obj : NULL;
}

static void drm_gem_object_put(struct drm_gem_object *obj)
{
	(void)obj;
}

static int rocket_gem_wait(struct drm_gem_object *obj, s64 timeout)
{
	(void)obj;
	(void)timeout;
	return wait_result;
}

static void rocket_error_clear(struct drm_gem_object **bos, u32 count)
{
	(void)bos;
	cleared += count;
}

static void *memdup_array_user(const void *src, size_t n, size_t size)
{
	return src ? memcpy(malloc(n * size), src, n * size) : ERR_PTR(-EFAULT);
}

static void sync_single(struct device *dev, dma_addr_t addr, size_t size,
			enum dma_data_direction dir)
{
	(void)dev;
	(void)dir;
	crossed |= !size || addr / PAGE_SIZE != (addr + size - 1) / PAGE_SIZE;
	for (size_t i = 0; i < size; i++)
		synced[addr + i]++;
}

#define dma_sync_single_for_cpu                    sync_single
#define dma_sync_single_for_device                 sync_single
#define dma_sync_sgtable_for_cpu(dev, sgt, dir)    ((void)(sgt), whole++)
#define dma_sync_sgtable_for_device(dev, sgt, dir) ((void)(sgt), whole++)

#include "rocket_ranges.c"

/* the tests */

static int tests, failures;

static void check(bool ok, const char *name)
{
	failures += !ok;
	printf("%sok %d - %s\n", ok ? "" : "not ", ++tests, name);
}

/* Against the definition: each object once, written if any list of outputs names it. */
static bool bos_are_a_set(struct drm_gem_object *pool, u32 ins, u32 outs)
{
	struct drm_gem_object *in[16], *out[16], *bos[32];
	struct rocket_job job = { in, out, ins, outs };
	u32 count, writes;

	for (u32 i = 0; i < ins; i++)
		in[i] = &pool[rand() % 8];
	for (u32 i = 0; i < outs; i++)
		out[i] = &pool[rand() % 8];

	count = rocket_bos_collect(&job, bos, &writes);
	for (u32 o = 0; o < 8; o++) {
		u32 seen = 0, written = 0, is_in = 0, is_out = 0;

		for (u32 i = 0; i < count; i++) {
			seen += bos[i] == &pool[o];
			written += bos[i] == &pool[o] && i < writes;
		}
		for (u32 i = 0; i < ins; i++)
			is_in |= in[i] == &pool[o];
		for (u32 i = 0; i < outs; i++)
			is_out |= out[i] == &pool[o];
		if (seen != (is_in | is_out) || written != is_out)
			return false;
	}

	return true;
}

static void test_bos(void)
{
	struct drm_gem_object pool[8];
	bool ok = true;

	for (int i = 0; i < 5000; i++)
		ok &= bos_are_a_set(pool, rand() % 17, rand() % 17);
	check(ok, "buffers_named_repeatedly are taken once, written wins");
}

static int prep(struct drm_rocket_bo_range *ranges, u32 count)
{
	struct drm_rocket_prep_bo_ranges args = { 1, count, (uintptr_t)ranges, 0, 0 };
	struct drm_device dev = { NULL };

	return rocket_ioctl_prep_bo_ranges(&dev, &args, NULL);
}

static void test_refusals(void)
{
	static const struct {
		const char *name;
		struct drm_rocket_bo_range r[2];
		u32 count;
	} bad[] = {
		{ "range_empty", { { 0, 0 } }, 1 },
		{ "range_past_the_end", { { 4096, 61441 } }, 1 },
		{ "range_that_wraps", { { 4096, UINT64_MAX } }, 1 },
		{ "ranges_descending", { { 8192, 1 }, { 0, 1 } }, 2 },
		{ "ranges_overlapping", { { 0, 9 }, { 8, 1 } }, 2 },
	};
	static struct drm_rocket_bo_range many[1025];
	struct drm_rocket_fini_bo_ranges fini = { 2, 0, 0, 0 };
	struct drm_device dev = { NULL };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		check(prep((struct drm_rocket_bo_range *)bad[i].r, bad[i].count) == -EINVAL,
		      bad[i].name);
	for (u32 i = 0; i < 1025; i++)
		many[i] = (struct drm_rocket_bo_range){ 2 * i, 1 };
	check(prep(many, 1025) == -EINVAL, "ranges_1025 are too many");
	check(prep(many, 1024) == 0, "ranges_1024 are taken");
	check(prep(NULL, 1) == -EFAULT, "ranges_unreadable");
	check(rocket_ioctl_fini_bo_ranges(&dev, &fini, NULL) == -ENOENT, "handle_unknown");
	fini.handle = 1;
	fini.reserved = 1;
	check(rocket_ioctl_fini_bo_ranges(&dev, &fini, NULL) == -EINVAL, "reserved_set");
	fini.reserved = 0;
	whole = 0;
	cleared = 0;
	check(rocket_ioctl_fini_bo_ranges(&dev, &fini, NULL) == 0 && whole == 1 && cleared == 1,
	      "ranges_none mean the whole buffer, which FINI clears of errors");
}

/* Against the definition: a byte of the buffer is synchronised once if a range has it. */
static bool spans_are_right(struct sg_table *sgt)
{
	struct drm_rocket_bo_range r[8];
	u8 want[65536] = { 0 };
	u64 at = 0, pos = 0;
	u32 n = 0;

	while (n < 8) {
		r[n].offset = at + (rand() % 3 ? rand() % 9000 : 0);
		r[n].size = 1 + rand() % 9000;
		if (r[n].offset + r[n].size > 65536)
			break;
		memset(want + r[n].offset, 1, r[n].size);
		at = r[n].offset + r[n].size;
		n++;
	}
	if (!n)
		return true;

	memset(synced, 0, sizeof(synced));
	if (prep(r, n) != wait_result)
		return false;
	for (int s = 0; s < sgt->nents; s++) {
		if (memcmp(synced + sgt->sgl[s].addr, want + pos, sgt->sgl[s].len))
			return false;
		pos += sgt->sgl[s].len;
		memset(synced + sgt->sgl[s].addr, 0, sgt->sgl[s].len);
	}
	for (size_t i = 0; i < sizeof(synced); i++) {
		if (synced[i])
			return false;
	}

	return !crossed;
}

int main(void)
{
	struct scatterlist sgl[] = {
		{ 0x80000, 4096 }, { 0x10000, 12288 }, { 0x30000, 4096 }, { 0x40000, 45056 }
	};
	struct sg_table sgt = { sgl, 4 };
	bool ok = true;

	bo.obj.size = 65536;
	bo.base.sgt = &sgt;
	printf("TAP version 13\n");
	test_bos();
	test_refusals();
	for (int i = 0; i < 200; i++)
		ok &= spans_are_right(&sgt);
	check(ok, "ranges_over_segments synchronise each byte once, page by page");
	wait_result = -EIO;
	check(spans_are_right(&sgt), "wait_failed synchronises all the same");
	printf("1..%d\n", tests);

	return failures != 0;
}

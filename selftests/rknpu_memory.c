// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rknpu.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "vendor.h"

/* Of one address window that all files share. */
#define WINDOW (UINT64_C(1) << 32)

static void create_gives_whole_pages_below_4_gib(struct test *t)
{
	struct rknpu_mem_create args = { .flags = VENDOR_FLAGS, .size = 5000 };
	struct file *f = test_file(t);
	int ret;

	REQUIRE(t, f, "no file");
	ret = vendor_create(f, &args);
	REQUIRE(t, !ret, "MEM_CREATE: %s", strerror(-ret));
	CHECK(t, args.handle && args.obj_addr, "handle %u, object %#llx", args.handle,
	      (unsigned long long)args.obj_addr);
	CHECK(t, args.size == 8192, "size %llu", (unsigned long long)args.size);
	CHECK(t, args.dma_addr % PAGE == 0 && args.dma_addr + args.size <= WINDOW, "address %#llx",
	      (unsigned long long)args.dma_addr);
}

struct bad_create {
	uint32_t flags;
	uint64_t size;
};

static void create_is_refused(struct test *t)
{
	const struct bad_create *bad = t->as->arg;
	struct rknpu_mem_create args = { .flags = bad->flags, .size = bad->size };
	struct file *f = test_file(t);
	int ret;

	REQUIRE(t, f, "no file");
	ret = vendor_create(f, &args);
	CHECK(t, ret == -EINVAL, "%s", strerror(-ret));
}

static void create_of_a_handle_describes_its_object(struct test *t)
{
	struct file *f = test_file(t);
	struct rknpu_mem_create again = { .flags = VENDOR_FLAGS, .size = PAGE };
	struct bo *bo = NULL;
	int ret;

	REQUIRE(t, f && (bo = vendor_object(t, f, 3 * PAGE, 0)), "no object");
	again.handle = bo->handle;
	ret = vendor_create(f, &again);
	REQUIRE(t, !ret, "MEM_CREATE: %s", strerror(-ret));
	CHECK(t,
	      again.handle == bo->handle && again.obj_addr == bo->object &&
		      again.dma_addr == bo->dma && again.size == 3 * PAGE,
	      "another object: %u", again.handle);
}

static void map_of_an_unknown_handle_is_refused(struct test *t)
{
	struct file *f = test_file(t);
	uint64_t offset;

	REQUIRE(t, f, "no file");
	CHECK(t, vendor_map(f, 4711, &offset), "accepted");
}

static void mapping_keeps_what_was_written(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *bo = NULL;
	unsigned char *p;

	REQUIRE(t, f && (bo = vendor_object(t, f, 2 * PAGE, 0)), "no object");
	memset(bo->map, 0x3c, bo->size);
	bo_unmap(f, bo);
	bo->map = f->node->calls->mmap(f->fd, bo->size, bo->offset);
	if (bo->map == MAP_FAILED)
		bo->map = NULL;
	REQUIRE(t, bo->map, "mmap again: %s", strerror(errno));
	p = bo->map;
	for (unsigned i = 0; i < bo->size; i++)
		REQUIRE(t, p[i] == 0x3c, "byte %u is %#x", i, p[i]);
}

static void mapping_longer_than_the_object_is_refused(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *bo = NULL;
	void *p;

	REQUIRE(t, f && (bo = vendor_object(t, f, PAGE, 0)), "no object");
	p = f->node->calls->mmap(f->fd, 2 * PAGE, bo->offset);
	CHECK(t, p == MAP_FAILED, "two pages of one");
	if (p != MAP_FAILED)
		f->node->calls->munmap(f->fd, p, 2 * PAGE);
}

static void sync_takes_the_whole_and_ranges(struct test *t)
{
	static const struct {
		uint32_t flags;
		uint64_t offset, size;
	} rows[] = {
		{ RKNPU_MEM_SYNC_TO_DEVICE, 0, 4 * PAGE },
		{ RKNPU_MEM_SYNC_FROM_DEVICE, 0, 4 * PAGE },
		{ RKNPU_MEM_SYNC_TO_DEVICE, 64, 64 },
		{ RKNPU_MEM_SYNC_FROM_DEVICE, 3 * PAGE, PAGE },
		{ RKNPU_MEM_SYNC_TO_DEVICE | RKNPU_MEM_SYNC_FROM_DEVICE, PAGE, 2 * PAGE },
	};
	struct file *f = test_file(t);
	struct bo *bo = NULL;

	REQUIRE(t, f && (bo = vendor_object(t, f, 4 * PAGE, 0)), "no object");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int ret = vendor_sync(f, bo->object, rows[i].flags, rows[i].offset, rows[i].size);

		CHECK(t, !ret, "row %u: %s", i, strerror(-ret));
	}
}

static void sync_of_no_object_is_refused(struct test *t)
{
	struct file *f = test_file(t);
	int ret;

	REQUIRE(t, f, "no file");
	ret = vendor_sync(f, 0, RKNPU_MEM_SYNC_TO_DEVICE, 0, PAGE);
	CHECK(t, ret == -EINVAL, "%s", strerror(-ret));
}

static void sync_of_an_uncached_object_is_refused(struct test *t)
{
	struct rknpu_mem_create args = { .flags = VENDOR_FLAGS & ~RKNPU_MEM_CACHEABLE,
					 .size = PAGE };
	struct file *f = test_file(t);
	int ret;

	REQUIRE(t, f && !vendor_create(f, &args), "no object");
	ret = vendor_sync(f, args.obj_addr, RKNPU_MEM_SYNC_TO_DEVICE, 0, PAGE);
	CHECK(t, ret == -EINVAL, "%s", strerror(-ret));
}

static void sync_of_a_destroyed_object_is_refused(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *bo = NULL;
	int ret;

	REQUIRE(t, f && (bo = vendor_object(t, f, PAGE, 0)), "no object");
	REQUIRE(t, !vendor_object_free(f, bo), "MEM_DESTROY");
	ret = vendor_sync(f, bo->object, RKNPU_MEM_SYNC_TO_DEVICE, 0, PAGE);
	CHECK(t, ret == -EFAULT, "%s", strerror(-ret));
}

/* Is there an object of this handle, at this address? */
static bool is_there(const struct file *f, uint32_t handle, uint64_t object)
{
	struct rknpu_mem_create args = { .handle = handle, .flags = VENDOR_FLAGS, .size = PAGE };

	return !vendor_create(f, &args) && args.handle == handle && args.obj_addr == object;
}

static void destroy_takes_the_object_named_and_no_other(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *bo[3];

	REQUIRE(t, f, "no file");
	for (unsigned i = 0; i < 3; i++)
		REQUIRE(t, (bo[i] = vendor_object(t, f, PAGE, 0)), "no object");
	REQUIRE(t, !vendor_object_free(f, bo[1]), "MEM_DESTROY");
	CHECK(t, is_there(f, bo[0]->handle, bo[0]->object), "the one before is gone");
	CHECK(t, is_there(f, bo[2]->handle, bo[2]->object), "the one behind is gone");
	((char *)bo[0]->map)[0] = ((char *)bo[2]->map)[0] = 1; /* mapped still */
}

static void destroy_twice_is_refused(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *bo = NULL;
	int ret;

	REQUIRE(t, f && (bo = vendor_object(t, f, PAGE, 0)), "no object");
	REQUIRE(t, !vendor_object_free(f, bo), "MEM_DESTROY");
	ret = vendor_destroy(f, bo->handle, bo->object);
	CHECK(t, ret == -EINVAL, "%s", strerror(-ret));
}

/* The address of the NPU where a handle should be: a mistake that leaked until a reboot. */
static void destroy_by_the_npus_address_is_refused(struct test *t)
{
	struct file *f = test_file(t);
	struct bo *bo = NULL;
	int ret;

	REQUIRE(t, f && (bo = vendor_object(t, f, PAGE, 0)), "no object");
	ret = vendor_destroy(f, bo->dma, bo->object);
	CHECK(t, ret == -EINVAL, "%s", strerror(-ret));
	CHECK(t, is_there(f, bo->handle, bo->object), "the object is gone");
}

/* Twice the window in all: what is not given back is missed long before the end. */
static void ten_thousand_cycles_leave_nothing(struct test *t)
{
	const struct node_calls *calls = t->node->calls;
	struct file *f = test_file(t);

	REQUIRE(t, f, "no file");
	for (unsigned i = 0; i < 10000; i++) {
		struct rknpu_mem_create args = { .flags = VENDOR_FLAGS,
						 .size = UINT64_C(860) << 10 };
		uint64_t offset;
		void *p;
		int ret = vendor_create(f, &args);

		REQUIRE(t, !ret, "MEM_CREATE %u: %s", i, strerror(-ret));
		ret = vendor_map(f, args.handle, &offset);
		REQUIRE(t, !ret, "MEM_MAP %u: %s", i, strerror(-ret));
		p = calls->mmap(f->fd, args.size, offset);
		REQUIRE(t, p != MAP_FAILED, "mmap %u: %s", i, strerror(errno));
		*(volatile char *)p = 1;
		REQUIRE(t, !calls->munmap(f->fd, p, args.size), "munmap %u", i);
		ret = vendor_destroy(f, args.handle, args.obj_addr);
		REQUIRE(t, !ret, "MEM_DESTROY %u: %s", i, strerror(-ret));
	}
}

static void files_take_their_objects_with_them(struct test *t)
{
	for (unsigned i = 0; i < 80; i++) {
		struct rknpu_mem_create args = { .flags = VENDOR_FLAGS,
						 .size = UINT64_C(64) << 20 };
		struct file *f = test_file(t);
		int ret;

		REQUIRE(t, f, "no file");
		ret = vendor_create(f, &args);
		REQUIRE(t, !ret, "file %u: MEM_CREATE: %s", i, strerror(-ret));
		REQUIRE(t, !test_file_close(f), "close");
	}
}

#define BAD_CREATE(...)                                                                            \
	&(const struct bad_create)                                                                 \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

static const struct test_case cases[] = {
	{ .name = "create_gives_whole_pages_below_4_gib",
	  .run = create_gives_whole_pages_below_4_gib },
	{ .name = "create_of_size_0_is_refused",
	  .run = create_is_refused,
	  .arg = BAD_CREATE(VENDOR_FLAGS, 0) },
	{ .name = "create_with_unknown_flags_is_refused",
	  .run = create_is_refused,
	  .arg = BAD_CREATE(VENDOR_FLAGS | 1u << 20, PAGE) },
	{ .name = "create_of_a_handle_describes_its_object",
	  .run = create_of_a_handle_describes_its_object },
	{ .name = "map_of_an_unknown_handle_is_refused",
	  .run = map_of_an_unknown_handle_is_refused },
	{ .name = "mapping_keeps_what_was_written", .run = mapping_keeps_what_was_written },
	{ .name = "mapping_longer_than_the_object_is_refused",
	  .run = mapping_longer_than_the_object_is_refused },
	{ .name = "sync_takes_the_whole_and_ranges", .run = sync_takes_the_whole_and_ranges },
	{ .name = "sync_of_no_object_is_refused", .run = sync_of_no_object_is_refused },
	{ .name = "sync_of_an_uncached_object_is_refused",
	  .run = sync_of_an_uncached_object_is_refused },
	{ .name = "sync_of_a_destroyed_object_is_refused",
	  .run = sync_of_a_destroyed_object_is_refused,
	  .needs = NEED_PROCESS },
	{ .name = "destroy_takes_the_object_named_and_no_other",
	  .run = destroy_takes_the_object_named_and_no_other },
	{ .name = "destroy_twice_is_refused", .run = destroy_twice_is_refused },
	{ .name = "destroy_by_the_npus_address_is_refused",
	  .run = destroy_by_the_npus_address_is_refused },
	{ .name = "ten_thousand_cycles_leave_nothing",
	  .run = ten_thousand_cycles_leave_nothing,
	  .seconds = 120 },
	{ .name = "files_take_their_objects_with_them",
	  .run = files_take_their_objects_with_them,
	  .seconds = 60 },
};

struct test_table rknpu_memory_cases(void)
{
	return TEST_TABLE(cases);
}

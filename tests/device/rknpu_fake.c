// SPDX-License-Identifier: LGPL-2.1-or-later
/* rknpu_fake.c - see rknpu_fake.h. */
#include <sys/mman.h>

#include "rknpu_fake.h"

struct rknpu_fake fake;
struct rocket_node node;

static uint64_t address_of(uint32_t handle)
{
	return 0xffffff8100000000u + handle * 0x200u;
}

static int fake_create(struct rknpu_mem_create *args)
{
	uint32_t h = 1;

	while (h < OBJECTS_MAX && fake.objects[h].live)
		h++;
	assert_true(h < OBJECTS_MAX && args->size % 4096 == 0);
	memset(&fake.objects[h], 0, sizeof(fake.objects[h]));
	fake.objects[h].live = true;
	fake.objects[h].flags = args->flags;
	fake.objects[h].size = args->size;
	fake.live++;
	args->handle = h;
	args->obj_addr = address_of(h);
	args->dma_addr = 0xfff00000u - h * 0x10000u;
	return 0;
}

static uint32_t handle_at(uint64_t address)
{
	uint32_t h = (uint32_t)((address - address_of(0)) / 0x200u);

	assert_true(h && h < OBJECTS_MAX && address == address_of(h));
	return h;
}

static int fake_destroy(const struct rknpu_mem_destroy *args)
{
	/* Each by its own: some releases look at one of them, some at the other. */
	assert_int_equal(handle_at(args->obj_addr), args->handle);
	assert_true(fake.objects[args->handle].live);
	fake.objects[args->handle].live = false;
	fake.live--;
	return 0;
}

static int fake_sync(const struct rknpu_mem_sync *args)
{
	uint32_t h = handle_at(args->obj_addr);

	assert_true(fake.objects[h].live && args->offset + args->size <= fake.objects[h].size);
	if (args->flags & RKNPU_MEM_SYNC_TO_DEVICE)
		fake.objects[h].to_device += args->size;
	if (args->flags & RKNPU_MEM_SYNC_FROM_DEVICE)
		fake.objects[h].from_device += args->size;
	return 0;
}

static int fake_submit(const struct rknpu_submit *args)
{
	uint32_t h = handle_at(args->task_obj_addr);

	assert_true(fake.objects[h].live && fake.objects[h].flags & RKNPU_MEM_KERNEL_MAPPING);
	assert_true(fake.submits < 8 && args->task_number <= 256);
	assert_true(args->task_number * sizeof(struct rknpu_task) <= fake.objects[h].size);
	/* They were handed over since they were made: its zeroes, then the tasks. */
	assert_true(fake.objects[h].to_device > fake.objects[h].size);
	fake.submit[fake.submits] = *args;
	memcpy(fake.tasks[fake.submits], fake.objects[h].mem,
	       args->task_number * sizeof(struct rknpu_task));
	fake.submits++;
	if (!fake.submit_errno || fake.submits <= fake.from ||
	    (fake.until && fake.submits > fake.until))
		return 0;
	if (fake.began)
		((struct rknpu_task *)fake.objects[h].mem)[args->task_number - 1].int_status = 0;
	return fake_fail(fake.submit_errno);
}

static int fake_ioctl(int fd, unsigned long request, void *arg)
{
	(void)fd;
	if (request == fake.fail_request && !fake.fail_after--) {
		fake.fail_request = 0;
		fake.fail_after = 0;
		return fake_fail(fake.fail_errno);
	}
	if (request == DRM_IOCTL_VERSION)
		return fake_version(&fake.node, arg);
	if (request == IOCTL_RKNPU_ACTION && fake.misc) {
		((struct rknpu_action *)arg)->value = fake.version;
		return 0;
	}
	if (!fake.node.name)
		return fake_fail(ENOTTY);
	switch (request) {
	case DRM_IOCTL_RKNPU_ACTION:
		assert_int_equal(((struct rknpu_action *)arg)->flags, RKNPU_GET_DRV_VERSION);
		((struct rknpu_action *)arg)->value = fake.version;
		return 0;
	case DRM_IOCTL_RKNPU_MEM_CREATE:
		return fake_create(arg);
	case DRM_IOCTL_RKNPU_MEM_MAP:
		((struct rknpu_mem_map *)arg)->offset = ((struct rknpu_mem_map *)arg)->handle << 20;
		return 0;
	case DRM_IOCTL_RKNPU_MEM_DESTROY:
		return fake_destroy(arg);
	case DRM_IOCTL_RKNPU_MEM_SYNC:
		return fake_sync(arg);
	case DRM_IOCTL_RKNPU_SUBMIT:
		return fake_submit(arg);
	}
	return fake_fail(EINVAL);
}

static void *fake_mmap(int fd, size_t length, uint64_t offset)
{
	uint32_t h = (uint32_t)(offset >> 20);

	(void)fd;
	assert_true(fake.objects[h].live && length == fake.objects[h].size);
	if (fake.fail_mmap) {
		errno = ENXIO;
		return MAP_FAILED;
	}
	fake.objects[h].mem = aligned_alloc(4096, length);
	memset(fake.objects[h].mem, 0xee, length); /* zeroes must not be relied on */
	fake.mapped++;
	return fake.objects[h].mem;
}

static int fake_munmap(int fd, void *addr, size_t length)
{
	(void)fd;
	assert_int_equal(length % 4096, 0);
	free(addr);
	fake.mapped--;
	return 0;
}

const struct rocket_kernel rknpu_fake_kernel = {
	.name = "fake",
	.ioctl = fake_ioctl,
	.mmap = fake_mmap,
	.munmap = fake_munmap,
	.identify = fake_identify,
};

int rknpu_fake_open(uint32_t version)
{
	memset(&fake, 0, sizeof(fake));
	fake.node.name = "rknpu";
	fake.version = version;
	return fake_open(p, &rknpu_fake_kernel, &node);
}

int rknpu_fake_setup(void **state)
{
	(void)state;
	return rknpu_fake_open(908);
}

int rknpu_fake_teardown(void **state)
{
	(void)state;
	if (node.priv)
		p->close(&node);
	assert_int_equal(fake.mapped, 0);
	return fake.live != 0;
}

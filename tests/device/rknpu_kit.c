// SPDX-License-Identifier: LGPL-2.1-or-later
/* rknpu_kit.c - see rknpu_kit.h. */
#include <sys/mman.h>

#include "lib/encode/matmul.h"
#include "lib/encode/program.h"
#include "rknpu_kit.h"

#define C_BYTES (KIT_M * KIT_N * 2)
#define C_SLOT  4096u

int vendor_open(void)
{
	int fd = sim_dev_open("sim:rk3588:rknpu");

	assert_true(fd >= 0);
	return fd;
}

struct vendor_object vendor_new(int fd, uint64_t size, uint32_t more_flags)
{
	struct rknpu_mem_create create = { .size = size, .flags = VENDOR_FLAGS | more_flags };
	struct rknpu_mem_map map = { 0 };
	struct vendor_object o;

	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_RKNPU_MEM_CREATE, &create), 0);
	map.handle = create.handle;
	assert_int_equal(raw_ioctl(fd, DRM_IOCTL_RKNPU_MEM_MAP, &map), 0);
	o = (struct vendor_object){ create.handle, create.obj_addr, create.dma_addr, create.size,
				    NULL };
	o.ptr = sim_dev_mmap(fd, o.size, map.offset);
	assert_ptr_not_equal(o.ptr, MAP_FAILED);
	return o;
}

int vendor_destroy(int fd, const struct vendor_object *o)
{
	struct rknpu_mem_destroy args = { .handle = o->handle, .obj_addr = o->object };

	if (o->ptr)
		assert_int_equal(sim_dev_munmap(fd, o->ptr, o->size), 0);
	return raw_ioctl(fd, DRM_IOCTL_RKNPU_MEM_DESTROY, &args);
}

int vendor_sync(int fd, uint64_t object, uint32_t flags)
{
	struct rknpu_mem_sync args = { .flags = flags, .obj_addr = object, .size = 4096 };

	return raw_ioctl(fd, DRM_IOCTL_RKNPU_MEM_SYNC, &args);
}

int vendor_action(int fd, uint32_t number, uint32_t *value)
{
	struct rknpu_action a = { .flags = number, .value = *value };
	int r = raw_ioctl(fd, DRM_IOCTL_RKNPU_ACTION, &a);

	*value = a.value;
	return r;
}

static uint64_t *program(const struct vendor_kit *kit, unsigned i)
{
	return (uint64_t *)kit->prog.ptr + i * ROCKET_RK3588_MATMUL_WORDS;
}

static uint32_t program_iova(const struct vendor_kit *kit, unsigned i)
{
	return (uint32_t)kit->prog.iova + i * ROCKET_RK3588_MATMUL_WORDS * 8u;
}

static void write_program(struct vendor_kit *kit, unsigned i, uint32_t output)
{
	struct rocket_matmul_task t = { .type = ROCKET_MM_FP16_FP16,
					.m = KIT_M,
					.k = KIT_K,
					.n = KIT_N,
					.input = (uint32_t)kit->a.iova,
					.weights = (uint32_t)kit->b.iova,
					.output = output };
	uint64_t *words = program(kit, i);
	char why[128] = "";
	int n = rocket_rk3588_matmul(&t, words, ROCKET_RK3588_MATMUL_WORDS, why, sizeof(why));

	assert_int_equal(n, ROCKET_RK3588_MATMUL_WORDS);
	if (i + 1 < kit->n)
		assert_true(rocket_chain_link(words, (size_t)n, program_iova(kit, i + 1),
					      ROCKET_RK3588_MATMUL_WORDS));
	else
		assert_true(rocket_chain_seal(words, (size_t)n));
}

struct rknpu_task *vendor_task(struct vendor_kit *kit, unsigned i)
{
	return (struct rknpu_task *)kit->tasks.ptr + i;
}

static uint32_t output_iova(const struct vendor_kit *kit, unsigned i)
{
	return (uint32_t)kit->c.iova + i * C_SLOT;
}

void vendor_stamp(struct vendor_kit *kit)
{
	memset(kit->c.ptr, 0x5a, kit->c.size);
}

void vendor_kit_init(struct vendor_kit *kit, int fd, unsigned n, unsigned seed)
{
	memset(kit, 0, sizeof(*kit));
	assert_true(n && n <= VENDOR_TASKS_MAX);
	kit->fd = fd;
	kit->n = n;
	kit->prog = vendor_new(fd, VENDOR_TASKS_MAX * ROCKET_RK3588_MATMUL_WORDS * 8, 0);
	kit->a = vendor_new(fd, 4096, 0);
	kit->b = vendor_new(fd, 4096, 0);
	kit->c = vendor_new(fd, n * C_SLOT, 0);
	kit->tasks = vendor_new(fd, VENDOR_TASKS_MAX * sizeof(struct rknpu_task),
				RKNPU_MEM_KERNEL_MAPPING);
	kit_fill(kit->a.ptr, kit->b.ptr, kit->expected, seed);
	vendor_stamp(kit);
	for (unsigned i = 0; i < n; i++) {
		write_program(kit, i, output_iova(kit, i));
		*vendor_task(kit, i) = (struct rknpu_task){
			.int_mask = RKNPU_INT_DPU,
			.int_clear = 0x1ffff,
			.regcfg_amount = ROCKET_RK3588_MATMUL_WORDS - RKNPU_TRAILER_WORDS,
			.regcmd_addr = program_iova(kit, i),
		};
	}
	kit->submit = (struct rknpu_submit){ .flags = RKNPU_JOB_PC | RKNPU_JOB_PINGPONG,
					     .timeout = 10000,
					     .task_number = n,
					     .task_obj_addr = kit->tasks.object };
	for (unsigned c = 0; c < 3; c++)
		kit->submit.subcore_task[c] = (struct rknpu_subcore_task){ 0, n };
}

void vendor_kit_fini(struct vendor_kit *kit)
{
	const struct vendor_object *all[] = { &kit->prog, &kit->a, &kit->b, &kit->c, &kit->tasks };

	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(vendor_destroy(kit->fd, all[i]), 0);
}

void vendor_kit_unchain(struct vendor_kit *kit)
{
	for (unsigned i = 0; i < kit->n; i++)
		assert_true(rocket_chain_seal(program(kit, i), ROCKET_RK3588_MATMUL_WORDS));
}

void vendor_kit_hang(struct vendor_kit *kit, unsigned i)
{
	memset(program(kit, i), 0, ROCKET_RK3588_MATMUL_WORDS * 8);
}

void vendor_kit_fault(struct vendor_kit *kit, unsigned i)
{
	write_program(kit, i, 0x1000);
}

int vendor_run(struct vendor_kit *kit)
{
	return raw_ioctl(kit->fd, DRM_IOCTL_RKNPU_SUBMIT, &kit->submit);
}

bool vendor_is_right(const struct vendor_kit *kit, unsigned i)
{
	return kit_product_is((const uint8_t *)kit->c.ptr + i * C_SLOT, kit->expected);
}

bool vendor_is_untouched(const struct vendor_kit *kit, unsigned i)
{
	const uint8_t *c = (const uint8_t *)kit->c.ptr + i * C_SLOT;

	for (unsigned k = 0; k < C_BYTES; k++)
		if (c[k] != 0x5a)
			return false;
	return true;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* kick.c - programs as the tasks of a SUBMIT. */
#include "node.h"

#define TASKS_AT_ONCE 64u /* a task object's first size */
#define INT_CLEAR_ALL 0x1ffffu

/* Make the object one of n tasks at least. */
static int reserve_tasks(struct rocket_node *node, struct rknpu_object *object, uint32_t n)
{
	const struct rknpu_state *state = node->priv;
	uint32_t capacity = (uint32_t)(object->size / sizeof(struct rknpu_task));
	struct rknpu_object larger;
	int r;

	if (n <= capacity)
		return 0;
	capacity = capacity < TASKS_AT_ONCE ? TASKS_AT_ONCE : capacity;
	while (capacity < n)
		capacity *= 2;
	r = rknpu_object_new(node, capacity * sizeof(struct rknpu_task),
			     state->memory_flags | RKNPU_MEM_KERNEL_MAPPING, &larger);
	if (r)
		return r;
	if (object->handle)
		rknpu_object_free(node, object);
	*object = larger;
	return 0;
}

/* Kicks go one behind the other: how many tasks. */
static uint32_t fill_tasks(struct rknpu_task *tasks, const struct rknpu_kick *kicks, uint32_t n)
{
	struct rknpu_task *t = tasks;

	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < kicks[k].n; i++) {
			const rocket_task_desc *from = &kicks[k].tasks[i];
			const bool last = i + 1 == kicks[k].n;

			*t++ = (struct rknpu_task){
				.int_mask = last ? kicks[k].int_mask : RKNPU_INT_DPU,
				.int_clear = INT_CLEAR_ALL,
				.int_status = last ? RKNPU_NO_STATUS : 0,
				.regcfg_amount = from->regcmd_count - RKNPU_TRAILER_WORDS,
				.regcmd_addr = from->regcmd,
			};
		}
	return (uint32_t)(t - tasks);
}

/*
 * Where the driver looks for the range of each core: with one or two cores named at the core's own
 * index, with three two further; without any it picks a core and then looks at that one's.
 */
static void set_ranges(struct rknpu_submit *args, const struct rknpu_kick *kicks, uint32_t n)
{
	const uint32_t shift = n == RKNPU_GANG_MAX ? 2 : 0;
	uint32_t at = 0;

	if (n == 1) {
		args->core_mask = RKNPU_CORE_AUTO_MASK;
		for (unsigned c = 0; c < RKNPU_GANG_MAX; c++)
			args->subcore_task[c] = (struct rknpu_subcore_task){ 0, kicks[0].n };
		return;
	}
	args->core_mask = (1u << n) - 1;
	for (uint32_t k = 0; k < n; k++) {
		args->subcore_task[k + shift] = (struct rknpu_subcore_task){ at, kicks[k].n };
		at += kicks[k].n;
	}
}

int rknpu_kicks_hand_over(struct rocket_node *node, struct rknpu_object *object,
			  const struct rknpu_kick *kicks, uint32_t n, struct rknpu_submit *args)
{
	uint32_t tasks = 0;
	int r;

	for (uint32_t k = 0; k < n; k++)
		tasks += kicks[k].n;
	r = reserve_tasks(node, object, tasks);
	if (r)
		return r;
	args->task_number = fill_tasks(object->ptr, kicks, n);
	args->task_obj_addr = object->address;
	set_ranges(args, kicks, n);
	return rknpu_object_sync(node, object, RKNPU_MEM_SYNC_TO_DEVICE, 0,
				 tasks * sizeof(struct rknpu_task));
}

int rknpu_kicks_submit(struct rocket_node *node, struct rknpu_submit *args)
{
	__atomic_fetch_add(&node->submit_calls, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&node->submit_tasks, args->task_number, __ATOMIC_RELAXED);
	return rknpu_call(node, DRM_IOCTL_RKNPU_SUBMIT, args);
}

bool rknpu_kicks_began(const struct rknpu_object *object, const struct rknpu_kick *kicks,
		       uint32_t n)
{
	const struct rknpu_task *t = object->ptr;

	for (uint32_t k = 0, last = 0; k < n; k++) {
		last += kicks[k].n;
		if (t[last - 1].int_status != RKNPU_NO_STATUS)
			return true;
	}
	return false;
}

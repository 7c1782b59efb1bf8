// SPDX-License-Identifier: LGPL-2.1-or-later
/* pc.c - a kick: programs fetched, dispatched, started and followed by their links. */
#include <stdio.h>
#include <string.h>

#include "regs/rk3588.h"
#include "sim/npu/chip.h"
#include "sim/npu/core.h"
#include "sim/npu/task.h"

#define OP_FENCE  0x0041u
#define OP_ENABLE 0x0081u
#define OP_NOP    0x0001u

#define RAW_DMA_READ_ERROR  (1u << 12)
#define RAW_DMA_WRITE_ERROR (1u << 13)

/* TASK_STATUS once the last task is done: counter 0, all flags [silicon]. */
#define TASK_STATUS_IDLE 0xf000u

/* 1024 products a cycle at 1 GHz, for half a second [source: manual, rocket_job.c]. */
#define WATCHDOG_MACS ((uint64_t)1 << 39)

struct program {
	uint32_t address, words;
	bool fence, enabled;
	bool link_address, link_amount;
	uint32_t next, next_amount;
	uint32_t trailing; /* words after ENABLE that are not empty */
};

static void pc_word(struct npu_core *core, struct program *p, uint16_t offset, uint32_t value)
{
	switch (offset) {
	case RK3588_PC_BASE_ADDRESS:
		p->link_address = value != 0;
		p->next = value;
		break;
	case RK3588_PC_REGISTER_AMOUNTS:
		p->link_amount = true;
		p->next_amount = value & 0xffff;
		break;
	default:
		core_report(core, "PC: write of 0x%04x inside a program", offset);
	}
}

/* Register words outside what the chip is known to have; false: not stored. */
static bool word_fits(struct npu_core *core, unsigned op, uint16_t offset, uint32_t value)
{
	enum block b = block_of_target(op >> 8);
	uint32_t mask;

	if (b == BLOCKS || (op & 0xff) != 1) {
		core_report(core, "unknown target 0x%04x of a write to 0x%04x", op, offset);
		return false;
	}
	if (offset >> 12 != (unsigned)b) {
		core_report(core, "offset 0x%04x lies outside block %s", offset, block_name(b));
		return false;
	}
	mask = core->writable[b][offset % 4096 / 4];
	if (!mask || offset % 4)
		core_report(core, "%s: register 0x%04x is unknown", block_name(b), offset);
	else if (value & ~mask)
		core_report(core, "%s: value 0x%08x goes past the fields 0x%08x",
			    chip_register_name(core->chip, offset), value, mask);
	return true;
}

/* In a chain the kernel sets these once per kick; a program that does, hangs [silicon]. */
static bool breaks_chain(const struct npu_core *core, uint16_t offset)
{
	return rk3588_get_PC_TASK_CON_TASK_NUMBER(core->pc.task_con) > 1 &&
	       (offset == RK3588_CNA_S_POINTER || offset == RK3588_CORE_S_POINTER);
}

static void dispatch(struct npu_core *core, struct program *p, uint64_t word, uint32_t *enable)
{
	unsigned op = (unsigned)(word >> 48);
	uint16_t offset = (uint16_t)word;
	uint32_t value = (uint32_t)(word >> 16);

	if (op == 0 || op == OP_NOP)
		return;
	if (op == OP_FENCE) {
		p->fence = true;
	} else if (op == OP_ENABLE) {
		p->enabled = true;
		*enable = value;
		if (offset != RK3588_PC_OPERATION_ENABLE)
			core_report(core, "ENABLE addresses 0x%04x", offset);
	} else if (op == RK3588_PC_TARGET) {
		pc_word(core, p, offset, value);
	} else if (word_fits(core, op, offset, value)) {
		if (breaks_chain(core, offset))
			core_hang(core, "PC", "a chained program writes S_POINTER 0x%04x", offset);
		regfile_write(&core->regs, offset, value, core->program);
	}
}

/* Fetch one program and run its task; returns completion bits. */
static uint32_t run_program(struct npu_core *core, struct program *p)
{
	struct npu_counters *n = &core->result->counters;
	uint32_t enable = 0, bits = 0;

	core->program++;
	for (uint32_t i = 0; i < p->words && !core->failed; i++) {
		uint8_t b[8];
		uint64_t word = 0;

		core->memory.block = "PC";
		memory_read(&core->memory, p->address + 8 * i, b, sizeof(b));
		if (core->memory.faulted)
			return 0;
		for (unsigned k = 8; k-- > 0;)
			word = word << 8 | b[k];
		if (p->enabled)
			p->trailing += word != 0;
		else
			dispatch(core, p, word, &enable);
	}
	n->read_program += 8ull * p->words;
	if (core->failed)
		return 0;
	if (p->trailing)
		core_report(core, "PC: %u words after ENABLE are ignored", p->trailing);
	if (!p->enabled)
		core_hang(core, "PC", "no ENABLE within %u words: amount too small", p->words);
	else if (!p->fence)
		core_hang(core, "PC", "ENABLE without the fence word before it");
	else
		bits = task_run(core, enable);
	if (!core->failed && !core->memory.faulted) {
		n->tasks++;
		core->result->tasks_done++;
	}
	return bits;
}

/*
 * One program of a chain that is kicked alone computes, and its end never comes: the job of a
 * chain that lacks the flag runs only in part and times out [silicon]. A chain's own last
 * program may have a link that leads nowhere: there TASK_NUMBER ends the kick [silicon].
 */
static bool is_torn_from_chain(const struct program *p, uint32_t tasks)
{
	return tasks == 1 && p->link_address;
}

static void kick(struct npu_core *core)
{
	struct pc *pc = &core->pc;
	uint32_t tasks = rk3588_get_PC_TASK_CON_TASK_NUMBER(pc->task_con);
	uint32_t next = pc->base, amount = pc->amounts, bits = 0;

	if (!tasks)
		core_hang(core, "PC", "TASK_NUMBER is 0");
	if (pc->base & 1)
		core_hang(core, "PC", "started in slave mode: BASE_ADDRESS holds 0x%x", pc->base);
	if (pc->dma_base)
		core_hang(core, "PC", "TASK_DMA_BASE_ADDR is not 0");
	for (uint32_t t = 0; t < tasks && !core->failed && !core->memory.faulted; t++) {
		struct program p = { .address = next & ~15u, .words = 2 * (amount + 1) };

		core->result->task = t;
		if (next & 15)
			core_report(core, "PC: program address 0x%08x is not aligned to 16", next);
		bits = run_program(core, &p);
		next = p.next;
		amount = p.next_amount;
		if (t + 1 < tasks && !core->failed && !core->memory.faulted &&
		    !(p.link_address && p.link_amount))
			core_hang(core, "PC", "chain ended early: no link after task %u of %u", t,
				  tasks);
		if (is_torn_from_chain(&p, tasks) && !core->failed && !core->memory.faulted)
			core_hang(core, "PC",
				  "TASK_NUMBER is 1, yet the program links to 0x%08x: a chain "
				  "without the BATCHED flag",
				  p.next);
	}
	if (!core->failed)
		core->result->raw_status = bits;
}

static void set_fault(struct npu_core *core)
{
	const struct memory *m = &core->memory;
	struct npu_result *r = core->result;

	r->verdict = NPU_FAULT;
	r->fault_iova = m->fault_iova;
	r->fault_write = m->fault_write;
	r->raw_status = m->fault_write ? RAW_DMA_WRITE_ERROR : RAW_DMA_READ_ERROR;
	snprintf(r->block, sizeof(r->block), "%s", m->fault_block);
	snprintf(r->reason, sizeof(r->reason), "%s of unmapped address 0x%08x",
		 m->fault_write ? "write" : "read", m->fault_iova);
}

void npu_core_finish(struct npu_core *core, const struct npu_result *result)
{
	core->armed = false;
	core->pc.task_status = result->verdict == NPU_DONE ? TASK_STATUS_IDLE : 0;
	core->pc.raw |= result->raw_status;
}

void npu_core_run(struct npu_core *core, struct npu_result *result)
{
	memset(result, 0, sizeof(*result));
	if (!core->armed)
		return;
	core->armed = false;
	core->result = result;
	core->failed = false;
	core->budget = core->options.most_macs ? core->options.most_macs : WATCHDOG_MACS;
	residue_clear(&core->residue);
	memory_begin(&core->memory);
	result->counters.kicks = 1;
	result->verdict = NPU_DONE;
	core->pc.task_status = 0;
	if (core->wedged) {
		core->wedged = false;
		core_hang(core, "DPU_RDMA", "core wedged by an earlier hang of the operand path");
	} else {
		kick(core);
	}
	if (core->memory.faulted)
		set_fault(core);
	npu_core_finish(core, result);
	core->result = NULL;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include <inttypes.h>
#include <stdio.h>

#include "bo_table.h"
#include "lib/encode/program.h"
#include "status.h"
#include "validate.h"

#define MAX_FAULTS 8

struct verdict {
	bool bad;
	char line[320]; /* the first fault, or the first warning */
};

static bool mapped(void *ctx, uint32_t iova, uint64_t size, bool write)
{
	(void)write; /* every buffer is mapped for reading and writing */
	return rocket_bo_table_mapped(ctx, iova, size);
}

static void describe(struct verdict *v, uint32_t task, const struct rocket_program_fault *f)
{
	snprintf(v->line, sizeof(v->line), "task %" PRIu32 ": %s%s%s%s%s", task, f->block,
		 f->block[0] && f->reg[0] ? "." : "", f->reg, f->block[0] || f->reg[0] ? ": " : "",
		 f->reason);
}

/* The table is locked, so the program cannot be unmapped while it is read. */
static void check_task(const struct rocket_device *dev, const struct rocket_provider_job *job,
		       uint32_t i, struct verdict *v)
{
	const rocket_task_desc *t = &job->tasks[i];
	struct rocket_program_fault faults[MAX_FAULTS];
	struct rocket_program_space space = { .mapped = mapped, .ctx = dev->bos };
	bool chained = job->flags & ROCKET_JOB_BATCHED && job->n_tasks > 1;
	struct rocket_program_check how = {
		.chip = dev->profile->name,
		.space = &space,
		.first_of_job = i == 0,
		.chained = chained,
		.last_of_chain = chained && i + 1 == job->n_tasks,
	};
	const uint64_t *words =
		rocket_bo_table_ptr(dev->bos, t->regcmd, (uint64_t)t->regcmd_count * 8);
	size_t n;

	if (!words) {
		v->bad = true;
		snprintf(v->line, sizeof(v->line),
			 "task %" PRIu32 ": program of %" PRIu32 " words at %#" PRIx32
			 " is not in a buffer of this fd",
			 i, t->regcmd_count, t->regcmd);
		return;
	}
	n = rocket_program_validate(words, t->regcmd_count, &how, faults, MAX_FAULTS);
	for (size_t k = 0; k < n && k < MAX_FAULTS && !v->bad; k++) {
		if (!faults[k].warning)
			v->bad = true;
		if (v->bad || !v->line[0])
			describe(v, i, &faults[k]);
	}
}

int rocket_validate_job(struct rocket_device *dev, const struct rocket_provider_job *job,
			const char *who)
{
	struct verdict v = { false, "" };

	rocket_bo_table_lock(dev->bos);
	for (uint32_t i = 0; i < job->n_tasks && !v.bad; i++)
		check_task(dev, job, i, &v);
	rocket_bo_table_unlock(dev->bos);
	if (v.bad)
		return rocket_fail(ROCKET_E_SHAPE, "%s: ROCKET_VALIDATE: %s", who, v.line);
	if (v.line[0])
		rocket_log(ROCKET_LOG_WARN, "%s: ROCKET_VALIDATE: %s", who, v.line);
	return ROCKET_OK;
}

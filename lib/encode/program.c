// SPDX-License-Identifier: LGPL-2.1-or-later
#include "program.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "field.h"
#include "regs/rk3588.h"

__attribute__((format(printf, 2, 3), cold)) static void fail(struct rocket_program *p,
							     const char *fmt, ...)
{
	va_list ap;

	if (p->fault[0])
		return;
	va_start(ap, fmt);
	vsnprintf(p->fault, sizeof(p->fault), fmt, ap);
	va_end(ap);
}

void rocket_program_init(struct rocket_program *p, uint64_t *words, size_t capacity)
{
	p->words = words;
	p->capacity = capacity;
	p->count = 0;
	p->fault[0] = '\0';
}

static void append(struct rocket_program *p, uint64_t word)
{
	if (p->fault[0])
		return;
	if (p->count == p->capacity) {
		fail(p, "program does not fit in %zu words", p->capacity);
		return;
	}
	p->words[p->count++] = word;
}

/* Bit 8 + n of a target stands for the block at offset n << 12. */
static bool target_reaches(unsigned target, unsigned offset)
{
	return offset < 0x8000 && target == (1u << (8 + (offset >> 12)) | 1);
}

void rocket_program_write(struct rocket_program *p, unsigned target, unsigned offset,
			  uint32_t value)
{
	if (offset % 4 || !target_reaches(target, offset)) {
		fail(p, "target %04x does not reach register %04x (value %08" PRIx32 ")", target,
		     offset, value);
		return;
	}
	append(p, rocket_word(target, value, offset));
}

void rocket_program_zeros(struct rocket_program *p, unsigned target, unsigned first, unsigned last)
{
	for (unsigned offset = first; offset <= last; offset += 4)
		rocket_program_write(p, target, offset, 0);
}

void rocket_program_misfit(struct rocket_program *p, const char *name, int64_t value, int64_t min,
			   int64_t max)
{
	if (value >= min && value <= max)
		fail(p, "%s = %" PRId64 " is not a multiple of 16", name, value);
	else
		fail(p, "%s = %" PRId64 " is not in %" PRId64 "..%" PRId64, name, value, min, max);
}

void rocket_program_end(struct rocket_program *p, uint32_t enable)
{
	append(p, rocket_word(ROCKET_TARGET_NONE, 0, 0));
	append(p, rocket_word(ROCKET_TARGET_PC, 0, RK3588_PC_REGISTER_AMOUNTS));
	append(p, rocket_word(ROCKET_TARGET_FENCE, 0, 0));
	append(p, rocket_word(ROCKET_TARGET_ENABLE, enable, RK3588_PC_OPERATION_ENABLE));
}

size_t rocket_program_count(const struct rocket_program *p)
{
	return p->fault[0] ? 0 : p->count;
}

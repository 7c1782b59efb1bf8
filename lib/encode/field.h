/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * field.h - checked placement of one value in one register field.
 *
 * Used by the generated register writers. A value that does not fit becomes the
 * program's fault: past its field the hardware wraps it and reports success.
 */
#ifndef ROCKET_ENCODE_FIELD_H
#define ROCKET_ENCODE_FIELD_H

#include "program.h"

/* Append a write of 0 to every register from first to last, in steps of 4 bytes. */
void rocket_program_zeros(struct rocket_program *p, unsigned target, unsigned first, unsigned last);

/* Record "name: value is not in min..max" as the program's fault. */
void rocket_program_misfit(struct rocket_program *p, const char *name, int64_t value, int64_t min,
			   int64_t max) __attribute__((cold));

static inline uint32_t rocket_field_place(struct rocket_program *p, const char *name, int64_t value,
					  int64_t min, int64_t max, unsigned lsb)
{
	if (value < min || value > max) {
		rocket_program_misfit(p, name, value, min, max);
		return 0;
	}
	return (uint32_t)value << lsb;
}

static inline uint32_t rocket_field_uint(struct rocket_program *p, const char *name, int64_t value,
					 unsigned msb, unsigned lsb)
{
	return rocket_field_place(p, name, value, 0, ((int64_t)1 << (msb - lsb + 1)) - 1, lsb);
}

static inline uint32_t rocket_field_int(struct rocket_program *p, const char *name, int64_t value,
					unsigned msb, unsigned lsb)
{
	int64_t half = (int64_t)1 << (msb - lsb);
	uint32_t mask = UINT32_MAX >> (31 - msb);

	return rocket_field_place(p, name, value, -half, half - 1, lsb) & mask;
}

static inline uint32_t rocket_field_minus1(struct rocket_program *p, const char *name,
					   int64_t value, unsigned msb, unsigned lsb)
{
	int64_t max = (int64_t)1 << (msb - lsb + 1);

	if (value < 1 || value > max) {
		rocket_program_misfit(p, name, value, 1, max);
		return 0;
	}
	return (uint32_t)(value - 1) << lsb;
}

/* The value is a byte address; both forms of the field, 31:4 and 31:0, hold it unshifted. */
static inline uint32_t rocket_field_addr(struct rocket_program *p, const char *name, int64_t value,
					 unsigned msb, unsigned lsb)
{
	(void)msb;
	(void)lsb;
	if (value < 0 || value > UINT32_MAX || value % 16) {
		rocket_program_misfit(p, name, value, 0, UINT32_MAX & ~15u);
		return 0;
	}
	return (uint32_t)value;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reference.h - what the silicon's rules give, one element at a time.
 *
 * Written from the rules, in exact integers; shares nothing with the model.
 */
#ifndef TESTS_MODEL_REFERENCE_H
#define TESTS_MODEL_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

/* fp16 as value * 2^-24. */
int64_t ref_half_fixed(uint16_t h);
double ref_half_value(uint16_t h);
/* Nearest half of an integer; exact for |v| <= 2048. */
uint16_t ref_half_of_int(int v);
/* mantissa * 2^exponent to fp32, nearest even. */
float ref_round_fp32(__int128 mantissa, int exponent);
/* fp32 to fp16, nearest even, past the range infinite. */
uint16_t ref_narrow(float f);

/* Bits of an element of "fp16", "bf16" or "tf32" (which ignores the low 13). */
struct ref_float {
	int64_t mantissa;
	int exponent; /* value = mantissa * 2^exponent */
	double value; /* infinities and not-a-numbers, too */
};

struct ref_float ref_decode(const char *type, uint32_t bits);
/* Exact sum of products whose exponents lie within 2^60 of each other, rounded once. */
float ref_sum(const char *type, const int32_t *a, const int32_t *b, size_t n);
/* Exact sum of up to 32 products, rounded once; infinities and not-a-numbers as IEEE has it. */
float ref_group(const uint16_t *a, const uint16_t *b, size_t n);
/* Groups of 32, added in fp32 in order. */
float ref_dot_fp16(const uint16_t *a, const uint16_t *b, size_t n);
int32_t ref_saturate32(int64_t v);
/* v * 2^-shift: ties to even, or away from zero. */
int64_t ref_shift(int64_t v, unsigned shift, int away);

#endif

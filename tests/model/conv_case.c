// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/model/conv_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/reference.h"
#include "tests/model/tap.h"

/* Elements compared at most; larger results are sampled. */
#define SAMPLES 4000u

struct shape shape_of(const struct emit_conv *c)
{
	return (struct shape){ .type = layout_type(emit_in_name(c->type)),
			       .out = emit_out_name(c->type),
			       .ic = c->ic,
			       .ih = c->ih,
			       .iw = c->iw,
			       .ih_programmed = c->ih,
			       .oc = c->oc,
			       .oh = c->oh,
			       .ow = c->ow,
			       .kh = c->kh,
			       .kw = c->kw,
			       .sy = c->sy,
			       .sx = c->sx,
			       .dy = c->dy,
			       .dx = c->dx,
			       .pt = c->pt,
			       .pl = c->pl,
			       .input = c->input,
			       .weights = c->weights,
			       .output = c->output,
			       .add = c->operand,
			       .pad = c->pad,
			       .row_k = c->ic,
			       .row_n = c->oc,
			       .ew = (enum case_ew)c->ew };
}

bool shape_is_float(const struct shape *s)
{
	return strncmp(s->type->name, "int", 3) != 0;
}

unsigned shape_out_bytes(const struct shape *s)
{
	return strstr(s->out, "32") ? 4 : strstr(s->out, "16") ? 2 : 1;
}

/* ---- operands ---- */

/* fp16 bits of a fill. */
static uint16_t draw_half(struct board *b, enum fill fill)
{
	uint16_t h = (uint16_t)(board_random(b) & 0xbfff);

	if (fill == SMALL_INTEGERS)
		return ref_half_of_int(board_random_int(b, -3, 3));
	if (fill == SPECIAL && board_random(b) % 256 == 0)
		return h | 0x7c00;
	if (fill == CANCELLING || fill == SPECIAL)
		return h;
	/* Any finite value of a moderate range, subnormals now and then. */
	return (uint16_t)((h & 0x83ff) | board_random_int(b, board_random(b) % 16 ? 8 : 0, 18)
						 << 10);
}

static int32_t draw(struct board *b, const struct shape *s, enum fill fill)
{
	const char *type = s->type->name;
	float f;
	uint32_t u;

	if (!strcmp(type, "int4"))
		return board_random_int(b, -8, 7);
	if (!strcmp(type, "int8"))
		return board_random_int(b, -128, 127);
	if (!strcmp(type, "int16"))
		return board_random_int(b, -32768, 32767);
	if (!strcmp(type, "fp16"))
		return draw_half(b, fill);
	/* Eight exponent bits: 40 binades around 1, or as far apart as the reference can add. */
	f = (float)board_random_int(b, -3, 3);
	memcpy(&u, &f, sizeof(u));
	if (fill != SMALL_INTEGERS)
		u = (uint32_t)((board_random(b) & 0x807fffff) |
			       (uint64_t)board_random_int(b, fill == RANDOM_VALUES ? 117 : 107, 137)
				       << 23);
	return (int32_t)(!strcmp(type, "bf16") ? u >> 16 : u);
}

static int32_t at_exponent(int32_t half, unsigned exponent)
{
	return (half & 0x83ff) | (int32_t)(exponent << 10);
}

static void put_operand(struct board *b, const struct shape *s, uint32_t base, size_t element,
			int32_t v)
{
	uint32_t bytes = s->type->bits / 8;
	uint8_t *nibbles;

	if (!bytes) {
		nibbles = board_byte(b, base + (uint32_t)(element / 2));
		*nibbles = element % 2 ? (uint8_t)((*nibbles & 15) | (v & 15) << 4)
				       : (uint8_t)((*nibbles & 0xf0) | (v & 15));
	}
	for (uint32_t i = 0; i < bytes; i++)
		*board_byte(b, base + (uint32_t)element * bytes + i) =
			(uint8_t)((uint32_t)v >> 8 * i);
}

static uint32_t input_bytes(const struct shape *s)
{
	size_t pixels = (size_t)s->ih_programmed * s->iw;

	if (s->rowmajor_in)
		return (uint32_t)(s->ih * (size_t)s->row_k * s->type->bits / 8);
	return (uint32_t)(((s->ic * s->type->bits + 127) / 128) * pixels * 16);
}

static void put_input(struct board *b, const struct shape *s, struct operands *o, enum fill fill)
{
	size_t pixels = (size_t)s->ih * s->iw;

	o->x = calloc(pixels * s->ic, sizeof(*o->x));
	for (size_t p = 0; p < pixels; p++)
		for (size_t c = 0; c < s->ic; c++) {
			int32_t v = draw(b, s, fill);
			size_t cube = (size_t)s->ih_programmed * s->iw;

			if (fill == CANCELLING && c % 32 >= 17)
				v = o->x[p * s->ic + c - 15] ^ 0x8000;
			else if (fill == CANCELLING)
				v = at_exponent(v, c % 32 < 2 ? 9 : 24);
			o->x[p * s->ic + c] = v;
			put_operand(b, s, s->input,
				    s->rowmajor_in ? p * s->row_k + c
						   : layout_cube(s->type->bits, cube, p, c),
				    v);
		}
}

static void put_weights(struct board *b, const struct shape *s, struct operands *o, enum fill fill)
{
	size_t taps = (size_t)s->kh * s->kw;

	o->w = calloc(s->oc * taps * s->ic, sizeof(*o->w));
	for (size_t n = 0; n < s->oc; n++)
		for (size_t t = 0; t < taps; t++)
			for (size_t c = 0; c < s->ic; c++) {
				int32_t v = draw(b, s, fill),
					*w = &o->w[(n * taps + t) * s->ic + c];

				if (fill == CANCELLING && c % 32 >= 17)
					v = w[-15];
				else if (fill == CANCELLING)
					v = at_exponent(v, c % 32 < 2 ? 9 : 24);
				*w = v;
				put_operand(b, s, s->weights,
					    layout_weight(s->type, s->oc, s->ic, taps, n, c, t), v);
			}
}

static void put_add(struct board *b, const struct shape *s, struct operands *o, enum fill fill)
{
	size_t pixels = (size_t)s->oh * s->ow;

	o->add = calloc(pixels * s->oc, sizeof(*o->add));
	for (size_t p = 0; p < pixels; p++)
		for (size_t n = 0; n < s->oc; n++) {
			uint16_t v = o->add[p * s->oc + n] = (uint16_t)draw(b, s, fill);

			put_operand(b, s, s->add, layout_cube(16, pixels, p, n), v);
		}
}

/* ---- reference ---- */

/* Input pixel under a tap, or -1 in the padding. */
static long tap_of(const struct shape *s, unsigned y, unsigned x, unsigned ky, unsigned kx)
{
	long iy, ix;

	if (s->transposed) {
		/* The encoder flips the kernel and pads by k - 1 - p over the spread input. */
		iy = (long)(y + ky) - (long)(s->kh - 1 - s->pt);
		ix = (long)(x + kx) - (long)(s->kw - 1 - s->pl);
		if (iy < 0 || ix < 0 || iy % s->sy || ix % s->sx)
			return -1;
		iy /= s->sy;
		ix /= s->sx;
	} else {
		iy = (long)(y * s->sy + ky * s->dy) - (long)s->pt;
		ix = (long)(x * s->sx + kx * s->dx) - (long)s->pl;
	}
	if (iy < 0 || ix < 0 || iy >= (long)s->ih || ix >= (long)s->iw)
		return -1;
	return iy * (long)s->iw + ix;
}

/* Taps of one channel group, in the order the groups are added: group, ky, kx. */
static float reference_float(const struct shape *s, const struct operands *o, size_t p, size_t n)
{
	size_t taps = (size_t)s->kh * s->kw, group = s->type->channel_group;
	float sum = 0;

	for (size_t c = 0; c < s->ic; c += group)
		for (size_t t = 0; t < taps; t++) {
			long at = tap_of(s, (unsigned)(p / s->ow), (unsigned)(p % s->ow),
					 (unsigned)(t / s->kw), (unsigned)(t % s->kw));

			if (at >= 0)
				sum += ref_sum(s->type->name, o->x + (size_t)at * s->ic + c,
					       o->w + (n * taps + t) * s->ic + c,
					       s->ic - c < group ? s->ic - c : group);
		}
	return sum;
}

static int64_t reference_integer(const struct shape *s, const struct operands *o, size_t p,
				 size_t n)
{
	size_t taps = (size_t)s->kh * s->kw;
	int64_t sum = 0;

	for (size_t t = 0; t < taps; t++) {
		long at = tap_of(s, (unsigned)(p / s->ow), (unsigned)(p % s->ow),
				 (unsigned)(t / s->kw), (unsigned)(t % s->kw));

		for (size_t c = 0; c < s->ic; c++)
			sum += (int64_t)(at < 0 ? s->pad : o->x[(size_t)at * s->ic + c]) *
			       o->w[(n * taps + t) * s->ic + c];
	}
	return sum;
}

int64_t shape_window_sum(const struct shape *s, const struct operands *o, size_t p)
{
	int64_t sum = 0;

	for (unsigned t = 0; t < s->kh * s->kw; t++) {
		long at = tap_of(s, (unsigned)(p / s->ow), (unsigned)(p % s->ow), t / s->kw,
				 t % s->kw);

		for (size_t c = 0; c < s->ic; c++)
			sum += at < 0 ? s->pad : o->x[(size_t)at * s->ic + c];
	}
	return sum;
}

static float apply_ew(const struct shape *s, float v, float a)
{
	/* A comparison with not-a-number: what the model makes of it, unknown on silicon. */
	if (isnan(v))
		return v;
	switch (s->ew) {
	case EW_ADD:
		return v + a;
	case EW_MUL:
		return v * a;
	case EW_MAX:
		return v > a ? v : a;
	case EW_MIN:
		return v < a ? v : a;
	default:
		return v;
	}
}

/*
 * The operand of an element. Its cube is read by pairs of surfaces whose strides the encoders
 * keep at 12 rows or more, so that a smaller one is not read where it was packed.
 */
static uint16_t operand_at(const struct shape *s, const struct operands *o, size_t p, size_t n)
{
	size_t pixels = (size_t)s->oh * s->ow, floor = pixels > 12 ? pixels : 12;
	size_t surface = n / 8, pair = surface / 2;
	size_t atom = surface % 2 ? pixels + pair * 2 * floor : pair * (pixels + floor);

	atom += p;
	surface = atom / pixels;
	if (surface * 8 >= s->oc)
		return 0;
	return o->add[atom % pixels * s->oc + surface * 8 + n % 8];
}

static uint32_t clamp_integer(const struct shape *s, int64_t v)
{
	if (s->transposed_out)
		return (uint32_t)ref_saturate32(v) & 0xffff;
	if (shape_out_bytes(s) == 2)
		return (uint32_t)(v > INT16_MAX   ? INT16_MAX
				  : v < INT16_MIN ? INT16_MIN
						  : v) &
		       0xffff;
	return (uint32_t)ref_saturate32(v);
}

uint32_t shape_expected(const struct shape *s, const struct operands *o, size_t p, size_t n)
{
	uint32_t u;
	float f;

	if (!shape_is_float(s))
		return clamp_integer(s, reference_integer(s, o, p, n));
	f = reference_float(s, o, p, n);
	if (s->ew != EW_NONE)
		f = apply_ew(s, f, (float)ref_half_value(operand_at(s, o, p, n)));
	if (shape_out_bytes(s) == 2)
		return ref_narrow(f);
	memcpy(&u, &f, sizeof(u));
	return isnan(f) ? 0x7fc00000 : u;
}

/* ---- running and comparing ---- */

static size_t out_element(const struct shape *s, size_t p, size_t n)
{
	if (s->rowmajor_out)
		return p * s->row_n + n;
	if (s->transposed_out)
		return 4 * p + n / 4 % 4 + n / 16 * 4 * s->oh + n % 4 * 16 * s->oh;
	return layout_cube(8 * shape_out_bytes(s), (size_t)s->oh * s->ow, p, n);
}

uint32_t shape_result(struct board *b, const struct shape *s, size_t p, size_t n)
{
	uint32_t got = 0;

	board_get(b, s->output + (uint32_t)(out_element(s, p, n) * shape_out_bytes(s)), &got,
		  shape_out_bytes(s));
	return got;
}

size_t shape_compare(struct board *b, const struct shape *s, const struct operands *o, size_t *seen)
{
	size_t pixels = (size_t)s->oh * s->ow, all = pixels * s->oc, wrong = 0;
	size_t cost = (size_t)s->kh * s->kw * s->ic, n = 4000000 / cost + 64;

	if (n > all)
		n = all;
	if (n > SAMPLES && shape_is_float(s))
		n = SAMPLES;
	*seen = n;
	for (size_t i = 0; i < n; i++) {
		size_t e = n == all ? i : board_random(b) % all;
		size_t p = e / s->oc, c = e % s->oc;
		uint32_t got = shape_result(b, s, p, c), want = shape_expected(s, o, p, c);

		if (got != want && !wrong++)
			tap_note("pixel %zu channel %zu: %08x, expected %08x", p, c, got, want);
	}
	return wrong;
}

/* Bytes of the mapped output no element owns must keep the fill. */
bool shape_strays(struct board *b, const struct shape *s)
{
	uint32_t end = s->output;

	if (s->transposed_out)
		return false;
	for (size_t p = 0; p < (size_t)s->oh * s->ow; p += (size_t)s->oh * s->ow - 1) {
		uint32_t last = s->output +
				(uint32_t)(out_element(s, p, s->oc - 1) + 1) * shape_out_bytes(s);

		end = last > end ? last : end;
		if (s->oh * s->ow == 1)
			break;
	}
	for (uint32_t i = 0; i < 256; i++)
		if (*board_byte(b, end + i) != 0xa5)
			return true;
	return false;
}

void shape_map(struct board *b, const struct shape *s)
{
	size_t taps = (size_t)s->kh * s->kw,
	       out = (size_t)s->oh * s->ow * s->oc * shape_out_bytes(s);
	size_t groups = (s->oc + s->type->kernel_group - 1) / s->type->kernel_group;
	size_t depth = (s->ic + s->type->channel_group - 1) / s->type->channel_group;

	if (s->rowmajor_out)
		out = (size_t)s->oh * s->row_n * shape_out_bytes(s);
	if (s->transposed_out)
		out *= 4;
	board_map(b, s->input, input_bytes(s));
	board_map(b, s->weights, groups * depth * taps * 1024);
	board_map(b, s->output, out + 256);
	board_fill(b, s->output, 0xa5, out + 256);
	if (s->ew != EW_NONE)
		board_map(b, s->add, (size_t)s->oh * s->ow * s->oc * 2 + 4096);
}

void shape_put(struct board *b, const struct shape *s, struct operands *o, enum fill fill)
{
	memset(o, 0, sizeof(*o));
	put_input(b, s, o, fill);
	put_weights(b, s, o, fill);
	if (s->ew != EW_NONE)
		put_add(b, s, o, fill);
}

void operands_free(struct operands *o)
{
	free(o->x);
	free(o->w);
	free(o->add);
	memset(o, 0, sizeof(*o));
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/model/emit.h"

#include <string.h>

static const struct {
	const char *in, *out_name;
	unsigned bits, out_bytes, kernel_group, cna, dpu, out, qd, surfaces, narrow, slack;
} types[EMIT_TYPES] = {
	[EMIT_FP16_FP16] = { "fp16", "fp16", 16, 2, 16, 2, 2, 2, 1, 2, 1, 0 },
	[EMIT_FP16_FP32] = { "fp16", "fp32", 16, 4, 16, 2, 2, 5, 1, 4, 0, 0 },
	[EMIT_INT8_INT32] = { "int8", "int32", 8, 4, 32, 0, 0, 4, 0, 8, 0, 1 },
	[EMIT_INT4_INT16] = { "int4", "int16", 4, 2, 64, 6, 6, 1, 0, 8, 0, 0 },
	[EMIT_INT16_INT32] = { "int16", "int32", 16, 4, 16, 1, 1, 4, 1, 4, 0, 0 },
	[EMIT_BF16_FP32] = { "bf16", "fp32", 16, 4, 16, 3, 3, 5, 1, 4, 0, 0 },
	[EMIT_TF32_FP32] = { "tf32", "fp32", 32, 4, 16, 7, 5, 5, 1, 4, 0, 0 },
};

static const uint32_t ew_cfg[] = {
	[EMIT_NO_EW] = 0x383,    [EMIT_ADD] = 0x108202c0, [EMIT_MUL] = 0x108003c4,
	[EMIT_MAX] = 0x108002c0, [EMIT_MIN] = 0x108102c0,
};

unsigned emit_in_bits(enum emit_type type)
{
	return types[type].bits;
}

unsigned emit_kernel_group(enum emit_type type)
{
	return types[type].kernel_group;
}

const char *emit_out_name(enum emit_type type)
{
	return types[type].out_name;
}

unsigned emit_out_bytes(enum emit_type type)
{
	return types[type].out_bytes;
}

const char *emit_in_name(enum emit_type type)
{
	return types[type].in;
}

static void put(struct emit_program *p, uint16_t reg, uint32_t value)
{
	static const uint16_t target[8] = { 0, 0x0201, 0, 0x0801, 0x1001, 0x2001, 0x4001, 0x8001 };

	p->word[p->n++] = (uint64_t)target[reg >> 12] << 48 | (uint64_t)value << 16 | reg;
}

static void put_zeros(struct emit_program *p, uint16_t first, uint16_t last)
{
	for (unsigned reg = first; reg <= last; reg += 4)
		put(p, (uint16_t)reg, 0);
}

static void put_cna(struct emit_program *p, const struct emit_conv *c)
{
	unsigned bits = types[c->type].bits, code = types[c->type].cna;
	uint32_t kernel = c->kh * c->kw * c->ic * bits / 8, row = (c->iw * c->ic * bits + 7) / 8;
	uint32_t banks = (row * c->ih + 32767) / 32768 + types[c->type].slack;

	put(p, 0x100c, code << 7 | code << 4);
	put(p, 0x1010, (c->ih + 1 > 1023 ? 1023 : c->ih + 1) << 4);
	put(p, 0x1014, (c->dy - 1) << 21 | (c->dx - 1) << 16 | c->sy << 3 | c->sx);
	put(p, 0x1020, c->iw << 16 | c->ih);
	put(p, 0x1024, ((c->ic - 1) & 0x3fff) << 16 | c->ic);
	put(p, 0x1028, c->ow);
	put(p, 0x102c, c->ow * c->oh);
	put(p, 0x1030, kernel * c->oc);
	put(p, 0x1034, kernel);
	put(p, 0x1038, c->kw << 24 | c->kh << 16 | c->oc);
	put(p, 0x1040,
	    (uint32_t)c->weight_reuse << 13 | (uint32_t)c->data_reuse << 12 | (12 - banks) << 4 |
		    banks);
	put(p, 0x1044, (row + 63) / 64);
	put(p, 0x104c, 0xb);
	for (uint16_t reg = 0x1050; reg <= 0x105c; reg += 4)
		put(p, reg, 0x10000);
	put_zeros(p, 0x1060, 0x1064);
	put(p, 0x1068, c->pl << 4 | c->pt);
	put(p, 0x1070, c->input);
	put(p, 0x1074, 0);
	put(p, 0x1078, 0xf000f);
	put(p, 0x107c, 4 * c->iw);
	put(p, 0x1080, c->iw * (c->ih - 4) & 0xfffffff);
	put(p, 0x1084, c->iw << 16 | c->ih);
	put(p, 0x1088, c->ic);
	put_zeros(p, 0x1100, 0x1104);
	put(p, 0x1110, c->weights);
	put_zeros(p, 0x1140, 0x1180);
	put(p, 0x1184, ((uint32_t)c->pad & 0xff) * 0x01010101);
}

static void put_dpu(struct emit_program *p, const struct emit_conv *c)
{
	unsigned s = types[c->type].surfaces - 1, dpu = types[c->type].dpu;
	uint32_t plane = c->oh * c->ow * 16;

	put(p, 0x3010, types[c->type].cna << 8 | types[c->type].qd);
	put(p, 0x3014, (c->oh - 1) << 16 | (c->ow - 1));
	put(p, 0x3018, c->oc - 1);
	put(p, 0x301c, 0);
	put(p, 0x3030, 0);
	put(p, 0x400c, 0x1e4);
	put(p, 0x4010, types[c->type].out << 29 | dpu << 26 | dpu);
	put(p, 0x4014, 0);
	put(p, 0x4020, c->output);
	put(p, 0x4024, plane);
	put(p, 0x4030, c->ow - 1);
	put(p, 0x4034, c->oh - 1);
	put(p, 0x4038, 0);
	put(p, 0x403c, (c->oc - 1) * 0x10001);
	put(p, 0x4040, 0x53);
	put_zeros(p, 0x4044, 0x404c);
	put(p, 0x4050, s << 8 | s << 5 | s << 2 | 2);
	put(p, 0x4054, 0);
	put(p, 0x4058, c->oc - 1);
	put(p, 0x405c, (c->oh - 1) << 16 | (c->ow - 1));
	put(p, 0x4060, 0x53);
	put_zeros(p, 0x4064, 0x406c);
	put(p, 0x4070, ew_cfg[c->ew]);
	put(p, 0x4074, 0);
	put(p, 0x4078, 1);
	put_zeros(p, 0x407c, 0x4080);
	put(p, 0x4084, types[c->type].narrow << 16 | 1);
	put(p, 0x4088, 0);
	put_zeros(p, 0x4090, 0x40ac);
	put(p, 0x40c0, plane * (s + 1));
	put(p, 0x40c4, 0);
	put_zeros(p, 0x4100, 0x412c);
}

static void put_rdma(struct emit_program *p, const struct emit_conv *c)
{
	uint32_t pixels = c->oh * c->ow, notch = (pixels > 12 ? pixels : 12) * 16;
	bool ew = c->ew != EMIT_NO_EW;

	put(p, 0x500c, c->ow - 1);
	put(p, 0x5010, c->oh - 1);
	put(p, 0x5014, c->oc - 1);
	put(p, 0x5018, ew ? c->operand : 0);
	put_zeros(p, 0x501c, 0x5020);
	put_zeros(p, 0x5028, 0x502c);
	put(p, 0x5034, ew ? 0x40000008 : 1);
	put(p, 0x5038, ew ? c->operand + 16 * pixels : 0);
	put(p, 0x5040, ew ? notch : 0);
	put(p, 0x5044, ew ? 0x17d40 : 0x7810u | types[c->type].narrow << 3);
	put(p, 0x5048, 0);
	put(p, 0x504c, ew ? notch : 0);
	put(p, 0x5064, 0);
	put(p, 0x5068, 0x01010101);
	put(p, 0x506c, ew ? notch : 0);
}

void emit_program(struct emit_program *p, const struct emit_conv *c)
{
	p->n = 0;
	put(p, 0x4004, 0xe);
	put(p, 0x5004, 0xe);
	put_cna(p, c);
	put_dpu(p, c);
	put_rdma(p, c);
	p->word[p->n++] = 0;
	p->word[p->n++] = 0x0101ull << 48 | 0x0014;
	p->word[p->n++] = 0x0041ull << 48;
	p->word[p->n++] = 0x0081ull << 48 | 0x1dull << 16 | 0x0008;
}

struct emit_conv emit_matmul(enum emit_type type, unsigned m, unsigned k, unsigned n)
{
	return (struct emit_conv){ .type = type,
				   .ic = k,
				   .ih = m,
				   .iw = 1,
				   .oc = n,
				   .oh = m,
				   .ow = 1,
				   .kh = 1,
				   .kw = 1,
				   .sy = 1,
				   .sx = 1,
				   .dy = 1,
				   .dx = 1,
				   .input = 0x10000000,
				   .weights = 0x20000000,
				   .output = 0x30000000,
				   .operand = 0x40000000 };
}

void emit_row_major(struct emit_program *p, const struct emit_conv *c, unsigned row_k,
		    unsigned row_n)
{
	uint32_t notch = row_n * types[c->type].out_bytes / 16 - 1;

	emit_set(p, 0x100c, emit_get(p, 0x100c) | 1u << 29);
	emit_set(p, 0x107c, row_k * types[c->type].bits / 128);
	emit_set(p, 0x1080, 0);
	emit_set(p, 0x4024, 1 << 4);
	emit_set(p, 0x4038, notch << 16 | notch);
	emit_set(p, 0x40c0, types[c->type].surfaces << 4);
}

static unsigned find(const struct emit_program *p, uint16_t reg)
{
	for (unsigned i = 0; i + 4 < p->n; i++)
		if ((uint16_t)p->word[i] == reg && p->word[i] >> 48)
			return i;
	return p->n;
}

uint32_t emit_get(const struct emit_program *p, uint16_t reg)
{
	unsigned i = find(p, reg);

	return i < p->n ? (uint32_t)(p->word[i] >> 16) : 0;
}

void emit_set(struct emit_program *p, uint16_t reg, uint32_t value)
{
	unsigned i = find(p, reg);

	if (i < p->n)
		p->word[i] = (p->word[i] & 0xffff00000000ffffull) | (uint64_t)value << 16;
}

void emit_drop(struct emit_program *p, uint16_t reg)
{
	unsigned i = find(p, reg);

	if (i == p->n)
		return;
	memmove(&p->word[i], &p->word[i + 1], (p->n - i - 1) * sizeof(p->word[0]));
	p->n--;
}

void emit_insert(struct emit_program *p, unsigned at, uint64_t word)
{
	memmove(&p->word[at + 1], &p->word[at], (p->n - at) * sizeof(p->word[0]));
	p->word[at] = word;
	p->n++;
}

void emit_link(struct emit_program *p, uint32_t next, unsigned next_words)
{
	p->word[p->n - 4] = 0x0101ull << 48 | (uint64_t)next << 16 | 0x0010;
	p->word[p->n - 3] = 0x0101ull << 48 | (uint64_t)((next_words + 1) / 2 - 1) << 16 | 0x0014;
}

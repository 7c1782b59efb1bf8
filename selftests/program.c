// SPDX-License-Identifier: LGPL-2.1-or-later
#include "program.h"

#define BANK       32768u
#define BANKS      12u
#define TARGET_PC  0x0101u
#define ENABLE_ALL 0x1du
#define ENABLE_BAD 0x0du /* no DPU_RDMA */

const struct matmul_format matmul_formats[MATMUL_TYPES] = {
	[FP16_TO_FP16] = { .name = "fp16",
			   .in_bits = 16,
			   .out_bytes = 2,
			   .c2 = 8,
			   .ngroup = 16,
			   .kgroup = 32,
			   .proc = 2,
			   .dpu = 2,
			   .out = 2,
			   .size_e = 1,
			   .narrow = 1,
			   .qd = 1 },
	[FP16_TO_FP32] = { .name = "fp16_f32out",
			   .in_bits = 16,
			   .out_bytes = 4,
			   .c2 = 8,
			   .ngroup = 16,
			   .kgroup = 32,
			   .proc = 2,
			   .dpu = 2,
			   .out = 5,
			   .size_e = 3,
			   .qd = 1 },
	[BF16_TO_FP32] = { .name = "bf16",
			   .in_bits = 16,
			   .out_bytes = 4,
			   .c2 = 8,
			   .ngroup = 16,
			   .kgroup = 32,
			   .proc = 3,
			   .dpu = 3,
			   .out = 5,
			   .size_e = 3,
			   .qd = 1 },
	[TF32_TO_FP32] = { .name = "tf32",
			   .in_bits = 32,
			   .out_bytes = 4,
			   .c2 = 4,
			   .ngroup = 16,
			   .kgroup = 16,
			   .proc = 7,
			   .dpu = 5,
			   .out = 5,
			   .size_e = 3,
			   .qd = 1 },
	[INT16_TO_INT32] = { .name = "int16",
			     .in_bits = 16,
			     .out_bytes = 4,
			     .c2 = 8,
			     .ngroup = 16,
			     .kgroup = 32,
			     .proc = 1,
			     .dpu = 1,
			     .out = 4,
			     .size_e = 3,
			     .qd = 1 },
	[INT8_TO_INT32] = { .name = "int8",
			    .in_bits = 8,
			    .out_bytes = 4,
			    .c2 = 16,
			    .ngroup = 32,
			    .kgroup = 32,
			    .proc = 0,
			    .out = 4,
			    .size_e = 7,
			    .slack_db = 1 },
	[INT4_TO_INT16] = { .name = "int4",
			    .in_bits = 4,
			    .out_bytes = 2,
			    .c2 = 32,
			    .ngroup = 64,
			    .kgroup = 32,
			    .proc = 6,
			    .dpu = 6,
			    .out = 1,
			    .size_e = 7 },
};

struct emitter {
	uint64_t *words;
	unsigned n;
};

static void put(struct emitter *e, unsigned target, unsigned offset, uint32_t value)
{
	e->words[e->n++] = (uint64_t)target << 48 | (uint64_t)value << 16 | offset;
}

/* The block a register belongs to follows from its page. */
static void reg(struct emitter *e, unsigned offset, uint32_t value)
{
	static const uint16_t targets[] = {
		[1] = 0x0201, /* CNA */
		[3] = 0x0801, /* CORE */
		[4] = 0x1001, /* DPU */
		[5] = 0x2001, /* DPU_RDMA */
	};

	put(e, targets[offset >> 12], offset, value);
}

static void fill(struct emitter *e, unsigned first, unsigned last, uint32_t value)
{
	for (unsigned offset = first; offset <= last; offset += 4)
		reg(e, offset, value);
}

static uint32_t div_up(uint32_t a, uint32_t b)
{
	return (a + b - 1) / b;
}

static void cna(struct emitter *e, const struct matmul *mm)
{
	const struct matmul_format *f = &matmul_formats[mm->type];
	uint32_t kernel = mm->k * f->in_bits / 8;
	uint32_t db = div_up(mm->m * kernel, BANK) + f->slack_db;

	reg(e, 0x100c, f->proc << 7 | f->proc << 4 | (mm->a_row ? 1u << 29 : 0));
	reg(e, 0x1010, (mm->m + 1) << 4);
	reg(e, 0x1014, 9);
	reg(e, 0x1020, 1u << 16 | mm->m);
	reg(e, 0x1024, (mm->k - 1) << 16 | mm->k);
	reg(e, 0x1028, 1);
	reg(e, 0x102c, mm->m);
	reg(e, 0x1030, kernel * mm->n);
	reg(e, 0x1034, kernel);
	reg(e, 0x1038, 1u << 24 | 1u << 16 | mm->n);
	reg(e, 0x1040,
	    (uint32_t)mm->weight_reuse << 13 | (uint32_t)mm->data_reuse << 12 | (BANKS - db) << 4 |
		    db);
	reg(e, 0x1044, div_up(kernel, 64));
	reg(e, 0x104c, 0xb);
	fill(e, 0x1050, 0x105c, 0x10000);
	fill(e, 0x1060, 0x1068, 0);
	reg(e, 0x1070, mm->in);
	reg(e, 0x1074, 0);
	reg(e, 0x1078, 0x000f000f);
	reg(e, 0x107c, mm->a_row ? mm->a_row * f->in_bits / 128 : 4);
	reg(e, 0x1080, mm->a_row ? 0 : (mm->m - 4) & 0x0fffffff);
	reg(e, 0x1084, 1u << 16 | mm->m);
	reg(e, 0x1088, mm->k);
	fill(e, 0x1100, 0x1104, 0);
	reg(e, 0x1110, mm->wt);
	fill(e, 0x1140, 0x117c, 0);
	fill(e, 0x1180, 0x1184, 0);
}

static void core(struct emitter *e, const struct matmul *mm)
{
	const struct matmul_format *f = &matmul_formats[mm->type];

	reg(e, 0x3010, f->proc << 8 | f->qd);
	reg(e, 0x3014, (mm->m - 1) << 16);
	reg(e, 0x3018, mm->n - 1);
	reg(e, 0x301c, 0);
	reg(e, 0x3030, 0);
}

/* A stage of the DPU that lets everything pass. */
static void bypassed_stage(struct emitter *e, unsigned cfg)
{
	reg(e, cfg, 0x53);
	fill(e, cfg + 4, cfg + 12, 0);
}

static void dpu(struct emitter *e, const struct matmul *mm)
{
	const struct matmul_format *f = &matmul_formats[mm->type];
	uint32_t notch = mm->c_row ? mm->c_row * f->out_bytes / 16 - 1 : 0;
	uint32_t rows = mm->c_row ? 1 : mm->m;
	uint32_t se = f->size_e;

	reg(e, 0x400c, 0x1e4);
	reg(e, 0x4010, f->out << 29 | f->dpu << 26 | f->dpu);
	reg(e, 0x4014, 0);
	reg(e, 0x4020, mm->out);
	reg(e, 0x4024, rows << 4);
	reg(e, 0x4030, 0);
	reg(e, 0x4034, mm->m - 1);
	reg(e, 0x4038, notch << 16 | notch);
	reg(e, 0x403c, (mm->n - 1) << 16 | (mm->n - 1));
	bypassed_stage(e, 0x4040);
	reg(e, 0x4050, se << 8 | se << 5 | se << 2 | 2);
	reg(e, 0x4054, 0);
	reg(e, 0x4058, mm->n - 1);
	reg(e, 0x405c, (mm->m - 1) << 16);
	bypassed_stage(e, 0x4060);
	reg(e, 0x4070, mm->accumulate ? 0x108202c0 : 0x383);
	reg(e, 0x4074, 0);
	reg(e, 0x4078, 1);
	fill(e, 0x407c, 0x4080, 0);
	reg(e, 0x4084, f->narrow << 16 | 1);
	reg(e, 0x4088, 0);
	fill(e, 0x4090, 0x40ac, 0);
	reg(e, 0x40c0, (se + 1) * rows << 4);
	reg(e, 0x40c4, 0);
	fill(e, 0x4100, 0x412c, 0);
}

static void rdma(struct emitter *e, const struct matmul *mm)
{
	const struct matmul_format *f = &matmul_formats[mm->type];
	bool acc = mm->accumulate;
	uint32_t surface = acc ? (mm->m < 12 ? 12 : mm->m) << 4 : 0;

	reg(e, 0x500c, 0);
	reg(e, 0x5010, mm->m - 1);
	reg(e, 0x5014, mm->n - 1);
	reg(e, 0x5018, acc ? mm->add : 0);
	fill(e, 0x501c, 0x5020, 0);
	fill(e, 0x5028, 0x502c, 0);
	reg(e, 0x5034, acc ? 0x40000008 : 1);
	reg(e, 0x5038, acc ? mm->add + 16 * mm->m : 0);
	reg(e, 0x5040, surface);
	reg(e, 0x5044, acc ? 0x17d40 : 0x7810 | f->narrow << 3);
	reg(e, 0x5048, 0);
	reg(e, 0x504c, surface);
	reg(e, 0x5064, 0);
	reg(e, 0x5068, 0x01010101);
	reg(e, 0x506c, surface);
}

static void trailer(struct emitter *e, uint32_t enable)
{
	put(e, 0, 0, 0);
	put(e, TARGET_PC, 0x14, 0);
	put(e, 0x0041, 0, 0);
	put(e, 0x0081, 8, enable);
}

void matmul_program(const struct matmul *mm, uint64_t *words)
{
	struct emitter e = { .words = words };

	reg(&e, 0x4004, 0xe);
	reg(&e, 0x5004, 0xe);
	cna(&e, mm);
	core(&e, mm);
	dpu(&e, mm);
	rdma(&e, mm);
	trailer(&e, ENABLE_ALL);
}

void hang_program(const struct matmul *mm, uint64_t *words)
{
	struct emitter e = { .words = words };

	reg(&e, 0x4004, 0xe);
	cna(&e, mm);
	core(&e, mm);
	dpu(&e, mm);
	trailer(&e, ENABLE_BAD);
}

void program_link(uint64_t *words, uint32_t next)
{
	struct emitter e = { .words = words + MATMUL_WORDS - 4 };

	put(&e, TARGET_PC, 0x10, next);
	put(&e, TARGET_PC, 0x14, (MATMUL_WORDS + 1) / 2 - 1);
}

size_t feature_index(const struct matmul *mm, unsigned m, unsigned k)
{
	size_t c2 = matmul_formats[mm->type].c2;

	if (mm->a_row)
		return (size_t)m * mm->a_row + k;
	return k / c2 * mm->m * c2 + m * c2 + k % c2;
}

size_t weight_index(const struct matmul *mm, unsigned n, unsigned k)
{
	size_t ng = matmul_formats[mm->type].ngroup;
	size_t kg = matmul_formats[mm->type].kgroup;

	return n / ng * ng * mm->k + k / kg * ng * kg + n % ng * kg + k % kg;
}

size_t output_index(const struct matmul *mm, unsigned m, unsigned n)
{
	size_t o2 = 16 / matmul_formats[mm->type].out_bytes;

	if (mm->c_row)
		return (size_t)m * mm->c_row + n;
	return n / o2 * mm->m * o2 + m * o2 + n % o2;
}

size_t feature_bytes(const struct matmul *mm)
{
	return (size_t)mm->m * (mm->a_row ? mm->a_row : mm->k) * matmul_formats[mm->type].in_bits /
	       8;
}

size_t weight_bytes(const struct matmul *mm)
{
	return (size_t)mm->n * mm->k * matmul_formats[mm->type].in_bits / 8;
}

size_t output_bytes(const struct matmul *mm)
{
	return (size_t)mm->m * (mm->c_row ? mm->c_row : mm->n) * matmul_formats[mm->type].out_bytes;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* dpu.c - DPU stages in their order: BS, BN, EW, OUT_CVT. */
#include "sim/npu/dpu.h"

#include <string.h>

#include "sim/npu/core.h"
#include "sim/npu/decode.h"
#include "sim/npu/half.h"

int64_t shift_half_even(int64_t v, unsigned shift)
{
	int64_t floor, rest, half;

	if (!shift)
		return v;
	if (shift > 62)
		return 0;
	floor = v >> shift;
	rest = v - (int64_t)((uint64_t)floor << shift);
	half = (int64_t)1 << (shift - 1);
	return floor + (rest > half || (rest == half && (floor & 1)));
}

int64_t shift_half_away(int64_t v, unsigned shift)
{
	uint64_t magnitude = v < 0 ? -(uint64_t)v : (uint64_t)v;

	if (!shift)
		return v;
	if (shift > 62)
		return 0;
	magnitude = (magnitude + ((uint64_t)1 << (shift - 1))) >> shift;
	return v < 0 ? -(int64_t)magnitude : (int64_t)magnitude;
}

/* Elements at the end of a memory-fed cube of 8191 columns that come out wrong [silicon]. */
#define SPOILT_TAIL 54u

/* An integer between stages: leaves OUT_CVT room for its 16-bit factor. */
#define WIDE_BITS 47

static int64_t saturate(int64_t v, unsigned bits)
{
	int64_t most = ((int64_t)1 << (bits - 1)) - 1;

	return v > most ? most : v < -most - 1 ? -most - 1 : v;
}

/* ---- float ---- */

static float mul_float(const struct channel_stage *s, const struct coefficient *k, float v)
{
	if (!s->mul || (s->mul_prelu && !(v < 0)))
		return v;
	return v * half_to_float(s->mul_memory ? (uint16_t)k->c : s->mul_operand);
}

static float alu_float(const struct channel_stage *s, const struct coefficient *k, float v)
{
	float o = float_from_bits(s->alu_memory ? (uint32_t)k->a : s->alu_operand);

	return !s->alu ? v : s->alu_minus ? v - o : v + o;
}

static float relu_float(bool relu, bool relux, uint32_t cap, float v)
{
	if (relu && v < 0)
		v = 0;
	return relux && v > float_from_bits(cap) ? float_from_bits(cap) : v;
}

static void channel_float(const struct channel_stage *s, const struct coefficient *k, float *v,
			  size_t n)
{
	for (size_t i = 0; s->live && i < n; i++, k++) {
		v[i] = s->mul_first ? alu_float(s, k, mul_float(s, k, v[i]))
				    : mul_float(s, k, alu_float(s, k, v[i]));
		v[i] = relu_float(s->relu, s->relux, s->relux_operand, v[i]);
	}
}

/* A comparison that fails takes the operand, but not a number stays. */
static void element_float(const struct element_stage *s, float *v, const float *o, size_t n)
{
	if (s->op && s->mul)
		for (size_t i = 0; i < n; i++)
			v[i] *= o[i];
	else if (s->op && s->algo == ALU_ADD)
		for (size_t i = 0; i < n; i++)
			v[i] += o[i];
	else if (s->op && s->algo == ALU_MINUS)
		for (size_t i = 0; i < n; i++)
			v[i] -= o[i];
	else if (s->op && s->algo == ALU_MAX)
		for (size_t i = 0; i < n; i++)
			v[i] = v[i] > o[i] || v[i] != v[i] ? v[i] : o[i];
	else if (s->op && s->algo == ALU_MIN)
		for (size_t i = 0; i < n; i++)
			v[i] = v[i] < o[i] || v[i] != v[i] ? v[i] : o[i];
	for (size_t i = 0; s->relu && i < n; i++)
		v[i] = relu_float(s->relu, s->relux, s->relux_operand, v[i]);
}

static void finish_float(struct npu_core *core, const struct dpu_job *job, float *v, uint8_t *to,
			 size_t n)
{
	for (size_t i = 0; job->scale != 1 && i < n; i++)
		v[i] *= job->scale;
	if (job->out.type == OUT_FP16) {
		core->narrow(v, (uint16_t *)to, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t u = v[i] != v[i] ? FLOAT_NAN : float_bits(v[i]);

		if (job->out.type == OUT_BF16)
			((uint16_t *)to)[i] = (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
		else
			((uint32_t *)to)[i] = u;
	}
}

/* ---- integer ---- */

static int64_t mul_integer(const struct channel_stage *s, const struct coefficient *k, int64_t v)
{
	int64_t operand;

	if (!s->mul || (s->mul_prelu && v >= 0))
		return v;
	operand = s->mul_memory ? k->c : s->mul_first ? s->mul_operand : (int16_t)s->mul_operand;
	v *= operand;
	return saturate(shift_half_even(v, v < 0 ? s->shift_negative : s->shift), 32);
}

static int64_t alu_integer(const struct channel_stage *s, const struct coefficient *k, int64_t v)
{
	int64_t o = s->alu_memory ? k->a : (int32_t)s->alu_operand;

	return !s->alu ? v : s->alu_minus ? v - o : v + o;
}

static int64_t relu_integer(bool relu, bool relux, uint32_t cap, int64_t v)
{
	if (relu && v < 0)
		v = 0;
	return relux && v > (int32_t)cap ? (int32_t)cap : v;
}

static void channel_integer(const struct channel_stage *s, const struct coefficient *k,
			    int32_t window_sum, int64_t *v, size_t n)
{
	for (size_t i = 0; s->live && i < n; i++, k++) {
		if (s->compensate)
			v[i] += (int64_t)window_sum *
				(s->compensate_memory ? k->b : s->compensation);
		v[i] = s->mul_first ? alu_integer(s, k, mul_integer(s, k, v[i]))
				    : mul_integer(s, k, alu_integer(s, k, v[i]));
		v[i] = relu_integer(s->relu, s->relux, s->relux_operand, v[i]);
	}
}

static int64_t convert_operand(const struct element_stage *s, int64_t o)
{
	if (!s->convert)
		return o;
	if (s->add_first)
		o += s->offset;
	o *= s->scale;
	o = s->half_away ? shift_half_away(o, s->shift) : shift_half_even(o, s->shift);
	return s->add_first ? o : o + s->offset;
}

static int64_t element_op(const struct element_stage *s, int64_t v, int64_t o)
{
	if (s->mul)
		return saturate(v, 32) * (s->low16 ? (int16_t)o : saturate(o, 32));
	switch (s->algo) {
	case ALU_MAX:
		return v > o ? v : o;
	case ALU_MIN:
		return v < o ? v : o;
	case ALU_MINUS:
		return v - o;
	default:
		return v + o;
	}
}

static void element_integer(const struct element_stage *s, int64_t *v, const int32_t *o, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (s->op)
			v[i] = saturate(element_op(s, v[i], convert_operand(s, o[i])), WIDE_BITS);
		v[i] = relu_integer(s->relu, s->relux, s->relux_operand, v[i]);
	}
}

static int64_t convert_integer(const struct dpu_job *job, int64_t v)
{
	v *= job->scale;
	v = job->half_away ? shift_half_away(v, job->shift) : shift_half_even(v, job->shift);
	return v + job->offset;
}

static void finish_integer(const struct dpu_job *job, const int64_t *v, uint8_t *to, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t r = convert_integer(job, v[i]);

		switch (job->out.type) {
		case OUT_INT8:
			((int8_t *)to)[i] = (int8_t)saturate(r, 8);
			break;
		case OUT_INT16:
			((int16_t *)to)[i] = (int16_t)saturate(r, 16);
			break;
		case OUT_FP16:
			((uint16_t *)to)[i] = half_from_float((float)r);
			break;
		case OUT_FP32:
			((float *)to)[i] = (float)r;
			break;
		default:
			((int32_t *)to)[i] = (int32_t)saturate(r, 32);
		}
	}
}

static bool passes_through(const struct dpu_job *job)
{
	return job->integer && job->out.type == OUT_INT32 && !job->bs.live && !job->bn.live &&
	       !job->ew.live && job->scale == 1 && !job->shift && !job->offset;
}

/* ---- both ---- */

static bool operand_of_register(struct npu_core *core, const struct dpu_job *job,
				const struct dpu_block *block, const void **operand)
{
	uint32_t *to = scratch_get(&core->operand, block->pixels * block->ld * sizeof(*to));

	/* The register holds fp32 bits on the float path, an integer otherwise. */
	for (size_t i = 0; to && i < block->pixels * block->ld; i++)
		to[i] = job->ew.value;
	if (!to)
		core_hang(core, "DPU", NOT_MODELLED "no host memory for the operand");
	*operand = to;
	return to;
}

static bool get_operand(struct npu_core *core, const struct dpu_job *job,
			const struct dpu_block *block, const void **operand)
{
	*operand = NULL;
	if (!job->ew.live || !job->ew.op)
		return true;
	if (!job->ew.memory)
		return operand_of_register(core, job, block, operand);
	*operand = rdma_operand(core, job, block);
	return *operand;
}

static void run_row(struct npu_core *core, const struct dpu_job *job, const struct dpu_block *block,
		    unsigned pixel, const void *operand, uint8_t *to)
{
	const struct coefficient *k = core->coefficients.base;
	size_t at = pixel * block->ld, n = block->channels;
	int32_t window_sum = block->window_sums ? block->window_sums[pixel] : 0;
	float *f = (float *)block->acc + at;
	const int32_t *acc = (const int32_t *)block->acc + at;
	int64_t *wide = core->wide.base;

	k += block->first_channel;
	if (!job->integer) {
		channel_float(&job->bs, k, f, n);
		channel_float(&job->bn, k, f, n);
		if (job->ew.live)
			element_float(&job->ew, f, operand ? (const float *)operand + at : NULL, n);
		finish_float(core, job, f, to, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		wide[i] = acc[i];
	channel_integer(&job->bs, k, window_sum, wide, n);
	channel_integer(&job->bn, k, 0, wide, n);
	if (job->ew.live)
		element_integer(&job->ew, wide, operand ? (const int32_t *)operand + at : NULL, n);
	finish_integer(job, wide, to, n);
}

/* The widest cubes lose their last elements (quirk). */
static void spoil_tail(const struct dpu_job *job, const struct dpu_block *block, uint8_t *bytes,
		       size_t pitch)
{
	uint64_t all = (uint64_t)job->width * job->height * job->channels;

	if (job->width < UNSAFE_WIDTH)
		return;
	for (unsigned p = 0; p < block->pixels; p++)
		for (unsigned c = 0; c < block->channels; c++) {
			uint64_t at = (uint64_t)(block->first_pixel + p) * job->channels +
				      block->first_channel + c;

			for (unsigned i = 0; at + SPOILT_TAIL >= all && i < job->out.bytes; i++)
				bytes[p * pitch + c * job->out.bytes + i] ^= 0xff;
		}
}

bool dpu_prepare(struct npu_core *core, const struct dpu_job *job)
{
	return rdma_coefficients(core, job);
}

bool dpu_run(struct npu_core *core, const struct dpu_job *job, const struct dpu_block *block)
{
	size_t pitch = block->ld * job->out.bytes;
	const void *operand;
	uint8_t *bytes;

	if (passes_through(job)) {
		writer_run(core, job, block, block->acc, block->ld * sizeof(int32_t));
		return true;
	}
	bytes = scratch_get(&core->bytes, block->pixels * pitch);
	if (!bytes || !scratch_get(&core->wide, block->ld * sizeof(int64_t))) {
		core_hang(core, "DPU", NOT_MODELLED "no host memory for a block of results");
		return false;
	}
	if (!get_operand(core, job, block, &operand))
		return false;
	for (unsigned p = 0; p < block->pixels; p++)
		run_row(core, job, block, p, operand, bytes + p * pitch);
	if (job->main.memory && core_quirk(core, NPU_QUIRK_W8191))
		spoil_tail(job, block, bytes, pitch);
	writer_run(core, job, block, bytes, pitch);
	return true;
}

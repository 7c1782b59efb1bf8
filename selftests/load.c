// SPDX-License-Identifier: LGPL-2.1-or-later
#include "load.h"

#include <errno.h>
#include <string.h>

#include "reference.h"

#define STAMP 0xa5
/* The feature DMA may read on past its cube. */
#define OVERREAD 32768u
/* Programs on their own: a slot each, the fetch ends on 16 bytes. */
#define PROGRAM_SLOT 1024u

const struct matmul small_matmul = { .type = FP16_TO_FP16, .m = 4, .k = 64, .n = 32 };

uint32_t mix(uint32_t seed, uint32_t i)
{
	uint32_t x = seed * 0x9e3779b9u + i;

	x ^= x >> 16;
	x *= 0x85ebca6bu;
	x ^= x >> 13;
	x *= 0xc2b2ae35u;
	return x ^ x >> 16;
}

/* Floats of fp16's range and precision, or of less of it, are the same numbers in every type. */
static uint32_t float_element(enum matmul_type type, uint16_t half)
{
	switch (type) {
	case BF16_TO_FP32:
		return float_bits(half_to_float(half)) >> 16;
	case TF32_TO_FP32:
		return float_bits(half_to_float(half));
	default:
		return half;
	}
}

/* Floats: at most 4, down to subnormals of fp16, with some zeros; integers: everything. */
static uint32_t random_element(enum matmul_type type, uint32_t r)
{
	static const uint8_t exponents[] = { 0,  1,  6,  9,  11, 12, 13, 13,
					     14, 14, 14, 15, 15, 15, 15, 16 };

	if (type == INT4_TO_INT16)
		return r % 16 - 8;
	if (is_integer(type))
		return r;
	if (r >> 26 == 0)
		return 0;
	return float_element(type,
			     (uint16_t)((r & 0x83ff) | (uint32_t)exponents[r >> 20 & 15] << 10)) |
	       (type == TF32_TO_FP32 ? r >> 8 & 0x1fff : 0); /* what is cut off */
}

static uint32_t integer_element(enum matmul_type type, uint32_t r)
{
	int v = (int)(r % 7) - 3;

	return is_integer(type) ? (uint32_t)v : float_element(type, half_from_float((float)v));
}

/* Of int4, more of the least than of the greatest: sums that leave int16. */
static uint32_t extreme_element(enum matmul_type type, uint32_t r)
{
	/* largest, one, smallest normal, largest and smallest subnormal, zero */
	static const uint16_t halves[] = { 0x7bff, 0x3c00, 0x0400, 0x03ff, 0x0001, 0x0000 };
	static const int16_t words[] = { INT16_MIN, INT16_MAX, INT16_MIN + 1, 1, -1 };
	static const int8_t bytes[] = { INT8_MIN, INT8_MAX, INT8_MIN + 1, 1, -1 };
	static const int8_t nibbles[] = { -8, -8, -8, -8, 7 };

	switch (type) {
	case INT16_TO_INT32:
		return (uint32_t)words[r % 5];
	case INT8_TO_INT32:
		return (uint32_t)bytes[r % 5];
	case INT4_TO_INT16:
		return (uint32_t)nibbles[r % 5];
	default:
		return float_element(type, halves[r % 6] | (r & 0x8000));
	}
}

static uint32_t element(const struct load *l, uint32_t r)
{
	static uint32_t (*const of[])(enum matmul_type type, uint32_t r) = {
		[LOAD_INTEGERS] = integer_element,
		[LOAD_RANDOM] = random_element,
		[LOAD_EXTREMES] = extreme_element,
	};

	return of[l->values](l->mm.type, r);
}

static void fill_elements(const struct load *l, void *dst, size_t count, uint32_t seed)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t e = element(l, mix(seed, (uint32_t)i));

		switch (host_bytes(l->mm.type)) {
		case 1:
			((uint8_t *)dst)[i] = (uint8_t)e;
			break;
		case 2:
			((uint16_t *)dst)[i] = (uint16_t)e;
			break;
		default:
			((uint32_t *)dst)[i] = e;
		}
	}
}

static void copy_element(enum matmul_type type, void *dst, size_t to, const void *src, size_t from)
{
	unsigned bytes = host_bytes(type);
	uint8_t *pair;

	if (matmul_formats[type].in_bits >= 8) {
		memcpy((char *)dst + to * bytes, (const char *)src + from * bytes, bytes);
		return;
	}
	pair = (uint8_t *)dst + to / 2; /* the even one is the low nibble */
	*pair = (uint8_t)((*pair & 0xf0 >> to % 2 * 4) | (((const uint8_t *)src)[from] & 15)
								 << to % 2 * 4);
}

static void pack(struct load *l)
{
	const struct matmul *mm = &l->mm;

	memset(l->in->map, 0, l->in->size);
	for (unsigned i = 0; i < l->tasks; i++)
		for (unsigned m = 0; m < mm->m; m++)
			for (unsigned k = 0; k < mm->k; k++)
				copy_element(mm->type, (char *)l->in->map + i * l->in_step,
					     feature_index(mm, m, k), l->a,
					     ((size_t)i * mm->m + m) * mm->k + k);
	for (unsigned n = 0; n < mm->n; n++)
		for (unsigned k = 0; k < mm->k; k++)
			copy_element(mm->type, l->wt->map, weight_index(mm, n, k), l->b,
				     (size_t)n * mm->k + k);
}

struct matmul load_matmul(const struct load *l, unsigned task)
{
	struct matmul mm = l->mm;

	mm.in += (uint32_t)(task * l->in_step);
	mm.out += (uint32_t)(task * l->out_step);
	return mm;
}

uint64_t *load_words(const struct load *l, unsigned task)
{
	return (uint64_t *)((char *)l->prog->map + task * l->prog_step);
}

static void write_programs(struct load *l)
{
	memset(l->prog->map, 0, l->prog->size);
	for (unsigned i = 0; i < l->tasks; i++) {
		struct matmul mm = load_matmul(l, i);

		matmul_program(&mm, load_words(l, i));
		l->task[i].regcmd = l->prog->dma + (uint32_t)(i * l->prog_step);
		l->task[i].regcmd_count = MATMUL_WORDS;
		if (l->chained && i + 1 < l->tasks)
			program_link(load_words(l, i), l->task[i].regcmd + MATMUL_BYTES);
	}
	l->memory->hand_over(l->f, l->prog);
}

static void name_buffers(struct load *l)
{
	l->in_handles[0] = l->prog->handle;
	l->in_handles[1] = l->in->handle;
	l->in_handles[2] = l->wt->handle;
	l->out_handles[0] = l->out->handle;
	l->job = (struct drm_rocket_job){
		.tasks = (uintptr_t)l->task,
		.in_bo_handles = (uintptr_t)l->in_handles,
		.out_bo_handles = (uintptr_t)l->out_handles,
		.task_count = l->tasks,
		.task_struct_size = sizeof(*l->task),
		.in_bo_handle_count = 3,
		.out_bo_handle_count = 1,
	};
}

static bool allocate(struct load *l)
{
	const struct matmul *mm = &l->mm;
	unsigned bytes = host_bytes(mm->type);
	struct test *t = l->t;

	l->in_step = feature_bytes(mm);
	l->out_step = output_bytes(mm);
	l->prog_step = PROGRAM_SLOT;
	l->a = test_alloc(t, (size_t)l->tasks * mm->m * mm->k * bytes);
	l->b = test_alloc(t, (size_t)mm->n * mm->k * bytes);
	l->task = test_alloc(t, l->tasks * sizeof(*l->task));
	l->prog = l->memory->allocate(t, l->f, (uint32_t)(l->tasks * l->prog_step));
	l->in = l->memory->allocate(t, l->f, (uint32_t)(l->tasks * l->in_step + OVERREAD));
	l->wt = l->memory->allocate(t, l->f, (uint32_t)(weight_bytes(mm) + OVERREAD));
	l->out = l->memory->allocate(t, l->f, (uint32_t)(l->tasks * l->out_step + PAGE));
	return l->a && l->b && l->task && l->prog && l->in && l->wt && l->out;
}

static int hand_over(const struct file *f, const struct bo *bo)
{
	return file_fini(f, bo->handle);
}

static const struct load_memory rocket_memory = { test_bo, hand_over };

bool load_make(struct load *l, struct test *t, struct file *f, const struct matmul *shape,
	       unsigned tasks, enum load_values values)
{
	return load_make_in(&rocket_memory, l, t, f, shape, tasks, values);
}

bool load_make_in(const struct load_memory *memory, struct load *l, struct test *t, struct file *f,
		  const struct matmul *shape, unsigned tasks, enum load_values values)
{
	*l = (struct load){
		.t = t, .f = f, .memory = memory, .mm = *shape, .tasks = tasks, .values = values
	};
	uint32_t seed;

	if (!f || !allocate(l))
		return false;
	l->mm.in = l->in->dma;
	l->mm.wt = l->wt->dma;
	l->mm.out = l->out->dma;
	/* Files of their own have the same addresses, and another's result must not be right. */
	seed = l->in->dma + 2 * (uint32_t)f->fd;
	fill_elements(l, l->a, (size_t)tasks * l->mm.m * l->mm.k, seed);
	fill_elements(l, l->b, (size_t)l->mm.n * l->mm.k, seed + 1);
	pack(l);
	l->memory->hand_over(f, l->in);
	l->memory->hand_over(f, l->wt);
	write_programs(l);
	load_stamp(l);
	name_buffers(l);
	return true;
}

void load_hang(struct load *l, unsigned task)
{
	struct matmul mm = load_matmul(l, task);

	hang_program(&mm, load_words(l, task));
	l->task[task].regcmd_count = HANG_WORDS;
	l->memory->hand_over(l->f, l->prog);
}

void load_chain(struct load *l)
{
	l->chained = true;
	l->prog_step = MATMUL_BYTES;
	write_programs(l);
	l->job.flags = DRM_ROCKET_JOB_BATCHED;
}

void load_stamp(struct load *l)
{
	memset(l->out->map, STAMP, l->out->size);
	l->memory->hand_over(l->f, l->out);
}

int load_submit(struct load *l)
{
	return file_submit_job(l->f, &l->job);
}

int load_wait(struct load *l, int64_t within)
{
	return file_prep(l->f, l->out->handle, now_ns() + within);
}

bool load_unfinished(const struct load *l)
{
	return file_prep(l->f, l->out->handle, 0) == -EBUSY;
}

bool load_failed_as_told(const struct load *l, int ret)
{
	const struct node *node = l->t->node;

	if (expectation_unmet(EXPECT_JOB_ERRORS, node->major, node->minor))
		return !ret;
	return ret == -EIO;
}

static uint32_t element_bits(const struct load *l, unsigned task, unsigned m, unsigned n)
{
	unsigned bytes = matmul_formats[l->mm.type].out_bytes;
	uint32_t bits = 0;

	memcpy(&bits,
	       (const char *)l->out->map + task * l->out_step + output_index(&l->mm, m, n) * bytes,
	       bytes);
	return bits;
}

static uint32_t expected_bits(const struct load *l, unsigned task, unsigned m, unsigned n)
{
	size_t row_bytes = (size_t)l->mm.k * host_bytes(l->mm.type);
	const struct reference_rows rows = {
		.type = l->mm.type,
		.a = (const char *)l->a + ((size_t)task * l->mm.m + m) * row_bytes,
		.b = (const char *)l->b + n * row_bytes,
		.k = l->mm.k,
	};

	if (l->values == LOAD_INTEGERS)
		return result_of_integer(l->mm.type, reference_sum(&rows));
	return reference_bits(&rows);
}

static float float_of(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/*
 * Integers agree to the bit everywhere, and so does everything in the model. On silicon
 * one fp16 unit is granted where the narrowing's rounding was never measured, and lane 0
 * of a group differs from core to core: a group's sum may lack 2^(4c - 44), where c is 8
 * for the exponents of LOAD_RANDOM. As much is granted to every lane of bf16 and tf32, whose
 * groups were never measured.
 */
static bool agrees(const struct load *l, unsigned n, uint32_t got, uint32_t want)
{
	float difference;

	if (got == want)
		return true;
	if (l->t->node->calls->in_process || l->values == LOAD_INTEGERS || is_integer(l->mm.type))
		return false;
	if (l->mm.type == FP16_TO_FP16)
		return got - want + 1 <= 2;
	if (l->mm.type == FP16_TO_FP32 && n % 16)
		return false;
	difference = float_of(got) - float_of(want);
	return l->values == LOAD_EXTREMES || (difference < 0x1p-11f && difference > -0x1p-11f);
}

bool load_slot_right(const struct load *l, unsigned task)
{
	for (unsigned m = 0; m < l->mm.m; m++)
		for (unsigned n = 0; n < l->mm.n; n++) {
			uint32_t got = element_bits(l, task, m, n);
			uint32_t want = expected_bits(l, task, m, n);

			if (agrees(l, n, got, want))
				continue;
			tap_note("task %u of %u, C[%u][%u]: bits %x, expected %x", task, l->tasks,
				 m, n, got, want);
			return false;
		}
	return true;
}

static bool stamped(const struct load *l, size_t first, size_t end)
{
	const unsigned char *p = l->out->map;

	for (size_t i = first; i < end; i++)
		if (p[i] != STAMP) {
			tap_note("output byte %zu was written", i);
			return false;
		}
	return true;
}

bool load_slot_untouched(const struct load *l, unsigned task)
{
	return stamped(l, task * l->out_step, (task + 1) * l->out_step);
}

bool load_judge(const struct load *l, unsigned ran)
{
	for (unsigned i = 0; i < ran; i++)
		if (!load_slot_right(l, i))
			return false;
	return stamped(l, ran * l->out_step, l->out->size);
}

bool loads_run_right(struct load *l, unsigned n)
{
	struct test *t = l->t;
	struct drm_rocket_job jobs[LOADS_TOGETHER];
	struct drm_rocket_submit args = { .jobs = (uintptr_t)jobs,
					  .job_count = n,
					  .job_struct_size = sizeof(jobs[0]) };
	int ret;

	if (!CHECK(t, n <= LOADS_TOGETHER, "too many jobs in one SUBMIT"))
		return false;
	for (unsigned i = 0; i < n; i++)
		jobs[i] = l[i].job;
	ret = file_submit(l->f, &args);
	if (!CHECK(t, !ret, "SUBMIT: %s", strerror(-ret)))
		return false;
	for (unsigned i = 0; i < n; i++) {
		ret = load_wait(&l[i], 20 * SECOND);
		if (!CHECK(t, !ret, "job %u: PREP_BO: %s", i, strerror(-ret)) ||
		    !CHECK(t, load_judge(&l[i], l[i].tasks), "job %u: wrong result", i))
			return false;
	}
	return true;
}

bool load_run_right(struct load *l)
{
	return loads_run_right(l, 1);
}

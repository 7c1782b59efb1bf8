// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pool.h"

#include "reference.h"

#define ATOM      8 /* fp16 elements */
#define OUT_SIDE  (POOL_SIDE / 2)
#define PPU       0x4001u
#define PPU_RDMA  0x8001u
#define TARGET_PC 0x0101u
#define ENABLE    0x60u

/* Constants: the tables of the silicon-validated encoders. */
void pool_program(uint32_t in, uint32_t out, uint64_t *words)
{
	const uint32_t side = POOL_SIDE - 1, half = OUT_SIDE - 1, last = ATOM - 1;
	const uint32_t plane = 16 * POOL_SIDE * POOL_SIDE, out_plane = 16 * OUT_SIDE * OUT_SIDE;
	const struct {
		uint32_t target, offset, value;
	} writes[POOL_WORDS] = {
		{ PPU, 0x6004, 0xe },
		{ PPU_RDMA, 0x7004, 0xe },
		{ PPU, 0x600c, side },
		{ PPU, 0x6010, side },
		{ PPU, 0x6014, last },
		{ PPU, 0x6018, half },
		{ PPU, 0x601c, half },
		{ PPU, 0x6020, last },
		{ PPU, 0x6024, 0x11 },     /* from memory, maximum */
		{ PPU, 0x6034, 0x110101 }, /* kernel and stride 2 x 2 */
		{ PPU, 0x6038, 0 },
		{ PPU, 0x603c, 0 },
		{ PPU, 0x6040, 0 },
		{ PPU, 0x6044, 0 },
		{ PPU, 0x6048, 0 },
		{ PPU, 0x6070, out },
		{ PPU, 0x607c, out_plane },
		{ PPU, 0x6084, out_plane | 2 },
		{ PPU, 0x60dc, 3 },
		{ PPU_RDMA, 0x700c, side },
		{ PPU_RDMA, 0x7010, side },
		{ PPU_RDMA, 0x7014, last },
		{ PPU_RDMA, 0x701c, in },
		{ PPU_RDMA, 0x7024, 16 * POOL_SIDE },
		{ PPU_RDMA, 0x7028, plane },
		{ PPU_RDMA, 0x7030, 2 },
		{ 0, 0, 0 },
		{ TARGET_PC, 0x14, 0 },
		{ 0x0041, 0, 0 },
		{ 0x0081, 8, ENABLE },
	};

	for (unsigned i = 0; i < POOL_WORDS; i++)
		words[i] = (uint64_t)writes[i].target << 48 | (uint64_t)writes[i].value << 16 |
			   writes[i].offset;
}

/* Distinct small integers, so that each maximum has one place. */
static int value_at(unsigned y, unsigned x, unsigned c)
{
	return (int)((y * 37 + x * 11 + c * 5) % 97) - 48;
}

bool pool_make(struct pool *p, struct test *t, struct file *f)
{
	*p = (struct pool){ .f = f };
	p->prog = f ? test_bo(t, f, PAGE) : NULL;
	p->in = f ? test_bo(t, f, PAGE) : NULL;
	p->out = f ? test_bo(t, f, PAGE) : NULL;
	if (!p->prog || !p->in || !p->out)
		return false;
	for (unsigned y = 0; y < POOL_SIDE; y++)
		for (unsigned x = 0; x < POOL_SIDE; x++)
			for (unsigned c = 0; c < ATOM; c++)
				((uint16_t *)p->in->map)[(y * POOL_SIDE + x) * ATOM + c] =
					half_from_float((float)value_at(y, x, c));
	pool_program(p->in->dma, p->out->dma, p->prog->map);
	p->task = (struct drm_rocket_task){ p->prog->dma, POOL_WORDS };
	p->in_handles[0] = p->prog->handle;
	p->in_handles[1] = p->in->handle;
	file_fini(f, p->prog->handle);
	file_fini(f, p->in->handle);
	file_fini(f, p->out->handle);
	return true;
}

int pool_submit(struct pool *p, uint32_t flags)
{
	struct drm_rocket_job job = {
		.tasks = (uintptr_t)&p->task,
		.in_bo_handles = (uintptr_t)p->in_handles,
		.out_bo_handles = (uintptr_t)&p->out->handle,
		.task_count = 1,
		.task_struct_size = sizeof(p->task),
		.in_bo_handle_count = 2,
		.out_bo_handle_count = 1,
		.flags = flags,
	};

	return file_submit_job(p->f, &job);
}

int pool_wait(struct pool *p, int64_t within)
{
	return file_prep(p->f, p->out->handle, now_ns() + within);
}

static int maximum(unsigned y, unsigned x, unsigned c)
{
	int best = value_at(2 * y, 2 * x, c);

	for (unsigned i = 1; i < 4; i++) {
		int v = value_at(2 * y + i / 2, 2 * x + i % 2, c);

		if (v > best)
			best = v;
	}
	return best;
}

bool pool_right(const struct pool *p)
{
	const uint16_t *out = p->out->map;

	for (unsigned y = 0; y < OUT_SIDE; y++)
		for (unsigned x = 0; x < OUT_SIDE; x++)
			for (unsigned c = 0; c < ATOM; c++) {
				float got = half_to_float(out[(y * OUT_SIDE + x) * ATOM + c]);

				if (got == (float)maximum(y, x, c))
					continue;
				tap_note("pool (%u, %u, %u): %g, must be %d", y, x, c, (double)got,
					 maximum(y, x, c));
				return false;
			}
	return true;
}
